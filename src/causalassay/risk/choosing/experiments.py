"""What experiments show beside risks: who moved, and how well graphs predict those left out."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from causalassay.data import Dataset
from causalassay.risk import prediction
from causalassay.risk.choosing.result import Movement, PredictionScore, SecondOpinion
from causalassay.risk.descendant_tests import (
    DescendantTests,
    changed_in_regimes,
    compare_regimes,
    regimes_by_node,
)
from causalassay.risk.experiments import find_experiments
from causalassay.risk.fits import Fit


def find_movements(
    dataset: Dataset, tests: DescendantTests, threshold: float
) -> tuple[Movement, ...]:
    """Return what each condition with a single target moved, by the tests that the risk uses.

    Parameters
    ----------
    dataset : Dataset
    tests : DescendantTests
    threshold : float
        Of the tests on all rows.
    """
    experiments = find_experiments(dataset)
    regimes = [regime for on in experiments.on.values() for regime in on]
    done = compare_regimes(dataset.observational_values, regimes_by_node(experiments), tests.test)
    changed = changed_in_regimes(done, tests, threshold)
    columns = dataset.columns
    return tuple(
        Movement(
            condition=regime.condition,
            target=columns[done.targets[row]],
            n_rows=len(regime.values),
            effects={name: _plain(done.effect[row, k]) for k, name in enumerate(columns)},
            p_values={name: _plain(done.p_value[row, k]) for k, name in enumerate(columns)},
            moved=tuple(columns[k] for k in np.flatnonzero(changed[row])),
            constant=tuple(columns[k] for k in np.flatnonzero(np.ptp(regime.values, axis=0) == 0)),
        )
        for row, regime in enumerate(regimes)
    )


def ask_second_opinion(
    fits: Mapping[str, Fit], dataset: Dataset, seed: int, not_acting: Collection[str] = ()
) -> SecondOpinion:
    """Return how far predictions are from what was measured; with a reason where there are none.

    Parameters
    ----------
    fits : mapping of str to Fit
    dataset : Dataset
    seed : int
    not_acting : collection of str
        Conditions known not to act on the measured level of their target.
    """
    graphs = {name: fit.held_out_graphs for name, fit in fits.items()}
    try:
        found = prediction.compare(graphs, dataset, seed, not_acting)
    except ValueError as error:
        return SecondOpinion(reason=str(error))
    return SecondOpinion(
        n_experiments=len(found.experiments),
        floor=_plain(found.floor()),
        nothing_changes=_plain(found.nothing_changes()),
        scores={name: _score(found.score(name)) for name in found.ranking()},
        undoubted={
            name: _score(found.score(name, undoubted=True))
            for name in found.ranking(undoubted=True)
            if found.chosen(undoubted=True).any()
        },
        differences=_differences(found),
        doubts=found.doubts,
        not_ranked=dict(found.not_ranked),
        left_out=dict(found.left_out),
    )


def _differences(found: prediction.Predictions) -> dict[str, PredictionScore]:
    """Return the best one's score less that of each other one."""
    best, *others = found.ranking() or ("",)
    return {other: _score(found.difference(best, other)) for other in others}


def _score(score: prediction.Score) -> PredictionScore:
    low, high = (_plain(end) for end in score.interval)
    share = _plain(score.share_predicted)
    return PredictionScore(_plain(score.value), low, high, share, score.n_experiments)


def _plain(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
