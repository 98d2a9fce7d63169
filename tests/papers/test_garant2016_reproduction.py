"""Reproduction of Garant and Jensen 2016: exact items, and what needs a file."""

import functools
import gzip
from importlib import resources

import numpy as np
import pandas as pd
import pytest

from causalassay.discovery import make_algorithm
from causalassay.lab.factorial import LookAlike
from causalassay.lab.papers import NotRun, read_paper
from causalassay.lab.papers.computations import COMPUTATIONS
from causalassay.lab.papers.computations import garant2016 as look_alikes
from causalassay.lab.papers.computations.garant2016 import look_alike_boxes, truth_of
from causalassay.lab.papers.estimates import experiment_on
from causalassay.lab.papers.study_values import study_value
from recorded_outcomes import outcomes_without_studies, recorded

EXACT = ["section-1", "section-3", "section-4", "table-1"]


def test_exact_items_all_agree(tmp_path):
    found = outcomes_without_studies("garant2016", EXACT, tmp_path)
    assert {"agrees", "holds"} == set(found.values())
    assert found.items() <= recorded("garant2016").items()


def test_without_the_file_the_jdk_rows_say_why(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = COMPUTATIONS["system-subjects"](system="jdk")
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


@pytest.mark.parametrize(
    ("system", "levels"), [("postgres", (3, 2, 2)), ("http", (2, 2, 2))], ids=["postgres", "http"]
)
def test_our_experiments_are_whole_and_in_the_package(system, levels, tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path))
    experiment = experiment_on(system)
    assert (300, 7200) == (experiment.n_subjects, len(experiment.frame))
    assert levels == tuple(len(one) for one in experiment.levels.values())
    assert experiment.provenance["failed"] == {}


@pytest.mark.parametrize("system", ["postgres", "http"])
def test_our_experiments_name_no_user_host_or_folder(system):
    folder = resources.files("causalassay").joinpath("lab/papers/garant2016/experiments")
    text = folder.joinpath(f"{system}.toml").read_text(encoding="utf-8")
    text += gzip.decompress(folder.joinpath(f"{system}.csv.gz").read_bytes()).decode()
    for trace in ("/work", "/tmp", "/home", "/var", "root", "localhost", "127.0.0.1", "@"):
        assert trace not in text, trace


def test_rows_on_our_experiments_say_so_and_no_number_of_them_is_judged():
    values = read_paper("garant2016").values
    ours = {one.id for one in values if one.ours.get("system") in {"postgres", "http"}}
    assert ours == {one.id for one in values if one.other_data}
    outcomes = recorded("garant2016")
    numbers = {one.id for one in values if one.id in ours and one.kind == "number"}
    assert {"other data"} == {outcomes[name] for name in numbers}
    assert numbers == {name for name, outcome in outcomes.items() if outcome == "other data"}


def test_structure_of_our_table_2_by_hand():
    """Of HTTP's 15 effects 9 are there: compression 2, proxy 2, user agent 5 of 5 outcomes."""
    found = {
        (change, summary): COMPUTATIONS["specification"](
            system="http", change=change, measure="SHD", summary=summary, repeats=1
        ).value
        for change in ("over", "under")
        for summary in ("min", "median", "max")
    }
    truth = truth_of("http")
    edges = truth.graph[np.ix_(truth.treatment_nodes, truth.outcome_nodes)].sum(axis=1)
    assert [2, 2, 5] == sorted(edges)
    assert [0, 3, 3] == [found["over", one] for one in ("min", "median", "max")]
    assert [2, 2, 5] == [found["under", one] for one in ("min", "median", "max")]


def test_scores_of_look_alikes_one_by_one_are_those_of_all_algorithms_together(monkeypatch):
    """Figure 6 needs each algorithm, table 3 their mean; both are of the same experiments."""
    names = ("empty", "pc")
    monkeypatch.setattr(
        look_alikes, "_algorithms", lambda: {name: make_algorithm(name) for name in names}
    )
    monkeypatch.setattr(look_alikes, "_scores", functools.cache(look_alikes._scores.__wrapped__))

    def scored(*chosen):
        kind = LookAlike("logistic", 1, 1.0)
        return look_alikes._on_look_alikes.__wrapped__("postgres", kind, 2, 2, chosen)

    np.testing.assert_allclose(scored(*names), np.mean([scored(one) for one in names], axis=0))


def test_a_difference_of_the_other_sign_is_not_significant(monkeypatch):
    """The system has TV 1; Dirichlet look-alikes have 2, the others 0."""
    rng = np.random.default_rng(0)

    def near(level):
        return level + 0.01 * rng.normal(size=20)

    monkeypatch.setattr(look_alikes, "_on_system", lambda *_: near(1.0))
    monkeypatch.setattr(
        look_alikes,
        "_on_look_alikes",
        lambda _, kind, *__: near(2.0 * (kind.source == "dirichlet")),
    )
    sizes = {"system": "http", "repeats": 20, "experiments": 20}
    easier = look_alikes.look_alike_tukey(**sizes)
    assert [True, False, False] == [one.value == 1 for one in easier.estimates]
    as_printed = look_alikes.look_alike_tukey(**sizes, harder=["dirichlet"])
    assert all(one.value < 0.001 for one in as_printed.estimates)
    boxes = look_alike_boxes(label="HTTP (ours)", **sizes)
    assert ["HTTP (ours)", "Dirichlet", "Linear-Gaussian", "Logistic"] == list(boxes["x"].unique())
    pairs = look_alikes.best_against_worst(**sizes).estimates
    assert 3 * [-1, -1, -1, 1, 1, 1, 1, 1, 1] == [round(one.value) for one in pairs]


def test_a_p_value_takes_the_papers_number_of_graphs_however_many_ran():
    frame = pd.DataFrame(
        {
            "problem": "made",
            "replicate": [0, 0, 1, 1, 2, 2],
            "algorithm": ["pc", "ges"] * 3,
            "status": "ok",
            "shd": [2.0, 1.0, 4.0, 3.0, 0.0, 50.0],
        }
    )
    left, right = ({"problem": "made", "algorithm": one, "column": "shd"} for one in ("pc", "ges"))
    assert 1.0 == study_value(frame, left=left, right=right, first=2).value
    assert -16.0 == study_value(frame, left=left, right=right).value
