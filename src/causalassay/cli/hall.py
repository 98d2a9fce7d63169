"""The command `hall`."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.interruptions import make_results_folder, resumable
from causalassay.cli.options import AsJson
from causalassay.cli.printing import EVERY_SECONDS, progress_bar, wide_console
from causalassay.common.replacing import check_target, write_text

if TYPE_CHECKING:
    from causalassay.environments.catalogue import EnvironmentDefinition
    from causalassay.lab.hall import Entry, Row, Settings

DEFAULT_FOLDER = Path("hall")
_MOST_NAMED = 10
"""Entries that the command of a page names; it runs all of them if there are more."""


def hall(  # noqa: PLR0913, PLR0917  one argument per option
    only: Annotated[
        list[str] | None,
        typer.Option(help="Name of an entry; see --list. May be given more than once."),
    ] = None,
    list_entries: Annotated[
        bool, typer.Option("--list", help="List the entries instead of measuring them.")
    ] = False,
    draws: Annotated[int, typer.Option(help="Data sets drawn of each generator.")] = 20,
    nodes: Annotated[int, typer.Option(help="Columns of a data set.")] = 20,
    samples: Annotated[int, typer.Option(help="Rows of a data set.")] = 1000,
    seed: Annotated[
        int, typer.Option(help="Random seed: the same seed gives the same numbers.")
    ] = 0,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of sachs.csv, chamber.csv and chamber-graph.csv."),
    ] = None,
    bif: Annotated[
        list[Path] | None,
        typer.Option(help="File of a discrete network (BIF). May be given more than once."),
    ] = None,
    install: Annotated[
        bool,
        typer.Option(
            "--install",
            help="Install the environments of the packages first; without it their rows are "
            "skipped.",
        ),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Measure also what is already there.")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write the draws to, as CSV files with their graphs. Nothing that is "
            "there is overwritten."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Results folder.")] = DEFAULT_FOLDER,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Page to write: Markdown, or HTML if its name ends in .html. Default: hall.md in "
            "the results folder."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Audit popular generators and data sets: one verdict table.

    Generators of other packages run in their environments (see `env`), with the defaults of
    their packages. Each gives 20 data sets; the verdict on them is that of `audit`. Our own
    schemes and real data are there too.

    Rows are kept as they arrive: after Ctrl-C the same command continues. A row is measured
    again if its settings, its package or the tests changed.

    Example: causalassay hall --only linear-raw --only linear-iscm
    """
    from causalassay.lab.hall import Settings, chosen, entries, fill

    settings = Settings(draws, nodes, samples, seed)
    _check_folder(data)
    known = entries(settings, data, bif or ())
    wanted = chosen(known, only or ())
    if list_entries:
        _print_entries(wanted, as_json)
        return
    check_target(page)
    if keep is not None:
        from causalassay.lab.hall.running import check_places

        check_places(wanted, settings, keep)
    make_results_folder(out)
    _prepare(wanted, install)
    with resumable(out), _progress() as on_progress:
        rows = fill(wanted, settings, out, again=again, on_progress=on_progress)
        if keep is not None:
            _keep_draws(wanted, settings, keep)
    files = _write(list(known), rows, settings, out, page)
    if as_json:
        typer.echo(json.dumps([row.to_dict() for row in rows], indent=2, allow_nan=False))
    else:
        _print(rows, settings, files)
    if not any(row.status == "ok" for row in rows):
        raise typer.Exit(1)


def _check_folder(data: Path | None) -> None:
    if data is not None and not data.is_dir():
        raise ValueError(f"--data {data} is no folder; name the folder of sachs.csv or chamber.csv")


def _print_entries(wanted: Sequence[Entry], as_json: bool) -> None:
    from causalassay.lab.hall.document import entries_document
    from causalassay.present.terminal import print_document

    if as_json:
        names = ("name", "group", "package", "world", "what", "call", "note", "reference")
        plain = [{name: getattr(one, name) for name in names} for one in wanted]
        typer.echo(json.dumps(plain, indent=2, ensure_ascii=False))
        return
    print_document(entries_document(wanted), wide_console())


def _prepare(wanted: Sequence[Entry], install: bool) -> None:
    """Install what the entries need, or say what is absent."""
    from causalassay.cli.environments import install_all, note_absent

    absent = _absent(wanted)
    if install:
        install_all(absent)
    else:
        note_absent(absent)


def _absent(wanted: Sequence[Entry]) -> list[EnvironmentDefinition]:
    from causalassay.environments.installing import state
    from causalassay.lab.hall.sources import PackageGenerator

    sources = [one.source for one in wanted if isinstance(one.source, PackageGenerator)]
    homes = {one.home.name: one.home for one in sources}
    return [home for home in homes.values() if state(home).python is None]


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar where somebody watches, and elsewhere a line now and then."""
    last = time.monotonic()
    with progress_bar("auditing draws", "audit") as show:

        def on_progress(name: str, done: int, total: int) -> None:
            nonlocal last
            show(done, total)
            if not sys.stderr.isatty() and time.monotonic() - last > EVERY_SECONDS:
                typer.echo(f"audited {done} of {total} data sets; now {name}", err=True)
                last = time.monotonic()

        yield on_progress


def _keep_draws(wanted: Sequence[Entry], settings: Settings, folder: Path) -> None:
    from causalassay.lab.hall.running import keep_draws
    from causalassay.lab.hall.sources import SourceAbsent, SourceFailed

    for entry in wanted:
        try:
            command = keep_draws(entry, settings, folder)
        except (SourceAbsent, SourceFailed) as reason:
            typer.echo(f"{entry.name}: no draws are kept: {reason}", err=True)
        else:
            typer.echo(f"{entry.name}: {command}", err=True)


def _write(
    order: list[str], rows: list[Row], settings: Settings, out: Path, page: Path | None
) -> dict[str, Path]:
    """Write page, picture and numbers of all rows of the folder, those of earlier runs too."""
    from causalassay.lab.hall.document import (
        NUMBERS,
        PICTURE,
        hall_csv,
        hall_document,
        results_from,
    )
    from causalassay.lab.hall.row import all_rows
    from causalassay.present.html import page as page_html
    from causalassay.present.markdown import document_markdown, write_pictures

    every, left_out = all_rows(out, rows, settings, order)
    files = {"Page": page or out / "hall.md", "Picture": out / PICTURE, "Table": out / NUMBERS}
    document = hall_document(
        every,
        settings,
        _command(every, order, settings, out, page),
        results=results_from(files["Page"], out),
        missing=[name for name in order if name not in {row.name for row in every}],
        linked=(files["Page"].parent / "rules.md").is_file(),
    )
    is_html = files["Page"].suffix == ".html"
    write_text(files["Table"], hall_csv(every))
    write_text(files["Page"], page_html(document) if is_html else document_markdown(document))
    if not write_pictures(document, files["Page"]):
        del files["Picture"]
    if left_out:
        typer.echo(
            "note: not on the page, for they were measured with other settings: "
            f"{', '.join(left_out)}",
            err=True,
        )
    return files


def _print(rows: list[Row], settings: Settings, files: dict[str, Path]) -> None:
    from causalassay.lab.hall.document import hall_document
    from causalassay.present.terminal import print_document

    print_document(hall_document(rows, settings), wide_console())
    for what, path in files.items():
        typer.echo(f"{what}: {path}")


def _command(
    rows: Sequence[Row], order: list[str], settings: Settings, out: Path, page: Path | None
) -> str:
    """Return the command of a page; a path is as it was given."""
    words = ["causalassay", "hall"]
    if any(row.group == "data set" for row in rows):
        words += ["--data", "FOLDER"]
    names = [row.name for row in rows]
    if len(names) <= _MOST_NAMED and not set(order) <= set(names):
        words += [word for name in names for word in ("--only", name)]
    words.append("--install")
    words += ["--out", str(out)] if out != DEFAULT_FOLDER else []
    words += ["--page", str(page)] if page is not None else []
    return shlex.join(words) + settings.options
