"""The commands that run studies: `run` and `replay`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import AsJson, complete_results, complete_study
from causalassay.cli.printing import wide_console
from causalassay.cli.program_permission import AllowPrograms, permit

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from causalassay.study.executors import Executor
    from causalassay.study.plan import Study
    from causalassay.study.programs import Program

MOST_SUMMARIZED = 200_000
"""Rows up to which `run` prints a summary at once; beyond, that takes time and memory."""

_WHERE = "Where it runs"


class Again(StrEnum):
    """Which rows `run --retry` runs again."""

    failed = "failed"
    timeout = "timeout"
    skipped = "skipped"
    damaged = "damaged"


def run(  # noqa: PLR0913, PLR0917  one argument per option
    study_file: Annotated[
        Path,
        typer.Argument(
            help="TOML file; `causalassay new study NAME` writes one.",
            autocompletion=complete_study,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Results folder, on a local disk. Default: NAME-results next to the study file.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Local processes. Default: one per core.", rich_help_panel=_WHERE),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Run on a dask cluster: the scheduler's address, tcp://HOST:8786.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    retry: Annotated[
        list[Again] | None,
        typer.Option(
            help="Run rows with this status again: failed, timeout, skipped, or damaged (wrong "
            "checksum). May be given more than once.",
            metavar="STATUS",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print what would run, and a time estimate from stored rows."
        ),
    ] = False,
    allow_programs: AllowPrograms = False,
    install: Annotated[
        bool,
        typer.Option(
            "--install",
            help="Install the environments of third-party packages that the study names; without "
            "it their rows are skipped.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a study, or the rest of it.

    Every algorithm runs on every replicate of every problem. Each run is one row,
    whatever happens. Rows are stored as they arrive: after Ctrl-C, a crash or a
    kill, the same command continues where it stopped. After a change to the study
    file, only what is new is computed.

    A study may name programs. They are shown, and run only if you allow it.

    Example: causalassay run study.toml --workers 4
    """
    from causalassay.study.language import read_study
    from causalassay.study.programs import programs_of

    study = read_study(study_file)
    programs = programs_of(study.algorithms)
    folder = out or study_file.parent / f"{study.name}-results"
    if dry_run:
        _print_plan(study, folder, programs, workers or _n_cores(), as_json)
        return
    permit(programs, allow_programs)
    again = [*(retry or []), *_prepared_environments(study, install, cluster is not None)]
    counts = run_to_end(study, folder, executor_for(study, workers, cluster), again)
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


def _prepared_environments(study: Study, install: bool, on_cluster: bool) -> list[Again]:
    """Install what a study needs, or say what is absent; return which rows are to run again."""
    from causalassay.cli.environments import install_all, note_absent
    from causalassay.study.needed_environments import absent_environments, needed_environments

    absent = absent_environments(study.algorithms)
    if not install:
        note_absent(absent, on_cluster)
        return []
    install_all(absent)
    # Also what was skipped before somebody else installed it.
    return [Again.skipped] if needed_environments(study.algorithms) else []


def _print_plan(
    study: Study, folder: Path, programs: Sequence[Program], workers: int, as_json: bool
) -> None:
    """Print what a run would do; of how long it takes only what stored rows tell."""
    from causalassay.study.forecast import forecast
    from causalassay.study.language import describe
    from causalassay.study.needed_environments import absent_environments

    left = forecast(study, folder)
    named = [program.line for program in programs]
    absent = [home.name for home in absent_environments(study.algorithms)]
    if as_json:
        plan = {"folder": str(folder), "rows": left.to_dict(), "programs": named}
        plan |= {"absent_environments": absent}
        typer.echo(json.dumps(plan, indent=2))
        return
    lines = [*describe(study), *left.lines(workers), *(f"program: {line}" for line in named)]
    lines += [f"environment: {name} is not installed; add --install" for name in absent]
    for line in lines:
        typer.echo(line)


def _n_cores() -> int:
    return len(os.sched_getaffinity(0))


def executor_for(
    study: Study, workers: int | None, cluster: str | None
) -> AbstractContextManager[Executor]:
    """Return local processes, by default one per core, or the workers of a cluster."""
    if cluster is not None:
        if workers is not None:
            raise ValueError("--workers is for local processes; with --cluster, leave it out")
        from causalassay.study.cluster_executor import DaskExecutor

        return DaskExecutor(study, cluster)
    from causalassay.study.executors import LocalExecutor

    return LocalExecutor(study, workers or _n_cores())


def run_to_end(
    study: Study,
    folder: Path,
    executor: AbstractContextManager[Executor],
    retry: Sequence[Again] = (),
) -> dict[str, int]:
    """Run what is left of a study, its progress on stderr; Ctrl-C ends the program."""
    from causalassay.study.driver import run_study
    from causalassay.study.progress import progress_display

    console = Console(stderr=True)
    line = f"finished rows are in {folder}; run the same command to continue"
    with answered_in_one_line(line), progress_display(console) as watch:
        counts = run_study(
            study,
            folder,
            executor,
            retry=[again.value for again in retry],
            watch=watch,
            notify=lambda note: console.print(f"note: {note}", style="yellow", soft_wrap=True),
        )
    return dict(counts)


def replay(
    key: Annotated[str, typer.Argument(help="The row's key, or its first characters.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--in",
            help="Results folder. Default: the one in this folder that has the key.",
            autocompletion=complete_results,
        ),
    ] = None,
    study_file: Annotated[
        Path | None, typer.Option("--study", help="Study file to use instead of the stored text.")
    ] = None,
    allow_programs: AllowPrograms = False,
    as_json: AsJson = False,
) -> None:
    """Run one task again in the foreground, for debugging.

    Errors are shown with their traceback; `python -m pdb -m causalassay replay KEY`
    stops where one occurs. Nothing is stored. If the task runs a program, it is
    shown, and runs only if you allow it.

    Example: causalassay replay 3fa9 --in first-look-results
    """
    from causalassay.study.language import parse_study, read_study
    from causalassay.study.programs import programs_of
    from causalassay.study.replay import replay as run_again
    from causalassay.study.replay import task_at
    from causalassay.study.storage import find_row
    from causalassay.study.tasks import RunTask

    row = find_row(key, folder)
    study = (
        read_study(study_file)
        if study_file
        else parse_study(row.text, row.folder.absolute().parent)
    )
    task = task_at(study, row.address)
    if isinstance(task, RunTask):
        permit(programs_of([study.algorithms[task.run]]), allow_programs)
    record = run_again(study, task)
    fields = _replayed(study, record, row.status)
    if as_json:
        typer.echo(json.dumps(fields, indent=2))
    else:
        for name, value in fields.items():
            typer.echo(f"{name}: {value}")


def _replayed(study: Study, record: Any, stored_status: str) -> dict[str, Any]:
    from causalassay.study.tasks import MeasureTask

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
        **dict(zip(names, record.scores, strict=True)),
        **record.notes,
    }
