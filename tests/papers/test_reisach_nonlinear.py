"""Reisach et al. 2021 (S0), tables 2 and 6: nonlinear models as Zheng et al. 2020 draw them."""

import numpy as np
import pytest

from causalassay import discover
from causalassay.diagnostics import var_sortability
from causalassay.graphs import erdos_renyi, scale_free
from causalassay.metrics import sid
from causalassay.models import draw
from published_values import published

PRINTED = published("reisach2021")
FAMILIES = {
    "ER-1": lambda n_nodes, rng: erdos_renyi(n_nodes, 1, rng),
    "ER-2": lambda n_nodes, rng: erdos_renyi(n_nodes, 2, rng),
    "ER-4": lambda n_nodes, rng: erdos_renyi(n_nodes, 4, rng),
    "SF-1": lambda n_nodes, rng: scale_free(n_nodes, 1, rng),
    "SF-4": lambda n_nodes, rng: scale_free(n_nodes, 4, rng),
}

MECHANISMS = {  # ours: the paper's
    "gp-additive": "Additive-GP",
    "gp": "GP",
    "mlp": "MLP",
    "multi-index": "Multi-Index-Model",
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("family", ["ER-1", "ER-2", "ER-4", "SF-4"])
def test_table_6_mean_varsortability_of_twenty_nodes(family, mechanism):
    """The mean over ten graphs, 1000 rows each, lies within what is printed for ten graphs."""
    rng = np.random.default_rng(0)
    result = []
    for _ in range(10):
        graph = FAMILIES[family](20, rng)
        values = draw("scm", graph, rng, mechanism=mechanism).sample(1000, rng)
        result.append(var_sortability(values, graph))
    printed = f"table-6/{family}/{MECHANISMS[mechanism]}"
    lowest, highest = PRINTED[f"{printed}/min"], PRINTED[f"{printed}/max"]
    assert lowest <= np.mean(result) <= highest


N_REPETITIONS = 10


@pytest.mark.parametrize("family", ["ER-1", "ER-4", "SF-1", "SF-4"])
def test_table_2_sid_of_variance_sorting_and_random_sorting(family):
    """Additive Gaussian processes, 1000 rows, 10 nodes.

    The number of nodes is not printed. It is 10: random sorting then errs in two
    thirds of the 90 pairs of ER-4, as printed, and with 20 nodes in 260 of 380.
    Our mean over 40 graphs may differ from the printed mean over 10 by 4 standard
    errors of such a difference, by our own spread: 8 comparisons, 5e-4 together.
    """
    printed = {
        f"{rule}-sorting": PRINTED[f"table-2/{family}/{rule}"] for rule in ("variance", "random")
    }
    result = {name: [] for name in printed}
    for seed in range(40):
        rng = np.random.default_rng([2, seed])
        graph = FAMILIES[family](10, rng)
        values = draw("scm", graph, rng, mechanism="gp-additive").sample(1000, rng)
        for name, scores in result.items():
            scores.append(sid(graph, discover(name, values, rng).graph))
    for name, scores in result.items():
        error = np.std(scores) * np.sqrt(1 / N_REPETITIONS + 1 / len(scores))
        assert abs(np.mean(scores) - printed[name]) <= 4 * error
    assert np.mean(result["variance-sorting"]) < np.mean(result["random-sorting"]) / 2
