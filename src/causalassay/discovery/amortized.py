"""A pretrained network as an algorithm: trained on simulated systems, run with numpy alone."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Values, Weights
from causalassay.common.files import as_path, check_regular
from causalassay.common.spelling import RefusedValue, check_choice, listed
from causalassay.contracts import WARNING, Columns, Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import correlations
from causalassay.discovery.amortized_network import RIDGE, Network, pair_features
from causalassay.discovery.amortized_weights import read
from causalassay.discovery.command import file_digest
from causalassay.discovery.statistics import (
    LEAST_EIGENVALUE,
    check_varied_columns,
    observational_values,
)
from causalassay.graphs import to_cpdag
from causalassay.graphs.probabilities import Probabilities
from causalassay.present.formatting import counted

Prior = Literal["broad", "raw", "standardized", "iscm", "uumc"]
PRIORS: tuple[Prior, ...] = get_args(Prior)

FOLDER = Path(__file__).with_name("weights")
"""Where the weights of the package are, a file for each prior."""

LEAST_ROWS, MOST_COLUMNS = 10, 500

FEW_VALUES = 10
"""A column with at most so many different values is told of as discrete."""


@dataclass(frozen=True)
class Amortized:
    """Ask a network that was trained on simulated systems for the probability of each edge.

    The network reads moments of each pair of columns, never a row, and answers with probabilities
    of i→j, j→i and no edge. It knows what its training showed it: the systems of its prior. Its
    probabilities are right as far as the data could have come from there.

    Parameters
    ----------
    prior : {"broad", "raw", "standardized", "iscm", "uumc"}
        The systems that the network was trained on; docs/amortized.md says what each has. All
        but "raw" are blind to the units of the columns.
    weights : str, optional
        A file of your own from `python -m training`, in place of a prior of the package. In a
        study the path is relative to the study's folder, and the file's content is a part of the
        key of every row. Nothing in the file is executed.
    threshold : float
        A pair is joined if the probabilities of its two directions sum to more.

    Notes
    -----
    The graph: each pair with ``p[i, j] + p[j, i]`` above the threshold is joined in its more
    probable direction, in falling order of that probability; an edge that would close a cycle is
    turned if that is more probable than no edge, else left out
    (`causalassay.graphs.most_probable_dag`). Where the card of the weights says that no directions
    can be told from the prior's systems, the estimate is the CPDAG of that DAG. `Estimate.order`
    is an order of the DAG.

    A row that is there more than once, as in a bootstrap, counts for less: the network is told the
    number of independent rows, n²/Σm² for rows that are there m times each.

    `info` has the ``prior``, the ``weights`` (the beginning of the file's SHA-256), the
    ``threshold``, and ``warning`` where the data are unlike those of the training: the number of
    columns or rows, discrete columns, columns that are linear combinations of others or nearly
    so, copied rows.

    References
    ----------
    Lorch, Sussex, Rothfuss, Krause, Schölkopf (2022), Amortized inference for causal structure
    learning, NeurIPS 35, for the idea; the network and its training are our own.
    """

    prior: Prior = "broad"
    weights: str | None = None
    threshold: float = 0.5

    sha256: str = field(default="", init=False)
    """Of the weights: those of the package, or in a study one's own."""
    path: str = field(default="", init=False, compare=False, repr=False)
    """In a study: where one's own weights are."""
    name: ClassVar[str] = "amortized"
    version: ClassVar[int] = 2
    columns: ClassVar[Columns] = "continuous or discrete"
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "a system like those of its training: acyclic, continuous, independent rows, no hidden "
        "common causes"
    )
    reference: ClassVar[str] = "Lorch et al. (2022), NeurIPS 35, for the idea"

    def __post_init__(self) -> None:
        check_choice("prior", self.prior, PRIORS)
        if not 0 <= self.threshold <= 1:
            raise RefusedValue("threshold", f"expected a number from 0 to 1, got {self.threshold}")
        if self.weights is None and _packaged(self.prior).is_file():
            object.__setattr__(self, "sha256", _digest(_packaged(self.prior)))

    @classmethod
    def absent(cls) -> str:
        """Return why it cannot run here; empty if there are weights."""
        return "" if priors_here() else f"the package has no weights in {FOLDER.name}/"

    def in_study(self, folder: Path) -> Amortized:
        """Return the algorithm as a study in that folder means it, with its own weights' checksum.

        Raises
        ------
        OSError, ValueError
            If the weights cannot be read.
        """
        placed = dataclasses.replace(self)
        if self.weights is not None:
            path = folder.absolute() / as_path(self.weights, "weights")
            _loaded(path)
            object.__setattr__(placed, "path", str(path))
            object.__setattr__(placed, "sha256", _digest(path))
        return placed

    def named_files(self) -> Iterator[tuple[str, str, str]]:
        """Yield the weights that a study names, if any: as stated, the path and the SHA-256."""
        if self.weights is not None:
            yield self.weights, self.path, self.sha256

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate a graph from the observational values; nothing is random."""
        values = observational_values(data)
        _check_size(*values.shape)
        check_varied_columns(data, values)
        correlation = correlations(values)  # refuses numbers whose squares overflow
        network, card, digest = self._network()
        few = _discrete_columns(data, values)
        # Where all columns are discrete, equal rows come about without copying.
        n_independent = _n_independent(values) if len(few) < len(data.columns) else len(values)
        probabilities = _in_own_order(
            network, values, n_independent, blind_to_scale=card["blind_to_scale"]
        )
        warnings = list(_unlike_training(values, correlation, card, few))
        if n_independent < len(values):
            warnings.append(
                f"rows that are copies of others: these {len(values)} rows count as "
                f"{n_independent:.0f}"
            )
        info = {
            "prior": card["prior"],
            "weights": digest[:12],
            "threshold": self.threshold,
        } | ({WARNING: "; ".join(warnings)} if warnings else {})
        estimate = Estimate.of_probabilities(probabilities, self.threshold, info)
        if card["identifies"] == "cpdag":
            graph = to_cpdag(estimate.graph)
            return dataclasses.replace(estimate, graph=graph, kind="cpdag", order=None)
        return estimate

    def _network(self) -> tuple[Network, dict[str, Any], str]:
        """Return the network, its card and the checksum of its file, or say why there is none."""
        if self.weights is None:
            path = _packaged(self.prior)
            if not path.is_file():
                raise NotApplicable(_no_weights(self.prior))
        else:
            path = Path(self.path) if self.path else as_path(self.weights, "weights").absolute()
        network, card, digest = _loaded(path)
        if self.sha256 and digest != self.sha256:
            raise ValueError(f"{path} was changed since the study was read; run it again")
        return network, card, digest


def priors_here() -> list[str]:
    """Return the priors whose weights this installation has.

    Examples
    --------
    >>> set(priors_here()) <= set(PRIORS)
    True
    """
    return [prior for prior in PRIORS if _packaged(prior).is_file()]


def _packaged(prior: str) -> Path:
    return FOLDER / f"{prior}.npz"


def _no_weights(prior: str) -> str:
    here = priors_here()
    there = f"there are those of {listed(here)}" if here else "there are none of any prior"
    return (
        f"this installation has no weights of the prior {prior!r}; {there}; choose one of these, "
        'or state a file of your own as `weights = "mine.npz"` (`python -m training` makes one)'
    )


def _loaded(path: Path) -> tuple[Network, dict[str, Any], str]:
    """Return what a file of weights holds; it is read once, until it changes."""
    return _load(path, *_state(path))


def _digest(path: Path) -> str:
    return _digest_of(path, *_state(path))


def _state(path: Path) -> tuple[int, int]:
    check_regular(path, "a file of weights (.npz)")
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _load(path: Path, changed: int, size: int) -> tuple[Network, dict[str, Any], str]:
    arrays, card = read(path)
    return Network.of(arrays, card["blocks"]), card, _digest_of(path, changed, size)


@lru_cache(maxsize=32)
def _digest_of(path: Path, _changed: int, _size: int) -> str:
    return file_digest(str(path))


def _check_size(n_rows: int, n_columns: int) -> None:
    """Raise `NotApplicable` unless there are pairs to judge, and rows to judge them by."""
    if n_columns == 1:
        raise NotApplicable("the network judges pairs: it needs at least 2 columns, got 1")
    if n_columns > MOST_COLUMNS:
        raise NotApplicable(
            f"{n_columns} columns, expected at most {MOST_COLUMNS}: time and memory grow with the "
            "square of their number; leave some out"
        )
    if n_rows < LEAST_ROWS:
        raise NotApplicable(f"{counted(n_rows, 'row')}, expected at least {LEAST_ROWS}; take more")


def _n_independent(values: Values) -> float:
    """Return how many independent rows say as much as these, of which some may be copies.

    A mean over n rows, of which some are there m times, scatters as one of n²/Σm² independent rows
    (Kish's effective sample size). A bootstrap of n rows has about n/2. Told n, the network would
    take what chance does to the copies for many weak edges: it has seen independent rows only.
    """
    n = len(values)
    if len(np.unique(values[:, 0])) == n:  # as usual
        return n
    copies = Counter(row.tobytes() for row in values)
    return n * n / sum(count * count for count in copies.values())


def _in_own_order(
    network: Network, values: Values, n_independent: float, *, blind_to_scale: bool
) -> Probabilities:
    """Return the probabilities, computed with the columns in an order of their own.

    Rounding depends on the order of the columns; sorted by what they hold, whatever their units,
    they come in one order, so that relabelling them changes nothing.
    """
    centred = values - values.mean(axis=0)
    z = centred / np.sqrt(np.square(centred).mean(axis=0))
    order = sorted(range(values.shape[1]), key=lambda j: z[:, j].tobytes())
    features = pair_features(
        np.ascontiguousarray(values[:, order]),
        blind_to_scale=blind_to_scale,
        n_independent=n_independent,
    )
    probabilities = np.empty((len(order), len(order)))
    probabilities[np.ix_(order, order)] = network.probabilities(features)
    return probabilities


def _unlike_training(
    values: Values, correlation: Weights, card: dict[str, Any], few: list[str]
) -> Iterator[str]:
    """Yield in which ways data are unlike those that a network was trained on."""
    for count, name, noun in (
        (values.shape[1], "nodes", "column"),
        (len(values), "rows", "row"),
    ):
        least, most = card[name]
        if not least <= count <= most:
            yield f"{counted(count, noun)}: the network was trained on {least} to {most}"
    if few:
        verb = "is" if len(few) == 1 else "are"
        yield f"{listed(few)} {verb} discrete: the network was trained on continuous columns"
    if len(values) <= values.shape[1]:
        yield "no more rows than columns: each column is a linear combination of others"
        return
    least = np.linalg.eigvalsh(correlation)[0]
    if least <= LEAST_EIGENVALUE:
        yield "some columns are linear combinations of others; leave one out"
    elif least < RIDGE:  # what the network reads hardly tells such columns apart
        yield (
            "some columns are nearly linear combinations of others (the correlations have an "
            f"eigenvalue below {RIDGE})"
        )


def _discrete_columns(data: Dataset, values: Values) -> list[str]:
    """Return the columns that are declared as discrete or look like that."""
    return [
        name
        for j, name in enumerate(data.columns)
        if name in data.discrete_columns or _has_few_values(values[:, j])
    ]


def _has_few_values(column: Values) -> bool:
    first = column[:1000]  # a glance at these is enough for most
    return (
        len(column) > 2 * FEW_VALUES
        and len(np.unique(first)) <= FEW_VALUES
        and len(np.unique(column)) <= FEW_VALUES
    )
