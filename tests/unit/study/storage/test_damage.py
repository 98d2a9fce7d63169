"""A store that is gone, or whose rows are not as they were written."""

import math
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from causalassay.study.plan import task_key
from causalassay.study.replay import find_row
from causalassay.study.storage import schema
from causalassay.study.storage.checks import row_damage
from causalassay.study.storage.exporting import export
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.refusals import StoreGone, StoreRefused, sound_file_needed
from causalassay.study.storage.store import Store
from causalassay.study.storage.table import study_table
from stored_studies import (
    ESTIMATE,
    GES,
    PROBLEMS,
    SHD,
    SID,
    all_records,
    measured,
    record,
    rescored,
    study,
    task,
    tuned_study,
)
from waiting import eventually


def filled(folder, plan=None, records=None):
    plan = plan or study()
    with Store.open(folder, plan) as store:
        store.save(all_records(plan) if records is None else records)
    return folder


def change(folder, *statements):
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def damage_of(folder):
    with read_store(folder) as reader:
        return row_damage(reader.connection)


# A store that is gone.


def remove(folder):
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def move(folder):
    folder.rename(folder.with_name("moved"))


def replace_file(folder):
    path = folder / "study.sqlite"
    path.rename(folder / "old.sqlite")
    path.write_bytes((folder / "old.sqlite").read_bytes())


@pytest.mark.parametrize("loss", [remove, move, replace_file])
def test_the_next_save_notices_that_the_store_is_gone(tmp_path, loss):
    with Store.open(tmp_path / "results", study()) as store:
        store.save([record()])
        loss(tmp_path / "results")
        with pytest.raises(StoreGone, match="deleted, moved or replaced while the study ran"):
            store.save([record(0, 1)])
        store.finish("failed")


def test_a_store_that_goes_after_the_last_save_is_noticed_too(tmp_path):
    store = Store.open(tmp_path / "results", study())
    store.save([record()])
    move(tmp_path / "results")
    with pytest.raises(StoreGone):
        store.finish("completed")
    store.close()


def test_a_store_that_was_moved_has_what_was_saved_before_and_resumes(tmp_path):
    with Store.open(tmp_path / "results", study()) as store:
        store.save([record()])
        move(tmp_path / "results")
        with pytest.raises(StoreGone):
            store.save([record(0, 1)])
        store.finish("failed")
    (tmp_path / "moved").rename(tmp_path / "results")
    with Store.open(tmp_path / "results", study()) as store:
        assert 1 == store.counts()["ok"]


def test_a_store_in_the_place_of_one_that_was_moved_is_left_alone(tmp_path):
    with Store.open(tmp_path / "results", study()) as first:
        first.save([record()])
        move(tmp_path / "results")
        with Store.open(tmp_path / "results", study()) as second:
            second.save([record(0, 1)])
            with pytest.raises(StoreGone):
                first.save([record(0, 2)])
            first.finish("failed")
            first.close()
            second.save([record(0, 2)])
    assert 2 == len(study_table(tmp_path / "results").frame)
    assert 1 == len(study_table(tmp_path / "moved").frame)


LONG = """
name = "long"
seed = 1
replicates = 20000
algorithms = ["empty"]
[[problems]]
samples = 20
graph = {kind = "chain", n_nodes = 3}
model = {kind = "scm"}
"""


@pytest.mark.parametrize("loss", [shutil.rmtree, move])
def test_a_run_whose_folder_is_gone_stops_with_an_error(tmp_path, loss):
    (tmp_path / "study.toml").write_text(LONG)
    results = tmp_path / "long-results"
    words = ["run", tmp_path / "study.toml", "--workers", "1", "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "causalassay", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:

        def some_rows():
            try:
                with read_store(results) as reader:
                    return reader.counts()["ok"]
            except (OSError, ValueError):
                return running.poll() is not None

        eventually(some_rows)
        assert running.poll() is None, running.communicate()
        loss(results)
        out, err = running.communicate(timeout=600)
    assert 2 == running.returncode, err
    assert "" == out
    assert "deleted, moved or replaced while the study ran" in err
    assert "Traceback" not in err
    assert not results.exists()


# Rows that are not as they were written.

CHANGES = [
    "UPDATE rows SET status = 'failed' WHERE id = 2",
    "UPDATE rows SET reason = 'x' WHERE id = 2",
    "UPDATE rows SET seconds = 0.26 WHERE id = 2",
    "UPDATE rows SET notes = '{}' WHERE id = 2",
    "UPDATE rows SET host = 'there' WHERE id = 2",
    "UPDATE rows SET key = 'abc' WHERE id = 2",
    "UPDATE rows SET purpose = 'tuning' WHERE id = 2",
    "UPDATE rows SET replicate = 99 WHERE id = 2",
    "UPDATE rows SET algorithm = 2 WHERE id = 2",
    "UPDATE rows SET checksum = 1 WHERE id = 2",
    "UPDATE rows SET key = CAST(x'ff' || key AS TEXT) WHERE id = 2",
    "UPDATE rows SET reason = CAST(x'ff' AS TEXT) WHERE id = 2",
    "UPDATE rows SET replicate = 'x' WHERE id = 2",
    "UPDATE scores SET value = 'x' WHERE row = 2 AND metric = 1",
    "UPDATE scores SET value = CAST(x'ff' AS TEXT) WHERE row = 2 AND metric = 1",
    "UPDATE scores SET value = 3 WHERE row = 2 AND metric = 1",
    "UPDATE scores SET value = NULL WHERE row = 2 AND metric = 1",
    "UPDATE scores SET metric = 9 WHERE row = 2 AND metric = 1",
    "DELETE FROM scores WHERE row = 2 AND metric = 1",
    "INSERT INTO scores VALUES (2, 9, 1.0)",
    "UPDATE measurements SET value = 3 WHERE row = 1 AND diagnostic = 1",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_a_row_that_is_not_as_it_was_written_is_refused(tmp_path, statement):
    change(filled(tmp_path), statement)
    match = r"damaged \(not as they were written: 1 of 18 rows, with the keys .*--retry damaged"
    with pytest.raises(StoreRefused, match=match):
        study_table(tmp_path)
    with pytest.raises(StoreRefused, match=match):
        export(tmp_path, tmp_path / "rows.csv")
    assert not (tmp_path / "rows.csv").exists()
    with pytest.raises(StoreRefused, match=match):
        Store.open(tmp_path, study())


def test_rows_that_are_gone_or_there_twice_are_noticed(tmp_path):
    change(filled(tmp_path / "a"), "DELETE FROM rows WHERE id = 5")
    with pytest.raises(StoreRefused, match="it has 17 rows, and 18 were written"):
        study_table(tmp_path / "a")
    with read_store(tmp_path / "a") as reader, pytest.raises(StoreRefused, match="it has 17 rows"):
        reader.status()
    values = ", ".join(schema.CELLS[1:])
    copied = f"INSERT INTO rows SELECT 99, 'k', {values}, checksum FROM rows WHERE id = 4"
    change(filled(tmp_path / "b"), "DELETE FROM rows WHERE id = 5", copied)
    with pytest.raises(StoreRefused, match="1 of 18 rows"):
        study_table(tmp_path / "b")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE problems SET name = 'other' WHERE id = 1",
        "UPDATE problems SET labels = '{}' WHERE id = 1",
        "UPDATE problems SET place = NULL WHERE id = 1",
        "UPDATE algorithms SET parameters = '{}' WHERE id = 1",
        "UPDATE algorithms SET replicates = 1",
        "UPDATE metrics SET better = 'high'",
        "DELETE FROM metrics WHERE id = 1",
        "UPDATE diagnostics SET name = 'other' WHERE id = 1",
        "UPDATE sessions SET text = 'x'",
        "UPDATE sessions SET records = 'x'",
        "UPDATE meta SET value = 7 WHERE name = 'seed'",
        "UPDATE choices SET candidate = 1",
        "UPDATE seals SET checksum = checksum + 1 WHERE name = 'metrics'",
    ],
)
def test_what_describes_the_rows_is_checked_too(tmp_path, statement):
    plan = tuned_study()
    with Store.open(tmp_path, plan) as store:
        store.choose(0, 2, 1, 0.5)
        store.save([record(0, 0, 2), measured()])
    change(tmp_path, statement)
    for look in (study_table, read_store, lambda folder: Store.open(folder, plan)):
        with pytest.raises(StoreRefused, match=r"damaged \(not as it was written: the table"):
            look(tmp_path)
    with pytest.raises(StoreRefused, match="damaged"):
        find_row("a", tmp_path)


def test_a_row_that_is_searched_for_is_checked(tmp_path):
    key = task_key(study(), task(0, 0, 0))
    change(filled(tmp_path), f"UPDATE rows SET status = 'failed' WHERE key = '{key}'")
    with pytest.raises(StoreRefused, match=f"1 of 18 rows, with the keys {key}"):
        find_row(key[:8], tmp_path)
    other = task_key(study(), task(0, 0, 1))
    assert other == find_row(other[:8], tmp_path).key


def test_the_index_of_a_store_is_not_trusted(tmp_path):
    change(
        filled(tmp_path),
        "PRAGMA writable_schema = ON",
        # An index that SQLite takes for another: its entries are then wrong.
        "CREATE INDEX wrong ON rows (replicate, problem, purpose, algorithm)",
        "UPDATE sqlite_schema SET rootpage = "
        "(SELECT rootpage FROM sqlite_schema WHERE name = 'wrong') WHERE name = 'rows_by_place'",
        "DELETE FROM sqlite_schema WHERE name = 'wrong'",
    )
    expected = study_table(filled(tmp_path / "sound")).frame
    assert expected.equals(study_table(tmp_path).frame)
    with pytest.raises(StoreRefused, match="damaged"):
        Store.open(tmp_path, study())


def test_what_a_driver_writes_in_many_ways_is_sound(tmp_path):
    plan = tuned_study()
    with Store.open(tmp_path, plan) as store:
        store.choose(0, 2, 0, 0.5)
        store.choose(1, 2, 0, math.nan)
        store.save(
            [record(0, s, c, purpose="tuning", status="failed") for s in range(4) for c in (0, 1)]
        )
        store.save([*all_records(plan), record(scores=(-0.0, math.inf), seconds=math.nan)])
        assert damage_of(tmp_path) is None
        store.forget(["failed"])
        store.save([record(0, 0, 2, status="timeout")])
        store.choose(0, 2, 1, 0.5)
        assert damage_of(tmp_path) is None
        with pytest.raises(ValueError, match="no row to add"):
            store.save([record(1, 0, 2), rescored(record(0, 1, 1))])
        assert damage_of(tmp_path) is None
    more = replace(plan, metrics=(SID, *plan.metrics), diagnostics=("n_edges",))
    added = record(1, 0, 2, metrics=(0,), scores=(3.0,), notes={"sid": "odd"})
    with Store.open(tmp_path, more) as store:
        store.save([rescored(added), measured(1, 0, diagnostics=(0,), scores=(-0.0,))])
        assert damage_of(tmp_path) is None
    Store.open(tmp_path, plan).close()


def test_damaged_rows_are_dropped_if_that_is_asked_for(tmp_path):
    expected = study_table(filled(tmp_path / "sound")).frame
    filled(tmp_path / "hurt")
    change(
        tmp_path / "hurt",
        "UPDATE rows SET replicate = 99 WHERE id = 2",
        "UPDATE scores SET value = 3 WHERE row = 3",
        "UPDATE measurements SET value = 3 WHERE row = 7",
        "DELETE FROM rows WHERE id = 9",
    )
    with Store.open(tmp_path / "hurt", study(), drop_damaged=True) as store:
        assert 9 == store.counts()["ok"]
        assert frozenset() == store.rows("main", 0, 1).diagnostics
        store.save(all_records(study()))
    assert expected.equals(study_table(tmp_path / "hurt").frame)
    with Store.open(tmp_path / "hurt", study(), drop_damaged=True) as store:
        assert 12 == store.counts()["ok"]


@pytest.mark.parametrize("statement", CHANGES)
def test_any_damage_of_a_row_can_be_dropped(tmp_path, statement):
    expected = study_table(filled(tmp_path / "sound")).frame
    change(filled(tmp_path / "hurt"), statement)
    with Store.open(tmp_path / "hurt", study(), drop_damaged=True) as store:
        store.save(all_records(study()))
    assert expected.equals(study_table(tmp_path / "hurt").frame)


def test_tunings_are_decided_again_after_damage(tmp_path):
    with Store.open(tmp_path, tuned_study()) as store:
        store.save([record(0, 0, 0, purpose="tuning", metrics=(1,), scores=(0.5,))])
        store.choose(0, 2, 0, 0.5)
    change(tmp_path, "UPDATE scores SET value = 0.75")
    with Store.open(tmp_path, tuned_study(), drop_damaged=True) as store:
        assert store.choice(0, 2) is None


def test_a_damaged_estimate_is_as_good_as_none(tmp_path):
    filled(tmp_path)
    with Store.open(tmp_path, study()) as store:
        assert ESTIMATE == store.estimate("main", 0, 0, 0)
    change(tmp_path, "UPDATE estimates SET blob = x'00' || blob")
    with Store.open(tmp_path, study()) as store:
        assert store.estimate("main", 0, 0, 0) is None


@pytest.mark.parametrize(
    ("statements", "complaint"),
    [
        (["DROP VIEW wanted"], "missing: view wanted"),
        (["DROP TABLE choices"], "missing: table choices"),
        (["DROP INDEX rows_by_place"], "missing: index rows_by_place"),
        (["ALTER TABLE rows ADD COLUMN more"], "changed: table rows"),
        (["CREATE TRIGGER t AFTER INSERT ON rows BEGIN SELECT 1; END"], "not of a store: trigger"),
        (["DROP VIEW wanted", "CREATE VIEW wanted AS SELECT * FROM rows"], "changed: view wanted"),
        (["DROP TABLE choices", "CREATE VIEW choices AS SELECT 1"], "missing: table choices"),
    ],
)
def test_tables_that_are_not_those_of_a_store_are_refused(tmp_path, statements, complaint):
    change(filled(tmp_path), *statements)
    for look in (study_table, read_store, lambda folder: Store.open(folder, study())):
        with pytest.raises(StoreRefused, match=rf"is damaged \({complaint}"):
            look(tmp_path)


def test_pages_that_go_in_circles_do_not_hang(tmp_path, monkeypatch):
    monkeypatch.setattr("causalassay.study.storage.opening._STEPS_AT_ONCE", 10)
    monkeypatch.setattr("causalassay.study.storage.opening._STEPS_PER_BYTE", 0)
    with pytest.raises(StoreRefused, match="takes longer than its size allows"):
        study_table(filled(tmp_path))


def test_a_sound_file_is_not_called_damaged(tmp_path):
    path = filled(tmp_path) / "study.sqlite"
    address = f"{path.as_uri()}?mode="
    with (
        closing(sqlite3.connect(address + "ro", uri=True)) as reading,
        pytest.raises(StoreRefused, match="may not be written to"),
        sound_file_needed(path),
    ):
        reading.execute("DELETE FROM rows")
    with (
        closing(sqlite3.connect(address + "rw", uri=True, isolation_level=None)) as first,
        closing(sqlite3.connect(address + "rw", uri=True, timeout=0)) as second,
    ):
        first.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreRefused, match="in use by another"), sound_file_needed(path):
            second.execute("DELETE FROM rows")


@pytest.mark.needs("mkfifo")
def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "study.sqlite")
    with pytest.raises(StoreRefused, match="is not a file"):
        read_store(tmp_path)
    with pytest.raises(StoreRefused, match="is not a file"):
        Store.open(tmp_path, study())


# Every text can be stored.

STRANGE = "a\ud800\x00\x1b[31m\u202e\nb"
SHOWN = r"a\ud800\x00\x1b[31m\u202e\nb"


def test_every_text_can_be_stored_and_read_back(tmp_path):
    problem = replace(PROBLEMS[0], name=STRANGE, labels={"of " + STRANGE: STRANGE, "n": 3})
    plan = study(
        name=STRANGE,
        problems=(problem,),
        algorithms=(replace(GES, name=STRANGE),),
        metrics=(replace(SHD, label=STRANGE), study().metrics[1]),
        text="name = 'x'\n# \ud800",
    )

    class Odd:
        def __str__(self):
            return STRANGE

    notes = {STRANGE: STRANGE, "list": [STRANGE, {STRANGE: 1}], "odd": Odd()}
    records = [
        record(0, 0, 0, status="failed", reason=STRANGE, notes=notes, host=STRANGE),
        record(0, 1, 0, notes={"f1": STRANGE}),
        measured(notes={"n_edges": STRANGE}),
    ]
    filled(tmp_path, plan, records)
    with Store.open(tmp_path, plan) as store:
        store.save([rescored(record(0, 1, 0, status="timeout", reason=STRANGE))])
        store.save([measured(notes={"n_edges": STRANGE})])
    table = study_table(tmp_path)
    first, second = table.frame.to_dict("records")
    for column in ("problem", "algorithm", "reason", "host", "of " + SHOWN):
        assert SHOWN == first[column]
    assert (SHOWN, "f1") == table.metrics
    assert SHOWN.replace("\\", "\\\\") in first["notes"]
    assert SHOWN.replace("\\", "\\\\") in second["notes"]
    export(tmp_path, tmp_path / "rows.csv")
    export(tmp_path, tmp_path / "rows.parquet")
    with read_store(tmp_path) as reader:
        assert "name = 'x'\n# \\ud800" == reader.text
        assert SHOWN in reader.status().lines()[0]
