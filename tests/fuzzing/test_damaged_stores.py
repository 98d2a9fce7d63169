"""Damaged stores: every command refuses one in a line, or gives what the sound store gives."""

import io
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace

import pytest

from causalassay.cli import main
from causalassay.study.plan import task_key
from causalassay.study.replay import find_row
from causalassay.study.storage.exporting import export
from causalassay.study.storage.refusals import StoreRefused
from causalassay.study.storage.store import Store, StoredRow
from stored_studies import all_records, record, task, tuned_study

PLAN = tuned_study()
KEY = task_key(PLAN, task(0, 1, 2))
TABLES = [
    "meta",
    "sessions",
    "problems",
    "algorithms",
    "metrics",
    "diagnostics",
    "rows",
    "scores",
    "measurements",
    "estimates",
    "choices",
    "seals",
]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


def invoke(*words):
    """Run a command in this process; return its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["causalassay", *map(str, words)]
    code = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def fill(store):
    """Save every row of the study, of every kind."""
    for candidate in (0, 1):
        store.save(
            record(0, system, candidate, purpose="tuning", metrics=(1,), scores=(system / 3,))
            for system in range(4)
        )
    store.choose(0, 2, 1, 0.5)
    store.choose(1, 2, 0, 0.25)
    store.save(all_records(PLAN))
    store.save([record(0, 2, 2, status="failed")])


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The folder of a store with every kind of row, and its export."""
    folder = tmp_path_factory.mktemp("sound")
    with Store.open(folder / "results", PLAN) as store:
        fill(store)
    (folder / "results" / "lock").unlink()
    code, _, err = invoke("export", folder / "results", folder / "rows.csv")
    assert 0 == code, err
    return folder


# Each kind of damage takes a file and a source of chance.


def flip_bits(path, chance):
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 1, 2, 20))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def flip_a_bit_in_use(path, chance):
    """Flip a bit near others that are not zero: most of a small file is empty."""
    content = bytearray(path.read_bytes())
    used = [i for i, byte in enumerate(content) if byte]
    content[chance.choice(used)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def overwrite(path, chance):
    content = bytearray(path.read_bytes())
    start, length = chance.randrange(100, len(content)), chance.choice((8, 64, 4096))
    content[start : start + length] = (
        bytes(length) if chance.random() < 0.5 else chance.randbytes(length)
    )
    path.write_bytes(content)


def truncate(path, chance):
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def swap_pages(path, chance):
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    one, other = (size * chance.randrange(1, len(content) // size) for _ in range(2))
    first, second = content[one : one + size], content[other : other + size]
    content[one : one + size], content[other : other + size] = second, first
    path.write_bytes(content)


def add_a_log(path, chance):
    path.with_name(path.name + "-wal").write_bytes(chance.randbytes(5000))


def by_sql(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def columns_of(path, table):
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def drop(path, chance):
    dropped = chance.choice([f"TABLE {name}" for name in TABLES])
    by_sql(path, chance.choice((f"DROP {dropped}", "DROP VIEW wanted", "DROP INDEX rows_by_place")))


def view_for_table(path, chance):
    table = chance.choice(TABLES)
    columns = columns_of(path, table)
    views = [
        f"CREATE VIEW {table} AS SELECT * FROM moved",
        f"CREATE VIEW {table} ({', '.join(columns)}) AS {ENDLESS}"
        if len(columns) == 1
        else f"CREATE VIEW {table} AS SELECT {', '.join(f'i AS {c}' for c in columns)} "
        f"FROM ({ENDLESS})",
    ]
    by_sql(
        path,
        "PRAGMA legacy_alter_table = ON",
        f"ALTER TABLE {table} RENAME TO moved",
        chance.choice(views),
    )


def add_a_trigger(path, chance):
    by_sql(
        path,
        f"CREATE TRIGGER sly AFTER {chance.choice(('INSERT', 'UPDATE'))} ON "
        f"{chance.choice(TABLES)} BEGIN DELETE FROM scores; END",
    )


def change_the_schema(path, chance):
    table = chance.choice(TABLES)
    column = chance.choice(columns_of(path, table))
    by_sql(
        path,
        chance.choice(
            (
                f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
                f"ALTER TABLE {table} ADD COLUMN other",
            )
        ),
    )


def change_a_cell(path, chance):
    table = chance.choice(TABLES)
    column = chance.choice(columns_of(path, table))
    value = chance.choice(
        (0, 1, -1, 2.5, 10**18, "x", "ok", "tuning", "{}", "[", "\x1b[31m", b"\xff", None, 1e308)
    )
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
        row = chance.choice(rows)
        names = columns_of(path, table)
        condition = " AND ".join(f"{name} IS ?" for name in names)
        connection.execute(
            f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {condition}", (value, *row)
        )
        connection.commit()


def delete_a_row(path, chance):
    table = chance.choice(TABLES)
    column = columns_of(path, table)[0]
    by_sql(path, f"DELETE FROM {table} WHERE {column} IN (SELECT max({column}) FROM {table})")


KINDS = (
    flip_bits,
    flip_a_bit_in_use,
    flip_a_bit_in_use,
    overwrite,
    truncate,
    swap_pages,
    add_a_log,
    drop,
    view_for_table,
    add_a_trigger,
    change_the_schema,
    change_a_cell,
    change_a_cell,
    change_a_cell,
    delete_a_row,
)


def mutant(sound, folder, number):
    """Return the folder of a copy of the store with the damage of this number."""
    shutil.copytree(sound / "results", folder / "results")
    kind = KINDS[number % len(KINDS)]
    # SQLite does not let everything be done; then it is another sound store.
    with suppress(sqlite3.Error):
        kind(folder / "results" / "study.sqlite", random.Random(number))
    return folder / "results"


def check_refusal(outcome, words):
    code, _, err = outcome
    assert 2 == code, (words, err)
    assert err.startswith("error: "), (words, err)
    assert 1 == len(err.strip().splitlines()), (words, err)


def check_commands(sound, results):
    target = results.parent / "rows.csv"
    commands = [
        ("export", results, target),
        ("status", results),
        ("status", results, "--json"),
        ("summary", results, "--json"),
        ("report", results, "--report", results.parent / "page.html"),
    ]
    for words in commands:
        outcome = invoke(*words)
        if outcome[0]:
            check_refusal(outcome, words)
    if target.exists():
        assert (sound / "rows.csv").read_bytes() == target.read_bytes()
    with suppress(ValueError):
        found = find_row(KEY[:9], results)
        assert replace(find_row(KEY[:9], sound / "results"), folder=results) == found
    with suppress(StoreRefused), Store.open(results, PLAN) as store:
        assert StoredRow("ok", frozenset({0, 1})) == store.rows("main", 0, 1).algorithms[2]
    try:
        with Store.open(results, PLAN, drop_damaged=True) as store:
            fill(store)
    except StoreRefused:
        return
    export(results, target)
    assert (sound / "rows.csv").read_bytes() == target.read_bytes()


@pytest.mark.parametrize("number", range(45))
def test_a_damaged_store_is_refused_or_gives_the_same_rows(sound, tmp_path, number):
    check_commands(sound, mutant(sound, tmp_path, number))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(6))
def test_many_damaged_stores_are_refused_or_give_the_same_rows(sound, tmp_path, block):
    for number in range(100 * (block + 1), 100 * (block + 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        check_commands(sound, mutant(sound, folder, number))
        shutil.rmtree(folder)


@pytest.mark.parametrize("table", ["meta", "rows", "seals"])
def test_an_endless_view_hangs_no_command(sound, tmp_path, table):
    shutil.copytree(sound / "results", tmp_path / "results")
    path = tmp_path / "results" / "study.sqlite"
    columns = ", ".join(f"i AS {name}" for name in columns_of(path, table))
    by_sql(
        path,
        "PRAGMA legacy_alter_table = ON",
        f"ALTER TABLE {table} RENAME TO moved",
        f"CREATE VIEW {table} AS SELECT {columns} FROM ({ENDLESS})",
    )
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", "status", path.parent],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    check_refusal((done.returncode, done.stdout, done.stderr), "status")
    assert "changed: table" in done.stderr or "missing: table" in done.stderr
