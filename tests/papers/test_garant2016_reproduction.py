"""Reproduction of Garant and Jensen 2016: exact items, and what needs a file."""

import numpy as np
import pandas as pd

from causalassay.reproducing import NotRun
from causalassay.reproducing.computations import COMPUTATIONS
from causalassay.reproducing.study_values import study_value
from recorded_outcomes import outcomes_without_studies, recorded

EXACT = ["section-1", "section-3", "section-4", "table-1"]


def test_exact_items_all_agree(tmp_path):
    found = outcomes_without_studies("garant2016", EXACT, tmp_path)
    assert {"agrees", "holds"} == set(found.values())
    assert found.items() <= recorded("garant2016").items()


def test_without_the_file_the_jdk_rows_say_why(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = COMPUTATIONS["jdk-subjects"]()
    assert isinstance(found, NotRun)
    assert "jdk-results.csv was not found" in found.reason


def test_table_2_of_the_jdk_comes_out_as_recorded(tmp_path, monkeypatch, jdk_folder):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(jdk_folder))
    found = outcomes_without_studies("garant2016", ["table-2", "section-6.2"], tmp_path)
    assert found.items() <= recorded("garant2016").items()


def test_scores_of_several_algorithms_count_as_one_mean_and_a_failure_as_none():
    frame = pd.DataFrame(
        {
            "problem": "strong",
            "replicate": [0, 0, 1, 1, 2, 2],
            "algorithm": ["pc", "ges"] * 3,
            "status": ["ok", "ok", "ok", "ok", "ok", "failed"],
            "shd": [1.0, 3.0, 3.0, 5.0, 9.0, np.nan],
        }
    )
    rows = {"problem": "strong", "algorithm": ["pc", "ges"], "column": "shd"}
    found = study_value(frame, rows=rows)
    assert (3.0, 2, 1) == (found.value, found.draws, found.lost)
