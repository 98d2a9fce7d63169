"""The metrics that studies know by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from causalassay.arrays import Adjacency
from causalassay.data import Problem
from causalassay.registry import Registry, check_version, first_line

Better = Literal["high", "low"]

Takes = Literal["any", "class", "dag"]
"""What a metric accepts: any graph, a DAG or CPDAG, or a DAG only."""

Resolution = Literal["as-is", "mean", "favourable"]
"""How an estimated class is scored: as it is, by the mean over its DAGs, or by the DAG that the
truth favours."""

RESOLUTIONS: MappingProxyType[Takes, tuple[Resolution, ...]] = MappingProxyType(
    {
        "any": ("as-is", "mean", "favourable"),
        "class": ("as-is",),
        "dag": ("mean", "favourable"),
    }
)
"""The resolutions that make sense for what a metric takes, its default first."""


class Undefined(ValueError):
    """A metric has no value here; the message says why."""


@dataclass(frozen=True)
class GraphMetric:
    """A metric as a study knows it.

    Parameters
    ----------
    score : callable
        Of a problem and a graph.
    better : {"high", "low"}
    takes : {"any", "class", "dag"}
    version : int
        Raised when the number changes: it is part of the key.
    description : str

    Examples
    --------
    >>> METRICS["sid"].better, METRICS["sid"].resolutions
    ('low', ('mean', 'favourable'))
    """

    score: Callable[[Problem, Adjacency], float]
    better: Better
    takes: Takes = "any"
    version: int = 1
    description: str = ""

    @property
    def resolutions(self) -> tuple[Resolution, ...]:
        """The resolutions that make sense, the default first."""
        return RESOLUTIONS[self.takes]

    @property
    def resolution(self) -> Resolution:
        """The default."""
        return self.resolutions[0]


def _prepared(name: str, value: Any) -> GraphMetric:
    """Return a plug-in's class, or an instance of it, as a `GraphMetric`."""
    if isinstance(value, GraphMetric):
        return value
    metric = value() if isinstance(value, type) else value
    check_version(metric, name)
    better: Any = getattr(metric, "better", None)
    takes: Any = getattr(metric, "takes", "any")
    if better not in get_args(Better):
        raise TypeError(f'{name}: `better` is "high" or "low", got {better!r}')
    if takes not in RESOLUTIONS:
        raise TypeError(f'{name}: `takes` is "any", "class" or "dag", got {takes!r}')
    return GraphMetric(metric.score, better, takes, metric.version, first_line(metric))


_BUILT_IN = {
    "f1": "F1",
    "precision": "PRECISION",
    "recall": "RECALL",
    "skeleton_f1": "SKELETON_F1",
    "skeleton_precision": "SKELETON_PRECISION",
    "skeleton_recall": "SKELETON_RECALL",
    "shd": "SHD",
    "shd_double": "SHD_DOUBLE",
    "shd_normalized": "SHD_NORMALIZED",
    "fpr": "FPR",
    "skeleton_shd": "SKELETON_SHD",
    "skeleton_fpr": "SKELETON_FPR",
    "order_score": "ORDER_SCORE",
    "ordered_share": "ORDERED_SHARE",
    "mec_shd": "MEC_SHD",
    "parent_aid": "PARENT_AID",
    "ancestor_aid": "ANCESTOR_AID",
    "oset_aid": "OSET_AID",
    "parent_aid_normalized": "PARENT_AID_NORMALIZED",
    "ancestor_aid_normalized": "ANCESTOR_AID_NORMALIZED",
    "oset_aid_normalized": "OSET_AID_NORMALIZED",
    "sid": "SID",
    "sid_normalized": "SID_NORMALIZED",
    "sid_penalized": "SID_PENALIZED",
    "mec_sid_lower": "MEC_SID_LOWER",
    "mec_sid_upper": "MEC_SID_UPPER",
    "tv_dag": "TV_DAG",
}

_OF_RISK = {"oracle_risk": "ORACLE_RISK", "naive_risk": "NAIVE_RISK"}
"""These are loaded on first use from a later room, for they use its tests of experiments."""

METRICS: Registry[GraphMetric] = Registry(
    "metric",
    "causalassay.metrics",
    {name: f"causalassay.metrics.graph_metrics:{own}" for name, own in _BUILT_IN.items()}
    | {name: f"causalassay.risk.study_metrics:{own}" for name, own in _OF_RISK.items()},
    _prepared,
)
"""By name."""

DEFAULT_METRICS = ("shd", "f1", "sid", "mec_shd")

SERIES_METRICS = ("shd", "f1", "precision", "recall")
"""What estimates of series are scored by, on the summary graph, unless a study says otherwise."""
