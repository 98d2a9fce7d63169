"""What `run` does with Slurm: it submits a study as a job, and inside the job queues it again."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import typer

from causalassay.cli.options import STORE, flag, option, print_json

THESE_JOBS = "slurm"
"""What `--cluster` takes in place of an address: jobs of Slurm, with the driver here."""


@dataclass(frozen=True)
class SlurmOptions:
    """How a study runs as jobs of Slurm."""

    panel: ClassVar[str] = "Slurm"

    slurm: str | None = option(
        None,
        "Submit the run as a job of Slurm, with these options of sbatch: "
        '"--partition cpu --time 4:00:00 --cpus-per-task 16 --mem 32G". '
        "With --dry-run: print the script, submit nothing.",
        metavar="OPTIONS",
    )
    jobs: int = option(
        1, "Jobs with these options; each is on one node, the first has the driver.", min=1
    )
    local_disk: Path | None = option(
        None,
        "A folder on a local disk for the store, where --out is on a network file system: --out "
        "gets a copy every ten seconds and at the end, and a run goes on from the copy.",
    )
    requeue: bool = flag(
        "In a job of Slurm: stop when it sends USR1, before its time limit, and queue the job "
        "again. --slurm writes it into the script."
    )


def study_command(
    study_file: Path, folder: Path, options: SlurmOptions, further: Sequence[str]
) -> str:
    """Return what the job of a study runs, as a line of the shell.

    Parameters
    ----------
    study_file, folder : Path
        What is run, and where its results go.
    options : SlurmOptions
    further : sequence of str
        Options of `run` that the job is to have.
    """
    from causalassay.study.slurm import CORES, LOCAL_DISK

    words = [sys.executable, "-m", "causalassay", "run", str(study_file.absolute())]
    words += ["--out", str(folder.absolute()), *further]
    if options.jobs > 1:
        words += ["--cluster", THESE_JOBS, "--slurm", options.slurm or ""]
        words += ["--jobs", str(options.jobs - 1)]
    line = f"{shlex.join(words)} --workers {CORES} --requeue"
    disk = LOCAL_DISK if options.local_disk is None else shlex.quote(str(options.local_disk))
    return f"{line} --local-disk {disk}"


def submit(
    study: str, command: str, folder: Path, options: SlurmOptions, dry: bool, as_json: bool
) -> None:
    """Submit the job of a study, or print its script."""
    from causalassay.study.slurm import StudyJob, sbatch_options
    from causalassay.study.storage.refusals import is_shared

    job = StudyJob(study, folder, command, sbatch_options(options.slurm or ""))
    if options.jobs > 1:
        import causalassay.study.slurm_executor  # noqa: F401 - what it needs is here, not there
    if dry:
        if as_json:
            print_json({"folder": str(folder), "script": job.script()})
        else:
            typer.echo(job.script(), nl=False)
        return
    number = job.submit()
    log = folder.absolute() / f"slurm-{number}.log"
    if as_json:
        paths = {"folder": str(folder), "script": str(job.path), "log": str(log)}
        print_json({"job": number} | paths)
        return
    typer.echo(
        f"Submitted job {number}; `squeue -j {number}` shows it, `scancel {number}` ends it."
    )
    typer.echo(f"Log: {log}")
    typer.echo(f"Progress: causalassay status {shlex.quote(str(folder))}")
    if not is_shared(folder):
        typer.echo(
            f"note: {folder} is on a disk of this machine; if the nodes do not see it, cancel the "
            "job and name a folder that they share with --out",
            err=True,
        )


@contextmanager
def queued_again(folder: Path) -> Iterator[None]:
    """Answer the signal before the time limit: stop, and queue the job again.

    A job that stored no row is not queued again: with the same time it would not get further.

    Parameters
    ----------
    folder : Path
        The results folder, in which rows are counted.
    """
    from causalassay.study.slurm import queue_again, this_job

    job, before, told = this_job(), _stored_records(folder), False

    def tell(*_: object) -> None:
        nonlocal told
        told = True
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGUSR1, tell)
    try:
        yield
    except typer.Exit:
        if not told:
            raise
        if _stored_records(folder) == before:
            typer.echo(
                f"the time limit is near and no row was finished, so job {job} is not queued "
                "again: give it more time (--time), or lower the time limit of a task",
                err=True,
            )
            raise
        typer.echo(f"the time limit is near: job {job} is queued again", err=True)
        queue_again(job)
        raise
    finally:
        signal.signal(signal.SIGUSR1, handler)


def _stored_records(folder: Path) -> int:
    from causalassay.study.storage import read_store

    if not (folder / STORE).exists():
        return 0
    with read_store(folder) as store:
        return sum(session.records for session in store.sessions())
