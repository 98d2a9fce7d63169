"""Reads a file of solved problems back as rows, once it is sure that they are of this study."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.file_formats import load_arrays
from causalassay.contracts import Estimate
from causalassay.discovery.continuous.batch_format import (
    COLUMNS,
    FORMAT,
    SOLVED,
    VERSION,
    covariance_digest,
)
from causalassay.study.batches.exporting import fingerprint
from causalassay.study.pending import row_keys, run_tasks_by_key
from causalassay.study.plan import Record, RunTask, Study
from causalassay.study.reasons import readable
from causalassay.study.storage import Store
from causalassay.study.worker.algorithm_process import Answer, answer_of
from causalassay.study.worker.batch_runner import attempt_problem
from causalassay.study.worker.calls import Member, scored
from causalassay.study.worker.discovering import outcome_of
from causalassay.study.worker.task_runner import shown_data

_SAVE_EVERY, _SAVE_AT_MOST = 0.5, 500
_LONGEST_HOST = 200


@dataclass(frozen=True)
class SolvedGroup:
    """The solved problems of one algorithm and one size.

    Parameters
    ----------
    key : str
        Of the algorithm.
    columns : mapping
        What the file says of each problem, by the names of `COLUMNS`.
    numbers : mapping
        The solved numbers of each problem.
    """

    key: str
    columns: Mapping[str, NDArray[Any]]
    numbers: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.columns["keys"])


@dataclass(frozen=True)
class SolvedFile:
    """A file of solved problems that is whole; what it says has not been compared with a study.

    Parameters
    ----------
    path : Path
    study, fingerprint : str
    host : str
        The machine that solved it.
    groups : tuple of SolvedGroup
    """

    path: Path
    study: str
    fingerprint: str
    host: str
    groups: tuple[SolvedGroup, ...]

    def __len__(self) -> int:
        return sum(map(len, self.groups))


def read_solved(path: Path) -> SolvedFile:
    """Return what a file holds.

    Raises
    ------
    ValueError
        If it is damaged, of another version, or no solved file.
    """
    arrays = load_arrays(path, "a solved file of causalassay batches (.npz)")
    try:
        about: Any = json.loads(str(arrays["about"]))
    except (KeyError, ValueError):
        about = None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"{path} is no file of causalassay batches")
    if about.get("version") != VERSION:
        raise ValueError(
            f"{path} has version {about.get('version')!r}, this causalassay reads version "
            f"{VERSION}; export, solve and import with one version"
        )
    if about.get("kind") != "solved":
        raise ValueError(f"{path} is a {about.get('kind')} file; solve it first")
    texts = [about.get(name) for name in ("study", "fingerprint", "host")]
    groups = about.get("groups")
    if not isinstance(groups, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{path}: it does not say which study it is of")
    checked = (_group(path, number, group, arrays) for number, group in enumerate(groups))
    study, of, host = (readable(str(text)) for text in texts)
    return SolvedFile(path, study, of, host[:_LONGEST_HOST], tuple(checked))


def _group(path: Path, number: int, about: Any, arrays: Mapping[str, NDArray[Any]]) -> SolvedGroup:
    """Return the group of a number, unless an array is missing or is not what it must be."""
    where = f"{path}, group {number}"
    try:
        key, n_nodes = str(about["key"]), int(about["n_nodes"])
        names = SOLVED[about["searches"][-1]["solver"]]
    except (TypeError, KeyError, IndexError, ValueError):
        raise ValueError(f"{where}: it does not say what was solved") from None
    given = {name: arrays.get(f"{number}.{name}") for name in COLUMNS}
    columns = {name: array for name, array in given.items() if array is not None}
    if len(columns) < len(COLUMNS):
        raise ValueError(
            f"{where}: {min(set(COLUMNS) - set(columns))!r} is missing; solve it again"
        )
    kinds = {"keys": "U", "digests": "U", "failure": "U", "batch": "iu", "seconds": "f"}
    count = columns["keys"].size
    for name, array in columns.items():
        if array.shape != (count,) or array.dtype.kind not in kinds[name]:
            raise ValueError(f"{where}: {name!r} is not one value for each of {count} problems")
    if count and (columns["batch"].min() < 1 or not np.all(columns["seconds"] >= 0)):
        raise ValueError(f"{where}: expected batch >= 1 and seconds >= 0")
    numbers: dict[str, NDArray[Any]] = {}
    for name in names if (columns["failure"] == "").any() else ():
        array = arrays.get(f"{number}.solved.{name}", np.array(""))
        shape = (count, n_nodes, n_nodes) if name == "weights" else (count,)
        if array.shape != shape or array.dtype.kind not in "biuf":
            raise ValueError(f"{where}: {name!r} is missing, or not of {count} problems")
        numbers[name] = array
    return SolvedGroup(key, columns, numbers)


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Parameters
    ----------
    written : int
        Rows that are new, or that took the place of others.
    stored : int
        Rows that were there already and stayed.
    """

    written: int
    stored: int


def check_study(study: Study, solved: SolvedFile) -> None:
    """Refuse a file that is not of a study, before results take on the study's text.

    Parameters
    ----------
    study : Study
    solved : SolvedFile
    """
    if solved.fingerprint != fingerprint(study):
        raise ValueError(
            f"{solved.path} is of the study {solved.study!r}, this is {study.name!r}, or its seed "
            "is another; import it into the results that it was exported from"
        )
    rows = row_keys(study)
    for group in solved.groups:
        keys = [str(key) for key in group.columns["keys"].tolist()]
        if unknown := [key for key in keys if key not in rows]:
            raise ValueError(
                f"{solved.path}: {len(unknown)} of its {len(keys)} rows of one algorithm are no "
                f"rows of this study, such as {readable(unknown[0])}; the study file, or a "
                "version, has changed since it was exported: export again"
            )


def import_solved(
    study: Study,
    store: Store,
    solved: SolvedFile,
    *,
    again: bool = False,
    watch: Callable[[int], None] = lambda _: None,
) -> Imported:
    """Write the rows of solved problems; each is compared with the study's own data first.

    Parameters
    ----------
    study : Study
    store : Store
    solved : SolvedFile
    again : bool
        Also write rows that are stored and ok.
    watch : callable
        Called with the number of problems so far.

    Raises
    ------
    ValueError
        If the file, or a problem in it, is not of this study. Rows before that problem stay.
    """
    check_study(study, solved)
    tasks = _tasks(study, store, solved)
    written = 0
    waiting: list[Record] = []
    saved = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a record says what came of it
            for count, (group, index) in enumerate(_problems(solved), 1):
                task = tasks[str(group.columns["keys"][index])]
                if again or not _is_stored(store, task):
                    waiting.append(_record(study, solved, group, index, task))
                late = time.monotonic() - saved > _SAVE_EVERY
                if waiting and (late or len(waiting) >= _SAVE_AT_MOST):
                    store.save(waiting)
                    written, waiting, saved = written + len(waiting), [], time.monotonic()
                watch(count)
    finally:
        store.save(waiting)
    written += len(waiting)
    return Imported(written, len(solved) - written)


def _tasks(study: Study, store: Store, solved: SolvedFile) -> dict[str, RunTask]:
    """Return the task of each key; refuse a file that has others."""
    tasks = run_tasks_by_key(study, store)
    for group in solved.groups:
        keys = [str(key) for key in group.columns["keys"].tolist()]
        if len(set(keys)) < len(keys):
            raise ValueError(f"{solved.path} has a row twice; solve it again")
        if not tasks.keys() >= set(keys):
            raise ValueError(
                f"{solved.path} has rows that this study does not compute in calls, or not yet: "
                "see the `device` of its algorithms, and tune first"
            )
        if any(study.algorithms[tasks[key].run].key != group.key for key in keys):
            raise ValueError(
                f"{solved.path} has rows of another algorithm, or of other settings, than this "
                "study; export again"
            )
    return tasks


def _problems(solved: SolvedFile) -> Iterator[tuple[SolvedGroup, int]]:
    for group in solved.groups:
        yield from ((group, index) for index in range(len(group)))


def _is_stored(store: Store, task: RunTask) -> bool:
    """Return whether there is a row that is ok, and not to be computed again."""
    rows = store.rows(task.purpose, task.problem, task.replicate)
    row = rows.algorithms.get(task.algorithm)
    return row is not None and row.status == "ok" and not row.outdated


def _record(
    study: Study, solved: SolvedFile, group: SolvedGroup, index: int, task: RunTask
) -> Record:
    """Return the record that a run would have made of the same numbers."""
    made = attempt_problem(study, task)
    key = str(group.columns["keys"][index])
    if isinstance(made, Exception):
        raise ValueError(f"{solved.path}: the problem of {key} cannot be made here: {made}")
    member = Member(task, made, shown_data(study, task, made))
    answer = _answer(study, solved, group, index, member)
    seconds = float(group.columns["seconds"][index])
    outcome = outcome_of(answer, seconds if math.isfinite(seconds) else math.nan, 0.0)
    batch = int(group.columns["batch"][index])
    record = scored(study, member, replace(outcome, cells={**outcome.cells, "batch": batch}))
    return replace(record, host=solved.host)


def _answer(
    study: Study, solved: SolvedFile, group: SolvedGroup, index: int, member: Member
) -> Answer:
    """Return what the process of the algorithm would have answered."""
    algorithm: Any = study.algorithms[member.task.run].algorithm
    moments = algorithm.moments(member.shown.data)
    here = covariance_digest(moments.covariance, moments.n_samples)
    key = str(group.columns["keys"][index])
    if here != group.columns["digests"][index]:
        raise ValueError(
            f"{solved.path}: the data of {key} are not those that were solved; they were exported "
            "on another machine or with other versions: import there, or export again here"
        )
    if failure := str(group.columns["failure"][index]):
        return Answer("raised", readable(failure))
    numbers = {name: array[index] for name, array in group.numbers.items()}
    value = numbers.get("loss", numbers.get("objective", math.nan))
    if np.isfinite(value) and not np.isfinite(numbers["weights"]).all():
        raise ValueError(f"{solved.path}: the weights of {key} are no numbers; solve it again")
    outcome: Estimate | Exception
    try:
        outcome = algorithm.estimate(moments, numbers)
    except Exception as error:  # as where it runs: it costs its row alone
        outcome = error
    return answer_of(outcome, len(moments.columns))
