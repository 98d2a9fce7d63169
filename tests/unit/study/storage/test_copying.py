"""A store on a local disk: its copy is whole at any moment, and a run goes on from it."""

import fcntl
import shutil
import sqlite3
from contextlib import closing

import pytest

from causalassay.study.storage import Store, StoreRefused, WorkingCopy, copying, read_store
from causalassay.study.storage.running import RunningFile, RunningTask
from stored_studies import all_records, study


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    return folder


@pytest.fixture
def target(tmp_path):
    return tmp_path / "shared" / "results"


def keys(folder):
    with closing(sqlite3.connect(f"file:{folder / 'study.sqlite'}?mode=ro", uri=True)) as store:
        return [key for (key,) in store.execute("SELECT key FROM rows ORDER BY key")]


def worked(target, disk, records, notes):
    with (
        WorkingCopy(target, disk, notes.append) as copy,
        Store.open(copy.folder, study()) as store,
    ):
        store.save(records)
        copy.refresh()
        at_work = keys(target)
        with read_store(target) as copied:
            assert copied.status().driver is not None
    return at_work


def test_a_run_goes_on_from_the_copy_and_leaves_nothing_on_the_disk(tmp_path, target, disk):
    records, notes = all_records(study()), []
    first = worked(target, disk, records[:3], notes)
    assert 3 == len(first)  # also while the run is at work
    worked(target, disk, records[3:], notes)
    with Store.open(tmp_path / "alone", study()) as store:
        store.save(records)
    assert keys(tmp_path / "alone") == keys(target)
    assert ["lock", "study.sqlite"] == sorted(path.name for path in target.iterdir())
    assert ([], []) == (list(disk.iterdir()), notes)


def test_a_copy_is_not_made_more_often_than_stated(target, disk):
    with WorkingCopy(target, disk, print) as copy, Store.open(copy.folder, study()) as store:
        copy.refresh()
        store.save(all_records(study()))
        copy.refresh()
        assert [] == keys(target)
    assert len(all_records(study())) == len(keys(target))


def test_what_runs_now_is_told_beside_the_copy_until_the_end(target, disk):
    with WorkingCopy(target, disk, print) as copy, Store.open(copy.folder, study()) as store:
        RunningFile(copy.folder).show([RunningTask("pc", "raw", 0, "main", 1000.0)])
        store.save(all_records(study())[:1])
        copy.refresh()
        with read_store(target) as copied:
            (task,) = copied.status().running
        assert ("pc", "raw") == (task.algorithm, task.problem)
        RunningFile(copy.folder)  # as at the end of a run
    assert ["lock", "study.sqlite"] == sorted(path.name for path in target.iterdir())


def test_a_copy_without_room_is_a_note_and_at_the_end_an_error_that_says_where_the_rows_are(
    target, disk, monkeypatch
):
    notes = []

    def full(*_):
        raise OSError(28, "No space left on device")

    def run():
        with (
            WorkingCopy(target, disk, notes.append) as copy,
            Store.open(copy.folder, study()) as store,
        ):
            store.save(all_records(study())[:1])
            monkeypatch.setattr(copying.os, "fsync", full)
            copy.refresh()

    with pytest.raises(OSError, match=r"could not be copied to .*No space left.* It is in "):
        run()
    assert ["No space left" in note for note in notes] == [True]
    (kept,) = disk.iterdir()
    assert 1 == len(keys(kept))
    assert ["lock"] == [path.name for path in target.iterdir()]


def test_an_error_of_the_run_is_not_hidden_and_its_rows_are_copied(target, disk):
    def interrupted():
        with WorkingCopy(target, disk, print) as copy, Store.open(copy.folder, study()) as store:
            store.save(all_records(study())[:2])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert 2 == len(keys(target))


def test_two_runs_do_not_work_on_one_copy(target, disk, monkeypatch):
    monkeypatch.setattr(copying, "LOCK_SECONDS", 0.1)
    notes = []
    with (
        WorkingCopy(target, disk, print),
        pytest.raises(StoreRefused, match="another driver at work"),
        WorkingCopy(target, disk, notes.append),
    ):
        pass
    assert "Trying for" in notes[0]


def test_a_file_system_without_locks_is_a_note(target, disk, monkeypatch):
    def no_locks(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    notes = []
    with WorkingCopy(target, disk, notes.append):
        pass
    assert "cannot be locked (Function not implemented)" in notes[0]


def test_the_log_of_a_run_that_was_killed_is_not_left_behind(tmp_path, target, disk):
    with Store.open(tmp_path / "killed", study()) as store:
        store.save(all_records(study())[:2])
        shutil.copytree(tmp_path / "killed", target)
    with pytest.raises(StoreRefused, match="has rows of a run without --local-disk"):
        WorkingCopy(target, disk, print).__enter__()
    assert [] == list(disk.iterdir())


def test_a_disk_that_is_not_there_is_refused(target, tmp_path):
    with pytest.raises(StoreRefused, match=r"--local-disk .*nowhere is not a folder"):
        WorkingCopy(target, tmp_path / "nowhere", print).__enter__()
    assert not target.exists()
