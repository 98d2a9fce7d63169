"""One line on each thing that can be named, so that listing them imports none of them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files

from causalassay.environments.catalogue import environment_algorithms

PARTS = ("algorithms", "graphs", "models", "metrics", "diagnostics")
"""What can be named in studies; each has a registry of its own."""


def short_lines(part: str) -> dict[str, str]:
    """Return the line of each built-in thing of a part, by name, and of what environments have.

    Parameters
    ----------
    part : str
        One of `PARTS`, or "controls": the metrics that are numbers beside the scores, and no
        scores themselves.

    Examples
    --------
    >>> short_lines("algorithms")["empty"]
    'Claim no edge at all.'
    """
    lines = dict(_tables()[part])
    if part == "algorithms":
        lines |= {name: found.what for name, found in environment_algorithms().items()}
        lines = dict(sorted(lines.items()))
    return lines


def known_names() -> dict[str, str]:
    """Return the part of each name that can be listed; nothing of it is imported.

    Examples
    --------
    >>> known_names()["notears"], known_names()["n_guessed"]
    ('algorithms', 'metrics')
    """
    names = dict.fromkeys(_tables()["controls"], "metrics")
    for part in PARTS:
        names |= dict.fromkeys([*_tables()[part], *announced(part)], part)
    names |= dict.fromkeys(environment_algorithms(), "algorithms")
    return names


def announced(part: str) -> list[str]:
    """Return the names of what other packages announce.

    Examples
    --------
    >>> isinstance(announced("metrics"), list)
    True
    """
    return [point.name for point in entry_points(group=f"causalassay.{part}")]


@cache
def _tables() -> dict[str, dict[str, str]]:
    text = files(__package__).joinpath("short_lines.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
