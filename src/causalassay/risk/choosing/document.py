"""What a choice shows: the headline, risks and ranking, then all that they rest on."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from causalassay.judging.findings import rules_of
from causalassay.present import (
    Beside,
    Block,
    Column,
    Document,
    Figure,
    Findings,
    Fold,
    GraphFigure,
    Interval,
    Marked,
    Prose,
    Section,
    Table,
)
from causalassay.present.drawing import show
from causalassay.present.formatting import fixed, percent
from causalassay.present.terminal import FULL
from causalassay.risk.choosing import charts
from causalassay.risk.choosing.result import Choice, PredictionScore, RankedRow, SecondOpinion

ON_PAGE = "--report"
"""The option that writes the page: what takes more room than a terminal has is only there."""

RANDOM_ORDER = "random complete DAG"
"""The row of complete DAGs along random orders: the mean of their risks, and the central 95 %."""

LEAST, UNTOLD = "←", "~"
"""Beside the least score of the second opinion, and beside those that may be as small.

The others are told from the least one by an interval of their paired difference, each for itself.
"""

MOVED, TARGET = "*", "†"
"""Beside the effect on a column that moved, and on the target itself."""

LEAST_EXPERIMENTS = 3
"""From which on the interval of a mean over them says something; with 2, Student's spans all."""

LACKING = {
    "known targets": "some conditions have unknown targets",
    "series": "not for these data (they are for series)",
    "setting": "need a setting",
}
"""What is said of algorithms that lack it, in place of the reason of each."""

BOUNDS = {
    "Bonferroni": " (a level of {level:g} shared equally by all tests, after Bonferroni)",
    "SimulatedMax": " (exceeded by chance in a share of {level:g} of data without any effect)",
    "Fixed": "",
}
"""How the bound of the tests was found, by the name of its kind."""


def choice_document(choice: Choice, name: str = "", provenance: Sequence[Block] = ()) -> Document:
    """Return what a choice shows.

    Parameters
    ----------
    choice : Choice
    name : str
        Of the data.
    provenance : sequence of Block
    """
    risks = Figure("risks", partial(charts.risks, choice), charts.risks_alt(choice))
    claims: list[Block] = [
        Findings(choice.claims[1:]),
        Prose(f"What next: {choice.next_step}", "strong"),
        *_hint(choice),
    ]
    cutoffs = [cutoff_table(choice)]
    blocks: list[Block] = [
        Beside([risks, ranking_table(choice)]),
        Section("claims", "What the numbers say", claims),
        Section("movements", "Who moved", list(_movements(choice)), FULL),
        Section("cut-off-section", "Cut-offs on effect size", cutoffs, FULL),
    ]
    if len(choice.ranking) > 1:
        differences = [difference_table(choice)]
        blocks.append(Section("difference-section", "Paired differences", differences, ON_PAGE))
    opinion, heading = list(_opinion(choice)), "Second opinion: predicting experiments left out"
    blocks += [
        Section("second-opinion", heading, opinion, FULL),
        Section("graphs", "The graphs found", _graphs(choice), ON_PAGE),
        *_left_out(choice),
    ]
    return Document(
        f"Choice of an algorithm for {name}" if name else "Choice of an algorithm",
        choice.claims[0],
        blocks,
        provenance,
        f"{choice.n_rows} rows, {len(choice.columns)} columns, experiments on "
        f"{len(choice.intervened)} of them; observational condition: {choice.observational}",
        rules_of(choice.claims),
    )


def ranking_table(choice: Choice) -> Table:
    """Return a row for each algorithm and baseline, by ascending risk."""
    columns = (
        Column("algorithm", "algorithm"),
        Column("weighted", "weighted risk", "fixed"),
        Column("beats_random", "beats\nrandom\ngraphs?", hint="of the same density"),
        Column("p_random", "p-value", "p-value", priority=2),
        Column("share_beaten", "share\nbeaten", "share", priority=1),
        Column("may_be_best", "may be\nbest?", priority=4),
        Column("second_opinion", "second\nopinion", "fixed3", align="left"),
        Column("edges", "edges", "count", priority=3),
        Column("undirected", "—", "count", priority=0, hint="undirected edges"),
    )
    rows = [(row.weighted, _ranked(choice, row)) for row in choice.rows]
    random, n_columns = choice.random_order, len(choice.columns)
    spread = Interval(random.mean, random.low, random.high)
    n_edges = n_columns * (n_columns - 1) // 2
    drawn: list[object] = [Marked(RANDOM_ORDER, mark="baseline"), spread, *[None] * 5, n_edges, 0]
    ordered = sorted([*rows, (random.mean, drawn)], key=lambda each: each[0])
    return Table(
        "ranking",
        columns,
        [row for _, row in ordered],
        f"Weighted causal risk (low is better), with {percent(choice.level)} intervals",
        f"Weighted causal risk with {percent(choice.level)} intervals, low is better. P-values: "
        "Holm, over the algorithms. Beating random graphs shows that a graph is related to the "
        "data, not that it is causal.",
        ["—: those of the edges that are undirected", *_legend(choice.second_opinion)],
    )


def _ranked(choice: Choice, row: RankedRow) -> list[object]:
    random, other = row.random, choice.second_opinion
    score = other.scores.get(row.name)
    is_candidate = row.role == "algorithm"
    beats = Marked("yes", bold=True) if random.beaten else "no evidence"
    return [
        _name(row),
        Interval(row.weighted, *row.interval),
        beats if is_candidate else None,
        random.p_corrected,
        random.share_beaten,
        row.may_be_best if is_candidate else None,
        Marked(_number(score.value if score else None), mark=_mark(other, row.name)),
        row.density.edges,
        row.density.undirected,
    ]


def _name(row: RankedRow) -> str | Marked:
    return row.name if row.role == "algorithm" else Marked(row.name, mark="baseline")


def _mark(other: SecondOpinion, name: str) -> str:
    score = other.scores.get(name)
    if score is None or score.value is None:
        return ""
    if name == next(iter(other.scores)):
        return LEAST
    gap = other.differences.get(name)
    told = gap is not None and gap.high is not None and gap.high < 0
    return "" if told else UNTOLD


def _legend(other: SecondOpinion) -> Iterator[str]:
    """Yield what the marks of the second opinion mean."""
    if not other.scores:
        return
    marks = {_mark(other, name) for name in other.scores}
    untold = f", {UNTOLD} cannot be told from it" if UNTOLD in marks else ""
    nothing = other.nothing_changes
    known = "" if nothing is None else f"; “nothing changes” scores {fixed(nothing, 3)}"
    yield (
        "second opinion: total variation of predictions, low is better; "
        f"{LEAST} least{untold}{known}"
    )


def _movements(choice: Choice) -> Iterator[Block]:
    tests = choice.tests
    least = f", and an effect of at least {tests.least_effect:g}" if tests.least_effect else ""
    bound = "p-value of at most" if tests.scale == "p value" else "|t| above"
    kind = BOUNDS[tests.cutoff_name].format(level=tests.cutoff_level)
    yield Figure(
        "moved", partial(charts.movements, choice), charts.movements_alt(choice), wide=True
    )
    yield Prose(
        f"{tests.n_tests} tests ({tests.test}) against the observational rows. A column moved with "
        f"a {bound} {tests.threshold:.3g}{kind}{least}."
    )
    for each in choice.movements:
        if each.constant:
            text = f"In {each.condition} these do not vary: {', '.join(each.constant)}."
            yield Prose(text, "aside")
    yield Fold("Who moved, as tables", [moved_table(choice), effect_table(choice)], option=FULL)


def moved_table(choice: Choice) -> Table:
    """Return which columns each condition moved."""
    columns = (
        Column("condition", "condition"),
        Column("target", "target"),
        Column("n_rows", "rows", "count", priority=1),
        Column("moved", "moved"),
    )
    rows = [
        (each.condition, each.target, each.n_rows, each.moved or "none")
        for each in choice.movements
    ]
    return Table("moved", columns, rows, "Who moved under which intervention")


def effect_table(choice: Choice) -> Table:
    """Return the effect of each condition on each column."""
    gaps = choice.tests.test == "kolmogorov-smirnov"
    columns = [
        Column("condition", "condition"),
        *(Column(name, name, "signed") for name in choice.columns),
    ]
    rows: list[list[object]] = []
    for each in choice.movements:
        marks = dict.fromkeys(each.moved, MOVED) | {each.target: TARGET}
        effects = (
            Marked(_number(each.effects[name]), name in each.moved, mark=marks.get(name, ""))
            for name in choice.columns
        )
        rows.append([each.condition, *effects])
    numbers = "largest gaps" if gaps else "standardised mean differences"
    notes = [f"{MOVED} moved; {TARGET} the target itself"]
    return Table("effects", columns, rows, f"Effects on each column ({numbers})", notes=notes)


def cutoff_table(choice: Choice) -> Table:
    """Return the risks at each cut-off on effect size."""
    columns = [Column("algorithm", "algorithm")]
    for each in choice.cutoffs:
        kind = f"effect ≥ {each.least_effect:g}" if each.least_effect else "significance alone"
        heading = f"{kind}:\n{percent(each.share_moved)} of pairs moved"
        columns.append(Column(f"risk_{each.least_effect:g}", heading, "fixed"))
    rows = [(_name(row), *(each.risks[row.name] for each in choice.cutoffs)) for row in choice.rows]
    return Table(
        "cut-offs",
        columns,
        rows,
        "Weighted risk at cut-offs on effect size",
        "Weighted risk if a column counts as moved only from some effect on.",
    )


def difference_table(choice: Choice) -> Table:
    """Return the paired differences of the algorithms, row less column."""
    names = choice.ranking
    known = {(each.first, each.second): each for each in choice.differences}
    rows: list[list[object]] = []
    for second in names[1:]:
        cells: list[object] = [second]
        for first in names[:-1]:
            each = known.get((first, second))
            if each is None:
                cells.append(None)
                continue
            low, high = (0.0 - end for end in reversed(each.interval))
            out = low > 0 and not choice.row(second).may_be_best
            cells.append(Marked(Interval(0.0 - each.estimate, low, high), bold=out))
        rows.append(cells)
    return Table(
        "differences",
        [
            Column("algorithm", ""),
            *(Column(name, name, "fixed", priority=1) for name in names[:-1]),
        ],
        rows,
        "Differences of weighted risk",
        "Weighted risk of the row less that of the column, with 95 % intervals of the paired "
        "difference, each for itself. Bold: above 0, and the row is out by “may be best?”, which "
        "corrects for the number of comparisons.",
    )


def _opinion(choice: Choice) -> Iterator[Block]:
    other = choice.second_opinion
    if other.reason:
        yield Prose(f"There is no second opinion: {other.reason}.")
        return
    yield opinion_table(other)
    if other.doubts:
        caption = "Flagged: the intervention may not act on the measured level of its target"
        yield _reasons("doubts", "flagged condition", caption, other.doubts)
    if other.not_ranked:
        yield _reasons("no-opinion", "algorithm", "Without a second opinion", other.not_ranked)


def opinion_table(other: SecondOpinion) -> Table:
    """Return the scores of the second opinion, with and without flagged interventions."""
    columns = (
        Column("algorithm", "algorithm"),
        Column("total_variation", "total variation", "fixed3"),
        Column("share_predicted", "share of the\nchange predicted", "fixed"),
        Column("undoubted", "total variation without\nflagged interventions", "fixed3", priority=1),
    )
    scores = other.scores
    rows = [
        (name, _score(score), _number(score.share_predicted), _score(other.undoubted.get(name)))
        for name, score in scores.items()
    ]
    averaged = {each.n_experiments for each in (*scores.values(), *other.undoubted.values())}
    few = [
        f"a mean over {n} experiments has no interval: they are too few"
        for n in sorted(averaged)
        if n < LEAST_EXPERIMENTS
    ]
    return Table(
        "second-opinion-scores",
        columns,
        rows,
        f"Predicting {other.n_experiments} experiments left out (low is better)",
        f"Mean total variation between prediction and measurement over {other.n_experiments} "
        f"experiments. Perfect: {fixed(_number(other.floor), 3)}; nothing changes: "
        f"{fixed(_number(other.nothing_changes), 3)}. Share: 1 is perfect, 0 as good as “nothing "
        "changes”, less is worse.",
        few,
    )


def _score(score: PredictionScore | None) -> Interval:
    if score is None:
        return Interval(math.nan, math.nan, math.nan)
    if score.n_experiments < LEAST_EXPERIMENTS:
        return Interval(_number(score.value), math.nan, math.nan)
    return Interval(_number(score.value), _number(score.low), _number(score.high))


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _graphs(choice: Choice) -> list[Fold]:
    """Return a drawing of each different graph, with the names of all that found it."""
    together: dict[object, list[str]] = {}
    for name in choice.ranking:
        together.setdefault(choice.graphs[name], []).append(name)
    folds = []
    for place, names in enumerate(together.values()):
        drawing = show(choice.matrix(names[0]), choice.columns)
        title = f"{', '.join(names)}: {drawing.caption}"
        folds.append(Fold(title, [GraphFigure(f"graph-{place + 1}", drawing._repr_svg_, "")]))
    return folds


def _left_out(choice: Choice) -> Iterator[Section]:
    if choice.not_ranked:
        together: dict[str, list[str]] = {}
        for name, why in choice.not_ranked.items():
            together.setdefault(LACKING.get(choice.lacking.get(name, ""), why), []).append(name)
        reasons = {", ".join(names): why for why, names in together.items()}
        table = _reasons("not-ranked", "not ranked", "Algorithms without a risk", reasons)
        yield Section("not-ranked-section", "Not ranked", [table])
    if choice.left_out:
        caption = "Conditions that were not tested"
        table = _reasons("left-out", "not tested", caption, choice.left_out)
        yield Section("left-out-section", "Conditions not tested", [table])


def _reasons(identity: str, heading: str, title: str, reasons: Mapping[str, str]) -> Table:
    columns = (Column("name", heading), Column("reason", "reason"))
    return Table(identity, columns, list(reasons.items()), title)


def _hint(choice: Choice) -> Iterator[Prose]:
    """Yield the options that let algorithms run which need known targets."""
    names = [name for name, lacks in choice.lacking.items() if lacks == "known targets"]
    if names and choice.unknown_targets:
        dropped = (f"--drop-condition {shlex.quote(each)}" for each in choice.unknown_targets)
        yield Prose(f"To include {', '.join(names)}: {' '.join(dropped)}")
