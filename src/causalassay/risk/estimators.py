"""Causal risk: the oracle's, and its estimates from experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.seeding import seed_of
from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.discovery import make_algorithm
from causalassay.risk.cross_validation import (
    CrossValidation,
    Intervals,
    Losses,
    NodeLosses,
    Scoring,
    interval,
    prepare_cross_validation,
)
from causalassay.risk.descendants import (
    DEFAULT_TESTS,
    Descendants,
    DescendantTests,
    Loss,
    implied_descendants,
    jaccard,
)
from causalassay.risk.fits import Fit, why_not
from causalassay.risk.result import Comparison, Difference, Risk

DEFAULT_SCORING = Scoring()


def oracle(truth: Adjacency, guess: Adjacency, loss: Loss = jaccard) -> float:
    """Return the mean loss, over all nodes, of `guess`'s descendants against `truth`'s.

    Parameters
    ----------
    truth, guess : Adjacency, shape (d, d)
        DAGs; in a CPDAG or PDAG possible descendants count, and directed cycles
        are accepted (see `implied_descendants`).
    loss : callable
        A function of two sets of nodes.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), equation 4.

    Examples
    --------
    In 0→1→2 node 0 has the descendants 1 and 2, node 1 has 2; without the
    second edge half of the first set and all of the second are missing.

    >>> from causalassay.graphs import chain
    >>> guess = chain(3)
    >>> guess[1, 2] = False
    >>> oracle(chain(3), guess)
    0.5
    """
    truth, guess = as_graph(truth, "truth"), as_graph(guess, "guess")
    if len(truth) != len(guess):
        raise ValueError(
            f"guess: the truth has {len(truth)} nodes but the guess has {len(guess)}; "
            "give both one node per column, in the same order"
        )
    pairs = zip(implied_descendants(truth), implied_descendants(guess), strict=True)
    return float(np.mean([loss(real, guessed) for real, guessed in pairs]))


def estimate(
    algorithm: str | Algorithm,
    dataset: Dataset,
    rng: Generator | int = 0,
    descendants: DescendantTests | Descendants | Adjacency = DEFAULT_TESTS,
    folds: int | None = None,
    scoring: Scoring = DEFAULT_SCORING,
) -> Risk:
    """Estimate an algorithm's causal risk from experiments, without a true graph.

    Parameters
    ----------
    algorithm : str or Algorithm
        A name of `causalassay.algorithms()` stands for that algorithm's defaults.
    dataset : Dataset
        With an observational condition and experiments on at least 2 columns.
    rng : Generator or int
        An int is a seed, which the result then has.
    descendants : DescendantTests, Descendants or Adjacency
        What the estimate's descendants are compared with: those that tests show,
        those known from elsewhere, or those in a true graph.
    folds : int, optional
        By default the experiments on one node at a time are withheld, as in the
        paper; the released code withholds those on a fifth of the nodes
        (``folds=5``). There are never more folds than nodes.
    scoring : Scoring
        The loss, and the bootstrap.

    Notes
    -----
    While a node is held out the algorithm gets no regime that is known to act on
    it, alone or with others. Regimes without a known target stay in its data.

    An algorithm that reads no interventional rows (see `Risk.reads`) is run once: without
    some experiments it would give the same graph, so that its cross-validated and weighted
    risks equal the naive one by construction.

    Departs from the released code: folds are drawn from `rng`, and there is no
    condition on the number of descendants.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), Evaluation of causal structure
    learning algorithms via risk estimation, UAI: equations 5 (naive), 6
    (cross-validated) and 7 (weighted).

    Examples
    --------
    >>> from causalassay import data, graphs, models
    >>> rng = np.random.default_rng(0)
    >>> model = models.draw("scm", graphs.chain(4), rng, weights=(1, 2))
    >>> regimes = [data.Regime("control", model.sample(200, rng))]
    >>> for node in (0, 1):
    ...     action = (models.Do(node, 5.0),)
    ...     values = model.sample(50, rng, action)
    ...     regimes.append(data.Regime(f"do {node}", values, (node,), action))
    >>> experiments = data.Dataset(("a", "b", "c", "d"), tuple(regimes), "control")
    >>> estimate("empty", experiments, rng).weighted
    1.0
    >>> estimate("var-sortnregress", experiments, rng).weighted
    0.0
    """
    validation = prepare_cross_validation(dataset, rng, descendants, folds, scoring)
    name, resolved = _resolve(algorithm)
    risk = _risk(validation, validation.losses(validation.fit(name, resolved)))
    return replace(risk, seed=seed_of(rng))


def compare(
    algorithms: Mapping[str, str | Algorithm] | Sequence[str | Algorithm],
    dataset: Dataset,
    rng: Generator | int = 0,
    descendants: DescendantTests | Descendants | Adjacency = DEFAULT_TESTS,
    folds: int | None = None,
    scoring: Scoring = DEFAULT_SCORING,
) -> Comparison:
    """Estimate the risks of several algorithms on the same folds and descendants.

    Parameters
    ----------
    algorithms : mapping of str to (str or Algorithm), or sequence
        In a sequence each is called by its name, or by its repr.
    dataset, rng, descendants, folds, scoring
        As for `estimate`.

    Notes
    -----
    Every algorithm gets the same random streams, named by what is held out: each
    has the risk that `estimate` gives it with the same `rng`, whatever the others.

    An algorithm that does not apply to the data, or fails, has no risk; `not_ranked` of the
    result says why.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), section 3.4 on ranking two algorithms.

    Examples
    --------
    >>> from causalassay import data, graphs, models
    >>> rng = np.random.default_rng(0)
    >>> model = models.draw("scm", graphs.chain(4), rng, weights=(1, 2))
    >>> regimes = [data.Regime("control", model.sample(200, rng))]
    >>> for node in (0, 1):
    ...     action = (models.Do(node, 5.0),)
    ...     values = model.sample(50, rng, action)
    ...     regimes.append(data.Regime(f"do {node}", values, (node,), action))
    >>> experiments = data.Dataset(("a", "b", "c", "d"), tuple(regimes), "control")
    >>> comparison = compare(["empty", "var-sortnregress"], experiments, rng)
    >>> comparison.ranking
    ('var-sortnregress', 'empty')
    >>> comparison.difference("var-sortnregress", "empty").weighted
    -1.0
    """
    named = named_algorithms(algorithms)
    validation = prepare_cross_validation(dataset, rng, descendants, folds, scoring)
    fits: dict[str, Fit] = {}
    not_ranked: dict[str, str] = {}
    for name, algorithm in named.items():
        try:
            fits[name] = validation.fit(name, algorithm)
        except Exception as error:  # whatever it is, the others go on
            not_ranked[name] = why_not(error)
    compared = compare_fits(fits, validation, not_ranked)
    risks = {name: replace(risk, seed=seed_of(rng)) for name, risk in compared.risks.items()}
    return replace(compared, risks=risks)


def compare_fits(
    fits: Mapping[str, Fit], validation: CrossValidation, not_ranked: Mapping[str, str]
) -> Comparison:
    """Return the risks of graphs that were found before, and their differences."""
    losses = {name: validation.losses(fit) for name, fit in fits.items()}
    differences: list[Difference] = []
    for first, second in combinations(losses, 2):
        there = _difference(validation, first, second, losses)
        differences += [there, there.reversed()]
    risks = {name: _risk(validation, of_one) for name, of_one in losses.items()}
    return Comparison(risks, tuple(differences), not_ranked)


def _risk(validation: CrossValidation, losses: Losses) -> Risk:
    means, intervals = _summarise(validation, losses.naive, losses.held_out)
    return Risk(
        *means,
        intervals,
        dict(zip(validation.nodes, losses.naive.losses.tolist(), strict=True)),
        dict(zip(validation.nodes, losses.held_out.losses.tolist(), strict=True)),
        validation.descendants,
        validation.folds,
        losses.fit.graph,
        losses.fit.reads,
        losses.fit.kind,
        {node: losses.fit.held_out_graphs[node] for node in validation.nodes},
    )


def _difference(
    validation: CrossValidation, first: str, second: str, losses: Mapping[str, Losses]
) -> Difference:
    naive, held_out = (
        NodeLosses(its.losses - others.losses, its.draws.minus(others.draws))
        for its, others in (
            (losses[first].naive, losses[second].naive),
            (losses[first].held_out, losses[second].held_out),
        )
    )
    means, intervals = _summarise(validation, naive, held_out)
    return Difference(first, second, *means, intervals)


def _summarise(
    validation: CrossValidation, naive: NodeLosses, held_out: NodeLosses
) -> tuple[tuple[float, float, float], Intervals]:
    """Return the naive, cross-validated and weighted mean, and their intervals."""
    on_all, withheld = float(naive.losses.mean()), float(held_out.losses.mean())
    means = (on_all, withheld, validation.weigh(on_all, withheld))
    pairs = ((naive, naive), (held_out, held_out), (naive, held_out))
    level = validation.scoring.level
    ends = (
        interval(mean, seen.draws, unseen.draws, validation.unseen, level)
        for mean, (seen, unseen) in zip(means, pairs, strict=True)
    )
    return means, Intervals(level, *ends)


def _resolve(algorithm: str | Algorithm) -> tuple[str, Algorithm]:
    if isinstance(algorithm, str):
        return algorithm, make_algorithm(algorithm)
    if isinstance(algorithm, type) or not callable(getattr(algorithm, "discover", None)):
        raise TypeError(
            "algorithm: expected a name or an instance with a method discover(data, rng), "
            f"got {algorithm!r}"
        )
    return repr(algorithm), algorithm


def named_algorithms(
    algorithms: Mapping[str, str | Algorithm] | Sequence[str | Algorithm],
) -> dict[str, Algorithm]:
    """Return algorithms by name; those of a sequence are called by their names or reprs."""
    if isinstance(algorithms, str):
        raise TypeError(
            f"algorithms: expected several names, got the text {algorithms!r}; "
            "`estimate` takes a single one"
        )
    if not algorithms:
        raise ValueError("algorithms: at least 1 is needed, got none")
    if isinstance(algorithms, Mapping):
        return {name: _resolve(algorithm)[1] for name, algorithm in algorithms.items()}
    named: dict[str, Algorithm] = {}
    for each in algorithms:
        name, algorithm = _resolve(each)
        if name in named:
            raise ValueError(
                f"algorithms: {name!r} appears twice; pass a mapping that names each of them"
            )
        named[name] = algorithm
    return named
