"""Writes the pending runs of algorithms that compute many into a file, and what solves it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.common.files import replacing
from causalassay.discovery.continuous.batch_format import FORMAT, VERSION, write_arrays
from causalassay.discovery.continuous.moments import Moments
from causalassay.discovery.continuous.together import SolvedTogether
from causalassay.study.driver import choose_candidates
from causalassay.study.keys import digest
from causalassay.study.pending import pending_calls, pending_tasks
from causalassay.study.plan import Batch, Purpose, Record, Study, task_key
from causalassay.study.storage import Store
from causalassay.study.worker.batch_runner import attempt_problem
from causalassay.study.worker.calls import Member, members_of_calls


@dataclass
class _Group:
    """The pending problems of one algorithm and one size."""

    run: int
    n_nodes: int
    keys: list[str] = field(default_factory=list)
    moments: list[Moments] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    def add(self, study: Study, fit: list[Member], found: list[Moments], batch: int) -> None:
        """Add those members of a call of so many that have something to solve."""
        call = self.calls[-1] + 1 if self.calls else 0
        self.keys += [task_key(study, member.task) for member in fit]
        self.moments += found
        self.calls += [call] * len(found)
        self.batches += [batch] * len(found)

    @property
    def arrays(self) -> dict[str, Any]:
        """What the file has of it."""
        return {
            "keys": np.array(self.keys),
            "covariances": np.array([each.covariance for each in self.moments]),
            "n_samples": np.array([each.n_samples for each in self.moments]),
            "call": np.array(self.calls),
            "batch": np.array(self.batches),
        }


@dataclass(frozen=True)
class Exported:
    """What an export wrote.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    counts : tuple of (name, n_nodes, count)
        Runs in the file, by algorithm and size.
    left : int
        Pending runs with nothing to solve, such as singular covariances: `run` writes their rows.
    """

    purpose: Purpose
    counts: tuple[tuple[str, int, int], ...]
    left: int

    @property
    def total(self) -> int:
        """Runs in the file.

        Examples
        --------
        >>> Exported("main", (("golem-ev", 10, 200), ("golem-ev", 20, 50)), 0).total
        250
        """
        return sum(count for _, _, count in self.counts)


def fingerprint(study: Study) -> str:
    """Return what tells the files of one study from those of others."""
    return digest("batches", study.name, study.seed)


def export_pending(
    study: Study,
    store: Store,
    path: Path,
    retry: Collection[str] = (),
    watch: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Write the pending runs that a solver of a file can solve; no file if there are none.

    While tunings have pending runs, these alone are written: what comes after depends on them.

    Parameters
    ----------
    study : Study
    store : Store
    path : Path
        To write.
    retry : collection of status
        Runs whose rows have these statuses count as pending, too.
    watch : callable
        Called with the number of runs so far.
    """
    purpose = _purpose(study, store, retry)
    groups: dict[tuple[int, int], _Group] = {}
    total = left = 0
    for batch in _calls(study, store, purpose, retry):
        for members in members_of_calls(study, batch, attempt_problem):
            if isinstance(members, Record):
                left += 1
                continue
            fit, found = _with_moments(study, members)
            left += len(members) - len(fit)
            address = members[0].task.run, members[0].shown.data.n_nodes
            group = groups.setdefault(address, _Group(*address))
            group.add(study, fit, found, len(members))
            watch(total := total + len(fit))
    written = [group for group in groups.values() if group.keys]
    if written:
        _write(study, path, purpose, written)
    names = (study.algorithms[group.run].name for group in written)
    sizes = ((group.n_nodes, len(group.keys)) for group in written)
    counts = tuple((name, *size) for name, size in zip(names, sizes, strict=True))
    return Exported(purpose, counts, left)


def _purpose(study: Study, store: Store, retry: Collection[str]) -> Purpose:
    """Return what is to be computed first; if it is the main part, candidates are chosen."""
    if not any(entry.tuning for entry in study.algorithms):
        return "main"
    if any(True for _ in _calls(study, store, "tuning", retry)):
        return "tuning"
    if next(pending_tasks(study, store, "tuning"), None) is not None:
        raise ValueError(
            "tunings of algorithms that run one by one are to end first: run the study, then "
            "export again"
        )
    choose_candidates(study, store)
    return "main"


def _calls(study: Study, store: Store, purpose: Purpose, retry: Collection[str]) -> Iterator[Batch]:
    """Yield the calls of algorithms whose searches a file can hold."""
    for stream in pending_calls(study, store, purpose, retry):
        for batch in stream:
            if isinstance(study.algorithms[_run(batch)].algorithm, SolvedTogether):
                yield batch


def _run(batch: Batch) -> int:
    first: Any = batch[0]
    return int(first.run)


def _with_moments(study: Study, members: list[Member]) -> tuple[list[Member], list[Moments]]:
    """Return the members that have something to solve, and what is to be solved of each."""
    algorithm: Any = study.algorithms[members[0].task.run].algorithm
    pairs: list[tuple[Member, Moments]] = []
    for member in members:
        try:
            pairs.append((member, algorithm.moments(member.shown.data)))
        except Exception:  # noqa: PERF203, S112  its row says why, once `run` writes it
            continue
    return [member for member, _ in pairs], [found for _, found in pairs]


def _write(study: Study, path: Path, purpose: Purpose, groups: list[_Group]) -> None:
    arrays: dict[str, Any] = {}
    groups_about: list[dict[str, Any]] = []
    for number, group in enumerate(groups):
        entry = study.algorithms[group.run]
        algorithm: Any = entry.algorithm
        arrays |= {f"{number}.{name}": array for name, array in group.arrays.items()}
        groups_about.append(
            {
                "name": entry.name,
                "key": entry.key,
                "device": algorithm.device,
                "searches": algorithm.searches(),
                "n_nodes": group.n_nodes,
                "count": len(group.keys),
            }
        )
    about = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "pending",
        "study": study.name,
        "fingerprint": fingerprint(study),
        "purpose": purpose,
        "id": digest(*(key for group in groups for key in group.keys), groups_about),
        "groups": groups_about,
    }
    write_arrays(path, about, arrays)


_MODULES = ("card_kernels.py", "batch_format.py", "batch_solver.py", "batch_program.py")
_HOME = "causalassay/discovery/continuous"
_MAIN = """import sys
import tempfile
import zipfile
from pathlib import Path

# Triton reads the source of its kernels, which must be files.
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(Path(__file__).parent) as packed:
        packed.extractall(folder)
    sys.path[0] = folder
    try:
        import numpy, torch
    except ImportError as error:
        sys.exit(f"error: {error}; this needs Python with torch and numpy")
    from causalassay.discovery.continuous.batch_program import main

    code = main()
sys.exit(code)
"""


def write_program(path: Path) -> None:
    """Write the program that solves pending files: one file for Python with torch and numpy.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "solve.pyz")
    ...     write_program(path)
    ...     [name.rpartition("/")[2] for name in zipfile.ZipFile(path).namelist()][-3:]
    ['batch_format.py', 'batch_solver.py', 'batch_program.py']
    """
    here = files("causalassay.discovery.continuous")
    packages = ("causalassay", "causalassay/discovery", _HOME)
    texts = {"__main__.py": _MAIN} | {f"{package}/__init__.py": "" for package in packages}
    texts |= {f"{_HOME}/{name}": here.joinpath(name).read_text("utf-8") for name in _MODULES}
    with replacing(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        for name, text in texts.items():
            archive.writestr(zipfile.ZipInfo(name), text)  # of one date: the same bytes each time
