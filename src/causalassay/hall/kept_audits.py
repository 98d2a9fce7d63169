"""The audits of an entry that is under way: after Ctrl-C no draw is audited twice."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causalassay.auditing import Audit, BaselineScore, Finding, Sortability
from causalassay.auditing.result import ColumnPlace

FOLDER = "under-way"
"""Below the folder of the results; a file goes when the row of its entry is there."""


@dataclass(frozen=True)
class KeptAudits:
    """The audits of the draws of one entry, a line for each in a file.

    Parameters
    ----------
    path : Path
    key : str
        Of the row that they are for: those of another row are passed over.
    """

    path: Path
    key: str

    def read(self) -> dict[str, Audit]:
        """Return the audits by the names of their draws; a line that was cut off is none."""
        found: dict[str, Audit] = {}
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, UnicodeDecodeError):
            return found
        for line in lines:
            try:
                plain = json.loads(line)
                if plain["key"] == self.key:
                    found[plain["draw"]] = _audit(plain["audit"])
            except (KeyError, TypeError, ValueError):
                continue
        return found

    def add(self, draw: str, audit: Audit) -> None:
        """Write the audit of a draw."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        plain = {"key": self.key, "draw": draw, "audit": dataclasses.asdict(audit)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(plain)}")  # the line before may have been cut off

    def clear(self) -> None:
        """Remove the file, and the folder if it was the last."""
        self.path.unlink(missing_ok=True)
        if self.path.parent.is_dir() and not any(self.path.parent.iterdir()):
            self.path.parent.rmdir()


def _audit(plain: dict[str, Any]) -> Audit:
    """Return an audit with all that a verdict over several needs; not its check of the graph."""
    return Audit(
        **plain
        | {
            "spread": None,
            "graph_check": None,
            "sortabilities": tuple(Sortability(**one) for one in plain["sortabilities"]),
            "baselines": tuple(BaselineScore(**one) for one in plain["baselines"]),
            "findings": tuple(Finding(**one) for one in plain["findings"]),
            "columns": tuple(ColumnPlace(**one) for one in plain["columns"]),
            "edges": tuple((cause, effect) for cause, effect in plain["edges"]),
        }
    )
