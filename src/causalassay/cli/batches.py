"""The command `batches`: pending runs are written to a file, solved elsewhere, and read back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from causalassay.cli.algorithms import AllowPrograms, permit
from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import (
    AsJson,
    PlainGroup,
    add_command,
    argument,
    complete_results,
    complete_study,
    flag,
    option,
    print_json,
)
from causalassay.cli.printing import progress_bar
from causalassay.cli.studies import Retried
from causalassay.common.files import check_target
from causalassay.common.registry import install_line
from causalassay.present.formatting import counted

if TYPE_CHECKING:
    from causalassay.study.plan import Study
    from causalassay.study.storage import Store

batches = typer.Typer(
    help="Compute GOLEM and NOTEARS on another machine, such as one with a graphics card: it needs "
    "Python, torch and numpy, and nothing else.\n\nExample: causalassay batches export study.toml "
    "pending.npz && causalassay batches solve pending.npz solved.npz && causalassay batches import "
    "study-results solved.npz",
    no_args_is_help=True,
    cls=PlainGroup,
)

_NPZ = ".npz"


def _complete(incomplete: str) -> list[str]:
    return [*complete_study(incomplete), *complete_results(incomplete)]


_STUDY = "Study file, or the results folder of a study that has been run."


@dataclass(frozen=True)
class ExportOptions:
    """Which runs are written, and where."""

    study: Path = argument(_STUDY, metavar="STUDY", autocompletion=_complete)
    pending: Path = argument("File to write, .npz.", metavar="PENDING")
    program: Path | None = option(
        None,
        "Also write the program that solves it: one file, such as solve.pyz, for a machine that "
        "has Python, torch and numpy.",
    )
    out: Path | None = option(
        None, "Results folder of a study file. Default: NAME-results next to it."
    )
    retry: list[Retried] | None = option(
        None,
        "Also write runs whose rows have this status: failed, timeout, skipped (such as where "
        "there was no card), or damaged (wrong checksum; the row is dropped). May be given more "
        "than once.",
        metavar="STATUS",
    )
    allow_programs: AllowPrograms = False


@add_command(batches, "export")
def export(options: ExportOptions, as_json: AsJson = False) -> None:
    """Write the pending runs of golem-ev, golem-nv and notears with a device of torch to a file.

    The file has their covariance matrices, settings and keys: neither data nor graphs. Solve it
    where there is a card, then `import` the solved file into the same results folder.

    Example: causalassay batches export study.toml pending.npz --program solve.pyz
    """
    from causalassay.study.batches.exporting import export_pending, write_program

    _check_name(options.pending, "PENDING")
    if options.program is not None:
        check_target(options.program, ())
        if options.program.resolve() == options.pending.resolve():
            raise ValueError(f"--program: {options.program} is PENDING; name another file")
    study, folder = _study_of(options.study, options.out)
    _permit(study, options.allow_programs)
    asked = options.retry or []
    retry = [status.value for status in asked if status is not Retried.damaged]
    with (
        answered_in_one_line("nothing was written"),
        _store(folder, study, drop_damaged=Retried.damaged in asked) as store,
        progress_bar("collecting") as bar,
    ):
        total = max(study.n_tasks["main"], 1)
        exported = export_pending(
            study, store, options.pending, retry, lambda done: bar(min(done, total), total)
        )
    if options.program is not None and exported.total:
        write_program(options.program)
    if as_json:
        groups = [
            {"algorithm": name, "n_nodes": n_nodes, "runs": count}
            for name, n_nodes, count in exported.counts
        ]
        print_json({"purpose": exported.purpose, "groups": groups, "left": exported.left})
        return
    of_tunings = "" if exported.purpose == "main" else " of tunings"
    for name, n_nodes, count in exported.counts:
        typer.echo(f"{name}, {counted(n_nodes, 'node')}: {counted(count, 'run')}{of_tunings}")
    if exported.left:
        typer.echo(
            f"{counted(exported.left, 'run')} with nothing to solve: `causalassay run` says why"
        )
    if not exported.total:
        typer.echo(
            "no file written: no run is pending of an algorithm with "
            'device = "cuda" or "torch" (batch = 1 turns calls off); rows with another status need '
            "--retry"
        )
        return
    solve = "causalassay batches solve" if options.program is None else f"python {options.program}"
    solved = options.pending.with_name("solved.npz")
    typer.echo(f"Then: {solve} {options.pending} {solved}")
    typer.echo(f"And here: causalassay batches import {folder} {solved}")


@dataclass(frozen=True)
class SolveOptions:
    """What is solved, where the result goes, and on what."""

    pending: Path = argument("File that `export` wrote.", metavar="PENDING")
    solved: Path = argument("File to write, .npz, for `import`.", metavar="SOLVED")
    device: str = option(
        "",
        "Device of torch, such as cuda:1. Default: that of the study. One of another kind is "
        "refused, since the device is part of the keys of rows.",
    )


@add_command(batches, "solve")
def solve(options: SolveOptions) -> None:
    """Solve a file of pending runs, with torch; after an interruption, the same command goes on.

    Each call that has ended is kept in SOLVED.parts until the file is whole.

    Example: causalassay batches solve pending.npz solved.npz
    """
    _check_name(options.solved, "SOLVED")
    try:
        from causalassay.discovery.continuous.batch_program import solve_file
    except ImportError as error:
        raise ValueError(f"solving needs torch: {install_line('gpu')}") from error
    line = f"what is solved is in {options.solved}.parts; run the same command to continue"
    with answered_in_one_line(line):
        solve_file(options.pending, options.solved, options.device, typer.echo)


@dataclass(frozen=True)
class ImportOptions:
    """Which rows are read back, and from where."""

    results: Path = argument(
        "Results folder of the study, or its study file.",
        metavar="RESULTS",
        autocompletion=_complete,
    )
    solved: Path = argument("File that `solve` wrote.", metavar="SOLVED")
    out: Path | None = option(
        None, "Results folder of a study file. Default: NAME-results next to it."
    )
    again: bool = flag("Also write rows that are stored already; without it they stay.")
    allow_programs: AllowPrograms = False


@add_command(batches, "import")
def import_(options: ImportOptions, as_json: AsJson = False) -> None:
    """Read solved runs back as rows: each is compared with the study's data, then scored.

    A file of another study, or of other data or settings, is refused. Doing it twice changes
    nothing.

    Example: causalassay batches import study-results solved.npz
    """
    from causalassay.study.batches.importing import check_study, import_solved, read_solved

    solved = read_solved(options.solved)
    study, folder = _study_of(options.results, options.out)
    check_study(study, solved)  # opening its results would make this study theirs
    _permit(study, options.allow_programs)
    line = f"imported rows are in {folder}; run the same command to continue"
    with (
        answered_in_one_line(line),
        _store(folder, study) as store,
        progress_bar("scoring") as bar,
    ):
        done = import_solved(
            study, store, solved, again=options.again, watch=lambda done: bar(done, len(solved))
        )
    if as_json:
        print_json({"folder": str(folder), "written": done.written, "stored": done.stored})
        return
    stayed = f", {done.stored} were there already" if done.stored else ""
    typer.echo(f"{counted(done.written, 'row')} written to {folder}{stayed}")


def _study_of(given: Path, out: Path | None) -> tuple[Study, Path]:
    """Return the study of a study file, or of the results folder of one, and that folder."""
    from causalassay.study.language import parse_study, read_study
    from causalassay.study.storage import read_store

    if given.suffix == ".toml":
        study = read_study(given)
        return study, out or given.parent / f"{study.name}-results"
    if out is not None:
        raise ValueError("--out is for a study file; with a results folder, leave it out")
    with read_store(given) as store:
        text = store.text
    return parse_study(text, given.absolute().parent), given


def _permit(study: Study, allowed: bool) -> None:
    """Ask whether the Python files of a study may run that make or score problems."""
    from causalassay.study.programs import own_parts_of, programs_of

    permit(programs_of((), own_parts_of(study)), allowed)


@contextmanager
def _store(folder: Path, study: Study, *, drop_damaged: bool = False) -> Iterator[Store]:
    from causalassay.study.storage import Store

    with Store.open(folder, study, drop_damaged=drop_damaged) as store:
        yield store


def _check_name(path: Path, what: str) -> None:
    """Raise before the work begins if a file cannot be written there."""
    if path.suffix != _NPZ:
        raise ValueError(f"{what}: expected a file {_NPZ}, got {path.name!r}")
    check_target(path, ())
