import pytest

from causalassay.risk import jaccard, mistakes


@pytest.mark.parametrize(
    ("reference", "guess", "expected"),
    [
        (set(), set(), 0.0),
        ({1}, set(), 1.0),
        (set(), {1, 2}, 1.0),
        ({1, 2}, {1, 2}, 0.0),
        ({1, 2, 3}, {3, 4}, 0.75),
        (frozenset({1}), {1, 2, 3, 4}, 0.75),
    ],
)
def test_jaccard_by_hand(reference, guess, expected):
    assert expected == jaccard(reference, guess)


def test_mistakes_count_both_kinds():
    assert 3.0 == mistakes({1, 2, 3}, {3, 4})
    assert 0.0 == mistakes(set(), set())
