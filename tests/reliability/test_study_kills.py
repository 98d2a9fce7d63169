"""A killed driver, worker or disk costs nothing that was stored, and changes no row."""

from __future__ import annotations

import contextlib
import csv
import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing

import psutil
import pytest

from command_line import run_here
from waiting import LIMIT, eventually, gone

STUDY = """
name = "kills"
seed = 3
replicates = {replicates}
metrics = ["shd", "f1", "sid"]
algorithms = [
    "pc",
    "random-sortnregress",
    {{use = "sleeper", seconds = 0.05}},
    {{use = "rogue", deed = {deeds}, seconds = 8, memory = "1 GB"}},
    {{use = "together", deed = "fail", share = 0.1, seconds = 0.3, batch = 7}},
]

[[problems]]
samples = 100
[problems.graph]
kind = "erdos-renyi"
n_nodes = 5
edges_per_node = 1
[problems.grid]
model.kind = ["scm", "iscm"]
"""

# One that hangs costs its 8 seconds, so they are few; the others take milliseconds.
DEEDS = ["empty"] * 76 + ["raise"] * 4 + ["cycle"] * 4 + ["exit"] * 4 + ["gil"]
DEEDS = str(DEEDS).replace("'", '"')

REPLICATES = 25


@pytest.fixture(scope="module")
def study_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("study") / "kills.toml"
    file.write_text(STUDY.format(replicates=REPLICATES, deeds=DEEDS))
    return file


def table(folder, target):
    """Return the rows as bytes, without times and hosts, and the estimates beside them."""
    assert not run_here("export", folder, target, "--no-timing").returncode
    with sqlite3.connect(folder / "study.sqlite") as connection:
        estimates = connection.execute(
            "SELECT key, blob FROM rows JOIN estimates ON rows.id = estimates.row ORDER BY key"
        ).fetchall()
    connection.close()
    return target.read_bytes(), estimates


@pytest.fixture(scope="module")
def undisturbed(run, study_file, tmp_path_factory, computed_once):
    def compute():
        folder = tmp_path_factory.mktemp("undisturbed")
        run("run", "--json", study_file, "--out", folder / "results", "--workers", 1)
        return table(folder / "results", folder / "rows.csv")

    rows, estimates = computed_once("undisturbed", compute)
    statuses = [row["status"] for row in csv.DictReader(rows.decode().splitlines())]
    assert 2 * REPLICATES * 9 == len(statuses)
    assert {"ok", "failed", "timeout"} == set(statuses)
    return rows, estimates


def n_rows(folder):
    try:
        address = f"file:{folder / 'study.sqlite'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM rows").fetchone()
    except sqlite3.Error:  # the file is not there yet
        return 0
    return count


def kill_at_some_moment(start, study_file, folder, rng):
    """Start the driver, wait for new rows, and kill it -9; return whether it was alive."""
    before = n_rows(folder)
    driver = start("run", study_file, "--out", folder, "--workers", 2)
    eventually(lambda: n_rows(folder) > before or driver.poll() is not None)
    time.sleep(rng.uniform(0, 0.1))
    children = psutil.Process(driver.pid).children(recursive=True) if driver.poll() is None else []
    alive = driver.poll() is None
    driver.kill()
    driver.communicate()
    _, alive_still = psutil.wait_procs(children, timeout=LIMIT)
    assert [] == alive_still, "workers outlived the driver"
    return alive


def check_that_kills_change_nothing(start, run, study_file, folder, undisturbed, kills):
    rng = random.Random(0)
    struck = sum(
        kill_at_some_moment(start, study_file, folder / "results", rng) for _ in range(kills)
    )
    assert struck >= kills * 0.9, "the study was over before most of the kills"
    run("run", "--json", study_file, "--out", folder / "results", "--workers", 2)
    assert undisturbed == table(folder / "results", folder / "rows.csv")


def test_kills_of_the_driver_change_no_row(start, run, study_file, tmp_path, undisturbed):
    check_that_kills_change_nothing(start, run, study_file, tmp_path, undisturbed, kills=3)


@pytest.mark.slow
def test_two_hundred_kills_of_the_driver_change_no_row(start, run, tmp_path):
    study_file = tmp_path / "kills.toml"
    study_file.write_text(STUDY.format(replicates=500, deeds=DEEDS))
    run("run", "--json", study_file, "--out", tmp_path / "undisturbed", "--workers", 2)
    undisturbed = table(tmp_path / "undisturbed", tmp_path / "undisturbed.csv")
    check_that_kills_change_nothing(start, run, study_file, tmp_path, undisturbed, kills=200)


def test_killing_local_workers_changes_no_row(start, run, study_file, tmp_path, undisturbed):
    folder = tmp_path / "results"
    driver = start("run", "--json", study_file, "--out", folder, "--workers", 2)
    rng = random.Random(1)
    killed, rows = 0, 0
    while driver.poll() is None and killed < 5:
        time.sleep(0.02)
        if n_rows(folder) == rows:  # one kill after each time that rows are stored
            continue
        rows = n_rows(folder)
        workers = [c for c in psutil.Process(driver.pid).children() if _is_worker(c)]
        if workers:
            os.kill(rng.choice(workers).pid, signal.SIGKILL)
            killed += 1
    _, complained = driver.communicate(timeout=LIMIT)
    assert 0 == driver.returncode, complained
    assert killed >= 3
    assert undisturbed == table(folder, tmp_path / "rows.csv")


@pytest.mark.parametrize(("most", "code"), [(3, 0), (100, 2)])
def test_processes_that_are_killed_as_they_start_are_one_line_or_none(
    start, run, tmp_path, innocent, most, code
):
    """Workers, and the helper process of Python's that lists their semaphores."""
    file = tmp_path / "study.toml"
    file.write_text(CLEANED.replace("CULPRIT", 'function = "same"'))
    driver = start("run", "--json", file, "--workers", 2)
    killed = set()
    while driver.poll() is None:
        with contextlib.suppress(psutil.Error):
            new = [c for c in psutil.Process(driver.pid).children() if c.pid not in killed]
            for process in new[: most - len(killed)]:
                process.kill()
                killed.add(process.pid)
        time.sleep(0.02)
    _, complained = driver.communicate()
    assert code == driver.returncode, complained
    progress = ("running: ", "instances: ")
    lines = [line for line in complained.splitlines() if not line.startswith(progress)]
    expected = "error: no worker process could be started: it ended before it was ready"
    assert ([expected] if code else []) == lines
    if code:
        run("run", "--json", file, "--workers", 2)
    assert innocent == rows_but_the_culprits(run, tmp_path / "cleaned-results", tmp_path / "r.csv")


def _is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


HOSTILE = """
name = "hostile"
seed = 3
replicates = {replicates}
metrics = ["shd"]
baselines = false
diagnostics = []
algorithms = [{algorithms}]
[limits]
seconds = {seconds}
[[problems]]
samples = 50
graph = {{kind = "chain", n_nodes = 4}}
model = {{kind = "scm"}}
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_nothing_that_an_algorithm_started_outlives_the_driver(start, tmp_path, sign):
    """A daemon without a parent, in a session of its own."""
    deed = f'{{use = "hostile", function = "leave_a_daemon_and_hang", argument = "{tmp_path}/pid"}}'
    file = tmp_path / "study.toml"
    file.write_text(HOSTILE.format(algorithms=deed, replicates=1, seconds=LIMIT))
    driver = start("run", file, "--workers", 1)
    daemon = int(eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
    processes = psutil.Process(driver.pid).children(recursive=True)
    assert daemon in {process.pid for process in processes}
    driver.send_signal(sign)
    driver.communicate(timeout=LIMIT)
    assert [] == psutil.wait_procs(processes, timeout=LIMIT)[1]


def test_an_algorithm_that_kills_its_launcher_costs_its_own_rows_and_does_not_escape(
    start, run, tmp_path
):
    deed = f'{{use = "hostile", function = "escape_and_hang", argument = "{tmp_path}/pid"}}'
    file = tmp_path / "study.toml"
    algorithms = f'{deed}, "pc", {{use = "sleeper", name = "s"}}'
    file.write_text(HOSTILE.format(algorithms=algorithms, replicates=2, seconds=5))
    run("run", "--json", file, "--workers", 2)
    run_here("export", tmp_path / "hostile-results", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as opened:
        rows = list(csv.DictReader(opened))
    assert {"pc": "ok", "s": "ok"} == {
        row["algorithm"]: row["status"] for row in rows if row["algorithm"] != "hostile"
    }
    escaped = int((tmp_path / "pid").read_text())
    assert gone(escaped)


def test_a_driver_that_was_stopped_and_continued_has_no_late_rows(start, run, tmp_path):
    """Stopped for longer than the limit, as by Ctrl-Z, and with it all that it started."""
    file = tmp_path / "study.toml"
    seconds = 8
    sleepers = '{use = "sleeper", name = "s"}'
    file.write_text(HOSTILE.format(algorithms=sleepers, replicates=100, seconds=seconds))
    driver = start("run", "--json", file, "--workers", 2)
    eventually(lambda: n_rows(tmp_path / "hostile-results") > 4)
    tree = [psutil.Process(driver.pid), *psutil.Process(driver.pid).children(recursive=True)]
    for process in tree:
        process.suspend()
    time.sleep(seconds + 1)
    for process in reversed(tree):
        process.resume()
    printed, complained = driver.communicate(timeout=LIMIT)
    assert 0 == driver.returncode, complained
    assert '"timeout": 0' in printed


CLEANED = """
name = "cleaned"
seed = 3
replicates = 15
metrics = ["shd"]
algorithms = [
    "pc",
    {use = "hostile", name = "writer", function = "write_a_temporary_file"},
    {use = "sleeper", name = "s"},
    {use = "hostile", name = "culprit", CULPRIT},
]
[[problems]]
samples = 50
graph = {kind = "chain", n_nodes = 4}
model = {kind = "scm"}
"""


def rows_but_the_culprits(run, folder, target):
    run("export", folder, target, "--no-timing")
    with target.open() as opened:
        return [row for row in csv.DictReader(opened) if row["algorithm"] != "culprit"]


@pytest.fixture(scope="module")
def innocent(run, tmp_path_factory, computed_once):
    """The rows of a study whose temporary files nobody touched."""

    def compute():
        folder = tmp_path_factory.mktemp("innocent")
        (folder / "study.toml").write_text(CLEANED.replace("CULPRIT", 'function = "same"'))
        run("run", "--json", folder / "study.toml", "--workers", 1)
        return rows_but_the_culprits(run, folder / "cleaned-results", folder / "rows.csv")

    rows = computed_once("innocent", compute)
    assert {"ok"} == {row["status"] for row in rows}
    return rows


@pytest.fixture
def temporary(tmp_path):
    """Variables that name a folder for temporary files, and the folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return {"TMPDIR": str(folder)}, folder


def test_an_algorithm_that_removes_all_folders_it_finds_changes_no_other_row(
    run, tmp_path, innocent, temporary
):
    variables, folder = temporary
    file = tmp_path / "study.toml"
    deed = f'function = "remove_folders", argument = "{folder}"'
    file.write_text(CLEANED.replace("CULPRIT", deed))
    printed, _ = run("run", "--json", file, "--workers", 2, variables=variables)
    assert innocent == rows_but_the_culprits(run, tmp_path / "cleaned-results", tmp_path / "r.csv")
    assert '"failed": 0' in printed
    assert [] == list(folder.iterdir())


@pytest.mark.parametrize("what", ["content", "folder"])
def test_temporary_files_that_are_removed_from_outside_change_no_row(
    start, run, tmp_path, innocent, temporary, what
):
    variables, folder = temporary
    file = tmp_path / "study.toml"
    file.write_text(CLEANED.replace("CULPRIT", 'function = "same"'))
    driver = start("run", "--json", file, "--workers", 2, variables=variables)
    while driver.poll() is None:
        for path in [folder] if what == "folder" else list(folder.iterdir()):
            shutil.rmtree(path, ignore_errors=True)
        time.sleep(0.05)
    _, complained = driver.communicate()
    # What is removed too often stops the run, with a reason.
    if driver.returncode:
        assert 2 == driver.returncode
        assert "error: no temporary file can be written" in complained
        folder.mkdir(exist_ok=True)
        run("run", "--json", file, "--workers", 2, variables=variables)
    assert "Traceback" not in complained
    assert innocent == rows_but_the_culprits(run, tmp_path / "cleaned-results", tmp_path / "r.csv")


@pytest.mark.needs("mount")
def test_a_full_folder_of_temporary_files_is_a_reason_to_stop_and_no_row(
    start, run, tmp_path, innocent, temporary
):
    variables, folder = temporary
    assert 0 == os.system(f"mount -t tmpfs -o size=200k tmpfs {folder}")  # noqa: S605
    try:
        file, results = tmp_path / "study.toml", tmp_path / "cleaned-results"
        file.write_text(CLEANED.replace("CULPRIT", 'function = "same"'))
        driver = start("run", "--json", file, "--workers", 2, variables=variables)
        eventually(lambda: list(folder.iterdir()))
        with (folder / "full").open("wb", buffering=0) as full, contextlib.suppress(OSError):
            while full.write(bytes(512)):
                pass
        _, complained = driver.communicate(timeout=LIMIT)
        assert 2 == driver.returncode
        assert "No space left on device; the rows so far are stored" in complained
        assert "Traceback" not in complained
        (folder / "full").unlink()
        run("run", "--json", file, "--workers", 2, variables=variables)
        assert innocent == rows_but_the_culprits(run, results, tmp_path / "r.csv")
    finally:
        os.system(f"umount {folder}")  # noqa: S605


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_cleanly_and_says_how_to_go_on(start, run, study_file, tmp_path, sign):
    folder = tmp_path / "results"
    driver = start("run", study_file, "--out", folder, "--workers", 2)
    eventually(lambda: n_rows(folder) >= 8)
    children = psutil.Process(driver.pid).children(recursive=True)
    os.killpg(driver.pid, sign)
    printed, complained = driver.communicate(timeout=LIMIT)
    assert 130 == driver.returncode
    assert "run the same command to continue" in complained
    assert "Traceback" not in complained + printed
    assert [] == psutil.wait_procs(children, timeout=LIMIT)[1]
    assert "interrupted" in run_here("status", folder).stdout


@pytest.mark.needs("mount")
def test_a_full_disk_keeps_what_was_stored(run, start, study_file, tmp_path, undisturbed):
    room = tmp_path / "room"
    room.mkdir()
    os.system(f"mount -t tmpfs -o size=400k tmpfs {room}")  # noqa: S605
    try:
        driver = start("run", study_file, "--out", room / "results", "--workers", 2)
        _, complained = driver.communicate(timeout=LIMIT)
        assert 2 == driver.returncode, complained
        assert "no room" in complained
        assert "Traceback" not in complained
        kept = n_rows(room / "results")
        assert kept > 0
        os.system(f"mount -o remount,size=20m {room}")  # noqa: S605
        run("run", "--json", study_file, "--out", room / "results", "--workers", 2)
        assert undisturbed == table(room / "results", tmp_path / "rows.csv")
    finally:
        os.system(f"umount {room}")  # noqa: S605


SLOW = """
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from causalassay.contracts import Estimate


@dataclass(frozen=True)
class Slow:
    def discover(self, data, rng):
        checkpoint = data.scratch / "step"
        start = int(checkpoint.read_text()) if checkpoint.exists() else 0
        print("begins at", start)
        for step in range(start, 3):
            while step == 2 and not Path("GO").exists():
                time.sleep(0.05)
            checkpoint.write_text(str(step + 1))
            data.progress((step + 1) / 3, f"step {step + 1} of 3")
            time.sleep(0.3)
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")
"""

SLOW_STUDY = """
name = "slow"
seed = 1
replicates = 1
baselines = false
diagnostics = []
metrics = ["shd"]
algorithms = [{use = "slow.py:Slow"}]

[[problems]]
samples = 20
graph = {kind = "chain", n_nodes = 3}
model.kind = "scm"
"""


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_task_goes_on_from_its_checkpoint_after_the_driver_was_killed(start, run, tmp_path, blow):
    (tmp_path / "slow.py").write_text(SLOW.replace("GO", str(tmp_path / "go")))
    (tmp_path / "study.toml").write_text(SLOW_STUDY)
    scratch, results = tmp_path / "scratch", tmp_path / "slow-results"
    words = ("run", tmp_path / "study.toml", "--allow-programs", "--scratch", scratch)
    driver = start(*words)
    eventually(lambda: [file for file in scratch.rglob("step") if file.read_text() == "2"])
    eventually(lambda: "67 % step 2 of 3" in run_here("status", results).stdout)
    driver.send_signal(blow)
    driver.communicate()
    assert ["2"] == [file.read_text() for file in scratch.rglob("step")]
    assert "running now" not in run_here("status", results).stdout
    (tmp_path / "go").touch()
    run(*words)
    assert "begins at 2\n" == run_here("log", results).stdout
    assert [] == [path for path in scratch.rglob("*") if path.is_file()]
