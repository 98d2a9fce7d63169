"""The study of a results folder: as it ran, and as the bundle has it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.bundling.file_names import STUDY
from causalassay.bundling.identity import Identity
from causalassay.bundling.named_files import NamedFile, code_files, data_files, with_places
from causalassay.opening import unsaid
from causalassay.study.language import parse_study
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.plan import Study
from causalassay.study.storage import StoreReader

# A comment, after what holds no quotation mark or whole texts in them.
_COMMENT = re.compile(r"""^((?:[^"'#\n]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*)(#.*)$""", re.MULTILINE)


@dataclass(frozen=True)
class NamedStudy:
    """A study that ran, and the files that it names.

    Parameters
    ----------
    study : Study
    folder : Path
        What its paths are relative to.
    code, data : list of NamedFile
    """

    study: Study
    folder: Path
    code: list[NamedFile]
    data: list[NamedFile]

    def text_in_bundle(self, identity: Identity | None) -> str:
        """Return the study's text as the bundle has it; comments without names of people.

        Parameters
        ----------
        identity : Identity, optional
            What to leave out.
        """
        text = with_places(self.study.text, self.folder, self.data)
        if identity is None:
            return text
        return _COMMENT.sub(lambda match: match[1] + identity.cleaned(match[2]), text)


def read_named(store: StoreReader, folder: Path) -> NamedStudy:
    """Return the study that a store was last run with, and its files.

    Raises
    ------
    ValueError
        A file that it names is absent, or was changed since it ran.
    """
    study = _parsed(store.text, folder)
    if study.name != store.name or study.seed != store.seed:
        raise ValueError(f"{store.path} was not written by this version; run the study again")
    refuse_changed(store.connection, study)
    return NamedStudy(study, folder, code_files(study, folder), data_files(study.problems))


def _parsed(text: str, folder: Path) -> Study:
    try:
        with unsaid():
            return parse_study(text, folder)
    except StudyMistakes as error:
        raise ValueError(
            f"the study cannot be read again in {folder}: {error.mistakes[0]}; name the study "
            "file with --study, or put what is missing beside it"
        ) from None


_KEYS = {
    "problem": "SELECT name, key FROM problems WHERE place IS NOT NULL",
    "algorithm": "SELECT name, key FROM algorithms WHERE place IS NOT NULL",
    "metric": "SELECT label, key FROM metrics WHERE place IS NOT NULL",
}


def refuse_changed(connection: sqlite3.Connection, study: Study) -> None:
    """Refuse a study that is not the one whose rows a store has."""
    parts: dict[str, set[str]] = {
        "problem": {entry.key for entry in study.problems},
        "algorithm": {entry.key for entry in study.algorithms},
        "metric": {entry.key for entry in study.metrics},
    }
    for part, query in _KEYS.items():
        changed = [name for name, key in connection.execute(query) if key not in parts[part]]
        if changed:
            raise ValueError(
                f"the {part} {changed[0]!r} is not the one that ran: a file that it names was "
                "edited, or this is another version of causalassay; run the study again"
            )


def placed_study(text: str, folder: Path, ran: Study) -> Study:
    """Return the study as it reads in the bundle, if it is still the one that ran.

    Raises
    ------
    ValueError
        The text could not be changed without changing the study.
    """
    with unsaid():
        try:
            study = parse_study(text, folder, STUDY)
        except StudyMistakes as error:
            raise ValueError(_unlike(error.mistakes[0])) from None
    if _names(study.problems) != _names(ran.problems):
        raise ValueError(_unlike("a problem has another name or key"))
    if _names(study.algorithms) != _names(ran.algorithms):
        raise ValueError(_unlike("an algorithm has another name or key"))
    return study


def _unlike(reason: str) -> str:
    return (
        f"the study cannot be moved into the bundle ({reason}); put its data files beside the "
        "study file, name them in plain quotation marks, and run it again: no row is computed anew"
    )


def _names(entries: Iterable[object]) -> Sequence[tuple[str, str]]:
    return [(entry.name, entry.key) for entry in entries]  # type: ignore[attr-defined]
