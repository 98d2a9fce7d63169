"""Studies that score F1 measure what chance and sorting reach, beside it."""

import numpy as np
import pandas as pd
import pytest

from causalassay.analysis.summary import summarize
from causalassay.graphs import chain
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.order_measures import measure_names, order_measures
from causalassay.metrics import f1_chance, order_score
from causalassay.metrics.registry import CONTROLS, METRICS
from causalassay.study import LocalExecutor, run_study
from causalassay.study.forecast import describe
from causalassay.study.storage import export, study_table
from causalassay.study.worker.problem_making import make
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

SERIES = """
[[problems]]
samples = 200
graph = {kind = "lagged-erdos-renyi", n_nodes = 4, probability = 0.6, max_lag = 2}
model = {kind = "uumc", mechanism = "var"}
"""
TABLES = """
[[problems]]
samples = 200
graph = {kind = "erdos-renyi", n_nodes = 5, edges_per_node = 1}
model = {kind = "dirichlet"}
"""
SORTABILITIES = {
    "continuous": ["var_sortability", "r2_sortability"],
    "discrete": ["entropy_sortability"],
    "series": [
        "var_sortability_pairs",
        "r2_sortability_pairs",
        "r2_summary_sortability_pairs",
    ],
}


def names(study):
    return [entry.label for entry in study.metrics]


@pytest.mark.parametrize(
    ("world", "problem"), [("continuous", PROBLEM), ("discrete", TABLES), ("series", SERIES)]
)
def test_a_study_with_f1_gets_the_controls_of_its_worlds(world, problem):
    study = parsed(HEAD + 'metrics = ["f1"]\ndiagnostics = []' + problem)
    assert ["f1", *CONTROLS] == names(study)
    assert [*SORTABILITIES[world], *measure_names(world)] == list(study.diagnostics)


def test_several_worlds_get_the_controls_of_each():
    study = parsed(HEAD + PROBLEM + SERIES)
    assert {*measure_names("continuous"), *measure_names("series")} < set(study.diagnostics)
    assert 1 == study.diagnostics.count("random_f1")


def test_tables_measure_entropy_by_default():
    study = parsed(HEAD + "controls = false" + TABLES)
    assert ("entropy_sortability", "n_edges", "n_draws") == study.diagnostics


@pytest.mark.parametrize(
    "stated",
    [
        'metrics = ["shd"]',
        'metrics = ["f1"]\ncontrols = false',
        'metrics = [{name = "f1", resolution = "favourable"}]',
    ],
)
def test_without_f1_or_if_the_file_says_so_there_are_none(stated):
    study = parsed(HEAD + stated + "\ndiagnostics = []" + PROBLEM)
    assert () == study.diagnostics
    assert 1 == len(study.metrics)


def test_what_the_file_lists_itself_stands_once():
    listed = 'metrics = ["f1", "skeleton_p"]\ndiagnostics = ["random_f1", "n_edges"]'
    study = parsed(HEAD + listed + PROBLEM)
    assert 1 == names(study).count("skeleton_p")
    assert ("random_f1", "n_edges", "var_sortability") == study.diagnostics[:3]


def test_a_control_is_nothing_to_tune_by():
    tuned = """
[[algorithms]]
use = "pc"
tune = {criterion = "f1_chance", grid = {alpha = [0.01, 0.1]}}
"""
    (line,) = mistakes_of(HEAD + tuned + PROBLEM)
    expected = "algorithms[0].tune.criterion: 'f1_chance' is a control and no score; "
    assert line.startswith(expected)


def test_the_plan_names_controls_apart():
    lines = describe(parsed(HEAD + PROBLEM))
    (controls,) = (line for line in lines if line.startswith("controls of each estimate"))
    named = "direction_p, skeleton_f1_p, skeleton_p, f1_chance, n_guessed, shd_chance"
    assert f"controls of each estimate (6): {named}" == controls
    assert any(line.startswith("metrics (8): shd, f1,") for line in lines)


STUDY = """
name = "grows"
seed = 1
replicates = 2
algorithms = ["pc", "var-sortnregress"]
baselines = false
metrics = ["f1"]
diagnostics = ["n_edges"]

[[problems]]
samples = 200
graph = {kind = "erdos-renyi", n_nodes = 6, edges_per_node = 1}
model = {kind = "scm"}
"""


def test_an_old_store_gets_the_controls_without_running_anything_again(tmp_path):
    old = parsed("controls = false" + STUDY, tmp_path)
    run_study(old, tmp_path / "store", LocalExecutor(old, 1))
    before = study_table(tmp_path / "store").frame
    study = parsed(STUDY, tmp_path)
    run_study(study, tmp_path / "store", LocalExecutor(study, 1))
    table = study_table(tmp_path / "store")
    assert before["seconds"].tolist() == table.frame["seconds"].tolist()
    assert {"ok"} == set(table.frame["status"])
    assert (
        table.frame[["random_f1", "variance_rising_p", "r2_down_direction_p"]]
        .notna()
        .all(axis=None)
    )
    _check_scores(study, table)
    _check_columns(table, tmp_path)


def _check_scores(study, table):
    """The numbers are those of the functions called by hand."""
    rows = table.frame[table.frame["algorithm"] == "var-sortnregress"]
    problem = make(1, study.problems[0].spec, "main", 0).problem
    assert (rows["ordered_share"] == 1).all()  # it reports an order of all nodes
    for name in ("direction_p", "skeleton_f1_p"):
        assert table.frame[name].between(1 / 51, 1).all()
    drawn = int(rows["n_guessed"].iloc[0])
    guess = np.zeros((6, 6), dtype=bool)
    guess[tuple(np.triu_indices(6, 1)[side][:drawn] for side in (0, 1))] = True
    assert f1_chance(problem.graph, guess) == pytest.approx(rows["f1_chance"].iloc[0])


def _check_columns(table, folder):
    """Controls are columns, but no scores."""
    scores = ("f1", "direction_score", "skeleton_f1", "order_score", "ordered_share")
    assert scores == table.metrics
    controls = ("direction_p", "skeleton_f1_p", "skeleton_p", "f1_chance", "n_guessed")
    assert controls == table.controls
    assert set(table.metrics) == set(table.better)
    export(folder / "store", folder / "table.csv")
    assert {*table.metrics, *table.controls} < set(pd.read_csv(folder / "table.csv").columns)
    assert table.metrics == summarize(table).metrics


def test_metrics_of_estimates_see_the_reported_order():
    assert ("estimate", 2) == (METRICS["order_score"].takes, METRICS["order_score"].version)
    assert 1 == order_score(chain(3), chain(3))


def test_an_artefact_that_cannot_be_loaded_hides_no_other(monkeypatch):
    addresses = {**ARTEFACTS.addresses, "broken": "no_such_package:ARTEFACT"}
    monkeypatch.setitem(ARTEFACTS.__dict__, "addresses", addresses)
    assert "broken_up_f1" not in measure_names("continuous")
    assert "r2_up_f1" in parsed(HEAD + PROBLEM).diagnostics


def test_an_artefact_of_another_package_has_its_columns(monkeypatch):
    own = Artefact("kurtosis", "kurtosis", "continuous", lambda data, _: np.arange(data.n_nodes))
    addresses = {**ARTEFACTS.addresses, "heavy-tails": "elsewhere:OWN"}
    monkeypatch.setitem(ARTEFACTS.__dict__, "addresses", addresses)
    monkeypatch.setitem(ARTEFACTS._loaded, "heavy-tails", own)
    study = parsed(HEAD + PROBLEM)
    assert "heavy_tails_falling_p" in study.diagnostics
    problem = make(1, study.problems[0].spec, "main", 0).problem
    assert 0 < order_measures(problem).number("heavy_tails_up_direction_p") <= 1
