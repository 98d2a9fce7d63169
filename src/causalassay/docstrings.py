"""The sections of a docstring that is written as numpydoc has it."""

from __future__ import annotations

import inspect
import re

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_PARAMETER = re.compile(r"^(\w[\w, ]*?)(?: : (.*))?$")


def sections(value: object) -> dict[str, str]:
    """Return the text under each heading; what comes before the first is under "".

    Examples
    --------
    >>> list(sections(sections))
    ['', 'Examples']
    """
    pieces = _HEADING.split(inspect.getdoc(value) or "")
    found = {"": pieces[0].strip()}
    for heading, text in zip(pieces[1::2], pieces[2::2], strict=True):
        found[heading] = text.strip("\n")
    return found


def parameter_meanings(value: object) -> dict[str, str]:
    """Return what a docstring says of each parameter, on one line.

    Examples
    --------
    >>> from causalassay.discovery.pc import PC
    >>> parameter_meanings(PC)["alpha"]
    'The level of each test.'
    """
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in sections(value).get("Parameters", "").splitlines():
        if line and not line.startswith(" ") and (match := _PARAMETER.match(line)):
            names = [name.strip() for name in match.group(1).split(",")]
            meanings |= dict.fromkeys(names, "")
        else:
            for name in names:
                meanings[name] = f"{meanings[name]} {line.strip()}".strip()
    return meanings
