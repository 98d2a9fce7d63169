"""Names in messages: the nearest known one, or a list that does not fill the screen."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from difflib import get_close_matches

_MOST_NAMED = 10


def did_you_mean(name: Hashable, known: Collection[Hashable]) -> str:
    """Return the known name nearest to `name` as a question, else the known names.

    Examples
    --------
    >>> did_you_mean("icsm", ["scm", "iscm"])
    "did you mean 'iscm'?"
    >>> did_you_mean("x", ["scm", "iscm"])
    "there are 'scm', 'iscm'"
    """
    nearest = get_close_matches(str(name), [str(other) for other in known], n=1)
    return f"did you mean {nearest[0]!r}?" if nearest else f"there are {listed(known)}"


def listed(names: Collection[Hashable]) -> str:
    """Return the names quoted and joined, the long tail of a long list as a count.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(repr(name) for name in list(names)[:_MOST_NAMED])
    left = len(names) - _MOST_NAMED
    return f"{shown} and {left} more" if left > 0 else shown


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise unless the hyper-parameter's value is one of the choices.

    Examples
    --------
    >>> check_choice("regression", "linaer", ("linear", "support-vector"))
    Traceback (most recent call last):
    ...
    ValueError: regression: there is no 'linaer'; did you mean 'linear'?
    """
    if value not in choices:
        raise ValueError(f"{name}: there is no {value!r}; {did_you_mean(str(value), choices)}")
