"""The command `reproduce`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.options import AsJson
from causalassay.cli.printing import wide_console

if TYPE_CHECKING:
    from causalassay.reproducing import Paper, Reproduction
    from causalassay.reproducing.published import Size
    from causalassay.reproducing.running import RunStudy
    from causalassay.study.plan import Study

DEFAULT_FOLDER = Path("reproduced")


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

    Whether a value agrees is decided by a rule that was stated before the run: it lies in our
    99 % interval, widened by its printed rounding and the paper's own standard error.
    Studies are resumed: after Ctrl-C the same command continues where it stopped.

    Example: causalassay reproduce reisach2021 --item table-5
    """
    from causalassay.reproducing import paper_slugs, read_paper

    if fast and full:
        raise ValueError("--fast and --full exclude each other; state one")
    if slug and all_papers:
        raise ValueError(f"--all means every paper; leave out {slug!r}, or --all")
    if item and not slug:
        raise ValueError("--item needs a paper: causalassay reproduce SLUG --item NAME")
    slugs = paper_slugs() if all_papers or not slug else [slug]
    papers = [read_paper(one) for one in slugs]
    if not slug and not all_papers:
        _print_list(papers, as_json)
        return
    size: Size = "full" if full else "fast"

    def run(study: Study, folder: Path) -> None:
        from causalassay.cli.studies import executor_for, run_to_end

        run_to_end(study, folder, executor_for(study, workers, cluster))

    found = [_reproduced(paper, item or [], size, out, run) for paper in papers]
    if as_json:
        typer.echo(json.dumps([one.to_dict() for one in found], indent=2, allow_nan=False))
        return
    _print_results(found, out, values=values or bool(item))


def _reproduced(
    paper: Paper, items: list[str], size: Size, out: Path, run: RunStudy
) -> Reproduction:
    from causalassay.report.reproduction import write_reproduction
    from causalassay.reproducing import reproduce as compute

    found = compute(paper, items, size, out, run)
    write_reproduction(found, out / paper.slug)
    return found


def _print_list(papers: list[Paper], as_json: bool) -> None:
    from causalassay.report.reproduction import listed_items, render_list

    if as_json:
        plain = {paper.slug: listed_items(paper) for paper in papers}
        typer.echo(json.dumps(plain, indent=2))
        return
    render_list(papers, wide_console())


def _print_results(found: list[Reproduction], out: Path, *, values: bool) -> None:
    from causalassay.report.reproduction import render_reproduction
    from causalassay.reproducing.result import count_sentences

    for one in found:
        render_reproduction(one, wide_console(), values=values)
        typer.echo(f"Table: {out / one.paper.slug / 'table.csv'}")
        typer.echo(f"Page: {out / one.paper.slug / 'page.html'}")
    if len(found) > 1:
        lines = [line for one in found for line in one.lines]
        typer.echo("All papers. " + " ".join(count_sentences(lines)))
