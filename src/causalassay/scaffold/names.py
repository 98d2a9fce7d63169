"""Which names a beginning can have: of an algorithm's package, and of a study."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.util import find_spec

from causalassay.discovery.registry import ALGORITHMS

_IN_THE_TEMPLATES = ("ClassVar", "Estimate", "NotApplicable")
"""Names that the written module imports: its class cannot be called so."""


def check_algorithm_name(name: str, module: str, title: str) -> None:
    """Raise a ValueError, in one line, unless a package for an algorithm can have the name.

    Parameters
    ----------
    name : str
        Of the algorithm and of its package.
    module, title : str
        Of the Python module and the class that are written.

    Examples
    --------
    >>> check_algorithm_name("my-own", "my_own", "MyOwn")
    >>> check_algorithm_name("class", "class", "Class")
    Traceback (most recent call last):
    ValueError: name: 'class' is a Python keyword; choose another, like my-class
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(
            "name: expected lower-case letters, digits and single hyphens, like my-algorithm; "
            f"got {name!r}"
        )
    if reason := _taken(name, module, title):
        raise ValueError(f"name: {name!r} {reason}; choose another, like my-{name}")


def check_study_name(name: str) -> None:
    """Raise a ValueError, in one line, unless a study can have the name.

    Examples
    --------
    >>> check_study_name("first-look")
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name):
        raise ValueError(
            f"name: expected at most 100 letters, digits, - and _, like first-look; got {name!r}"
        )
    if name.startswith("-"):
        raise ValueError(f"name: {name!r} reads like an option; begin with a letter or a digit")


def _taken(name: str, module: str, title: str) -> str:
    """Return what the name stands for already; empty if nothing."""
    if keyword.iskeyword(module) or keyword.iskeyword(title):
        return "is a Python keyword"
    if name in ALGORITHMS:
        return f"is already an algorithm of package {ALGORITHMS.package(name)!r}"
    if title in _IN_THE_TEMPLATES:
        return f"would make a class {title}, which causalassay or Python already has"
    if module in sys.stdlib_module_names:
        return f"is the name of Python's own module {module}, which would hide yours"
    if _is_installed(module):
        return f"is the name of the installed module {module}: one would hide the other"
    return ""


def _is_installed(module: str) -> bool:
    """Tell whether a module can be imported; a plain folder of that name is none."""
    found = find_spec(module)
    return found is not None and found.origin is not None
