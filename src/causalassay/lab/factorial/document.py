"""What an evaluation shows: what is closest, scores with pictures, and where numbers come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from causalassay.judging.findings import rules_of
from causalassay.lab.factorial import charts
from causalassay.lab.factorial.prediction import SUMMARIES
from causalassay.lab.factorial.result import Evaluation
from causalassay.lab.factorial.scores import (
    CONSISTENT,
    EMPTY,
    FLOOR,
    RANDOM_ORDER,
    RANDOMISED,
    WITHOUT_COVARIATE,
    ScoreRow,
)
from causalassay.lab.factorial.truth import ALPHA, Mean, mean_distance
from causalassay.present import (
    Block,
    Column,
    Document,
    Facts,
    Figure,
    Findings,
    Fold,
    Interval,
    Marked,
    Prose,
    PValue,
    Section,
    Table,
)
from causalassay.present.formatting import UNDEFINED, counted
from causalassay.present.terminal import FULL

MEANINGS = {
    CONSISTENT: "covariate → treatments and what depends on it; treatment → what it moves",
    WITHOUT_COVARIATE: "the same without edges from the covariate to outcomes",
    EMPTY: "no effects at all",
    RANDOM_ORDER: "a random causal order, then regression",
    RANDOMISED: "no graph: shares in as many rows with random treatments",
    FLOOR: "no graph: every subject run once under each treatment",
}
"""What each row to compare with is."""

_CHANGES = {"over": "to all outcomes", "under": "to none"}


def evaluation_document(
    result: Evaluation, name: str = "", provenance: Sequence[Block] = ()
) -> Document:
    """Return what an evaluation shows.

    Parameters
    ----------
    result : Evaluation
    name : str
        Of the experiment.
    provenance : sequence of Block
        How the evaluation was made; how the experiment was made is added.
    """
    few_effects = result.effect_counts.say_little
    return Document(
        f"Algorithms judged on {name}" if name else "Algorithms judged on an experiment",
        result.verdict,
        [
            Prose(result.effects.sentence, "notice" if few_effects else ""),
            *(
                Prose(f"{column} is left out: in every row it has the same level as {other}.")
                for column, other in result.doubles.items()
            ),
            *_pictures(result),
            Section("scores", "Scores", [score_table(result)]),
            Section("meanings", "What each row is", [Facts(MEANINGS)], FULL),
            Section("findings", "What the measures say", [Findings(result.findings)]),
            Section("specification", "Too many and too few edges", _specifications(result), FULL),
            *_look_alikes(result),
            Section("effects", "Effects", [effect_table(result)], FULL),
        ],
        [*provenance, *_origin(result)],
        _about(result),
        rules_of((result.verdict, *result.findings)),
    )


def score_table(result: Evaluation) -> Table:
    """Return what each algorithm, and each graph to compare with, reaches."""
    experiment = result.truth.experiment
    columns = (
        Column("graph", "graph"),
        Column("edges", "edges", "fixed1", 3),
        Column("SHD", "SHD", "fixed1"),
        Column("SID", "SID", "fixed1"),
        Column("TV", "TV [95 %]", "fixed"),
    )
    rows = [
        (Marked(row.name, hint=MEANINGS.get(row.name, "") if row.role == "reference" else ""),)
        + tuple(_interval(row.mean(column.key)) for column in columns[1:])
        for row in result.rows
    ]
    pairs = counted(len(experiment.outcomes), "pair")
    return Table(
        "score-table",
        columns,
        rows,
        "What each graph reaches (smaller is better)",
        "Means over repeats with 95 % intervals; smaller is better. SHD and SID are distances "
        "from the consistent graph, TV from the laws that the experiment shows.",
        [
            f"TV is summed over {len(experiment.treatments)} × {pairs}",
            *_failures(result.rows),
        ],
        n_last=sum(row.role == "reference" for row in result.rows),
    )


def _interval(mean: Mean) -> float | Interval:
    """Return a mean with its limits, or alone if all repeats gave the same."""
    return mean.value if mean.low == mean.high else Interval(mean.value, mean.low, mean.high)


def _failures(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """Yield why repeats failed; what failed for all alike, because of the data, once."""
    left_out = ""
    for row in rows:
        repeats = counted(len(row.by_repeat["TV"]), "repeat")
        reasons = [reason for reason in row.reasons if reason not in row.unusable]
        if reasons:
            yield f"{row.name} failed in {row.n_failed} of {repeats}: {' | '.join(reasons)}"
        elif row.n_failed:
            left_out = f"left out: {row.n_failed} of {repeats}: {row.unusable[0]}"
    if left_out:
        yield left_out


def _specifications(result: Evaluation) -> list[Block]:
    columns = (
        Column("change", "edges of one treatment"),
        Column("SHD", "SHD", "factor"),
        Column("SID", "SID", "factor"),
        Column("TV", "TV from the consistent model", "fixed"),
        Column("TV_of_truth", "TV from the experiment", "fixed"),
    )
    rows = [
        (
            _CHANGES[row.change],
            row.structure("SHD"),
            row.structure("SID"),
            tuple(row.variation()[name].value for name in SUMMARIES),
            tuple(row.variation(of_truth=True)[name].value for name in SUMMARIES),
        )
        for row in result.specifications
    ]
    each = [
        (
            name,
            _CHANGES[row.change],
            row.shd[j],
            row.sid[j],
            _interval(mean_distance(row.tv[:, j])),
            _interval(mean_distance(row.tv_of_truth[:, j])),
        )
        for row in result.specifications
        for j, name in enumerate(row.treatments)
    ]
    return [
        Table(
            "specifications",
            columns,
            rows,
            "One treatment with too many or too few edges (min / median / max over treatments)",
            "The consistent graph with one treatment's edges changed. Minimum, median and maximum "
            "over treatments, means over repeats.",
        ),
        Fold(
            "Each treatment",
            [
                Table(
                    "by-treatment",
                    (Column("treatment", "treatment"), *columns),
                    each,
                    caption="The same for each treatment, with 95 % intervals.",
                )
            ],
        ),
    ]


def _look_alikes(result: Evaluation) -> Iterator[Section]:
    if not result.look_alikes:
        return
    title = "Synthetic experiments of the same size"
    columns = (
        Column("source", "source"),
        Column("out_degree", "out-degree", "count"),
        Column("strength", "strength", "factor"),
        Column("SHD", "SHD", "fixed1", 2),
        Column("SID", "SID", "fixed1", 2),
        Column("TV", "TV", "fixed"),
        Column("harder", "real − synthetic TV [95 %]", "fixed"),
    )
    rows = [
        (
            row.drawn.source,
            row.drawn.out_degree,
            row.drawn.strength,
            *(mean_distance(row.by_experiment[name]).value for name in ("SHD", "SID", "TV")),
            _interval(row.harder),
        )
        for row in result.look_alikes
    ]
    caption = (
        "Means over the algorithms. Out-degree: outcomes on which each treatment acts. Last "
        "column: above 0 the real experiment is harder."
    )
    table = Table("synthetic", columns, rows, f"{title} (means over algorithms)", caption)
    yield Section("look-alikes", title, [table], FULL)


def effect_table(result: Evaluation) -> Table:
    """Return how far each treatment moves each outcome, and whether tests show it."""
    columns = (
        Column("treatment", "treatment"),
        Column("outcome", "outcome"),
        Column("TV", "TV", "size"),
        Column("p_value", "p-value", "p-value"),
        Column("found", "effect found"),
    )
    rows = [
        (*effect[:3], PValue(effect.p_value), effect.moves) for effect in result.truth.effect_rows
    ]
    caption = (
        "TV between the laws under the last and the first level. P-values: tests within "
        f"subjects, corrected by Holm; below {ALPHA:g} the consistent graph has the edge."
    )
    return Table("effect-table", columns, rows, "Effects of treatments on outcomes", caption)


def _pictures(result: Evaluation) -> Iterator[Figure]:
    for measure in charts.TITLES:
        yield Figure(
            measure,
            partial(charts.scores, result.rows, measure),
            charts.scores_alt(result.rows, measure),
        )
    yield Figure(
        "effects",
        partial(charts.effects, result.truth),
        "Effects of the treatments on the outcomes",
    )


def _about(result: Evaluation) -> str:
    """Return what was judged, and how."""
    experiment, settings = result.truth.experiment, result.truth.settings
    return (
        f"{counted(experiment.n_subjects, 'subject')}, {_rows(result)}; biased by "
        f"{experiment.biasing} (beta {settings.beta:g}, "
        f"{result.truth.scales[experiment.biasing].n_levels} bins), "
        f"{counted(result.repeats, 'repeat')}; outcomes in {counted(settings.levels, 'level')}, "
        f"{settings.fit}"
    )


def _rows(result: Evaluation) -> str:
    """Return how many rows are used, and why not all."""
    experiment = result.truth.experiment
    if not result.unused_levels:
        return counted(len(experiment.frame), "row")
    reasons = []
    for name, unused in result.unused_levels.items():
        first, last = map(_level, experiment.levels[name])
        reasons.append(f"{name}: {first} and {last}, without {', '.join(map(_level, unused))}")
    return (
        f"{len(experiment.frame)} of {counted(len(result.given.frame), 'row')} "
        f"(two levels of each treatment; {'; '.join(reasons)})"
    )


def _level(level: object) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


def _origin(result: Evaluation) -> Iterator[Block]:
    """Yield the levels of columns, and how the experiment came about."""
    experiment = result.truth.experiment
    levels = {f"levels of {name}": scale.names for name, scale in result.truth.scales.items()}
    left_out = f"{counted(len(experiment.left_out), 'subject')} that lack a combination"
    yield Facts(_flat(levels | ({"left out": left_out} if experiment.left_out else {})))
    records = {name: value for name, value in experiment.provenance.items() if _is_records(value)}
    rest = {name: value for name, value in experiment.provenance.items() if name not in records}
    if rest:
        yield Facts(_flat({"experiment": rest}))
    for number, (name, value) in enumerate(records.items()):
        keys = list(dict.fromkeys(key for record in value for key in record))
        rows = [[plain(record.get(key)) for key in keys] for record in value]
        columns = [Column(str(key), str(key)) for key in keys]
        yield Table(f"experiment-part-{number}", columns, rows, f"The experiment: {name}")


def _flat(values: Mapping[str, object], before: str = "") -> dict[str, str]:
    """Return values with those inside tables under the names of both.

    Examples
    --------
    >>> _flat({"treatments": {"T1": ["none", "all"], "T2": []}, "failed": {}})
    {'treatments: T1': 'none, all', 'treatments: T2': '–', 'failed': '–'}
    """
    flat: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{before}{name}: ")
        else:
            flat[f"{before}{name}"] = plain(value)
    return flat


def plain(value: object) -> str:
    """Return a value as a reader expects it: no brackets, no quotes.

    Examples
    --------
    >>> plain(["none", "all"]), plain({}), plain({"cpus": 2, "system": "Linux"}), plain(None)
    ('none, all', '–', 'cpus 2, system Linux', '–')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {plain(inner)}" for key, inner in value.items()) or UNDEFINED
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or UNDEFINED
    return UNDEFINED if value is None or value == "" else str(value)


def _is_records(value: object) -> bool:
    """Tell whether a value is a list of tables, such as sessions."""
    is_list = isinstance(value, list | tuple) and len(value) > 0
    return is_list and all(isinstance(record, Mapping) for record in value)  # type: ignore[attr-defined]
