"""Takes guessed defaults out of the reference, for `mkdocs build` (see mkdocs.yml).

Griffe gives the first parameter's type and default to all names of an entry such as
``weights, signs, noise``, and takes the first of ``{"high", "low"}`` for a default.
The signature above each list says both as they are, so the list says neither.
"""

from __future__ import annotations

import re
from typing import Any

import griffe


class WithoutGuesses(griffe.Extension):
    """A griffe extension that leaves in a list of parameters what its docstring says."""

    def on_package(self, *, pkg: griffe.Module, **_options: Any) -> None:
        """Correct every docstring of a package once it is loaded."""
        waiting: list[griffe.Object] = [pkg]
        while waiting:
            thing = waiting.pop()
            members = thing.members.values()
            waiting += [member for member in members if isinstance(member, griffe.Object)]
            if thing.docstring:
                _correct(thing.docstring)


def _correct(docstring: griffe.Docstring) -> None:
    for section in docstring.parsed:
        if isinstance(section, griffe.DocstringSectionParameters):
            for parameter in section.value:
                parameter.value = None
                if not _has_type(docstring.value, parameter.name):
                    parameter.annotation = None


def _has_type(docstring: str, name: str) -> bool:
    """Tell whether an entry such as ``first, name : int`` states the type of a parameter."""
    entry = rf"^(.*, )?{re.escape(name)}(, .*)? : "
    return re.search(entry, docstring, re.MULTILINE) is not None
