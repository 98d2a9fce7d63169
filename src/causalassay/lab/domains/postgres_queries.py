"""The tables of the experiment on PostgreSQL, a forum, and the seeded queries on them.

The server makes all rows itself from hashes of the row number and the seed, so the same seed
gives the same rows on every server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from numpy.random import Generator

from causalassay.common.seeding import stream

if TYPE_CHECKING:
    from causalassay.lab.domains.postgres_measuring import Connection

ROWS_AT_SCALE_1 = 100_000


FIRST_DAY = date(2020, 1, 1)
N_DAYS = 2000


@dataclass(frozen=True)
class Span:
    """The values of a column: a share `q` of the rows lies below ``top * q ** power``.

    Parameters
    ----------
    top : int or str
        A number, or the table whose size it is.
    power : float
    is_day : bool
        Whether the values are days since `FIRST_DAY`.
    """

    top: int | str
    power: float = 1
    is_day: bool = False

    def literal(self, share: float, sizes: Mapping[str, int]) -> str:
        """Return the SQL of the value below which that share of the rows lies.

        Examples
        --------
        >>> Span(1000, 2).literal(0.5, {}), Span(N_DAYS, is_day=True).literal(0.5, {})
        ('250', "date '2022-09-27'")
        """
        top = self.top if isinstance(self.top, int) else sizes[self.top]
        value = int(top * share**self.power)
        return f"date '{FIRST_DAY + timedelta(value)}'" if self.is_day else str(value)


@dataclass(frozen=True)
class Table:
    """One table: its share of all rows, and how each column follows from the row number `i`.

    Parameters
    ----------
    share : float
    columns : mapping of str to str
        SQL expressions. ``{u1}`` is a hash of `i` in [0, 1), ``{u2}`` another, and so on;
        ``{users}`` is the number of users.
    parents : mapping of str to str
        Columns that refer to the id of another table.
    filters : mapping of str to Span
        Columns to filter by.
    groups : tuple of str
        Columns to group by.
    measure : str
        A numeric column to aggregate.
    """

    share: float
    columns: Mapping[str, str]
    parents: Mapping[str, str]
    filters: Mapping[str, Span]
    groups: tuple[str, ...]
    measure: str


_DAY = f"date '{FIRST_DAY}' + floor({{u9}} * {N_DAYS})::int"
_DAYS = Span(N_DAYS, is_day=True)

TABLES: Mapping[str, Table] = MappingProxyType(
    {
        "users": Table(
            share=0.05,
            columns={
                "id": "i",
                "name": "'user ' || md5(i::text)",
                "reputation": "floor(10000 * {u1} * {u1} * {u1})::int",
                "country": "floor(60 * {u2} * {u2})::int",
                "joined": _DAY,
                "about": "repeat(md5((i + 7)::text), floor({u3} * 8)::int)",
            },
            parents={},
            filters={"reputation": Span(10000, 3), "joined": _DAYS},
            groups=("country",),
            measure="reputation",
        ),
        "posts": Table(
            share=0.15,
            columns={
                "id": "i",
                "author_id": "1 + floor({users} * {u1} ^ 1.5)::int",
                "score": "floor(500 * {u2} * {u2})::int",
                "views": "floor(100000 * {u3} ^ 4)::int",
                "kind": "floor(5 * {u4})::int",
                "posted": _DAY,
                "body": "repeat(md5((i + 3)::text), 1 + floor({u5} * 12)::int)",
            },
            parents={"author_id": "users"},
            filters={"score": Span(500, 2), "views": Span(100000, 4), "posted": _DAYS},
            groups=("kind", "author_id"),
            measure="views",
        ),
        "comments": Table(
            share=0.25,
            columns={
                "id": "i",
                "post_id": "1 + floor({posts} * {u1} ^ 1.5)::int",
                "writer_id": "1 + floor({users} * {u2} ^ 1.5)::int",
                "length": "floor(2000 * {u3} ^ 2)::int",
                "written": _DAY,
                "text": "repeat(md5((i + 5)::text), 1 + floor({u4} * 4)::int)",
            },
            parents={"post_id": "posts", "writer_id": "users"},
            filters={"length": Span(2000, 2), "written": _DAYS},
            groups=("post_id", "writer_id"),
            measure="length",
        ),
        "votes": Table(
            share=0.4,
            columns={
                "id": "i",
                "post_id": "1 + floor({posts} * {u1} ^ 1.5)::int",
                "voter_id": "1 + floor({users} * {u2})::int",
                "value": "floor(11 * {u3})::int - 5",
                "cast_on": _DAY,
            },
            parents={"post_id": "posts", "voter_id": "users"},
            filters={"cast_on": _DAYS, "voter_id": Span("users")},
            groups=("value", "post_id"),
            measure="value",
        ),
        "tags": Table(
            share=0.002,
            columns={
                "id": "i",
                "word": "'tag ' || i",
                "weight": "floor(100 * {u1})::int",
            },
            parents={},
            filters={"weight": Span(100)},
            groups=("weight",),
            measure="weight",
        ),
        "post_tags": Table(
            share=0.148,
            columns={
                "id": "i",
                "post_id": "1 + floor({posts} * {u1})::int",
                "tag_id": "1 + floor({tags} * {u2} ^ 2)::int",
                "added": _DAY,
            },
            parents={"post_id": "posts", "tag_id": "tags"},
            filters={"added": _DAYS},
            groups=("tag_id",),
            measure="tag_id",
        ),
    }
)
"""Every table has an `id`; a parent stands above its children."""


def table_sizes(scale: float) -> dict[str, int]:
    """Return the number of rows of each table.

    Examples
    --------
    >>> sizes = table_sizes(1)
    >>> sizes["votes"], sum(sizes.values())
    (40000, 100000)
    """
    if not 0.005 <= scale <= 100:
        raise ValueError(f"scale: expected 0.005 to 100 (1 is {ROWS_AT_SCALE_1} rows), got {scale}")
    return {
        name: max(10, round(ROWS_AT_SCALE_1 * scale * table.share))
        for name, table in TABLES.items()
    }


def create_tables(connection: Connection, scale: float, seed: int) -> None:
    """Create and fill the tables in the connection's schema, without any index."""
    sizes = table_sizes(scale)
    for number, (name, table) in enumerate(TABLES.items()):
        columns = ", ".join(
            f"{expression.format(**_hashes(seed, number), **sizes)} AS {column}"
            for column, expression in table.columns.items()
        )
        connection.execute(
            f"CREATE TABLE {name} AS SELECT {columns} "
            f"FROM generate_series(1, {sizes[name]}) AS i ORDER BY i"
        )
        connection.execute(f"VACUUM (ANALYZE) {name}")


def _hashes(seed: int, table: int) -> dict[str, str]:
    """Return the SQL of ten hashes of the row number, uniform on [0, 1)."""
    keys = {f"u{k}": (seed * 1000 + table * 10 + k) % 2**62 for k in range(10)}
    return {
        name: f"((hashint8extended(i, {key}) & 1073741823) / 1073741824.0::float8)"
        for name, key in keys.items()
    }


# The subjects: seeded queries with joins, grouping, filters and ordering.

_MOST_JOINS = 3
_FILTERS = ((0.75, 1e-3), (0.25, 0.05))
"""For the first table and for the others: how often there is a filter, and the least share of
rows that it lets pass. Shares are uniform on a log scale, so that results vary in size."""


@dataclass(frozen=True)
class Query:
    """A query, and what its text says about it.

    Parameters
    ----------
    id : str
    sql : str
    joins, groupings, referenced_rows : int
        Joined tables, columns grouped by, and rows of all tables that it names.
    """

    id: str
    sql: str
    joins: int
    groupings: int
    referenced_rows: int


def make_queries(n_queries: int, scale: float, seed: int) -> tuple[Query, ...]:
    """Return different queries, the same for the same seed, whatever their number.

    Examples
    --------
    >>> one, other = make_queries(2, 0.1, seed=0)
    >>> one.id, one == make_queries(3, 0.1, seed=0)[0], one.sql != other.sql
    ('query-0001', True, True)
    """
    if n_queries < 2:
        raise ValueError(f"queries: expected at least 2, got {n_queries}")
    queries: dict[str, Query] = {}
    attempt = 0
    while len(queries) < n_queries:
        name = f"query-{len(queries) + 1:04d}"
        query = _draw(name, scale, stream(seed, "query", attempt))
        queries.setdefault(query.sql, query)
        attempt += 1
    return tuple(queries.values())


def _draw(name: str, scale: float, rng: Generator) -> Query:
    tables, joins = _join_path(rng)
    sizes = table_sizes(scale)
    where = [
        _filter(table, least, sizes, rng)
        for number, table in enumerate(tables)
        for often, least in [_FILTERS[min(number, 1)]]
        if rng.random() < often
    ]
    groups = _groups(tables, rng) if rng.random() < 0.5 else []
    chosen = _columns(tables, groups, rng)
    sql = f"SELECT {', '.join(chosen)} FROM {tables[0]}{''.join(joins)}"
    if where:
        sql += f" WHERE {' AND '.join(where)}"
    if groups:
        sql += f" GROUP BY {', '.join(groups)}"
    if rng.random() < 0.5:
        sql += f" ORDER BY {1 + int(rng.integers(len(chosen)))}"
        sql += " DESC" if rng.random() < 0.5 else ""
    if rng.random() < 0.15:
        sql += f" LIMIT {10 ** int(rng.integers(1, 4))}"
    rows = sum(sizes[table] for table in tables)
    return Query(name, sql, len(joins), len(groups), rows)


def _join_path(rng: Generator) -> tuple[list[str], list[str]]:
    """Return tables and the joins that add each but the first, along references."""
    tables = [str(rng.choice([name for name in TABLES if name != "tags"]))]
    joins: list[str] = []
    for _ in range(int(rng.integers(_MOST_JOINS + 1))):
        steps = _neighbours(tables)
        if not steps:
            break
        table, condition = steps[int(rng.integers(len(steps)))]
        tables.append(table)
        joins.append(f" JOIN {table} ON {condition}")
    return tables, joins


def _neighbours(tables: list[str]) -> list[tuple[str, str]]:
    """Return the tables that a reference links with one of these, each with its condition."""
    return [
        (new, f"{child}.{column} = {parent}.id")
        for child, table in TABLES.items()
        for column, parent in table.parents.items()
        for old, new in ((child, parent), (parent, child))
        if old in tables and new not in tables
    ]


def _filter(table: str, least: float, sizes: dict[str, int], rng: Generator) -> str:
    """Return a condition that lets at least that share of a table's rows pass."""
    filters = TABLES[table].filters
    column = str(rng.choice(list(filters)))
    share = least ** rng.random()
    start = rng.random() * (1 - share)
    low, high = (filters[column].literal(edge, sizes) for edge in (start, start + share))
    return f"{table}.{column} BETWEEN {low} AND {high}"


def _groups(tables: list[str], rng: Generator) -> list[str]:
    columns = [f"{table}.{column}" for table in tables for column in TABLES[table].groups]
    n_groups = int(rng.integers(1, min(2, len(columns)) + 1))
    return [str(column) for column in rng.choice(columns, n_groups, replace=False)]


def _columns(tables: list[str], groups: list[str], rng: Generator) -> list[str]:
    """Return what is selected: groups and aggregates, or plain columns."""
    measures = [f"{table}.{TABLES[table].measure}" for table in tables]
    if groups:
        measure = str(rng.choice(measures))
        return [*groups, "count(*)", f"avg({measure})", f"max({measure})"]
    columns = [f"{table}.{column}" for table in tables for column in TABLES[table].columns]
    n_columns = int(rng.integers(1, min(6, len(columns)) + 1))
    return [str(column) for column in rng.choice(columns, n_columns, replace=False)]
