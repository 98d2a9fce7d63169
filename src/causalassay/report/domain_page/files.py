"""The file of an evaluation's page."""

from __future__ import annotations

import os
from pathlib import Path

from causalassay.auditing.provenance import today
from causalassay.factorial import Evaluation
from causalassay.report.domain_page.document import domain_page


def write_page(target: Path, name: str, result: Evaluation, command: str) -> None:
    """Write the page as one HTML file; an interrupted call leaves what was there.

    Parameters
    ----------
    target : Path
    name : str
        Of the experiment.
    result : Evaluation
    command : str
        The command line that made it.
    """
    text = domain_page(name, result, command, today())
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
