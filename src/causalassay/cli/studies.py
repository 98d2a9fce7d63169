"""The commands that run studies: `run` and `replay`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from causalassay.cli.algorithms import AllowPrograms, permit
from causalassay.cli.environments import prepare_environments
from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import (
    CLUSTER_OR_SLURM,
    WORKERS,
    AsJson,
    argument,
    complete_results,
    complete_study,
    flag,
    option,
    print_json,
)
from causalassay.cli.printing import wide_console
from causalassay.cli.slurm import (
    THESE_JOBS,
    SlurmOptions,
    queued_again,
    study_command,
    submit,
)
from causalassay.common.spelling import visible

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from causalassay.study.executors import Executor
    from causalassay.study.forecast import Forecast
    from causalassay.study.plan import Study
    from causalassay.study.programs import Program
    from causalassay.study.scratch_folders import ScratchFolders

MOST_SUMMARIZED = 200_000
"""Rows up to which `run` prints a summary at once; beyond, that takes time and memory."""

_WHERE = "Where it runs"


class Retried(StrEnum):
    """The status of rows that `run --retry` runs again."""

    failed = "failed"
    timeout = "timeout"
    skipped = "skipped"
    damaged = "damaged"


@dataclass(frozen=True)
class RunOptions:
    """What is run, and where."""

    study_file: Path = argument(
        "TOML file; `causalassay new study NAME` writes one.", autocompletion=complete_study
    )
    out: Path | None = option(
        None,
        "Results folder, on a local disk. Default: NAME-results next to the study file.",
        rich_help_panel=_WHERE,
    )
    workers: int | None = option(None, WORKERS, min=1, rich_help_panel=_WHERE)
    cluster: str | None = option(None, CLUSTER_OR_SLURM, rich_help_panel=_WHERE)
    retry: list[Retried] | None = option(
        None,
        "Run rows with this status again: failed, timeout, skipped, or damaged (wrong "
        "checksum). May be given more than once.",
        metavar="STATUS",
    )
    again: list[str] | None = option(
        None,
        "Compute all rows of this algorithm again, such as after a change of code that its key "
        "does not cover; other rows stay. Each old row stays until its new one comes. After an "
        "interruption, continue without --again. May be given more than once.",
        metavar="ALGORITHM",
    )
    scratch: Path | None = option(
        None,
        "Folder for the checkpoints of algorithms (`data.scratch`). Default: "
        "causalassay/scratch in $XDG_CACHE_HOME or ~/.cache.",
        rich_help_panel=_WHERE,
    )
    dry_run: bool = flag("Print what would run, and a time estimate from stored rows.")
    allow_programs: AllowPrograms = False
    install: bool = flag(
        "Install the environments of third-party packages that the study names; without "
        "it their rows are skipped."
    )
    slurm: SlurmOptions = SlurmOptions()


def run(options: RunOptions, as_json: AsJson = False) -> None:
    """Run a study, or the rest of it.

    Every algorithm runs on every replicate of every problem. Each run is one row,
    whatever happens. Rows are stored as they arrive: after Ctrl-C, a crash or a
    kill, the same command continues where it stopped. After a change to the study
    file, only what is new is computed; --retry and --again compute rows again.

    A study may name programs. They are shown, and run only if you allow it.

    With --slurm the run is a job of Slurm, which goes on after its time limit.

    Example: causalassay run study.toml --workers 4
    """
    from causalassay.study.driver import algorithms_named
    from causalassay.study.forecast import forecast
    from causalassay.study.language import read_study
    from causalassay.study.programs import own_parts_of, programs_of

    study = read_study(options.study_file)
    outdated = algorithms_named(study, options.again or [])  # before anybody is asked anything
    programs = programs_of(study.algorithms, own_parts_of(study))
    folder = options.out or options.study_file.parent / f"{study.name}-results"
    submits = _submits(options)
    if options.dry_run and not submits:
        retry = [status.value for status in _to_retry(study, options)]
        left = forecast(study, folder, outdated, retry)
        _print_plan(study, folder, left, programs, options.workers or _n_cores(), as_json)
        return
    if not options.dry_run:
        permit(programs, options.allow_programs)
    lines = [_needed_line(study), *_not_in_keys(study)]
    if submits:
        if not options.dry_run:
            _prepared_environments(study, options.install, on_cluster=False)
        retry = [f"--retry={status.value}" for status in _to_retry(study, options)]
        again = [f"--again={name}" for name in options.again or []]
        again += [f"--scratch={options.scratch.absolute()}"] if options.scratch else []
        further = [*retry, *again, *(["--allow-programs"] if programs else [])]
        command = study_command(options.study_file, folder, options.slurm, further)
        submit(study.name, command, folder, options.slurm, options.dry_run, as_json)
        typer.echo("\n".join(lines), err=True)
        return
    _prepared_environments(study, options.install, options.cluster is not None)
    with queued_again(folder) if options.slurm.requeue else nullcontext():
        typer.echo("\n".join(lines), err=True)
        counts = run_to_end(
            study,
            folder,
            _executor(study, folder, options),
            _to_retry(study, options),
            _to_compute_again(options),
            options.slurm.local_disk,
        )
    if as_json:
        typer.echo(json.dumps({"folder": str(folder), "rows": counts}))
        return
    if sum(counts.values()) <= MOST_SUMMARIZED:
        # Not before: the first row would come seconds later.
        from causalassay.analysis import read
        from causalassay.analysis.report.files import write_report
        from causalassay.analysis.report.terminal import print_overview

        analysis = read(folder)
        print_overview(analysis, wide_console())
        typer.echo(f"Report: {write_report(folder, analysis=analysis)}")
    else:
        typer.echo(", ".join(f"{count} {status}" for status, count in counts.items() if count))
        typer.echo(f"Summary: causalassay summary {folder}")
        typer.echo(f"Report: causalassay report {folder}")


def _not_in_keys(study: Study) -> list[str]:
    """Return a line for each Python file that imports code which is in no key."""
    from causalassay.study.programs import imports_elsewhere

    lines = []
    for file, names in imports_elsewhere(study).items():
        places = ", ".join(f"{name} ({place or 'not found here'})" for name, place in names.items())
        lines.append(
            f"note: {visible(file)} imports code that is no part of its rows' keys: "
            f"{visible(places)}; after a change there, compute its rows anew with --again"
        )
    return lines


def _submits(options: RunOptions) -> bool:
    """Return whether a job of Slurm is to run the study; refuse options that do not fit."""
    ours, cluster = options.slurm, options.cluster
    if cluster == THESE_JOBS and ours.slurm is None:
        raise ValueError("--cluster slurm needs --slurm with the options of its jobs")
    if ours.slurm is None and ours.jobs > 1:
        raise ValueError("--jobs is for --slurm, which has the options of the jobs; add it")
    if ours.slurm is None or cluster == THESE_JOBS:
        return False
    if cluster is not None:
        raise ValueError("--slurm submits a job of its own; with the address of --cluster, omit it")
    if options.workers is not None:
        raise ValueError(
            "--workers is for local processes; a job of Slurm has as many as cores: "
            '--slurm "--cpus-per-task 16"'
        )
    return True


def _prepared_environments(study: Study, install: bool, on_cluster: bool) -> None:
    """Install what a study needs, or say what is absent."""
    from causalassay.study.programs import absent_environments

    prepare_environments(absent_environments(study.algorithms), install, on_cluster)


def _to_retry(study: Study, options: RunOptions) -> list[Retried]:
    """Return which rows are to run again; in a job that was queued again they were."""
    from causalassay.study.programs import needed_environments
    from causalassay.study.slurm import times_requeued

    if options.slurm.requeue and times_requeued():
        return []
    retry = list(options.retry or [])
    # Also what was skipped before somebody else installed it.
    if options.install and needed_environments(study.algorithms):
        retry.append(Retried.skipped)
    return retry


def _to_compute_again(options: RunOptions) -> list[str]:
    """Return the algorithms whose rows are computed again; a job queued again goes on with it."""
    from causalassay.study.slurm import times_requeued

    return [] if options.slurm.requeue and times_requeued() else list(options.again or [])


def _executor(study: Study, folder: Path, options: RunOptions) -> AbstractContextManager[Executor]:
    from causalassay.study.scratch_folders import ScratchFolders

    scratch = ScratchFolders.of_results(folder, options.scratch)
    if options.cluster != THESE_JOBS:
        return executor_for(study, options.workers, options.cluster, scratch)
    from causalassay.study.slurm import sbatch_options
    from causalassay.study.slurm_executor import slurm_workers

    words = sbatch_options(options.slurm.slurm or "")
    logs = folder / "slurm-workers"
    return slurm_workers(study, words, options.slurm.jobs, options.workers or 0, logs, scratch)


def _print_plan(
    study: Study,
    folder: Path,
    left: Forecast,
    programs: Sequence[Program],
    workers: int,
    as_json: bool,
) -> None:
    """Print what a run would do; of how long it takes only what stored rows tell."""
    from causalassay.analysis.needed import needed_by, needed_line
    from causalassay.study.executors import cards_for
    from causalassay.study.language import describe
    from causalassay.study.programs import absent_environments

    needed, cards = needed_by(study), cards_for(study)
    on_cards = [entry.name for entry in study.algorithms if entry.needs.gpus]
    named = [program.line for program in programs]
    absent = [home.name for home in absent_environments(study.algorithms)]
    if as_json:
        plan = {"folder": str(folder), "rows": left.to_dict(), "programs": named}
        instances = [each.to_dict() for each in needed]
        print_json(plan | {"absent_environments": absent, "instances": instances})
        return
    lines = [*describe(study), needed_line(needed), *left.lines(workers, len(cards))]
    if on_cards and not cards:
        names = ", ".join(on_cards)
        lines.append(f"no graphics card on this machine: here rows of {names} would be skipped")
    lines += [f"program: {line}" for line in named]
    lines += [f"environment: {name} is not installed; add --install" for name in absent]
    typer.echo("\n".join(lines))


def _needed_line(study: Study) -> str:
    """Return how many instances the study has, and how many its findings need."""
    from causalassay.analysis.needed import needed_by, needed_line

    return needed_line(needed_by(study))


def _n_cores() -> int:
    return len(os.sched_getaffinity(0))


def executor_for(
    study: Study, workers: int | None, cluster: str | None, scratch: ScratchFolders
) -> AbstractContextManager[Executor]:
    """Return local processes, by default one per core, or the workers of a cluster."""
    if cluster is not None:
        if workers is not None:
            raise ValueError("--workers is for local processes; with --cluster, leave it out")
        from causalassay.study.cluster_executor import DaskExecutor

        return DaskExecutor(study, cluster, scratch=scratch)
    from causalassay.study.executors import LocalExecutor

    return LocalExecutor(study, workers or _n_cores(), scratch)


def run_to_end(
    study: Study,
    folder: Path,
    executor: AbstractContextManager[Executor],
    retry: Sequence[Retried] = (),
    again: Sequence[str] = (),
    local_disk: Path | None = None,
) -> dict[str, int]:
    """Run what is left of a study, its progress on stderr; Ctrl-C ends the program.

    With a folder on a local disk, the store works there and the results folder has a copy.
    """
    from causalassay.study.driver import run_study
    from causalassay.study.progress import progress_display
    from causalassay.study.storage import WorkingCopy

    console = Console(stderr=True)
    same = "run the same command without --again" if again else "run the same command"
    line = f"finished rows are in {folder}; {same} to continue"

    def notify(note: str) -> None:
        console.print(f"note: {note}", style="yellow", soft_wrap=True)

    with ExitStack() as stack:
        stack.enter_context(answered_in_one_line(line))
        watch, where = stack.enter_context(progress_display(console)), folder
        if local_disk is not None:
            copy = stack.enter_context(WorkingCopy(folder, local_disk, notify))
            watch, where = copy.watching(watch), copy.folder
        counts = run_study(
            study,
            where,
            executor,
            retry=[status.value for status in retry],
            again=again,
            watch=watch,
            notify=notify,
        )
    return dict(counts)


@dataclass(frozen=True)
class ReplayOptions:
    """Which row is run again, and by which study."""

    key: str = argument("The row's key, or its first characters.")
    folder: Path | None = option(
        None,
        "Results folder. Default: the one in this folder that has the key.",
        "--in",
        autocompletion=complete_results,
    )
    study_file: Path | None = option(
        None, "Study file to use instead of the stored text.", "--study"
    )
    allow_programs: AllowPrograms = False


def replay(options: ReplayOptions, as_json: AsJson = False) -> None:
    """Run one task again in the foreground, for debugging.

    Errors are shown with their traceback; `python -m pdb -m causalassay replay KEY`
    stops where one occurs. Nothing is stored. If the task runs a program, it is
    shown, and runs only if you allow it.

    Example: causalassay replay 3fa9 --in first-look-results
    """
    from causalassay.study.language import parse_study, read_study
    from causalassay.study.plan import RunTask
    from causalassay.study.programs import own_parts_of, programs_of
    from causalassay.study.replay import find_row, task_at
    from causalassay.study.replay import replay as run_again

    row = find_row(options.key, options.folder)
    if options.study_file:
        study = read_study(options.study_file)
    else:
        study = parse_study(row.text, row.folder.absolute().parent)
    task = task_at(study, row.address)
    running = [study.algorithms[task.run]] if isinstance(task, RunTask) else []
    permit(programs_of(running, own_parts_of(study, [task.problem])), options.allow_programs)
    record = run_again(study, task)
    fields = _replayed(study, record, row.status)
    if as_json:
        print_json(fields)
    else:
        typer.echo("\n".join(f"{name}: {value}" for name, value in fields.items()))


def _replayed(study: Study, record: Any, stored_status: str) -> dict[str, Any]:
    from causalassay.study.plan import MeasureTask

    task = record.task
    if isinstance(task, MeasureTask):
        algorithm, names = None, [study.diagnostics[index] for index in task.diagnostics]
    else:
        algorithm = study.algorithms[task.algorithm].name
        names = [study.metrics[index].label for index in task.metrics]
    return {
        "problem": study.problems[task.problem].name,
        "replicate": task.replicate,
        "algorithm": algorithm,
        "status": record.status,
        "stored status": stored_status,
        "reason": record.reason,
        "seconds": record.seconds,
        **record.cells,
        **dict(zip(names, record.scores, strict=True)),
        **record.notes,
    }
