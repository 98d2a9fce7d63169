"""What the charts of a report show: a bounded part of a study, and small tidy tables of it.

Each table has a bounded number of records. Numbers have five significant digits, so that a
page stays small; what is undefined is nan.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.analysis import Analysis
from causalassay.analysis.comparison import limited, mean_with_interval
from causalassay.analysis.runs import FAMILY, NODES, SCHEME, SORTING, Codes, Runs, scheme_name
from causalassay.analysis.sizes import Size, is_number, sizes_of
from causalassay.analysis.summary import Summary
from causalassay.common.arrays import Values, Vector
from causalassay.metrics.probabilities import RELIABILITY, Reliability, of_sums
from causalassay.metrics.registry import metric_name
from causalassay.present.formatting import counted

MOST_ALGORITHMS, MOST_SCHEMES, MOST_METRICS = 32, 6, 6
MOST_SIZES = 6
MOST_RECORDS = 600
"""Records of one figure; beyond that, it shows fewer sizes."""
SHORTEST = 1e-6
"""Seconds of a clock that did not tick: a logarithm needs more than 0."""
SORTABILITIES = {"var_sortability": "var-sortability", "r2_sortability": "R²-sortability"}
"""The diagnostics whose distribution is drawn, and what charts call them."""
N_BINS = 20
DIGITS = 5


@dataclass(frozen=True, eq=False)
class ChartScope:
    """A study, and the part of it that its charts show.

    Parameters
    ----------
    analysis : Analysis
        The analysis of all algorithms, schemes and metrics.
    algorithms : tuple of str
        Those in the charts: listed ones first.
    baselines : tuple of str
        The baselines among them.
    schemes, metrics : tuple of str
        Those in the charts.
    left_out : tuple of str
        Sentences: what is not in the charts, and where it is.
    """

    analysis: Analysis
    algorithms: tuple[str, ...]
    baselines: tuple[str, ...]
    schemes: tuple[str, ...]
    metrics: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def runs(self) -> Runs:
        """The rows as arrays."""
        return self.analysis.runs

    @property
    def summary(self) -> Summary:
        """The summary, by scheme."""
        return self.analysis.summary

    @property
    def frame(self) -> pd.DataFrame:
        """The rows of the size that is shown."""
        return self.analysis.part.frame

    @property
    def at_size(self) -> str:
        """The end of a title: the size that is shown; empty where problems have one size."""
        return f", {self.analysis.size.name}" if self.analysis.size.name else ""

    @property
    def scheme_names(self) -> list[str]:
        """What charts call the schemes."""
        return [scheme_name(scheme) for scheme in self.schemes]

    @property
    def free_first(self) -> list[str]:
        """The schemes, those without a found artefact first."""
        free = [column.scheme for column in self.analysis.matrix.columns if column.free]
        return sorted(self.schemes, key=lambda scheme: scheme not in free)

    def ordered(self, names: Collection[str]) -> list[str]:
        """Return some algorithms in the order of the matrix, baselines last."""
        rows = [row.algorithm for row in self.analysis.matrix.rows if row.algorithm in set(names)]
        elsewhere = sorted(set(names) - set(rows))  # with runs of other sizes only
        return sorted([*rows, *elsewhere], key=lambda name: name in self.baselines)

    def is_number(self, label: str) -> bool:
        """Return whether the study's problems have a label and it is a number."""
        cells = self.analysis.all_runs.cells
        return label in cells and is_number(cells[label])

    def varies(self, label: str) -> bool:
        """Return whether a label is a number that takes several values in the study."""
        return self.is_number(label) and self.analysis.all_runs.cells[label].nunique() > 1

    @cached_property
    def sizes_of_cells(self) -> tuple[tuple[Size, ...], Codes]:
        """The sizes of all problems, and the index of the size of each of `all_runs`' cells."""
        return sizes_of(self.analysis.all_runs.cells)

    def slices(self, label: str) -> dict[Size, Codes]:
        """Return the cells of all runs by what else makes their size, that of the page first."""
        sizes, of_cell = self.sizes_of_cells
        rests = [size.without(label) for size in sizes]
        first = self.analysis.size.without(label)
        order = sorted(dict.fromkeys(rests), key=lambda rest: (rest != first, rest.order))
        codes = np.array([order.index(rest) for rest in rests], dtype=np.int64)[of_cell]
        return {rest: np.flatnonzero(codes == index) for index, rest in enumerate(order)}

    @property
    def curve_metrics(self) -> tuple[str, ...]:
        """The metrics that curves over sizes are drawn of: all of them."""
        return self.summary.metrics


def choose(analysis: Analysis) -> ChartScope:
    """Return what the charts of a study show."""
    runs, metrics = analysis.runs, analysis.summary.metrics
    baselines = tuple(runs.algorithms[index] for index in runs.baselines)
    listed = [name for name in runs.algorithms if name not in baselines]
    shown = set(_best(runs, listed, MOST_ALGORITHMS - len(baselines)))
    schemes = [group.values[0] for group in runs.groups((SCHEME,))] if len(runs.cells) else []
    left_out = []
    if len(listed) > len(shown):
        left_out.append(
            f"The charts show the {counted(len(shown), 'algorithm')} with the best mean "
            f"{metric_name(metrics[0])} of {len(listed)}, and all baselines; the tables have all."
        )
    if rest := ", ".join(map(scheme_name, schemes[MOST_SCHEMES:])):
        left_out.append(f"The charts leave out the schemes {rest}.")
    if rest := ", ".join(map(metric_name, metrics[MOST_METRICS:])):
        left_out.append(f"The charts show the study's first {MOST_METRICS} metrics and not {rest}.")
    return ChartScope(
        analysis,
        (*(name for name in listed if name in shown), *baselines),
        baselines,
        tuple(schemes[:MOST_SCHEMES]),
        metrics[:MOST_METRICS],
        tuple(left_out),
    )


def _best(runs: Runs, listed: Sequence[str], most: int) -> Sequence[str]:
    """Return the listed algorithms, or of too many the best by their mean of the first metric."""
    if len(listed) <= most or not runs.scores:
        return listed
    metric = next(iter(runs.scores))
    scores = {name: runs.scores_of(metric, name) for name in listed}
    means = {
        name: -np.inf if np.isnan(values).all() else runs.better[metric] * np.nanmean(values)
        for name, values in scores.items()
    }
    return sorted(listed, key=lambda name: -means[name])[: max(most, 1)]


def scheme_scores(scope: ChartScope, metric: str) -> pd.DataFrame:
    """Return the mean score on the same graphs by algorithm and scheme, with 95 % limits.

    As `Attribution.schemes` has it; ``sorting`` is the better mean of the baselines
    that sort by variance and by R², on that scheme.
    """
    frame = _of(scope, scope.summary.attribution.schemes, metric)
    frame = frame[frame[SCHEME].isin(scope.schemes)]
    sorting = [scope.runs.algorithms[i] for use in SORTING for i in scope.runs.using(use)]
    reached = frame[frame["algorithm"].isin(sorting)].groupby(SCHEME)["mean"]
    best = reached.max() if scope.summary.better[metric] == "high" else reached.min()
    columns = ["algorithm", SCHEME, "mean", "low", "high", "n_units", "n_missing", "paired"]
    frame = frame[columns].assign(sorting=frame[SCHEME].map(best).astype(float))
    return rounded(frame.assign(**{SCHEME: frame[SCHEME].map(scheme_name)}))


def rank_means(scope: ChartScope, scheme: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the mean rank by algorithm and metric on one scheme, from 1 for the best.

    As `Summary.ranks` has it: all algorithms are ranked, also those not in the charts.
    """
    frame = scope.summary.ranks
    chosen = frame["algorithm"].isin(scope.algorithms) & (frame[SCHEME] == scheme)
    names = {"rank": "mean", "rank_low": "low", "rank_high": "high"}
    columns = ["algorithm", "metric", *names, "n_ranked", "n_last"]
    frame = frame.loc[chosen & frame["metric"].isin(metrics), columns].rename(columns=names)
    return rounded(frame.assign(metric=frame["metric"].map(metric_name)))


def run_times(scope: ChartScope) -> pd.DataFrame:
    """Return the median seconds of discovery by algorithm and nodes, with the whole range.

    Whatever the nodes, samples and density are those of the size that is shown. Only runs that are
    ok count. ``timeouts`` is the number of runs that were stopped: they have no time, so the median
    is too low where there are some, and nan where no run ended.
    """
    frame = scope.analysis.table.frame
    if "seconds" not in frame:
        return pd.DataFrame()
    every_size, of_row = sizes_of(frame)
    rest = scope.analysis.size.without(NODES)
    alike = np.array([size.without(NODES) == rest for size in every_size], dtype=bool)
    frame = frame[alike[of_row]]
    frame = frame.assign(nodes=frame[NODES] if scope.is_number(NODES) else np.nan)
    frame = frame[frame["algorithm"].isin(scope.algorithms)]
    if sizes := thinned(sorted(frame["nodes"].dropna().unique()), MOST_SIZES):
        frame = frame[frame["nodes"].isin(sizes)]
    ended = frame["seconds"].astype(float).where(frame["status"] == "ok")
    frame = frame.assign(ended=ended, stopped=frame["status"] == "timeout")
    times = frame.groupby([frame["algorithm"].astype(str), "nodes"], dropna=False).agg(
        mean=("ended", "median"),
        low=("ended", "min"),
        high=("ended", "max"),
        n=("ended", "count"),
        timeouts=("stopped", "sum"),
    )
    times = times.reset_index()
    return rounded(times.assign(**times[["mean", "low", "high"]].clip(lower=SHORTEST)))


def reliability_bins(scope: ChartScope) -> dict[str, dict[str, Reliability]]:
    """Return by scheme what the probabilities of each algorithm were worth, over its runs."""
    frame = scope.frame
    if "notes" not in frame:
        return {}
    noted = frame["notes"].astype("string").str.contains(f'"{RELIABILITY}"', regex=False)
    rows = frame[noted.fillna(value=False) & frame["algorithm"].isin(scope.algorithms)]
    sums: dict[tuple[str, str], Values] = {}
    for scheme, algorithm, notes in zip(
        rows[SCHEME], rows["algorithm"], rows["notes"], strict=True
    ):
        key = str(scheme), str(algorithm)
        came = np.array(json.loads(notes)[RELIABILITY], dtype=float)
        sums[key] = came + sums.get(key, 0.0)
    by_scheme: dict[str, dict[str, Reliability]] = {}
    for (scheme, algorithm), total in sums.items():
        if scheme in scope.schemes:
            by_scheme.setdefault(scheme, {})[algorithm] = of_sums(total)
    return by_scheme


def times_and_scores(scope: ChartScope, scheme: str, metric: str) -> pd.DataFrame:
    """Return the median seconds and the mean score of each algorithm on one scheme."""
    frame = scope.frame
    if "seconds" not in frame:
        return pd.DataFrame()
    chosen = (frame[SCHEME] == scheme) & (frame["status"] == "ok") & frame["seconds"].notna()
    seconds = frame[chosen].groupby("algorithm")["seconds"].median()
    scores = _of(scope, scope.summary.scores, metric)
    scores = scores[(scores[SCHEME] == scheme) & scores["algorithm"].isin(seconds.index)]
    columns = {"mean_low": "low", "mean_high": "high"}
    scores = scores[["algorithm", "role", "mean", *columns]].rename(columns=columns)
    times = scores["algorithm"].map(seconds).astype(float).clip(lower=SHORTEST)
    return rounded(scores.assign(seconds=times)[scores["mean"].notna()])


def _of(scope: ChartScope, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    if not len(frame):
        return frame
    return frame[frame["algorithm"].isin(scope.algorithms) & (frame["metric"] == metric)]


def sortability_bins(scope: ChartScope) -> pd.DataFrame:
    """Return how many problems of each scheme have a sortability in each twentieth of [0, 1].

    ``n`` problems and replicates of the scheme have the sortability, ``mean`` is over
    these; ``height`` is the count over that of the fullest bin. Empty bins have no record.
    """
    rows = []
    edges = np.linspace(0, 1, N_BINS + 1)
    for diagnostic in [name for name in SORTABILITIES if name in scope.runs.measured]:
        for (scheme,), cells in _groups(scope, scope.runs, ()):
            values = scope.runs.measured[diagnostic][cells]
            values = values[~np.isnan(values)]
            counts, _ = np.histogram(values, edges)
            for index in np.flatnonzero(counts):
                rows.append(
                    {
                        "diagnostic": diagnostic,
                        SCHEME: scheme_name(scheme),
                        "from": edges[index],
                        "to": edges[index + 1],
                        "count": int(counts[index]),
                        "height": counts[index] / counts.max(),
                        "n": len(values),
                        "mean": float(values.mean()),
                    }
                )
    return rounded(pd.DataFrame(rows))


def box_stats(scope: ChartScope, metric: str) -> tuple[pd.DataFrame, int]:
    """Return what box plots show by algorithm, scheme and panel, and how many panels there are.

    A panel is a graph family and a number of nodes; beyond a bound some are not shown. Samples and
    density are those of the size that is shown.
    ``low`` and ``high`` are the outermost scores within 1.5 times the quartiles'
    distance of the quartiles; ``outside`` are the scores beyond.
    """
    runs = scope.analysis.all_runs
    by = [name for name in (FAMILY, NODES) if name in runs.cells]
    groups, n_panels = _panels(scope, by, cells_of_boxes(scope))
    rows = []
    for (scheme, *labels), cells in groups:
        for name in scope.algorithms:
            scores = runs.scores_of(metric, name)[cells]
            scores = scores[np.isfinite(scores)]
            if len(scores):
                head = {"panel": panel_name(by, labels), "algorithm": name}
                rows.append(head | {SCHEME: scheme_name(scheme)} | _box(scores))
    return rounded(pd.DataFrame(rows)), n_panels


def cells_of_boxes(scope: ChartScope) -> Codes:
    """Return the cells of all runs that box plots show: whatever their number of nodes."""
    return scope.slices(NODES)[scope.analysis.size.without(NODES)]


def _box(scores: Vector) -> dict[str, float]:
    lower, middle, upper = np.quantile(scores, [0.25, 0.5, 0.75])
    reach = 1.5 * (upper - lower)
    inside = scores[(scores >= lower - reach) & (scores <= upper + reach)]
    return {
        "low": float(inside.min()),
        "q1": float(lower),
        "median": float(middle),
        "q3": float(upper),
        "high": float(inside.max()),
        "outside": len(scores) - len(inside),
        "n": len(scores),
    }


def panel_name(by: Sequence[str], labels: Sequence[Any]) -> str:
    """Return what a panel of box plots is called.

    Examples
    --------
    >>> panel_name(["graph.kind", "graph.n_nodes"], ["chain", 10])
    'chain, 10 nodes'
    >>> panel_name([], []), panel_name(["graph.n_nodes"], [None])
    ('all problems', 'size not stated')
    """
    words = []
    for name, value in zip(by, labels, strict=True):
        if value is None:
            words.append("size not stated" if name == NODES else "no graph family")
        else:
            words.append(f"{value:g} nodes" if name == NODES else str(value))
    return ", ".join(words) or "all problems"


def _groups(
    scope: ChartScope, runs: Runs, by: Sequence[str], among: Codes | None = None
) -> Iterator[tuple[tuple[Any, ...], Codes]]:
    """Yield the cells of each scheme in the charts and of each value of some labels."""
    for group in runs.groups((SCHEME, *by)):
        if group.values[0] in scope.schemes:
            cells = group.cells if among is None else np.intersect1d(group.cells, among)
            if len(cells):
                yield group.values, cells


def _panels(
    scope: ChartScope, by: Sequence[str], among: Codes
) -> tuple[list[tuple[tuple[Any, ...], Codes]], int]:
    """Return the groups of some cells by scheme and labels, and how many panels there are.

    If there are too many, each family keeps some sizes: evenly spaced values of the last
    label.
    """
    groups = list(_groups(scope, scope.analysis.all_runs, by, among))
    panels = list(dict.fromkeys(values[1:] for values, _ in groups))
    most = max(1, MOST_RECORDS // (len(scope.algorithms) * len(scope.schemes)))
    families = dict.fromkeys(panel[:-1] for panel in panels)
    sizes = sorted(dict.fromkeys(panel[-1:] for panel in panels), key=_size_order)
    drawn = thinned(sizes, max(1, most // len(families)))
    chosen = [panel for panel in panels if panel[-1:] in drawn][:most]
    return [(values, cells) for values, cells in groups if values[1:] in chosen], len(panels)


def _size_order(value: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((part is None, isinstance(part, str), part) for part in value)


def means_against(scope: ChartScope, metric: str, label: str, among: Codes) -> pd.DataFrame:
    """Return the mean score by scheme, algorithm and a number such as the nodes, with limits.

    The limits are over whole instances, as in `summary.score_groups`.

    Parameters
    ----------
    scope : ChartScope
    metric, label : str
    among : array of int
        The cells of all runs to look at, such as those of one number of samples.
    """
    runs = scope.analysis.all_runs
    groups = [
        (scheme, value, cells)
        for (scheme, value), cells in _groups(scope, runs, [label], among)
        if value is not None
    ]
    drawn = thinned(
        sorted({value for _, value, _ in groups}),
        max(2, MOST_RECORDS // (len(scope.algorithms) * len(scope.schemes))),
    )
    rows = []
    for scheme, value, cells in groups:
        for name in scope.algorithms if value in drawn else ():
            scores = runs.scores_of(metric, name)[cells]
            mean = limited(mean_with_interval(scores, runs.instances[cells]), *runs.spans[metric])
            if np.isfinite(mean.value):
                rows.append(
                    {
                        SCHEME: scheme_name(scheme),
                        "algorithm": name,
                        "at": value,
                        **mean.columns(),
                        "n": int((~np.isnan(scores)).sum()),
                        "n_missing": int(np.isnan(scores).sum()),
                    }
                )
    return rounded(pd.DataFrame(rows))


def thinned(values: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many of some values: the first, the last, and evenly between them.

    Examples
    --------
    >>> thinned([10, 20, 30, 40, 50], 3), thinned([10, 20], 3), thinned([10, 20, 30], 1)
    ([10, 30, 50], [10, 20], [20])
    """
    if len(values) <= most:
        return list(values)
    if most == 1:
        return [values[len(values) // 2]]
    indices = np.linspace(0, len(values) - 1, most).round().astype(int)
    return [values[index] for index in indices]


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers to five significant digits, its rows counted from 0.

    Examples
    --------
    >>> rounded(pd.DataFrame({"mean": [0.123456789, 12345.6789, np.nan]}))["mean"].tolist()
    [0.12346, 12346.0, nan]
    """
    numbers = frame.reset_index(drop=True)
    for name in numbers.select_dtypes(float):
        numbers[name] = [float(f"{value:.{DIGITS}g}") for value in numbers[name]]
    return numbers
