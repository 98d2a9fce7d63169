"""One declaration of a row's columns: stored, covered by checksums, exported, described."""

import sqlite3
from contextlib import closing

from causalassay.lab.bundling.croissant import described
from causalassay.study.graph_export import HEAD
from causalassay.study.storage import schema


def test_the_stored_columns_are_those_of_the_present_version():
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in schema.TABLES:
            connection.execute(statement)
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(rows)")]
    # Another list means another version of the tables.
    cells = "key purpose problem replicate algorithm status reason seconds load_seconds batch notes"
    cells += " session host"
    assert 5 == schema.VERSION
    assert tuple(cells.split()) == schema.CELLS
    assert ["id", *schema.CELLS, "checksum"] == columns


def test_only_the_table_for_output_is_optional():
    extra = schema.expected_entries(optional=True).keys() - schema.expected_entries().keys()
    assert {("table", "outputs")} == extra


def test_what_is_computed_of_an_entry_is_stored_and_every_other_column_has_a_part():
    assert all(column.sql for column in schema.COLUMNS if column.cell)
    assert all(column.sql or column.part for column in schema.COLUMNS)


def test_every_exported_column_has_a_meaning():
    assert all(described(column.name) == column.meaning for column in schema.COLUMNS)
    assert all(described(name) != "a setting of the problem" for name in HEAD)
