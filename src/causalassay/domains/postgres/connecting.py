"""Connections to PostgreSQL, and what its errors say in one line."""

from __future__ import annotations

from typing import Any, TypeAlias

from causalassay.extras import install_line

try:
    import psycopg
except ImportError as missing:
    raise ImportError(f"PostgreSQL needs psycopg: {install_line('postgres')}") from missing

_CONNECT_SECONDS = 20

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"


def connect(dsn: str) -> Connection:
    """Return a new connection in which each statement is a transaction of its own.

    Examples
    --------
    >>> connect("host=/nowhere dbname=x")
    Traceback (most recent call last):
    ...
    ConnectionError: cannot connect to the PostgreSQL server: ...
    """
    try:
        return psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT_SECONDS)
    except psycopg.Error as error:
        raise ConnectionError(
            f"cannot connect to the PostgreSQL server: {first_line(error)}"
        ) from None


def first_line(error: BaseException) -> str:
    r"""Return the first line of an error.

    Examples
    --------
    >>> first_line(ValueError("no such table\nLINE 1: SELECT"))
    'no such table'
    """
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


__all__ = ["Connection", "connect", "first_line", "psycopg"]
