"""The KCI test against causal-learn's: frozen, and live where it is installed.

To freeze anew: ``python tests/peers/test_kci_peers.py`` in an environment with causal-learn
and pytest.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

FROZEN = Path(__file__).parent / "frozen" / "causal-learn-kci.json"
N_CASES = 24


def case(seed):
    """x, y and a set of 0 to 2 columns; on half of the seeds y depends on x, too.

    Rounded, so that no BLAS matters.
    """
    rng = np.random.default_rng([2011, seed])
    n, size = (60, 150, 250, 300)[seed % 4], seed % 3
    given, noise = rng.normal(size=(n, size)), rng.normal(size=(n, 2))
    x = np.sin(1.5 * given).sum(axis=1) + noise[:, 0]
    y = np.sin(1.5 * given).sum(axis=1) + noise[:, 1]
    if seed // 2 % 2:
        y += 0.5 * np.cos(1.5 * x)
    return np.round(np.column_stack([x, y, given]), 6)


def causal_learns(seed):
    from causallearn.utils.cit import CIT

    values = case(seed)
    return float(CIT(values, "kci")(0, 1, list(range(2, values.shape[1]))))


def ours(seed):
    """Return the p-value with the ridge of its code, no linear part, and one direction only."""
    from causalassay.data import Dataset
    from causalassay.discovery import nonlinear_independence as room

    values = case(seed)
    test = room.nonlinear_independence("kci", Dataset.from_values(values))
    given = tuple(range(2, values.shape[1]))
    if not given:
        return np.exp(-test.minus_log_p([(0, 1)], ())[0])
    width, columns = test._width(given), test.values[:, list(given)]
    ridge = np.array([1e-3])
    of_set = room.regression(columns, width, len(values), linear=False, ridges=ridge)
    joint = np.hstack([test.values[:, [0]], columns / 2])
    weights = of_set.residual_kernel(room.gaussian_kernel(joint, width))
    weights *= of_set.residual_kernel(room.gaussian_kernel(test.values[:, [1]], width))
    mean, variance = np.trace(weights), 2 * np.vdot(weights, weights)
    return np.exp(-room.gamma_minus_log_p(weights.sum(), mean, variance))


def test_p_values_are_those_of_frozen_causal_learn():
    """To 2 % or 0.002: it drops eigenvalues of 1e-5 of the largest, we drop other small ones."""
    frozen = json.loads(FROZEN.read_text())["p"]
    assert N_CASES == len(frozen)
    np.testing.assert_allclose([ours(seed) for seed in range(N_CASES)], frozen, 0.02, 2e-3)


@pytest.mark.parametrize("seed", range(0, N_CASES, 8))
def test_p_value_is_that_of_live_causal_learn(seed):
    np.testing.assert_allclose(ours(seed), causal_learns(seed), 0.02, 2e-3)


def freeze():
    frozen = {
        "peer": "causal-learn",
        "version": version("causal-learn"),
        "numpy": np.__version__,
        "seeds": f"[2011, k] for k from 0 to {N_CASES - 1}",
        "p": [causal_learns(seed) for seed in range(N_CASES)],
    }
    FROZEN.write_text(json.dumps(frozen, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
