"""PC: drop the edges that some test of independence explains away, then direct the rest."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.fisher_z import (
    FisherZ,
    check_test,
    largest_independent,
    z_scales,
)
from causalassay.discovery.independence.g_test import GTest
from causalassay.discovery.independence.pc_skeleton_any_test import (
    Bits,
    count_tests,
    skeleton_by_any_test,
)
from causalassay.discovery.independence.pc_skeleton_fisher_z import skeleton_by_fisher_z
from causalassay.discovery.independence.pc_skeleton_in_order import skeleton_in_order
from causalassay.discovery.statistics.discrete import is_discrete, level_statistics
from causalassay.discovery.statistics.gaussian import gaussian_statistics
from causalassay.graphs import is_cpdag, is_dag, meek_closure
from causalassay.graphs.cpdag import directed_part


@dataclass(frozen=True)
class PC:
    """Remove edges by tests of conditional independence, then direct what they imply.

    PC-stable with Fisher's z test of partial correlations, or with the G test where all
    columns are discrete. The result does not depend on the order of the columns. The
    original PC is ``PC(stable=False)``, whose result does.

    Parameters
    ----------
    alpha : float
        The level of each test.
    max_condition : int, optional
        The largest conditioning set. By default the graph limits it, and with Fisher's z
        the number of rows: n - |S| - 3 must be positive.
    stable : bool
        Whether neighbours are those before the first test of a size. False is the original
        PC: an edge goes at once, in the order of the columns, and its separating set is the
        first one found. Only choice 1 below differs then; 2 and 3 stay.

    Notes
    -----
    A pair is separated if any set of the current size among either node's neighbours,
    as they were before the first test of that size, makes the two independent. Then:

    1. the separating set is the union of all such sets, not the first one found;
    2. i—k—j with i and j apart and k not in their separating set becomes i→k←j, all
       at once; an edge that is so claimed in both directions stays undirected, and
       only Meek's rules may direct it;
    3. Meek's rules are applied to all edges at once, `graphs.meek_closure`.

    With the usual choices, the first set found and the last collider's word, a mere
    permutation of the columns changes most results. What these three leave is rounding:
    a test within a few rounding errors of its limit.

    The declared output is "pdag", for errors of tests can contradict each other so that
    no DAG has the tests' verdicts: arrows may even form a cycle. Where the graph is a
    CPDAG the estimate's kind says so.

    `Estimate.info` has the number of ``tests``, counted from both ends of an edge; the
    ``largest_condition`` tested; what left tests undone, ``limited_by`` "max_condition" or
    "n_samples", or None; ``conflicts``, the number of edges claimed in both directions;
    and ``cyclic``, whether the arrows form a cycle.

    The G test counts the full product of levels as degrees of freedom, see `g_test.GTest`:
    where there are few rows a cell it takes nearly everything for independent.

    `NotApplicable` is raised where a test is undefined since columns are linearly
    dependent; where some columns are discrete and others are not; and before more than
    10^12 tests of one size (10^8 G tests, or tests of the original PC).

    Departs from the paper: the three choices above; and, if stable, the sets of both
    nodes' neighbours are always tested to the end, which the union needs.

    References
    ----------
    Spirtes, Glymour, Scheines (2000), Causation, Prediction, and Search, section 5.4.2.
    Colombo, Maathuis (2014), Order-independent constraint-based causal structure
    learning, JMLR 15, algorithms 3.2 (the original) and 4.1 (PC-stable).

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise, more = rng.normal(size=(4, 500))
    >>> collider = a + b + noise
    >>> data = Dataset.from_values(np.column_stack([a, b, collider, collider + more]))
    >>> estimate = PC().discover(data, rng)
    >>> estimate.kind, estimate.graph.astype(int)
    ('cpdag', array([[0, 0, 1, 0],
                     [0, 0, 1, 0],
                     [0, 0, 0, 1],
                     [0, 0, 0, 0]]))
    """

    alpha: float = 0.01
    max_condition: int | None = None
    stable: bool = True

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "pdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "linear Gaussian or discrete, acyclic, no hidden common cause, faithful"
    )
    reference: ClassVar[str] = "Colombo, Maathuis (2014), JMLR 15, algorithm 4.1"

    def __post_init__(self) -> None:
        check_test(self.alpha, self.max_condition)
        if not isinstance(self.stable, bool):
            raise ValueError(f"stable: expected true or false, got {self.stable!r}")

    @property
    def equivariant(self) -> bool:
        """Whether relabelling the columns relabels the result: not so for the original PC."""
        return self.stable

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the PDAG of the observational rows; nothing in it is random."""
        largest = data.n_nodes - 2
        if self.max_condition is not None:
            largest = min(largest, self.max_condition)
        skeleton, separating, n_tests = self._skeleton(data, largest)
        directed, n_conflicts = _direct_colliders(skeleton, separating)
        graph = meek_closure(directed)
        limited_by = None
        if count_tests(skeleton, len(n_tests)):
            limited_by = "max_condition" if largest == self.max_condition else "n_samples"
        info = {
            "tests": sum(n_tests),
            "largest_condition": len(n_tests) - 1,
            "limited_by": limited_by,
            "conflicts": n_conflicts,
            "cyclic": not is_dag(directed_part(graph)),
        }
        return Estimate(graph, "cpdag" if is_cpdag(graph) else "pdag", info=info)

    def _skeleton(self, data: Dataset, largest: int) -> tuple[Adjacency, Bits, list[int]]:
        d = data.n_nodes
        if is_discrete(data):
            minus_log_p = GTest(level_statistics(data)).minus_log_p
            if self.stable:
                return skeleton_by_any_test(d, minus_log_p, self.alpha, largest)
            limit = -log(self.alpha)
            return skeleton_in_order(
                d, lambda i, j, given: bool(minus_log_p(i, [j], given)[0] <= limit), largest
            )
        statistics = gaussian_statistics(data)
        limits = largest_independent(self.alpha, z_scales(statistics.n_samples, largest))
        if self.stable:
            return skeleton_by_fisher_z(statistics.correlation, limits, data)
        test = FisherZ(statistics.correlation, limits, data)
        return skeleton_in_order(d, test.independent, len(limits) - 1)


def _direct_colliders(skeleton: Adjacency, separating: Bits) -> tuple[Adjacency, int]:
    """Return the skeleton with its colliders, and how many edges are claimed in both directions."""
    d = len(skeleton)
    as_counts = skeleton.astype(np.float32)
    i, j = np.nonzero(np.triu(~skeleton & (as_counts @ as_counts > 0), 1))
    members = np.unpackbits(separating[i, j].view(np.uint8), axis=1, bitorder="little")[:, :d]
    pair, middle = np.nonzero(skeleton[i] & skeleton[j] & (members == 0))
    claimed = np.zeros_like(skeleton)
    claimed[i[pair], middle] = claimed[j[pair], middle] = True
    return skeleton & ~(claimed.T & ~claimed), int((claimed & claimed.T).sum()) // 2
