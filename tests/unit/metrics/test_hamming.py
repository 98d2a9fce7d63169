import numpy as np
import pytest

from causalassay.graphs import chain, from_edges, skeleton
from causalassay.metrics import (
    ShdParts,
    fpr,
    mec_shd,
    shd,
    shd_double,
    shd_normalized,
    shd_parts,
    skeleton_f1,
    skeleton_fpr,
    skeleton_precision,
    skeleton_recall,
    skeleton_shd,
)

TRUTH = from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], 5)
# 0→1 kept, 1→2 reversed, 2→3 undirected, 3→4 missing, 0→4 extra.
GUESS = from_edges([(0, 1), (2, 1), (2, 3), (3, 2), (0, 4)], 5)


def test_parts_add_up_to_the_distance():
    assert ShdParts(missing=1, extra=1, reversed=1, undecided=1) == shd_parts(TRUTH, GUESS)
    assert 4 == shd(TRUTH, GUESS)


def test_double_counts_a_reversal_twice():
    assert 5 == shd_double(TRUTH, GUESS)


def test_normalised_divides_by_the_number_of_pairs():
    assert pytest.approx(0.4) == shd_normalized(TRUTH, GUESS)
    assert np.isnan(shd_normalized(chain(1), chain(1)))


def test_skeleton_metrics_ignore_directions():
    assert 2 == skeleton_shd(TRUTH, GUESS)
    assert (0.75, 0.75, 0.75) == (
        skeleton_precision(TRUTH, GUESS),
        skeleton_recall(TRUTH, GUESS),
        skeleton_f1(TRUTH, GUESS),
    )
    assert pytest.approx(1 / 6) == skeleton_fpr(TRUTH, GUESS)


def test_false_positives_are_entries():
    # 2→1, 3→2 and 0→4 among 20 - 4 entries without an edge.
    assert pytest.approx(3 / 16) == fpr(TRUTH, GUESS)
    assert np.isnan(fpr(chain(1), chain(1)))


def test_the_docs_way_to_notears_rates():
    parts = shd_parts(TRUTH, GUESS)
    assert pytest.approx(2 / 6) == (parts.extra + parts.reversed) / (5 * 4 / 2 - TRUTH.sum())


def test_class_distance_completes_dags_and_takes_cpdags():
    assert 0 == mec_shd(TRUTH, TRUTH.T)
    assert 0 == mec_shd(TRUTH, skeleton(TRUTH))
    collider = from_edges([(0, 1), (2, 1)], 3)
    assert 2 == mec_shd(collider, chain(3))


def test_class_distance_refuses_what_is_no_class():
    with pytest.raises(ValueError, match="guess: not a CPDAG"):
        mec_shd(TRUTH, GUESS)
