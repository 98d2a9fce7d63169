"""The structural intervention distance beside gadjid's, in value and in time."""

import gadjid
import numpy as np
import pytest

from causalassay.graphs import erdos_renyi, scale_free, to_gadjid, topological_order
from causalassay.metrics import sid, sid_normalized


def peer(truth, guess):
    return gadjid.sid(to_gadjid(truth), to_gadjid(guess), edge_direction="from row to column")


def random_dag(n_nodes, rng):
    edges_per_node = min(rng.choice([0.5, 1, 2, 4, 10]), (n_nodes - 1) / 2)
    if n_nodes > 20 and rng.random() < 0.2:
        return scale_free(n_nodes, 2, rng, hubs=rng.choice(["in", "any"]))
    return erdos_renyi(n_nodes, edges_per_node, rng)


def disturbed(dag, rng):
    """A DAG near another: some edges dropped, some added, some reversed."""
    d = len(dag)
    rank = np.argsort(topological_order(dag)) + rng.normal(0, rng.choice([0, 0.05 * d]), d)
    kept = dag & (rng.random((d, d)) < 0.8)
    either = kept | erdos_renyi(d, min(0.2, (d - 1) / 2), rng)
    return (either | either.T) & (rank[:, None] < rank[None, :])


def check_pairs(rng, n_pairs, sizes):
    for number in range(n_pairs):
        truth = random_dag(int(rng.choice(sizes)), rng)
        guess = disturbed(truth, rng) if number % 2 else random_dag(len(truth), rng)
        normalized, count = peer(truth, guess)
        assert count == sid(truth, guess)
        assert normalized == pytest.approx(sid_normalized(truth, guess))


def test_sid_agrees_on_300_pairs():
    check_pairs(np.random.default_rng(0), 300, np.arange(2, 201))


@pytest.mark.slow
def test_sid_agrees_on_10000_pairs():
    check_pairs(np.random.default_rng(1), 10_000, np.arange(2, 201))


def test_sid_agrees_where_bit_sets_take_another_word():
    check_pairs(np.random.default_rng(2), 60, [63, 64, 65, 127, 128, 129])
