"""The assay of the pretrained networks: small runs, the rule of the goals, the page's numbers."""

import importlib
import json

import numpy as np
import pytest
from calibration import pretrained
from calibration.pretrained import Cell, Part
from calibration.rows_on_disk import read

from causalassay.discovery import amortized
from causalassay.metrics import skeleton_f1
from causalassay.present.formatting import Interval
from pages import ROOT
from random_networks import random_file

SMALL = Cell("uumc", n_nodes=4, n_rows=200, graph="er-1")
TRAINING = {"steps": 3, "systems": 12, "minutes": 0.1, "device": "cpu", "date": "2026-01-01"}
TRAINING |= {"graphs": "some", "schemes": ["linear, uumc 100%"], "limits": "many"}
TRAINING |= {"licence": "MIT", "command": "python -m training --prior raw --out x --cache y"}


@pytest.fixture
def page(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("amortized_page")


@pytest.fixture
def networks(tmp_path, monkeypatch):
    """Random weights of every prior in place of those of the package."""
    folder = tmp_path / "weights"
    folder.mkdir()
    for seed, prior in enumerate(amortized.PRIORS):
        file = random_file(folder, seed=seed, prior=prior, **TRAINING)
        file.rename(folder / f"{prior}.npz")
    monkeypatch.setattr(amortized, "FOLDER", folder)
    return folder


def data_of(spec):
    """Yield all lists of rows in a specification."""
    for value in spec.values() if isinstance(spec, dict) else spec:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield value
        if isinstance(value, dict | list):
            yield from data_of(value)


def measured(tmp_path, parts, minutes=np.inf):
    file = tmp_path / "rows.jsonl"
    left = pretrained.run(file, pretrained.jobs(parts), tmp_path, minutes)
    return file, left


def test_a_run_goes_on_where_it_was_stopped(tmp_path, networks):
    parts = [Part((SMALL,), ("amortized broad", "boss"), 2)]
    file, left = measured(tmp_path, parts, minutes=-1)
    assert 4 == left
    file, left = measured(tmp_path, parts)
    whole = file.read_text().splitlines()
    assert (0, 4) == (left, len(whole))
    file.write_text("\n".join(whole[:2]) + "\n" + whole[2][:20])
    measured(tmp_path, parts)
    without_times = [
        {key: row for key, row in one.items() if key != "seconds"} for one in read(file).values()
    ]
    expected = [json.loads(line) for line in whole]
    for row in expected:
        row.pop("seconds")
    assert expected == without_times


def test_rows_of_other_weights_are_measured_again(tmp_path, networks):
    parts = [Part((SMALL,), ("amortized raw", "boss"), 2)]
    file, _ = measured(tmp_path, parts)
    random_file(networks, seed=9, prior="raw", **TRAINING).rename(networks / "raw.npz")
    found = pretrained.summary(read(file).values())
    assert {"boss"} == set(found["cells"][SMALL.name])
    measured(tmp_path, parts)
    assert 6 == len(file.read_text().splitlines())
    found = pretrained.summary(read(file).values())
    assert {"boss", "amortized raw"} == set(found["cells"][SMALL.name])


def test_the_summary_has_scores_bins_failures_and_cards(tmp_path, networks):
    lone = Cell("iscm", n_nodes=4, n_rows=5, graph="er-1")  # too few rows for a network
    parts = [Part((SMALL, lone), ("amortized broad", "random-sortnregress"), 2)]
    file, _ = measured(tmp_path, parts)
    found = pretrained.summary(read(file).values())
    broad = found["cells"][SMALL.name]["amortized broad"]
    assert [0, 1] == broad["graphs"]
    assert 2 * 4 * 3 == sum(broad["bins"][0])
    assert all(0 <= score <= 1 for score in broad["f1"])
    assert "bins" not in found["cells"][SMALL.name]["random-sortnregress"]
    refused = found["cells"][lone.name]["amortized broad"]
    assert [] == refused["graphs"]
    assert 2 == len(refused["failed"])
    assert "5 rows" in refused["failed"][0]
    assert "python -m training --prior raw --out weights" == found["cards"]["raw"]["command"]


def test_commands_are_told_without_folders_of_a_machine():
    command = "python -m training --prior raw --steps 9 --out /x --cache /y --stop-after 4 --resume"
    told = "python -m training --prior raw --steps 9 --out weights"
    assert told == pretrained.typed(command + " --from /z")


def test_columns_and_graph_are_permuted_alike(tmp_path):
    cell = Cell("uumc", "uniform", n_nodes=6, n_rows=5000, graph="er-1")
    scores = []
    for k in range(5):
        data, truth = pretrained.drawn(cell, k, tmp_path)
        partial = np.linalg.inv(np.corrcoef(data.observational_values, rowvar=False))
        size = np.abs(partial) / np.sqrt(np.outer(np.diag(partial), np.diag(partial)))
        moral = truth | truth.T | (truth.astype(int) @ truth.T > 0)
        np.fill_diagonal(moral, val=False)
        np.fill_diagonal(size, 0)
        joined = size > np.sort(size, axis=None)[-moral.sum() - 1]
        scores.append(skeleton_f1(moral, joined))
    assert np.mean(scores) > 0.9


def test_schemes_and_noises_meet_the_same_graphs(tmp_path):
    cells = [Cell("iscm"), Cell("uumc", "uniform"), Cell("iscm", mechanism="mlp", n_rows=50)]
    degrees = []
    for cell in cells:
        _, truth = pretrained.drawn(cell, 3, tmp_path)
        degrees.append(sorted(zip(truth.sum(axis=0), truth.sum(axis=1), strict=True)))
    assert degrees[0] == degrees[1] == degrees[2]


def test_slow_parts_come_last_and_real_data_once():
    quick = Part((SMALL,), ("boss",), 3)
    slow = Part((SMALL,), ("notears",), 2, later=True)
    once = Part((Cell("sachs"),), ("ges",), 1)
    order = [(algorithm, k) for _, algorithm, k in pretrained.jobs([slow, once, quick])]
    assert [("ges", 0), ("boss", 0), ("boss", 1), ("boss", 2)] == order[:4]
    assert [("notears", 0), ("notears", 1)] == order[4:]
    assert 8 == len(list(pretrained.jobs([slow, once, quick], factor=1.4)))


def test_real_data_are_left_out_where_they_are_not(tmp_path):
    _, left = measured(tmp_path, [Part((Cell("sachs"), Cell("chamber")), ("boss",), 1)])
    assert 0 == left
    assert not (tmp_path / "rows.jsonl").read_text()


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.0, 0.2, "met"), (-0.1, 0.2, "open"), (-0.2, -0.01, "not met"), (-0.2, 0.0, "open")],
)
def test_a_goal_is_decided_by_the_whole_interval(page, low, high, verdict):
    assert verdict == page.Goal(Interval((low + high) / 2, low, high), "boss").verdict
    mirrored = page.Goal(Interval(-(low + high) / 2, -high, -low), "boss", high_is_good=False)
    assert verdict == mirrored.verdict


def test_a_goal_without_an_interval_is_open(page):
    assert "open" == page.Goal(Interval(0.1, np.nan, np.nan), "boss").verdict


def test_the_rival_is_the_one_that_leaves_least_on_shared_graphs(page):
    cells = {
        "amortized broad": {"graphs": [0, 1, 2], "f1": [0.9, 0.8, 0.7]},
        "boss": {"graphs": [0, 1, 2], "f1": [0.8, 0.8, 0.8]},
        "ges": {"graphs": [0], "f1": [0.85]},  # its mean is above that of boss
    }
    goal = page.Scores({"cells": {"c": cells}}).goal("c", ["ges", "boss"])
    assert "boss" == goal.rival
    assert pytest.approx(0.0, abs=1e-9) == goal.difference.value
    width = 4.302652729911275 * 0.1 / np.sqrt(3)  # Student's t with 2 degrees of freedom
    assert pytest.approx(width) == goal.difference.high


def test_the_page_has_the_numbers_of_its_results(page):
    text = page.PAGE.read_text(encoding="utf-8")
    assert text == page.page(text, page.scores())


def test_the_cross_picture_has_every_mean_of_the_table(page):
    found = page.scores()
    spec = page.cross_picture(found)
    drawn = next(rows for rows in data_of(spec) if "f1" in rows[0])
    assert len(page.cross_cells()) * 13 == len(drawn)
    by_name = {(row["x"], row["y"]): row["f1"] for row in drawn}
    broad = found.mean(page.linear("uumc"), "amortized broad")
    assert pytest.approx(broad, abs=5e-4) == by_name["Gaussian|UUMC", "broad network"]


def test_the_goals_picture_has_a_point_for_each_kind_of_data(page):
    spec = page.goals_picture(page.scores())
    points = {
        (row["scheme"], row["data"]): row["verdict"]
        for rows in data_of(spec)
        for row in rows
        if "verdict" in row
    }
    assert len(page.goal_cells()) == len(points) == 27
    assert points["UUMC", "Gaussian, d = 20"] == (
        page.scores().goal(page.linear("uumc"), page.RIVALS).verdict
    )
