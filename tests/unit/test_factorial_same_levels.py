"""Outcomes that are the same once cut into levels count once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from causalassay.discovery.ges import GES
from causalassay.factorial import FactorialExperiment, evaluate
from causalassay.factorial.same_levels import distinct_outcomes


def _experiment():
    """Return blocks that are read as often as they are written, but not in the same number."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [
            (f"q{number:02d}", number % 7, drug, diet)
            for number in range(40)
            for drug in (0, 1)
            for diet in (0, 1)
        ],
        columns=["who", "age", "drug", "diet"],
    )
    spilled = (rng.random(len(frame)) < 0.4) & (frame["drug"] == 1)
    frame["written"] = np.where(spilled, rng.integers(1, 9, len(frame)), 0)
    frame["read"] = np.where(spilled, frame["written"] + rng.integers(0, 3, len(frame)), 0)
    frame["seconds"] = rng.random(len(frame)) + frame["diet"]
    return FactorialExperiment(
        frame, "who", None, ("drug", "diet"), ("written", "read", "seconds"), ("age",), "age"
    )


def test_an_outcome_that_repeats_another_is_not_judged_and_the_evaluation_says_so():
    result = evaluate(_experiment(), {"ges": GES()}, repeats=2, n_look_alikes=0)
    assert ("written", "seconds") == result.truth.experiment.outcomes
    assert "read is not judged: cut into levels it equals written in every row." in result.sentences
    assert 0 == result.rows[0].n_failed


def test_outcomes_that_differ_in_some_row_are_all_judged():
    experiment = _experiment()
    kept, repeated = distinct_outcomes(experiment, 12)
    assert experiment is kept
    assert {} == repeated
