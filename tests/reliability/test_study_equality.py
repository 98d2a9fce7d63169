"""The same study gives the same bits: on any number of workers, on dask, grown or at once."""

from __future__ import annotations

import csv
import shutil
import sqlite3
import time
from contextlib import closing

import psutil
import pytest

from clusters import Cluster
from command_line import run_here
from waiting import LIMIT

STUDY = """
name = "equality"
seed = 5
replicates = 3
metrics = ["shd", "f1", "sid", "mec_shd", "tv_dag"]
algorithms = [
    "pc", "ges", "xges", "boss", "grasp", "gies", "xgies", "mmhc", "direct-lingam", "mse-gds",
    "notears", "golem-ev", "golem-nv",
    "single-edge", "variance-sorting", "random-sorting", {use = "acor", n_edges = 12},
    {use = "rogue", deed = ["empty", "raise", "segfault", "cycle"]},
    {use = "together", deed = "segfault", share = 0.2, seconds = 0.1, batch = 4},
    {use = "notears", name = "tuned", tune = {
        criterion = "f1", systems = 3, grid = {lambda1 = [0.0, 0.1]}}},
]

[[problems]]
samples = 200
[problems.graph]
kind = "erdos-renyi"
n_nodes = 8
edges_per_node = 1.5
[problems.interventions]
action = "shift"
samples = 50
probability = 0.3
value = 3.0
[problems.grid]
model.kind = ["scm", "uumc"]
"""
# A TOML inline table stands on one line.
STUDY = STUDY.replace("tune = {\n        ", "tune = {")


def written(tmp_path, text=STUDY):
    file = tmp_path / "equality.toml"
    file.write_text(text)
    return file


def table(folder, target):
    assert not run_here("export", folder, target, "--no-timing").returncode
    connection = sqlite3.connect(folder / "study.sqlite")
    estimates = connection.execute(
        "SELECT key, blob FROM rows JOIN estimates ON rows.id = estimates.row ORDER BY key"
    ).fetchall()
    connection.close()
    return target.read_bytes(), estimates


@pytest.fixture(scope="module")
def stored(run, tmp_path_factory, computed_once):
    """A folder with the results of one worker here, for reading only."""

    def compute():
        folder = tmp_path_factory.mktemp("alone")
        run("run", "--json", written(folder), "--workers", 1)
        return folder

    return computed_once("alone", compute)


@pytest.fixture(scope="module")
def alone(stored, tmp_path_factory):
    """The rows of one worker here."""
    target = tmp_path_factory.mktemp("alone") / "rows.csv"
    rows, estimates = table(stored / "equality-results", target)
    statuses = [row["status"] for row in csv.DictReader(rows.decode().splitlines())]
    assert 2 * 3 * 25 == len(statuses)
    assert {"ok", "failed"} == set(statuses)
    return rows, estimates


@pytest.mark.slow  # the study that grew, below, has two workers, too
def test_two_workers_give_the_rows_of_one(run, tmp_path, alone):
    run("run", "--json", written(tmp_path), "--workers", 2)
    assert alone == table(tmp_path / "equality-results", tmp_path / "rows.csv")


def test_dask_gives_the_rows_of_one_worker_also_when_a_worker_is_killed(
    run, start, hostile_environment, tmp_path, alone
):
    cluster = Cluster(tmp_path, hostile_environment)
    try:
        killed = cluster.worker("--no-nanny")
        cluster.worker("--no-nanny")
        folder = tmp_path / "equality-results"
        driver = start("run", "--json", written(tmp_path), "--cluster", cluster.address)
        wait_for_rows(folder, 20, driver)
        killed.kill()
        printed, complained = driver.communicate(timeout=LIMIT)
        assert 0 == driver.returncode, complained + printed
        assert not killed.is_running() or killed.status() == psutil.STATUS_ZOMBIE
        assert alone == table(folder, tmp_path / "rows.csv")
    finally:
        cluster.stop()


def wait_for_rows(folder, wanted, driver):
    while driver.poll() is None:
        try:
            address = f"file:{folder / 'study.sqlite'}?mode=ro"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                (count,) = connection.execute("SELECT count(*) FROM rows").fetchone()
            if count >= wanted:
                return
        except sqlite3.Error:  # the file is not there yet
            pass
        time.sleep(0.05)


def test_a_study_that_grew_has_the_rows_of_one_made_at_once(run, tmp_path, alone):
    first = (
        STUDY.replace('"pc", "ges", ', "").replace('"sid", ', "").replace('"tv_dag"', '"recall"')
    )
    run("run", "--json", written(tmp_path, first), "--workers", 2)
    run("run", "--json", written(tmp_path), "--workers", 2)
    assert alone == table(tmp_path / "equality-results", tmp_path / "rows.csv")


def test_what_is_there_is_not_computed_again(run, tmp_path, stored):
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    connection = sqlite3.connect(tmp_path / "equality-results" / "study.sqlite")
    before = connection.execute("SELECT key, session FROM rows ORDER BY key").fetchall()
    grown = STUDY.replace('"mec_shd"', '"mec_shd", "recall"')
    grown = grown.replace('"pc", ', '"pc", "causal-learn-pc", ')
    run("run", "--json", written(tmp_path, grown), "--workers", 1)
    after = dict(connection.execute("SELECT key, session FROM rows").fetchall())
    recall = connection.execute(
        "SELECT count(*) FROM scores JOIN metrics ON metrics.id = scores.metric "
        "WHERE metrics.name = 'recall'"
    ).fetchone()[0]
    connection.close()
    assert dict(before).items() <= after.items()
    assert len(before) + 6 == len(after)
    assert recall > 60


def test_a_row_can_be_replayed(run, start, tmp_path, stored):
    folder = stored / "equality-results"
    run_here("export", folder, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    for name in ("ges", "tuned"):
        row = next(row for row in rows if row["algorithm"] == name)
        printed, _ = run("replay", row["key"][:12], "--in", folder)
        printed_values = dict(line.split(": ", 1) for line in printed.splitlines())
        assert (row["problem"], "ok") == (printed_values["problem"], printed_values["status"])
        for metric in ("shd", "f1", "sid", "mec_shd"):
            assert float(row[metric]) == float(printed_values[metric])
    failed = next(row for row in rows if row["status"] == "failed" and "raised" in row["reason"])
    process = start("replay", failed["key"], "--in", folder)
    _, complained = process.communicate(timeout=LIMIT)
    assert process.returncode != 0
    assert "as announced" in complained
