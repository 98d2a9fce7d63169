"""What all algorithms of a comparison share, and what each of them loses on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.risk.descendant_draws import (
    DescendantDraws,
    Relations,
    draw_descendants,
    fixed_draws,
)
from causalassay.risk.descendant_tests import DescendantTests, estimate_descendants
from causalassay.risk.descendants import Descendants, implied_descendants, true_descendants
from causalassay.risk.experiments import find_experiments, split
from causalassay.risk.fits import NEVER_INTERVENTIONAL, Fit, fit_algorithm
from causalassay.risk.uncertainty import Counts, LossDraws, Scoring, draw_unseen
from causalassay.seeding import as_generator, stream
from causalassay.spelling import listed


class NodeLosses(NamedTuple):
    """The losses of the nodes of a `CrossValidation`, in its order, and draws of them."""

    losses: Vector
    draws: LossDraws


class Losses(NamedTuple):
    """What an algorithm loses, and the graphs that lose it."""

    naive: NodeLosses
    held_out: NodeLosses
    fit: Fit


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Data, reference, folds and random streams: the same for all algorithms.

    Parameters
    ----------
    dataset : Dataset
    descendants : Descendants
    nodes : tuple of int
        Those intervened upon, by the names of their columns: a permutation of
        the columns changes no sum and no draw.
    folds : tuple of tuple of int
    draws : DescendantDraws
        The descendants of `nodes` as other rows might have shown them.
    unseen : Counts
        What the nodes without experiments may lose.
    scoring : Scoring
    seed : int
    """

    dataset: Dataset
    descendants: Descendants
    nodes: tuple[int, ...]
    folds: tuple[tuple[int, ...], ...]
    draws: DescendantDraws
    unseen: Counts
    scoring: Scoring
    seed: int

    def weigh(self, naive: float, held_out: float) -> float:
        """Return |I|/p · naive + (p - |I|)/p · held_out, equation 7."""
        p, seen = self.dataset.n_nodes, len(self.nodes)
        return (seen * naive + (p - seen) * held_out) / p

    def fit(self, name: str, algorithm: Algorithm) -> Fit:
        """Run the algorithm on all data and, if it reads experiments, without each fold."""
        return fit_algorithm(name, algorithm, self.dataset, self.folds, self.seed)

    def losses(self, fit: Fit) -> Losses:
        """Hold the graphs against the descendants; the same graph is not scored twice."""
        implied = implied_descendants(fit.graph)
        naive = self._losses({node: implied[node] for node in self.nodes})
        if fit.reads in NEVER_INTERVENTIONAL:
            return Losses(naive, naive, fit)
        held_out = {
            node: implied_descendants(fit.held_out_graphs[node])[node] for node in self.nodes
        }
        return Losses(naive, self._losses(held_out), fit)

    def _losses(self, guesses: Mapping[int, frozenset[int]]) -> NodeLosses:
        loss, n_nodes = self.scoring.loss, self.dataset.n_nodes
        losses = [float(loss(self.descendants.of[node], guesses[node])) for node in self.nodes]
        named = np.zeros((len(self.nodes), n_nodes), dtype=bool)
        for row, node in enumerate(self.nodes):
            named[row, list(guesses[node])] = True
        least = loss(frozenset(), frozenset())
        largest = loss(frozenset(), frozenset(range(1, n_nodes)))
        return NodeLosses(
            np.array(losses),
            LossDraws(
                self._drawn_losses(self.draws.favouring(named), guesses),
                self._drawn_losses(self.draws.opposing(named), guesses),
                np.array([least, least, largest, largest], dtype=float),
            ),
        )

    def _drawn_losses(self, drawn: Relations, guesses: Mapping[int, frozenset[int]]) -> Values:
        """Return the losses, shape (h, k), against h draws of the descendants."""
        losses = np.empty(drawn.shape[:2])
        for row, node in enumerate(self.nodes):
            found, draw = np.unique(drawn[:, row], axis=0, return_inverse=True)
            each = [
                float(self.scoring.loss(frozenset(np.flatnonzero(one).tolist()), guesses[node]))
                for one in found
            ]
            losses[:, row] = np.array(each)[draw.reshape(-1)] if each else np.nan
        return losses


def prepare_cross_validation(
    dataset: Dataset,
    rng: Generator | int,
    descendants: DescendantTests | Descendants | Adjacency,
    folds: int | None,
    scoring: Scoring,
) -> CrossValidation:
    """Return what all algorithms share; one number drawn from `rng` seeds all its streams."""
    rng = as_generator(rng)
    if folds is not None and folds < 2:
        raise ValueError(
            f"folds: expected at least 2, or None to leave one intervention out; got {folds}"
        )
    seed = int(rng.integers(2**63))
    _check_experiments(dataset)
    reference = _reference(dataset, stream(seed, "descendants"), descendants)
    nodes = tuple(sorted(reference.nodes, key=lambda node: dataset.columns[node]))
    n_unseen, n_draws = dataset.n_nodes - len(nodes), scoring.n_bootstrap
    draws = (
        draw_descendants(dataset, nodes, descendants, n_draws, stream(seed, "halves"))
        if isinstance(descendants, DescendantTests)
        else fixed_draws(reference, nodes)
    )
    return CrossValidation(
        dataset,
        reference,
        nodes,
        split(nodes, folds, stream(seed, "folds")),
        draws,
        draw_unseen(len(nodes), n_unseen, n_draws, stream(seed, "unseen")),
        scoring,
        seed,
    )


def _check_experiments(dataset: Dataset) -> None:
    experiments = find_experiments(dataset)
    if len(experiments.on) < 2:
        names = listed([dataset.columns[node] for node in experiments.on])
        left_out = "; ".join(f"{name!r}: {why}" for name, why in experiments.left_out.items())
        raise ValueError(
            "a risk needs experiments on at least 2 columns, because one is withheld from the "
            f"algorithm while others are not; got {len(experiments.on)}"
            + (f" ({names})" if names else "")
            + (f", with these conditions left out: {left_out}" if left_out else "")
            + "; add regimes that act on another column alone, or state their targets"
        )


def _reference(
    dataset: Dataset, rng: Generator, descendants: DescendantTests | Descendants | Adjacency
) -> Descendants:
    if isinstance(descendants, DescendantTests):
        return estimate_descendants(dataset, rng, descendants)
    if isinstance(descendants, np.ndarray):
        return true_descendants(descendants, dataset)
    if not isinstance(descendants, Descendants):
        raise TypeError(
            "descendants: expected DescendantTests, Descendants or a true graph as bool array, "
            f"got {type(descendants).__name__}"
        )
    if descendants.columns != dataset.columns:
        raise ValueError(
            f"descendants: they belong to the columns {listed(descendants.columns)}, but the data "
            f"have {listed(dataset.columns)}"
        )
    experiments = find_experiments(dataset).on
    unknown = [dataset.columns[node] for node in descendants.nodes if node not in experiments]
    if unknown or len(descendants.nodes) < 2:
        raise ValueError(
            "descendants: at least 2 nodes are needed, each with an experiment in the data; got "
            f"{len(descendants.nodes)}, without experiment: {listed(unknown) or 'none'}"
        )
    return descendants
