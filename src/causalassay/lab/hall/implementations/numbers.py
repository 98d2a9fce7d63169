"""Scores, tests and metrics of packages, on 100 random cases, against slow references.

The references are written word for word from the definitions. Our own functions are compared with
them as those of packages are, so that a difference counts only where ours and a brute force agree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy import stats

from causalassay.common.arrays import Values, Vector
from causalassay.data import Dataset
from causalassay.discovery.independence import GTest
from causalassay.discovery.search.gaussian_bic import gaussian_bic, observational_node_statistics
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import LevelStatistics, unexplained_share
from causalassay.metrics import shd

CASES = 100
ROWS, COLUMNS = 200, 5
LEVELS = (2, 3, 2, 4, 3)
EQUIVALENT_SAMPLE_SIZE = 10.0
CLOSE = 1e-6
"""How far numbers may be apart, by the larger of 1 and their size."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """A function of data or graphs, and what it is asked.

    Parameters
    ----------
    title, definition : str
    arrays : callable
        Returns the arrays that an adapter gets; "values" among them.
    levels : tuple of int, or None
        Of discrete columns.
    slow : callable
        The reference, from these arrays to 100 numbers.
    ours : callable
        The same by our code.
    also : mapping
        Other definitions that are in use, by what they are called.
    relative : bool
        Whether a node's number without parents is taken off: constants do not matter to a search.
    """

    title: str
    definition: str
    arrays: Callable[[], dict[str, np.ndarray]]
    levels: tuple[int, ...] | None
    slow: Callable[[Mapping[str, np.ndarray]], Vector]
    ours: Callable[[Mapping[str, np.ndarray]], Vector]
    also: Mapping[str, Callable[[Mapping[str, np.ndarray]], Vector]] = field(default_factory=dict)
    relative: bool = False


def continuous() -> Values:
    """Return rows of a linear model on a complete DAG."""
    rng = np.random.default_rng(1)
    w = np.triu(rng.uniform(-1, 1, (COLUMNS, COLUMNS)), 1)
    return rng.normal(size=(ROWS, COLUMNS)) @ np.linalg.inv(np.eye(COLUMNS) - w) + 3.0


def discrete() -> Values:
    """Return columns with as many levels as `LEVELS` says; some configurations never occur."""
    rng = np.random.default_rng(2)
    columns = [rng.integers(LEVELS[0], size=ROWS)]
    for size in LEVELS[1:]:
        noise = rng.choice(size, ROWS, p=np.array([0.6, *[0.4 / (size - 1)] * (size - 1)]))
        columns.append((columns[-1] + noise) % size)
    return np.column_stack(columns).astype(float)


def _families() -> np.ndarray:
    """Return 100 nodes with 0 to 3 parents in random order; -1 fills the lines."""
    rng, lines = np.random.default_rng(3), np.full((CASES, 4), -1)
    for line in lines:
        size = rng.integers(1, 5)
        line[:size] = rng.permutation(COLUMNS)[:size]
    return lines


def _triples() -> np.ndarray:
    """Return 100 pairs of columns with 0 to 2 others to condition on."""
    rng, lines = np.random.default_rng(4), np.full((CASES, 4), -1)
    for line in lines:
        size = rng.integers(2, 5)
        line[:size] = rng.permutation(COLUMNS)[:size]
    return lines


def _dags() -> dict[str, np.ndarray]:
    """Return 100 pairs of DAGs on 6 nodes, shape (100, 2, 6, 6)."""
    rng = np.random.default_rng(5)
    pairs = np.zeros((CASES, 2, 6, 6))
    for pair, k in itertools.product(pairs, range(2)):
        order = rng.permutation(6)
        pair[k][np.ix_(order, order)] = np.triu(rng.random((6, 6)) < 0.4, 1)
    return {"values": np.zeros((2, 2)), "pairs": pairs}


def _lines(arrays: Mapping[str, np.ndarray]) -> list[list[int]]:
    return [[int(node) for node in line if node >= 0] for line in arrays["families"]]


def _residuals(values: Values, node: int, others: list[int]) -> Vector:
    design = np.column_stack([np.ones(len(values)), values[:, others]])
    fit = np.linalg.lstsq(design, values[:, node], rcond=None)[0]
    return np.asarray(values[:, node] - design @ fit)


def slow_bic(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return -n/2 log(RSS/n) - log(n)/2 p, the residuals by least squares with an intercept."""
    values = arrays["values"]
    n = len(values)
    return np.array(
        [
            -n / 2 * math.log((_residuals(values, node, parents) ** 2).mean())
            - math.log(n) / 2 * len(parents)
            for node, *parents in _lines(arrays)
        ]
    )


def our_bic(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return what our score of a graph gains by the parents of one node."""
    statistics = observational_node_statistics(Dataset.from_values(arrays["values"]))
    numbers = []
    for node, *parents in _lines(arrays):
        graph = np.zeros((COLUMNS, COLUMNS), dtype=bool)
        graph[parents, node] = True
        numbers.append(gaussian_bic(statistics, graph))
    return np.array(numbers)


def slow_bdeu(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return the log evidence, with a loop over all configurations of the parents."""
    values, numbers = arrays["values"].astype(int), []
    for node, *parents in _lines(arrays):
        size, total = LEVELS[node], 0.0
        configurations = list(itertools.product(*(range(LEVELS[p]) for p in parents)))
        for configuration in configurations:
            rows = (values[:, parents] == configuration).all(axis=1)
            a = EQUIVALENT_SAMPLE_SIZE / len(configurations)
            total += math.lgamma(a) - math.lgamma(a + rows.sum())
            for level in range(size):
                count = (values[rows, node] == level).sum()
                total += math.lgamma(a / size + count) - math.lgamma(a / size)
        numbers.append(total)
    return np.array(numbers)


def our_bdeu(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return our score of each family."""
    score = LevelScore(_level_statistics(arrays), "bdeu", None, EQUIVALENT_SAMPLE_SIZE)
    return np.array([score(node, frozenset(parents)) for node, *parents in _lines(arrays)])


def _level_statistics(arrays: Mapping[str, np.ndarray]) -> LevelStatistics:
    codes = np.ascontiguousarray(arrays["values"].T.astype(np.int32))
    return LevelStatistics(codes, np.array(LEVELS))


def slow_fisher_z(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return p-values of sqrt(n - |S| - 3) artanh(r), r the correlation of residuals."""
    values, numbers = arrays["values"], []
    for x, y, *rest in _lines(arrays):
        r = np.corrcoef(_residuals(values, x, rest), _residuals(values, y, rest))[0, 1]
        z = math.sqrt(len(values) - len(rest) - 3) * math.atanh(r)
        numbers.append(2 * stats.norm.sf(abs(z)))
    return np.array(numbers)


def our_fisher_z(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return the same from shares of variance."""
    values, numbers = arrays["values"], []
    correlation = np.corrcoef(values, rowvar=False)
    for x, y, *rest in _lines(arrays):
        shares = [
            unexplained_share(correlation, x, np.array(given, dtype=np.int64))
            for given in ([*rest, y], rest)
        ]
        r = math.sqrt(max(0.0, 1 - shares[0] / shares[1]))
        z = math.sqrt(len(values) - len(rest) - 3) * math.atanh(r)
        numbers.append(2 * stats.norm.sf(z))
    return np.array(numbers)


def slow_g(arrays: Mapping[str, np.ndarray], *, occurring: bool = False) -> Vector:
    """Return p-values of 2 Σ n log(n n_z / (n_xz n_yz)), all levels counted in the degrees.

    Parameters
    ----------
    arrays : mapping
    occurring : bool
        Whether only levels that occur in a stratum count in its degrees of freedom.
    """
    values, numbers = arrays["values"].astype(int), []
    for x, y, *rest in _lines(arrays):
        g, degrees = 0.0, 0
        for stratum in itertools.product(*(range(LEVELS[k]) for k in rest)):
            part = values[(values[:, rest] == stratum).all(axis=1)]
            sizes = [len(set(part[:, k].tolist())) if occurring else LEVELS[k] for k in (x, y)]
            degrees += max(0, sizes[0] - 1) * max(0, sizes[1] - 1)
            for a, b in itertools.product(range(LEVELS[x]), range(LEVELS[y])):
                both = ((part[:, x] == a) & (part[:, y] == b)).sum()
                if both:
                    expected = (part[:, x] == a).sum() * (part[:, y] == b).sum() / len(part)
                    g += 2 * both * math.log(both / expected)
        numbers.append(stats.chi2.sf(g, degrees) if degrees else 1.0)
    return np.array(numbers)


def our_g(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return p-values of our test."""
    test = GTest(_level_statistics(arrays))
    return np.exp(
        [-float(test.minus_log_p(x, [y], tuple(rest))[0]) for x, y, *rest in _lines(arrays)]
    )


def slow_shd(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return how many pairs of nodes are joined in another way."""
    return np.array(
        [
            sum(
                (a[i, j], a[j, i]) != (b[i, j], b[j, i])
                for i, j in itertools.combinations(range(len(a)), 2)
            )
            for a, b in arrays["pairs"]
        ],
        dtype=float,
    )


def our_shd(arrays: Mapping[str, np.ndarray]) -> Vector:
    """Return our metric."""
    return np.array([shd(a != 0, b != 0) for a, b in arrays["pairs"]], dtype=float)


FUNCTIONS: Mapping[str, Numbers] = {
    "bic": Numbers(
        "Gaussian BIC",
        "-n/2 log(RSS/n) - log(n)/2 for each parent; what the parents gain",
        lambda: {"values": continuous(), "families": _families()},
        None,
        slow_bic,
        our_bic,
        relative=True,
    ),
    "bdeu": Numbers(
        "BDeu",
        "Heckerman et al. (1995), equation 28, with an equivalent sample size of 10",
        lambda: {"values": discrete(), "families": _families()},
        LEVELS,
        slow_bdeu,
        our_bdeu,
        relative=True,
    ),
    "fisher-z": Numbers(
        "Fisher's z",
        "the p-value of sqrt(n - |S| - 3) artanh(r), r the partial correlation",
        lambda: {"values": continuous(), "families": _triples()},
        None,
        slow_fisher_z,
        our_fisher_z,
    ),
    "g": Numbers(
        "G test",
        "the p-value of G with (k_x - 1)(k_y - 1) Π k_z degrees of freedom",
        lambda: {"values": discrete(), "families": _triples()},
        LEVELS,
        slow_g,
        our_g,
        {"degrees of freedom from the levels that occur": partial(slow_g, occurring=True)},
    ),
    "shd": Numbers(
        "SHD of DAGs",
        "pairs of nodes that are joined in another way; a reversed edge counts 1",
        _dags,
        None,
        slow_shd,
        our_shd,
    ),
}
"""By the name that adapters have for it."""


def compared(
    function: Numbers, given: Vector, arrays: Mapping[str, np.ndarray]
) -> tuple[str, Vector, Vector]:
    """Return a definition, the numbers of a package and those by it; of scores what parents gain.

    The definition is empty if it is the first; another if the package is nearer to that.
    """
    by = {"": function.slow(arrays)} | {name: slow(arrays) for name, slow in function.also.items()}
    nearest = min(by, key=lambda name: int(differs(given, by[name]).sum()))
    right = by[nearest]
    if not function.relative:
        return nearest, given, right
    lines = _lines(arrays)
    first = {line[0]: k for k, line in enumerate(lines) if len(line) == 1}
    base = np.array([first[line[0]] for line in lines])
    return nearest, given - given[base], right - right[base]


def differs(given: Vector, right: Vector) -> np.ndarray:
    """Tell which numbers are apart.

    Examples
    --------
    >>> differs(np.array([1.0, 2.0, np.nan]), np.array([1.0, 2.1, 0.0]))
    array([False,  True,  True])
    """
    return ~(np.abs(given - right) <= CLOSE * np.maximum(1.0, np.abs(right)))
