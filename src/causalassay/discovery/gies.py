"""Greedy search over interventional equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.search.equivalence_classes import PHASES, SearchSettings, search_classes
from causalassay.discovery.search.gaussian.bic import interventional_node_statistics
from causalassay.graphs.cpdag import separated_pairs


@dataclass(frozen=True)
class GIES:
    """Search the interventional equivalence classes greedily for the best Gaussian BIC.

    As `GES`, with the rows of all conditions: a row tells about a node's causes unless the node
    was intervened upon, and edges that an intervention separates are directed.

    Parameters
    ----------
    penalty_discount : float
        Multiplies the BIC's penalty, log(n)/2 per parameter, n all rows; 1 is pcalg's λ and
        that of Eigenmann et al. (2020), who run ``phases=("forward", "backward")`` once.
    phases : tuple of str
        Of "forward", "backward" and "turning", in the order in which they run.
    iterate : bool
        Whether to run the phases again until none changes the graph.
    max_parents : int, optional
        The largest number of parents that a node of a member of the class may have.

    Notes
    -----
    The result is the interventional essential graph, kind "pdag"; without any intervention it
    is that of `GES` with the same phases, kind "cpdag". See `GES` for the score, where the
    rows of a node are those in which it was not intervened upon, `Estimate.info` and ties.

    Each node has one intercept for all conditions, as in pcalg, so that means that an
    intervention shifts tell about effects. To have one for each condition, as the package gies
    has, centre the values of each condition.

    All targets must be known. No observational condition is needed if every column is left
    alone in some condition: a family of targets that is conservative. Soft interventions may be
    among them; that a target's causes stay at work is not made use of.

    References
    ----------
    Hauser and Bühlmann (2012), Characterization and greedy learning of interventional Markov
    equivalence classes of directed acyclic graphs, JMLR 13, section 4.

    Examples
    --------
    Observation alone leaves 0—1; with an intervention on 1 the edge is directed.

    >>> import numpy as np
    >>> from causalassay.data import Dataset, Regime
    >>> rng = np.random.default_rng(0)
    >>> cause, noise = rng.normal(size=(2, 200))
    >>> observed = Regime("observed", np.column_stack([cause, cause + noise]))
    >>> set_to_5 = Regime("set to 5", np.column_stack([rng.normal(size=50), [5.0] * 50]), (1,))
    >>> data = Dataset(("dose", "response"), (observed, set_to_5), observational="observed")
    >>> GIES().discover(data, rng).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    penalty_discount: float = 1.0
    phases: tuple[str, ...] = PHASES
    iterate: bool = True
    max_parents: int | None = None

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "all rows with their targets"
    output: ClassVar[Kind] = "pdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "linear Gaussian, acyclic, no hidden common cause, faithful, known targets"
    )
    reference: ClassVar[str] = "Hauser and Bühlmann (2012), JMLR 13"

    def __post_init__(self) -> None:
        self._settings()
        object.__setattr__(self, "phases", tuple(self.phases))

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the interventional essential graph that the search over all rows ends in."""
        statistics = interventional_node_statistics(data)
        targets = [regime.targets or () for regime in data.regimes]
        separated = separated_pairs(targets, data.n_nodes)
        graph, info = search_classes(statistics, separated, self._settings(), data.columns)
        return Estimate(graph, "pdag" if any(targets) else "cpdag", info=info)

    def _settings(self) -> SearchSettings:
        return SearchSettings(self.penalty_discount, self.phases, self.iterate, self.max_parents)
