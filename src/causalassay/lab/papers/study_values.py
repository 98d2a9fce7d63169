"""From the rows of a study to numbers with their errors: of one selection, of panels, of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from causalassay.common.arrays import Values, Vector
from causalassay.common.spelling import did_you_mean
from causalassay.lab.papers.estimates import (
    Choice,
    Chosen,
    Estimate,
    NotRun,
    Ours,
    Several,
    block_extremes,
    mean,
    median,
    over_replicates,
    standard_deviation,
    unpaired,
)
from causalassay.present.formatting import counted
from causalassay.risk.study_risk import FEWEST_SYSTEMS, LEAST_DIFFERENCE

Frame = pd.DataFrame
Selection = Mapping[str, Any]
Tables = Sequence[Selection]

# What several panels of a figure, or the settings of two tables, say together.

Scores = Sequence[tuple[Selection, pd.Series]]
"""Tables that pick rows, each with its numbers by replicate."""

Panel = tuple[str, str]
"""A problem and a score; PC's favourable SHD stands beside the SHD of the others."""


def behind_the_best(rows: Scores, *_: Scores) -> Estimate:
    """Return how far behind the best in its worst panel is the algorithm for which that is least.

    Low scores are good. 0 means that one algorithm has the least mean in every panel.
    """
    panels, algorithms = _panels(rows), list(dict.fromkeys(table["algorithm"] for table, _ in rows))
    scores = {
        (table["algorithm"], _panel_of(table)): numbers.to_numpy(float) for table, numbers in rows
    }
    if absent := [(a, p) for a in algorithms for p in panels if (a, p) not in scores]:
        raise ValueError(f"each algorithm needs a table for each panel; absent: {absent[0]}")
    stacked = np.array([[scores[a, p] for p in panels] for a in algorithms])

    def least_gap(chosen: Chosen) -> float:
        means = np.nanmean(stacked[:, :, chosen], axis=2)
        return float((means - means.min(axis=0)).max(axis=1).min())

    return over_replicates(least_gap, stacked.shape[2], _lost_of(stacked), (0.0, np.inf))


def share_near(_: Scores, left: Scores, right: Scores) -> Estimate:
    """Return the share of left whose mean is near that of a table of right of the same panel.

    Near: at most the standard deviation of the panel's most variable table of right, which is
    the random one of the baselines.
    """
    panels = _panels(left)
    by_panel = {
        panel: (_stacked_panel(left, panel), _stacked_panel(right, panel)) for panel in panels
    }

    def share(chosen: Chosen) -> float:
        near = []
        for scores, baselines in by_panel.values():
            means = np.nanmean(baselines[:, chosen], axis=1)
            spread = np.nanstd(baselines, axis=1, ddof=1).max()
            gaps = np.abs(np.nanmean(scores[:, chosen], axis=1)[:, None] - means)
            near += (gaps.min(axis=1) <= spread).tolist()
        return float(np.mean(near))

    lost = sum(_lost_of(part) for pair in by_panel.values() for part in pair)
    return over_replicates(share, len(left[0][1]), lost, (0.0, 1.0))


def spread_difference(_: Scores, left: Scores, right: Scores) -> Estimate:
    """Return the mean standard deviation of left's tables less that of right's.

    The two sides may be of studies with different numbers of replicates.
    """
    first, other = _mean_spread(left), _mean_spread(right)
    error = float(np.hypot(first.standard_error, other.standard_error))
    draws, lost = min(first.draws, other.draws), first.lost + other.lost
    return Estimate(first.value - other.value, error, draws, lost)


def orders_kept(_: Scores, left: Scores, right: Scores) -> Estimate:
    """Return the share of pairs that have the same order by left's means and by right's.

    Tables of left and right belong together by their places. Pairs are of one problem, and at
    least one of the two differs between left and right: two that do not keep their order always.
    """
    before, other = (np.array([numbers.to_numpy(float) for _, numbers in s]) for s in (left, right))
    problems = [table["problem"] for table, _ in left]
    differs = [a != b for (a, _), (b, _) in zip(left, right, strict=True)]
    pairs = [
        (i, j)
        for i, j in combinations(range(len(problems)), 2)
        if problems[i] == problems[j] and (differs[i] or differs[j])
    ]
    if not pairs:
        raise ValueError("no pair of tables of one problem differs between left and right")
    first, second = np.transpose(pairs)

    def share(chosen: Chosen) -> float:
        means = [np.nanmean(scores[:, chosen], axis=1) for scores in (before, other)]
        signs = [np.sign(mean[first] - mean[second]) for mean in means]
        return float(np.mean(signs[0] == signs[1]))

    return over_replicates(share, before.shape[1], _lost_of(before) + _lost_of(other), (0.0, 1.0))


def _mean_spread(side: Scores) -> Estimate:
    scores = np.array([numbers.to_numpy(float) for _, numbers in side])

    def spread(chosen: Chosen) -> float:
        return float(np.nanstd(scores[:, chosen], axis=1, ddof=1).mean())

    return over_replicates(spread, scores.shape[1], _lost_of(scores), (0.0, np.inf))


def _panel_of(selection: Mapping[str, Any]) -> Panel:
    return selection["problem"], selection["column"].removesuffix(" (favourable)")


def _panels(side: Scores) -> list[Panel]:
    return list(dict.fromkeys(_panel_of(table) for table, _ in side))


def _stacked_panel(side: Scores, panel: Panel) -> Values:
    stacked = [numbers.to_numpy(float) for table, numbers in side if _panel_of(table) == panel]
    if not stacked:
        raise ValueError(f"no table of a baseline for {panel}")
    return np.array(stacked)


def _lost_of(scores: Values) -> int:
    return int(np.isnan(scores).sum())


OF_PANELS: dict[str, Callable[[Scores, Scores, Scores], Estimate]] = {
    "behind the best": behind_the_best,
    "share near": share_near,
    "spread difference": spread_difference,
    "orders kept": orders_kept,
}
"""Called with `rows`, `left` and `right`: each table and its numbers."""


# Whether estimated risks rank two algorithms as the true ones do, from the rows of a study.

TRUE, ESTIMATED = "oracle_risk", "weighted_risk"
ACOR = "ACor"
"""It is told the true number of edges, so its risks are numbers of the data in a study."""

SYSTEM = ["problem", "replicate"]
Pairs = tuple[Vector, Vector, int]


def with_acor(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a study, and a row for ACor on each data set."""
    acor = frame.drop_duplicates(SYSTEM).assign(algorithm=ACOR, status="ok")
    acor[TRUE], acor[ESTIMATED] = acor["acor_oracle_risk"], acor["acor_weighted_risk"]
    return pd.concat([frame, acor], ignore_index=True)


def chosen_rows(frame: pd.DataFrame, where: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Return the rows whose labels have some of the levels that are stated for them."""
    for label, levels in where.items():
        if label not in frame:
            labels = [str(name) for name in frame if "." in str(name)]
            raise ValueError(f"the study has no label {label!r}; {did_you_mean(label, labels)}")
        frame = frame[frame[label].isin(list(levels))]
    return frame


def risk_differences(frame: pd.DataFrame, selection: Mapping[str, Any]) -> Pairs:
    """Return true and estimated differences of the systems that have both, and how many lack one.

    Parameters
    ----------
    frame : DataFrame
    selection : table
        ``pair``: two algorithms, first less second; ``where``: which settings count.
    """
    rows = with_acor(chosen_rows(frame, selection.get("where", {})))
    risks = []
    for name in selection["pair"]:
        if name not in (known := [str(known_name) for known_name in rows["algorithm"].unique()]):
            raise ValueError(f"the study has no algorithm {name!r}; {did_you_mean(name, known)}")
        of_name = rows[rows["algorithm"] == name].set_index(SYSTEM)
        risks.append(of_name[[TRUE, ESTIMATED]].astype(float).where(of_name["status"] == "ok"))
    difference = risks[0] - risks[1]
    present = difference.dropna()
    return (
        present[TRUE].to_numpy(float),
        present[ESTIMATED].to_numpy(float),
        len(difference) - len(present),
    )


def agreeing_signs(frame: pd.DataFrame, selection: Mapping[str, Any]) -> tuple[Vector, int]:
    """Return for each system whose true risks differ by 0.1 or more whether signs agree.

    An estimated difference of 0 has no sign, so it does not agree. The second number is that of
    systems without a risk.
    """
    true, estimated, lost = risk_differences(frame, selection)
    counted = np.abs(true) >= LEAST_DIFFERENCE - 1e-9
    return (np.sign(true[counted]) == np.sign(estimated[counted])).astype(float), lost


def sign_share(frame: pd.DataFrame, rows: Tables, *_: Tables) -> Ours:
    """Return the share of agreeing signs."""
    return share_of(*agreeing_signs(frame, rows[0]))


def sign_share_difference(frame: pd.DataFrame, _: Tables, left: Tables, right: Tables) -> Ours:
    """Return the share of some systems, or of one pair, less that of others."""
    first, other = agreeing_signs(frame, left[0]), agreeing_signs(frame, right[0])
    return difference_of(first[0], other[0], first[1] + other[1])


def risk_gap_difference(frame: pd.DataFrame, _: Tables, left: Tables, right: Tables) -> Ours:
    """Return how much more true risks differ in some systems than in others, in the mean."""
    gaps = []
    for selection in (left[0], right[0]):
        true, _estimated, lost = risk_differences(frame, selection)
        gaps.append(mean(np.abs(true), lost))
    return unpaired(*gaps)


def share_of(signs: Vector, lost: int = 0) -> Ours:
    """Return a share; its error has 2 successes and 2 failures more, so 1 is not exact.

    Examples
    --------
    >>> found = share_of(np.ones(30))
    >>> found.value, round(found.standard_error, 3)
    (1.0, 0.04)
    """
    n = len(signs)
    if n < FEWEST_SYSTEMS:
        return NotRun(f"{n} systems differ by {LEAST_DIFFERENCE} in true risk; 3 are needed")
    p = (signs.sum() + 2) / (n + 4)
    return Estimate(float(signs.mean()), math.sqrt(p * (1 - p) / (n + 4)), n, lost, (0.0, 1.0))


def difference_of(first: Vector, other: Vector, lost: int = 0) -> Ours:
    """Return the difference of two shares; its error is Agresti and Caffo's."""
    if min(len(first), len(other)) < FEWEST_SYSTEMS:
        return NotRun(f"{len(first)} and {len(other)} systems differ enough; 3 are needed of each")
    error = 0.0
    for signs in (first, other):
        p = (signs.sum() + 1) / (len(signs) + 2)
        error += p * (1 - p) / (len(signs) + 2)
    draws = min(len(first), len(other))
    return Estimate(float(first.mean() - other.mean()), math.sqrt(error), draws, lost, (-1.0, 1.0))


STUDY = "study"
"""What `compute` says if the rows of a study are read."""

IF_THERE = "if_there"
"""What a picture calls studies that it is drawn without where they have not run."""

CHOICE = "choice"
"""The statistic, and the kind of value, of a setting picked from a grid."""

SELECTION = ("problem", "algorithm", "column", "where")
"""What picks rows and a number of each.

A list of problems is pooled, without one all are; of a list of algorithms the mean on each data
set counts. ``where`` has the levels of labels, as ``{"graph.n_nodes" = [25]}``.
"""

PAIR_SELECTION = ("pair", "where")
"""What picks the systems of a statistic of signs, and the two algorithms."""

Side = Sequence[pd.Series]
"""The numbers of each table of a list."""


def study_value(  # noqa: PLR0913  one argument per key of `ours`
    frame: Frame,
    *,
    statistic: str = "mean",
    rows: Selection | Sequence[Selection] = (),
    left: Selection | Sequence[Selection] = (),
    right: Selection | Sequence[Selection] = (),
    block: int = 0,
    first: int = 0,
) -> Ours:
    """Return a number of a study's rows, or the difference between two sets of them.

    Parameters
    ----------
    frame : DataFrame
        The rows of the study.
    statistic : str
        Of one set of rows "mean", "median", "sd", "minimum", "maximum"; of two "mean" is that
        of the paired differences, left less right, "wilcoxon" the p-value of their signed-rank
        test, "rank correlation" Spearman's of the medians of the lists left and right; "trend"
        is the correlation of the place in the list `rows` and the mean; "share above" is how
        many of the list right exceed left, by replicate; "contrast" is the mean of left's two
        tables' difference less that of right's two; "choice" compares the median of left with
        the best median of the list right, the settings of a grid; "difference of means" is that
        of two independent sets of systems. Of tables of a ``pair`` of algorithms, "sign share"
        is how often estimated risks rank them as true ones do, "sign share difference" compares
        two such shares, and "risk gap difference" how much true risks differ. Those of several
        panels are in `panel_values`.
    rows : table or list of tables
        ``problem``, ``algorithm``, ``column`` (a metric or a diagnostic) and ``where``. Of a
        list, each table gives a number.
    left, right : table or list of tables
        Paired by problem's place and replicate; a single table on one side is paired with each
        of the other.
    block : int
        Draws in a block, for extremes.
    first : int
        How many replicates count, from the first on; 0 means all. A test's p-value depends on
        their number, so it takes the paper's.
    """
    frame = frame[frame["replicate"] < first] if first else frame
    sides = (_listed(rows), _listed(left), _listed(right))
    if statistic in _OF_TABLES:
        return _OF_TABLES[statistic](frame, *sides)
    if statistic in OF_PANELS:
        return OF_PANELS[statistic](
            *([(table, _numbers(frame, table)) for table in s] for s in sides)
        )
    if statistic in _OF_MANY:
        numbers = [[_numbers(frame, table) for table in side] for side in sides]
        return _OF_MANY[statistic](*numbers)
    if left:
        pairs = _paired(_listed(left), _listed(right))
        values = [_compared(frame, first, other, statistic) for first, other in pairs]
    else:
        values = [_summary(frame, table, statistic, block) for table in _listed(rows)]
    if len(values) == 1:
        return values[0]
    estimates = [value for value in values if isinstance(value, Estimate)]
    lost = [value for value in values if isinstance(value, NotRun)]
    return lost[0] if lost else Several(tuple(estimates))


def study_files(parameters: Mapping[str, Any]) -> list[Any]:
    """Return the study files that a table names: one, a list, those of each size, or none.

    Examples
    --------
    >>> study_files({"study": {"fast": "a.toml", "full": ["a.toml", "b.toml"]}})
    ['a.toml', 'b.toml']
    """
    named = parameters.get("study", [])
    if isinstance(named, Mapping):
        each = [file for files in named.values() for file in study_files({"study": files})]
        return list(dict.fromkeys(each))
    return [named] if isinstance(named, str) else list(named)


def selection_mistakes(parameters: Mapping[str, Any], studies: Sequence[str]) -> list[str]:
    """Return what is wrong with the parameters of a study's value."""
    mistakes = [
        f"there is no study {study!r}; {did_you_mean(study, studies)}"
        for study in study_files(parameters) or [None]
        if study not in studies
    ]
    allowed = ("study", "statistic", "rows", "left", "right", "block", "first")
    for key in parameters:
        if key not in allowed:
            mistakes.append(f"ours.{key}: there is no such key; {did_you_mean(key, allowed)}")
    if ("rows" in parameters) == ("left" in parameters and "right" in parameters):
        mistakes.append("ours: expected `rows`, or `left` and `right`")
    statistic = parameters.get("statistic", "mean")
    known = [*_OF_ONE, *_EXTREMES, *_OF_TWO, *_OF_MANY, *OF_PANELS, *_OF_TABLES]
    if statistic not in known:
        mistakes.append(f"there is no statistic {statistic!r}; {did_you_mean(statistic, known)}")
    if statistic in _EXTREMES and not parameters.get("block"):
        mistakes.append(f"the statistic {statistic!r} needs a `block`: the paper's draws")
    of_pair = statistic in _OF_PAIRS
    keys: tuple[str, ...] = PAIR_SELECTION if of_pair else SELECTION
    needed = {"pair"} if of_pair else {"column"}
    for key in ("rows", "left", "right"):
        for table in _listed(parameters.get(key, ())):
            if set(table) - set(keys) or needed - set(table):
                mistakes.append(f"ours.{key}: expected {', '.join(keys)}, got {list(table)}")
    return mistakes


def _listed(selection: Selection | Sequence[Selection]) -> list[Selection]:
    return [selection] if isinstance(selection, Mapping) else list(selection)


def _paired(
    left: Sequence[Selection], right: Sequence[Selection]
) -> list[tuple[Selection, Selection]]:
    if len(left) == 1:
        left = list(left) * len(right)
    if len(right) == 1:
        right = list(right) * len(left)
    return list(zip(left, right, strict=True))


def _numbers(frame: Frame, selection: Selection) -> pd.Series:
    """Return the numbers of a selection by the place of the problem and the replicate.

    A run that did not end well, or has no score, is nan: it is counted later, not dropped.
    """
    frame = chosen_rows(frame, selection.get("where", {}))
    problems = selection.get("problem", list(dict.fromkeys(frame["problem"].astype(str))))
    problems = [problems] if isinstance(problems, str) else problems
    chosen = _known(frame, "problem", problems)
    column = selection["column"]
    if column not in frame:
        raise ValueError(f"the study has no column {column!r}")
    algorithms = selection.get("algorithm")
    if algorithms is not None:
        named = [algorithms] if isinstance(algorithms, str) else algorithms
        chosen = _known(chosen, "algorithm", named)
        numbers = chosen[column].astype(float).where(chosen["status"] == "ok")
    else:  # a number of the data, whatever an algorithm made of them
        chosen = chosen.drop_duplicates(["problem", "replicate"])
        numbers = chosen[column].astype(float)
    position = chosen["problem"].astype(str)
    if "problem" in selection:  # by its place in the list, so that other lists are its pairs
        position = position.map(problems.index)
    index = pd.MultiIndex.from_arrays([position, chosen["replicate"]])
    series = pd.Series(numbers.to_numpy(), index=index).sort_index()
    if isinstance(algorithms, list):  # one that failed leaves the data set without a mean
        return series.groupby(level=[0, 1]).agg(lambda scores: scores.mean(skipna=False))
    return series


def _known(frame: Frame, column: str, names: Sequence[str]) -> Frame:
    known = [str(name) for name in frame[column].unique()]
    for name in names:
        if name not in known:
            raise ValueError(
                f"the study has no {column} {name!r}; {did_you_mean(name, sorted(known))}"
            )
    return frame[frame[column].isin(names)]


def _present(numbers: pd.Series) -> tuple[Vector, int]:
    """Return the numbers there are, and how many are lost."""
    return numbers.dropna().to_numpy(float), int(numbers.isna().sum())


def _no_numbers(lost: int) -> NotRun:
    return NotRun(f"none of {counted(lost, 'run')} has a number")


def _summary(frame: Frame, selection: Selection, statistic: str, block: int) -> Ours:
    values, lost = _present(_numbers(frame, selection))
    if len(values) < 2:
        return _no_numbers(lost)
    if statistic in _EXTREMES:
        return block_extremes(values, block, largest=statistic == "maximum", lost=lost)
    return _OF_ONE[statistic](values, lost)


def _compared(frame: Frame, left: Selection, right: Selection, statistic: str) -> Ours:
    first, other = _numbers(frame, left), _numbers(frame, right)
    difference, lost = _present((first - other).reindex(first.index.union(other.index)))
    if len(difference) < 2:
        return _no_numbers(lost)
    return _OF_TWO[statistic](difference, lost)


def _difference_of_means(frame: Frame, _: Tables, left: Tables, right: Tables) -> Ours:
    """Return the mean of some systems less that of others."""
    means = []
    for selection in (left[0], right[0]):
        values, lost = _present(_numbers(frame, selection))
        if len(values) < 2:
            return _no_numbers(lost)
        means.append(mean(values, lost))
    return unpaired(*means)


def _wilcoxon(differences: Vector, lost: int) -> Estimate:
    if not differences.any():
        return Estimate(1.0, lost=lost)
    return Estimate(float(stats.wilcoxon(differences).pvalue), lost=lost)


def _rank_correlation(_: Side, left: Side, right: Side) -> Ours:
    """Return Spearman's correlation of medians; replicates are resampled together."""
    before, other = _stacked(left), _stacked(right)

    def correlation(chosen: Chosen) -> float:
        medians = np.nanmedian(before[:, chosen], axis=1), np.nanmedian(other[:, chosen], axis=1)
        return float(stats.spearmanr(*medians).statistic)

    lost = int((np.isnan(before) | np.isnan(other)).sum())
    return _resampled(correlation, before.shape[1], lost)


def _trend(rows: Side, *_: Side) -> Ours:
    """Return the correlation of the place in the list and the mean score."""
    scores = _stacked(rows)

    def correlation(chosen: Chosen) -> float:
        return float(np.corrcoef(range(len(scores)), np.nanmean(scores[:, chosen], axis=1))[0, 1])

    return _resampled(correlation, scores.shape[1], int(np.isnan(scores).sum()))


def _share_above(_: Side, left: Side, right: Side) -> Ours:
    """Return the share of the others that exceed the one, over replicates; lost ones do not."""
    limit, others = left[0].to_numpy(float), _stacked(right)
    with np.errstate(invalid="ignore"):
        return mean((others > limit).mean(axis=0), int(np.isnan(others).sum()))


def _contrast(_: Side, left: Side, right: Side) -> Ours:
    """Return the mean of (a - b) - (c - d) over the replicates that all four have."""
    difference, lost = _present((left[0] - left[1]) - (right[0] - right[1]))
    return mean(difference, lost) if len(difference) > 1 else _no_numbers(lost)


def _choice(frame: Frame, _: Tables, left: Tables, grid: Tables) -> Ours:
    """Return our best setting by its median, and how far theirs is behind.

    A run that failed counts as 0, as when the settings are chosen.
    """
    scores = _stacked([_numbers(frame, table).fillna(0.0) for table in grid])
    best = int(np.argmax(np.median(scores, axis=1)))
    their_scores, n = _numbers(frame, left[0]).fillna(0.0).to_numpy(float), scores.shape[1]

    def behind(chosen: Chosen) -> float:
        return float(np.median(their_scores[chosen]) - np.median(scores[best, chosen]))

    return Choice(str(grid[best]["algorithm"]), _resampled(behind, n, 0))


def _stacked(rows: Sequence[pd.Series]) -> Values:
    return np.array([series.to_numpy(float) for series in rows])


def _resampled(statistic: Callable[[Chosen], float], n: int, lost: int) -> Estimate:
    return over_replicates(statistic, n, lost, (-1.0, 1.0))


_OF_ONE: dict[str, Callable[[Vector, int], Estimate]] = {
    "mean": mean,
    "median": median,
    "sd": standard_deviation,
}
_EXTREMES = ("minimum", "maximum")
_OF_TWO: dict[str, Callable[[Vector, int], Ours]] = {
    "mean": mean,
    "wilcoxon": _wilcoxon,
}
_OF_MANY: dict[str, Callable[[Side, Side, Side], Ours]] = {
    "rank correlation": _rank_correlation,
    "trend": _trend,
    "share above": _share_above,
    "contrast": _contrast,
}
"""Called with the numbers of `rows`, `left` and `right`, one series for each table."""

_OF_TABLES: dict[str, Callable[[Frame, Tables, Tables, Tables], Ours]] = {
    CHOICE: _choice,
    "sign share": sign_share,
    "sign share difference": sign_share_difference,
    "risk gap difference": risk_gap_difference,
    "difference of means": _difference_of_means,
}
"""Statistics that choose their rows themselves, from the tables `rows`, `left` and `right`."""

_OF_PAIRS = ("sign share", "sign share difference", "risk gap difference")
