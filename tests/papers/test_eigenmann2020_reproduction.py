"""Reproduction of Eigenmann, Mukherjee and Maathuis 2020: exact items, shares and their errors."""

import numpy as np
import pandas as pd
import pytest

from causalassay.reproducing import NotRun
from causalassay.reproducing.computations.risk_signs import (
    agreeing_signs,
    difference_of,
    share_of,
    sign_share,
)
from causalassay.reproducing.computations.risk_systems import (
    draw_setting,
    plan_of,
    risk_rows,
)
from causalassay.reproducing.pictures import descendant_curves, pair_map, sign_map
from recorded_outcomes import outcomes_without_studies, recorded


def test_definitions_and_the_theorem_hold(tmp_path):
    found = outcomes_without_studies("eigenmann2020", ["theorem-3.3", "loss"], tmp_path)
    assert {"holds"} == set(found.values())
    assert found.items() <= recorded("eigenmann2020").items()


def test_only_systems_whose_true_risks_differ_enough_count():
    rows = pd.DataFrame(
        {
            "replicate": [0, 1, 2, 3] * 2,
            "algorithm": ["ges"] * 4 + ["acor"] * 4,
            "oracle_risk": [0.5, 0.5, 0.5, 0.5, 0.6, 0.3, 0.55, 0.9],
            "weighted_risk": [0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.5, 0.4],
        }
    )
    # The second has the wrong sign, the third differs too little, the fourth has no sign.
    assert [1.0, 0.0, 0.0] == agreeing_signs(rows, ["ges", "acor"]).tolist()


def test_a_share_of_all_is_not_certain_and_two_systems_are_too_few():
    assert 0 < share_of(np.ones(10)).standard_error
    assert 1.0 == share_of(np.ones(10)).interval()[1]
    assert isinstance(share_of(np.ones(2)), NotRun)
    assert 0.5 == difference_of(np.ones(4), np.array([1.0, 0.0, 1.0, 0.0])).value


def test_a_share_without_systems_is_left_to_the_full_size():
    found = sign_share(systems=0, levels={}, pair=["ges", "acor"])
    assert "runs with --full only" == found.reason


def test_systems_keep_the_papers_conditions():
    plan = plan_of({"n_nodes": [12], "probability": [0.2], "n_interventional": [10]})
    for seed in range(10):
        rng = np.random.default_rng(seed)
        setting = draw_setting(plan, rng)
        truth, data = setting.draw(rng)
        targets = [regime.targets[0] for regime in data.regimes[1:]]
        assert 2 <= len(targets) == len(set(targets))
        assert 100 == len(data.observational_values)
        assert (12, 12) == truth.shape


def test_an_unknown_part_of_a_setting_is_told():
    with pytest.raises(ValueError, match="a setting has no 'nodes'"):
        plan_of({"nodes": [25]})


SMALL = {"n_nodes": [8], "probability": [1.0], "n_interventional": [10], "link": ["linear"]}


def test_risks_are_the_same_on_every_call_and_a_map_has_both_panels():
    plan = plan_of(SMALL)
    rows = risk_rows(plan, 6)
    assert {"ges", "gies", "acor", "empty", "random"} == set(rows["algorithm"])
    risk_rows.cache_clear()
    pd.testing.assert_frame_equal(rows, risk_rows(plan, 6))
    cells = sign_map(
        systems=6, levels=SMALL, pair=["ges", "acor"], rows=["n_nodes"], columns=["link"]
    )
    assert 2 == cells["panel"].nunique()
    assert cells["value"].between(0, 1).all()
    pairs = pair_map(systems=6, levels=SMALL, columns=["probability"])
    assert "ges and acor" in set(pairs["y"])


def test_curves_of_descendants_have_a_point_for_each_size():
    curves = descendant_curves(systems=8, levels=SMALL)
    assert {"sensitivity", "false positive rate"} == set(curves["panel"])
    assert curves["y"].between(0, 1).all()
