"""What a line of a reproduction shows, in the terminal and on pages alike."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from causalassay.reproducing import Line, Reproduction

PACKAGES = ("causalassay", "numpy", "scipy", "numba", "pandas")
"""Whose versions a page states."""

HEADS = ("what", "published", "ours [99 % interval]", "outcome", "remark")

OVERVIEW = "Each table and figure: how far our numbers are from the printed ones; all outcomes."

RULE = (
    "A number agrees if it differs from ours by no more than chance and rounding allow: 2.6 "
    "standard errors, ours and the paper's own added as variances, plus half a unit of its last "
    "digit, and the error of reading it off a figure. A claim holds or fails if our 99 % interval "
    "lies wholly on one side; else it is open. A number from other data than the paper's is shown "
    "and not judged. The rule was stated before the first run; the notes name what was decided "
    "later."
)


def cells(line: Line) -> tuple[str, ...]:
    """Return the texts of a line, one for each of `HEADS`."""
    return (line.value.place, line.value.shown, line.ours_text, line.outcome, line.why)


def citation(found: Reproduction) -> str:
    """Return who published what."""
    about = found.paper.about
    return f"{about.authors} ({about.year}): {about.title}. doi:{about.doi}"


def heading(found: Reproduction) -> str:
    """Return the paper, and how many of its items there are if not all."""
    items, every = len(found.items), len(items_with_values(found))
    some = f" ({items} of {every} items)" if items < every else ""
    return f"{found.paper.slug} reproduced{some}"


def items_with_values(found: Reproduction) -> list[str]:
    """Return the items of the paper that have published values."""
    return [item.name for item in found.paper.items if found.paper.values_of(item.name)]


def _items(found: Reproduction) -> str:
    """Return the options that choose the items, if they are not all."""
    if len(found.items) == len(items_with_values(found)):
        return ""
    return "".join(f" --item {name}" for name in found.items)


def made_by(found: Reproduction, date: str) -> str:
    """Return the command, the versions and the time taken."""
    command = f"causalassay reproduce {found.paper.slug} --{found.size}{_items(found)}"
    named = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    effort = found.effort
    studies = (
        f" Its studies have {effort.runs} runs, whose algorithms took "
        f"{effort.run_seconds / 60:.0f} minutes in all."
        if effort.runs
        else ""
    )
    return (
        f"Made on {date} by `{command}` with {named}, Python {platform.python_version()}, on "
        f"{os.cpu_count()} cores. This call took {effort.seconds / 60:.1f} minutes; what earlier "
        f"calls had computed was not computed again.{studies}"
    )
