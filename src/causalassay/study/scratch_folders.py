"""The scratch folders of a study's tasks: where each is, and when it is removed.

An algorithm keeps there what is to survive an interruption. The path is all that it learns, so
no part of it says anything about the study: each is a digest. That is why they are not in the
results folder, which has the study's name and lies beside the study file.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from causalassay.study.keys import digest
from causalassay.study.plan import RunTask, Study, task_key


def scratch_home() -> Path:
    """Return where scratch folders are unless the user names another folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    with contextlib.suppress(RuntimeError):  # not every user has a home
        return (Path(base) if base else Path.home() / ".cache") / "causalassay" / "scratch"
    return Path(tempfile.gettempdir()) / f"causalassay-{os.getuid()}" / "scratch"


@dataclass(frozen=True)
class ScratchFolders:
    """The scratch folders of the tasks of one study and one results folder.

    Parameters
    ----------
    folder : Path
        Where they are: in a folder for each algorithm, one for each of its tasks.
    """

    folder: Path

    @classmethod
    def of_results(cls, results: Path, home: Path | None = None) -> ScratchFolders:
        """Return those of a results folder, the same whenever its study is run.

        Parameters
        ----------
        results : Path
        home : Path, optional
            Where they are to be; by default `scratch_home`.
        """
        home = scratch_home() if home is None else home.absolute()
        return cls(home / digest(str(results.resolve())))

    def of_task(self, study: Study, task: RunTask) -> Path:
        """Return the folder of a task; whoever uses it makes it."""
        return Path(self.path_of_task(study, task))

    def path_of_task(self, study: Study, task: RunTask) -> str:
        """Return the path of the folder of a task; a `Path` would take longer, for each task."""
        return f"{self.folder}/{study.algorithms[task.run].key}/{task_key(study, task)}"

    def remove(self, study: Study, tasks: Iterable[RunTask]) -> None:
        """Remove the folders of tasks that have ended well, as far as there are any."""
        if not self.folder.is_dir():
            return  # nearly always: most algorithms keep nothing
        for task in tasks:
            folder = self.of_task(study, task)
            if folder.is_dir():
                shutil.rmtree(folder, ignore_errors=True)
                self._remove_empty(folder.parent)

    def forget(self, study: Study, algorithms: Collection[int]) -> None:
        """Remove the folders of all tasks of some algorithms: they begin anew."""
        for algorithm in algorithms:
            shutil.rmtree(self._of_algorithm(study, algorithm), ignore_errors=True)

    def _of_algorithm(self, study: Study, algorithm: int) -> Path:
        return self.folder / study.algorithms[algorithm].key

    def _remove_empty(self, folder: Path) -> None:
        with contextlib.suppress(OSError):  # other tasks have theirs there
            folder.rmdir()
            self.folder.rmdir()
