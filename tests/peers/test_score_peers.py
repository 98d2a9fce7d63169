"""SCORE, NoGAM and the estimator of the score against the package dodiscover, frozen.

The package index does not have dodiscover. To freeze anew: install it from its repository
(py-why/dodiscover) into an environment with pytest, and run
``python tests/peers/test_score_peers.py`` there.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

FROZEN = Path(__file__).parent / "frozen" / "dodiscover-score.json"
N_CASES = 8
COMMIT = "6e64456198a5b66e515f250a8f4b143ebc31c9a6"


def case(seed):
    """Chains and forks of curves with normal or exponential noise of unequal scale.

    Rounded, so that no BLAS matters.
    """
    rng = np.random.default_rng([2304, seed])
    n, d = (120, 201)[seed % 2], 5
    noise = rng.exponential(size=(n, d)) if seed % 4 > 1 else rng.normal(size=(n, d))
    values = noise * rng.uniform(0.4, 1.2, d)
    for j in range(1, d):
        parent = int(rng.integers(j))
        values[:, j] += 2 * np.sin(1.5 * values[:, parent])
    return np.round(values[:, rng.permutation(d)], 6)


def dodiscovers(seed):
    """Its estimates of variances and its orders, without pruning."""
    import pandas as pd
    from dodiscover.context_builder import make_context
    from dodiscover.toporder.nogam import NoGAM
    from dodiscover.toporder.score import SCORE

    values = case(seed)
    data = pd.DataFrame(values)
    result = {
        "score_variances": SCORE().score(values, 1e-3).var(axis=0).tolist(),
        "diagonal_variances": SCORE().hessian_diagonal(values, 1e-3, 1e-3).var(axis=0).tolist(),
    }
    for name, algorithm in (("score", SCORE(prune=False)), ("nogam", NoGAM(prune=False))):
        algorithm.learn_graph(data, make_context().variables(data=data).build())
        result[name] = [int(node) for node in algorithm.order_]
    return result


def frozen():
    cases = json.loads(FROZEN.read_text())["cases"]
    assert len(cases) == N_CASES
    return list(enumerate(cases))


def test_variances_are_those_of_frozen_dodiscover():
    from causalassay.diagnostics import score_variances, stein_estimate
    from causalassay.diagnostics.stein_score import common_unit

    for seed, expected in frozen():
        values = case(seed)
        ridge = 1e-3 * common_unit(values)  # theirs is absolute
        np.testing.assert_allclose(
            score_variances(values, ridge), expected["score_variances"], 1e-5
        )
        diagonal = stein_estimate(values).jacobian_diagonal.var(axis=0)
        np.testing.assert_allclose(diagonal, expected["diagonal_variances"], 1e-4)


def test_orders_are_those_of_frozen_dodiscover():
    """Of NoGAM with five folds, and with the width that its code takes: 0.01, not 0.1."""
    from causalassay.discovery import NoGAM, Score, discover

    for seed, expected in frozen():
        values = case(seed)
        assert list(discover(Score(), values).order) == expected["score"]
        as_theirs = NoGAM(held_out="fifth", gamma=0.01)
        assert list(discover(as_theirs, values).order) == expected["nogam"]


def freeze():
    content = {
        "peer": "dodiscover",
        "version": version("dodiscover"),
        "commit": COMMIT,
        "numpy": np.__version__,
        "seeds": f"[2304, k] for k from 0 to {N_CASES - 1}",
        "cases": [dodiscovers(seed) for seed in range(N_CASES)],
    }
    FROZEN.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
