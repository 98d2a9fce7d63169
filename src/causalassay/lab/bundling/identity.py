"""What would tell a reader who ran a study and where: names to leave out, or to refuse."""

from __future__ import annotations

import builtins
import getpass
import io
import json
import keyword
import os
import pwd
import re
import socket
import sqlite3
import token as tokens_of_python
import tokenize
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from causalassay.study.plan import Study
from causalassay.study.storage import StoreReader, schema
from causalassay.study.storage.checks import (
    CHECKED,
    CHUNK,
    Row,
    read_chunks,
    row_checksums,
    seal,
    seal_small_tables,
)
from causalassay.study.storage.records import register_parts
from causalassay.study.storage.refusals import refuse_damaged_rows
from causalassay.study.storage.schema import CELLS

GENERIC = frozenset(
    {
        *("root", "user", "users", "admin", "ubuntu", "debian", "centos", "ec2-user", "runner"),
        *("jovyan", "vscode", "docker", "nobody", "guest", "student", "home", "localhost"),
        *("localdomain", "host", "test", "work", "worker", "node"),
    }
)
"""Names of users and machines that tell nobody apart."""

SHORTEST = 3
"""Letters of a name that is looked for: a shorter one is part of too many texts."""

_DOMAIN = r"(?:\.[^\W\d_][\w-]*)*"
"""What follows the name of a machine."""

_SAID = frozenset(
    number
    for number, name in tokens_of_python.tok_name.items()
    if name in {"COMMENT", "STRING", "FSTRING_MIDDLE"}
)
_WORDS_OF_PYTHON = frozenset({*dir(builtins), *keyword.kwlist})

# A path in a message: from a slash that begins a word, at least two parts of it.
_PATH = re.compile(r"(?<![\w.~/])~?(?:/[^\s/:'\"(),;<>|]+)+/([^\s/:'\"(),;<>|]+)")
_WINDOWS_PATH = re.compile(
    r"(?:\b[A-Za-z]:|\\)(?:\\+[^\s\\/:'\"(),;<>|]+)*\\+([^\s\\/:'\"(),;<>|]+)"
)
_ADDRESS = re.compile(r"\b\w[\w.+-]*@[\w-]+(?:\.[\w-]+)+\b")
_ADDRESS_IN_CODE = re.compile(r"\b\w[\w.+-]*@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b")


@dataclass(frozen=True)
class Identity:
    """Names that tell who ran a study and where.

    Parameters
    ----------
    hosts, users : tuple of str
    folders : tuple of str
        Full paths, such as that of the results.
    """

    hosts: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def cleaned(self, text: str) -> str:
        """Return a text without the names; of the path of a file its name stays.

        Examples
        --------
        >>> identity = Identity(("lab-17",), ("zelda",), ("/srv/zelda/run",))
        >>> identity.cleaned("zelda@lab-17: no file /srv/zelda/run/mine.py, see /opt/x/y.txt")
        '[user]@[host]: no file [folder]/mine.py, see [folder]/y.txt'
        """
        text = text.replace("file:///", "/")
        for folder in self.folders:
            text = text.replace(f"{folder}/", "[folder]/").replace(folder, "[folder]")
        text = _PATH.sub(_without_folders, text)
        text = _WINDOWS_PATH.sub(_without_folders, text)
        for name in self.hosts:
            text = re.sub(_word(name).pattern + _DOMAIN, "[host]", text, flags=re.IGNORECASE)
        for name in self.users:
            text = _word(name).sub("[user]", text)
        return _ADDRESS.sub("[address]", text)

    def first_in(self, text: str) -> tuple[int, str] | None:
        r"""Return the line and the name that stands first in a text, None if there is none.

        Examples
        --------
        >>> Identity(users=("zelda",)).first_in("a = 1\n# by Zelda")
        (2, 'Zelda')
        >>> Identity(users=("max",)).first_in("max(1, 2)")  # a word of Python says nothing
        """
        small = text.lower()  # a plain text is looked for much faster than a pattern
        folders = [folder for folder in self.folders if folder.lower() in small]
        people = [name for name in self.names if name.lower() in small]
        telling = [name for name in people if name.lower() not in _WORDS_OF_PYTHON]
        names = [*map(re.escape, folders), *(_word(name).pattern for name in telling)]
        if not names:
            return None
        match = re.search("|".join(names), text, re.IGNORECASE)
        return match and (text.count("\n", 0, match.start()) + 1, match.group())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of machines and of people."""
        return (*self.hosts, *self.users)


def _without_folders(path: re.Match[str]) -> str:
    """Return what stays of a path: the name of a file; one without an ending may be a folder."""
    name = path[1].rstrip(".")
    return f"[folder]/{path[1]}" if "." in name[1:] else "[folder]"


def first_address(text: str, is_python: bool) -> tuple[int, str] | None:
    r"""Return the line and the mail address that stands first in a file of the user.

    In Python only comments and texts are looked at: elsewhere ``a@b.mean`` is a product.

    Examples
    --------
    >>> first_address("c = a@b.mean\n# by zelda@hyrule.edu", is_python=True)
    (2, 'zelda@hyrule.edu')
    """
    if "@" not in text:
        return None
    if is_python:
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        except (tokenize.TokenError, SyntaxError):
            tokens = []
        for token in tokens:
            if token.type in _SAID and (match := _ADDRESS_IN_CODE.search(token.string)):
                return token.start[0] + token.string.count("\n", 0, match.start()), match.group()
        return None
    match = _ADDRESS_IN_CODE.search(text)
    return match and (text.count("\n", 0, match.start()) + 1, match.group())


def identity_here(
    hosts: Iterable[str], folders: Iterable[Path], users: Iterable[str] = ()
) -> Identity:
    """Return what tells this machine and its user, and besides some machines and folders.

    Parameters
    ----------
    hosts : iterable of str
        Such as those that a store names.
    folders : iterable of Path
        Such as that of the results.
    users : iterable of str
        Further names of people, however short.
    """
    machines = [*hosts, socket.gethostname(), os.environ.get("HOSTNAME", "")]
    short = [name.partition(".")[0] for name in machines]
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    full = [os.path.realpath(folder) for folder in (*folders, home, Path.cwd())]
    stated = [str(folder.absolute()) for folder in (*folders, home)]
    # A folder right below the root, such as /root, is the same on many machines.
    long = [folder for folder in dict.fromkeys([*full, *stated]) if folder.count("/") > 1]
    return Identity(
        _telling([*machines, *short]),
        (*users, *_telling(_users())),
        tuple(sorted(long, key=len, reverse=True)),
    )


def _users() -> list[str]:
    names = [os.environ.get(name, "") for name in ("LOGNAME", "USER", "USERNAME", "SUDO_USER")]
    with suppress(OSError, KeyError):  # a user without a name, as in some containers
        names += [getpass.getuser(), pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0]]
    return names


def _telling(names: Iterable[str]) -> tuple[str, ...]:
    """Return names that tell somebody apart, each once, the longest first."""
    telling = {name for name in names if len(name) >= SHORTEST and name.lower() not in GENERIC}
    return tuple(sorted(telling, key=lambda name: (-len(name), name)))


def _word(name: str) -> re.Pattern[str]:
    """Return the pattern of a name that no letters surround; `%2F` is a slash in addresses."""
    letter = r"[^\W\d_]"
    return re.compile(rf"(?:(?<!{letter})|(?<=%2F)){re.escape(name)}(?!{letter})", re.IGNORECASE)


# The cells come after the id and the checksum.
_POSITION = {name: 2 + number for number, name in enumerate(CELLS)}
_NAMING = {column.name: column.names for column in schema.STORED if column.names != "never"}
"""The columns that may name somebody, and whether they always do."""


def copy_store(
    store: StoreReader, folder: Path, study: Study, identity: Identity | None = None
) -> None:
    """Copy a store into a new folder, with a study's text in place of the one that ran.

    Damaged rows are refused before anything is changed: the checksums are computed anew.

    Parameters
    ----------
    store : StoreReader
    folder : Path
    study : Study
        The same study, as the bundle has it.
    identity : Identity, optional
        What to leave out of texts; the machines' names, processors and platforms then go too.
    """
    folder.mkdir()
    path = folder / schema.FILE
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        store.connection.backup(copy)
        refuse_damaged_rows(store.path, copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("BEGIN")
        register_parts(copy, study)
        copy.execute("UPDATE sessions SET text = ?", (study.text,))
        if identity is not None:
            _clean_sessions(copy)
            _clean_rows(copy, identity)
        seal_small_tables(copy)
        copy.execute("COMMIT")


def hosts_of(store: StoreReader) -> list[str]:
    """Return the machines that a store names."""
    hosts = store.connection.execute(
        "SELECT host FROM sessions UNION SELECT host FROM rows WHERE host != ''"
    )
    return [str(host) for (host,) in hosts]


def _clean_sessions(copy: sqlite3.Connection) -> None:
    for number, versions in copy.execute("SELECT id, versions FROM sessions").fetchall():
        shared = {
            name: version for name, version in json.loads(versions).items() if name != "platform"
        }
        copy.execute(
            "UPDATE sessions SET host = '', cpu = '', versions = ? WHERE id = ?",
            (json.dumps(shared), number),
        )


def _clean_rows(copy: sqlite3.Connection, identity: Identity) -> None:
    n_rows, total, last = 0, 0, -1
    query = f"SELECT {CHECKED} FROM rows WHERE id > ? ORDER BY id LIMIT {CHUNK}"
    while chunks := list(read_chunks(copy.execute(query, (last,)))):
        (chunk,) = chunks
        last = chunk.rows[-1][0]
        for numbers, measured in ((chunk.scores, False), (chunk.measurements, True)):
            rows = [
                _cleaned(r, identity)
                for r in chunk.rows
                if (r[_POSITION["algorithm"]] is None) == measured
            ]
            sums = list(row_checksums(rows, numbers))
            copy.executemany(
                f"UPDATE rows SET {', '.join(f'{name} = ?' for name in _NAMING)}, checksum = ? "
                "WHERE id = ?",
                [
                    (*(row[_POSITION[name]] for name in _NAMING), checksum, row[0])
                    for row, checksum in zip(rows, sums, strict=True)
                ],
            )
            n_rows, total = n_rows + len(rows), total + sum(sums)
    seal(copy, "rows", n_rows, total)


def _cleaned(row: Row, identity: Identity) -> Row:
    cells = list(row)
    for name, names in _NAMING.items():
        text = cells[_POSITION[name]]
        if names == "always":
            cells[_POSITION[name]] = ""
        elif text:
            cells[_POSITION[name]] = identity.cleaned(text)
    return tuple(cells)
