"""The results of an audit, as plain values."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from causalassay.data.dataset import World
from causalassay.judging.artefacts import looked_at
from causalassay.judging.data_set import verdict_of
from causalassay.judging.findings import Finding, rules_of
from causalassay.judging.graph_check import GraphCheck
from causalassay.present import Shown
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    import pandas as pd

    from causalassay.present import Document

Limits = tuple[float, float]
Convention = Literal["paths", "pairs"]
Direction = Literal["rising", "falling"]
DIRECTIONS: tuple[Direction, Direction] = ("rising", "falling")

TIE = 1e-9
"""Up to which relative difference two values of a statistic are equal."""

RANDOM_ORDERS = "random orders"
"""The baseline whose scores are means over many orders."""


@dataclass(frozen=True)
class Sortability:
    """How far a statistic of the columns reveals the causal order.

    Parameters
    ----------
    statistic : str
        The name of an artefact of `judging.artefacts`, or of a statistic that is
        none: "SNR", the share of the variance that the graph's parents explain;
        "relatives", the number of columns that a column is correlated with. "R2" is
        on all other columns, of a series on all else at lags 0 to the largest.
    convention : {"paths", "pairs"}
        Which pairs of nodes count; see `diagnostics.pair_weights`.
    value : float
        From 0 to 1: one half tells nothing about the order; 1 gives it away.
    interval : (float, float)
        95 % of the bootstrap over rows; nan of a series.
    p_rising, p_falling : float
        Share of random assignments of the statistic to the nodes that are at
        least as high, or as low.
    note : str
        What a reader must know about the value; often empty.
    rising_is_bound, falling_is_bound : bool
        Whether no random assignment was, so that more of them would make the p-value smaller.
    """

    statistic: str
    convention: Convention
    value: float
    interval: Limits
    p_rising: float
    p_falling: float
    note: str = ""
    rising_is_bound: bool = False
    falling_is_bound: bool = False


@dataclass(frozen=True)
class BaselineScore:
    """How near a baseline comes to the given graph.

    Parameters
    ----------
    algorithm : str
        "sorted by rising variance", and so on for each statistic and direction;
        "random orders"; or the name of an algorithm.
    shd, f1, direction_score, skeleton_f1 : float
        Means over the orders where they are random.
    shd_range, f1_range, direction_range : (float, float), optional
        Central 95 % over these orders.
    p_order : float, optional
        Share of random orders whose direction score is at least as high, for a
        baseline that regresses along an order.
    note : str
        Why there is no score, where there is none.
    statistic : str
        What it sorts by; empty for the other baselines.
    direction : {"rising", "falling", ""}
        Whether it sorts from small to large or from large to small; empty if it does not sort.
    p_is_bound : bool
        Whether no random order was as good, so that more of them would make `p_order` smaller.
    """

    algorithm: str
    shd: float
    f1: float
    shd_range: Limits | None = None
    f1_range: Limits | None = None
    p_order: float | None = None
    note: str = ""
    statistic: str = ""
    direction: Direction | Literal[""] = ""
    p_is_bound: bool = False
    direction_score: float = math.nan
    skeleton_f1: float = math.nan
    direction_range: Limits | None = None


@dataclass(frozen=True)
class ColumnSpread:
    """What the columns tell without a graph.

    Parameters
    ----------
    variance_ratio : float
        Largest over smallest variance.
    equal_variances : bool
        Whether all variances tie: the columns are standardised.
    r2_range : (float, float)
        Smallest and largest R² of a column on all others.
    n_nearly_determined : int
        Columns with R² above 0.99.
    rank_agreement, p_agreement : float
        Spearman's correlation of the order by variance with the order by R²
        and its two-sided p-value; nan if either ties throughout.
    """

    variance_ratio: float
    equal_variances: bool
    r2_range: Limits
    n_nearly_determined: int
    rank_agreement: float
    p_agreement: float


@dataclass(frozen=True)
class ColumnPlace:
    """The place of a column in the true order, and what it could be sorted by.

    Parameters
    ----------
    name : str
        The name of the column.
    depth : int
        Edges on the longest directed path to it; columns that act on each other share theirs.
    statistics : dict
        The value of each statistic by its name.
    """

    name: str
    depth: int
    statistics: dict[str, float]


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """The whole of an audit; without a graph the parts that need one are empty.

    Parameters
    ----------
    n_samples, n_nodes : int
        The numbers of rows and of columns.
    n_edges : int, optional
        None without a graph.
    spread : ColumnSpread, optional
        None for discrete columns, which have no variance.
    sortabilities : tuple of Sortability
        One for each statistic and convention.
    baselines : tuple of BaselineScore
        The scores of sorting, of random orders and of other algorithms.
    findings : tuple of Finding
        All of them; the one on the graph comes last.
    graph_check : GraphCheck, optional
        What the finding on the graph rests on.
    world : {"continuous", "discrete", "series"}
        The kind of data; it decides which statistics are measured.
    columns : tuple of ColumnPlace
        Causes before effects.
    edges : tuple of (str, str)
        Cause and effect by name.
    random_direction_counts : tuple of int
        How many random orders have a direction score in each of some equal bins from -1 to 1.
    attainable_p : float
        The least p-value that any order could have; nan where it was not needed.
    seed : int, optional
        The seed of all random draws; None if a generator was given.
    """

    n_samples: int
    n_nodes: int
    n_edges: int | None
    spread: ColumnSpread | None
    sortabilities: tuple[Sortability, ...]
    baselines: tuple[BaselineScore, ...]
    findings: tuple[Finding, ...]
    graph_check: GraphCheck | None
    world: World = "continuous"
    columns: tuple[ColumnPlace, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    random_direction_counts: tuple[int, ...] = ()
    attainable_p: float = math.nan
    seed: int | None = None

    @property
    def verdict(self) -> Finding:
        """The main finding, the gravest on the order; all that is gameable in one sentence."""
        return verdict_of(self.findings)

    @property
    def rules(self) -> dict[str, str]:
        """How each rule decides that led to a finding, by its name."""
        return {name: rule.text for name, rule in rules_of(self.findings).items()}

    def sorted_by(self, statistic: str, direction: Direction) -> BaselineScore | None:
        """Return what sorting by a statistic reaches; None if that was not tried."""
        rows = (
            row
            for row in self.baselines
            if (row.statistic, row.direction) == (statistic, direction)
        )
        return next(rows, None)

    def edges_rising(self, statistic: str) -> list[tuple[str, str, bool]]:
        """Return cause and effect of each edge, and whether the statistic rises along it."""
        values = {column.name: column.statistics[statistic] for column in self.columns}
        return [
            (cause, effect, start < end and not math.isclose(start, end, rel_tol=TIE))
            for cause, effect in self.edges
            for start, end in [(values[cause], values[effect])]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        whole = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        values: dict[str, Any] = plain_values(
            whole
            | {
                "verdict": self.verdict,
                "rules": self.rules,
                "looked_at": looked_at(self.world),
            }
        )
        return values

    def to_frame(self) -> pd.DataFrame:
        """Return the sortabilities as a data frame."""
        import pandas as pd  # noqa: PLC0415  # takes 0.3 s to import

        return pd.DataFrame([dataclasses.asdict(row) for row in self.sortabilities])

    def document(self) -> Document:
        """Return what the audit shows."""
        from causalassay.auditing.document import audit_document  # noqa: PLC0415  # it imports this

        return audit_document(self)
