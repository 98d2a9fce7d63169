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
    found = [Partition("", str(point), kind, "") for point, kind in pairs]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: found)


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


# The tables of version 1 as they were, apart from any change to come.
VERSION_1 = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started TEXT NOT NULL, host TEXT NOT NULL,
    cpu TEXT NOT NULL, versions TEXT NOT NULL, text TEXT NOT NULL, first_write TEXT,
    last_write TEXT, records INTEGER NOT NULL DEFAULT 0, ended TEXT, how TEXT);
CREATE TABLE problems (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    spec TEXT NOT NULL, labels TEXT NOT NULL, graph_key TEXT NOT NULL, scheme TEXT NOT NULL,
    place INTEGER);
CREATE TABLE algorithms (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    use TEXT NOT NULL, parameters TEXT NOT NULL, role TEXT NOT NULL, replicates INTEGER NOT NULL,
    systems INTEGER NOT NULL, place INTEGER);
CREATE TABLE metrics (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
    name TEXT NOT NULL, resolution TEXT NOT NULL, version INTEGER NOT NULL, better TEXT NOT NULL,
    place INTEGER);
CREATE TABLE diagnostics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, place INTEGER);
CREATE TABLE rows (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, purpose TEXT NOT NULL,
    problem INTEGER NOT NULL, replicate INTEGER NOT NULL, algorithm INTEGER, status TEXT NOT NULL,
    reason TEXT, seconds REAL, notes TEXT, session INTEGER NOT NULL);
CREATE INDEX rows_by_place ON rows (problem, replicate, purpose, algorithm);
CREATE TABLE scores (row INTEGER, metric INTEGER, value REAL, PRIMARY KEY (row, metric))
    WITHOUT ROWID;
CREATE TABLE measurements (row INTEGER, diagnostic INTEGER, value REAL,
    PRIMARY KEY (row, diagnostic)) WITHOUT ROWID;
CREATE TABLE estimates (row INTEGER PRIMARY KEY, blob BLOB NOT NULL);
CREATE VIEW wanted AS
    SELECT rows.*, problems.place AS problem_place, algorithms.place AS algorithm_place
    FROM rows
    JOIN problems ON problems.id = rows.problem
    JOIN algorithms ON algorithms.id = rows.algorithm
    WHERE problems.place IS NOT NULL AND rows.replicate < CASE rows.purpose
        WHEN 'main' THEN algorithms.replicates ELSE algorithms.systems END;
PRAGMA application_id = 1667330913;
PRAGMA user_version = 1;
"""


@pytest.fixture
def old(finished):
    """The finished store as version 1 would have written it."""
    path = finished / "study.sqlite"
    path.rename(finished / "present")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
        connection.execute("ATTACH ? AS present", (str(finished / "present"),))
        tables = connection.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
        for (table,) in tables.fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            names = ", ".join(columns)
            connection.execute(f"INSERT INTO {table} SELECT {names} FROM present.{table}")
        connection.commit()
    (finished / "present").unlink()
    return finished


def columns_of(path):
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_schema ORDER BY name").fetchall()
        return {
            name: connection.execute(f"PRAGMA table_xinfo({name})").fetchall() for (name,) in names
        }


def test_an_old_store_is_brought_up_to_date_with_its_rows(old, tmp_path_factory):
    before = (old / "study.sqlite").read_bytes()
    with Store.open(old, study()) as store:
        assert 12 == store.counts()["ok"]
        assert {0, 1, None} == set(store.known("main", 1, 2))
        assert store.choice(0, 0) is None
        store.save([record(0, 0, 0, host="there")])
    new = tmp_path_factory.mktemp("new")
    Store.open(new, study()).close()
    assert columns_of(new / "study.sqlite") == columns_of(old / "study.sqlite")
    with closing(sqlite3.connect(old / "study.sqlite.v1")) as copy:
        assert 1 == copy.execute("PRAGMA user_version").fetchone()[0]
        assert 18 == copy.execute("SELECT count(*) FROM rows").fetchone()[0]
    assert len(before) == (old / "study.sqlite.v1").stat().st_size


def test_the_copy_of_an_old_store_overwrites_nothing(old):
    (old / "study.sqlite.v1").write_text("mine")
    Store.open(old, study()).close()
    assert "mine" == (old / "study.sqlite.v1").read_text()
    assert (old / "study.sqlite.v1-2").exists()


def test_an_old_store_can_be_read_as_it_is(old):
    before = contents(old)
    with read_store(old) as reader:
        assert 12 == reader.counts()["ok"]
    assert before == contents(old)


def test_a_migration_that_fails_changes_nothing(old, monkeypatch):
    broken = {1: (*schema.MIGRATIONS[1], "CREATE TABLE rows (twice)")}
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    before = (old / "study.sqlite").read_bytes()
    with pytest.raises(sqlite3.OperationalError, match="rows already exists"):
        Store.open(old, study())
    assert before == (old / "study.sqlite").read_bytes()
    monkeypatch.undo()
    Store.open(old, study()).close()
