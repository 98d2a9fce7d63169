"""What we computed for a published value: a number with its error, or several, or cases."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from causalassay.common.arrays import Vector
from causalassay.common.seeding import stream
from causalassay.data import sachs
from causalassay.data.problem import KnownFile, locate
from causalassay.graphs import write_graph
from causalassay.lab.factorial import FactorialExperiment, read_experiment, read_jdk

LEVEL = 0.99
"""The level of every interval; stated before any run."""

N_BOOTSTRAP = 1000
"""Resamples for the standard error of a median or a standard deviation."""

Chosen = NDArray[np.int64]
"""Replicates, of a bootstrap or all."""


@dataclass(frozen=True)
class Estimate:
    """A number of ours.

    Parameters
    ----------
    value : float
        The estimated number.
    standard_error : float
        0 for an exact number.
    draws : int
        Independent draws behind it; 0 for an exact number.
    lost : int
        Draws without a number: a run that failed, or an undefined score. They are counted
        here and shown, for the estimate is over the others only.
    span : (float, float)
        What the number can be; the interval ends there.

    Examples
    --------
    >>> low, high = Estimate(0.5, 0.01, draws=100).interval()
    >>> round(low, 3), round(high, 3)
    (0.474, 0.526)
    """

    value: float
    standard_error: float = 0.0
    draws: int = 0
    lost: int = 0
    span: tuple[float, float] = (-math.inf, math.inf)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Itself, as `Several` have many."""
        return (self,)

    @property
    def is_exact(self) -> bool:
        """Whether no draw is behind it."""
        return self.draws == 0

    def quantile(self, level: float = LEVEL) -> float:
        """Return Student's quantile for an interval of this level."""
        if self.is_exact:
            return float(stats.norm.ppf((1 + level) / 2))
        return float(stats.t.ppf((1 + level) / 2, max(self.draws - 1, 1)))

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the confidence interval; a single point if the number is exact."""
        half = self.quantile(level) * self.standard_error if self.standard_error else 0.0
        return max(self.value - half, self.span[0]), min(self.value + half, self.span[1])


def joint_level(estimates: Sequence[Estimate]) -> float:
    """Return the level of each interval, so that all of them hold together at `LEVEL`."""
    return 1 - (1 - LEVEL) / len(estimates)


@dataclass(frozen=True)
class Several:
    """Estimates of which a claim must hold for every one."""

    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class Extremes:
    """The least or the largest number of each block of draws, a block as large as the paper's."""

    values: tuple[float, ...]
    block: int
    lost: int = 0

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the central quantiles of the blocks."""
        low, high = np.quantile(self.values, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


@dataclass(frozen=True)
class Cases:
    """How many cases an identity was checked on, and in how many it did not hold."""

    checked: int
    violated: int


@dataclass(frozen=True)
class Choice:
    """Which setting of a grid is our best, and how far the paper's choice is from it.

    Parameters
    ----------
    best : str
        Name of our best setting.
    behind : Estimate
        Score of the paper's setting less that of ours, paired: 0 or less.
    """

    best: str
    behind: Estimate


@dataclass(frozen=True)
class NotRun:
    """Why there is no number this time."""

    reason: str


Ours = Estimate | Several | Extremes | Cases | Choice | NotRun


# What papers' files name: functions declare themselves where they are written.

COMPUTATIONS: dict[str, Callable[..., Ours]] = {}
"""From the name that `compute` states to the function; the rest of the table is its parameters."""

FIGURES: dict[str, Callable[..., pd.DataFrame]] = {}
"""Pictures that no study gives, by the name that `compute` states."""

Computation = TypeVar("Computation", bound=Callable[..., Ours])
FigureData = TypeVar("FigureData", bound=Callable[..., pd.DataFrame])


def computation(function: Computation) -> Computation:
    """Declare what computes a value: ``path_rule`` is called path-rule in papers' files."""
    COMPUTATIONS[function.__name__.replace("_", "-")] = function
    return function


def figure(function: FigureData) -> FigureData:
    """Declare what computes the data of a redrawn figure: x, y, series and panel."""
    FIGURES[function.__name__.replace("_", "-")] = function
    return function


def mean(values: Vector, lost: int = 0) -> Estimate:
    """Return the mean with its standard error.

    Examples
    --------
    >>> mean(np.array([1.0, 2.0, 3.0])).value
    2.0
    """
    n = len(values)
    error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
    return Estimate(float(values.mean()), error, n, lost)


def share(successes: float, draws: int, scale: float = 1.0) -> Estimate:
    """Return a binomial share, times a scale such as 100."""
    p = successes / draws
    return Estimate(scale * p, scale * math.sqrt(p * (1 - p) / draws), draws)


def median(values: Vector, lost: int = 0) -> Estimate:
    """Return the median; its error is that of a bootstrap."""
    return _bootstrapped(values, np.median, lost)


def standard_deviation(values: Vector, lost: int = 0) -> Estimate:
    """Return the standard deviation (ddof 1); its error is that of a bootstrap."""
    return _bootstrapped(values, lambda x, axis=None: np.std(x, axis=axis, ddof=1), lost)


def _bootstrapped(values: Vector, statistic: object, lost: int) -> Estimate:
    assert callable(statistic)
    rng = stream(1, "bootstrap", len(values))
    drawn = values[rng.integers(len(values), size=(N_BOOTSTRAP, len(values)))]
    error = float(np.std(statistic(drawn, axis=1), ddof=1))
    return Estimate(float(statistic(values)), error, len(values), lost)


def over_replicates(
    statistic: Callable[[Chosen], float], n: int, lost: int, span: tuple[float, float]
) -> Estimate:
    """Return a number over replicates; its error is that of a bootstrap of them."""
    drawn = stream(1, "replicates", n).integers(n, size=(N_BOOTSTRAP, n))
    error = float(np.std([statistic(chosen) for chosen in drawn], ddof=1))
    return Estimate(statistic(np.arange(n)), error, n, lost, span=span)


def block_extremes(values: Vector, block: int, *, largest: bool, lost: int = 0) -> Extremes:
    """Return the extreme of each full block of draws, in the order of the draws."""
    blocks = values[: len(values) // block * block].reshape(-1, block)
    chosen: Sequence[float] = (blocks.max(axis=1) if largest else blocks.min(axis=1)).tolist()
    return Extremes(tuple(chosen), block, lost)


def unpaired(first: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two independent estimates.

    Examples
    --------
    >>> unpaired(Estimate(2.0, 0.3, 10), Estimate(1.5, 0.4, 5))
    Estimate(value=0.5, standard_error=0.5, draws=5, lost=0, span=(-inf, inf))
    """
    error = math.hypot(first.standard_error, other.standard_error)
    draws = min(first.draws, other.draws)
    return Estimate(first.value - other.value, error, draws, first.lost + other.lost)


# Real data that papers need: others' are found on this machine, our own are in the package.

JDK = KnownFile(
    "jdk",
    "jdk-results.csv",
    "9556515d2f4c0911a6bda06bf32ef6f1aee5f366d3248e9e5b4cb3496ebc67a4",
)

System = Literal["jdk", "postgres", "http"]
"""A real system that was experimented on: JDK by the paper's authors, the others by us."""

_OUR_EXPERIMENTS = "lab/papers/garant2016/experiments"


def check_system(system: System) -> None:
    """Raise FileNotFoundError unless its experiment is on this machine; ours always are."""
    if system == "jdk":
        locate(JDK)


def experiment_on(system: System) -> FactorialExperiment:
    """Return the experiment on a system.

    Examples
    --------
    >>> experiment_on("http").provenance["system"]
    'web servers on loopback'
    """
    return read_jdk(locate(JDK)) if system == "jdk" else _our_experiment(system)


def _our_experiment(name: str) -> FactorialExperiment:
    packed = resources.files("causalassay").joinpath(_OUR_EXPERIMENTS)
    with TemporaryDirectory() as folder:
        description = Path(folder) / f"{name}.toml"
        description.write_bytes(packed.joinpath(f"{name}.toml").read_bytes())
        rows = gzip.decompress(packed.joinpath(f"{name}.csv.gz").read_bytes())
        description.with_suffix(".csv").write_bytes(rows)
        return read_experiment(description)


def put_sachs(folder: Path) -> None:
    """Write the observational rows and the usual graph of Sachs et al. 2005 to a folder."""
    problem = sachs()
    data = problem.data
    folder.mkdir(parents=True, exist_ok=True)
    rows = pd.DataFrame(data.observational_values, columns=list(data.columns))
    rows.to_csv(folder / "sachs-observational.csv", index=False)
    write_graph(folder / "sachs-graph.csv", problem.graph, data.columns)


DATA_SETS: dict[str, Callable[[Path], None]] = {"sachs": put_sachs}
"""From the name that a study's `data` states to what puts its files into a folder."""
