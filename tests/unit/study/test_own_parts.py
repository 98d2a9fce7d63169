"""Metrics, diagnostics, models and graph families in Python files of a study's author."""

import json
import sqlite3
import sys
from contextlib import closing

import numpy as np
import pytest

from causalassay.study import LocalExecutor, run_study, study_table
from causalassay.study.pending import pending_tasks
from causalassay.study.plan import RunTask
from causalassay.study.programs import own_parts_of, programs_of
from causalassay.study.replay import replay
from causalassay.study.storage import Store
from causalassay.study.worker.batch_runner import attempt_problem
from causalassay.study.worker.discovering import discover_here
from causalassay.study.worker.task_runner import run_task
from command_line import run_here
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

METRICS = '''\
import os
import time
from typing import ClassVar

from causalassay.metrics.registry import metric


class RootsFound:
    """The share of the roots that have no parent in the guess."""

    better: ClassVar[str] = "high"

    def score(self, problem, guess):
        roots = ~problem.graph.any(axis=0)
        return (~guess.any(axis=0))[roots].mean()


@metric("low", takes="any")
def missed(truth, guess):
    return (truth & ~guess).sum()


@metric("low")
def text(truth, guess):
    return "3.5"


@metric("low")
def nothing(truth, guess):
    return None


@metric("low")
def changes_the_truth(truth, guess):
    truth[:] = False
    return 0.0


@metric("low")
def changes_the_guess(truth, guess):
    guess[:] = truth
    return 0.0


@metric("low")
def raises(truth, guess):
    raise KeyError("no such key")


@metric("low")
def crashes(truth, guess):
    os._exit(3)


@metric("low")
def hangs(truth, guess):
    time.sleep(1000)


@metric("none")
def control(truth, guess):
    return 1.0


def undeclared(truth, guess):
    return 0.0


class Undeclared:
    def score(self, problem, guess):
        return 0.0


class WithParameters:
    better = "high"

    def __init__(self, share):
        self.share = share

    def score(self, problem, guess):
        return 0.0


@metric("low")
def shd(truth, guess):
    return 0.0
'''

PARTS = """\
import numpy as np
from dataclasses import dataclass
from typing import ClassVar

import causalassay as ca


def depth(problem):
    return problem.graph.sum()


class Crash:
    def measure(self, problem):
        import os
        os._exit(3)


@dataclass(frozen=True)
class Star:
    n_nodes: int
    into: bool = False

    def draw(self, rng):
        graph = np.zeros((self.n_nodes, self.n_nodes), dtype=bool)
        graph[0, 1:] = True
        return graph.T.copy() if self.into else graph


def pairs(n_nodes, rng):
    graph = np.zeros((n_nodes, n_nodes), dtype=bool)
    graph[range(0, n_nodes - 1, 2), range(1, n_nodes, 2)] = True
    return graph


def cyclic(n_nodes, rng):
    return ~np.eye(n_nodes, dtype=bool)


def words(n_nodes, rng):
    return "a graph"


@dataclass(frozen=True)
class Doubled:
    factor: float = 2.0

    def draw(self, graph, rng):
        return ca.models.LinearSCM(self.factor * graph, np.ones(len(graph)))


def halved(graph, rng, factor=0.5):
    return ca.models.LinearSCM(factor * graph, np.ones(len(graph)))


def no_model(graph, rng):
    return graph
"""


@pytest.fixture(autouse=True)
def _modules_as_before(monkeypatch):
    """Files that are run in this process leave their folder where imports look."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(METRICS)
    (tmp_path / "parts.py").write_text(PARTS)
    return tmp_path


def text(metrics, problem=PROBLEM, diagnostics='["n_edges"]', more=""):
    return (
        f"{HEAD}metrics = {json.dumps(metrics)}\ndiagnostics = {diagnostics}\ncontrols = false\n"
        f'baselines = false\nalgorithms = ["empty", "var-sortnregress"]\n{more}\n{problem}'
    )


def run(stated, folder):
    """Run a study in this process: its own code is run here, as in a worker."""
    study = parsed(stated, folder)
    with Store.open(folder / "results", study) as store:
        for task in list(pending_tasks(study, store, "main")):
            store.save([run_task(study, task, attempt_problem(study, task), discover_here)])
    return study_table(folder / "results").frame


def run_in_processes(stated, folder):
    study = parsed(stated, folder)
    run_study(study, folder / "results", LocalExecutor(study, workers=1))
    return study_table(folder / "results").frame


def notes(frame):
    return [json.loads(text) for text in frame["notes"].dropna() if text]


def test_metrics_of_a_file_score_every_estimate(folder):
    stated = text(["shd", "mine.py:RootsFound", "mine.py:missed", "mine.py:control"])
    frame = run(stated, folder)
    assert {"ok"} == set(frame["status"])
    assert (frame["RootsFound"].between(0, 1)).all()
    empty = frame[frame["algorithm"] == "empty"]
    assert (empty["missed"] == empty["n_edges"]).all()
    assert {"RootsFound": "high", "missed": "low"} == {
        name: better
        for name, better in study_table(folder / "results").better.items()
        if name != "shd"
    }


def test_a_new_metric_runs_no_discovery_and_an_edited_one_is_computed_anew(folder):
    before = run(text(["shd"]), folder).set_index("key")
    after = run(text(["shd", "mine.py:missed"]), folder).set_index("key")
    assert (before["seconds"] == after["seconds"]).all()
    assert after["missed"].notna().all()
    (folder / "mine.py").write_text(METRICS.replace("(truth & ~guess).sum()", "-1"))
    edited = run(text(["shd", "mine.py:missed"]), folder).set_index("key")
    assert (edited["seconds"] == before["seconds"]).all()
    assert (edited["missed"] == -1).all()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("text", "not a number"),
        ("nothing", "it returned None, not a number"),
        ("changes_the_truth", "read-only"),
        ("changes_the_guess", "read-only"),
        ("raises", "no such key"),
    ],
)
def test_a_metric_that_gives_no_number_is_nan_with_a_reason(name, reason, folder):
    frame = run(text(["shd", f"mine.py:{name}"]), folder)
    assert {"ok"} == set(frame["status"])
    assert frame["shd"].notna().all()
    assert frame[name].isna().all()
    assert all(reason in note[name] for note in notes(frame))


@pytest.mark.parametrize("name", ["crashes", "hangs"])
def test_a_metric_that_ends_its_process_costs_no_algorithm_its_row(name, folder):
    limit = "limits = {seconds = 5}" if name == "hangs" else ""
    diagnostics = '["n_edges", "parts.py:Crash"]' if name == "crashes" else '["n_edges"]'
    stated = text(["shd", f"mine.py:{name}", "mine.py:missed"], PROBLEM, diagnostics, limit)
    stated = stated.replace("replicates = 2", "replicates = 1").replace(', "var-sortnregress"', "")
    frame = run_in_processes(stated, folder)
    assert ["ok"] == list(frame["status"])
    assert frame["n_edges"].notna().all()
    assert frame["shd"].notna().all()
    assert "Crash" not in frame or frame["Crash"].isna().all()
    assert frame["missed"].notna().all()
    assert frame[name].isna().all()
    assert all("crashed" in note[name] or "timeout" in note[name] for note in notes(frame))


def test_a_diagnostic_of_a_file_is_measured_and_an_edited_one_anew(folder):
    frame = run(text(["shd"], diagnostics='["n_edges", "parts.py:depth"]'), folder)
    assert (frame["depth"] == frame["n_edges"]).all()
    (folder / "parts.py").write_text(PARTS.replace("problem.graph.sum()", "7"))
    frame = run(text(["shd"], diagnostics='["n_edges", "parts.py:depth"]'), folder)
    assert (frame["depth"] == 7).all()


def problem(graph, model):
    return f"[[problems]]\nsamples = 50\ngraph = {graph}\nmodel = {model}\n"


def test_graphs_and_models_of_files_make_problems(folder):
    problems = problem('{kind = "parts.py:Star", n_nodes = 4}', '{kind = "parts.py:Doubled"}')
    problems += problem(
        '{kind = "parts.py:pairs", n_nodes = 4}', '{kind = "parts.py:halved", factor = 0.1}'
    )
    problems += problem('{kind = "chain", n_nodes = 4}', '{kind = "parts.py:Doubled"}')
    problems += problem('{kind = "parts.py:Star", n_nodes = 4, into = true}', '{kind = "iscm"}')
    frame = run(text(["shd"], problems), folder)
    assert {"ok"} == set(frame["status"])
    assert {
        "Star-4 Doubled": 3,
        "pairs-4 halved": 2,
        "chain-4 Doubled": 3,
        "Star-4 iscm": 3,
    } == dict(zip(frame["problem"], frame["n_edges"], strict=True))
    assert {"Doubled", "halved", "iscm"} == set(frame["scheme"])


def test_schemes_share_the_graphs_of_a_family_of_ones_own(folder):
    graph = '{kind = "parts.py:Star", n_nodes = 4}'
    problems = problem(graph, '{kind = "scm"}') + problem(graph, '{kind = "iscm"}')
    frame = run(text(["shd"], problems), folder)
    assert 1 == frame["graph_key"].nunique()


def test_an_edited_model_or_graph_gives_new_rows(folder):
    stated = text(["shd"], problem('{kind = "parts.py:Star", n_nodes = 4}', '{kind = "iscm"}'))
    before = parsed(stated, folder)
    assert before.problems[0].key == parsed(stated, folder).problems[0].key
    (folder / "parts.py").write_text(PARTS + "\n")
    assert before.problems[0].key != parsed(stated, folder).problems[0].key


@pytest.mark.parametrize(
    ("graph", "model", "reason"),
    [
        ("parts.py:cyclic", "iscm", "it has a cycle"),
        ("parts.py:words", "iscm", "expected the adjacency matrix of a DAG"),
        ("parts.py:pairs", "parts.py:no_model", "expected a model with `graph`"),
    ],
)
def test_what_is_drawn_wrongly_is_a_reason(graph, model, reason, folder):
    stated = problem(f'{{kind = "{graph}", n_nodes = 4}}', f'{{kind = "{model}"}}')
    frame = run(text(["shd"], stated), folder)
    assert {"failed"} == set(frame["status"])
    assert frame["reason"].str.contains(reason, regex=False).all()


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (
            "absent.py:F",
            "metrics[0]: there is no file 'absent.py'; there are 'mine.py', 'parts.py'",
        ),
        ("mine.py:mised", "has no class or function 'mised'; did you mean 'missed'?"),
        ("mine.py:undeclared", 'as in `@metric("high")`; it does not say'),
        ("mine.py:Undeclared", 'as in `better: ClassVar[str] = "high"`; it does not say'),
        ("mine.py:WithParameters", "a metric has no parameters in study files"),
        ("mine.py:shd", "'shd' is a registered metric; give yours another name"),
        ("mine.py", "expected the class or function too, as in 'my_metric.py:MyClass'"),
        ("parts.py:Star", "the class has no method `score(self, problem, guess)`"),
        ("parts.py:depth", "the function does not take what `metric(truth, guess)` takes"),
    ],
)
def test_what_is_wrong_with_a_metric_is_one_line(metric, expected, folder):
    (line,) = mistakes_of(text([metric]), folder)
    assert expected in line


def test_what_is_wrong_with_a_part_is_one_line(folder):
    cases = {
        problem('{kind = "parts.py:Star"}', '{kind = "iscm"}'): "n_nodes: missing; 'Star'",
        problem('{kind = "parts.py:Star", n_nodes = 4, inot = true}', '{kind = "iscm"}'): (
            "did you mean 'into'?"
        ),
        problem('{kind = "parts.py:Sta", n_nodes = 4}', '{kind = "iscm"}'): "did you mean 'Star'?",
        problem('{kind = "chain", n_nodes = 4}', '{kind = "parts.py:depth"}'): (
            "does not take what `model(graph, rng)` takes"
        ),
    }
    for stated, expected in cases.items():
        (line,) = mistakes_of(text(["shd"], stated), folder)
        assert expected in line
    (line,) = mistakes_of(text(["shd"], diagnostics='["parts.py:dept"]'), folder)
    assert "diagnostics[0]: " in line
    assert "did you mean 'depth'?" in line
    (folder / "other").mkdir()
    (folder / "other" / "mine.py").write_text(METRICS + "\n")
    (line,) = mistakes_of(text(["mine.py:missed", "other/mine.py:missed"]), folder)
    assert "another metric is called 'missed', too; rename one" in line


def test_two_files_of_a_worker_may_not_import_different_modules_of_one_name(folder):
    (folder / "other").mkdir()
    for place, value in {"": 1, "other": 2}.items():
        (folder / place / "beside.py").write_text(f"VALUE = {value}\n")
    (folder / "mine.py").write_text("import beside\n" + METRICS)
    (folder / "other" / "parts.py").write_text("import beside\n" + PARTS)
    (line,) = mistakes_of(text(["mine.py:missed"], diagnostics='["other/parts.py:depth"]'), folder)
    assert "imports 'beside' from" in line
    assert line.endswith("rename one")
    (folder / "other" / "beside.py").write_text("VALUE = 1\n")
    assert [] == mistakes_of(
        text(["mine.py:missed"], diagnostics='["other/parts.py:depth"]'), folder
    )


def test_nothing_of_a_file_runs_before_it_is_allowed(folder):
    for name in ("mine.py", "parts.py"):
        with (folder / name).open("a") as file:
            file.write(f"\nopen({str(folder / 'ran')!r}, 'a').close()\n")
    stated = text(
        ["mine.py:missed"],
        problem('{kind = "parts.py:Star", n_nodes = 4}', '{kind = "parts.py:Doubled"}'),
        diagnostics='["parts.py:depth"]',
    )
    study = parsed(stated, folder)
    names = [program.line.rpartition("/")[2] for program in programs_of((), own_parts_of(study))]
    assert ["mine.py:missed", "parts.py:depth", "parts.py:Star", "parts.py:Doubled"] == names
    (folder / "study.toml").write_text(stated)
    words = ("run", folder / "study.toml", "--workers", 1, "--json")
    (line,) = run_here(*words).stderr.splitlines()
    assert "add --allow-programs" in line
    assert 4 == len(json.loads(run_here(*words, "--dry-run").stdout)["programs"])
    assert not (folder / "ran").exists()
    done = run_here(*words, "--allow-programs")
    assert 0 == done.returncode, done.stderr
    assert (folder / "ran").exists()
    frame = study_table(folder / "trial-results").frame
    assert {"ok"} == set(frame["status"])
    words = ("replay", frame["key"].iloc[0], "--in", folder / "trial-results")
    assert "mine.py:missed" in run_here(*words).stderr
    assert "missed: " in run_here(*words, "--allow-programs").stdout


def test_a_tuning_can_choose_by_a_metric_of_a_file(folder):
    tuned = (
        '[[algorithms]]\nuse = "pc"\n[algorithms.tune]\ncriterion = "mine.py:missed"\n'
        "[algorithms.tune.grid]\nalpha = [0.1, 0.9]\n"
    )
    stated = text(["shd"]).replace('algorithms = ["empty", "var-sortnregress"]\n', "") + tuned
    study = parsed(stated, folder)
    (tuning,) = [entry.tuning for entry in study.algorithms if entry.tuning]
    assert "low" == study.metrics[tuning.criterion].metric.better
    (line,) = mistakes_of(stated.replace("missed", "control"), folder)
    assert "'control' is a control and no score" in line


def test_the_store_names_a_part_by_its_class(folder):
    run(text(["mine.py:RootsFound"], diagnostics='["parts.py:depth"]'), folder)
    with closing(sqlite3.connect(folder / "results" / "study.sqlite")) as connection:
        assert ("RootsFound", "high") == connection.execute(
            "SELECT label, better FROM metrics"
        ).fetchone()
        (name,) = connection.execute("SELECT name FROM diagnostics").fetchone()
    assert name.startswith("depth@")


def test_a_replay_scores_with_them(folder):
    study = parsed(text(["mine.py:missed"]), folder)
    record = replay(study, RunTask("main", 0, 0, 0, 0, (0,)))
    assert "ok" == record.status
    assert np.isfinite(record.scores).all()
