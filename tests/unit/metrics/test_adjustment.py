import numpy as np
import pytest

from causalassay.graphs import chain, from_edges, skeleton, to_cpdag
from causalassay.metrics import (
    ancestor_aid,
    ancestor_aid_normalized,
    oset_aid,
    oset_aid_normalized,
    parent_aid,
    parent_aid_normalized,
    sid_bounds,
)

DISTANCES = [parent_aid, ancestor_aid, oset_aid]
NORMALIZED = [parent_aid_normalized, ancestor_aid_normalized, oset_aid_normalized]


def distances(truth, guess):
    return [distance(truth, guess) for distance in DISTANCES]


def test_a_missing_cause_by_hand():
    # 0→1→2→3 against 1←0→2→3. Parents: do(2) seems to move 1. The others: do(1) is said to
    # move nothing, but moves 2 and 3.
    assert [1, 2, 2] == distances(chain(4), from_edges([(0, 1), (0, 2), (2, 3)], 4))


def test_a_wrong_order_by_hand():
    # 0→1→2 against 0→2→1. do(2) is said to move 1, and do(1) not to move 2; adjusting for 2
    # alone, do(1) seems to move 0 too.
    assert [3, 2, 2] == distances(chain(3), from_edges([(0, 2), (2, 1)], 3))


def test_graphs_are_read_from_row_to_column():
    # Transposed, the truth 0→1→2 would be 2→1→0.
    guess = from_edges([(0, 1)], 3)
    assert [2, 2, 2] == distances(chain(3), guess)
    assert [4, 4, 4] == distances(chain(3).T, guess)


def test_a_class_tells_no_effect_and_parent_aid_is_no_bound_of_sid():
    # METHODS C.3: neither do(0) nor do(1) is identified in 0—1.
    line = to_cpdag(chain(2))
    assert [2, 2, 2] == distances(chain(2), line) == distances(line, chain(2))
    assert [0, 0, 0] == distances(line, line)
    # On three nodes the count lies outside of the bounds.
    truth = from_edges([(0, 1)], 3)
    assert (0, 2) == sid_bounds(truth, skeleton(truth))
    empty = chain(3) & False
    assert (0, 0) == sid_bounds(empty, to_cpdag(chain(3)))
    assert parent_aid(empty, to_cpdag(chain(3))) > 0


@pytest.mark.parametrize(("normalized", "distance"), list(zip(NORMALIZED, DISTANCES, strict=True)))
def test_normalized_by_the_ordered_pairs(normalized, distance):
    guess = from_edges([(0, 1), (0, 2), (2, 3)], 4)
    assert distance(chain(4), guess) / 12 == normalized(chain(4), guess)
    one = np.zeros((1, 1), dtype=bool)
    assert 0 == distance(one, one)
    assert np.isnan(normalized(one, one))


@pytest.mark.parametrize("distance", DISTANCES + NORMALIZED)
def test_mistakes_are_named_before_gadjid_panics(distance):
    cycle = from_edges([(0, 1), (1, 2), (2, 0)], 3)
    with pytest.raises(ValueError, match="guess: expected a DAG, but there is the cycle"):
        distance(chain(3), cycle)
    # 0→1—2 is a PDAG of which no class consists.
    with pytest.raises(ValueError, match="truth: not a CPDAG: "):
        distance(from_edges([(0, 1), (1, 2), (2, 1)], 3), chain(3))
    with pytest.raises(ValueError, match="truth has 3 nodes but the guess has 2"):
        distance(chain(3), chain(2))
    with pytest.raises(TypeError, match="truth: .*weights != 0"):
        distance(0.5 * chain(3), chain(3))
