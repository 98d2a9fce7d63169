"""The metrics that studies know by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from causalassay.common.registry import Registry, check_version, first_line
from causalassay.data import Problem

Better = Literal["high", "low", "none"]
"""Which numbers are good; "none": a control beside the scores, and no score itself."""

Takes = Literal["any", "class", "dag", "estimate"]
"""What a metric accepts: any graph, a DAG or CPDAG, a DAG only, or a whole estimate."""

Resolution = Literal["as-is", "mean", "favourable"]
"""How an estimated class is scored: as it is, by the mean over its DAGs, or by the DAG that the
truth favours."""

RESOLUTIONS: MappingProxyType[Takes, tuple[Resolution, ...]] = MappingProxyType(
    {
        "any": ("as-is", "mean", "favourable"),
        "class": ("as-is",),
        "dag": ("mean", "favourable"),
        "estimate": ("as-is",),
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
        Of a problem and a graph; of an estimate if that is what it takes.
    better : {"high", "low", "none"}
    takes : {"any", "class", "dag", "estimate"}
    version : int
        Raised when the number changes: it is part of the key.
    description : str
    invariant : bool
        Whether relabelling the nodes leaves the number as it is.

    Examples
    --------
    >>> METRICS["sid"].better, METRICS["sid"].resolutions
    ('low', ('mean', 'favourable'))
    """

    score: Callable[[Problem, Any], float]
    better: Better
    takes: Takes = "any"
    version: int = 1
    description: str = ""
    invariant: bool = True

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
        raise TypeError(f'{name}: `better` is "high", "low" or "none", got {better!r}')
    if takes not in RESOLUTIONS:
        raise TypeError(f'{name}: `takes` is "any", "class", "dag" or "estimate", got {takes!r}')
    invariant = bool(getattr(metric, "invariant", True))
    return GraphMetric(metric.score, better, takes, metric.version, first_line(metric), invariant)


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
    "shd_best_threshold": "SHD_BEST_THRESHOLD",
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
    "sid_best_threshold": "SID_BEST_THRESHOLD",
    "sid_penalized": "SID_PENALIZED",
    "mec_sid_lower": "MEC_SID_LOWER",
    "mec_sid_upper": "MEC_SID_UPPER",
    "tv_dag": "TV_DAG",
    "f1_chance": "F1_CHANCE",
    "precision_chance": "PRECISION_CHANCE",
    "recall_chance": "RECALL_CHANCE",
    "shd_chance": "SHD_CHANCE",
    "skeleton_p": "SKELETON_P",
    "n_guessed": "N_GUESSED",
}
_OF_JUDGING = {"f1_p": "causalassay.judging.order_measures:F1_P"}
"""By address: regressing along orders is above this room."""

_OF_RISK = {
    "oracle_risk": "ORACLE_RISK",
    "naive_risk": "NAIVE_RISK",
    "weighted_risk": "WEIGHTED_RISK",
}
"""These are loaded on first use from a later room, for they use its tests of experiments."""

METRICS: Registry[GraphMetric] = Registry(
    "metric",
    "causalassay.metrics",
    {name: f"causalassay.metrics.graph_metrics:{own}" for name, own in _BUILT_IN.items()}
    | _OF_JUDGING
    | {name: f"causalassay.risk.study_risk:{own}" for name, own in _OF_RISK.items()},
    _prepared,
)
"""By name."""

DEFAULT_METRICS = ("shd", "f1", "sid", "mec_shd")

SERIES_METRICS = ("shd", "f1", "precision", "recall")
"""What estimates of series are scored by, on the summary graph, unless a study says otherwise."""

CONTROLS = ("order_score", "ordered_share", "f1_chance", "skeleton_p", "f1_p", "n_guessed")
"""What stands beside F1 in every study, unless it says ``controls = false``."""

CHANCES = {name: f"{name}_chance" for name in ("f1", "precision", "recall", "shd")}
"""Beside these metrics also stands what as many edges at random places have."""
