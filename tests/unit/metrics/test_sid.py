import numpy as np
import pytest

from causalassay.graphs import chain, erdos_renyi, from_edges, skeleton, topological_order
from causalassay.metrics import shd, sid, sid_normalized, sid_penalized
from causalassay.metrics.adjustment import count_errors, new_search
from causalassay.metrics.ordering import lineage

EDGES = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]
REFERENCE = from_edges(EDGES, range(1, 6))
ADDED = from_edges([*EDGES, (3, 4)], range(1, 6))
REVERSED = from_edges([(2, 1), *EDGES[1:]], range(1, 6))
EMPTY = chain(3) & False
FORK, COLLIDER = from_edges([(1, 0), (1, 2)], 3), from_edges([(0, 1), (2, 1)], 3)
CYCLE = from_edges([(0, 1), (1, 2), (2, 0)], 3)


def errors(truth, treatment, adjusted):
    """`count_errors` with the numbers that nodes have in `truth`."""
    ancestry, rank = lineage(truth, topological_order(truth))
    adjusted = rank[np.array(adjusted, dtype=np.int64)]
    return count_errors(ancestry, new_search(len(truth)), rank[treatment], adjusted)


def test_the_distances_of_peters_and_buehlmann():
    """METHODS C.2: both guesses are one edge away, and one of them is harmless."""
    assert (1, 1) == (shd(REFERENCE, ADDED), shd(REFERENCE, REVERSED))
    assert (0, 8) == (sid(REFERENCE, ADDED), sid(REFERENCE, REVERSED))


def test_guesses_of_a_chain_by_hand():
    # do(1) and do(2) seem to move what is above them.
    assert 1 + 2 == sid(chain(3), EMPTY)
    # The same; also do(1) is said not to move 2, do(0) not to move 1, and 2 is cut off from it.
    assert 2 + 2 + 2 == sid(chain(3), chain(3).T)
    # do(0) is said not to move 1, and 2 is cut off from it; do(1) seems to move 0.
    assert 2 + 1 + 0 == sid(chain(3), FORK)


def test_fork_and_collider_are_wrong_in_all_pairs():
    assert (6, 6) == (sid(FORK, COLLIDER), sid(COLLIDER, FORK))


def test_the_distance_is_not_symmetric():
    assert (3, 0) == (sid(chain(3), EMPTY), sid(EMPTY, chain(3)))


def test_adjusting_for_a_collider_opens_it():
    assert (0, 0) == (errors(COLLIDER, 0, []), errors(COLLIDER, 0, [2]))
    # 1 is taken for unaffected, and 2 seems affected.
    assert 2 == errors(COLLIDER, 0, [1])


def test_adjusting_for_a_descendant_of_a_collider_opens_it():
    # As before, and the effect on 1 is distorted.
    assert 3 == errors(from_edges([(0, 1), (2, 1), (1, 3)], 4), 0, [3])


def test_a_descendant_off_the_causal_paths_distorts_nothing():
    # 0→1, 0→2: adjusting for 2 denies the effect on 2, that on 1 is right.
    assert 1 == errors(from_edges([(0, 1), (0, 2)], 3), 0, [2])


def test_what_is_reached_through_the_treatment_only_is_right():
    # 0→1→2: without adjustment do(1) seems to move 0, and moves 2 as it should.
    assert 1 == errors(chain(3), 1, [])
    # 0→2 and 0→3→2 are ways round the treatment.
    assert 2 == errors(from_edges([(0, 1), (1, 2), (0, 2)], 3), 1, [])
    assert 3 == errors(from_edges([(0, 1), (1, 2), (0, 3), (3, 2)], 4), 1, [])


def test_an_adjusted_node_blocks_the_back_door_that_it_does_not_open():
    # 0 confounds 1 and 2 and is a collider of 3 and 4: alone it opens 1←3→0←4→2.
    truth = from_edges([(3, 0), (4, 0), (3, 1), (0, 1), (0, 2), (4, 2), (1, 2)], 5)
    assert 3 == errors(truth, 1, [0])
    assert 0 == errors(truth, 1, [0, 3])


def test_normalization_and_penalty():
    assert 8 / 20 == sid_normalized(REFERENCE, REVERSED)
    assert (1, 8, 3) == (
        sid_penalized(REFERENCE, ADDED),
        sid_penalized(REFERENCE, REVERSED),
        sid_penalized(chain(3), EMPTY),
    )


def test_one_node_has_no_pairs():
    one = np.zeros((1, 1), dtype=bool)
    assert 0 == sid(one, one) == sid_penalized(one, one)
    assert np.isnan(sid_normalized(one, one))


def test_inputs_in_any_memory_order_are_left_alone():
    rng = np.random.default_rng(0)
    truth, guess = erdos_renyi(70, 2, rng), erdos_renyi(70, 2, rng)
    expected = sid(truth, guess)
    kept = truth.copy(), guess.copy()
    assert expected == sid(np.asfortranarray(truth), np.repeat(guess, 2, axis=1)[:, ::2])
    assert expected == sid(truth, guess)
    np.testing.assert_array_equal(kept, (truth, guess))
    assert isinstance(expected, int)
    assert isinstance(sid_penalized(truth, guess), int)


@pytest.mark.parametrize("metric", [sid, sid_normalized, sid_penalized])
def test_mistakes_are_named(metric):
    with pytest.raises(ValueError, match="truth has 3 nodes but the guess has 2"):
        metric(chain(3), chain(2))
    with pytest.raises(TypeError, match="guess: .*weights != 0"):
        metric(chain(3), 0.5 * chain(3))
    assert metric(chain(3), chain(3)) == metric(chain(3).tolist(), chain(3).astype(float))
    with pytest.raises(ValueError, match="guess: expected a DAG, but there is the cycle"):
        metric(chain(3), CYCLE)
    with pytest.raises(ValueError, match="truth: expected a DAG, but there is the cycle"):
        metric(CYCLE, chain(3))
    with pytest.raises(ValueError, match="guess: .*0 -- 1 is undirected; sid_bounds and mec_sid"):
        metric(chain(3), skeleton(chain(3)))
