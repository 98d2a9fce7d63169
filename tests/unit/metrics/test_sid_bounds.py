import copy
import pickle

import numpy as np
import pytest

from causalassay.graphs import chain, enumerate_dags, erdos_renyi, from_edges, skeleton, to_cpdag
from causalassay.metrics import SidBounds, mec_sid, sid, sid_bounds

LINE = skeleton(chain(2))
COLLIDER = from_edges([(0, 2), (1, 2)], 3)


def clique(n_nodes):
    return ~np.eye(n_nodes, dtype=bool)


def test_bounds_are_a_pair_with_a_flag():
    bounds = SidBounds(1, 3, exact=False)
    lower, upper = bounds
    assert (1, 3) == (lower, upper) == bounds == (bounds.lower, bounds.upper)
    assert not bounds.exact
    assert SidBounds(1, 3).exact
    assert "SidBounds(lower=1, upper=3, exact=False)" == repr(bounds)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_bounds_keep_their_flag_when_copied(again):
    bounds = again(SidBounds(1, 3, exact=False))
    assert (1, 3) == bounds
    assert not bounds.exact
    assert isinstance(bounds, SidBounds)


def test_an_undirected_edge_by_hand():
    # One member is the truth; in the other do(0) seems harmless and do(1) seems to move 0.
    assert (0, 2) == sid_bounds(chain(2), LINE)
    # No edge in truth: adjusting for too much is never wrong.
    assert (0, 0) == sid_bounds(chain(2) & False, LINE)
    assert (1, 1) == sid_bounds(chain(2), chain(2) & False)


def test_the_class_of_a_chain_by_hand():
    # The chain itself, the chain reversed (all six pairs), the fork from the middle (three).
    cpdag = to_cpdag(chain(3))
    assert (0, 6) == sid_bounds(chain(3), cpdag)
    assert [0, 3, 6] == sorted(sid(chain(3), member) for member in enumerate_dags(cpdag))
    # Against another truth, 0→2←1.
    members = [sid(COLLIDER, member) for member in enumerate_dags(cpdag)]
    assert (min(members), max(members)) == sid_bounds(COLLIDER, cpdag)


def test_components_are_bounded_one_by_one():
    # Two separate lines, each from 0 to 2.
    truth = from_edges([(0, 1), (2, 3)], 4)
    assert (0, 4) == sid_bounds(truth, skeleton(truth))


def test_a_class_of_one_has_equal_bounds():
    truth = erdos_renyi(3, 1, np.random.default_rng(0))
    bounds = sid_bounds(truth, COLLIDER)
    assert bounds == (sid(truth, COLLIDER),) * 2
    assert bounds.exact


def test_one_node_has_no_pairs():
    one = np.zeros((1, 1), dtype=bool)
    assert (0, 0) == sid_bounds(one, one) == mec_sid(one, one)


def test_a_complete_guess_holds_every_truth_and_is_exact_up_to_cliques_of_twelve():
    truth = chain(12)
    bounds = sid_bounds(truth, clique(12))
    # The order against the chain denies every effect below and mistakes every one above.
    assert (0, 12 * 11) == bounds
    assert bounds.exact


def test_a_large_tree_is_exact():
    # Any node may be the source; along the chain from the first node everything is right.
    bounds = sid_bounds(chain(60), to_cpdag(chain(60)))
    expected = [sid(chain(60), member) for member in enumerate_dags(to_cpdag(chain(60)))]
    assert (0, max(expected)) == bounds
    assert bounds.exact


def test_beyond_the_limit_bounds_are_local_and_say_so():
    rng = np.random.default_rng(3)
    truth = erdos_renyi(9, 2, rng)
    # A clique of 6 (192 parent sets) with a tail 5—6—7—8 (4 each, 1 shared).
    graph = np.zeros((9, 9), dtype=bool)
    graph[:6, :6] = clique(6)
    graph[5:, 5:] = skeleton(chain(4))
    exact = sid_bounds(truth, graph, max_parent_sets=201)
    local = sid_bounds(truth, graph, max_parent_sets=200)
    wild = sid_bounds(truth, graph, max_parent_sets=0)
    assert (True, False, False) == (exact.exact, local.exact, wild.exact)
    assert (0, 9 * 8) == wild
    assert wild.lower <= local.lower <= exact.lower <= exact.upper <= local.upper <= wild.upper
    assert local.lower > 0  # the tail is tried, the clique is not


def test_the_limit_counts_each_parent_set_once():
    # On the path 0—1—2: 0 and 2 have none or 1 as parents; 1 has none, 0 or 2.
    path = to_cpdag(chain(3))
    assert sid_bounds(chain(3), path, max_parent_sets=7).exact
    assert not sid_bounds(chain(3), path, max_parent_sets=6).exact


def test_local_bounds_are_those_of_each_node_alone():
    # Two edges share node 1 with a triangle that is too large to be tried.
    graph = skeleton(from_edges([(0, 1), (1, 2), (2, 3), (1, 3)], 4))
    truth = from_edges([(0, 1), (1, 2), (2, 3)], 4)
    # Node 0 has parents none (right) or 1 (0 denies 1 and is cut off from 2 and 3).
    assert (0 + 0, 3 + 3 * 3) == sid_bounds(truth, graph, max_parent_sets=10)


def test_too_large_cliques_cost_no_time():
    bounds = sid_bounds(erdos_renyi(200, 2, np.random.default_rng(0)), clique(200))
    assert (0, 200 * 199) == bounds
    assert not bounds.exact


def test_mec_sid_takes_a_dag_for_its_class():
    rng = np.random.default_rng(1)
    truth, guess = erdos_renyi(12, 1.5, rng), erdos_renyi(12, 1, rng)
    expected = sid_bounds(truth, to_cpdag(guess))
    assert expected == mec_sid(truth, guess) == mec_sid(truth, to_cpdag(guess))
    assert expected.lower <= sid(truth, guess) <= expected.upper


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="not a CPDAG: .*mec_sid does so; sid compares"):
        sid_bounds(chain(3), chain(3))
    with pytest.raises(ValueError, match="truth: expected a DAG, but 0 -- 1 is undirected"):
        sid_bounds(LINE, LINE)
    with pytest.raises(ValueError, match="truth has 3 nodes but the guess has 2"):
        sid_bounds(chain(3), LINE)
    square = skeleton(from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], 4))
    for metric in (sid_bounds, mec_sid):
        with pytest.raises(ValueError, match="not a CPDAG: the undirected part is not chordal"):
            metric(chain(4), square)
