"""A second opinion on the same graphs: how well they predict experiments left out."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from causalassay.choosing.result import PredictionScore, SecondOpinion
from causalassay.data import Dataset
from causalassay.risk import prediction
from causalassay.risk.fits import Fit


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
    return PredictionScore(_plain(score.value), low, high, _plain(score.skill))


def _plain(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
