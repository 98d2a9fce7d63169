"""Values of a paper whose rows come from a graphics card: without one, or with imported rows."""

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.discovery import NOTEARS
from causalassay.discovery.continuous.batch_format import (
    covariance_digest,
    read_about,
    write_arrays,
)
from causalassay.lab.papers import read_paper, reproduce, running
from causalassay.study import LocalExecutor, run_study
from causalassay.study.batches.exporting import export_pending
from causalassay.study.batches.importing import import_solved, read_solved
from causalassay.study.language import read_study
from causalassay.study.storage import Store

PAPER = """
title = "Tiny"
authors = "Nobody"
year = 2026
doi = "none"
text = "none"

[[items]]
name = "table-1"
what = "one table"
{picture}

[[studies]]
file = "grid.toml"
card = "card.toml"
fast = 3
full = 3
minutes = {{fast = 0.1, full = 0.1}}

[[studies]]
file = "card.toml"
fast = 3
full = 3
minutes = {{fast = 0.1, full = 0.1}}
"""
VALUES = """
[[values]]
id = "table-1/{name}"
item = "table-1"
kind = "number"
printed = "1"
rounding = 1.0
quote = "1"
ours = {{compute = "study", study = "{name}.toml", rows = {{algorithm = "notears", column = "f1"}}}}
"""
PICTURE = (
    'picture = {draw = "boxes", x = "", y = "F1", compute = "study", study = "grid.toml", '
    'if_there = ["card.toml"], panels = [{panel = "p", column = "f1", problems = {raw = "p"}}]}'
)
STUDY = """
name = "{name}"
seed = 3
replicates = 3
baselines = false
controls = false
metrics = ["f1"]
diagnostics = []
algorithms = [{{use = "notears", lambda1 = 0.1{device}}}]

[[problems]]
name = "p"
samples = 100
graph = {{kind = "erdos-renyi", n_nodes = 4, edges_per_node = 1}}
model = {{kind = "scm"}}
"""


@pytest.fixture
def paper(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    texts = {
        "paper.toml": PAPER.format(picture=PICTURE),
        "published.toml": "".join(VALUES.format(name=name) for name in ("grid", "card")),
        "grid.toml": STUDY.format(name="grid", device=""),
        "card.toml": STUDY.format(name="card", device=', device = "cuda"'),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_paper("tiny", tmp_path)


@pytest.fixture(autouse=True)
def no_card(monkeypatch):
    """Also where torch is installed and a card is there, there is none."""

    def absent(device):
        raise NotApplicable(f"{device}: none here")

    monkeypatch.setattr(running, "solver_on", absent)


def solve_by_kernels(pending, solved):
    """Solve a file of NOTEARS as one who has no card."""
    about = read_about(pending, "pending")
    arrays = {}
    with np.load(pending) as given:
        for number, group in enumerate(about["groups"]):
            settings = {**group["searches"][0]}
            del settings["solver"]
            pairs = [given[f"{number}.{name}"] for name in ("covariances", "n_samples")]
            ends = [NOTEARS(**settings)._follow_multiplier(each) for each in pairs[0]]
            told = {
                "keys": given[f"{number}.keys"],
                "digests": np.array([covariance_digest(*of) for of in zip(*pairs, strict=True)]),
                "failure": np.array([""] * len(ends)),
                "batch": given[f"{number}.batch"],
                "seconds": np.full(len(ends), 0.1),
                "solved.weights": np.array([weights for weights, _ in ends]),
            }
            told |= {f"solved.{name}": np.array([e[name] for _, e in ends]) for name in ends[0][1]}
            arrays |= {f"{number}.{name}": array for name, array in told.items()}
    write_arrays(solved, about | {"kind": "solved", "host": "elsewhere"}, arrays)


class Runs:
    """Runs studies, and remembers which."""

    def __init__(self):
        self.names = []

    def __call__(self, study, folder):
        self.names.append(study.name)
        run_study(study, folder, LocalExecutor(study, 1))


def lines_of(paper, folder, run):
    found = reproduce(paper, [], "fast", folder, run)
    return {line.value.id: line for line in found.lines}, found.pictures


def import_rows(paper, folder):
    study = read_study(paper.folder / "card.toml")
    results = folder / "tiny" / "card"
    pending, solved = (folder / f"{name}.npz" for name in ("pending", "solved"))
    with Store.open(results, study) as store:
        export_pending(study, store, pending)
    solve_by_kernels(pending, solved)
    with Store.open(results, study) as store:
        return import_solved(study, store, read_solved(solved))


def test_without_a_card_its_studies_are_not_run_and_others_run_on_the_processor(paper, tmp_path):
    run = Runs()
    lines, pictures = lines_of(paper, tmp_path / "out", run)
    assert ["grid"] == run.names
    assert "agrees" == lines["table-1/grid"].outcome
    assert "not run" == lines["table-1/card"].outcome
    assert "needs a graphics card" in lines["table-1/card"].why
    assert "docs/reproduce.md" in lines["table-1/card"].why
    assert 3 == len(pictures[0].data)


def test_imported_rows_stand_in_for_a_card(paper, tmp_path):
    out = tmp_path / "out"
    assert 3 == import_rows(paper, out).written
    run = Runs()
    lines, pictures = lines_of(paper, out, run)
    assert "grid" not in run.names
    assert {"agrees"} == {line.outcome for line in lines.values()}
    assert lines["table-1/grid"].ours == lines["table-1/card"].ours
    assert 6 == len(pictures[0].data)


def test_some_of_the_rows_are_not_enough(paper, tmp_path):
    """They would be a table of fewer replicates than it says."""
    out = tmp_path / "out"
    study = read_study(paper.folder / "card.toml")
    with Store.open(out / "tiny" / "card", study):
        pass
    run = Runs()
    lines, _ = lines_of(paper, out, run)
    assert "not run" == lines["table-1/card"].outcome
    assert ["grid"] == run.names
