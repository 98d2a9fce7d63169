"""``python -m calibration.independence_tests``: level and power of the tests that PC has.

Writes a Markdown table, the one in docs/nonlinear.md: the shares of p-values of at most 5 %.
"""

from __future__ import annotations

import argparse
import sys
from math import log

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Values, Vector
from causalassay.common.seeding import stream
from causalassay.data import Dataset
from causalassay.discovery.independence import FisherZ, largest_independent, z_scales
from causalassay.discovery.nonlinear_independence import nonlinear_independence
from causalassay.discovery.pc import TESTS
from causalassay.discovery.statistics import gaussian_statistics

LEVEL = 0.05
SIZES = (0, 1, 2, 3)
N_FEATURES = 200


def curve(columns: Values, rng: Generator) -> Vector:
    """Return a function of the columns, drawn from a Gaussian process of unit length scale."""
    frequencies = rng.normal(size=(columns.shape[1], N_FEATURES))
    phases = rng.uniform(0, 2 * np.pi, N_FEATURES)
    waves = np.cos(columns @ frequencies + phases)
    return waves @ rng.normal(size=N_FEATURES) * np.sqrt(2 / N_FEATURES)


def sample(kind: str, n: int, size: int, dependent: bool, rng: Generator) -> Dataset:
    """Return x, y and the set, on which both depend; where dependent, y depends on x, too."""
    given, (x, y) = rng.normal(size=(n, size)), rng.normal(size=(2, n))
    if kind == "linear":
        slopes = rng.uniform(0.5, 2, (2, size)) * rng.choice([-1, 1], (2, size))
        x = x + given @ slopes[0]
        y = y + given @ slopes[1] + 0.2 * dependent * x
    else:
        x, y = 0.7 * x, 0.7 * y
        if size:
            x, y = x + 1.5 * curve(given, rng), y + 1.5 * curve(given, rng)
        if dependent:
            y = y + 0.7 * curve((x / x.std())[:, None], rng)
    return Dataset.from_values(np.column_stack([x, y, given]))


def rejects(test: str, data: Dataset) -> bool:
    """Tell whether the first two columns are dependent given the others, at the level."""
    given = tuple(range(2, data.n_nodes))
    if test == "fisher-z":
        statistics = gaussian_statistics(data)
        limits = largest_independent(LEVEL, z_scales(statistics.n_samples, len(given)))
        return not FisherZ(statistics.correlation, limits, data).independent(0, 1, given)
    return nonlinear_independence(test, data).minus_log_p([(0, 1)], given)[0] > -log(LEVEL)  # type: ignore[arg-type]


def shares(kind: str, n: int, size: int, dependent: bool, repeats: int) -> list[float]:
    """Return the share of rejections of each test, on the same data."""
    rejected = np.zeros(len(TESTS))
    for repeat in range(repeats):
        rng = stream(1, "independence tests", kind, n, size, int(dependent), repeat)
        data = sample(kind, n, size, dependent, rng)
        rejected += [rejects(test, data) for test in TESTS]
    return (rejected / repeats).tolist()


def main() -> None:
    """Measure and print, a row for each kind of data, number of rows and size of the set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 500, 1000])
    parser.add_argument("--repeats", type=int, default=300)
    stated = parser.parse_args()
    for n in stated.rows:
        for kind in ("linear", "nonlinear"):
            for size in SIZES:
                level, power = (
                    shares(kind, n, size, dependent, stated.repeats) for dependent in (False, True)
                )
                cells = [f"{100 * share:.0f}" for share in (*level, *power)]
                sys.stdout.write(f"| {kind} | {n} | {size} | {' | '.join(cells)} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
