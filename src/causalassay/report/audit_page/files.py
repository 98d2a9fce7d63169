"""The files of an audit: its page and its LaTeX table."""

from __future__ import annotations

from pathlib import Path

from causalassay.auditing import Audit, PooledAudit
from causalassay.auditing.provenance import Provenance, today
from causalassay.replacing import replacing
from causalassay.report.audit_page.document import audit_page, pooled_page
from causalassay.report.audit_page.latex import audit_table, pooled_table


def write_page(
    target: Path, name: str, result: Audit | PooledAudit, made: Provenance, command: str
) -> None:
    """Write the page of an audit as one HTML file.

    Parameters
    ----------
    target : Path
    name : str
        Of what was audited.
    result : Audit or PooledAudit
    made : Provenance
    command : str
        The command line that made it.
    """
    if isinstance(result, PooledAudit):
        text = pooled_page(name, result, made, command, today())
    else:
        text = audit_page(name, result, made, command, today())
    _write(target, text)


def write_table(target: Path, name: str, result: Audit | PooledAudit, made: Provenance) -> None:
    """Write the LaTeX table of an audit; parameters as `write_page` has them."""
    if isinstance(result, PooledAudit):
        _write(target, pooled_table(name, result, made))
    else:
        _write(target, audit_table(name, result, made))


def _write(target: Path, text: str) -> None:
    with replacing(target) as partial:
        partial.write_text(text, encoding="utf-8")
