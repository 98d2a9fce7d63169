"""What of a study the charts show: bounded numbers of algorithms, schemes and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from causalassay.analysis.analysis import Analysis
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import SCHEME, Runs
from causalassay.analysis.summary import Summary

MOST_ALGORITHMS = 32
MOST_SCHEMES = 6
MOST_METRICS = 6
DETAILED_METRICS = 2
"""Metrics of the figures with many panels: the first ones of the study."""


@dataclass(frozen=True, eq=False)
class ChartScope:
    """A study, and the part of it that its charts show.

    Parameters
    ----------
    analysis : Analysis
        Of all algorithms, schemes and metrics.
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
    def scheme_names(self) -> tuple[str, ...]:
        """What charts call the schemes."""
        return tuple(scheme_name(scheme) for scheme in self.schemes)

    @property
    def order(self) -> list[str]:
        """The algorithms as the matrix has them, baselines last."""
        rows = [row.algorithm for row in self.analysis.matrix.rows]
        return sorted(self.algorithms, key=lambda name: (name in self.baselines, rows.index(name)))

    @property
    def runs(self) -> Runs:
        """The rows as arrays."""
        return self.analysis.runs

    @property
    def summary(self) -> Summary:
        """The summary, by scheme."""
        return self.analysis.summary

    @property
    def better(self) -> Mapping[str, str]:
        """For each metric whether "high" or "low" is better."""
        return dict(zip(self.summary.metrics, self.summary.better, strict=True))

    @property
    def detailed(self) -> tuple[str, ...]:
        """The metrics of figures with many panels."""
        return self.metrics[:DETAILED_METRICS]

    def indices(self) -> list[int]:
        """Return the indices in `runs` of the algorithms in the charts."""
        return [self.runs.algorithms.index(name) for name in self.algorithms]

    def has(self, label: str) -> bool:
        """Return whether the study's problems have a label."""
        return label in self.runs.cells

    def is_number(self, label: str) -> bool:
        """Return whether the study's problems have a label and it is a number."""
        if not self.has(label):
            return False
        known = self.runs.cells[label].dropna().infer_objects()
        return len(known) > 0 and is_numeric_dtype(known) and not is_bool_dtype(known)

    def varies(self, label: str) -> bool:
        """Return whether a label is a number that takes several values in the study."""
        return self.is_number(label) and self.runs.cells[label].nunique() > 1


def choose(analysis: Analysis) -> ChartScope:
    """Return what the charts of a study show."""
    runs, metrics = analysis.runs, analysis.summary.metrics
    baselines = tuple(runs.algorithms[index] for index in runs.baselines)
    listed = [name for name in runs.algorithms if name not in baselines]
    kept = set(_best(runs, listed, MOST_ALGORITHMS - len(baselines)))
    schemes = [group.values[0] for group in runs.groups((SCHEME,))] if len(runs.cells) else []
    return ChartScope(
        analysis,
        tuple(name for name in [*listed, *baselines] if name in kept or name in baselines),
        baselines,
        tuple(schemes[:MOST_SCHEMES]),
        metrics[:MOST_METRICS],
        _left_out(listed, kept, schemes, metrics),
    )


def _best(runs: Runs, listed: Sequence[str], most: int) -> Sequence[str]:
    """Return the listed algorithms, or of too many the best by their mean of the first metric."""
    if len(listed) <= most or not runs.scores:
        return listed
    metric, scores = next(iter(runs.scores.items()))
    known = {name: scores[runs.algorithms.index(name)] for name in listed}
    means = {
        name: runs.better[metric] * float(np.nanmean(values))
        if not np.isnan(values).all()
        else -np.inf
        for name, values in known.items()
    }
    return sorted(listed, key=lambda name: -means[name])[: max(most, 1)]


def _left_out(
    listed: Sequence[str], kept: set[str], schemes: Sequence[str], metrics: Sequence[str]
) -> tuple[str, ...]:
    sentences = []
    if len(listed) > len(kept):
        sentences.append(
            f"The charts show the {len(kept)} algorithms with the best mean "
            f"{metric_name(metrics[0])} of {len(listed)}, and all baselines; the tables have all."
        )
    if len(schemes) > MOST_SCHEMES:
        rest = ", ".join(scheme_name(scheme) for scheme in schemes[MOST_SCHEMES:])
        sentences.append(f"The charts leave out the schemes {rest}.")
    if len(metrics) > MOST_METRICS:
        rest = ", ".join(metric_name(metric) for metric in metrics[MOST_METRICS:])
        sentences.append(
            f"The charts show the study's first {MOST_METRICS} metrics and not {rest}."
        )
    return tuple(sentences)
