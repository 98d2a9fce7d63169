"""Algorithms that reserve cores and graphics cards in a study, with cards that are simulated."""

import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from causalassay.discovery import make_algorithm
from causalassay.discovery.python_files import from_file
from causalassay.graphs.sources import Chain
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM
from causalassay.processes.limits import Limits
from causalassay.processes.resources import NO_NEEDS, VISIBLE, Needs
from causalassay.study import LocalExecutor, parse_study, read_study, run_study, study_table
from causalassay.study.driver import run_tasks
from causalassay.study.estimate_encoding import decode
from causalassay.study.forecast import Forecast
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.plan import (
    AlgorithmEntry,
    Batcher,
    MetricEntry,
    ProblemEntry,
    RunTask,
    Study,
    task_needs,
)
from causalassay.study.problem_specs import Generated
from causalassay.study.worker.discovering import NO_CARD
from causalassay.testing import check_algorithm
from hostile.algorithms import Reserving
from pages import files_shown_on
from waiting import LIMIT


def study_of(*needs, replicates=4, seconds=0.05):
    entries = tuple(
        AlgorithmEntry(
            f"a{n}", "x", Reserving(seconds, f"a{n}"), limits=Limits(LIMIT), needs=wanted
        )
        for n, wanted in enumerate(needs)
    )
    metrics = (MetricEntry("shd", METRICS["shd"].resolution, 1, "shd"),)
    problems = (ProblemEntry("p", Generated(Chain(4), SCM(), 50)),)
    return Study("reserving", 1, replicates, problems, entries, metrics, ())


def tasks_of(study):
    return [
        RunTask("main", 0, replicate, index, index, (0,))
        for replicate in range(study.replicates)
        for index in range(len(study.algorithms))
    ]


def records_of(study, workers):
    saved = []
    with LocalExecutor(study, workers) as running:
        run_tasks(study, iter(tasks_of(study)), running, saved.extend)
    assert {*tasks_of(study)} == {record.task for record in saved}
    return saved


def ran(study, records):
    """Return the needs of each row with what its algorithm said."""
    assert ["ok"] * len(records) == [record.status for record in records]
    return [(task_needs(study, r.task), decode(r.estimate).info) for r in records]


def most_of(ran, size):
    """Return the largest sum of sizes of what ran at one time."""
    return max(
        sum(size(needs) for needs, said in ran if said["began"] <= now < said["ended"])
        for now in (said["began"] for _, said in ran)
    )


def test_no_two_tasks_have_a_card_that_did_not_agree(monkeypatch):
    monkeypatch.setenv(VISIBLE, "0,1")
    wanted = (NO_NEEDS, Needs(gpus=1.0), Needs(gpus=0.5), Needs(gpus=0.25))
    study = study_of(*wanted)
    rows = ran(study, records_of(study, 3))
    for card in ("0", "1"):
        here = [(needs, said) for needs, said in rows if card == said[VISIBLE]]
        assert not here or most_of(here, lambda needs: Fraction(needs.gpus)) <= 1
    seen = {needs: {said[VISIBLE] for other, said in rows if other == needs} for needs, _ in rows}
    assert {""} == seen.pop(NO_NEEDS)
    assert all(cards <= {"0", "1"} for cards in seen.values())


def test_without_a_card_rows_are_skipped_and_say_so(monkeypatch):
    monkeypatch.setenv(VISIBLE, "")
    records = records_of(study_of(NO_NEEDS, Needs(gpus=1.0), replicates=2), 2)
    outcomes = Counter((r.task.algorithm, r.status, r.reason) for r in records)
    assert {(0, "ok", ""): 2, (1, "skipped", NO_CARD): 2} == outcomes


def test_threads_are_reserved_and_libraries_are_told():
    study = study_of(NO_NEEDS, Needs(threads=2), replicates=6)
    rows = ran(study, records_of(study, 2))
    assert most_of(rows, lambda needs: needs.threads) <= 2
    for needs, said in rows:
        assert {str(needs.threads)} == {said["OMP_NUM_THREADS"], said["MKL_NUM_THREADS"]}
    pids = [{said["pid"] for needs, said in rows if needs.threads == n} for n in (1, 2)]
    assert not pids[0] & pids[1]


def test_more_threads_than_workers_run_alone():
    study = study_of(NO_NEEDS, Needs(threads=9), replicates=3)
    rows = ran(study, records_of(study, 2))
    assert most_of(rows, lambda needs: min(needs.threads, 2)) <= 2
    assert {"9"} == {said["OMP_NUM_THREADS"] for needs, said in rows if needs.threads > 1}


@pytest.mark.parametrize("stated", ["", "active"])
def test_threads_that_wait_sleep_unless_the_user_says_otherwise(monkeypatch, stated):
    """Other workers need the cores: waiting actively, threads hold up those they wait for."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if stated:
        monkeypatch.setenv("OMP_WAIT_POLICY", stated)
    study = study_of(Needs(threads=2), replicates=1)
    ((_, said),) = ran(study, records_of(study, 2))
    assert (stated or "passive") == said["OMP_WAIT_POLICY"]


WITH_CACHE = """
import sys
import numpy as np
from types import SimpleNamespace
from causalassay.contracts import Estimate

def empty_cache():
    with open({path!r}, "a") as file:
        print("given back", file=file)

cuda = SimpleNamespace(is_initialized=lambda: True, empty_cache=empty_cache)
sys.modules["torch"] = SimpleNamespace(cuda=cuda, manual_seed=lambda seed: None)

class Cached:
    def discover(self, data, rng):
        with open({path!r}, "a") as file:
            print("discovered", file=file)
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")
"""


def test_memory_of_a_card_that_torch_keeps_is_given_back_after_each_task(monkeypatch, tmp_path):
    """Otherwise a task of another process finds the card full; torch is simulated."""
    monkeypatch.setenv(VISIBLE, "0")
    deeds = tmp_path / "deeds.txt"
    (tmp_path / "cached.py").write_text(WITH_CACHE.format(path=str(deeds)))
    cached = from_file("cached.py:Cached", tmp_path, {})
    study = study_of(Needs(gpus=1.0), replicates=2)
    study = replace(study, algorithms=(replace(study.algorithms[0], algorithm=cached),))
    assert ["ok", "ok"] == [record.status for record in records_of(study, 2)]
    assert 2 * ["discovered", "given back"] == deeds.read_text().splitlines()
    study = replace(study, algorithms=(replace(study.algorithms[0], needs=NO_NEEDS),))
    deeds.unlink()
    records_of(study, 1)
    assert 2 * ["discovered"] == deeds.read_text().splitlines()


TELLING = """
import os
import sys
names = ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")
with open(sys.argv[1], "a") as file:
    print(*(os.environ.get(name) for name in names), file=file)
with open(sys.argv[3], "w") as file:
    file.write("from,to\\n")
"""


def test_a_program_has_the_threads_and_the_card_that_are_reserved_for_it(monkeypatch, tmp_path):
    monkeypatch.setenv(VISIBLE, "7")
    (tmp_path / "telling.py").write_text(TELLING)
    said = tmp_path / "said.txt"
    command = make_algorithm(
        "command", program=f"{sys.executable} {tmp_path / 'telling.py'} {said}", promises="dag"
    )
    study = study_of(Needs(threads=2, gpus=1.0), Needs(threads=3), replicates=1)
    entries = tuple(replace(entry, algorithm=command) for entry in study.algorithms)
    study = replace(study, algorithms=entries)
    for task in tasks_of(study):
        with LocalExecutor(study, 2) as running:
            saved = []
            run_tasks(study, iter([task]), running, saved.extend)
            assert [("ok", "")] == [(record.status, record.reason) for record in saved]
    assert ["2 7", "3 "] == said.read_text().splitlines()


def test_at_most_so_many_run_at_once():
    """Of all members of a table together, here of two."""
    one = Needs(at_most=1, owner="algorithms[1]")
    study = study_of(NO_NEEDS, one, one, replicates=4)
    rows = ran(study, records_of(study, 3))
    assert 1 == most_of(rows, lambda needs: needs.at_most or 0)
    assert 2 == len({said["pid"] for needs, said in rows if needs.at_most})


TEXT = """
name = "s"
seed = 1
replicates = 1
baselines = false
[[problems]]
samples = 50
graph = {{kind = "chain", n_nodes = 4}}
model = {{kind = "scm"}}
[[algorithms]]
use = "pc"
{lines}
"""


def entries_of(lines, folder):
    return parse_study(TEXT.format(lines=lines), folder).algorithms


def test_keys_of_an_algorithm_say_what_it_reserves(tmp_path):
    (entry,) = entries_of("threads = 2\ngpus = 0.5\nat_most = 3\nload_seconds = inf", tmp_path)
    assert Needs(2, 0.5, 3, "algorithms[0]") == entry.needs
    assert None is entry.limits.load_seconds
    (plain,) = entries_of("", tmp_path)
    assert NO_NEEDS == plain.needs
    assert plain.key == entry.key
    grid = entries_of("at_most = 1\ngrid.alpha = [0.01, 0.05]", tmp_path)
    assert 1 == len({entry.needs for entry in grid})


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("threads = 0", "algorithms[0].threads: got 0, expected from 1 to 1024"),
        ("gpus = 2", "algorithms[0].gpus: got 2, expected a number above 0, at most 1"),
        ("gpus = 0", "algorithms[0].gpus: got 0, expected a number above 0, at most 1"),
        ("at_most = 0", "algorithms[0].at_most: got 0, expected an integer from 1"),
        ("load_seconds = 0", "algorithms[0].load_seconds: got 0, expected a positive number"),
        ("thread = 2", "algorithms[0].thread: 'pc' has no such parameter"),
    ],
)
def test_impossible_needs_are_mistakes(tmp_path, line, mistake):
    with pytest.raises(StudyMistakes) as caught:
        entries_of(line, tmp_path)
    assert mistake in str(caught.value)


def test_a_study_says_when_an_algorithm_has_more_threads_than_there_are_workers(tmp_path):
    study = parse_study(TEXT.format(lines="threads = 3"), tmp_path)
    notes = []
    counts = run_study(study, tmp_path / "r", LocalExecutor(study, 1), notify=notes.append)
    assert {"ok": 1} == {status: count for status, count in counts.items() if count}
    assert ["pc computes with 3 threads on 1 worker: each of its tasks runs alone"] == notes


def test_tasks_that_wait_for_a_card_do_not_hold_up_the_others():
    study = study_of(NO_NEEDS, Needs(gpus=1.0), replicates=50)
    batcher = Batcher(iter(tasks_of(study)), lambda task: task_needs(study, task))
    taken = []
    while batch := batcher.next(1.0, {Needs(gpus=1.0)}):
        taken += batch
    assert [0] * 50 == [task.algorithm for task in taken]
    while batch := batcher.next(1.0):
        assert 1 == len({task_needs(study, task) for task in batch})
        taken += batch
    assert {*tasks_of(study)} == {*taken}
    assert 100 == len(taken)


@pytest.mark.parametrize(
    ("needs", "workers", "n_cards", "seconds"),
    [
        (Needs(threads=4), 8, 0, 25.0),
        (Needs(threads=4), 2, 0, 60.0),
        (Needs(gpus=0.5), 8, 1, 20.0),
        (Needs(gpus=0.5), 8, 4, 10.0),
        (Needs(at_most=1), 8, 0, 40.0),
    ],
)
def test_a_forecast_counts_what_is_reserved(needs, workers, n_cards, seconds):
    """Half of 80 s is an algorithm's that reserves something."""
    left = Forecast(0, 9, 80.0, 1, (), ((needs, 40.0),))
    assert seconds == left.wall_seconds(workers, n_cards)


def test_few_tasks_are_put_aside_for_later():
    study = replace(study_of(Needs(gpus=1.0)), replicates=10**5)
    read = []
    tasks = (read.append(n) or RunTask("main", 0, n, 0, 0, (0,)) for n in range(study.replicates))
    batcher = Batcher(tasks, lambda task: task_needs(study, task))
    assert () == batcher.next(1.0, {Needs(gpus=1.0)})
    assert len(read) < 10**4


WITH_TORCH = """
import os
import torch
from causalassay.contracts import Estimate

class Learned:
    def discover(self, data, rng):
        square = torch.rand(700, 700)
        weights = torch.nn.Parameter(torch.zeros(700, 700))
        adam = torch.optim.Adam([weights])
        (square @ (weights - square)).square().mean().backward()
        adam.step()
        said = {"pid": os.getpid(), "threads": torch.get_num_threads()}
        said |= {"native": len(os.listdir("/proc/self/task")), "drawn": float(square.sum())}
        graph = torch.zeros(data.n_nodes, data.n_nodes, dtype=bool)
        return Estimate(graph.numpy(), "dag", info=said)
"""


@pytest.mark.needs("package:torch", "linux")
def test_torch_is_imported_once_and_keeps_its_threads(tmp_path):
    """The optimizer of its first task imports more of torch, and starts a pool of threads."""
    (tmp_path / "learned.py").write_text(WITH_TORCH)
    study = study_of(Needs(threads=2), replicates=3)
    learned = from_file("learned.py:Learned", tmp_path, {})
    entry = replace(study.algorithms[0], algorithm=learned)
    study = replace(study, algorithms=(entry,))
    records = records_of(study, 1)
    said = [info for _, info in ran(study, records)]
    assert 1 == len({info["pid"] for info in said})
    assert {2} == {info["threads"] for info in said}
    assert all(info["native"] > 1 for info in said)
    first, *others = sorted(records, key=lambda record: record.task.replicate)
    assert first.cells["load_seconds"] > max(row.cells["load_seconds"] for row in others) == 0.0
    assert first.cells["load_seconds"] > first.seconds


@pytest.mark.needs("package:torch")
def test_what_torch_draws_without_a_seed_does_not_depend_on_earlier_tasks(tmp_path):
    (tmp_path / "learned.py").write_text(WITH_TORCH)
    learned = from_file("learned.py:Learned", tmp_path, {})
    study = study_of(NO_NEEDS, replicates=2)
    study = replace(study, algorithms=(replace(study.algorithms[0], algorithm=learned),))
    draws = []
    for order in (1, -1):
        saved = []
        with LocalExecutor(study, 1) as running:
            run_tasks(study, iter(tasks_of(study)[::order]), running, saved.extend)
        drawn = {r.task.replicate: decode(r.estimate).info["drawn"] for r in saved}
        draws.append([drawn[0], drawn[1]])
    assert draws[0] == draws[1]
    assert draws[0][0] != draws[0][1]


@pytest.mark.needs("package:torch")
def test_the_page_on_torch_can_be_followed(monkeypatch, tmp_path):
    """Without a card: its rows are skipped, then computed once the study asks for none."""
    monkeypatch.setenv(VISIBLE, "")
    files = files_shown_on("docs/gpus.md")
    assert {"gradients.py", "torch.toml"} == set(files)
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace("replicates = 10", "replicates = 1"))
    check_algorithm(from_file("gradients.py:Gradients", tmp_path, {"steps": 20}).made())
    study = read_study(tmp_path / "torch.toml")
    run_study(study, tmp_path / "results", LocalExecutor(study, 2))
    first = study_table(tmp_path / "results").frame.query("algorithm == 'Gradients'")
    assert {("skipped", NO_CARD)} == {*zip(first.status, first.reason, strict=True)}
    lines = (tmp_path / "torch.toml").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("gpus"))
    study = parse_study(text, tmp_path)
    run_study(study, tmp_path / "results", LocalExecutor(study, 2), retry=["skipped"])
    second = study_table(tmp_path / "results").frame.query("algorithm == 'Gradients'")
    assert ["ok", "ok"] == list(second.status)
    assert (second.seconds < second.load_seconds.sum()).all()
    assert second.f1.max() > second.f1_chance.max()
