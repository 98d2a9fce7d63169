"""What `choose` returns: plain values, which JSON can hold and give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["algorithm", "baseline"]

Interval = tuple[float, float]


@dataclass(frozen=True)
class Density:
    """How many edges a graph has.

    Parameters
    ----------
    directed, undirected : int
    """

    directed: int
    undirected: int

    @property
    def edges(self) -> int:
        """The pairs that are joined."""
        return self.directed + self.undirected


@dataclass(frozen=True)
class RandomGraphs:
    """A risk beside those of random graphs with as many edges, of the same kind.

    Parameters
    ----------
    n_graphs : int
    mean, low, high : float
        Of the random graphs' risks, with their central 95 %.
    share_beaten : float
        Of the random graphs, those with a larger risk.
    p_value : float
        How often a random graph scores at least as well.
    p_corrected : float, optional
        Holm's, over all algorithms; None for a baseline, of which nothing is claimed.
    beaten : bool
        Whether the algorithm is shown to beat random graphs of its density.
    """

    n_graphs: int
    mean: float
    low: float
    high: float
    share_beaten: float
    p_value: float
    p_corrected: float | None = None
    beaten: bool = False


@dataclass(frozen=True)
class RankedRow:
    """One algorithm or baseline.

    Parameters
    ----------
    name : str
    role : {"algorithm", "baseline"}
    density : Density
    n_named : int
        How many columns its graph names as descendants, summed over the intervened columns.
    weighted, naive, cross_validated : float
        The risks; low is better.
    interval : (float, float)
        Of the weighted risk.
    reads : str
        Which rows it reads.
    equal_by_construction : bool
        It reads no interventional rows: its three risks are the same number.
    kind : str
        What it promises its graph to be.
    random : RandomGraphs
    may_be_best : bool
        No other algorithm is shown to have less risk; False for a baseline.
    seconds : float, optional
        What it took, refits included; None for a graph that was not searched for.
    """

    name: str
    role: Role
    density: Density
    n_named: int
    weighted: float
    interval: Interval
    naive: float
    cross_validated: float
    reads: str
    equal_by_construction: bool
    kind: str
    random: RandomGraphs
    may_be_best: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class PairDifference:
    """The weighted risk of one row less that of another, on the same experiments.

    Parameters
    ----------
    first, second : str
    estimate : float
        Negative numbers favour the first.
    interval : (float, float)
    """

    first: str
    second: str
    estimate: float
    interval: Interval


@dataclass(frozen=True)
class Movement:
    """Which columns one condition moved.

    Parameters
    ----------
    condition, target : str
    n_rows : int
    effects : mapping of str to (float or None)
        Of each column, the target included; None where it is undefined (a column that is
        constant) or infinite.
    p_values : mapping of str to (float or None)
    moved : tuple of str
        The columns that count as moved, without the target.
    constant : tuple of str
        Columns that do not vary in this condition.
    """

    condition: str
    target: str
    n_rows: int
    effects: Mapping[str, float | None]
    p_values: Mapping[str, float | None]
    moved: tuple[str, ...]
    constant: tuple[str, ...] = ()


@dataclass(frozen=True)
class CutoffRanking:
    """The weighted risks if a column counts as moved only from some effect on.

    Parameters
    ----------
    least_effect : float
        0 is significance alone.
    share_moved : float
        Of all pairs of an intervened column and another one, those that count.
    risks : mapping of str to float
    """

    least_effect: float
    share_moved: float
    risks: Mapping[str, float]

    def ranking(self) -> tuple[str, ...]:
        """Return the names by ascending risk; ties in their given order."""
        return tuple(sorted(self.risks, key=lambda name: self.risks[name]))


@dataclass(frozen=True)
class FoundGraph:
    """The edges of a graph by the names of its columns.

    Parameters
    ----------
    directed, undirected : tuple of (str, str)
    """

    directed: tuple[tuple[str, str], ...]
    undirected: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PredictionScore:
    """A mean total variation between predictions and measurements, or a difference of two.

    Parameters
    ----------
    value : float, optional
        The less, the better; None where it is undefined, as the others.
    low, high : float, optional
        Its interval, for the mean over experiments like these.
    skill : float, optional
        0 is a perfect prediction, 1 is as good as predicting that nothing changes.
    """

    value: float | None
    low: float | None
    high: float | None
    skill: float | None = None


@dataclass(frozen=True)
class SecondOpinion:
    """How well the same graphs predict experiments left out; no tests of descendants.

    Parameters
    ----------
    reason : str
        Why there is none; empty if there is.
    n_experiments : int
    floor, nothing_changes : float, optional
        The score of a perfect prediction, and that of the empty graph.
    scores : mapping of str to PredictionScore
        Best first, baselines included.
    undoubted : mapping of str to PredictionScore
        The same without the experiments in doubt; empty if all are.
    differences : mapping of str to PredictionScore
        The score of the best less that of each other one.
    doubts : mapping of str to str
        The conditions that may not act on the measured level of their target, and why.
    not_ranked, left_out : mapping of str to str
        Algorithms and conditions without a score, and why.
    """

    reason: str = ""
    n_experiments: int = 0
    floor: float | None = None
    nothing_changes: float | None = None
    scores: Mapping[str, PredictionScore] = field(default_factory=dict)
    undoubted: Mapping[str, PredictionScore] = field(default_factory=dict)
    differences: Mapping[str, PredictionScore] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)
    not_ranked: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """A sentence that a rule gives.

    Parameters
    ----------
    rule : str
        Its name in `choosing.rules`.
    sentence : str
        The claim, then its numbers in brackets; at most 30 words.
    """

    rule: str
    sentence: str


@dataclass(frozen=True)
class MovementTests:
    """How it was decided which columns moved.

    Parameters
    ----------
    test : str
    cutoff : str
    least_effect : float
    n_tests : int
    threshold : float
        The largest p-value that counts, or the |t| to exceed.
    """

    test: str
    cutoff: str
    least_effect: float
    n_tests: int
    threshold: float


@dataclass(frozen=True)
class Choice:
    """Algorithms ranked by one's own experiments.

    Parameters
    ----------
    columns : tuple of str
    n_rows : int
    observational : str
    intervened : tuple of str
        The columns with experiments.
    left_out : mapping of str to str
        The conditions that were not tested, and why.
    tests : MovementTests
    level : float
        Coverage that the intervals aim at.
    claims : tuple of Claim
        The first is the headline.
    rows : tuple of RankedRow
        By ascending weighted risk, algorithms and baselines together.
    random_order : RandomGraphs
        Complete DAGs along random orders; its own risk is their mean.
    not_ranked : mapping of str to str
        Algorithms without a risk, and why.
    differences : tuple of PairDifference
        Of every two rows, the one with less risk first.
    movements : tuple of Movement
    cutoffs : tuple of CutoffRanking
    graphs : mapping of str to FoundGraph
    second_opinion : SecondOpinion
    """

    columns: tuple[str, ...]
    n_rows: int
    observational: str
    intervened: tuple[str, ...]
    left_out: Mapping[str, str]
    tests: MovementTests
    level: float
    rows: tuple[RankedRow, ...]
    random_order: RandomGraphs
    not_ranked: Mapping[str, str]
    differences: tuple[PairDifference, ...] = field(repr=False)
    movements: tuple[Movement, ...] = field(repr=False)
    cutoffs: tuple[CutoffRanking, ...] = field(repr=False)
    graphs: Mapping[str, FoundGraph] = field(repr=False)
    second_opinion: SecondOpinion = field(default=SecondOpinion(), repr=False)
    claims: tuple[Claim, ...] = ()

    @property
    def headline(self) -> str:
        """The sentence to read first."""
        return self.claims[0].sentence

    @property
    def algorithms(self) -> tuple[RankedRow, ...]:
        """The rows among which one is chosen, the least risk first."""
        return tuple(row for row in self.rows if row.role == "algorithm")

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names of the algorithms, the least weighted risk first."""
        return tuple(row.name for row in self.algorithms)

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The algorithms that no other one is shown to beat."""
        return tuple(row.name for row in self.algorithms if row.may_be_best)

    def row(self, name: str) -> RankedRow:
        """Return the row of that name."""
        return next(row for row in self.rows if row.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `from_dict` gives the same choice back."""
        return {"headline": self.headline, **_adapter().dump_python(self, mode="json")}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Choice:
        """Return the choice that `to_dict` wrote; keys that are not its own are ignored."""
        known: Choice = _adapter().validate_python(dict(plain))
        return known

    def _repr_html_(self) -> str:
        from causalassay.choosing.notebook_html import choice_html  # noqa: PLC0415  # needs it

        return choice_html(self)


def _adapter() -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415  # takes 0.2 s to import

    return TypeAdapter(Choice)
