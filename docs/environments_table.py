"""Writes the table of docs/environments.md from the files of the environments.

python docs/environments_table.py
"""

from __future__ import annotations

import re
from pathlib import Path

from causalassay.environments.catalogue import environments, is_own

PAGE = Path(__file__).with_name("environments.md")
HEAD = "| environment | algorithms | licence | download | on disk |\n|---|---|---|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(\|.*\n)*")


def table() -> str:
    """Return the table, with a line for each environment of ours."""
    lines = [
        f"| `{home.name}` | {', '.join(f'`{one.name}`' for one in home.algorithms)} | "
        f"{home.licence} | {home.download_mb} | {home.disk_mb} |\n"
        for home in environments().values()
        if is_own(home)
    ]
    return HEAD + "".join(lines)


def page(text: str) -> str:
    """Return the text of the page with its table as it is to be."""
    return _TABLE.sub(lambda _: table(), text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
