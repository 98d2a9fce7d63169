"""What would tell a reader who ran a study and where: names to leave out, or to refuse."""

from __future__ import annotations

import builtins
import getpass
import keyword
import os
import pwd
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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

_WORDS_OF_PYTHON = frozenset({*dir(builtins), *keyword.kwlist})

# A path in a message: from a slash that begins a word, at least two parts of it.
_PATH = re.compile(r"(?<![\w.~/])~?(?:/[^\s/:'\"(),;<>|]+)+/([^\s/:'\"(),;<>|]+)")
_WINDOWS_PATH = re.compile(
    r"(?:\b[A-Za-z]:|\\)(?:\\+[^\s\\/:'\"(),;<>|]+)*\\+([^\s\\/:'\"(),;<>|]+)"
)
_ADDRESS = re.compile(r"\b\w[\w.+-]*@[\w-]+(?:\.[\w-]+)+\b")


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
        """Return a text without the names; of a full path its last part stays.

        Examples
        --------
        >>> identity = Identity(("lab-17",), ("zelda",), ("/srv/zelda/run",))
        >>> identity.cleaned("zelda@lab-17: no file /srv/zelda/run/mine.py, see /opt/x/y.txt")
        '[user]@[host]: no file [folder]/mine.py, see [folder]/y.txt'
        """
        for folder in self.folders:
            text = text.replace(f"{folder}/", "[folder]/").replace(folder, "[folder]")
        text = _PATH.sub(r"[folder]/\1", text)
        text = _WINDOWS_PATH.sub(r"[folder]/\1", text)
        for mark, names in (("[host]", self.hosts), ("[user]", self.users)):
            for name in names:
                text = _word(name).sub(mark, text)
        return _ADDRESS.sub("[address]", text)

    def first_in(self, text: str) -> tuple[int, str] | None:
        r"""Return the line and the name that stands first in a text, None if there is none.

        Examples
        --------
        >>> Identity(users=("zelda",)).first_in("a = 1\n# by Zelda")
        (2, 'Zelda')
        >>> Identity(users=("max",)).first_in("max(1, 2)")  # a word of Python says nothing
        """
        telling = [name for name in self.names if name.lower() not in _WORDS_OF_PYTHON]
        names = [*map(re.escape, self.folders), *(_word(name).pattern for name in telling)]
        if not names:
            return None
        found = re.search("|".join(names), text, re.IGNORECASE)
        return found and (text.count("\n", 0, found.start()) + 1, found.group())

    @property
    def names(self) -> tuple[str, ...]:
        """Of machines and of people."""
        return (*self.hosts, *self.users)


def identity_here(hosts: Iterable[str], folders: Iterable[Path]) -> Identity:
    """Return what tells this machine and its user, and besides some machines and folders.

    Parameters
    ----------
    hosts : iterable of str
        Such as those that a store names.
    folders : iterable of Path
        Such as that of the results.
    """
    machines = [*hosts, socket.gethostname(), os.environ.get("HOSTNAME", "")]
    short = [name.partition(".")[0] for name in machines]
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    full = [os.path.realpath(one) for one in (*folders, home, Path.cwd())]
    stated = [str(one.absolute()) for one in (*folders, home)]
    # A folder right below the root, such as /root, is the same on many machines.
    long = [one for one in dict.fromkeys([*full, *stated]) if one.count("/") > 1]
    return Identity(
        _telling([*machines, *short]),
        _telling(_users()),
        tuple(sorted(long, key=len, reverse=True)),
    )


def _users() -> list[str]:
    names = [os.environ.get(name, "") for name in ("LOGNAME", "USER", "USERNAME", "SUDO_USER")]
    with suppress(OSError, KeyError):  # a user without a name, as in some containers
        names += [getpass.getuser(), pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0]]
    return names


def _telling(names: Iterable[str]) -> tuple[str, ...]:
    """Return names that tell somebody apart, each once, the longest first."""
    kept = {name for name in names if len(name) >= SHORTEST and name.lower() not in GENERIC}
    return tuple(sorted(kept, key=lambda name: (-len(name), name)))


def _word(name: str) -> re.Pattern[str]:
    """Return the pattern of a name that no letters surround; `%2F` is a slash in addresses."""
    letter = r"[^\W\d_]"
    return re.compile(rf"(?:(?<!{letter})|(?<=%2F)){re.escape(name)}(?!{letter})", re.IGNORECASE)
