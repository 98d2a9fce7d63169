"""What of a study the charts show: bounded numbers of algorithms, schemes and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causalassay.analysis.runs import SCHEME, Runs, Table, arrange
from causalassay.analysis.summary import Summary

FAMILY, NODES, SAMPLES = "graph.kind", "graph.n_nodes", "samples"
"""Labels that charts group by."""
MOST_ALGORITHMS = 24
MOST_SCHEMES = 6
MOST_METRICS = 6
DETAILED_METRICS = 2
"""Metrics of the figures with many panels: the first ones of the study."""


@dataclass(frozen=True, eq=False)
class Scope:
    """A study as its charts show it.

    Parameters
    ----------
    runs : Runs
        Of all algorithms, with the labels that there are.
    summary : Summary
    algorithms : tuple of str
        Those shown: listed ones first.
    baselines : tuple of str
        Those of them that stand for comparison.
    schemes, metrics : tuple of str
        Those shown.
    left_out : tuple of str
        Sentences: what is not shown, and where it is.
    """

    runs: Runs
    summary: Summary
    algorithms: tuple[str, ...]
    baselines: tuple[str, ...]
    schemes: tuple[str, ...]
    metrics: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def better(self) -> Mapping[str, str]:
        """For each metric whether "high" or "low" is better."""
        return dict(zip(self.summary.metrics, self.summary.better, strict=True))

    @property
    def detailed(self) -> tuple[str, ...]:
        """The metrics of figures with many panels."""
        return self.metrics[:DETAILED_METRICS]

    def places(self) -> list[int]:
        """Return the places of the algorithms shown in `runs`."""
        return [self.runs.algorithms.index(name) for name in self.algorithms]

    def has(self, label: str) -> bool:
        """Return whether the study's problems have a label."""
        return label in self.runs.cells


def choose(table: Table, summary: Summary) -> Scope:
    """Return what the charts of a study show.

    Raises
    ------
    ValueError
        If the summary is not grouped by the scheme alone.
    """
    if tuple(summary.by) != (SCHEME,):
        raise ValueError(
            f"expected a summary by scheme, got one by {list(summary.by)}; call summarize(table)"
        )
    labels = [name for name in (FAMILY, NODES, SAMPLES) if name in table.frame]
    runs = arrange(table, (SCHEME, *labels))
    baselines = tuple(runs.algorithms[place] for place in runs.baselines)
    listed = [name for name in runs.algorithms if name not in baselines]
    kept = set(_best(runs, listed, MOST_ALGORITHMS - len(baselines)))
    schemes = [group.values[0] for group in runs.groups((SCHEME,))] if len(runs.cells) else []
    return Scope(
        runs,
        summary,
        tuple(name for name in [*listed, *baselines] if name in kept or name in baselines),
        baselines,
        tuple(schemes[:MOST_SCHEMES]),
        summary.metrics[:MOST_METRICS],
        _told(listed, kept, schemes, summary.metrics),
    )


def _best(runs: Runs, listed: Sequence[str], most: int) -> Sequence[str]:
    """Return the listed algorithms, or of too many the best by their mean of the first metric."""
    if len(listed) <= most or not runs.scores:
        return listed
    metric, scores = next(iter(runs.scores.items()))
    known = {name: scores[runs.algorithms.index(name)] for name in listed}
    means = {
        name: runs.better[metric] * float(np.nanmean(found))
        if not np.isnan(found).all()
        else -np.inf
        for name, found in known.items()
    }
    return sorted(listed, key=lambda name: -means[name])[: max(most, 1)]


def _told(
    listed: Sequence[str], kept: set[str], schemes: Sequence[str], metrics: Sequence[str]
) -> tuple[str, ...]:
    said = []
    if len(listed) > len(kept):
        said.append(
            f"The charts show the {len(kept)} algorithms with the best mean {metrics[0]} of "
            f"{len(listed)}, and all baselines; the tables have all."
        )
    if len(schemes) > MOST_SCHEMES:
        said.append(f"The charts leave out the schemes {', '.join(schemes[MOST_SCHEMES:])}.")
    if len(metrics) > MOST_METRICS:
        rest = ", ".join(metrics[MOST_METRICS:])
        said.append(f"The charts show the study's first {MOST_METRICS} metrics and not {rest}.")
    return tuple(said)
