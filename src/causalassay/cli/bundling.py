"""The command `bundle`."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.interruptions import algorithms_at_work
from causalassay.cli.options import AsJson, complete_results
from causalassay.cli.printing import progress_bar
from causalassay.common.spelling import listed

if TYPE_CHECKING:
    from causalassay.lab.bundling import Bundle, Checked


def bundle(  # noqa: PLR0913, PLR0917  one argument per option
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="RESULTS",
            help="The study's results folder.",
            autocompletion=complete_results,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write: a new or empty one.")] = None,
    anonymous: Annotated[
        bool,
        typer.Option(
            "--anonymous", help="Leave out hosts, users and paths, for double-blind review."
        ),
    ] = False,
    hide: Annotated[
        list[str] | None,
        typer.Option(
            help="Further name that --anonymous leaves out, such as yours on the machine that ran "
            "the study. May be given more than once."
        ),
    ] = None,
    include_data: Annotated[
        bool,
        typer.Option(
            "--include-data",
            help="Copy the data files that the study names: you may share them. Without it they "
            "are named with their checksums.",
        ),
    ] = False,
    licence: Annotated[
        str | None,
        typer.Option(help="What you state, such as CC-BY-4.0. Default: none is stated."),
    ] = None,
    author: Annotated[str | None, typer.Option(help="Who made it, for the description.")] = None,
    url: Annotated[str | None, typer.Option(help="Where it will be, for the description.")] = None,
    unfinished: Annotated[
        bool,
        typer.Option("--unfinished", help="Bundle a study of which tasks are missing."),
    ] = False,
    study_file: Annotated[
        Path | None,
        typer.Option(
            "--study", help="Where the study file is, if it is not beside the results folder."
        ),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="Check this bundle instead of writing one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what a benchmark track asks for: a study, its results and their description.

    The folder holds the study file and its code, the rows, the graphs, the report, the
    versions of packages, checksums, a Croissant file and an evaluation card. It can be run
    again from inside with `causalassay run study.toml`.

    --check says whether the files of a bundle are as they were written and its rows
    belong to its study. Nothing that it names is run.

    Example: causalassay bundle first-look-results --out first-look-bundle --anonymous

    Check it: causalassay bundle --check first-look-bundle
    """
    if check is not None:
        if folder is not None or out is not None:
            raise ValueError("--check BUNDLE stands alone; leave out RESULTS and --out")
        _print_checked(check, as_json)
        return
    if folder is None or out is None:
        raise ValueError(
            "name the results and the folder to write: causalassay bundle RESULTS --out FOLDER"
        )
    from causalassay.lab.bundling import Terms, write_bundle

    hidden = tuple(hide or ())
    terms = Terms(anonymous, include_data, unfinished, licence, author, url, hidden)
    with algorithms_at_work(), progress_bar("bundling") as on_step:
        written = write_bundle(folder, out, terms, study_file, on_step)
    _print_written(written, licence, as_json)


def _print_written(written: Bundle, licence: str | None, as_json: bool) -> None:
    if as_json:
        plain = dataclasses.asdict(written) | {"folder": str(written.folder)}
        typer.echo(json.dumps(plain, indent=2))
        return
    typer.echo(
        f"{written.files} files, {written.rows} rows, {written.graphs} graphs: {written.folder}"
    )
    if written.missing:
        typer.echo(f"Not complete: {written.missing} tasks are missing; the card says so.")
    for name in written.left_out:
        typer.echo(f"Not included: {name}; --include-data copies it, if you may share it.")
    for name in written.newer:
        typer.echo(
            f"{name} was written after the last row: whether the rows come from it is not known; "
            "the card says so."
        )
    if written.elsewhere:
        typer.echo(
            f"It also ran on {listed(written.elsewhere)}. If you have another user name there, it "
            "may still be in reasons and comments: add --hide NAME."
        )
    if written.suspected:
        typer.echo(
            f"The wheel has a name that is hidden elsewhere ({written.suspected}): a citation, or "
            "an edit of yours that you take out before you hand it in."
        )
    if licence is None:
        typer.echo("No licence is stated: most tracks ask for one, such as --licence CC-BY-4.0.")
    typer.echo(f"Read {written.folder / 'card.md'} before you hand it in.")


def _print_checked(folder: Path, as_json: bool) -> None:
    from causalassay.lab.bundling import check_bundle

    found: Checked = check_bundle(folder)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(found), indent=2))
        return
    typer.echo(f"{found.files} files are as they were bundled: {folder}")
    missing = f"; {found.missing} tasks have no row" if found.missing else ""
    typer.echo(
        f"{found.rows} rows belong to the study{missing}; report and card say what they say."
    )
    if not found.same_package:
        typer.echo(
            "Its wheel is not this causalassay: to install it is to trust those who made it."
        )
    if found.others:
        typer.echo(f"{len(found.others)} other files have no checksum, such as {found.others[0]}.")
