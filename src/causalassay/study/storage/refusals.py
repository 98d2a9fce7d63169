"""When a store is not opened: each refusal says why and what to do; no file is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil

from causalassay.study.plan import Study
from causalassay.study.storage.sql_schema import APPLICATION_ID, VERSION, read_only, version_of

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
        if _kind(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        if _kind(error) == sqlite3.SQLITE_CANTOPEN:
            raise StoreRefused(
                f"{path} cannot be opened ({error}). Reading a store that a driver has not "
                "closed needs a folder that may be written to: copy it to one."
            ) from error
        raise damaged(path, error) from error


def refuse_network(folder: Path) -> None:
    """Refuse a folder that several machines can see."""
    kind = filesystem_of(folder)
    program = kind.removeprefix("fuse.") if kind.startswith("fuse.") else ""
    if kind in NETWORK or program in NETWORK_PROGRAMS:
        raise StoreRefused(
            f"{folder} is on a network file system ({kind}). The store is SQLite in WAL mode, "
            "which needs memory shared between the processes of one machine. Put it on a local "
            "disk with --out and `causalassay export` the results afterwards."
        )


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


def refuse_unfit(path: Path, study: Study) -> None:
    """Refuse a file that is no store, of another version, damaged, or another study's."""
    remnant = path.with_name(path.name + "-wal")
    if not path.exists():
        # SQLite would take a log without its file for the log of the new file.
        if remnant.exists() and remnant.stat().st_size:
            raise StoreRefused(
                f"{remnant} is there without {path.name}, whose last rows it holds. "
                "Put the file back, or move the log away."
            )
        return
    refuse_foreign(path)
    # Without a log nobody writes, and reading makes no file.
    alone = not remnant.exists()
    with sound_file_needed(path), closing(read_only(path, alone=alone)) as connection:
        refuse_other_version(path, connection)
        _refuse_other_study(path, connection, study)
        _refuse_damaged(path, connection)


def refuse_foreign(path: Path) -> None:
    """Refuse a file that is not SQLite."""
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


def damaged(path: Path, complaint: object) -> StoreRefused:
    """Return the refusal of a file that SQLite finds damaged."""
    return StoreRefused(f"{path} is damaged ({' '.join(str(complaint).split())}). {_ADVICE}")


_ADVICE = (
    "It is left as it is: move it aside to begin anew, or put a copy in its place; "
    "`sqlite3 FILE .recover` may save rows."
)


def _refuse_other_study(path: Path, connection: sqlite3.Connection, study: Study) -> None:
    meta = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('study', 'seed')"))
    if not meta:  # killed between creating and the first session
        return
    theirs, ours = (meta["study"], int(meta["seed"])), (study.name, study.seed)
    if theirs != ours:
        raise StoreRefused(
            f"{path} holds the study {theirs[0]!r} with seed {theirs[1]}, "
            f"this is {ours[0]!r} with seed {ours[1]}. Name another folder with --out."
        )


def _refuse_damaged(path: Path, connection: sqlite3.Connection) -> None:
    (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise damaged(path, answer)


def _kind(error: sqlite3.Error) -> int:
    """Return the kind of an error: the lower byte of its code, the others are details."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
