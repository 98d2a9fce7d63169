"""``python -m calibration.additive_terms``: the level of p-values of additive regression.

Writes a Markdown table, the one in docs/nonlinear.md: of terms without effect, beside one with
an effect, the shares with p-values of at most 0.1, 1 and 5 %.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.common.seeding import stream
from causalassay.discovery.regression.additive_model import fit_additive
from causalassay.discovery.regression.spline_columns import spline_columns

LEVELS = (0.001, 0.01, 0.05)
CELLS = ((200, 3), (200, 8), (500, 8), (500, 19), (1000, 8), (1000, 19))
"""Rows and predictors."""


def null_p_values(n: int, p: int, repeat: int) -> Vector:
    """Return the p-values of all predictors but the first, on which alone the target depends."""
    rng = stream(1, "additive terms", n, p, repeat)
    predictors = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(n, 1))
    target = np.sin(2 * predictors[:, 0]) + rng.normal(size=n)
    columns = spline_columns(np.column_stack([target, predictors]))
    return fit_additive(columns, 0, np.arange(1, p + 1)).p_values()[1:]


def main() -> None:
    """Measure and print, a row for each number of rows and of predictors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--terms", type=int, default=4000, help="terms without effect per row")
    stated = parser.parse_args()
    for n, p in CELLS:
        repeats = range(-(-stated.terms // (p - 1)))
        p_values = np.concatenate([null_p_values(n, p, repeat) for repeat in repeats])
        shares = [f"{100 * (p_values <= level).mean():.2f}" for level in LEVELS]
        sys.stdout.write(f"| {n} | {p} | {len(p_values)} | {' | '.join(shares)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
