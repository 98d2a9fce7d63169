"""Results as lines of JSON: what is there already is not computed again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from causalassay.common.threads import one_thread_each

Row = dict[str, Any]
Job = tuple[str, int]
"""The name of a cell and the number of a draw."""


def read(file: Path) -> dict[Job, Row]:
    """Return the rows of a file by job; a last line that was cut off is left out."""
    if not file.exists():
        return {}
    rows = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows[row["cell"], row["draw"]] = row
    return rows


def compute(
    file: Path, jobs: Iterable[Job], work: Callable[[Job], Row], workers: int = 2
) -> dict[Job, Row]:
    """Return the rows of all jobs; those that a file lacks are computed and appended."""
    jobs = list(jobs)
    known = read(file)
    missing = [job for job in jobs if job not in known]
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and not file.read_bytes().endswith(b"\n"):
        with file.open("a", encoding="utf-8") as stream:
            stream.write("\n")  # a last line that was cut off
    with (
        one_thread_each(),
        file.open("a", encoding="utf-8") as stream,
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        for count, row in enumerate(_results(pool, work, missing), 1):
            known[row["cell"], row["draw"]] = row
            stream.write(json.dumps(row) + "\n")
            if not count % 50:
                stream.flush()
                print(f"{file.stem}: {len(known)} of {len(jobs)}", flush=True)  # noqa: T201
    return {job: known[job] for job in jobs}


def _results(
    pool: ProcessPoolExecutor, work: Callable[[Job], Row], jobs: list[Job]
) -> Iterator[Row]:
    return pool.map(work, jobs, chunksize=5)
