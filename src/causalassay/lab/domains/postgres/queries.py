"""The subjects: seeded queries with joins, grouping, filters and ordering."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from causalassay.common.seeding import stream
from causalassay.lab.domains.postgres.schema import TABLES, table_sizes

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
