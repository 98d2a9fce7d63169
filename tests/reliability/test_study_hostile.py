"""Whatever a hostile algorithm does is one row with a reason; the others go on."""

from __future__ import annotations

import csv

import pytest

from waiting import LIMIT, eventually

STUDY = """
name = "hostile"
seed = 1
replicates = 1
metrics = ["shd"]
baselines = false
algorithms = ["pc", {hostile}, "empty"]
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
    "cycle": ("failed", 'invalid: its kind is "dag" but the graph is none'),
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
        run("export", folder / "hostile-results", folder / "rows.csv")
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


@pytest.mark.parametrize(
    ("function", "argument", "reason"),
    [
        ("raise_text", '"path \\u001b[2J\\u202e"', r"raised ValueError: path \x1b[2J\u202e"),
        ("leave", "0", "raised SystemExit: 0"),
    ],
)
def test_a_replay_shows_the_traceback_of_whatever_is_raised(
    run, tmp_path, function, argument, reason
):
    deed = f'{{use = "hostile", function = "{function}", argument = {argument}}}'
    (tmp_path / "study.toml").write_text(STUDY.format(hostile=deed))
    run("run", "--json", tmp_path / "study.toml", "--workers", 1)
    run("export", tmp_path / "hostile-results", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as file:
        (key,) = [row["key"] for row in csv.DictReader(file) if row["algorithm"] == "hostile"]
    _, complained = run("replay", key, "--in", tmp_path / "hostile-results", code=1)
    assert f"in {function}\n" in complained
    assert complained.rstrip().endswith(f"TaskRaised: {reason}")


def test_two_studies_do_not_share_a_folder(run, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(study_with("raise"))
    run("run", file, "--out", tmp_path / "results")
    before = (tmp_path / "results" / "study.sqlite").read_bytes()
    file.write_text(study_with("raise").replace('"hostile"\nseed', '"other"\nseed'))
    _, complained = run("run", file, "--out", tmp_path / "results", code=2)
    assert "other" in complained
    assert "hostile" in complained
    assert before == (tmp_path / "results" / "study.sqlite").read_bytes()


def test_two_drivers_do_not_work_on_one_folder(run, start, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(study_with("loop").replace("seconds = 2}", "seconds = 3600}"))
    first = start("run", file)
    eventually((tmp_path / "hostile-results" / "study.sqlite").exists)
    _, complained = run("run", file, code=2)
    assert "another" in complained
    printed, _ = run("status", tmp_path / "hostile-results")
    assert "running" in printed
    first.terminate()
    first.communicate(timeout=LIMIT)
