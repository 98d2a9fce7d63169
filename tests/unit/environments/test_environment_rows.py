"""Tasks whose algorithms run in environments: whatever happens is one row with its reason."""

import csv
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from announced_environments import installed_fake
from causalassay.cli.studies import Retried, _to_retry
from causalassay.discovery import make_algorithm
from causalassay.environments import installing
from causalassay.graphs.sources import Chain
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM
from causalassay.processes.launcher import Launcher
from causalassay.processes.limits import Limits
from causalassay.processes.resources import NO_NEEDS, Needs
from causalassay.study.estimate_encoding import decode
from causalassay.study.plan import AlgorithmEntry, MetricEntry, ProblemEntry, RunTask, Study
from causalassay.study.problem_specs import Generated
from causalassay.study.programs import for_workers
from causalassay.study.worker import discovering
from causalassay.study.worker.algorithm_process import SERVER
from causalassay.study.worker.discovering import BlindDiscovery
from causalassay.study.worker.problem_making import make
from causalassay.study.worker.task_runner import run_task
from command_line import run_here
from waiting import LIMIT, eventually, gone

MEMORY = 2 * 10**9


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with installed_fake(tmp_path_factory) as folder:
        yield folder


@pytest.fixture(scope="module")
def launcher(site, tmp_path_factory):
    with Launcher(tmp_path_factory.mktemp("launcher"), SERVER) as running:
        yield running


@pytest.fixture
def worker(launcher):
    """Run tasks as a worker does; return their records."""
    discovery = BlindDiscovery(launcher, MEMORY, {})

    def run(
        deed,
        replicate=0,
        *,
        use="fake-deed",
        seconds=LIMIT,
        memory=None,
        scratch="",
        needs=NO_NEEDS,
    ):
        parameters = {"deed": deed} if use == "fake-deed" else {}
        algorithm = make_algorithm(use, **parameters)
        entry = AlgorithmEntry(deed, use, algorithm, limits=Limits(seconds, memory), needs=needs)
        metrics = (MetricEntry("shd", METRICS["shd"].resolution, 1, "shd"),)
        problem = ProblemEntry("p", Generated(Chain(4), SCM(), 50))
        study = for_workers(Study("env", 1, 9, (problem,), (entry,), metrics, ()))
        made = make(1, study.problems[0].spec, "main", replicate)
        task = RunTask("main", 0, replicate, 0, 0, (0,))
        return run_task(study, task, made, lambda *asked: discovery(*asked, scratch))

    yield run
    discovery.close()


def info(record):
    assert "ok" == record.status, record.reason
    return decode(record.estimate).info


def test_one_process_of_an_environment_serves_all_its_algorithms_and_tasks(worker):
    first, second, third = worker("chain"), worker("chain", 1), worker("draw", 2)
    assert [1, 2, 3] == [info(record)["calls"] for record in (first, second, third)]
    assert 1 == len({info(record)["pid"] for record in (first, second, third)})


def test_what_a_package_prints_is_kept_and_it_has_the_scratch_folder_of_the_task(worker, tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    record = worker("keep", scratch=str(folder))
    assert ("ok", "") == (record.status, record.reason)
    assert b"from the package\n" == record.output.end
    assert str(folder) == (folder / "there").read_text()
    crashed = worker("complain")
    assert b"no licence key\n" == crashed.output.end
    assert 0 == worker("chain").output.size


def test_a_package_has_the_threads_and_the_card_that_are_reserved_for_it(worker, monkeypatch):
    monkeypatch.setattr(discovering, "granted_card", lambda: "7")
    one, two = info(worker("chain")), info(worker("chain", needs=Needs(threads=2, gpus=0.5)))
    assert ("1", "1") == (one["OMP_NUM_THREADS"], one["CAUSALASSAY_THREADS"])
    assert ("2", "2") == (two["OMP_NUM_THREADS"], two["CAUSALASSAY_THREADS"])
    assert ("passive", "7") == (two["OMP_WAIT_POLICY"], two["CUDA_VISIBLE_DEVICES"])
    assert one["pid"] != two["pid"]


def test_the_same_task_gives_the_same_row_in_any_order(worker):
    before = worker("draw", 3)
    worker("draw", 4)
    after = worker("draw", 3)
    assert decode(before.estimate).weights.tolist() == decode(after.estimate).weights.tolist()
    assert before.scores == after.scores


@pytest.mark.parametrize(
    ("deed", "status", "reason"),
    [
        ("crash", "failed", "crashed: killed by signal 6 (SIGABRT)"),
        ("kill", "failed", "crashed: killed by signal 9 (SIGKILL)"),
        ("leave", "failed", "crashed: exit code 7"),
        ("fail", "failed", "raised ZeroDivisionError: as announced"),
        ("end", "failed", "raised SystemExit: goodbye"),
        ("nan", "failed", "invalid: its graph has entries that are neither 0 nor 1"),
        ("shape", "failed", "invalid: its graph has shape (2, 3) for 4 columns"),
        (
            "cycle",
            "failed",
            'invalid: its kind is "dag" but the graph has a cycle or an undirected edge',
        ),
        (
            "too_probable",
            "failed",
            "invalid: its probabilities: that of 0→1 is 1.5, expected a number from 0 to 1",
        ),
        (
            "no_weight",
            "failed",
            "invalid: its weights: expected numbers >= 0 that are not all 0",
        ),
        ("one_graph", "failed", "invalid: its graphs have shape (4, 4)"),
        ("refuse", "skipped", "the data are too tame"),
        ("garbage", "ok", ""),
    ],
)
def test_whatever_happens_is_a_row_and_the_next_task_goes_on(worker, deed, status, reason):
    record = worker(deed)
    assert (status, reason) == (record.status, record.reason)
    assert "ok" == worker("chain", 1).status


@pytest.mark.parametrize(("deed", "share"), [("probable", 0.125), ("posterior", 0.25)])
def test_probabilities_or_several_graphs_become_an_estimate(worker, deed, share):
    record = worker(deed)
    assert "ok" == record.status, record.reason
    estimate = decode(record.estimate)
    assert record.scores[0] in range(7)
    assert {0.0, 0.75, share} == set(estimate.probabilities.ravel())
    assert (estimate.probabilities[estimate.graph] == 0.75).all()
    assert 3 == estimate.graph.sum()


def test_a_task_that_takes_too_long_is_ended_with_its_package(worker):
    pid = info(worker("chain"))["pid"]
    record = worker("loop", seconds=1)
    assert ("timeout", "timeout: more than 1 s") == (record.status, record.reason)
    eventually(lambda: gone(pid))
    assert 1 == info(worker("chain", 1))["calls"]


def test_the_memory_of_the_package_counts(worker):
    record = worker("eat", memory=700 * 10**6)
    assert ("failed", "memory: more than 700 MB") == (record.status, record.reason)


def test_the_package_ends_with_its_worker(site, tmp_path):
    with Launcher(tmp_path, SERVER) as running:
        discovery = BlindDiscovery(running, MEMORY, {})
        entry = AlgorithmEntry("a", "fake-deed", make_algorithm("fake-deed"), limits=Limits(LIMIT))
        problem = ProblemEntry("p", Generated(Chain(4), SCM(), 50))
        study = for_workers(Study("env", 1, 1, (problem,), (entry,), (), ()))
        made = make(1, study.problems[0].spec, "main", 0)
        pid = info(run_task(study, RunTask("main", 0, 0, 0, 0, ()), made, discovery))["pid"]
        discovery.close()
        eventually(lambda: gone(pid))


def test_a_row_says_that_its_package_cannot_be_seeded(worker):
    notes = worker("", use="fake-unseeded").notes
    assert "cannot be seeded" in notes["not repeatable"]
    assert {} == dict(worker("chain").notes)
    assert "ok" == worker("", use="ges").status  # whose remarks are no dictionary


STUDY = """
name = "mixed"
seed = 1
replicates = 2
metrics = ["shd"]
baselines = false
algorithms = ["empty", "fake-deed", "fake-unseeded"]
[[problems]]
samples = 50
graph = {kind = "chain", n_nodes = 4}
model = {kind = "scm"}
"""


@pytest.mark.parametrize(("name", "again"), [("lingam-ica", [Retried.skipped]), ("pc", [])])
def test_install_runs_skipped_rows_again_whoever_installed_the_environment(name, again):
    study = SimpleNamespace(algorithms=[AlgorithmEntry(name, name, make_algorithm(name))])
    slurm = SimpleNamespace(requeue=False)
    assert again == _to_retry(study, SimpleNamespace(slurm=slurm, retry=None, install=True))


def test_a_missing_environment_is_skipped_rows_until_it_is_installed(site, tmp_path):
    variables = {
        **os.environ,
        "PYTHONPATH": f"{site}:{os.environ.get('PYTHONPATH', '')}",
        installing.FOLDER_VARIABLE: str(tmp_path / "environments"),
    }

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", "causalassay", *map(str, words)],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done

    def rows():
        run_here("export", "mixed-results", "rows.csv", cwd=tmp_path)
        with (tmp_path / "rows.csv").open() as file:
            return list(csv.DictReader(file))

    (tmp_path / "mixed.toml").write_text(STUDY)
    plan = json.loads(run("run", "mixed.toml", "--dry-run", "--json").stdout)
    assert ["fake"] == plan["absent_environments"]
    said = run("run", "mixed.toml", "--workers", 1, "--json").stderr
    assert "note: the environment fake is not installed, so its rows are skipped" in said
    skipped = [row for row in rows() if row["algorithm"] != "empty"]
    assert {"skipped"} == {row["status"] for row in skipped}
    assert all("causalassay env install fake" in row["reason"] for row in skipped)
    run("run", "mixed.toml", "--workers", 1, "--json", "--install")
    table = rows()
    assert {"ok"} == {row["status"] for row in table}
    noted = {row["algorithm"] for row in table if "cannot be seeded" in row["notes"]}
    assert {"fake-unseeded"} == noted
