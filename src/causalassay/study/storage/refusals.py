"""When a store is not opened: each refusal says why and what to do; no file is changed."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from causalassay.common.spelling import listed
from causalassay.study.plan import Study
from causalassay.study.reasons import readable
from causalassay.study.storage.checks import RowDamage, broken_seals, row_damage
from causalassay.study.storage.schema import (
    APPLICATION_ID,
    VERSION,
    entries_of,
    expected_entries,
    version_of,
)

# fmt: off
NETWORK = frozenset({
    "9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fhgfs",
    "glusterfs", "gpfs", "lustre", "mfs", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs",
    "pvfs2", "smb3", "smbfs", "webdav",
})
"""Types of file systems that several machines share."""

NETWORK_PROGRAMS = frozenset({
    "beegfs", "ceph", "ceph-fuse", "davfs2", "gcsfuse", "glusterfs", "juicefs", "mfs",
    "moosefs", "nfs", "rclone", "s3fs", "seaweedfs", "smbnetfs", "sshfs",
})
"""Those that are programs, of the type ``fuse.`` and this name."""
# fmt: on

_MAGIC = b"SQLite format 3\0"


class StoreRefused(ValueError):
    """A store cannot be opened, or not for this study; the message says what to do."""


class StoreFull(OSError):
    """A store could not grow; what was saved before is kept."""


class StoreGone(OSError):
    """A store was deleted, moved or replaced while its driver worked on it."""


@contextmanager
def room_needed(folder: Path) -> Iterator[None]:
    """Turn SQLite's errors for want of room, met inside, into `StoreFull`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _kind(error) not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise
        raise StoreFull(
            f"there is no room for more rows in {folder} ({error}). All rows saved before are "
            "kept. Free some space and run the study again: it resumes."
        ) from error


@contextmanager
def sound_file_needed(path: Path) -> Iterator[None]:
    """Turn what SQLite finds wrong with a file, inside, into a refusal."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _kind(error) in _ADVICE_WITHOUT_DAMAGE:
            what, advice = _ADVICE_WITHOUT_DAMAGE[_kind(error)]
            raise StoreRefused(f"{path} {what} ({error}). {advice}") from error
        if _kind(error) == sqlite3.SQLITE_INTERRUPT:
            raise damaged(path, "reading it takes longer than its size allows") from error
        raise damaged(path, error) from error


_IN_USE = ("is in use by another program", "Try again when that has ended.")
_ADVICE_WITHOUT_DAMAGE = {
    sqlite3.SQLITE_BUSY: _IN_USE,
    sqlite3.SQLITE_LOCKED: _IN_USE,
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        "Reading a store that a driver has not closed needs a folder that may be written to: "
        "copy it to one.",
    ),
    sqlite3.SQLITE_READONLY: (
        "may not be written to",
        "Change its permissions, or name another folder with --out.",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot be read for want of room",
        "Free some space where temporary files are kept.",
    ),
}
"""What SQLite says of a file that is sound, by the kind of error."""


@contextmanager
def sound_content_needed(path: Path) -> Iterator[None]:
    """Turn also values that cannot be what was written, met inside, into a refusal."""
    try:
        with sound_file_needed(path):
            yield
    except StoreRefused:
        raise
    except _UNDECODABLE as error:
        raise damaged(path, f"{type(error).__name__}: {error}") from error


_UNDECODABLE = (
    sqlite3.Error,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    struct.error,
    zlib.error,
)
"""What Python, JSON, NumPy and Arrow raise for values that are not what they should be."""


def file_identity(path: Path) -> tuple[int, int]:
    """Return what tells a file from any other that is there at the same time."""
    status = path.stat()
    return status.st_dev, status.st_ino


def refuse_gone(path: Path, identity: tuple[int, int]) -> None:
    """Refuse to go on where another file, or none, has the name of the one that is open."""
    try:
        if file_identity(path) == identity:
            return
    except OSError:
        pass
    raise StoreGone(
        f"{path} was deleted, moved or replaced while the study ran, so the run stopped. If it "
        "was moved, put it back and run the study again: it resumes. Otherwise the rows are "
        "lost: run the study again."
    )


def refuse_network(folder: Path) -> None:
    """Refuse a folder that several machines can see."""
    if is_shared(folder):
        raise StoreRefused(
            f"{folder} is on a network file system ({filesystem_of(folder)}). The store is SQLite "
            "in WAL mode, which needs memory shared between the processes of one machine. Put it "
            "on a local disk with --out and `causalassay export` the results afterwards, or let "
            "it work on a local disk and be copied here: --local-disk /tmp."
        )


def is_shared(folder: Path) -> bool:
    """Tell whether a folder is, or would be, on a file system that several machines share."""
    kind = filesystem_of(folder)
    program = kind.removeprefix("fuse.") if kind.startswith("fuse.") else ""
    return kind in NETWORK or program in NETWORK_PROGRAMS


def filesystem_of(folder: Path) -> str:
    """Return the type of the file system that a folder is on, or would be on."""
    resolved = folder.resolve()
    above = {resolved, *resolved.parents}
    # Of mounts on one point the last hides the others, so a tie goes to the later one.
    deepest, kind = -1, ""
    for partition in psutil.disk_partitions(all=True):
        mount = Path(partition.mountpoint)
        if mount in above and len(mount.parts) >= deepest:
            deepest, kind = len(mount.parts), partition.fstype
    return kind


def refuse_lone_log(path: Path) -> None:
    """Refuse a log without its file: SQLite would take it for the log of the new file."""
    log = log_of(path)
    if not path.exists() and log.exists() and log.stat().st_size:
        raise StoreRefused(
            f"{log} is there without {path.name}, whose last rows it holds. "
            "Put the file back, or move the log away."
        )


def log_of(path: Path) -> Path:
    """Return where SQLite keeps what it has not yet moved into a file."""
    return path.with_name(path.name + "-wal")


def refuse_foreign(path: Path) -> None:
    """Refuse a file that is not SQLite."""
    if not path.is_file():
        raise StoreRefused(f"{path} is not a file. Name the folder of a study's run.")
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head != _MAGIC:
        what = "is empty" if not head else "is not an SQLite file, or damaged"
        raise StoreRefused(f"{path} {what}. {_ADVICE}")


def refuse_other_version(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse an SQLite file of another program, or a store of another version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = version_of(connection)
    if application != APPLICATION_ID or version < 1:
        raise StoreRefused(
            f"{path} is an SQLite file, but not a store of causalassay. "
            "Name another folder with --out."
        )
    if version > VERSION:
        raise StoreRefused(
            f"{path} was written by a newer causalassay (its tables are of version {version}, "
            f"this one reads version {VERSION}). Install the newer one, or name another folder "
            "with --out."
        )
    if version < VERSION:
        raise StoreRefused(
            f"{path} was written by an older causalassay (its tables are of version {version}, "
            f"this one reads version {VERSION}). It is left as it is: run the study again into a "
            "new folder with --out."
        )


def refuse_other_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a store whose tables are not those of its version; none of them is read."""
    present, known = entries_of(connection), expected_entries(optional=True)
    # What SQLite makes for itself, such as the statistics of ANALYZE, does no harm.
    added = [entry for entry in present if entry not in known and entry[1][:7] != "sqlite_"]
    missing = [entry for entry in expected_entries() if entry not in present]
    changed = [entry for entry, sql in known.items() if present.get(entry, sql) != sql]
    complaints = {"missing": missing, "changed": changed, "not of a store": added}
    for complaint, entries in complaints.items():
        if entries:
            kind, name = entries[0]
            raise damaged(path, f"{complaint}: {kind} {name}")


def refuse_broken_seals(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a store whose small tables are not as they were written."""
    if broken := broken_seals(connection):
        raise damaged(path, f"not as it was written: the table {listed(broken)}")


def refuse_damaged_rows(path: Path, connection: sqlite3.Connection) -> None:
    """Read all rows, and refuse a store that has some that are not as they were written."""
    damage = row_damage(connection)
    if damage is not None:
        raise rows_refusal(path, damage)


def rows_refusal(path: Path, damage: RowDamage | None) -> StoreRefused:
    """Return the refusal of a store with such rows; None: which ones is not known."""
    if damage is None or (not damage.ids and damage.present == damage.expected):
        what = "its rows are not those that were written"
    elif damage.ids:
        which = ", ".join(readable(str(key)) for key in damage.keys[:_NAMED])
        more = ", …" if len(damage.keys) > _NAMED else ""
        count = f"{len(damage.ids)} of {damage.present} rows"
        what = f"not as they were written: {count}, with the keys {which}{more}"
    else:
        what = f"it has {damage.present} rows, and {damage.expected} were written"
    return StoreRefused(
        f"{path} is damaged ({what}). Put a copy in its place, or let `causalassay run` with "
        "--retry damaged compute the rows again."
    )


_NAMED = 3


def damaged(path: Path, complaint: object) -> StoreRefused:
    """Return the refusal of a file that is damaged."""
    return StoreRefused(f"{path} is damaged ({readable(str(complaint))}). {_ADVICE}")


_ADVICE = (
    "It is left as it is: move it aside to start again, or put a copy in its place; "
    "`sqlite3 FILE .recover` may save rows."
)


def refuse_other_study(path: Path, connection: sqlite3.Connection, study: Study) -> None:
    """Refuse the store of another study."""
    meta = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('study', 'seed')"))
    if not meta:  # killed between creating and the first session
        return
    theirs, ours = (meta["study"], int(meta["seed"])), (readable(study.name), study.seed)
    if theirs != ours:
        raise StoreRefused(
            f"{path} holds the study {theirs[0]!r} with seed {theirs[1]}, "
            f"this is {ours[0]!r} with seed {ours[1]}. Name another folder with --out."
        )


def refuse_broken_pages(path: Path, connection: sqlite3.Connection, check: str) -> None:
    """Refuse a file that SQLite finds damaged; `check` is the pragma that looks."""
    (answer,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    if answer != "ok":
        raise damaged(path, answer)


def _kind(error: sqlite3.Error) -> int:
    """Return the kind of an error: the lower byte of its code, the others are details."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
