"""The commands `hall`, which audits generators, and `reproduce`, which recomputes papers."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from causalassay.cli.environments import prepare_environments
from causalassay.cli.interruptions import make_results_folder, resumable
from causalassay.cli.options import (
    CLUSTER,
    WORKERS,
    AsJson,
    argument,
    flag,
    option,
    print_json,
    print_result,
    seed_option,
)
from causalassay.cli.printing import steady_progress
from causalassay.common.files import check_target, write_text

if TYPE_CHECKING:
    from causalassay.environments.catalogue import EnvironmentDefinition
    from causalassay.lab.hall import Entry, Row, Settings
    from causalassay.lab.papers import Paper, Reproduction
    from causalassay.present import Document
    from causalassay.study.plan import Study

HALL_FOLDER = Path("hall")
PAPERS_FOLDER = Path("reproduced")
ALL = "all"
"""In place of a paper: every paper."""
LONGEST_NAME = 100
"""Of a folder: file systems take 255 bytes."""
_MOST_NAMED = 10
"""Entries that the command of a page names; it runs all of them if there are more."""


@dataclass(frozen=True)
class HallOptions:
    """What `hall` measures, and where it goes."""

    room: Literal["simulators", "implementations"] = argument(
        "What is judged: simulators and data sets, or implementations of algorithms.",
        "simulators",
    )
    only: list[str] | None = option(
        None, "Name of an entry; see `causalassay list hall`. May be given more than once."
    )
    list_entries: bool = flag("List the entries instead of measuring them.", "--list", hidden=True)
    draws: int = option(20, "Data sets drawn of each generator.")
    nodes: int = option(20, "Columns of a data set.")
    samples: int = option(1000, "Rows of a data set.")
    seed: int = seed_option()
    data: Path | None = option(
        None,
        "Folder of sachs.csv, chamber.csv, chamber-graph.csv, and folders networks and rivers.",
    )
    bif: list[Path] | None = option(
        None, "File of a discrete network (BIF). May be given more than once."
    )
    install: bool = flag(
        "Install the environments of the packages first; without it their rows are skipped."
    )
    again: bool = flag("Measure also what is already there.")
    keep: Path | None = option(
        None,
        "Folder to write the draws to, as CSV files with their graphs. Nothing that is "
        "there is overwritten.",
    )
    out: Path = option(HALL_FOLDER, "Results folder.")
    report: Path | None = option(
        None,
        "Page to write: HTML if its name ends in .html, else Markdown. Default: hall.md in "
        "the results folder.",
    )


def hall(options: HallOptions, as_json: AsJson = False) -> None:
    """Audit popular generators and data sets: one verdict table.

    Generators of other packages run in their environments (see `env`), with the defaults of
    their packages. Each gives 20 data sets; the verdict on them is that of `audit`. Our own
    schemes and real data are there too.

    Rows are kept as they arrive: after Ctrl-C the same command continues. A row is measured
    again if its settings, its package or the tests changed.

    `hall implementations` asks instead whether algorithms of packages, and ours, compute what
    their papers say; `--only` then takes names of algorithms and of packages.

    Example: causalassay hall --only linear-raw --only linear-iscm
    """
    if options.room == "implementations":
        _assay_implementations(options, as_json)
        return
    from causalassay.lab.hall import Settings, chosen, entries, fill
    from causalassay.lab.hall.measuring import check_places

    settings = Settings(options.draws, options.nodes, options.samples, options.seed)
    if options.data is not None and not options.data.is_dir():
        raise ValueError(
            f"--data {options.data} is no folder; name the folder of sachs.csv or chamber.csv"
        )
    known = entries(settings, options.data, options.bif or ())
    wanted = chosen(known, options.only or ())
    if options.list_entries:
        print_entries(wanted, as_json)
        return
    check_target(options.report)
    if options.keep is not None:
        check_places(wanted, settings, options.keep)
    make_results_folder(options.out)
    prepare_environments(_absent(wanted), options.install)
    line = "audited {done} of {total} data sets; now {name}"
    with resumable(options.out), steady_progress("auditing draws", line, "audit") as show:
        rows = fill(
            wanted,
            settings,
            options.out,
            again=options.again,
            on_progress=lambda name, done, total: show(done, total, name=name),
        )
        if options.keep is not None:
            _keep_draws(wanted, settings, options.keep)
    files = _write_hall(list(known), rows, settings, options)
    if as_json:
        print_json([row.to_dict() for row in rows])
    else:
        for document in _documents(rows, settings):
            print_result(document)
        for what, path in files.items():
            typer.echo(f"{what}: {path}")
    if not any(row.status == "ok" for row in rows):
        raise typer.Exit(1)


def _documents(rows: list[Row], settings: Settings) -> list[Document]:
    """Return what the rows of a run show: simulators, and real data and networks."""
    from causalassay.lab.hall.document import hall_document
    from causalassay.lab.hall.reality_document import is_reality, reality_document

    simulators = [row for row in rows if not is_reality(row)]
    documents = [hall_document(simulators, settings)] if simulators else []
    if len(simulators) < len(rows):
        documents.append(reality_document(rows, settings))
    return documents


def _assay_implementations(options: HallOptions, as_json: bool) -> None:
    """Assay implementations: a row for each method and check, and a page of all in the folder."""
    from causalassay.environments.catalogue import environment
    from causalassay.environments.installing import state
    from causalassay.lab.hall import implementations
    from causalassay.lab.hall.document import results_from
    from causalassay.lab.hall.implementations import document as shown
    from causalassay.present.html import page
    from causalassay.present.markdown import document_markdown, write_pictures

    methods = implementations.chosen(options.only or ())
    check_target(options.report)
    make_results_folder(options.out)
    homes = {m.package: environment(m.package) for m in methods if m.home is not None}
    prepare_environments(
        [home for home in homes.values() if state(home).python is None], options.install
    )
    line = "{done} of {total} checks; now {name}"
    with resumable(options.out), steady_progress("assaying", line, "check") as show:
        rows = implementations.assay(
            methods,
            options.out,
            again=options.again,
            on_check=lambda name, done, total: show(done, total, name=name),
        )
    report = options.report or options.out / "implementations.md"
    kept = implementations.kept_rows(options.out) or rows
    command = implementations_command(options.out, options.report)
    document = shown.assay_document(kept, command, results_from(report, options.out))
    write_text(options.out / shown.NUMBERS, shown.assay_csv(kept))
    write_text(report, (page if report.suffix == ".html" else document_markdown)(document))
    write_pictures(document, report)
    if as_json:
        print_json([row.to_dict() for row in rows])
    else:
        print_result(shown.assay_document(rows))
        typer.echo(f"Page: {report}")
    if all(row.result is None for row in rows):
        raise typer.Exit(1)


def implementations_command(out: Path, page: Path | None) -> str:
    """Return the command of a page of implementations; a path is as it was given."""
    words = ["causalassay", "hall", "implementations", "--install"]
    words += ["--out", str(out)] if out != HALL_FOLDER else []
    words += ["--report", str(page)] if page is not None else []
    return shlex.join(words)


def print_entries(wanted: Sequence[Entry] | None = None, as_json: bool = False) -> None:
    """Print what entries of the hall are; all but those of files unless some are given."""
    from causalassay.lab.hall import Settings, chosen, entries
    from causalassay.lab.hall.document import entries_document

    wanted = chosen(entries(Settings(), None, ()), ()) if wanted is None else wanted
    if as_json:
        names = ("name", "group", "package", "world", "what", "call", "note", "reference")
        plain = [{name: getattr(entry, name) for name in names} for entry in wanted]
        print_json(plain, ensure_ascii=False)
    else:
        print_result(entries_document(wanted))


def _absent(wanted: Sequence[Entry]) -> list[EnvironmentDefinition]:
    """Return the environments that entries need and that are not installed."""
    from causalassay.environments.installing import state
    from causalassay.lab.hall.catalogue import PackageGenerator

    sources = [entry.source for entry in wanted if isinstance(entry.source, PackageGenerator)]
    homes = {source.home.name: source.home for source in sources}
    return [home for home in homes.values() if state(home).python is None]


def _keep_draws(wanted: Sequence[Entry], settings: Settings, folder: Path) -> None:
    from causalassay.lab.hall.entry import SourceAbsent, SourceFailed
    from causalassay.lab.hall.measuring import keep_draws

    for entry in wanted:
        try:
            command = keep_draws(entry, settings, folder)
        except (SourceAbsent, SourceFailed) as reason:
            typer.echo(f"{entry.name}: no draws are kept: {reason}", err=True)
        else:
            typer.echo(f"{entry.name}: {command}", err=True)


def _write_hall(
    order: list[str], rows: list[Row], settings: Settings, options: HallOptions
) -> dict[str, Path]:
    """Write pages, pictures and numbers of all rows of the folder, those of earlier runs too."""
    from causalassay.lab.hall import document as shown
    from causalassay.lab.hall.priors_document import is_prior, priors_document
    from causalassay.lab.hall.reality_document import is_reality, reality_document
    from causalassay.lab.hall.row import all_rows
    from causalassay.present.html import page
    from causalassay.present.markdown import document_markdown, write_pictures

    every, left_out = all_rows(options.out, rows, settings, order)
    report, numbers = options.report or options.out / "hall.md", options.out / shown.NUMBERS
    real = [row for row in every if is_reality(row)]
    simulators = [row for row in every if not is_reality(row)]
    results = shown.results_from(report, options.out)
    written: dict[str, Path] = {}

    def show(document: Document, name: str, path: Path) -> None:
        write_text(path, (page if path.suffix == ".html" else document_markdown)(document))
        written[name] = path
        for picture in write_pictures(document, path):
            written[f"Picture of {name.lower()}"] = picture

    def command(shown_rows: list[Row], path: Path) -> str:
        named = path if options.report is not None else None
        return _command(shown_rows, order, settings, options.out, named)

    if simulators or not real:
        document = shown.hall_document(
            simulators,
            settings,
            command(simulators, report),
            results=results,
            missing=[name for name in order if name not in {row.name for row in every}],
            linked=(report.parent / "rules.md").is_file(),
        )
        show(document, "Page", report)
    if real:
        document = reality_document(every, settings, command(real, report), results=results)
        show(document, "Page of real data", _beside(report, "-reality"))
    priors = [row for row in every if is_prior(row)]
    if priors:
        document = priors_document(every, settings, command(priors, report), results=results)
        show(document, "Page of priors", _beside(report, "-priors"))
    write_text(numbers, shown.hall_csv(every))
    if left_out:
        typer.echo(
            "note: not on the page, for they were measured with other settings: "
            f"{', '.join(left_out)}",
            err=True,
        )
    return written | {"Table": numbers}


def _beside(report: Path, ending: str) -> Path:
    """Return the page beside a page.

    Examples
    --------
    >>> _beside(Path("docs/hall.md"), "-reality").as_posix()
    'docs/hall-reality.md'
    """
    return report.with_name(f"{report.stem}{ending}{report.suffix}")


def _command(
    rows: Sequence[Row], order: list[str], settings: Settings, out: Path, page: Path | None
) -> str:
    """Return the command of a page; a path is as it was given."""
    words = ["causalassay", "hall"]
    if any(row.group == "data set" or row.name.startswith("network-") for row in rows):
        words += ["--data", "FOLDER"]
    names = [row.name for row in rows]
    chosen = len(names) <= _MOST_NAMED and not set(order) <= set(names)
    words += [word for name in names for word in ("--only", name)] if chosen else []
    # Generators of other packages alone need it; without --only they are among what is measured.
    if not chosen or any(row.group == "package" for row in rows):
        words.append("--install")
    words += ["--out", str(out)] if out != HALL_FOLDER else []
    words += ["--report", str(page)] if page is not None else []
    return shlex.join(words) + settings.options


@dataclass(frozen=True)
class PaperOptions:
    """What `reproduce` computes, and where it goes."""

    slug: str | None = argument(
        "The paper, such as reisach2021; `all` is every paper. Without it: list the papers.", None
    )
    item: list[str] | None = option(
        None, "A table or figure, such as table-5. May be given more than once."
    )
    size: Literal["fast", "full"] | None = option(
        None,
        "fast: fewer replicates, wider intervals; full: the paper's own size, or more. "
        "Default: fast.",
    )
    out: Path = option(PAPERS_FOLDER, "Results folder, on a local disk.")
    workers: int | None = option(None, WORKERS, min=1)
    cluster: str | None = option(None, CLUSTER)
    values: bool = flag("Print every value. With --item it is the default.")

    def run(self, study: Study, folder: Path) -> None:
        """Run a study of a paper."""
        from causalassay.cli.studies import executor_for, run_to_end
        from causalassay.study.scratch_folders import ScratchFolders

        scratch = ScratchFolders.of_results(folder)
        run_to_end(study, folder, executor_for(study, self.workers, self.cluster, scratch))


def reproduce(options: PaperOptions, as_json: AsJson = False) -> None:
    """Compute the published values of a paper, and print ours beside them.

    A number agrees if chance and rounding explain how far it is from ours: 2.6 standard errors,
    ours and the paper's added as variances, plus half a unit of its last digit.
    After Ctrl-C the same command continues: finished rows and computed values are kept.

    Example: causalassay reproduce reisach2021 --item table-5
    """
    from causalassay.lab.papers import paper_slugs, read_paper
    from causalassay.lab.papers import reproduce as compute
    from causalassay.lab.papers.document import VALUES

    slug, items = options.slug, list(dict.fromkeys(options.item or []))
    if items and slug in {None, ALL}:
        raise ValueError("--item needs a paper: causalassay reproduce SLUG --item NAME")
    if slug is None:
        if options.size is not None or options.values:
            raise ValueError("state a paper, or all: causalassay reproduce SLUG --size full")
        print_papers(as_json)
        return
    papers = [read_paper(each) for each in (paper_slugs() if slug == ALL else [slug])]
    _check_folders(options.out)
    size, say = options.size or "fast", partial(typer.echo, err=True)
    reproductions = []
    with resumable(options.out):
        for paper in papers:
            reproduction = compute(paper, items, size, options.out, options.run, say)
            reproductions.append(reproduction)
            folder = _pages_folder(paper, items, options.out)
            _write_reproduction(reproduction, folder)
            if not as_json:
                print_result(reproduction.document(), [VALUES] if options.values or items else [])
                typer.echo(f"Table: {folder / 'table.csv'}")
                typer.echo(f"Page: {folder / 'page.html'}")
    if as_json:
        print_json([reproduction.to_dict() for reproduction in reproductions])
    elif len(reproductions) > 1:
        _print_counts(reproductions, options.out)


def print_papers(as_json: bool = False) -> None:
    """Print the papers, with what can be computed of each."""
    from causalassay.lab.papers import paper_slugs, read_paper
    from causalassay.lab.papers.document import listed_items, papers_document

    papers = [read_paper(slug) for slug in paper_slugs()]
    if as_json:
        print_json({paper.slug: listed_items(paper) for paper in papers})
    else:
        print_result(papers_document(papers))


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


def _write_reproduction(reproduction: Reproduction, folder: Path) -> None:
    """Write table.csv, page.html, page.md, and the pictures that it shows."""
    from causalassay.lab.papers.document import reproduction_document
    from causalassay.present import today
    from causalassay.present.html import page
    from causalassay.present.markdown import document_markdown, write_pictures

    folder.mkdir(parents=True, exist_ok=True)
    reproduction.to_frame().to_csv(folder / "table.csv", index=False)
    document = reproduction_document(reproduction, today())
    write_text(folder / "page.html", page(document))
    write_pictures(document, folder / "page.md")
    plain = document_markdown(reproduction_document(reproduction, today(), notes=False))
    notes = reproduction.paper.notes
    write_text(folder / "page.md", f"{plain}\n#{notes.rstrip()}\n" if notes else plain)


def _print_counts(reproductions: list[Reproduction], out: Path) -> None:
    from causalassay.lab.papers.document import overview_document
    from causalassay.present.markdown import write_pictures

    document = overview_document(reproductions)
    print_result(document)
    for picture in write_pictures(document, out / "page.md"):
        typer.echo(f"Picture: {picture}")
