"""The share of a score's variance that the sortability of the data explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causalassay.analysis.bootstrap import FEWEST_UNITS, Blocks, deal, percentiles
from causalassay.analysis.runs import OK, Runs
from causalassay.arrays import Values, Vector

VARIANCE, R2 = "var_sortability", "r2_sortability"
REGRESSORS = {VARIANCE: (VARIANCE,), R2: (R2,), "both": (VARIANCE, R2)}
_NEGLIGIBLE = 1e-12
"""Relative variance, or independent part of it, below which there is none but rounding."""

Moments = NDArray[np.floating[Any]]


def explained_shares(runs: Runs) -> pd.DataFrame:
    """Return R² of least-squares regressions of the scores on var- and R²-sortability.

    Each is taken alone and both together, over all runs with a score, of all schemes.

    Returns
    -------
    DataFrame
        For each algorithm, metric and ``regressors`` ("var_sortability",
        "r2_sortability", "both"): ``share``, the plain R², with 95 % percentile limits
        that resample whole units (a share is never negative, so they exclude 0 even
        where nothing is explained); ``adjusted``, after Ezekiel with the number of
        *units* in index of that of rows, for the rows of one unit are not independent:
        1 − (1 − R²)(u − 1)/(u − p − 1), which is 0 on average where nothing is
        explained; the slopes; and ``n`` rows in ``n_units`` units, with ``n_missing``
        runs that ended but lack the score or a sortability. All numbers are nan where
        ``note`` says why. Sizes and densities of the graphs move scores too: the share
        is a description of this study, not an effect.
    """
    rows = []
    for index, name in enumerate(runs.algorithms):
        for metric in runs.scores:
            for label, regressors in REGRESSORS.items():
                head = {
                    "algorithm": name,
                    "role": runs.roles[index],
                    "metric": metric,
                    "regressors": label,
                }
                rows.append(head | _explained(runs, metric, index, regressors))
    return pd.DataFrame(rows)


def _explained(
    runs: Runs, metric: str, index: int, regressors: tuple[str, ...]
) -> dict[str, object]:
    scores = runs.scores[metric][index]
    unmeasured = np.full(len(scores), np.nan)
    columns = [runs.measured.get(name, unmeasured) for name in regressors]
    usable = np.logical_and.reduce([np.isfinite(column) for column in (scores, *columns)])
    data = np.stack([column[usable] for column in (scores, *columns)])
    blocks = deal(runs.units[usable])
    counts = {
        "n": int(usable.sum()),
        "n_missing": int((runs.status[index] == OK).sum() - usable.sum()),
        "n_units": blocks.n_units,
    }
    absent = [name for name in regressors if name not in runs.measured]
    note = f"not measured: {', '.join(absent)}" if absent else _why_undefined(data, blocks)
    return counts | (_nothing(note) if note else _fitted(data, blocks, regressors))


def _why_undefined(data: Values, blocks: Blocks) -> str:
    if blocks.n_units < FEWEST_UNITS:
        return f"fewer than {FEWEST_UNITS} units"
    varies = np.ptp(data, axis=1) > _NEGLIGIBLE * np.abs(data).max(axis=1)
    if not varies[0]:
        return "the score does not vary"
    return "" if varies[1:].all() else "a sortability does not vary"


def _nothing(note: str) -> dict[str, object]:
    names = ("share", "share_low", "share_high", "adjusted", f"slope_{VARIANCE}", f"slope_{R2}")
    return dict.fromkeys(names, np.nan) | {"note": note}


def _fitted(data: Values, blocks: Blocks, regressors: tuple[str, ...]) -> dict[str, object]:
    # Centred and scaled, so that the sums of products lose no digits.
    centred = data - data.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1))
    moments = _block_moments(centred / scale[:, None], blocks)
    shares, slopes = _regress(moments.sum(axis=0)[None], len(regressors))
    drawn, _ = _regress(blocks.totals(*moments.T), len(regressors))
    low, high = percentiles(drawn)
    share, units, used = float(shares[0]), blocks.n_units, len(regressors)
    slope = dict(zip(regressors, slopes[0] * scale[0] / scale[1:], strict=True))
    return {
        "share": share,
        "share_low": low,
        "share_high": high,
        "adjusted": 1 - (1 - share) * (units - 1) / (units - used - 1),
        f"slope_{VARIANCE}": float(slope.get(VARIANCE, np.nan)),
        f"slope_{R2}": float(slope.get(R2, np.nan)),
        "note": "",
    }


def _block_moments(data: Values, blocks: Blocks) -> Moments:
    """Return by block the number of rows, their sums and their sums of products."""
    ones = np.concatenate([np.ones((1, data.shape[1])), data])
    products = [ones[i] * ones[j] for i in range(len(ones)) for j in range(i, len(ones))]
    return np.column_stack(
        [np.bincount(blocks.block, weights=p, minlength=blocks.n_blocks) for p in products]
    )


def _regress(moments: Moments, used: int) -> tuple[Vector, Values]:
    """Return R² and slopes of each row of moments; nan where a variable does not vary."""
    size = used + 2
    sums = np.empty((len(moments), size, size))
    upper = np.triu_indices(size)
    sums[:, upper[0], upper[1]] = sums[:, upper[1], upper[0]] = moments
    n = sums[:, 0, 0]
    means = sums[:, 0, 1:] / n[:, None]
    covariance = sums[:, 1:, 1:] / n[:, None, None] - means[:, :, None] * means[:, None, :]
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    usable = (variances > _NEGLIGIBLE).all(axis=1)
    shares, slopes = np.full(len(moments), np.nan), np.full((len(moments), used), np.nan)
    # The pseudo-inverse shares a slope among regressors that say the same.
    inverse = np.linalg.pinv(covariance[usable, 1:, 1:], rcond=1e-9, hermitian=True)
    with_score = covariance[usable, 1:, 0]
    slopes[usable] = np.einsum("rij,rj->ri", inverse, with_score)
    explained = (slopes[usable] * with_score).sum(axis=1) / variances[usable, 0]
    shares[usable] = np.clip(explained, 0.0, 1.0)
    return shares, slopes
