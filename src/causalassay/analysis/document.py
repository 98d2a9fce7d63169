"""What a study shows: its tables and sections as blocks, and the documents made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from causalassay.analysis import tables
from causalassay.analysis.comparison import compared_with_all, own_algorithms
from causalassay.analysis.runs import SCHEME, scheme_name
from causalassay.analysis.verdict.statements import STATISTICS
from causalassay.judging.findings import RULES
from causalassay.metrics.registry import metric_name
from causalassay.present import (
    Block,
    Code,
    Document,
    Facts,
    Findings,
    Fold,
    Prose,
    Rules,
    Section,
    StatedRule,
)
from causalassay.present.formatting import counted, few
from causalassay.present.terminal import FULL

if TYPE_CHECKING:
    from causalassay.analysis.analysis import Analysis
    from causalassay.analysis.summary import Summary
    from causalassay.study.plan import Purpose
    from causalassay.study.storage.reader import Choice, Session, StudyStatus

NO_ROWS = "No rows yet."
MOST_REASONS = 8
"""Reasons that a terminal prints; the summary holds more."""
FIRST_METRICS = 2
"""Metrics of which a notebook shows the scores."""
MOST_NAMED = 40
"""Algorithms or metrics that the facts name; of more, the tables have the rest."""


def analysis_document(analysis: Analysis) -> Document:
    """Return what a study shows: the matrix, the sentences and, folded, all tables."""
    matrix, counts = analysis.matrix, analysis.summary.counts
    blocks: list[Block] = [Prose(line) for line in own_lines(analysis)]
    if matrix.rows:
        blocks += [tables.matrix_table(matrix), scheme_section(analysis)]
        blocks.append(Fold("All tables", summary_blocks(analysis.summary), option=FULL))
    about = ", ".join(
        (
            counted(int(counts["n"].sum()) if len(counts) else 0, "run"),
            counted(len(counts), "algorithm"),
            counted(len(matrix.columns), "scheme"),
        )
    )
    return Document("Study", analysis.headline, blocks, about=about, rules=study_rules(analysis))


def summary_document(summary: Summary) -> Document:
    """Return what a summary shows: how the runs ended, and the scores in the first metrics."""
    if not len(summary.counts):
        return Document("Summary", NO_ROWS)
    metrics = summary.metrics[:FIRST_METRICS]
    blocks: list[Block] = [tables.count_table(summary)]
    blocks += [tables.score_table(summary, metric) for metric in metrics]
    if rest := summary.metrics[FIRST_METRICS:]:
        blocks.append(Prose(f"In .scores also: {', '.join(map(metric_name, rest))}"))
    return Document("Summary", "", blocks)


def summary_blocks(summary: Summary, metric: str = "") -> list[Block]:
    """Return all tables of a summary, or those of one metric."""
    metrics = (metric,) if metric else summary.metrics
    blocks: list[Block] = [tables.count_table(summary)]
    if len(summary.reasons):
        blocks.append(tables.reason_table(summary, MOST_REASONS))
    blocks += [tables.score_table(summary, each) for each in metrics]
    blocks += [tables.attribution_table(summary, each) for each in metrics[:1]]
    return blocks


def study_rules(analysis: Analysis) -> dict[str, StatedRule]:
    """Return the rules that led to the sentences, by name."""
    return {name: RULES[name] for name in analysis.verdict.rules}


def own_lines(analysis: Analysis) -> Iterator[str]:
    """Yield the finding on each own algorithm, and how many others it beats where it counts."""
    matrix = analysis.matrix
    free = [column.scheme for column in matrix.columns if column.free]
    for row in matrix.rows:
        if row.algorithm not in own_algorithms(analysis.runs):
            continue
        frame = compared_with_all(analysis.runs, row.algorithm)
        frame = frame[(frame["metric"] == matrix.metric) & frame["clear"]]
        parts = [f"Yours, {row.algorithm}: {row.finding}"]
        for scheme in free[:2]:
            gains = frame.loc[frame[SCHEME] == scheme, "gain"]
            parts.append(
                f"on {scheme_name(scheme)} better than {(gains > 0).sum()} and worse than "
                f"{(gains < 0).sum()} of {counted(len(matrix.rows) - 1, 'other')}"
            )
        yield "; ".join(parts) + "."


def own_section(analysis: Analysis) -> Section | None:
    """Return each algorithm that the study calls `mine` against all others; None without any."""
    names = own_algorithms(analysis.runs)
    if not names or not analysis.matrix.rows:
        return None
    compared = [tables.own_table(analysis, name, index) for index, name in enumerate(names)]
    return Section("own", "Your algorithm against the others", compared)


def scheme_section(analysis: Analysis) -> Section:
    """Return the sentences that are not about one algorithm: those are in the matrix."""
    general = [each for each in analysis.verdict.statements if each.algorithm is None]
    blocks: list[Block] = [Findings(general) if general else Prose("There is nothing to say yet.")]
    if analysis.matrix.looked_at:
        blocks.append(Prose(analysis.matrix.looked_at))
    return Section("schemes", "Schemes and the study as a whole", blocks)


def rule_section(analysis: Analysis) -> Section:
    """Return each rule once, what the numbers are, and all sentences."""
    statements = analysis.verdict.statements
    return Section(
        "rules",
        "Rules and all sentences",
        [
            Fold("The rules, with their measured error rates", [Rules(study_rules(analysis))]),
            Fold("What each kind of number is", [Facts(STATISTICS)]),
            Fold(f"All sentences ({len(statements)})", [Findings(statements)]),
        ],
    )


def tuning_section(choices: Sequence[Choice]) -> Section | None:
    """Return the chosen hyperparameters; None without tuning."""
    if not choices:
        return None
    return Section("tuning", "What tuning chose", [tables.choice_table(choices)])


def run_section(status: StudyStatus, sessions: Sequence[Session], summary: Summary) -> Section:
    """Return the study's facts: its parts, how the runs ended, versions and the study file."""
    runs = ", ".join(f"{count} {name}" for name, count in status.counts["main"].items() if count)
    blocks: list[Block] = [
        Prose(f"Runs: {runs or 'none yet'}."),
        Fold("The study's parts, seed and times", [_facts(status, summary)], printed=True),
    ]
    if not len(summary.counts):
        blocks.append(Prose(NO_ROWS))
    else:
        ended_well = not len(summary.reasons)
        blocks += [
            Prose("Every run ended well.") if ended_well else tables.reason_table(summary),
            Fold("How the runs of each algorithm ended", [tables.count_table(summary)]),
        ]
    by_versions: dict[str, list[str]] = {}
    for run in sessions:
        versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
        by_versions.setdefault(versions, []).append(tables.time_text(run.started))
    used = {f"started {', '.join(times)}": versions for versions, times in by_versions.items()}
    machines: list[Block] = [tables.session_table(sessions), Facts(used)]
    blocks += [
        Fold("Sessions, processors and versions", machines, printed=True),
        Fold("The study file", [Code(sessions[-1].text)]),
    ]
    return Section("run", "What was run", blocks)


def progress_notice(status: StudyStatus) -> Prose | None:
    """Return the warning of a study that is not complete; None for one that is."""
    if status.left == 0:
        return None
    running = "is still running" if status.driver else f"is not complete (last run: {status.ended})"
    text = (
        f"This study {running}: {counted(status.left, 'row')} to come, and every number may change."
    )
    return Prose(text, "notice")


def _facts(status: StudyStatus, summary: Summary) -> Facts:
    names: dict[bool, list[str]] = {False: [], True: []}
    for row in summary.counts.to_dict("records"):
        names[row["role"] == tables.BASELINE].append(row["algorithm"])
    metrics = [f"{metric_name(metric)} ({summary.better[metric]})" for metric in summary.metrics]
    facts = {
        "seed": str(status.seed),
        "rows": _rows(status, "main"),
        "tuning rows": _rows(status, "tuning") if status.totals["tuning"] else "",
        "algorithms": few(names[False], MOST_NAMED),
        "baselines": few(names[True], MOST_NAMED),
        "metrics": few(metrics, MOST_NAMED),
        "first row": tables.time_text(status.first_write),
        "last row": tables.time_text(status.last_write),
    }
    return Facts({name: text for name, text in facts.items() if text})


def _rows(status: StudyStatus, purpose: Purpose) -> str:
    return f"{sum(status.counts[purpose].values())} of {status.totals[purpose]}"
