"""Names in a study file, checked against the names that exist."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from causalassay.common.registry import Registry, reason_text
from causalassay.common.spelling import did_you_mean, listed
from causalassay.study.language.mistakes import Location, Mistakes, toml_text

T = TypeVar("T")


def registered(
    registry: Registry[T],
    name: Any,
    location: Location,
    mistakes: Mistakes,
    *,
    also: Collection[str] = (),
) -> T | None:
    """Return what a registry holds under a name; None, and a mistake, if there is nothing.

    Parameters
    ----------
    registry : Registry
    name : str
        As the file states it; another type is a mistake.
    location : Location
    mistakes : Mistakes
    also : collection of str
        Names that are legal there without being in the registry.
    """
    try:
        known = {*registry.addresses, *also}
    except ValueError as collision:
        mistakes.add("", str(collision))
        return None
    if isinstance(name, str) and name not in known:
        hint = registry.hint(name, also)
        mistakes.add(location, f"there is no {registry.noun} {name!r}; {hint}")
        return None
    if known_name(name, known, registry.noun, location, mistakes) is None:
        return None
    try:
        return registry[name]
    except Exception as error:
        # A plug-in's module may raise anything; the other tables are still read.
        what = "cannot run here" if isinstance(error, ImportError) else "cannot be loaded"
        package = f"package {registry.package(name)!r}"
        mistakes.add(location, f"{name!r} {what}: {reason_text(error)} ({package})")
    return None


def known_name(
    name: Any, known: Collection[str], noun: str, location: Location, mistakes: Mistakes
) -> str | None:
    """Return the name if it is known; else note the nearest one and return None.

    Examples
    --------
    >>> mistakes = Mistakes()
    >>> known_name("sidd", ["shd", "sid"], "metric", Location("metrics[0]"), mistakes)
    >>> mistakes.lines
    ["metrics[0]: there is no metric 'sidd'; did you mean 'sid'?"]
    """
    if isinstance(name, str) and name in known:
        return name
    names = sorted(known)
    if name is None:
        mistakes.add(location, f"missing; expected a {noun}: {did_you_mean('', names)}")
    elif isinstance(name, str):
        mistakes.add(location, f"there is no {noun} {name!r}; {did_you_mean(name, names)}")
    else:
        mistakes.add(location, f"got {toml_text(name)}, expected the name of a {noun}")
    return None


def unknown_parameter(
    key: str, owner: str, legal: Collection[str], also: Collection[str] = ()
) -> str:
    """Return that `owner` has no such parameter, what it takes, and what is nearest.

    Examples
    --------
    >>> unknown_parameter("lamda", "golem", ["lambda1"], also=["seconds"])
    "'golem' has no such parameter; it takes 'lambda1'; did you mean 'lambda1'?"
    """
    takes = listed(legal) if legal else "none"
    hints = [f"it takes {takes}", did_you_mean(key, [*legal, *also], otherwise="")]
    return "; ".join([f"{owner!r} has no such parameter", *filter(None, hints)])
