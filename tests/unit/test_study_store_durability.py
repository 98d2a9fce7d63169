import os
import random
import signal
import sqlite3
import subprocess
import time
import warnings
from contextlib import closing, contextmanager

import pytest

from causalassay.study.plan import task_key
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.refusals import StoreFull, StoreRefused
from causalassay.study.storage.store import Store
from stored_studies import record, study, task
from waiting import eventually

BATCH = 5
LONG = study(replicates=10**6)


def batch(number):
    """Return the records of one batch: problem 0, some replicates, both algorithms."""
    replicates = range(number * BATCH, (number + 1) * BATCH)
    return [record(0, replicate, algorithm) for replicate in replicates for algorithm in (0, 1)]


@contextmanager
def writer(folder, first):
    """Run a process that saves batches from the first on and reports each that is committed."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads
        child = os.fork()
    if child == 0:
        try:
            with Store.open(folder, LONG) as store:
                number = first
                while True:
                    store.save(batch(number))
                    os.write(writing, f"{number}\n".encode())
                    number += 1
        finally:
            os._exit(1)
    os.close(writing)
    commits = os.fdopen(reading)
    try:
        yield child, commits
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        commits.close()


def keys_in(folder):
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        assert ("ok",) == connection.execute("PRAGMA integrity_check").fetchone()
        rows = connection.execute(
            "SELECT key, (SELECT count(*) FROM scores WHERE row = id), "
            "EXISTS (SELECT 1 FROM estimates WHERE row = id) FROM rows"
        ).fetchall()
    assert {(2, 1)} >= {tuple(rest) for _, *rest in rows}
    return {key for key, *_ in rows}


def test_no_acknowledged_row_is_lost_when_the_driver_is_killed(tmp_path):
    chance = random.Random(5)
    acknowledged: list[int] = []
    for kill in range(20):
        with writer(tmp_path, len(acknowledged)) as (child, commits):
            if kill % 2:
                acknowledged += [int(commits.readline()) for _ in range(1 + kill % 3)]
            time.sleep(chance.uniform(0.0, 0.1))
            os.kill(child, signal.SIGKILL)
            acknowledged += [int(line) for line in commits if line.endswith("\n")]
        if (tmp_path / "study.sqlite").exists():
            expected = {task_key(LONG, one.task) for n in acknowledged for one in batch(n)}
            assert not expected - keys_in(tmp_path)
    assert list(range(len(acknowledged))) == acknowledged
    assert len(acknowledged) >= 20
    with read_store(tmp_path) as reader:
        assert "killed" == reader.status().ended
    Store.open(tmp_path, LONG).close()
    with read_store(tmp_path) as reader:
        assert {"killed"} == {session.how for session in reader.sessions()[:-1]}


def test_a_reader_sees_whole_batches_while_a_driver_writes(tmp_path):
    with writer(tmp_path, 0) as (child, commits):
        commits.readline()
        seen = [0]

        def look():
            with read_store(tmp_path) as reader:
                counts = reader.counts()
                by_algorithm = reader.counts_by_algorithm()
                status = reader.status()
                assert counts == reader.counts() == status.counts["main"]
            assert f"process {child} on" in status.driver
            assert 0 == counts["ok"] % (2 * BATCH)
            assert counts["ok"] == sum(of["ok"] for of in by_algorithm.values())
            assert counts["ok"] >= seen[-1]
            seen.append(counts["ok"])
            return len(set(seen)) > 5

        eventually(look)


def fill(store):
    """Save batches until there is no room and return how many were acknowledged."""
    saved = []

    def go_on():
        for number in range(10_000):
            store.save(batch(number))
            saved.append(number)

    with pytest.raises(StoreFull, match="All rows saved before are kept.*run the study again"):
        go_on()
    return len(saved)


def check_kept(folder, saved):
    with read_store(folder) as reader:
        assert 2 * BATCH * saved == reader.counts()["ok"]
    expected = {task_key(LONG, one.task) for number in range(saved) for one in batch(number)}
    assert expected == keys_in(folder)


def test_a_store_that_may_not_grow_keeps_what_it_has(tmp_path):
    with Store.open(tmp_path, LONG) as store:
        store._connection.execute("PRAGMA max_page_count = 60")
        saved = fill(store)
        assert saved > 5
        assert {0, 1} == set(store.rows("main", 0, 0).algorithms)
    check_kept(tmp_path, saved)
    with Store.open(tmp_path, LONG) as store:
        store.save(batch(saved))
    check_kept(tmp_path, saved + 1)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    subprocess.run(command, check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.needs("mount")
def test_a_full_disk_keeps_what_was_saved_and_the_study_resumes(small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(500_000))
    folder = small_disk / "results"
    with Store.open(folder, LONG) as store:
        saved = fill(store)
        with pytest.raises(StoreFull):
            store.save(batch(saved))
        assert 2 * BATCH * saved == store.counts()["ok"]
    assert saved > 5
    check_kept(folder, saved)
    ballast.unlink()
    with Store.open(folder, LONG) as store:
        assert {0, 1} == set(store.rows("main", 0, saved * BATCH - 1).algorithms)
        store.save(batch(saved))
    check_kept(folder, saved + 1)


@pytest.mark.needs("mount")
def test_a_disk_that_is_full_from_the_start_is_said_to_be(small_disk):
    free = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - 20_000))
    with pytest.raises(StoreFull):
        Store.open(small_disk / "results", LONG)
    (small_disk / "ballast").unlink()
    with Store.open(small_disk / "results", LONG) as store:
        store.save([record()])
        assert task_key(LONG, task()) in keys_in(small_disk / "results")


@pytest.mark.needs("mount")
def test_a_finished_store_can_be_read_where_nothing_can_be_written(small_disk):
    with Store.open(small_disk, LONG) as store:
        store.save(batch(0))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with read_store(small_disk) as reader:
        assert 2 * BATCH == reader.counts()["ok"]


@pytest.mark.needs("mount")
def test_a_store_that_was_not_closed_says_what_reading_it_needs(small_disk):
    with writer(small_disk, 0) as (_, commits):
        commits.readline()
    (small_disk / "study.sqlite-shm").unlink()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreRefused, match="needs a folder that may be written to"):
        read_store(small_disk)
