"""The LaTeX table of an audit: a ``tabular`` with booktabs, its sentence in a comment above it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from causalassay.auditing import Audit, BaselineScore, PooledAudit, Sortability
from causalassay.auditing.file_rows import file_heads, file_rows, last_row
from causalassay.auditing.provenance import Provenance
from causalassay.auditing.row_names import RANDOM_ORDERS, Direction, sorted_by
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.findings import Finding
from causalassay.report.latex import escape, number

DIRECTIONS: tuple[Direction, Direction] = ("rising", "falling")


def audit_table(name: str, audit: Audit, made: Provenance) -> str:
    """Return a table of what sorting by each statistic reaches, in both directions.

    Parameters
    ----------
    name : str
        Of the data.
    audit : Audit
        With a graph.
    made : Provenance
    """
    if audit.n_edges is None:
        raise ValueError("a LaTeX table needs a graph: pass --graph as well")
    values = {row.statistic: row for row in reversed(audit.sortabilities)}
    scores = {row.algorithm: row for row in audit.baselines}
    rows = []
    for artefact in artefacts_of(audit.world):
        for direction in DIRECTIONS:
            reached = scores.get(sorted_by(direction, artefact.word))
            value = values.get(artefact.statistic)
            if value is not None:
                rows.append(_row(f"{artefact.word}, {direction}", direction, value, reached))
    random = scores.get(RANDOM_ORDERS)
    if random is not None:
        rows.append([RANDOM_ORDERS, "", "", _limits(random.f1, random.f1_range), ""])
    heads = ["sorted by", "sortability", "$p$-value", "F1", "$p$-value"]
    about = f"{name}: {audit.n_samples} rows, {audit.n_nodes} columns, {audit.n_edges} edges."
    return tabular([*comments(audit.verdict, made), about], heads, rows, n_last=bool(random))


def pooled_table(name: str, pooled: PooledAudit, made: Provenance) -> str:
    """Return a table with a row for each file; parameters as `audit_table` has them."""
    heads = [_escaped(head) for head in file_heads(pooled)]
    rows = [[_escaped(cell) for cell in row] for row in [*file_rows(pooled), last_row(pooled)]]
    return tabular(
        [*comments(pooled.verdict, made), f"{name}: each file alone."], heads, rows, n_last=1
    )


def _row(name: str, direction: str, value: Sortability, reached: BaselineScore | None) -> list[str]:
    p_value = value.p_rising if direction == "rising" else value.p_falling
    return [
        _escaped(name),
        _limits(value.value, value.interval),
        _p(p_value),
        "--" if reached is None else number(reached.f1),
        "--" if reached is None or reached.p_order is None else _p(reached.p_order),
    ]


def comments(verdict: Finding, made: Provenance) -> list[str]:
    """Return the sentence to cite and what the audit was made from."""
    hashes = [f"{file.role} {file.name} sha256 {file.sha256}" for file in made.files]
    return [
        f"Verdict: {verdict.text} (rule: {verdict.rule})",
        f"causalassay {made.version}, seed {made.seed}",
        *hashes,
    ]


def tabular(
    about: Sequence[str], heads: Sequence[str], rows: Sequence[Sequence[str]], *, n_last: int = 0
) -> str:
    """Return a table whose comments say what it is; the last rows stand below a line."""
    lines = [
        *(f"% {' '.join(_plain(line).split())}" for line in about),
        r"% Needs \usepackage{booktabs}.",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
    ]
    for place, row in enumerate(rows):
        if n_last and place == len(rows) - n_last:
            lines.append(r"\midrule")
        lines.append(" & ".join(row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _escaped(text: str) -> str:
    return escape(text).replace("R²", "$R^2$").replace("–", "--")


def _plain(line: str) -> str:
    """Return a line without what would end a comment."""
    return "".join(sign if sign.isprintable() else " " for sign in line)


def _limits(value: float, limits: tuple[float, float] | None) -> str:
    if limits is None or math.isnan(limits[0]):
        return number(value)
    return rf"{number(value)} {{\scriptsize [{number(limits[0])}, {number(limits[1])}]}}"


def _p(value: float) -> str:
    """Return a p-value with three digits; an undefined one as a dash."""
    if math.isnan(value):
        return "--"
    return "$<$0.001" if value < 0.001 else f"{value:.3f}"
