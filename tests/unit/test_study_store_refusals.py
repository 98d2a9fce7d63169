import os
import sqlite3
from collections import namedtuple
from contextlib import closing

import psutil
import pytest

from causalassay.study.storage import schema
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.refusals import StoreRefused, filesystem_of
from causalassay.study.storage.store import Store
from stored_studies import all_records, measured, record, study

Partition = namedtuple("Partition", "device mountpoint fstype opts")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def refused(folder, match, plan=None):
    """Check that a store is refused and that the folder is left as it was."""
    before = contents(folder)
    with pytest.raises(StoreRefused, match=match):
        Store.open(folder, plan or study())
    assert before == contents(folder)


def sqlite_file(folder, *statements):
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@pytest.fixture
def finished(tmp_path):
    """A store with rows and no lock file, as one that was copied here."""
    with Store.open(tmp_path, study()) as store:
        store.save(all_records(study()))
    (tmp_path / "lock").unlink()
    return tmp_path


def mounts(monkeypatch, *pairs):
    partitions = [Partition("", str(point), kind, "") for point, kind in pairs]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: partitions)


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "lustre", "9p", "fuse.sshfs"])
def test_a_network_file_system_is_refused(tmp_path, monkeypatch, kind):
    mounts(monkeypatch, ("/", "ext4"), (tmp_path, kind))
    with pytest.raises(StoreRefused, match=rf"network file system \({kind}\).*local disk"):
        Store.open(tmp_path / "new" / "deeper", study())
    assert {} == contents(tmp_path)


def test_the_deepest_and_latest_mount_counts(tmp_path, monkeypatch):
    deep = tmp_path / "local"
    mounts(monkeypatch, (deep, "xfs"), ("/", "nfs"), (tmp_path, "tmpfs"), (tmp_path, "nfs4"))
    assert "xfs" == filesystem_of(deep / "new")
    assert "nfs4" == filesystem_of(tmp_path)
    assert "nfs4" == filesystem_of(tmp_path / "localized")
    assert "nfs" == filesystem_of(tmp_path.parent)


def test_a_file_that_is_not_sqlite_is_refused(tmp_path):
    (tmp_path / "study.sqlite").write_text("problem,score\n")
    refused(tmp_path, "not an SQLite file, or damaged.*move it aside")
    with pytest.raises(StoreRefused, match="not an SQLite file"):
        read_store(tmp_path)


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "study.sqlite").touch()
    refused(tmp_path, "is empty")


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    (tmp_path / "results").touch()
    with pytest.raises(StoreRefused, match="is a file; a store needs a folder"):
        Store.open(tmp_path / "results", study())


def test_an_sqlite_file_of_another_program_is_refused(tmp_path):
    sqlite_file(tmp_path, "CREATE TABLE rows (id)")
    refused(tmp_path, "not a store of causalassay")
    with pytest.raises(StoreRefused, match="not a store of causalassay"):
        read_store(tmp_path)


def test_a_store_of_a_newer_version_is_refused(finished):
    sqlite_file(finished, f"PRAGMA user_version = {schema.VERSION + 1}")
    refused(finished, f"newer causalassay .*version {schema.VERSION + 1}")
    with pytest.raises(StoreRefused, match="newer causalassay"):
        read_store(finished)


def test_a_store_of_an_older_version_is_refused_and_left_as_it_is(finished):
    sqlite_file(finished, "PRAGMA user_version = 1")
    advice = rf"version 1, this one reads version {schema.VERSION}\).*again into a new folder"
    refused(finished, advice)
    with pytest.raises(StoreRefused, match=advice):
        read_store(finished)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"name": "other"}, "'small' with seed 1, this is 'other' with seed 1.*--out"),
        ({"seed": 2}, "'small' with seed 1, this is 'small' with seed 2.*--out"),
    ],
)
def test_the_store_of_another_study_is_refused(finished, changes, match):
    refused(finished, match, study(**changes))


def test_a_damaged_store_is_refused(finished):
    path = finished / "study.sqlite"
    whole = path.read_bytes()
    size = int.from_bytes(whole[16:18], "big")
    for start in range(size, len(whole), size):
        path.write_bytes(whole[:start] + b"\xff" * 64 + whole[start + 64 :])
        refused(finished, "is damaged.*move it aside")


def test_a_truncated_store_is_refused(finished):
    path = finished / "study.sqlite"
    path.write_bytes(path.read_bytes()[:-8192])
    refused(finished, "is damaged")


def test_a_log_without_its_file_is_refused(tmp_path):
    (tmp_path / "study.sqlite-wal").write_bytes(b"rows")
    refused(tmp_path, "without study.sqlite")


def test_a_second_driver_is_refused_while_the_first_works(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record()])
        with pytest.raises(StoreRefused, match=rf"another driver.*process {os.getpid()} on"):
            Store.open(tmp_path, study())
        store.save([measured()])
    Store.open(tmp_path, study()).close()


def test_looking_whether_a_driver_works_does_not_disturb_it(tmp_path):
    with Store.open(tmp_path, study()) as store:
        for _ in range(2):
            with read_store(tmp_path) as reader:
                assert f"process {os.getpid()}" in reader.status().driver
        store.save([record()])
    with read_store(tmp_path) as reader:
        assert reader.status().driver is None


def test_a_refusal_frees_the_lock(finished):
    (finished / "lock").touch()
    with pytest.raises(StoreRefused, match="another folder"):
        Store.open(finished, study(seed=2))
    Store.open(finished, study()).close()


def test_a_store_killed_while_it_was_made_is_made_again(tmp_path):
    (tmp_path / "study.sqlite.new").write_bytes(b"half")
    (tmp_path / "study.sqlite.new-journal").write_bytes(b"half")
    with Store.open(tmp_path, study()) as store:
        store.save([record()])
    assert {"lock", "study.sqlite"} == set(contents(tmp_path))
