"""What a study shows: its tables and sections as blocks, and the documents made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from causalassay.analysis import tables
from causalassay.analysis.comparison import compared_with_all, own_algorithms
from causalassay.analysis.runs import SCHEME, scheme_name
from causalassay.analysis.verdict.statements import STATISTICS
from causalassay.judging.findings import RULES
from causalassay.metrics.registry import metric_name
from causalassay.present import (
    Block,
    Code,
    Column,
    Document,
    Facts,
    Findings,
    Fold,
    Prose,
    Rules,
    Section,
    StatedRule,
    Table,
)
from causalassay.present.formatting import counted, few
from causalassay.present.terminal import FULL

if TYPE_CHECKING:
    from causalassay.analysis.analysis import Analysis
    from causalassay.analysis.sizes import Size
    from causalassay.analysis.summary import Ended, Summary
    from causalassay.study.plan import Purpose
    from causalassay.study.storage.reader import Choice, Session, StudyStatus

AnyBlock = TypeVar("AnyBlock", bound=Block)

NO_ROWS = "No rows yet."
EACH_BY_ITSELF = (
    "Each size is summarised and judged by itself, as if the study had no other; error rates hold "
    "for each."
)
MOST_REASONS = 8
"""Reasons that a terminal prints; the summary holds more."""
FIRST_METRICS = 2
"""Metrics of which a notebook shows the scores."""
MOST_NAMED = 40
"""Algorithms or metrics that the facts name; of more, the tables have the rest."""


def analysis_document(analysis: Analysis) -> Document:
    """Return what a study shows: the matrix, the sentences and, folded, all tables."""
    matrix, counts = analysis.matrix, analysis.ended.counts
    blocks: list[Block] = [Prose(line) for line in own_lines(analysis)]
    if matrix.rows:
        blocks += [of_size(tables.matrix_table(matrix), analysis.size), scheme_section(analysis)]
        for other in analysis.others:
            table = of_size(tables.matrix_table(other.matrix), other.size, apart=True)
            inside: list[Block] = [Prose(other.headline), table]
            blocks.append(Fold(other.size.name, inside, option=FULL))
        every = [*ended_blocks(analysis.ended), *score_blocks(analysis)]
        blocks.append(Fold("All tables", every, option=FULL))
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


def ended_blocks(ended: Ended | Summary) -> list[Block]:
    """Return the tables of how the runs ended."""
    blocks: list[Block] = [tables.count_table(ended)]
    if len(ended.reasons):
        blocks.append(tables.reason_table(ended, MOST_REASONS))
    return blocks


def summary_blocks(summary: Summary, metric: str = "") -> list[Block]:
    """Return the tables of scores of a summary, or those of one metric."""
    metrics = (metric,) if metric else summary.metrics
    blocks: list[Block] = [tables.score_table(summary, each) for each in metrics]
    blocks += [tables.attribution_table(summary, each) for each in metrics[:1]]
    return blocks


def score_blocks(analysis: Analysis, metric: str = "") -> list[Block]:
    """Return all tables of scores, or those of one metric, each of one size."""
    every = (analysis, *analysis.others)
    blocks: list[Block] = [finding_table(every)] if len(every) > 1 and not metric else []
    for each in every:
        inside = summary_blocks(each.summary, metric)
        blocks += [of_size(block, each.size, apart=each is not analysis) for block in inside]
    return blocks


def of_size(block: AnyBlock, size: Size, *, apart: bool = False) -> AnyBlock:
    """Return a block that says which size it is of, where problems have several.

    Parameters
    ----------
    block : Block
    size : Size
    apart : bool
        Whether the same table of another size is in the document, so that it needs an id of its
        own.
    """
    if not size.name:
        return block
    end = f"-{size.slug}" if apart else ""
    if isinstance(block, Table):
        texts = block.title, block.caption
        title, caption = (f"{size.name}: {text}" if text else "" for text in texts)
        return replace(block, id=f"{block.id}{end}", title=title, caption=caption)
    if isinstance(block, Section):
        blocks = [of_size(each, size, apart=apart) for each in block.blocks]
        title = f"{block.title}: {size.name}"
        return replace(block, id=f"{block.id}{end}", title=title, blocks=blocks)
    return block


def finding_table(analyses: Sequence[Analysis]) -> Table:
    """Return what was found of each algorithm at each size."""
    findings: dict[str, dict[str, str]] = {}
    roles: dict[str, str] = {}
    for each in analyses:
        for row in each.matrix.rows:
            findings.setdefault(row.algorithm, {})[each.size.option] = row.finding
            roles[row.algorithm] = row.role
    sizes = sorted((each.size for each in analyses), key=lambda size: size.order)
    columns = [tables.ALGORITHM, *(Column(size.option, size.name) for size in sizes)]
    rows = [
        (tables.named(name, roles[name]), *(found.get(size.option, "") for size in sizes))
        for name, found in findings.items()
    ]
    title = "What was found at each size"
    return Table("findings-by-size", columns, rows, title, f"{title}. {EACH_BY_ITSELF}")


def study_rules(analysis: Analysis) -> dict[str, StatedRule]:
    """Return the rules that led to the sentences, by name."""
    used = {name for each in (analysis, *analysis.others) for name in each.verdict.rules}
    return {name: rule for name, rule in RULES.items() if name in used}


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
    sentences = []
    for each in (analysis, *analysis.others):
        statements, at = each.verdict.statements, f": {each.size.name}" if each.size.name else ""
        sentences.append(Fold(f"All sentences{at} ({len(statements)})", [Findings(statements)]))
    return Section(
        "rules",
        "Rules and all sentences",
        [
            Fold("The rules, with their measured error rates", [Rules(study_rules(analysis))]),
            Fold("What each kind of number is", [Facts(STATISTICS)]),
            *sentences,
        ],
    )


def tuning_section(choices: Sequence[Choice]) -> Section | None:
    """Return the chosen hyperparameters; None without tuning."""
    if not choices:
        return None
    return Section("tuning", "What tuning chose", [tables.choice_table(choices)])


def run_section(status: StudyStatus, sessions: Sequence[Session], analysis: Analysis) -> Section:
    """Return the study's facts: its parts, how the runs ended, versions and the study file."""
    ended = analysis.ended
    runs = ", ".join(f"{count} {name}" for name, count in status.counts["main"].items() if count)
    blocks: list[Block] = [
        Prose(f"Runs: {runs or 'none yet'}."),
        Fold("The study's parts, seed and times", [_facts(status, analysis)], printed=True),
    ]
    if not len(ended.counts):
        blocks.append(Prose(NO_ROWS))
    else:
        ended_well = not len(ended.reasons)
        blocks += [
            Prose("Every run ended well.") if ended_well else tables.reason_table(ended),
            Fold("How the runs of each algorithm ended", [tables.count_table(ended)]),
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


def _facts(status: StudyStatus, analysis: Analysis) -> Facts:
    names: dict[bool, list[str]] = {False: [], True: []}
    for row in analysis.ended.counts.to_dict("records"):
        names[row["role"] == tables.BASELINE].append(row["algorithm"])
    better = analysis.summary.better
    metrics = [f"{metric_name(metric)} ({better[metric]})" for metric in better]
    sizes = sorted(analysis.all_sizes, key=lambda size: size.order)
    facts = {
        "seed": str(status.seed),
        "rows": _rows(status, "main"),
        "tuning rows": _rows(status, "tuning") if status.totals["tuning"] else "",
        "algorithms": few(names[False], MOST_NAMED),
        "baselines": few(names[True], MOST_NAMED),
        "metrics": few(metrics, MOST_NAMED),
        "sizes": few([size.name for size in sizes if size.name], MOST_NAMED),
        "first row": tables.time_text(status.first_write),
        "last row": tables.time_text(status.last_write),
    }
    return Facts({name: text for name, text in facts.items() if text})


def _rows(status: StudyStatus, purpose: Purpose) -> str:
    return f"{sum(status.counts[purpose].values())} of {status.totals[purpose]}"
