"""How many rows a store has of each problem and algorithm, and how long they took."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from causalassay.study.plan import Purpose, Study
from causalassay.study.storage import schema
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.refusals import refuse_other_study

Cell = tuple[Purpose, str, str]
"""Purpose, the problem's key and the algorithm's key."""


@dataclass(frozen=True)
class StoredCell:
    """The rows of one algorithm on one problem.

    Parameters
    ----------
    rows : int
    timed : int
        Those whose discovery ended, in time.
    seconds : float
        What their discovery took in total.
    """

    rows: int
    timed: int
    seconds: float


def stored_seconds(folder: Path, study: Study) -> dict[Cell, StoredCell]:
    """Return what a folder has of a study's rows; nothing if it has no store.

    Parameters
    ----------
    folder : Path
    study : Study
        As it is now: what the store was last run with may differ.

    Raises
    ------
    StoreRefused
        What is there is damaged, of another version, another study's, or no store.
    """
    if not (folder / schema.FILE).exists():
        return {}
    with read_store(folder) as store, store.sound():
        refuse_other_study(store.path, store.connection, study)
        rows = store.connection.execute(
            "SELECT purpose, problems.key, algorithms.key, count(*), count(seconds), "
            "total(seconds) FROM rows JOIN problems ON problems.id = rows.problem "
            "JOIN algorithms ON algorithms.id = rows.algorithm "
            "WHERE purpose = 'tuning' OR replicate < ? GROUP BY 1, 2, 3",
            (study.replicates,),
        )
        return {
            (purpose, problem, algorithm): StoredCell(*numbers)
            for purpose, problem, algorithm, *numbers in rows
        }
