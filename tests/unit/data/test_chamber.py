import shutil
from pathlib import Path

import numpy as np
import pytest

import causalassay as ca
from causalassay.graphs import is_dag
from causalassay.study.language import read_study

EXAMPLE = Path(__file__).parents[3] / "examples" / "real-systems" / "chamber.toml"


@pytest.fixture(scope="module")
def problem(chamber_folder):
    return ca.data.chamber(chamber_folder)


def test_sizes_conditions_and_targets(problem):
    data = problem.data
    assert ("chamber", None) == (problem.name, problem.model)
    assert (20, 30_000, "reference") == (data.n_nodes, data.n_samples, data.observational)
    assert (10_000, 20) == data.observational_values.shape
    acted_on = [regime for regime in data.regimes if regime.condition != "reference"]
    assert [(1000, 20)] * 20 == [regime.values.shape for regime in acted_on]
    assert sorted((node,) for node in range(20)) == sorted(regime.targets for regime in acted_on)
    assert (data.index("ir_1"),) == data.regime("t_ir_1_strong").targets


def test_the_graph_is_that_of_the_file(problem):
    at = problem.data.index
    assert problem.graph.sum() == 39
    assert is_dag(problem.graph)
    assert problem.graph[at("red"), at("ir_1")]
    assert problem.graph[at("pol_1"), at("angle_1")]
    assert not problem.graph[at("pol_1"), at("angle_2")]


def test_a_sensor_is_constant_under_two_of_the_interventions(problem):
    constant = {
        regime.condition: [
            name
            for name, column in zip(problem.data.columns, regime.values.T, strict=True)
            if np.ptp(column) == 0
        ]
        for regime in problem.data.regimes
    }
    expected = {"v_angle_1_strong": ["angle_1"], "v_angle_2_strong": ["angle_2"]}
    assert expected == {name: columns for name, columns in constant.items() if columns}


def test_the_environment_names_the_folder(chamber_folder, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(chamber_folder))
    assert ca.data.chamber().data.n_samples == 30_000


def test_the_graph_must_stand_beside_the_data(chamber_folder, tmp_path):
    shutil.copy(chamber_folder / "chamber.csv", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"chamber: there is no file .*chamber-graph\.csv"):
        ca.data.chamber(tmp_path)


def test_nothing_found_names_the_two_ways(monkeypatch, tmp_path):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"chamber\.csv was not found.*CAUSALASSAY_DATA"):
        ca.data.chamber()


def test_the_example_study_has_the_files_raw_and_standardised(chamber_folder, tmp_path):
    for file in (EXAMPLE, chamber_folder / "chamber.csv", chamber_folder / "chamber-graph.csv"):
        (tmp_path / file.name).symlink_to(file)
    study = read_study(tmp_path / "chamber.toml")
    assert study.name == "chamber"
    seen = {(problem.spec.transform, problem.spec.only_observational) for problem in study.problems}
    assert {((), True), ((), False), (("standardize",), True), (("standardize",), False)} == seen


def test_constant_sensors_do_not_stop_an_algorithm_that_reads_interventions(problem):
    estimate = ca.discover("gies", problem.data, 1)
    assert ca.metrics.skeleton_f1(problem.graph, estimate.graph) > 0.5


@pytest.mark.slow
def test_the_audit_reads_the_reference_rows(problem):
    audit = ca.audit(problem.data, problem.graph, 1)
    assert ("gameable", "mean") == (audit.verdict.kind, audit.verdict.subject.statistic)


@pytest.mark.slow
def test_choosing_takes_the_sensors_that_are_constant_under_an_intervention(problem):
    choice = ca.choose(problem.data, 1, ["ges"], n_random=10)
    assert choice.ranking == ("ges",)
    assert len(choice.intervened) == 20
    constant = {one.target: one.constant for one in choice.movements if one.constant}
    assert {"angle_1": ("angle_1",), "angle_2": ("angle_2",)} == constant
