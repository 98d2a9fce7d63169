"""The metrics that studies know by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args

from causalassay.common.registry import Registry, check_version, first_line
from causalassay.common.spelling import shown
from causalassay.data import Problem
from causalassay.listing import addresses, display_names

F = TypeVar("F", bound=Callable[..., Any])

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
        A function of a problem and a graph, or of an estimate if `takes` says so.
    better : {"high", "low", "none"}
    takes : {"any", "class", "dag", "estimate"}
    version : int
        Raised when the number changes: it is part of the key.
    description : str
    invariant : bool
        Whether relabelling the nodes leaves the number as it is.
    display_name : str
        What tables, figures and sentences call it; empty: its name.

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
    display_name: str = ""

    @property
    def resolutions(self) -> tuple[Resolution, ...]:
        """The resolutions that make sense, the default first."""
        return RESOLUTIONS[self.takes]

    @property
    def resolution(self) -> Resolution:
        """The default."""
        return self.resolutions[0]


def as_number(value: Any) -> float:
    """Return what a metric or a diagnostic returned as a float; text is no number.

    Examples
    --------
    >>> as_number(True), as_number(2)
    (1.0, 2.0)
    """
    if value is None or isinstance(value, str | bytes):
        raise TypeError(f"it returned {shown(value)}, not a number")
    return float(value)


def _prepared(name: str, value: Any) -> GraphMetric:
    """Return a plug-in's class, or an instance of it, as a `GraphMetric`."""
    value = getattr(value, "declared", value)
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
    shown = str(getattr(metric, "display_name", ""))
    description = first_line(metric)
    return GraphMetric(metric.score, better, takes, metric.version, description, invariant, shown)


def metric(
    better: Better, takes: Takes = "any", version: int = 1, display_name: str = ""
) -> Callable[[F], F]:
    """Declare a function of the true graph and a guess as the metric of its name.

    Parameters
    ----------
    better : {"high", "low", "none"}
    takes : {"any", "class", "dag", "estimate"}
    version : int
        Raised when the number changes: it is part of the key.
    display_name : str
        What tables, figures and sentences call it; by default the name of the function.

    Examples
    --------
    >>> @metric("low")
    ... def n_missed(truth, guess):
    ...     "Return the number of true edges that the guess lacks."
    ...     return (truth & ~guess).sum()
    >>> n_missed.declared.description
    'Return the number of true edges that the guess lacks.'
    """

    def declare(function: F) -> F:
        def score(problem: Problem, guess: Any) -> float:
            return as_number(function(problem.graph, guess))

        description = first_line(function)
        function.__dict__["declared"] = GraphMetric(
            score, better, takes, version, description, display_name=display_name
        )
        return function

    return declare


METRICS: Registry[GraphMetric] = Registry(
    "metric",
    "causalassay.metrics",
    addresses("metrics"),
    _prepared,
)
"""By name; some are of rooms above this one, and loaded on first use."""


def metric_name(metric: str) -> str:
    """Return what tables, figures and sentences call a metric; of built-ins nothing is imported.

    Parameters
    ----------
    metric : str
        Its name, also with a resolution as in the columns of studies.

    Examples
    --------
    >>> metric_name("mec_shd"), metric_name("sid (favourable)"), metric_name("recall")
    ('MEC SHD', 'SID (favourable)', 'recall')
    """
    name, bracket, resolution = metric.partition(" (")
    return (_declared_name(name) or name) + bracket + resolution


def _declared_name(name: str) -> str:
    if name in METRICS.built_in:
        return display_names("metrics")[name]
    try:
        value = METRICS.entry(name).value if name in METRICS.addresses else None
    except ValueError:  # two packages announce one name: studies refuse it, reports go on
        return ""
    return value.display_name if value else ""


_REMARKS = {
    "f1": "F1 counts an undirected edge as one hit and one miss, so it rewards guessed directions"
}


def metric_remark(metric: str) -> str:
    """Return what must be known to read a metric beside others; empty for most.

    Parameters
    ----------
    metric : str
        As in the columns of studies: what is said of a metric may not hold of its resolutions.

    Examples
    --------
    >>> metric_remark("f1"), metric_remark("shd"), metric_remark("f1 (favourable)")
    ('F1 counts an undirected edge as one hit and one miss, so it rewards ...', '', '')
    """
    return _REMARKS.get(metric, "")


DEFAULT_METRICS = ("shd", "f1", "sid", "mec_shd")

SERIES_METRICS = ("shd", "f1", "precision", "recall")
"""What estimates of series are scored by, on the summary graph, unless a study says otherwise."""

CONTROLS = (
    "direction_score",
    "direction_p",
    "skeleton_f1",
    "skeleton_f1_p",
    "skeleton_p",
    "order_score",
    "ordered_share",
    "f1_chance",
    "n_guessed",
)
"""Every study reports these together with F1, unless it says ``controls = false``."""

PROBABILISTIC = tuple(
    f"{of}{name}"
    for of in ("", "skeleton_")
    for name in ("auroc", "auprc", "brier", "calibration_error")
)
"""The metrics of the probabilities of edges: nan for an estimate that has none."""

CHANCES = {name: f"{name}_chance" for name in ("f1", "precision", "recall", "shd", *PROBABILISTIC)}
"""Each of these metrics also has its chance level: the mean over graphs with as many edges at
random places, or what probabilities get that say nothing."""
