"""What is varied: indexes, the planner's price of a random page, and working memory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from causalassay.lab.domains.postgres.connecting import Connection
from causalassay.lab.domains.postgres.schema import TABLES

TREATMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "index_level": ("none", "primary", "all"),
        "page_cost": ("low", "high"),
        "memory_level": ("small", "large"),
    }
)
"""The levels of each treatment."""

BLOCKED = ("index_level",)
"""Building indexes takes seconds, so that level changes only between blocks of measurements."""

SESSION_SETTINGS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "page_cost": {"low": {"random_page_cost": "1.1"}, "high": {"random_page_cost": "20"}},
        "memory_level": {"small": {"work_mem": "64kB"}, "large": {"work_mem": "64MB"}},
    }
)
"""PostgreSQL's settings for the levels of the treatments that a session can change."""


def session_settings(setting: Mapping[str, object]) -> dict[str, str]:
    """Return PostgreSQL's settings for a combination of levels.

    Examples
    --------
    >>> session_settings({"index_level": "all", "page_cost": "low", "memory_level": "small"})
    {'random_page_cost': '1.1', 'work_mem': '64kB'}
    """
    chosen: dict[str, str] = {}
    for treatment, levels in SESSION_SETTINGS.items():
        chosen |= levels[str(setting[treatment])]
    return chosen


def indexed_columns(level: str) -> list[tuple[str, str]]:
    """Return the columns that have an index: ids, or also references, filters and groups.

    Examples
    --------
    >>> indexed_columns("none"), indexed_columns("primary")[:2]
    ([], [('users', 'id'), ('posts', 'id')])
    """
    match level:
        case "none":
            return []
        case "primary":
            return [(table, "id") for table in TABLES]
        case "all":
            return [
                (name, column)
                for name, table in TABLES.items()
                for column in dict.fromkeys(["id", *table.parents, *table.filters, *table.groups])
            ]
    raise ValueError(f"index_level: there is no {level!r}")


def set_indexes(connection: Connection, level: str) -> None:
    """Make the indexes of the connection's schema those of a level, and no others."""
    wanted = {
        f"{table}_{column}_index": (table, column) for table, column in indexed_columns(level)
    }
    rows = connection.execute(
        "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    )
    present = {str(name) for (name,) in rows.fetchall()}
    for name in sorted(present - wanted.keys()):
        connection.execute(f"DROP INDEX {name}")
    for name, (table, column) in wanted.items():
        if name not in present:
            unique = "UNIQUE " if column == "id" else ""
            connection.execute(f"CREATE {unique}INDEX {name} ON {table} ({column})")
