import numpy as np
import pytest

from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem
from causalassay.graphs import (
    chain,
    complete,
    from_edges,
    is_cpdag,
    is_dag,
    mec_size,
    skeleton,
    to_cpdag,
)
from causalassay.metrics import (
    favourable_resolution,
    favourable_threshold,
    mean_over_members,
    members,
    repair,
    shd,
    sid,
)
from causalassay.metrics.registry import METRICS

SQUARE = skeleton(from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], 4))


def rng():
    return np.random.default_rng(0)


def test_what_can_be_scored_stays_as_it_is():
    for graph in (chain(3), to_cpdag(chain(3))):
        found = repair(graph, rng())
        assert "none" == found.how
        assert found.graph is graph


def test_an_extendable_graph_gets_the_class_of_its_extension():
    found = repair(from_edges([(0, 1), (1, 2), (2, 1)], 3), rng())
    assert "extension" == found.how
    np.testing.assert_array_equal(skeleton(chain(3)), found.graph)


def test_a_graph_without_extension_is_kept_by_a_random_order():
    """A chordless square has no orientation without a new collider."""
    found = repair(SQUARE, rng())
    assert "random order" == found.how
    assert is_cpdag(found.graph)
    np.testing.assert_array_equal(SQUARE, skeleton(found.graph))


def test_a_random_order_keeps_arrows_outside_of_cycles():
    cyclic = from_edges([(0, 1), (1, 2), (2, 0), (3, 0), (3, 4), (5, 4)], 6)
    for seed in range(20):
        found = repair(cyclic, np.random.default_rng(seed))
        assert "random order" == found.how
        assert found.graph[3, 4]
        assert found.graph[5, 4]
        assert not found.graph[4, 3]


def test_repairs_depend_on_the_stream_alone():
    first, second = (repair(SQUARE, np.random.default_rng(4)).graph for _ in range(2))
    np.testing.assert_array_equal(first, second)
    drawn = {repair(SQUARE, np.random.default_rng(seed)).graph.tobytes() for seed in range(20)}
    assert len(drawn) > 1


def test_small_classes_are_listed_and_large_ones_drawn():
    assert 1 == len(members(chain(3), rng()).dags)
    listed = members(to_cpdag(chain(5)), rng())
    assert (5, True) == (len(listed.dags), listed.complete)
    clique = to_cpdag(complete(6, rng()))
    assert 720 == mec_size(clique)
    drawn = members(clique, rng())
    assert (100, False) == (len(drawn.dags), drawn.complete)
    assert all(is_dag(dag) for dag in drawn.dags)
    whole = members(clique, rng(), most=720)
    assert (720, True) == (len(whole.dags), whole.complete)


def test_the_mean_over_members_is_exact_where_the_class_is_listed():
    """0→1→2 against its class: distances 0, 1 (0←1→2) and 2 (0←1←2)."""
    truth = chain(3)
    found = mean_over_members(lambda dag: shd(truth, dag), to_cpdag(truth), rng())
    assert (1.0, 3, True) == found


def test_members_needs_a_class():
    with pytest.raises(ValueError, match="not a CPDAG"):
        members(SQUARE, rng())
    with pytest.raises(ValueError, match="most"):
        members(chain(2), rng(), most=0)


def test_favourable_resolution_takes_the_true_direction():
    truth = from_edges([(2, 1), (1, 0)], 4)
    guess = from_edges([(0, 1), (1, 2), (2, 1), (0, 3), (3, 0)], 4)
    found = favourable_resolution(truth, guess)
    assert found[0, 1]
    assert found[2, 1]
    assert not found[1, 2]
    assert found[0, 3] != found[3, 0]


def slow_favourable(truth, weights):
    """Try every threshold."""
    size = np.abs(weights)
    best = (int(truth.sum()), np.zeros_like(truth))
    for at in sorted(np.unique(size[size > 0]), reverse=True):
        graph = size >= at
        if is_dag(graph) and shd(truth, graph) < best[0]:
            best = (shd(truth, graph), graph)
    return best


@pytest.mark.parametrize("seed", range(50))
def test_the_best_threshold_equals_a_trial_of_all(seed):
    stream = np.random.default_rng(seed)
    d = int(stream.integers(2, 7))
    truth = np.triu(stream.random((d, d)) < 0.5, 1)
    weights = stream.normal(size=(d, d)).round(1) + 2 * truth * stream.choice([0, 1])
    np.fill_diagonal(weights, 0)
    found = favourable_threshold(truth, weights)
    distance, graph = slow_favourable(truth, weights)
    assert distance == shd(truth, found.graph)
    np.testing.assert_array_equal(graph, found.graph)
    assert is_dag(found.graph)


def test_the_released_threshold_lies_between_two_weights():
    truth = from_edges([(0, 1), (1, 2)], 3)
    weights = np.array([[0, 0.9, 0.1], [0, 0, 0.5], [0.2, 0, 0]])
    found = favourable_threshold(truth, weights, rule="edge count")
    assert pytest.approx((0.5 + 0.2) / 2) == found.threshold
    np.testing.assert_array_equal(truth, found.graph)
    assert not favourable_threshold(truth & False, weights, rule="edge count").graph.any()


def test_favourable_threshold_names_mistakes():
    with pytest.raises(ValueError, match="rule"):
        favourable_threshold(chain(2), np.zeros((2, 2)), rule="mean")
    with pytest.raises(ValueError, match="truth has 2 nodes but the guess has 3"):
        favourable_threshold(chain(2), np.zeros((3, 3)))


def test_scores_at_the_best_threshold_are_metrics_of_a_study():
    truth = from_edges([(0, 1), (1, 2)], 3)
    weights = np.array([[0, 0.9, 0.6], [0, 0, 0.5], [0.2, 0, 0]])
    problem = Problem(Dataset.from_values(np.eye(3)), truth)
    guess = Estimate(weights > 0.8, "dag", weights)
    graph = favourable_threshold(truth, weights).graph
    assert 1 == METRICS["shd_best_threshold"].score(problem, guess)
    assert sid(truth, graph) == METRICS["sid_best_threshold"].score(problem, guess)
    with pytest.raises(ValueError, match="this estimate has none"):
        METRICS["shd_best_threshold"].score(problem, Estimate(truth, "dag"))
