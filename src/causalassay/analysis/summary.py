"""A study in tables: counts, scores, differences, ranks and margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalassay.analysis.comparison import (
    MOST_OPPONENTS,
    best_by_mean,
    count_instances,
    difference,
    limited,
    mean_ranks,
    mean_with_interval,
    paired_differences,
)
from causalassay.analysis.document import summary_document
from causalassay.analysis.runs import (
    ABSENT,
    EMPTY,
    OK,
    RANDOM_ORDER,
    SCHEME,
    SORTING,
    STATUSES,
    Codes,
    Group,
    Runs,
    arrange,
)
from causalassay.present import Shown
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    from causalassay.present import Document
    from causalassay.study.storage import StudyTable


MOST_REASONS = 5


@dataclass(frozen=True)
class Ended:
    """How runs ended, as `Summary` has it, also of several sizes together.

    Parameters
    ----------
    counts : DataFrame
        `count_statuses`.
    reasons : DataFrame
        `count_reasons`.
    """

    counts: pd.DataFrame
    reasons: pd.DataFrame


@dataclass(frozen=True, repr=False)
class Summary(Shown):
    """What a study's rows say, as tidy tables; undefined numbers are nan.

    Parameters
    ----------
    by : tuple of str
        The columns that made the groups.
    metrics : tuple of str
        The metrics that were summarised, by name.
    better : mapping of str to str
        For each metric whether "high" or "low" is better.
    counts : DataFrame
        `count_statuses`.
    reasons : DataFrame
        `count_reasons`.
    scores : DataFrame
        `score_groups`.
    differences : DataFrame
        `comparison.paired_differences`.
    ranks : DataFrame
        `comparison.mean_ranks`.
    attribution : Attribution
        Its ``schemes`` and ``margins``.
    """

    by: tuple[str, ...]
    metrics: tuple[str, ...]
    better: Mapping[str, str]
    counts: pd.DataFrame
    reasons: pd.DataFrame
    scores: pd.DataFrame
    differences: pd.DataFrame
    ranks: pd.DataFrame
    attribution: Attribution

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON, a table as a list of its rows; nan as None."""
        return {
            "by": list(self.by),
            "better": dict(self.better),
            **{
                name: _records(getattr(self, name))
                for name in ("counts", "reasons", "scores", "differences", "ranks")
            },
            "attribution": {
                name: _records(getattr(self.attribution, name)) for name in ("schemes", "margins")
            },
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the scores."""
        return self.scores

    def document(self) -> Document:
        """Return what the summary shows."""
        return summary_document(self)


def summarize(
    table: StudyTable, by: Sequence[str] = (SCHEME,), most_opponents: int = MOST_OPPONENTS
) -> Summary:
    """Return what a study's rows say.

    Parameters
    ----------
    table : StudyTable
        Such as `study_table` returns; the order of its rows changes nothing.
    by : sequence of str
        Columns of the problem whose values make the groups of scores, differences
        and ranks; none: everything together. The attribution is always by scheme.
    most_opponents : int
        As for `comparison.paired_differences`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> head = {"role": "listed", "reason": "", "scheme": "raw", "graph_key": "g"}
    >>> rows = [
    ...     head | {"algorithm": "pc", "problem": "p", "replicate": r, "status": "ok", "f1": 0.5}
    ...     for r in range(3)
    ... ]
    >>> frame = pd.DataFrame(rows)
    >>> table = SimpleNamespace(
    ...     frame=frame, metrics=("f1",), diagnostics=(), controls=(), better={"f1": "high"}
    ... )
    >>> summarize(table).scores[["algorithm", "n_ok", "mean", "mean_low"]].values.tolist()
    [['pc', 3, 0.5, 0.5]]
    """
    return summarize_runs(table, arrange(table, by), by, most_opponents)


def summarize_runs(
    table: StudyTable,
    runs: Runs,
    by: Sequence[str] = (SCHEME,),
    most_opponents: int = MOST_OPPONENTS,
) -> Summary:
    """Return what a study's rows say, which `arrange` has turned into runs; see `summarize`."""
    return Summary(
        tuple(by),
        tuple(table.metrics),
        {metric: table.better[metric] for metric in table.metrics},
        count_statuses(runs),
        count_reasons(table.frame),
        score_groups(runs, by),
        paired_differences(runs, by, most_opponents),
        mean_ranks(runs, by),
        attribute(runs),
    )


def count_statuses(runs: Runs) -> pd.DataFrame:
    """Return how many rows of each algorithm have each status.

    ``absent`` counts the problems and replicates for which other algorithms have a row
    and this one has none, as in a study that was interrupted.
    """
    counts = {
        "algorithm": runs.algorithms,
        "role": runs.roles,
        "n": (runs.status != ABSENT).sum(axis=1),
    }
    for code, status in enumerate(STATUSES):
        counts[status] = (runs.status == code).sum(axis=1)
    return pd.DataFrame(counts | {"absent": (runs.status == ABSENT).sum(axis=1)})


def count_reasons(frame: pd.DataFrame, most: int = MOST_REASONS) -> pd.DataFrame:
    """Return the most frequent reasons of each algorithm and status, with their counts.

    Those beyond the first `most` are counted together in a last row, whose reason says
    how many they are.
    """
    failed = frame.loc[frame["status"] != "ok", ["algorithm", "status", "reason"]].astype(str)
    groups = failed.groupby(["algorithm", "status", "reason"], observed=True)
    counts = groups.size().rename("n").reset_index()
    columns = ["algorithm", "status", "n", "reason"]
    counts = counts.sort_values(columns, ascending=[True, True, False, True])
    rows: list[dict[str, object]] = []
    for (algorithm, status), part in counts.groupby(["algorithm", "status"], sort=False):
        head = {"algorithm": algorithm, "status": status}
        named = part.iloc[:most]
        pairs = zip(named["reason"], named["n"], strict=True)
        rows += [head | {"reason": reason, "n": int(n)} for reason, n in pairs]
        if len(part) > most:
            rest = f"{len(part) - most} other reasons"
            rows.append(head | {"reason": rest, "n": int(part["n"].iloc[most:].sum())})
    return pd.DataFrame(rows, columns=["algorithm", "status", "reason", "n"])


def score_groups(runs: Runs, by: Sequence[str] = (SCHEME,)) -> pd.DataFrame:
    """Return the mean with 95 % limits, and the median, of each algorithm, group and metric.

    Returns
    -------
    DataFrame
        ``chance``: the mean score of as many edges at random places, where it is known.
        ``n`` rows, of which ``n_ok`` are ok and ``n_not_ok`` are not; of those that
        are ok, ``n_undefined`` have no score. The others, in ``n_units`` instances, make
        the ``mean`` and the ``median``. The limits of the mean are Student's, with
        the variance between instances: a graph and a replicate with all problems made of it,
        since these share their random numbers.
    """
    rows = []
    for group in runs.groups(by):
        for index, name in enumerate(runs.algorithms):
            cells = group.cells[runs.status[index, group.cells] != ABSENT]
            instances = runs.instances[cells]
            n_ok = int((runs.status[index, cells] == OK).sum())
            for metric in runs.scores:
                scores = runs.scores[metric][index, cells]
                defined = ~np.isnan(scores)
                mean = limited(mean_with_interval(scores, instances), *runs.spans[metric])
                rows.append(
                    {
                        "algorithm": name,
                        "role": runs.roles[index],
                        **dict(zip(by, group.values, strict=True)),
                        "metric": metric,
                        "n": len(cells),
                        "n_ok": n_ok,
                        "n_not_ok": len(cells) - n_ok,
                        "n_undefined": n_ok - int(defined.sum()),
                        "n_units": count_instances(instances[defined]),
                        **mean.columns(prefix="mean_"),
                        "median": float(np.median(scores[defined])) if defined.any() else np.nan,
                        "chance": _chance(runs, metric, index, cells),
                    }
                )
    return pd.DataFrame(rows)


def _chance(runs: Runs, metric: str, index: int, cells: Codes) -> float:
    """Return what as many edges as the estimates have, at random places, would score."""
    control = runs.controls.get(f"{metric}_chance")
    known = np.empty(0) if control is None else control[index, cells]
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else np.nan


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values; what is not a finite number as None."""
    columns = {
        name: [None if value is pd.NA else plain_values(value) for value in frame[name].tolist()]
        for name in frame.columns
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# How much of a score is due to artefacts of the simulator: schemes and margins.


@dataclass(frozen=True)
class Attribution:
    """How each algorithm's score depends on the artefacts of the data.

    Parameters
    ----------
    schemes : DataFrame
        The ``mean`` score of each algorithm, metric and scheme with 95 % limits, on
        the same graphs if ``paired``: over the ``n_units`` instances that have a score in
        every scheme compared; ``n_dropped`` others of this scheme were left out.
        Otherwise the plain mean over the scheme.
    margins : DataFrame
        How much better each algorithm is than a ``reference`` on the cells of
        ``schemes`` where both have a score; positive is better, whatever the metric.
        The reference is "sorting" (of the baselines that sort by variance and by R²
        the one with the better mean on that scheme), "random order" or "empty";
        ``opponent`` names the algorithm that stood for it. ``n_missing`` cells have
        no score of the one or the other.
    """

    schemes: pd.DataFrame
    margins: pd.DataFrame


def attribute(runs: Runs) -> Attribution:
    """Return how each algorithm's score depends on the artefacts of the data."""
    groups = {group.values[0]: group for group in runs.groups((SCHEME,))}
    references = {
        (metric, scheme): _references(runs, metric, group)
        for metric in runs.scores
        for scheme, group in groups.items()
    }
    whole = {scheme: group.cells for scheme, group in groups.items()}
    schemes: list[dict[str, object]] = []
    margins: list[dict[str, object]] = []
    for index, name in enumerate(runs.algorithms):
        for metric in runs.scores:
            chosen = same_graphs(runs, metric, index, whole)
            for scheme, (cells, paired) in chosen.items():
                head = {
                    "algorithm": name,
                    "role": runs.roles[index],
                    "metric": metric,
                    SCHEME: scheme,
                    "paired": paired,
                }
                schemes.append(head | _scheme_score(runs, metric, index, cells, whole[scheme]))
                for reference, opponent in references[metric, scheme].items():
                    margin = _margin(runs, metric, (index, opponent), cells)
                    opponents = {"reference": reference, "opponent": runs.algorithms[opponent]}
                    margins.append(head | opponents | margin)
    return Attribution(pd.DataFrame(schemes), pd.DataFrame(margins))


def _references(runs: Runs, metric: str, group: Group) -> dict[str, int]:
    """Return the algorithm that serves as each reference on a scheme."""
    meant = {
        "sorting": [index for use in SORTING for index in runs.using(use)],
        "random order": runs.using(RANDOM_ORDER),
        "empty": runs.using(EMPTY),
    }
    best = {name: best_by_mean(runs, metric, group, indices) for name, indices in meant.items()}
    return {name: index for name, index in best.items() if index is not None}


def same_graphs(
    runs: Runs, metric: str, index: int, cells: Mapping[str, Codes]
) -> dict[str, tuple[Codes, bool]]:
    """Return the cells of each scheme to average, and whether they are of the same graphs.

    We compare the generated schemes on which the algorithm has a score, and apart from these
    those of each folder of data files: the files as they are, and transformed. A scheme on
    which it has none is not paired, and neither are single data files and an only scheme.

    Parameters
    ----------
    runs : Runs
    metric : str
    index : int
        The algorithm, as in `runs.algorithms`.
    cells : mapping of str to Codes
        All cells of each scheme.
    """
    scores = runs.scores[metric][index]
    size = int(runs.instances.max(initial=-1)) + 1
    scored = {
        scheme: np.bincount(runs.instances[whole][~np.isnan(scores[whole])], minlength=size) > 0
        for scheme, whole in cells.items()
    }
    paired = {scheme: (whole, False) for scheme, whole in cells.items()}
    for group in (frozenset(cells) - runs.file_schemes, *runs.folder_schemes):
        compared = [name for name in cells if name in group and scored[name].any()]
        common = np.all([scored[name] for name in compared], axis=0) & (len(compared) > 1)
        if common.any():
            for scheme in compared:
                paired[scheme] = cells[scheme][common[runs.instances[cells[scheme]]]], True
    return paired


def _scheme_score(
    runs: Runs, metric: str, index: int, cells: Codes, whole: Codes
) -> dict[str, object]:
    scores = runs.scores[metric][index, cells]
    defined = ~np.isnan(scores)
    instances = runs.instances[cells]
    mean = limited(mean_with_interval(scores, instances), *runs.spans[metric])
    n_units = count_instances(instances[defined])
    return {
        "n": int(defined.sum()),
        "n_missing": int((~defined).sum()),
        "n_units": n_units,
        "n_dropped": len(np.unique(runs.instances[whole])) - n_units,
        **mean.columns(),
    }


def _margin(runs: Runs, metric: str, pair: tuple[int, int], cells: Codes) -> dict[str, object]:
    gain = difference(runs, metric, cells, pair) * runs.better[metric]
    defined = ~np.isnan(gain)
    instances = runs.instances[cells]
    mean = mean_with_interval(gain, instances)
    return {
        "n_pairs": int(defined.sum()),
        "n_missing": int((~defined).sum()),
        "n_units": count_instances(instances[defined]),
        **mean.columns(),
    }
