"""Connections to PostgreSQL, and what its errors say in one line."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from causalassay.common.registry import install_line

try:
    import psycopg
    from psycopg import conninfo
except ImportError as missing:
    raise ImportError(f"PostgreSQL needs psycopg: {install_line('postgres')}") from missing

_CONNECT_SECONDS = 20

_KNOWN_REASONS = (
    "Connection refused",
    "No such file or directory",
    "Permission denied",
    "Network is unreachable",
    "No route to host",
    "timeout expired",
    "could not translate host name",
    "Name or service not known",
    "Temporary failure in name resolution",
    "password authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "certificate verify failed",
    "server does not support SSL",
    "too many clients already",
    "the database system is starting up",
    "definition of service not found",
    "role does not exist",
    "database does not exist",
)
"""What errors of libpq say beside the names that they repeat, which may be a mistyped password."""

_QUOTED = re.compile(r'"[^"]*" ')

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"


def connect(dsn: str) -> Connection:
    """Return a new connection in which each statement is a transaction of its own.

    No error repeats a part of `dsn`, which may hold a password, in its place or not.

    Raises
    ------
    ConnectionError
        If there is none; the message says why as far as that is no text of `dsn`.
    ValueError
        If `dsn` cannot be read.

    Examples
    --------
    >>> connect("host=/nowhere dbname=x")
    Traceback (most recent call last):
    ...
    ConnectionError: cannot connect to the PostgreSQL server: No such file or directory
    """
    try:
        conninfo.conninfo_to_dict(dsn)
    except Exception:  # its text repeats parts of the DSN
        raise ValueError(
            "the DSN cannot be read (it is not shown, since it may hold a password); expected "
            "'host=… dbname=… user=…' with quotes around values that have spaces, "
            "'postgresql://user@host/dbname' with special characters percent-encoded, "
            "or 'service=name'"
        ) from None
    try:
        return psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT_SECONDS)
    except Exception as error:  # psycopg's, or of Python where it reads ports and timeouts
        text = _QUOTED.sub("", str(error))
        reason = next((known for known in _KNOWN_REASONS if known in text), _UNKNOWN)
        raise ConnectionError(f"cannot connect to the PostgreSQL server: {reason}") from None


_UNKNOWN = "psql says why with the same DSN (not shown here, since it may hold a password)"


def first_line(error: BaseException) -> str:
    r"""Return the first line of an error.

    Examples
    --------
    >>> first_line(ValueError("no such table\nLINE 1: SELECT"))
    'no such table'
    """
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


__all__ = ["Connection", "connect", "first_line", "psycopg"]
