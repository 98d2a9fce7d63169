"""Algorithms of the package causal-learn, which is the extra ``causal-learn``."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.registry import install_line

try:
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.search.PermutationBased.BOSS import boss
    from causallearn.search.PermutationBased.GRaSP import grasp
    from causallearn.search.ScoreBased.GES import ges
except ImportError as missing:
    raise ImportError(f"causal-learn is absent: {install_line('causal-learn')}") from missing

from causalassay.common.arrays import Adjacency, Values
from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.statistics import check_continuous, check_regular, observational_values
from causalassay.graphs import is_cpdag

REFERENCE = "Zheng et al. (2024), Causal-learn, JMLR 25(60)"


@dataclass(frozen=True)
class CausalLearnPC:
    """PC-stable of causal-learn, with Fisher's z.

    Notes
    -----
    Its result may depend on the order of the columns. An edge that it directs
    both ways is given as undirected.
    """

    alpha: float = 0.05
    name: ClassVar[str] = "causal-learn-pc"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "cpdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear Gaussian, faithful, no hidden causes"
    reference: ClassVar[str] = REFERENCE
    equivariant: ClassVar[bool] = False

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run it on the observational values."""
        values = _regular_values(data)
        with _isolated(rng):
            result = pc(values, self.alpha, "fisherz", show_progress=False)
        return _estimate(result.G)


@dataclass(frozen=True)
class CausalLearnGES:
    """GES of causal-learn, with the Gaussian BIC from the covariance."""

    name: ClassVar[str] = "causal-learn-ges"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "cpdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear Gaussian, faithful, no hidden causes"
    reference: ClassVar[str] = REFERENCE
    equivariant: ClassVar[bool] = False

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run it on the observational values."""
        values = _regular_values(data)
        with _isolated(rng):
            result = ges(values, score_func="local_score_BIC_from_cov")
        return _estimate(result["G"])


@dataclass(frozen=True)
class CausalLearnBOSS:
    """BOSS of causal-learn, a search over orders, with the Gaussian BIC."""

    name: ClassVar[str] = "causal-learn-boss"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "cpdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear Gaussian, no hidden causes"
    reference: ClassVar[str] = "Andrews et al. (2023), BOSS, NeurIPS; " + REFERENCE
    equivariant: ClassVar[bool] = False

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run it on the observational values."""
        values = _regular_values(data)
        with _isolated(rng):
            graph = boss(values, score_func="local_score_BIC_from_cov", verbose=False)
        return _estimate(graph)


@dataclass(frozen=True)
class CausalLearnGRaSP:
    """GRaSP of causal-learn, a greedy relaxation of sparsest permutations, with the Gaussian BIC.

    Parameters
    ----------
    depth : int
        The depth of its depth-first search.
    """

    depth: int = 3
    name: ClassVar[str] = "causal-learn-grasp"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "cpdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear Gaussian, no hidden causes"
    reference: ClassVar[str] = "Lam, Andrews, Ramsey (2022), GRaSP, UAI; " + REFERENCE
    equivariant: ClassVar[bool] = False

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run it on the observational values."""
        values = _regular_values(data)
        with _isolated(rng):
            graph = grasp(
                values, score_func="local_score_BIC_from_cov", depth=self.depth, verbose=False
            )
        return _estimate(graph)


def _regular_values(data: Dataset) -> Values:
    """Return a copy of the observational rows, or say why the package would fail on them."""
    values = observational_values(data).copy()
    check_continuous(data, values)
    check_regular(data, values)
    return values


def _estimate(causal_learn_graph: Any) -> Estimate:
    graph = from_causal_learn(causal_learn_graph.graph)
    return Estimate(graph, "cpdag" if is_cpdag(graph) else "pdag")


def from_causal_learn(endpoints: np.ndarray) -> Adjacency:
    """Return the graph of a matrix of end points: ``[j, i] == 1`` is an arrowhead at j.

    Examples
    --------
    0→1, and 1—2.

    >>> from_causal_learn(np.array([[0, -1, 0], [1, 0, -1], [0, -1, 0]])).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 1, 0]])
    """
    adjacent = endpoints != 0
    head_at_row_only = (endpoints == 1) & (endpoints.T == -1)
    return adjacent & ~head_at_row_only


@contextlib.contextmanager
def _isolated(rng: Generator) -> Iterator[None]:
    """Seed the global generators from `rng`, silence the library, and put all back afterwards.

    Examples
    --------
    >>> before = random.getstate()
    >>> with _isolated(np.random.default_rng(0)):
    ...     print("not shown")
    >>> before == random.getstate()
    True
    """
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
    random.seed(int(rng.integers(2**32)))
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
