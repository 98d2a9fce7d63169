"""The result of a risk estimation, as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from causalassay.common.arrays import Adjacency
from causalassay.common.spelling import did_you_mean
from causalassay.contracts import Kind
from causalassay.present import Block, Column, Document, GraphFigure, Interval, Shown, Table
from causalassay.present.drawing import show
from causalassay.present.formatting import counted, interval
from causalassay.present.json_values import plain_values
from causalassay.risk.cross_validation import Intervals
from causalassay.risk.descendants import Descendants
from causalassay.risk.fits import NEVER_INTERVENTIONAL, NOT_STATED

if TYPE_CHECKING:
    import pandas as pd

KINDS = {"naive": "naive", "cross_validated": "cross-validated", "weighted": "weighted"}
"""The three risks, and what tables call them."""

AS_NAIVE = "as naive"
"""In place of a risk that equals the naive one by construction."""


@dataclass(frozen=True, eq=False, repr=False)
class Risk(Shown):
    """The estimated causal risk of an algorithm on a data set.

    Parameters
    ----------
    naive : float
        Mean loss over the intervened nodes, all data given to the algorithm.
    cross_validated : float
        The same, each node's experiments withheld from the algorithm.
    weighted : float
        |I|/p · naive + (p - |I|)/p · cross_validated, the estimate to use.
    intervals : Intervals
        The intervals of the three risks.
    naive_losses, held_out_losses : mapping of int to float
        The loss of each intervened node.
    descendants : Descendants
        What the algorithm was compared with, and what was left out.
    folds : tuple of tuple of int
        The nodes whose experiments were withheld together.
    graph : Adjacency
        The algorithm's graph from all data.
    reads : str
        Which rows the algorithm reads, one of `causalassay.contracts.Reads`, or
        "not stated".
    kind : str
        What the algorithm promises its graphs to be: "dag", "cpdag" or "pdag".
    held_out_graphs : mapping of int to Adjacency
        The graph without the experiments on each intervened node. For an algorithm that
        reads no interventional rows this is `graph`.
    seed : int, optional
        The seed of all random draws; None if a generator was given.
    """

    naive: float
    cross_validated: float
    weighted: float
    intervals: Intervals
    naive_losses: Mapping[int, float]
    held_out_losses: Mapping[int, float]
    descendants: Descendants
    folds: tuple[tuple[int, ...], ...]
    graph: Adjacency
    reads: str = NOT_STATED
    kind: Kind = "pdag"
    held_out_graphs: Mapping[int, Adjacency] = field(default_factory=dict)
    seed: int | None = None

    @property
    def refitted(self) -> bool:
        """Whether the algorithm was run again without experiments.

        One that reads no interventional rows was not: its three risks are equal
        by construction, which is no finding.
        """
        return self.reads not in NEVER_INTERVENTIONAL

    @property
    def intervened(self) -> tuple[int, ...]:
        """The nodes over which the risk was estimated."""
        return self.descendants.nodes

    @property
    def left_out(self) -> Mapping[str, str]:
        """The conditions whose effects were not tested, and why."""
        return self.descendants.left_out

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; undefined numbers become None."""
        numbers = {
            kind: {"estimate": getattr(self, kind), "interval": getattr(self.intervals, kind)}
            for kind in KINDS
        }
        whole = {
            "reads": self.reads,
            "kind": self.kind,
            "equal_by_construction": not self.refitted,
            "level": self.intervals.level,
            **numbers,
            "n_intervened": len(self.intervened),
            "n_columns": len(self.graph),
            "seed": self.seed,
        }
        plain: dict[str, Any] = plain_values(whole)
        return plain

    def cells(self) -> list[object]:
        """Return the three risks for a table; one that equals the naive by construction says so."""
        if not self.refitted:
            return [Interval(self.naive, *self.intervals.naive), AS_NAIVE, AS_NAIVE]
        return [Interval(getattr(self, kind), *getattr(self.intervals, kind)) for kind in KINDS]

    def document(self) -> Document:
        """Return the three risks with their intervals, and the algorithm's graph."""
        columns = (Column("risk", "risk"), Column("estimate", "estimate and interval", "fixed"))
        rows = list(zip(KINDS.values(), self.cells(), strict=True))
        drawing = show(self.graph, self.descendants.columns)
        caption = f"The algorithm's graph: {drawing.caption}."
        weighted = interval(Interval(self.weighted, *self.intervals.weighted))
        return Document(
            "Causal risk",
            f"The weighted causal risk is {weighted}; low is better.",
            [
                Table("risks", columns, rows, "Risks of the algorithm"),
                GraphFigure("graph", drawing._repr_svg_, caption),
            ],
            about=f"{len(self.intervened)} intervened of {counted(len(self.graph), 'variable')}; "
            f"the algorithm reads: {self.reads}",
        )


@dataclass(frozen=True)
class Difference:
    """The risk of one algorithm minus that of another, on the same interventions.

    Parameters
    ----------
    first, second : str
        Negative numbers favour the first.
    naive, cross_validated, weighted : float
        The difference in each of the three risks.
    intervals : Intervals
        Both algorithms meet the same resampled interventions.
    """

    first: str
    second: str
    naive: float
    cross_validated: float
    weighted: float
    intervals: Intervals

    def reversed(self) -> Difference:
        """Return the risk of the second less that of the first."""
        means = (-self.naive, -self.cross_validated, -self.weighted)
        return Difference(self.second, self.first, *means, self.intervals.mirrored())


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """The risks of several algorithms on the same folds and descendants.

    Parameters
    ----------
    risks : mapping of str to Risk
        By algorithm.
    differences : tuple of Difference
        One for each ordered pair of algorithms.
    not_ranked : mapping of str to str
        The algorithms without a risk, and why: they do not apply to the data, or failed.
    """

    risks: Mapping[str, Risk]
    differences: tuple[Difference, ...]
    not_ranked: Mapping[str, str] = field(default_factory=dict)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names by ascending weighted risk, nan last; ties stay in the given order."""
        weighted = {name: risk.weighted for name, risk in self.risks.items()}
        return tuple(
            sorted(weighted, key=lambda name: (math.isnan(weighted[name]), weighted[name]))
        )

    def difference(self, first: str, second: str) -> Difference:
        """Return the risk of `first` less that of `second`."""
        for name in (first, second):
            if name not in self.risks:
                raise ValueError(
                    f"no risk of {name!r} was estimated; {did_you_mean(name, self.risks)}"
                )
        for difference in self.differences:
            if (difference.first, difference.second) == (first, second):
                return difference
        raise ValueError(f"a difference needs two algorithms, got {first!r} twice")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, the least weighted risk first.

        An algorithm without a risk is a row with nothing but its reason.
        """
        ranked = {name: self.risks[name].to_dict() for name in self.ranking}
        return ranked | {name: {"not_ranked": why} for name, why in self.not_ranked.items()}

    def to_frame(self) -> pd.DataFrame:
        """Return the risks as a data frame, the least weighted one first."""
        import pandas as pd  # noqa: PLC0415  # takes a while

        rows = []
        for name in self.ranking:
            row: dict[str, object] = {"algorithm": name, "reads": self.risks[name].reads}
            for kind in KINDS:
                low, high = getattr(self.risks[name].intervals, kind)
                value = getattr(self.risks[name], kind)
                row |= {kind: value, f"{kind}_low": low, f"{kind}_high": high}
            rows.append(row)
        return pd.DataFrame(rows)

    def document(self) -> Document:
        """Return the risks side by side, the least weighted one first."""
        columns = (
            Column("algorithm", "algorithm"),
            Column("reads", "reads", priority=1),
            Column("naive", "naive", "fixed", priority=2),
            Column("cross_validated", "cross-validated", "fixed", priority=3),
            Column("weighted", "weighted", "fixed"),
        )
        risks = ((name, self.risks[name]) for name in self.ranking)
        rows = [(name, risk.reads, *risk.cells()) for name, risk in risks]
        title = "Causal risk, low is better: estimate and interval"
        return Document(
            "Comparison by causal risk",
            least_headline("weighted causal risk", self.ranking),
            [Table("comparison", columns, rows, title), *not_ranked_tables(self.not_ranked)],
        )

    def __str__(self) -> str:
        from causalassay.present.terminal import document_text  # noqa: PLC0415  # loads rich

        return document_text(self.document())


def least_headline(quantity: str, ranking: Sequence[str]) -> str:
    """Return which algorithm has the least of a quantity."""
    if not ranking:
        return "No algorithm is ranked."
    return f"{ranking[0]} has the least {quantity} of {len(ranking)}, by estimate."


def reasons_table(
    identity: str, heading: str, title: str, reasons: Mapping[str, str], key: str = "name"
) -> Table:
    """Return names and a reason for each, such as why it is left out."""
    columns = (Column(key, heading), Column("reason", "reason"))
    return Table(identity, columns, list(reasons.items()), title)


def not_ranked_tables(reasons: Mapping[str, str]) -> list[Block]:
    """Return the table of algorithms that are not ranked; nothing if all are."""
    title = "Algorithms that are not ranked"
    table = reasons_table("not-ranked", "not ranked", title, reasons, key="algorithm")
    return [table] if reasons else []
