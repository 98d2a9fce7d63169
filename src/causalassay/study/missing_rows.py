"""Which rows an unfinished study still lacks, by algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from causalassay.study.storage import read_store


@dataclass(frozen=True)
class MissingRows:
    """What the main part of a study lacks, as it was last run.

    Parameters
    ----------
    by_algorithm : mapping
        Rows that are missing, by algorithm, in the order of the study; those that lack none
        are left out.
    total : int
        Rows of the complete study.
    """

    by_algorithm: dict[str, int]
    total: int

    @property
    def n_missing(self) -> int:
        """Rows that are missing.

        Examples
        --------
        >>> MissingRows({"pc": 2, "ges": 1}, 8).n_missing
        3
        """
        return sum(self.by_algorithm.values())


def missing_rows(folder: Path | str) -> MissingRows:
    """Return what the study in a results folder lacks."""
    with read_store(folder) as store, store.sound():
        total = store.totals()["main"]
        stored = {
            name: sum(counts.values()) for name, counts in store.counts_by_algorithm().items()
        }
    each = total // len(stored) if stored else 0
    lacking = {name: each - count for name, count in stored.items() if count < each}
    return MissingRows(lacking, total)
