"""Makes a bundle: every file from one moment of the results, under its name once all are there."""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from causalassay.analysis import Analysis, read
from causalassay.analysis.report.files import write_report
from causalassay.common.files import check_new_folder, check_regular, filled_folder
from causalassay.common.spelling import visible
from causalassay.lab.bundling import contents
from causalassay.lab.bundling.croissant import description_text
from causalassay.lab.bundling.document import CardContent, card_text
from causalassay.lab.bundling.identity import (
    Identity,
    copy_store,
    first_address,
    hosts_of,
    identity_here,
)
from causalassay.lab.bundling.row_checking import refuse_too_many_tasks
from causalassay.lab.bundling.study_files import (
    NamedFile,
    NamedStudy,
    lock_text,
    placed_study,
    read_named,
    sessions_text,
)
from causalassay.lab.bundling.unpacking import NotLookedInto, texts_in
from causalassay.present.formatting import counted
from causalassay.study.graph_export import INDEX, export_graphs
from causalassay.study.keys import file_sha256
from causalassay.study.plan import Study
from causalassay.study.storage import StoreReader, export, read_store

MOST_BYTES = 100_000_000
"""Bytes of a data file in a bundle; a larger one is named with its checksum."""

ANONYMOUS = "Anonymous"
_COPY, _GRAPHS = ".results", ".graphs"


@dataclass(frozen=True)
class Terms:
    """The terms on which a bundle is made.

    Parameters
    ----------
    anonymous : bool
        Leave out names of machines, people and folders.
    include_data : bool
        The authors may share the data files that the study names.
    unfinished : bool
        Bundle a study of which tasks are missing.
    licence, author, url : str, optional
        As the authors state them.
    hidden : tuple of str
        Further names that an anonymous bundle leaves out, such as that of the user who ran the
        study elsewhere.
    """

    anonymous: bool = False
    include_data: bool = False
    unfinished: bool = False
    licence: str | None = None
    author: str | None = None
    url: str | None = None
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bundle:
    """A bundle that was written.

    Parameters
    ----------
    folder : Path
        Where the bundle is.
    files : int
        The number of files in it.
    rows, graphs, missing : int
        Rows and graphs in it, and tasks that have no row.
    left_out : tuple of str
        Data files that are not in it.
    elsewhere : tuple of str
        Other machines that the study ran on, if the bundle is anonymous: names of their users
        are not known here.
    suspected : str
        Where the files of causalassay itself have a name that an anonymous bundle leaves out
        elsewhere: it may be that of a cited author.
    """

    folder: Path
    files: int
    rows: int
    graphs: int
    missing: int
    left_out: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    suspected: str = ""


def write_bundle(
    results: Path,
    target: Path,
    terms: Terms | None = None,
    study_file: Path | None = None,
    on_step: Callable[[int, int], None] = lambda _done, _total: None,
) -> Bundle:
    """Write the bundle of a study; an error or an interruption leaves no folder.

    Parameters
    ----------
    results : Path
        The folder of the store.
    target : Path
        The folder to write, which must not be there or be empty.
    terms : Terms, optional
        What to leave out and what to state; by default those of `Terms`.
    study_file : Path, optional
        Where the study file is: the files that it names are beside it. Default: beside the
        results.
    on_step : callable
        Called with the number of steps done and of all steps.
    """
    terms = terms or Terms()
    check_new_folder(target)
    _refuse_terms(terms)
    if study_file is not None:
        check_regular(study_file, "a study file (.toml)")
    with read_store(results) as store:
        _refuse_unfinished(store, terms)
        folder = (study_file or results.absolute()).absolute().parent
        named = read_named(store, folder)
        refuse_too_many_tasks(named.study)
        identity = None
        if terms.anonymous:
            identity = identity_here(hosts_of(store), [results, folder], terms.hidden)
        with filled_folder(target) as partial:
            study = _place_files(partial, named, identity, terms)
            copy_store(store, partial / _COPY, study, identity)
            written = _Writer(partial, target, terms, named, on_step).write(study)
            suspected = _names_in_results(partial, identity) if identity is not None else ""
        others = [host for host in hosts_of(store) if host != socket.gethostname()]
        return replace(
            written,
            elsewhere=tuple(others) if terms.anonymous and not terms.hidden else (),
            suspected=suspected,
        )


def _refuse_terms(terms: Terms) -> None:
    if terms.licence is not None:
        contents.licence_address(terms.licence)
    for option, value in {"--author": terms.author, "--url": terms.url}.items():
        if terms.anonymous and value is not None:
            raise ValueError(f"--anonymous leaves out who you are; leave out {option} too")
    if terms.hidden and not terms.anonymous:
        raise ValueError("--hide is for --anonymous bundles; add --anonymous or leave it out")
    if terms.url is not None and not re.match(r"https?://[^\s/]+\.?\S*$", terms.url):
        raise ValueError(f"--url: expected an address that begins with https://, got {terms.url!r}")


def _refuse_unfinished(store: StoreReader, terms: Terms) -> None:
    status = store.status()
    if status.left and not terms.unfinished:
        total = counted(sum(status.totals.values()), "task")
        raise ValueError(
            f"{store.folder} is not complete: {status.left} of {total} missing; run the "
            "study again to go on, or add --unfinished, and the card says so"
        )


def _place_files(
    partial: Path, named: NamedStudy, identity: Identity | None, terms: Terms
) -> Study:
    """Write the study file and what it names; return the study as it reads there.

    Data files that are no part of the bundle are links until all else is written.
    """
    text = named.text_in_bundle(identity)
    (partial / contents.STUDY).write_text(text, encoding="utf-8")
    for file in (*named.code, *named.data):
        target = partial / file.place
        target.parent.mkdir(parents=True, exist_ok=True)
        if file in named.code or _is_included(file, terms):
            shutil.copy(file.source, target)  # a program stays executable
            if file_sha256(target) != file.sha256:
                raise ValueError(f"{file.source} was changed meanwhile; bundle the study again")
        else:
            target.symlink_to(file.source.absolute())
    if identity is not None:
        for path in (contents.STUDY, *(file.place for file in named.code), *_copied(named, terms)):
            _refuse_names(partial / path, path, identity, OF_THE_USER)
    return placed_study(text, partial, named.study)


def _is_included(file: NamedFile, terms: Terms) -> bool:
    return terms.include_data and file.size <= MOST_BYTES


def _copied(named: NamedStudy, terms: Terms) -> list[str]:
    return [file.place for file in named.data if _is_included(file, terms)]


OF_THE_USER = "take it out and run the study again, or leave out --anonymous"
FROM_THE_DATA = "rename the column, problem or algorithm and run the study again"
OF_THE_PACKAGE = "take it out of the files of causalassay"


def _refuse_names(path: Path, called: str, identity: Identity, way_out: str) -> None:
    """Refuse a file with a name in it: to change the user's would change the keys of rows."""
    if name := identity.first_in(called):
        raise ValueError(f"{called!r} has {name[1]!r} in its name; rename it, or {way_out}")
    try:
        for piece in texts_in(path):
            name = identity.first_in(piece.text)
            if not name and way_out == OF_THE_USER:
                name = first_address(piece.text, is_python=path.suffix == ".py")
            if name:
                line = f", line {piece.first_line + name[0] - 1}" if piece.first_line else ""
                where = f"{called}{visible(piece.where)}{line}"
                raise ValueError(f"{where}, has {name[1]!r}, which tells who you are; {way_out}")
    except NotLookedInto as reason:
        raise ValueError(
            f"{called} {reason}, so it may tell who you are; leave it out of the study or of the "
            "bundle (no --include-data), or leave out --anonymous"
        ) from None


def _names_in_results(folder: Path, identity: Identity) -> str:
    """Refuse names in rows and graphs, and folders in the wheel; return which names that has.

    The package cites people, so a user's name in it need not be the user.
    """
    for name in (contents.ROWS, contents.ROWS_CSV, contents.GRAPH_INDEX, contents.GRAPHS):
        _refuse_names(folder / name, name, identity, FROM_THE_DATA)
    wheel = folder / contents.wheel_name()
    _refuse_names(wheel, wheel.name, Identity(folders=identity.folders), OF_THE_PACKAGE)
    people = replace(identity, folders=())
    names_in_wheel = ((piece, people.first_in(piece.text)) for piece in texts_in(wheel))
    return next(
        (f"{visible(piece.where[2:])}: {name[1]}" for piece, name in names_in_wheel if name), ""
    )


@dataclass(frozen=True)
class _Writer:
    """Writes the files that follow from the copy of the results."""

    partial: Path
    target: Path
    terms: Terms
    named: NamedStudy
    on_step: Callable[[int, int], None]

    @property
    def copy(self) -> Path:
        return self.partial / _COPY

    def write(self, study: Study) -> Bundle:
        """Write all files and return what was written."""
        analysis = read(self.copy)
        steps: list[Callable[[], int]] = [
            lambda: export(self.copy, self.partial / contents.ROWS),
            lambda: export(self.copy, self.partial / contents.ROWS_CSV),
            self._write_graphs,
            lambda: len(str(write_report(self.copy, self.partial / contents.REPORT, analysis))),
        ]
        counts = []
        for done, step in enumerate(steps, 1):
            counts.append(step())
            self.on_step(done, len(steps))
        missing = self._write_texts(study, analysis)
        left_out = tuple(file.place for file in self._left_out())
        n_files = len(contents.files_in(self.partial))
        return Bundle(self.target, n_files, counts[0], counts[2], missing, left_out)

    def _write_graphs(self) -> int:
        """Write the graphs as one archive with a table beside it."""
        folder = self.partial / _GRAPHS
        count = export_graphs(self.copy, folder)
        (folder / INDEX).replace(self.partial / contents.GRAPH_INDEX)
        graphs = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
        contents.write_archive(self.partial / contents.GRAPHS, graphs)
        shutil.rmtree(folder)
        return count

    def _write_texts(self, study: Study, analysis: Analysis) -> int:
        """Write what is read by people and by tools; return how many tasks have no row."""
        with read_store(self.copy) as store:
            status, sessions, choices = store.status(), store.sessions(), store.choices()
        self._write(contents.SESSIONS, sessions_text(status, sessions, choices))
        wheel = contents.write_wheel(self.partial)
        self._write(contents.LOCK, lock_text(study, sessions, wheel.name))
        if self.terms.licence is not None:
            self._write(contents.LICENCE, contents.licence_text(self.terms.licence))
        shutil.rmtree(self.copy)
        left_out = self._left_out()
        for file in left_out:
            (self.partial / file.place).unlink()
        if left_out:
            sums = {file.place: file.sha256 for file in left_out}
            contents.write_checksums(sums, self.partial / contents.NOT_INCLUDED)
            data = self.partial / contents.DATA
            if not any(data.iterdir()):
                data.rmdir()
        last_files = (contents.CARD, contents.CROISSANT, contents.CHECKSUMS)
        content = CardContent(
            study,
            status,
            sessions,
            analysis,
            self.named.code,
            [file for file in self.named.data if file not in left_out],
            left_out,
            [*contents.files_in(self.partial), *last_files],
            self.terms.licence,
            ANONYMOUS if self.terms.anonymous else self.terms.author,
        )
        self._write(contents.CARD, card_text(content))
        described = description_text(
            content, contents.sums_of(self.partial), self.partial, self.terms.url
        )
        self._write(contents.CROISSANT, described)
        contents.write_checksums(contents.sums_of(self.partial), self.partial / contents.CHECKSUMS)
        return status.left

    def _left_out(self) -> list[NamedFile]:
        return [file for file in self.named.data if not _is_included(file, self.terms)]

    def _write(self, name: str, text: str) -> None:
        (self.partial / name).write_text(text, encoding="utf-8")
