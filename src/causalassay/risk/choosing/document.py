"""What a choice shows: the headline, risks and ranking, then all that they rest on."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator, Sequence

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
    Spread,
    Table,
)
from causalassay.present.charts import lazy_chart
from causalassay.present.drawing import show
from causalassay.present.formatting import counted, fixed, percent
from causalassay.present.terminal import FULL
from causalassay.risk.choosing.result import (
    Choice,
    LikelihoodScore,
    PredictionScore,
    RankedRow,
    SecondOpinion,
)
from causalassay.risk.result import reasons_table

CHARTS = "causalassay.risk.choosing.charts"

ON_PAGE = "--report"
"""The option that writes the page: what takes more room than a terminal has is only there."""

RANDOM_DAG = "random complete DAG"
"""The row of complete DAGs along random orders: the mean of their risks, and the central 95 %."""

LEAST, NOT_SEPARATED = "←", "~"
"""Marks of the least score of the second opinion, and of those that may be as small.

The others are separated from the least one by an interval of their paired difference, each for
itself.
"""

MOVED, TARGET = "*", "†"
"""Marks of the effect on a column that moved, and of that on the target itself."""

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
        The name of the data.
    provenance : sequence of Block
    """
    least = choice.rows[0]
    risks = Figure(
        "risks",
        lazy_chart(f"{CHARTS}:risks", choice),
        f"Weighted causal risk of {counted(len(choice.rows), 'graph')} with intervals: the least "
        f"is {fixed(least.weighted)}, of {least.name}",
    )
    next_step = Prose(f"What to do: {choice.next_step}", "strong")
    claims: list[Block] = [Findings(choice.claims[1:]), *_hint(choice)]
    differences = Section(
        "difference-section", "Paired differences", [difference_table(choice)], ON_PAGE
    )
    opinion = "Second opinion: predicting experiments left out"
    blocks: list[Block] = [
        next_step,
        Beside([risks, ranking_table(choice)]),
        Section("claims", "What the numbers say", claims),
        Section("movements", "Who moved", list(_movements(choice)), FULL),
        Section("cut-off-section", "Cut-offs on effect size", [cutoff_table(choice)], FULL),
        *([differences] if len(choice.ranking) > 1 else []),
        Section("second-opinion", opinion, list(_opinion(choice)), FULL),
        Section("likelihoods", "How probable the rows are", list(_likelihoods(choice)), FULL),
        Section("graphs", "The graphs found", _graphs(choice), ON_PAGE),
        *_left_out(choice),
    ]
    return Document(
        f"Choice of an algorithm for {name}" if name else "Choice of an algorithm",
        choice.claims[0],
        blocks,
        provenance,
        f"{counted(choice.n_rows, 'row')}, {counted(len(choice.columns), 'column')}, experiments "
        f"on {len(choice.intervened)} of them; observational condition: {choice.observational}",
        rules_of(choice.claims),
    )


def ranking_table(choice: Choice) -> Table:
    """Return a row for each algorithm and baseline, by ascending risk."""
    columns = tuple(column for column, _ in RANKING)
    random, n_columns = choice.random_order, len(choice.columns)
    drawn: dict[str, object] = {
        "algorithm": Marked(RANDOM_DAG, mark="baseline"),
        "weighted": Interval(random.mean, random.low, random.high),
        "edges": n_columns * (n_columns - 1) // 2,
        "undirected": 0,
    }
    rows: list[tuple[float, list[object]]] = [
        (row.weighted, [cell(choice, row) for _, cell in RANKING]) for row in choice.rows
    ]
    rows.append((random.mean, [drawn.get(column.key) for column in columns]))
    return Table(
        "ranking",
        columns,
        [row for _, row in sorted(rows, key=lambda row: row[0])],
        f"Weighted causal risk (low is better), with {percent(choice.level)} intervals",
        f"Weighted causal risk with {percent(choice.level)} intervals, low is better. P-values: "
        "Holm, over the algorithms. Beating random graphs shows that a graph is related to the "
        "data, not that it is causal.",
        [*_likelihood_legend(choice), *_legend(choice.second_opinion)],
    )


def _beats(choice: Choice, row: RankedRow) -> object:  # noqa: ARG001  # as every cell
    if row.role != "algorithm":
        return None
    return Marked("yes", bold=True) if row.random.beaten else "no evidence"


def _bic(choice: Choice, row: RankedRow) -> object:
    score = choice.likelihoods.bic.get(row.name)
    if score is None:
        return None
    if not score.behind:
        return Marked(0.0, mark=LEAST)
    return Marked(Spread(-score.behind, score.error), mark=_near(score))


def _held_out(choice: Choice, row: RankedRow) -> object:
    score = choice.likelihoods.held_out.get(row.name)
    if score is None:
        return None
    return Marked(score.value, mark=_near(score) if score.behind else LEAST)


def _near(score: LikelihoodScore) -> str:
    return NOT_SEPARATED if score.behind <= score.error else ""


def _second(choice: Choice, row: RankedRow) -> object:
    opinion = choice.second_opinion
    score = opinion.scores.get(row.name)
    return Marked(_number(score.value if score else None), mark=_mark(opinion, row.name))


def _chosen_name(choice: Choice, row: RankedRow) -> str | Marked:
    return Marked(row.name, bold=True) if row.name == choice.chosen else _name(row)


RANKING: Sequence[tuple[Column, Callable[[Choice, RankedRow], object]]] = (
    (Column("algorithm", "algorithm"), _chosen_name),
    (
        Column("weighted", "weighted risk", "fixed"),
        lambda _, row: Interval(row.weighted, *row.interval),
    ),
    (
        Column(
            "bic",
            "interventional\nBIC",
            "digits",
            priority=6,
            align="left",
            hint="less that of the best one, with one standard error",
        ),
        _bic,
    ),
    (
        Column(
            "held_out",
            "held-out\nlikelihood",
            "fixed",
            priority=5,
            align="left",
            hint="log density of a row of an experiment left out, over the empty graph",
        ),
        _held_out,
    ),
    (
        Column("second_opinion", "second\nopinion", "fixed3", priority=4, align="left"),
        _second,
    ),
    (
        Column(
            "combined_rank",
            "combined\nrank",
            "fixed1",
            priority=3,
            hint="mean rank by risk, interventional BIC and held-out likelihood",
        ),
        lambda choice, row: choice.combined_ranks.get(row.name),
    ),
    (Column("beats_random", "beats\nrandom\ngraphs?", hint="of the same density"), _beats),
    (
        Column("p_random", "p-value", "p-value", priority=2),
        lambda _, row: row.random.p_corrected,
    ),
    (
        Column("share_beaten", "share\nbeaten", "share", priority=1),
        lambda _, row: row.random.share_beaten,
    ),
    (Column("edges", "edges", "count", priority=3), lambda _, row: row.density.edges),
    (
        Column("undirected", "undirected\nedges", "count", priority=0, hint="among the edges"),
        lambda _, row: row.density.undirected,
    ),
)
"""The columns of the ranking, and what stands in each."""


def _name(row: RankedRow) -> str | Marked:
    return row.name if row.role == "algorithm" else Marked(row.name, mark="baseline")


def _mark(opinion: SecondOpinion, name: str) -> str:
    score = opinion.scores.get(name)
    if score is None or score.value is None:
        return ""
    if name == next(iter(opinion.scores)):
        return LEAST
    gap = opinion.differences.get(name)
    is_separated = gap is not None and gap.high is not None and gap.high < 0
    return "" if is_separated else NOT_SEPARATED


def _legend(opinion: SecondOpinion) -> Iterator[str]:
    """Yield what the marks of the second opinion mean."""
    if not opinion.scores:
        return
    others = NOT_SEPARATED in {_mark(opinion, name) for name in opinion.scores}
    tied = f", {NOT_SEPARATED} cannot be told from it" if others else ""
    nothing = opinion.nothing_changes
    known = "" if nothing is None else f"; “nothing changes” scores {fixed(nothing, 3)}"
    marks = f"{LEAST} least{tied}{known}"
    yield f"second opinion: total variation of predictions, low is better; {marks}"


def _likelihood_legend(choice: Choice) -> Iterator[str]:
    if choice.likelihoods.bic:
        yield (
            "interventional BIC: less that of the best one ± one standard error, high is better; "
            "held-out likelihood: log density of a row over the empty graph's, high is better; "
            f"{LEAST} best, {NOT_SEPARATED} within one standard error of it"
        )


def _movements(choice: Choice) -> Iterator[Block]:
    tests = choice.tests
    least = f", and an effect of at least {tests.least_effect:g}" if tests.least_effect else ""
    bound = "p-value of at most" if tests.scale == "p value" else "|t| above"
    kind = BOUNDS[tests.cutoff_name].format(level=tests.cutoff_level)
    n_moved = sum(len(movement.moved) for movement in choice.movements)
    n_pairs = len(choice.movements) * (len(choice.columns) - 1)
    alt = (
        f"Who moved under which intervention: {n_moved} of {counted(n_pairs, 'pair')} of condition "
        "and column"
    )
    yield Figure("moved", lazy_chart(f"{CHARTS}:movements", choice), alt, wide=True)
    yield Prose(
        f"{counted(tests.n_tests, 'test')} ({tests.test}) against the observational rows. A "
        f"column moved with a {bound} {tests.threshold:.3g}{kind}{least}."
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
    known = {(pair.first, pair.second): pair for pair in choice.differences}

    def cell(first: str, second: str) -> Marked | None:
        if (pair := known.get((first, second))) is None:
            return None
        low, high = (0.0 - end for end in reversed(pair.interval))
        is_out = low > 0 and not choice.row(second).may_be_best
        return Marked(Interval(0.0 - pair.estimate, low, high), bold=is_out)

    return Table(
        "differences",
        [
            Column("algorithm", ""),
            *(Column(name, name, "fixed", priority=1) for name in names[:-1]),
        ],
        [[second, *(cell(first, second) for first in names[:-1])] for second in names[1:]],
        "Differences of weighted risk",
        f"Weighted risk of the row less that of the column, with {percent(choice.level)} "
        "intervals of the paired difference, each for itself. Bold: above 0, and the "
        "row is out by “may be the best”, which corrects for the number of comparisons.",
    )


def _opinion(choice: Choice) -> Iterator[Block]:
    opinion = choice.second_opinion
    if opinion.reason:
        yield Prose(f"There is no second opinion: {opinion.reason}.")
        return
    yield opinion_table(opinion)
    if opinion.doubts:
        caption = "Flagged: the intervention may not act on the measured level of its target"
        yield reasons_table("doubts", "flagged condition", caption, opinion.doubts)
    if opinion.not_ranked:
        yield reasons_table(
            "no-opinion", "algorithm", "Without a second opinion", opinion.not_ranked
        )


def opinion_table(opinion: SecondOpinion) -> Table:
    """Return the scores of the second opinion, with and without flagged interventions."""
    columns = (
        Column("algorithm", "algorithm"),
        Column("total_variation", "total variation", "fixed3"),
        Column("share_predicted", "share of the\nchange predicted", "fixed"),
        Column("undoubted", "total variation without\nflagged interventions", "fixed3", priority=1),
    )
    scores, experiments = opinion.scores, counted(opinion.n_experiments, "experiment")
    averaged = {score.n_experiments for score in (*scores.values(), *opinion.undoubted.values())}
    return Table(
        "second-opinion-scores",
        columns,
        [
            (
                name,
                _score(score),
                _number(score.share_predicted),
                _score(opinion.undoubted.get(name)),
            )
            for name, score in scores.items()
        ],
        f"Predicting {experiments} left out (low is better)",
        f"Mean total variation between prediction and measurement over {experiments}. "
        f"Perfect: {fixed(_number(opinion.floor), 3)}; nothing changes: "
        f"{fixed(_number(opinion.nothing_changes), 3)}. Share: 1 is perfect, 0 as good as “nothing "
        "changes”, less is worse.",
        [
            f"a mean over {counted(n, 'experiment')} has no interval: too few"
            for n in sorted(averaged)
            if n < LEAST_EXPERIMENTS
        ],
    )


def _likelihoods(choice: Choice) -> Iterator[Block]:
    opinion = choice.likelihoods
    if opinion.reason:
        yield Prose(f"There are no likelihoods: {opinion.reason}.")
        return
    yield likelihood_table(choice)
    if opinion.not_ranked:
        caption = "Without a likelihood"
        yield reasons_table("no-likelihood", "algorithm", caption, opinion.not_ranked)


def likelihood_table(choice: Choice) -> Table:
    """Return the likelihoods of the graphs, the best interventional BIC first."""
    opinion = choice.likelihoods
    columns = (
        Column("algorithm", "algorithm"),
        Column("bic", "interventional BIC\nover the empty graph", "digits"),
        Column("behind", "behind\nthe best", "digits"),
        Column("over_default", "over the\ndefault", "digits", priority=2),
        Column("held_out", "held-out likelihood\nover the empty graph", "fixed3"),
        Column("held_out_behind", "behind\nthe best", "fixed3", priority=1),
    )
    rows: list[tuple[object, ...]] = []
    for name, score in opinion.bic.items():
        held_out = opinion.held_out[name]
        gain = opinion.over_default.get(name)
        rows.append(
            (
                name,
                score.value,
                Spread(score.behind, score.error),
                Spread(*gain) if gain else None,
                held_out.value,
                Spread(held_out.behind, held_out.error),
            )
        )
    default = f" The default is {choice.default}." if choice.default else ""
    return Table(
        "likelihood-scores",
        columns,
        rows,
        f"Log densities, {opinion.n_experiments} intervened columns (high is better)",
        "Log densities of all rows, less log(n) / 2 for each coefficient (BIC), and of a row of an "
        "experiment that was left out. Targets are cut from their parents. ±: one standard error "
        f"of the paired difference.{default}",
    )


def _score(score: PredictionScore | None) -> Interval:
    if score is None:
        return Interval(math.nan, math.nan, math.nan)
    has_interval = score.n_experiments >= LEAST_EXPERIMENTS
    low, high = (score.low, score.high) if has_interval else (None, None)
    return Interval(_number(score.value), _number(low), _number(high))


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _graphs(choice: Choice) -> list[Fold]:
    """Return a drawing of each different graph, with the names of all that found it."""
    together: dict[object, list[str]] = {}
    for name in choice.ranking:
        together.setdefault(choice.graphs[name], []).append(name)
    folds = []
    for number, names in enumerate(together.values(), start=1):
        drawing = show(choice.matrix(names[0]), choice.columns)
        title = f"{', '.join(names)}: {drawing.caption}"
        folds.append(Fold(title, [GraphFigure(f"graph-{number}", drawing._repr_svg_, "")]))
    return folds


def _left_out(choice: Choice) -> Iterator[Section]:
    if choice.not_ranked:
        together: dict[str, list[str]] = {}
        for name, why in choice.not_ranked.items():
            together.setdefault(LACKING.get(choice.lacking.get(name, ""), why), []).append(name)
        reasons = {", ".join(names): why for why, names in together.items()}
        table = reasons_table("not-ranked", "not ranked", "Algorithms without a risk", reasons)
        yield Section("not-ranked-section", "Not ranked", [table])
    if choice.left_out:
        caption = "Conditions that were not tested"
        table = reasons_table("left-out", "not tested", caption, choice.left_out)
        yield Section("left-out-section", "Conditions not tested", [table])


def _hint(choice: Choice) -> Iterator[Prose]:
    """Yield the options that let algorithms run which need known targets."""
    names = [name for name, lacks in choice.lacking.items() if lacks == "known targets"]
    if names and choice.unknown_targets:
        dropped = (f"--drop-condition {shlex.quote(each)}" for each in choice.unknown_targets)
        yield Prose(f"To include {', '.join(names)}: {' '.join(dropped)}")
