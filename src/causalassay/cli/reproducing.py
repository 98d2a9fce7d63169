"""The command `reproduce`."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.interruptions import make_results_folder, resumable
from causalassay.cli.options import AsJson
from causalassay.cli.printing import wide_console
from causalassay.common.files import write_text

if TYPE_CHECKING:
    from causalassay.lab.papers import Paper, Reproduction
    from causalassay.lab.papers.published import Size
    from causalassay.lab.papers.running import RunStudy
    from causalassay.study.plan import Study

DEFAULT_FOLDER = Path("reproduced")
LONGEST_NAME = 100
"""Of a folder: file systems take 255 bytes."""


def reproduce(  # noqa: PLR0913, PLR0917  one argument per option
    slug: Annotated[
        str | None,
        typer.Argument(help="The paper, such as reisach2021. Without it: list the papers."),
    ] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(help="A table or figure, such as table-5. May be given more than once."),
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Fewer replicates, wider intervals. The default.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="The paper's own size, or more.")] = False,
    all_papers: Annotated[bool, typer.Option("--all", help="Every paper.")] = False,
    out: Annotated[Path, typer.Option(help="Results folder, on a local disk.")] = DEFAULT_FOLDER,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Local processes. Default: one per core.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Run on a dask cluster: the scheduler's address, tcp://HOST:8786."),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Print every value. With --item it is the default.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compute the published values of a paper, and print ours beside them.

    A number agrees if chance and rounding explain how far it is from ours: 2.6 standard errors,
    ours and the paper's added as variances, plus half a unit of its last digit.
    After Ctrl-C the same command continues: finished rows and computed values are kept.

    Example: causalassay reproduce reisach2021 --item table-5
    """
    from causalassay.lab.papers import paper_slugs, read_paper

    _check_options(slug, all_papers=all_papers, item=item, sizes=(fast, full), values=values)
    item = list(dict.fromkeys(item or []))
    slugs = [slug] if slug is not None else paper_slugs()
    papers = [read_paper(one) for one in slugs]
    if slug is None and not all_papers:
        _print_list(papers, as_json)
        return
    size: Size = "full" if full else "fast"

    def run(study: Study, folder: Path) -> None:
        from causalassay.cli.studies import executor_for, run_to_end

        run_to_end(study, folder, executor_for(study, workers, cluster))

    _check_folders(out)
    found = []
    with resumable(out):
        for paper in papers:
            folder = _pages_folder(paper, item, out)
            found.append(_reproduced(paper, item, size, out, folder, run))
            if not as_json:
                _print_result(found[-1], folder, values=values or bool(item))
    if as_json:
        typer.echo(json.dumps([one.to_dict() for one in found], indent=2, allow_nan=False))
    elif len(found) > 1:
        _print_counts(found, out)


def _check_options(
    slug: str | None,
    *,
    all_papers: bool,
    item: list[str] | None,
    sizes: tuple[bool, bool],
    values: bool,
) -> None:
    """Raise where options exclude each other, or need a paper."""
    if all(sizes):
        raise ValueError("--fast and --full exclude each other; state one")
    if slug and all_papers:
        raise ValueError(f"--all means every paper; leave out {slug!r}, or --all")
    if item and not slug:
        raise ValueError("--item needs a paper: causalassay reproduce SLUG --item NAME")
    if slug is None and not all_papers and (any(sizes) or values):
        raise ValueError("state a paper, or --all: causalassay reproduce SLUG --full")


def _check_folders(out: Path) -> None:
    """Raise before the work begins if results cannot be written, or data not be found."""
    from causalassay.data.problem import ENVIRONMENT

    stated = os.environ.get(ENVIRONMENT)
    if stated and not Path(stated).is_dir():
        raise ValueError(
            f"{ENVIRONMENT} is {stated!r}, which is no folder; set it to the folder of the data "
            "files, or unset it"
        )
    make_results_folder(out)


def _pages_folder(paper: Paper, items: list[str], out: Path) -> Path:
    """Return where table and pages go; those of some items do not replace the whole paper's."""
    whole = out / paper.slug
    name = "-".join(["only", *items])
    if len(name) > LONGEST_NAME:
        checksum = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = f"only-{len(items)}-items-{checksum}"
    return whole / name if items else whole


def _reproduced(  # noqa: PLR0913, PLR0917  what to reproduce, where to, and how it runs
    paper: Paper, items: list[str], size: Size, out: Path, folder: Path, run: RunStudy
) -> Reproduction:
    from causalassay.lab.papers import reproduce as compute

    reproduction = compute(paper, items, size, out, run, lambda line: typer.echo(line, err=True))
    _write(reproduction, folder)
    return reproduction


def _write(reproduction: Reproduction, folder: Path) -> None:
    """Write table.csv, page.html, page.md, and the pictures that it shows."""
    from causalassay.lab.papers.document import reproduction_document
    from causalassay.present.html import page
    from causalassay.present.markdown import document_markdown, write_pictures
    from causalassay.present.provenance import today

    folder.mkdir(parents=True, exist_ok=True)
    reproduction.to_frame().to_csv(folder / "table.csv", index=False)
    document = reproduction_document(reproduction, today())
    write_text(folder / "page.html", page(document))
    write_pictures(document, folder / "page.md")
    plain = document_markdown(reproduction_document(reproduction, today(), notes=False))
    notes = reproduction.paper.notes
    write_text(folder / "page.md", f"{plain}\n#{notes.rstrip()}\n" if notes else plain)


def _print_list(papers: list[Paper], as_json: bool) -> None:
    from causalassay.lab.papers.document import listed_items, papers_document
    from causalassay.present.terminal import print_document

    if as_json:
        plain = {paper.slug: listed_items(paper) for paper in papers}
        typer.echo(json.dumps(plain, indent=2))
        return
    print_document(papers_document(papers), wide_console())


def _print_result(reproduction: Reproduction, folder: Path, *, values: bool) -> None:
    from causalassay.lab.papers.document import VALUES
    from causalassay.present.terminal import print_document

    print_document(reproduction.document(), wide_console(), [VALUES] if values else [])
    typer.echo(f"Table: {folder / 'table.csv'}")
    typer.echo(f"Page: {folder / 'page.html'}")


def _print_counts(reproductions: list[Reproduction], out: Path) -> None:
    from causalassay.lab.papers.document import overview_document
    from causalassay.present.markdown import write_pictures
    from causalassay.present.terminal import print_document

    document = overview_document(reproductions)
    print_document(document, wide_console())
    for picture in write_pictures(document, out / "page.md"):
        typer.echo(f"Picture: {picture}")
