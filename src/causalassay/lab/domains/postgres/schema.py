"""The tables that are queried: a forum of seeded users, posts, comments, votes and tags.

The server makes all rows itself from hashes of the row number and the seed, so the same seed
gives the same rows on every server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType

from causalassay.lab.domains.postgres.connecting import Connection

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
        name: max(10, round(ROWS_AT_SCALE_1 * scale * one.share)) for name, one in TABLES.items()
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
