"""Runs a study from Python and returns what follows from its rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from causalassay.analysis.analysis import Analysis, read
from causalassay.processes.supervisor import refuse_unguarded_script
from causalassay.study.driver import run_study
from causalassay.study.executors import LocalExecutor
from causalassay.study.language.study_file import as_study
from causalassay.study.plan import Study
from causalassay.study.programs import own_parts_of, programs_of
from causalassay.study.scratch_folders import ScratchFolders


def run(
    study: Path | str | Mapping[str, Any] | Study,
    *,
    workers: int | None = None,
    out: Path | str | None = None,
    allow_programs: bool = False,
) -> Analysis:
    """Run a study, or the rest of it, and return its analysis; `.frame` has the rows.

    A script calls this below ``if __name__ == "__main__":``, because the processes that run
    algorithms import the script.

    Parameters
    ----------
    study : path, str, mapping or Study
        A study file, its text (TOML), or the same as nested dictionaries. Paths in a file are
        relative to its folder, others to the present one.
    workers : int, optional
        Processes; by default one for each core.
    out : path or str, optional
        The results folder. Where it has rows of this study, the run goes on from them. By default
        that is, for a study file, the folder that ``causalassay run`` uses: ``<name>-results``
        beside the file. Otherwise it is a temporary folder, deleted at the end.
    allow_programs : bool
        Run the programs and Python files that the study names; without it, they are an error.

    Raises
    ------
    StudyMistakes
        The study has mistakes; all of them are listed.
    RuntimeError
        The call is in a script and not below ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import causalassay as ca
    >>> study = {
    ...     "name": "tiny",
    ...     "seed": 1,
    ...     "replicates": 1,
    ...     "controls": False,
    ...     "problems": [{"samples": 50, "graph": {"kind": "chain", "n_nodes": 3},
    ...                   "model": {"kind": "scm"}}],
    ... }
    >>> ca.run(study, workers=1).frame["status"].tolist()  # the five baselines
    ['ok', 'ok', 'ok', 'ok', 'ok']
    """
    refuse_unguarded_script()  # before anything is opened
    plan = as_study(study)
    if not allow_programs and (programs := programs_of(plan.algorithms, own_parts_of(plan))):
        lines = " | ".join(program.line for program in programs)
        raise ValueError(
            f"this study runs programs on your machine: {lines}; pass allow_programs=True if you "
            "trust them"
        )
    with ExitStack() as temporary:
        home = None
        if out is None and isinstance(study, Path | str) and Path(study).is_file():
            out = Path(study).parent / f"{plan.name}-results"
        elif out is None:
            out = temporary.enter_context(tempfile.TemporaryDirectory(prefix=f"{plan.name}-"))
            home = temporary.enter_context(tempfile.TemporaryDirectory(prefix="causalassay-"))
        scratch = ScratchFolders.of_results(Path(out), None if home is None else Path(home))
        cores = len(os.sched_getaffinity(0))
        run_study(plan, Path(out), LocalExecutor(plan, workers or cores, scratch))
        return read(out)
