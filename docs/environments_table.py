"""Writes the tables of docs/environments.md from the files of the environments.

python docs/environments_table.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from causalassay.environments.catalogue import EnvironmentDefinition, environments, is_own

PAGE = Path(__file__).with_name("environments.md")
HEAD = "| environment | algorithms | licence | download | on disk |\n|---|---|---|---|---|\n"
GENERATORS_HEAD = "| generator | data | call | our choices, and remarks |\n|---|---|---|---|\n"


def table() -> str:
    """Return the table of environments, with a line for each of ours."""
    lines = [
        f"| `{home.name}` | {', '.join(f'`{one.name}`' for one in home.algorithms) or 'none'} | "
        f"{home.licence} | {home.download_mb} | {home.disk_mb} |\n"
        for home in _ours()
    ]
    return HEAD + "".join(lines)


def generators_table() -> str:
    """Return the table of generators."""
    lines = [
        f"| `{one.name}` | {one.world} | `{one.call}` | {one.note} |\n"
        for home in _ours()
        for one in home.generators
    ]
    return GENERATORS_HEAD + "".join(lines)


def page(text: str) -> str:
    """Return the text of the page with its tables as they are to be."""
    for head, made in ((HEAD, table()), (GENERATORS_HEAD, generators_table())):
        text = re.sub(re.escape(head) + r"(\|.*\n)*", lambda _, made=made: made, text)
    return text


def _ours() -> Iterable[EnvironmentDefinition]:
    return [home for home in environments().values() if is_own(home)]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
