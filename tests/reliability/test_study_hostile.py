"""Whatever a hostile algorithm does is one row with a reason; the others go on."""

from __future__ import annotations

import csv

import pytest

from command_line import run_here
from waiting import LIMIT, eventually

STUDY = """
name = "hostile"
seed = 1
replicates = 1
metrics = ["shd"]
baselines = false
algorithms = ["pc", "empty", {hostile}]
[limits]
seconds = 3600
memory = "600 MB"
[[problems]]
samples = 100
graph = {{kind = "chain", n_nodes = 4}}
model = {{kind = "scm"}}
"""

SECONDS = {"loop": 2, "gil": 2}


def study_with(*deeds):
    hostile = [
        f'{{use = "rogue", name = "{deed}", deed = "{deed}", seconds = {SECONDS.get(deed, 3600)}}}'
        for deed in deeds
    ]
    return STUDY.format(hostile=", ".join(hostile))


EXPECTED = {
    "raise": ("failed", "raised ValueError: as announced"),
    "loop": ("timeout", "timeout: more than 2 s"),
    "gil": ("timeout", "timeout: more than 2 s"),
    "eat": ("failed", "memory: more than 600 MB"),
    "segfault": ("failed", "crashed: killed by signal 11 (SIGSEGV)"),
    "abort": ("failed", "crashed: killed by signal 6 (SIGABRT)"),
    "exit": ("failed", "crashed: exit code 7"),
    "kill": ("failed", "crashed: killed by signal 9 (SIGKILL)"),
    "cycle": (
        "failed",
        'invalid: its kind is "dag" but the graph has a cycle or an undirected edge',
    ),
    "nan": ("failed", "invalid: its weights are not all finite"),
    "shape": ("failed", "invalid: its graph has shape (1, 1) for 4 columns"),
    "talk": ("ok", ""),
}


@pytest.fixture(scope="module")
def outcome(run, tmp_path_factory, computed_once):
    """What a study of all hostile algorithms printed, and its rows."""

    def compute():
        folder = tmp_path_factory.mktemp("hostile")
        (folder / "study.toml").write_text(study_with(*EXPECTED))
        printed, complained = run("run", folder / "study.toml", "--workers", 2)
        run_here("export", folder / "hostile-results", folder / "rows.csv")
        with (folder / "rows.csv").open() as file:
            return printed + complained, {row["algorithm"]: row for row in csv.DictReader(file)}

    return computed_once("hostile", compute)


@pytest.mark.parametrize("deed", EXPECTED)
def test_a_hostile_algorithm_costs_one_row(outcome, deed):
    row = outcome[1][deed]
    assert EXPECTED[deed] == (row["status"], row["reason"])


def test_the_others_go_on(outcome):
    assert {"ok"} == {outcome[1][name]["status"] for name in ("pc", "empty")}
    assert 2 + len(EXPECTED) == len(outcome[1])


def test_what_an_algorithm_prints_is_not_shown(outcome):
    assert "on stdout" not in outcome[0]
    assert "on stderr" not in outcome[0]


RAISED = {
    "raise_text": ('"path \\u001b[2J\\u202e"', r"raised ValueError: path \x1b[2J\u202e"),
    "leave": ("0", "raised SystemExit: 0"),
}


@pytest.fixture(scope="module")
def raising(run, tmp_path_factory, computed_once):
    """The results of a study whose algorithms raise, and the keys of their rows."""

    def compute():
        folder = tmp_path_factory.mktemp("raising")
        deeds = [
            f'{{use = "hostile", name = "{function}", function = "{function}", argument = {text}}}'
            for function, (text, _) in RAISED.items()
        ]
        (folder / "study.toml").write_text(STUDY.format(hostile=", ".join(deeds)))
        run("run", "--json", folder / "study.toml", "--workers", 1)
        run_here("export", folder / "hostile-results", folder / "rows.csv")
        with (folder / "rows.csv").open() as file:
            keys = {row["algorithm"]: row["key"] for row in csv.DictReader(file)}
        return folder / "hostile-results", keys

    return computed_once("raising", compute)


@pytest.mark.parametrize("function", RAISED)
def test_a_replay_shows_the_traceback_of_whatever_is_raised(run, raising, function):
    folder, keys = raising
    _, complained = run("replay", keys[function], "--in", folder, code=1)
    assert f"in {function}\n" in complained
    assert complained.rstrip().endswith(f"TaskRaised: {RAISED[function][1]}")


def test_two_studies_do_not_share_a_folder(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(study_with())
    words = ("run", file, "--out", tmp_path / "results", "--workers", 1, "--json")
    assert not run_here(*words).returncode
    before = (tmp_path / "results" / "study.sqlite").read_bytes()
    file.write_text(study_with().replace('"hostile"\nseed', '"other"\nseed'))
    refused = run_here(*words)
    assert 2 == refused.returncode
    assert "other" in refused.stderr
    assert "hostile" in refused.stderr
    assert before == (tmp_path / "results" / "study.sqlite").read_bytes()


def test_two_drivers_do_not_work_on_one_folder(run, start, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(study_with("loop").replace("seconds = 2}", "seconds = 3600}"))
    first = start("run", file, "--workers", 1)
    eventually((tmp_path / "hostile-results" / "study.sqlite").exists)
    _, complained = run("run", file, code=2)
    assert "another" in complained
    assert "running" in run_here("status", tmp_path / "hostile-results").stdout
    first.terminate()
    first.communicate(timeout=LIMIT)
