"""Finds one row of a study by the beginning of its key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from causalassay.study.plan import Purpose, Status
from causalassay.study.reasons import encodable
from causalassay.study.storage import schema
from causalassay.study.storage.checks import CHECKED, read_chunks, row_damage
from causalassay.study.storage.reader import StoreReader, read_store
from causalassay.study.storage.refusals import rows_refusal


@dataclass(frozen=True)
class RowAddress:
    """Which row it is, by the keys of its parts.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem : str
    replicate : int
    algorithm : str, optional
        None: the row of the problem's diagnostics.
    chose : str, optional
        Key of the candidate that a tuned algorithm ran.
    """

    purpose: Purpose
    problem: str
    replicate: int
    algorithm: str | None
    chose: str | None = None


@dataclass(frozen=True)
class RowMatch:
    """A row that the beginning of a key names, as far as running it again needs.

    Parameters
    ----------
    key : str
        In full.
    address : RowAddress
    status, reason : str
    folder : Path
        Of the store.
    text : str
        The study file as of the last run.
    """

    key: str
    address: RowAddress
    status: Status
    reason: str
    folder: Path
    text: str


def find_row(prefix: str, folder: Path | None = None) -> RowMatch:
    """Return the one row whose key begins like this, in a store or in those of the folders here.

    Raises
    ------
    ValueError
        There is none, or there are several.
    """
    folders = _folders_here() if folder is None else [folder]
    matches: list[RowMatch] = []
    for store in folders:
        with read_store(store) as reader:
            matches += _matches(reader, prefix)
    if not matches:
        where = ", ".join(map(str, folders)) or "the folders here: there is no store"
        raise ValueError(f"no key begins with {prefix!r} in {where}")
    if len(matches) > 1:
        first = ", ".join(f"{match.key} in {match.folder}" for match in matches[:3])
        raise ValueError(f"several keys begin with {prefix!r}: {first}; write more of it")
    return matches[0]


def _folders_here() -> list[Path]:
    """Return the folders with a store: this one, and those in it."""
    inside = sorted(path.parent for path in Path().glob(f"*/{schema.FILE}"))
    return [Path(), *inside] if Path(schema.FILE).exists() else inside


_FOUND = (
    "rows.key, status, coalesce(reason, ''), "
    "purpose, problems.key, replicate, algorithms.key, candidates.key"
)
_ROWS = (
    # Not through an index, whose damage would go unnoticed.
    f"SELECT {CHECKED}, {_FOUND} FROM rows NOT INDEXED "
    "JOIN problems ON problems.id = rows.problem "
    "LEFT JOIN algorithms ON algorithms.id = rows.algorithm "
    "LEFT JOIN choices ON choices.problem = rows.problem "
    "AND choices.algorithm = rows.algorithm AND purpose = 'main' "
    "LEFT JOIN algorithms AS candidates ON candidates.id = choices.candidate "
    # Keys are hexadecimal: all that begin like this come before a "g".
    "WHERE rows.key >= :prefix AND rows.key < :prefix || 'g' ORDER BY rows.key LIMIT 3"
)
_N_CHECKED = len(CHECKED.split(", "))


def _matches(reader: StoreReader, prefix: str) -> list[RowMatch]:
    """Return the rows of a store whose key begins like this, three at most."""
    with reader.sound():
        rows = reader.connection.execute(_ROWS, {"prefix": encodable(prefix.lower())})
        chunks = list(read_chunks(rows))
        if any(chunk.damaged for chunk in chunks):
            raise rows_refusal(reader.path, row_damage(reader.connection))
        text = reader.text
        return [
            RowMatch(key, RowAddress(*address), status, reason, reader.folder, text)
            for chunk in chunks
            for key, status, reason, *address in (row[_N_CHECKED:] for row in chunk.rows)
        ]
