"""Scores and tests of tables beside pgmpy's, frozen: its environment is not ours."""

import json
from pathlib import Path

import numpy as np
import pytest

from causalassay.discovery.independence import GTest
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import LevelStatistics

FROZEN = json.loads((Path(__file__).parent / "frozen" / "pgmpy-discrete.json").read_text())
STATISTICS = LevelStatistics(
    np.array(FROZEN["codes"], dtype=np.int32), np.array(FROZEN["n_levels"])
)


@pytest.mark.parametrize("row", FROZEN["scores"], ids=lambda row: f"{row['node']}-{row['parents']}")
def test_local_scores_are_those_of_pgmpy(row):
    node, parents = row["node"], frozenset(row["parents"])
    assert row["bic"] == pytest.approx(LevelScore(STATISTICS, "bic")(node, parents), rel=1e-12)
    for size in (1, 10):
        score = LevelScore(STATISTICS, "bdeu", equivalent_sample_size=size)
        assert row[f"bdeu{size}"] == pytest.approx(score(node, parents), rel=1e-12)


@pytest.mark.parametrize("row", FROZEN["tests"], ids=lambda row: f"{row['i']}-{row['j']}")
def test_g_tests_are_those_of_pgmpy(row):
    test, given = GTest(STATISTICS), tuple(row["given"])
    assert row["statistic"] == pytest.approx(test.statistic(row["i"], [row["j"]], given)[0])
    assert row["degrees"] == test.degrees(row["i"], [row["j"]], given)[0]
    assert row["p"] == pytest.approx(np.exp(-test.minus_log_p(row["i"], [row["j"]], given)[0]))
