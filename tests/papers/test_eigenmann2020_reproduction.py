"""Reproduction of Eigenmann, Mukherjee and Maathuis 2020: exact items, shares and their errors."""

import numpy as np
import pandas as pd
import pytest

from causalassay.lab.papers import NotRun, read_paper
from causalassay.lab.papers.charts import redrawn
from causalassay.lab.papers.pictures import Picture, pair_map, power_curves, sign_map
from causalassay.lab.papers.running import sized_study
from causalassay.lab.papers.study_values import agreeing_signs, difference_of, share_of, study_value
from causalassay.present.charts import static_svg
from causalassay.study.worker.problem_making import make
from recorded_outcomes import outcomes_without_studies, recorded

PAIR = {"pair": ["GES", "ACor"]}


def test_definitions_hold(tmp_path):
    found = outcomes_without_studies("eigenmann2020", ["loss"], tmp_path)
    assert {"holds"} == set(found.values())
    assert found.items() <= recorded("eigenmann2020").items()


def rows(ges, acor, nodes=25, start=0):
    """Pairs of true and estimated risks for each system, as a study of GES has them."""
    n = len(ges)
    return pd.DataFrame(
        {
            "problem": [f"system #{start + k}" for k in range(n)],
            "replicate": 0,
            "algorithm": "GES",
            "status": "ok",
            "graph.n_nodes": nodes,
            "interventions.samples": 10,
            "intervened_descendants": 5.0,
            "oracle_risk": [true for true, _ in ges],
            "weighted_risk": [estimated for _, estimated in ges],
            "acor_oracle_risk": [true for true, _ in acor],
            "acor_weighted_risk": [estimated for _, estimated in acor],
        }
    )


# Right; the wrong sign; differs too little; an estimated difference without a sign.
SMALL = rows([(0.5, 0.4)] * 4, [(0.6, 0.5), (0.3, 0.5), (0.55, 0.5), (0.9, 0.4)])
LARGE = rows([(0.5, 0.4)] * 4, [(0.7, 0.5)] * 3 + [(0.7, np.nan)], nodes=50, start=4)
BOTH = pd.concat([SMALL, LARGE])


def test_only_systems_whose_true_risks_differ_enough_count():
    signs, lost = agreeing_signs(SMALL, PAIR)
    assert ([1.0, 0.0, 0.0], 0) == (signs.tolist(), lost)


def test_a_system_without_a_risk_is_counted_beside_the_share():
    found = study_value(BOTH, statistic="sign share", rows=PAIR)
    assert (4 / 6, 6, 1) == (found.value, found.draws, found.lost)
    large = {**PAIR, "where": {"graph.n_nodes": [50]}}
    assert 1.0 == study_value(BOTH, statistic="sign share", rows=large).value


def test_shares_and_gaps_of_two_sets_of_systems_are_compared():
    sets = {
        "left": {**PAIR, "where": {"graph.n_nodes": [50]}},
        "right": {**PAIR, "where": {"graph.n_nodes": [25]}},
    }
    found = study_value(BOTH, statistic="sign share difference", **sets)
    assert pytest.approx(2 / 3) == found.value
    found = study_value(BOTH, statistic="risk gap difference", **sets)
    assert pytest.approx(0.2 - (0.1 + 0.2 + 0.05 + 0.4) / 4) == found.value
    means = {
        side: {"column": "acor_oracle_risk", "where": one["where"]} for side, one in sets.items()
    }
    found = study_value(BOTH, statistic="difference of means", **means)
    assert pytest.approx(0.7 - 0.5875) == found.value


def test_an_unknown_label_or_algorithm_is_told():
    with pytest.raises(ValueError, match=r"no label 'graph.nodes'; did you mean 'graph.n_nodes'"):
        study_value(BOTH, statistic="sign share", rows={**PAIR, "where": {"graph.nodes": [25]}})
    with pytest.raises(ValueError, match="no algorithm 'GSE'; did you mean 'GES'"):
        study_value(BOTH, statistic="sign share", rows={"pair": ["GSE", "ACor"]})


def test_a_share_of_all_is_not_certain_and_two_systems_are_too_few():
    assert 0 < share_of(np.ones(10)).standard_error
    assert 1.0 == share_of(np.ones(10)).interval()[1]
    assert isinstance(share_of(np.ones(2)), NotRun)
    assert 0.5 == difference_of(np.ones(4), np.array([1.0, 0.0, 1.0, 0.0])).value


def test_maps_have_no_value_in_cells_of_few_systems():
    cells = sign_map(
        BOTH,
        pair=["GES", "ACor"],
        rows=["graph.n_nodes"],
        columns=["interventions.samples"],
    )
    shares = cells[cells["panel"] == "share of agreeing signs"]
    assert {"25": pytest.approx(1 / 3), "50": 1.0} == dict(
        zip(shares["y"], shares["value"], strict=True)
    )
    pairs = pair_map(SMALL.iloc[:2], columns=["graph.n_nodes"])
    assert (["GES and ACor"], True) == (pairs["y"].tolist(), pairs["value"].isna().all())
    for data in (cells, pairs):
        assert "<svg" in static_svg(redrawn(Picture("figure-1", "heat map", data, "x", "y")), "")


def test_curves_have_a_point_for_each_size():
    curves = power_curves(
        BOTH.assign(**{"interventions.samples": BOTH["graph.n_nodes"].map({25: 10, 50: 100})}),
        columns={"true": "acor_oracle_risk"},
        power="interventions.samples",
        series=["algorithm"],
    )
    assert {1: pytest.approx(0.5875), 2: pytest.approx(0.7)} == dict(
        zip(curves["x"], curves["y"], strict=True)
    )


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    paper, folder = read_paper("eigenmann2020"), tmp_path_factory.mktemp("data")
    return {one.file: sized_study(paper, one, "full", folder) for one in paper.studies}


def test_systems_keep_the_papers_conditions(studies):
    for number in range(5):
        study = studies["systems.toml"]
        spec = study.problems[number].spec
        problem = make(study.seed, spec, "main", 0).problem
        targets = [regime.targets for regime in problem.data.regimes[1:]]
        assert len(targets) == len(set(targets))
        assert 100 == len(problem.data.observational_values)
        assert {spec.interventions.samples} == {len(one.values) for one in problem.data.regimes[1:]}
        assert "shared" != getattr(spec.model, "signs", "random")


def test_each_size_has_as_many_settings_as_any_other(studies):
    """Of 9 pairs of nodes and rows 4 are in the first file and 5 in the other."""
    counts = [len(studies[file].problems) for file in ("systems.toml", "larger-systems.toml")]
    assert counts[0] * 5 == counts[1] * 4
    large = studies["larger-systems.toml"].problems
    for problem in large:
        assert problem.spec.graph.n_nodes == 100 or problem.spec.interventions.samples == 1000
        assert problem.spec.samples == max(100, problem.spec.interventions.samples)
        assert problem.spec.model.sample_size == problem.spec.samples
