"""The measured rates that output cites, in one file of the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

RATES = Path("src/causalassay/judging/measured_rates.json")


def cite(measured: Mapping[str, str], file: Path | None = None) -> None:
    """Write the rates of some rules; those of others stay as they are."""
    file = file or RATES
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    text = json.dumps(known | dict(measured), indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")
