"""Predict each experiment from the graphs that were found without it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, check_adjacency
from causalassay.common.seeding import as_generator, stream
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.graphs import NoExtension, extend, is_dag, meek_closure
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.metrics.resolution import MOST_MEMBERS, members
from causalassay.risk.prediction.additive_model import UNCHANGED
from causalassay.risk.prediction.experiments import Measured, Variation, measure, variation
from causalassay.risk.prediction.result import Prediction, Predictions

HeldOutGraphs = Mapping[int, Adjacency]
"""Target to the graph that was found without the experiments on it (`Risk.held_out_graphs`)."""


def compare(
    graphs: Mapping[str, HeldOutGraphs | Adjacency],
    dataset: Dataset,
    rng: Generator | int,
    not_acting: Collection[str] = (),
    level: float = 0.95,
) -> Predictions:
    """Return how far each algorithm's predictions are from what the experiments measured.

    Parameters
    ----------
    graphs : mapping of str to (mapping of int to Adjacency, or Adjacency)
        By algorithm: for each target the graph that was found without the experiments on it,
        or one graph for all of them.
    dataset : Dataset
        With an observational condition and at least one condition of a single known target.
    rng : Generator or int
        The source of randomness; an int is a seed.
    not_acting : collection of str
        Conditions whose intervention is known not to act on the measured level, such as an
        inhibitor of a protein's activity. They are flagged beside those that the data flag.
    level : float
        Coverage that the intervals aim at.

    Notes
    -----
    For each experiment the graph found without it is fitted to the observational rows. The
    target is set to the values that were measured in the experiment, dealt at random (in the
    order of ranks where the intervention is known to be a shift). All other columns are
    predicted, and the total variation between each and its measurement is taken. The score
    is the mean over columns, then over experiments.

    The model is an additive regression on the parents, by lines that may bend (`fit_lines`);
    each row keeps its residuals. For discrete columns it is a table of probabilities. Of a class
    (CPDAG, PDAG) the distances are means over all its members, or over 100 draws if there are
    more. An algorithm one of whose graphs has no member is in `not_ranked`.

    It is fitted to the observational rows alone, though other experiments could add rows: an
    intervention may act on more than its target, which would then be learned.

    An experiment is flagged (`Experiment.doubt`) if the total variation of its own target from
    observation is at most the floor and two errors, or if another column's is larger by more
    than two errors of the difference. Where an intervention acts through the measured level
    alone, columns rarely move further than the target.

    References
    ----------
    Garant and Jensen (2016), section 4, for evaluation by total variation; Eigenmann,
    Mukherjee, Maathuis (2020), equation 6, for leaving the experiment out.

    Examples
    --------
    See `causalassay.risk.prediction`.
    """
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, got {level}")
    if dataset.n_nodes < 2:
        raise ValueError("predictions need a column beside the target; the data have 1 column")
    seed = int(as_generator(rng).integers(2**63))
    measured, left_out = measure(dataset, seed, not_acting)
    if not measured:
        reasons = "; ".join(f"{name!r}: {why}" for name, why in left_out.items())
        raise ValueError(
            "predictions need at least 1 condition with one known target"
            + (f"; left out: {reasons}" if reasons else "")
        )
    judged = [_Judged(experiment) for experiment in measured]
    of: dict[str, Prediction] = {}
    not_ranked: dict[str, str] = {}
    for name, given in graphs.items():
        try:
            of[name] = _predict(judged, _held_out(name, given, dataset, measured), seed)
        except NoExtension as error:
            not_ranked[name] = (
                f"its graph is no DAG and stands for none: {error.named(dataset.columns)}"
            )
        except NotApplicable as error:
            not_ranked[name] = str(error)
    experiments = tuple(each.experiment for each in measured)
    return Predictions(dataset.columns, experiments, of, not_ranked, left_out, level)


class _Judged:
    """The variations of one experiment, each computed once."""

    def __init__(self, measured: Measured) -> None:
        self.measured = measured
        self._known: dict[tuple[int, int], Variation] = {}
        self._by_dag: dict[bytes, list[Variation]] = {}

    def variations(self, dag: Adjacency) -> list[Variation]:
        """Return the variation of each column under a DAG; that of the target means nothing."""
        key = dag.tobytes()
        if key not in self._by_dag:
            numbers = self.measured.predictor.laws(dag)
            numbers[self.measured.experiment.target] = UNCHANGED
            self._by_dag[key] = [self._one(node, number) for node, number in enumerate(numbers)]
        return self._by_dag[key]

    def _one(self, column: int, number: int) -> Variation:
        if number == UNCHANGED:
            return self.measured.unchanged[column]
        if (column, number) not in self._known:
            predicted = self.measured.predictor.law(column, number)
            self._known[column, number] = variation(self.measured.values[:, column], predicted)
        return self._known[column, number]


def _predict(judged: list[_Judged], graphs: HeldOutGraphs, seed: int) -> Prediction:
    """Return the means over the members of each experiment's graph."""
    distances, errors, separate, shared = [], [], [], []
    dags: dict[bytes, list[Adjacency]] = {}
    for experiment in judged:
        target = experiment.measured.experiment.target
        graph = graphs[target]
        key = graph.tobytes()
        if key not in dags:
            dags[key] = member_dags(graph, stream(seed, "members"))
        variations = [experiment.variations(dag) for dag in dags[key]]
        others = [node for node in range(len(graph)) if node != target]
        value = np.mean([[column.value for column in each] for each in variations], axis=0)
        error = np.mean([[column.error for column in each] for each in variations], axis=0)
        value[target] = error[target] = np.nan
        distances.append(value)
        errors.append(error)
        chosen = [each[node] for each in variations for node in others]
        separate.append(_mean([column.measured for column in chosen]))
        shared.append(_mean([column.predicted for column in chosen]))
    return Prediction(np.array(distances), np.array(errors), tuple(separate), np.array(shared))


def _mean(parts: list[np.ndarray]) -> np.ndarray:
    """Return the mean of arrays, each of which may occur many times."""
    if not parts:
        return np.zeros(0)
    total = np.zeros(len(parts[0]))
    for part in parts:
        total += part
    return total / len(parts)


def _held_out(
    name: str, given: HeldOutGraphs | Adjacency, dataset: Dataset, measured: list[Measured]
) -> HeldOutGraphs:
    targets = {each.experiment.target for each in measured}
    graphs = dict.fromkeys(targets, given) if isinstance(given, np.ndarray) else given
    missing = sorted(dataset.columns[target] for target in targets - set(graphs))
    if missing:
        raise ValueError(f"{name}: there is no graph without the experiments on {missing[0]!r}")
    for target in targets:
        n_nodes = len(check_adjacency(graphs[target], name))
        if n_nodes != dataset.n_nodes:
            raise ValueError(
                f"{name}: expected a graph of {dataset.n_nodes} nodes, one for each column, got "
                f"{n_nodes}"
            )
    return graphs


# The DAGs that an estimate stands for.


def member_dags(graph: Adjacency, rng: Generator, most: int = MOST_MEMBERS) -> list[Adjacency]:
    """Return the DAGs with the graph's skeleton, its arrows and no further v-structure.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        A DAG, a CPDAG, or a PDAG such as that of GIES.
    rng : Generator
        Used only where there are more than `most` members: then that many are drawn, uniformly
        if all nodes of an undirected component have the same parents outside, as in every CPDAG
        and every interventional essential graph; else by directing the edges one by one.
    most : int

    Raises
    ------
    NoExtension
        If there is no such DAG.

    Examples
    --------
    >>> from causalassay.graphs import chain, skeleton
    >>> len(member_dags(skeleton(chain(4)), np.random.default_rng(0)))
    4
    """
    if is_dag(graph):
        return [graph]
    extend(graph)
    closed = meek_closure(graph)
    arrows, lines = directed_part(closed), undirected_part(closed)
    if _same_parents_along(lines, arrows):
        return [arrows | dag for dag in members(lines, rng, most).dags]
    listed = list(islice(_every_direction(closed), most + 1))
    if len(listed) <= most:
        return listed
    return [_directed_at_random(closed, rng) for _ in range(most)]


def _same_parents_along(lines: Adjacency, arrows: Adjacency) -> bool:
    first, second = np.nonzero(lines)
    return bool((arrows[:, first] == arrows[:, second]).all())


def _every_direction(closed: Adjacency) -> Iterator[Adjacency]:
    """Direct an undirected edge either way, close under Meek's rules, go on with the next."""
    edges = np.argwhere(np.triu(undirected_part(closed)))
    if not len(edges):
        yield closed
        return
    i, j = edges[0]
    for head, tail in ((i, j), (j, i)):
        yield from _every_direction(_directed(closed, tail, head))


def _directed_at_random(closed: Adjacency, rng: Generator) -> Adjacency:
    while len(edges := np.argwhere(undirected_part(closed))):
        closed = _directed(closed, *edges[rng.integers(len(edges))])
    return closed


def _directed(closed: Adjacency, tail: int, head: int) -> Adjacency:
    one_way = closed.copy()
    one_way[head, tail] = False
    return meek_closure(one_way)
