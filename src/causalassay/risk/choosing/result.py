"""What `choose` returns: plain values, which JSON can hold and give back."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.spelling import did_you_mean
from causalassay.graphs import write_graph
from causalassay.judging.findings import Finding, rules_of
from causalassay.present import Shown
from causalassay.risk.choosing.claims import (
    MutualPairs,
    combined_ranks,
    find_mutual_pairs,
    make_claims,
    next_step,
)
from causalassay.risk.tests import Scale

if TYPE_CHECKING:
    import pandas as pd

    from causalassay.present import Document

Role = Literal["algorithm", "baseline"]

Interval = tuple[float, float]


@dataclass(frozen=True)
class Density:
    """How many edges a graph has.

    Parameters
    ----------
    directed, undirected : int
        The numbers of edges of each kind.
    """

    directed: int
    undirected: int

    @property
    def edges(self) -> int:
        """The pairs that are joined."""
        return self.directed + self.undirected


@dataclass(frozen=True)
class RandomGraphs:
    """A risk beside those of the same graph with its columns exchanged at random.

    Parameters
    ----------
    n_graphs : int
        The number of random graphs.
    mean, low, high : float
        The mean risk of the random graphs, and the ends of their central 95 %.
    share_beaten : float
        The share of random graphs with a larger risk.
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
        The label of the algorithm, or the name of the baseline.
    role : {"algorithm", "baseline"}
        A baseline is ranked as well, but nothing is claimed of it.
    density : Density
        The edges of its graph.
    n_named : int
        How many columns its graph names as descendants, summed over the intervened columns.
    weighted, naive, cross_validated : float
        The risks; low is better.
    interval : (float, float)
        The interval of the weighted risk.
    reads : str
        Which rows it reads.
    equal_by_construction : bool
        It reads no interventional rows: its three risks are the same number.
    kind : str
        What it promises its graph to be.
    random : RandomGraphs
        Its risk beside those of random graphs of the same density.
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
        The names of the two rows.
    estimate : float
        Negative numbers favour the first.
    interval : (float, float)
        The interval of the difference.
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
        The name of the condition, and the column that it acts on.
    n_rows : int
        The number of rows measured under the condition.
    effects : mapping of str to (float or None)
        The effect on each column, the target included; None where it is undefined (the
        column is constant) or infinite.
    p_values : mapping of str to (float or None)
        The p-value of each column's test; None where it is undefined.
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
        The share of pairs (an intervened column and another one) that count as moved.
    risks : mapping of str to float
        The weighted risk of each row by its name.
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
        Pairs of names; a directed edge goes from the first to the second.
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
    share_predicted : float, optional
        The share of the change that is predicted: 1 is a perfect prediction, 0 is as good as
        predicting that nothing changes, and less than 0 is worse.
    n_experiments : int
        Over which it is a mean.
    """

    value: float | None
    low: float | None
    high: float | None
    share_predicted: float | None = None
    n_experiments: int = 0


@dataclass(frozen=True)
class SecondOpinion:
    """How well the same graphs predict experiments left out; no tests of descendants.

    Parameters
    ----------
    reason : str
        Why there is none; empty if there is.
    n_experiments : int
        The number of experiments that were predicted.
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
class LikelihoodScore:
    """How probable the rows are under a graph; more is better.

    Parameters
    ----------
    value : float
        By how much the log density exceeds that of the empty graph.
    behind, error : float
        By how much that of the best algorithm is larger, and the standard error of this paired
        difference. Negative for a baseline that is better than all algorithms.
    """

    value: float
    behind: float
    error: float


@dataclass(frozen=True)
class LikelihoodOpinion:
    """How probable the rows are under the graphs, with each target cut from its parents.

    Parameters
    ----------
    reason : str
        Why there is none; empty if there is.
    n_experiments : int
        The number of intervened columns whose experiments were left out in turn.
    bic : mapping of str to LikelihoodScore
        The interventional BIC of the graph from all rows; best first, baselines included.
    held_out : mapping of str to LikelihoodScore
        The mean log density of a row of an experiment, under the graph that was found and fitted
        without it; best first.
    over_default : mapping of str to (float, float)
        What each gains in BIC over the default, and the standard error of the difference.
    not_ranked : mapping of str to str
        Algorithms without a score, and why.
    """

    reason: str = ""
    n_experiments: int = 0
    bic: Mapping[str, LikelihoodScore] = field(default_factory=dict)
    held_out: Mapping[str, LikelihoodScore] = field(default_factory=dict)
    over_default: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    not_ranked: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MovementTests:
    """How it was decided which columns moved.

    Parameters
    ----------
    test : str
        The name of the two-sample test.
    cutoff : str
        How the bound of the tests was found, as code.
    cutoff_name : str
        "Bonferroni", "SimulatedMax" or "Fixed".
    cutoff_level : float, optional
        Probability of any false alarm at which it aims; None if it is fixed.
    scale : {"p value", "t"}
        What the bound is on.
    least_effect : float
        A column counts as moved only if its effect is at least this large; 0 sets no limit.
    n_tests : int
        The number of tests that the cut-off corrects for.
    threshold : float
        The largest p-value that counts, or the |t| to exceed.
    """

    test: str
    cutoff: str
    cutoff_name: str
    cutoff_level: float | None
    scale: Scale
    least_effect: float
    n_tests: int
    threshold: float


@dataclass(frozen=True, repr=False)
class Choice(Shown):
    """Algorithms ranked by one's own experiments.

    Parameters
    ----------
    columns : tuple of str
        The names of the columns.
    n_rows : int
        The number of rows, of all conditions together.
    observational : str
        The name of the observational condition.
    intervened : tuple of str
        The columns with experiments.
    left_out : mapping of str to str
        The conditions that were not tested, and why.
    tests : MovementTests
        How it was decided which columns moved.
    level : float
        Coverage that the intervals aim at.
    rows : tuple of RankedRow
        By ascending weighted risk, algorithms and baselines together.
    random_order : RandomGraphs
        Complete DAGs along random orders; its own risk is their mean.
    not_ranked : mapping of str to str
        Algorithms without a risk, and why.
    lacking : mapping of str to str
        What some of these lack, for programs: "known targets", "series" or "setting".
    unknown_targets : tuple of str
        The conditions whose targets are unknown.
    differences : tuple of PairDifference
        One for every two rows; the row with less risk comes first.
    movements : tuple of Movement
        Which columns each tested condition moved.
    cutoffs : tuple of CutoffRanking
        The risks at each cut-off on effect size.
    graphs : mapping of str to FoundGraph
        The graph of each algorithm by its label.
    second_opinion : SecondOpinion
        How well the graphs predict experiments that were left out.
    likelihoods : LikelihoodOpinion
        How probable the rows are under the graphs.
    default : str
        The algorithm to take unless another one is better beyond one standard error; empty if
        none of them is ranked.
    seed : int, optional
        The seed of all random draws; None if a generator was given.
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
    lacking: Mapping[str, str]
    unknown_targets: tuple[str, ...]
    differences: tuple[PairDifference, ...]
    movements: tuple[Movement, ...]
    cutoffs: tuple[CutoffRanking, ...]
    graphs: Mapping[str, FoundGraph]
    second_opinion: SecondOpinion = SecondOpinion()
    likelihoods: LikelihoodOpinion = LikelihoodOpinion(reason="it was not asked for")
    default: str = ""
    seed: int | None = None

    @cached_property
    def claims(self) -> tuple[Finding, ...]:
        """What the rules say; the first is the headline."""
        return make_claims(self)

    @property
    def headline(self) -> str:
        """The sentence to read first."""
        return self.claims[0].sentence

    @property
    def next_step(self) -> str:
        """What to do now, in one sentence."""
        return next_step(self)

    @property
    def chosen(self) -> str | None:
        """The name of the algorithm to take; None if these experiments cannot choose."""
        return self.reason.algorithm

    @property
    def reason(self) -> Finding:
        """Why it is taken, or why none is; its `kind` is an id for programs."""
        return self.claims[0]

    @cached_property
    def combined_ranks(self) -> dict[str, float]:
        """The mean rank by weighted risk, interventional BIC and held-out likelihood, 1 the best.

        Of the algorithms that have all three, best first.
        """
        return combined_ranks(self)

    @cached_property
    def mutual_pairs(self) -> MutualPairs:
        """The pairs of targets that move each other, which no acyclic graph explains."""
        return find_mutual_pairs(self.movements, self.tests.least_effect)

    @property
    def rules(self) -> dict[str, str]:
        """How the rules of the claims decide, and how often each was wrong."""
        return {name: rule.text for name, rule in rules_of(self.claims).items()}

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
        rows = {row.name: row for row in self.rows}
        if name not in rows:
            raise ValueError(f"there is no row {name!r}; {did_you_mean(name, rows)}")
        return rows[name]

    def matrix(self, name: str) -> Adjacency:
        """Return the graph of a row as a matrix."""
        position = {column: k for k, column in enumerate(self.columns)}
        graph = np.zeros((len(position), len(position)), dtype=bool)
        edges = self.graphs[name]
        for cause, effect in (*edges.directed, *edges.undirected):
            graph[position[cause], position[effect]] = True
        for first, second in edges.undirected:
            graph[position[second], position[first]] = True
        return graph

    def write_graphs(self, folder: Path) -> list[Path]:
        """Write the graph of each algorithm as an edge list; return the files.

        Letters of a name that no file should have become hyphens; names that would then be the
        same file get a number.
        """
        folder.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        for name in self.ranking:
            stem = re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:100] or "graph"
            path = folder / f"{stem}.csv"
            if path in written:
                path = folder / f"{stem}-{len(written) + 1}.csv"
            write_graph(path, self.matrix(name), self.columns)
            written.append(path)
        return written

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `from_dict` gives the same choice back."""
        stated = {
            "headline": self.headline,
            "next_step": self.next_step,
            "chosen": self.chosen,
            "reason": self.reason.kind.value,
            "combined_ranks": self.combined_ranks,
            "mutual_pairs": [list(pair) for pair in self.mutual_pairs.found],
            "claims": [claim.to_dict() for claim in self.claims],
            "rules": self.rules,
        }
        return stated | _adapter().dump_python(self, mode="json")

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Choice:
        """Return the choice that `to_dict` wrote; keys that are not its own are ignored."""
        known: Choice = _adapter().validate_python(dict(plain))
        return known

    def to_frame(self) -> pd.DataFrame:
        """Return the ranking as a data frame, a row for each algorithm and baseline."""
        import pandas as pd  # noqa: PLC0415  # takes a while

        records = []
        for row in self.rows:
            plain = {name: value for name, value in vars(row).items() if name not in _NESTED}
            low, high = row.interval
            records.append(
                plain
                | {"low": low, "high": high, **vars(row.density)}
                | _beside(row)
                | self._opinions(row.name)
            )
        return pd.DataFrame(records)

    def _opinions(self, name: str) -> dict[str, float]:
        """Return the further scores of a row; nan where it has none."""
        bic, held_out = (of.get(name) for of in (self.likelihoods.bic, self.likelihoods.held_out))
        return {
            "bic": bic.value if bic else math.nan,
            "held_out_likelihood": held_out.value if held_out else math.nan,
            "combined_rank": self.combined_ranks.get(name, math.nan),
        }

    def document(self) -> Document:
        """Return what the choice shows."""
        from causalassay.risk.choosing.document import choice_document  # noqa: PLC0415  # needs it

        return choice_document(self)


_NESTED = ("density", "interval", "random")


def _beside(row: RankedRow) -> dict[str, object]:
    random = row.random
    return {
        "beats_random": random.beaten,
        "share_beaten": random.share_beaten,
        "p_random": random.p_value,
        "p_corrected": random.p_corrected,
    }


def _adapter() -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415  # takes 0.2 s to import

    return TypeAdapter(Choice)
