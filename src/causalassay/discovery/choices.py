"""Hyper-parameters that are one of a few words."""

from __future__ import annotations

from typing import Literal

from causalassay.spelling import did_you_mean

Regression = Literal["linear", "support-vector"]
"""Least squares, or support vector regression, which needs the extra ``nonlinear``."""


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
