"""How audits look on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from causalassay.cli.printing import escaped, limits_text, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from causalassay.auditing import Audit, BaselineScore, Finding, PooledAudit, Sortability

MEASURED = " Measured: "
"""Before the error rate in the text of a rule."""

MOST_FILES = 15
"""Rows of the table of files; the rest is counted."""

WIDE = 100
"""Columns of a terminal on which the table of files has room for scores."""


def print_audit(result: Audit, name: str, console: Console, *, full: bool) -> None:
    """Print the verdict on one data set, the tables it rests on, and its rules."""
    edges = "no graph" if result.n_edges is None else f"{result.n_edges} edges"
    console.print(
        f"[bold]{escaped(name)}[/]: {result.n_samples} rows, {result.n_nodes} columns, {edges}",
        highlight=False,
    )
    _print_findings(result.verdict, result.findings, console)
    if result.sortabilities:
        console.print(_sortability_table(result.sortabilities))
        for note in dict.fromkeys(s.note for s in result.sortabilities if s.note):
            console.print(f"note: {note}", style="dim")
    if result.baselines:
        console.print(_baseline_table(result.baselines))
        for note in dict.fromkeys(b.note for b in result.baselines if b.note):
            console.print(f"note: {note}", style="dim")
    print_rules(result.rules, console, full=full)


def print_pooled(result: PooledAudit, console: Console, *, each: bool, full: bool) -> None:
    """Print the verdict on several files, a row for each, and on demand their findings."""
    _print_findings(result.verdict, result.findings, console)
    console.print(_file_table(result, every=each, narrow=console.width < WIDE))
    left = len(result.audits) - MOST_FILES
    if left > 0 and not each:
        console.print(f"and {left} more files: --each prints all of them", style="dim")
    if each:
        for name, audit in result.audits.items():
            console.print(f"[bold]{escaped(name)}[/]", highlight=False)
            for finding in audit.findings:
                console.print(f"  {escaped(finding.text)}", highlight=False)
        console.print()
    print_rules(result.rules, console, full=full)


def _print_findings(verdict: Finding, findings: tuple[Finding, ...], console: Console) -> None:
    console.print(f"[bold]Verdict: {escaped(verdict.text)}[/]", highlight=False)
    for finding in findings:
        if finding != verdict:
            console.print(escaped(finding.text), highlight=False)
    console.print()


def print_rules(rules: Mapping[str, str], console: Console, *, full: bool) -> None:
    """Print how often each rule is wrong, and on demand what it says."""
    for name, text in rules.items():
        _, measured, rate = text.partition(MEASURED)
        short = f"measured: {rate}" if measured else "error rate not measured."
        console.print(
            f"[dim]Rule “{escaped(name)}”: {escaped(text if full else short)}[/]", highlight=False
        )
    if not full:
        console.print("[dim]--full prints how each rule decides.[/]", highlight=False)


def _file_table(result: PooledAudit, *, every: bool, narrow: bool) -> Table:
    """Return a row for each file without its size; on a narrow terminal without scores too."""
    from causalassay.auditing.file_rows import N_SIZES, file_heads, file_rows, last_row

    table = Table(title="Each file alone", title_justify="left", title_style="bold")
    heads = file_heads(result)
    shown = [
        place
        for place, head in enumerate(heads)
        if not 0 < place <= N_SIZES and not (narrow and head.startswith("F1"))
    ]
    for place in shown:
        ends = place in {0, len(heads) - 1}
        table.add_column(heads[place], justify="left" if ends else "right", no_wrap=ends)
    for row in file_rows(result)[: None if every else MOST_FILES]:
        table.add_row(*(escaped(row[place]) for place in shown))
    table.add_section()
    last = last_row(result)
    table.add_row(*(escaped(last[place]) for place in shown))
    return table


def _sortability_table(rows: tuple[Sortability, ...]) -> Table:
    table = Table(
        title="How closely statistics follow the causal order (1/2: not at all)",
        title_justify="left",
        title_style="bold",
    )
    headings = [
        "statistic",
        "counted by",
        "sortability",
        "95 %",
        "p-value\nrising",
        "p-value\nfalling",
    ]
    for heading in headings:
        left = heading in {"statistic", "counted by"}
        table.add_column(heading, justify="left" if left else "right")
    for row in rows:
        table.add_row(
            row.statistic.replace("R2", "R²"),
            row.convention,
            number(row.value),
            limits_text(row.interval),
            number(row.p_rising, 3),
            number(row.p_falling, 3),
        )
    return table


def _baseline_table(rows: tuple[BaselineScore, ...]) -> Table:
    table = Table(
        title="Scores of the baselines (random ones: mean and 95 %)",
        title_justify="left",
        title_style="bold",
    )
    for heading in ("baseline", "SHD", "F1", "p-value"):
        table.add_column(heading, justify="left" if heading == "baseline" else "right")
    for row in rows:
        shd, f1 = number(row.shd, 0), number(row.f1)
        if row.shd_range and row.f1_range:
            shd, f1 = f"{shd} {limits_text(row.shd_range, 0)}", f"{f1} {limits_text(row.f1_range)}"
        table.add_row(row.algorithm, shd, f1, "" if row.p_order is None else number(row.p_order, 3))
    return table
