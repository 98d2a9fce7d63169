"""The files that a program's words name: where they are, and what is in them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

SCRIPT = b"#!"


def located(words: Sequence[str], folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the words with the full path of every file among them, and in ``--option=FILE``.

    Parameters
    ----------
    words : sequence of str
        The first is the program. Without a slash in it, ``PATH`` comes before the folders: a
        file beside a study must not take the place of an installed program.
    folders : sequence of Path
        What paths may be relative to; the first that has the file counts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "pc.R").write_text("")
    ...     words = located(["Rscript", "pc.R", "--fast"], [Path(folder)])
    ...     words == ("Rscript", os.path.join(os.path.realpath(folder), "pc.R"), "--fast")
    True
    """
    program, *others = words
    installed = os.sep not in program and shutil.which(program) is not None
    first = program if installed else _located(program, folders)
    return (first, *(_located(word, folders) for word in others))


def digests(
    words: Sequence[str], paths: Sequence[str], folder: Path
) -> tuple[tuple[str, str], ...]:
    """Return the words that name files of the study's author, each with the file's SHA-256.

    Installed programs do not count, such as interpreters: they differ between machines, and
    rows must not. That is what lies outside of the study's folder and is executable without
    being a script, or lies in a folder of ``PATH``; in that of the study a script counts there.

    Parameters
    ----------
    words : sequence of str
    paths : sequence of str
        The same words as `located` returned them.
    folder : Path
        Of the study.
    """
    others = (_halves(path)[1] for path in paths[1:])
    found = zip(words, [shutil.which(paths[0]) or "", *others], strict=True)
    return tuple(
        (word, file_digest(path))
        for word, path in found
        if os.path.isfile(path) and not _is_installed(path, folder)  # noqa: PTH113
    )


def file_of(word: str) -> str:
    """Return where the file is that a located word would name.

    Examples
    --------
    >>> file_of("/study/pc.R"), file_of("--settings=/study/pc.json")
    ('/study/pc.R', '/study/pc.json')
    """
    path = _halves(word)[1]
    return shutil.which(path) or path


def file_digest(path: str) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _located(word: str, folders: Sequence[Path]) -> str:
    option, name = _halves(word)
    for folder in folders:
        path = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        # Unlike Path.is_file, this takes a word of any length for what it is: no file.
        if name and os.path.isfile(path):  # noqa: PTH113
            return option + os.path.normpath(path)
    return word


def _halves(word: str) -> tuple[str, str]:
    """Return the option of ``--option=FILE``, with its sign, and the rest of a word."""
    if not word.startswith("-"):
        return "", word
    option, sign, name = word.partition("=")
    return option + sign, name


def _is_installed(path: str, folder: Path) -> bool:
    inside = Path(path).resolve().is_relative_to(folder.resolve())
    with Path(path).open("rb") as file:
        script = file.read(len(SCRIPT)) == SCRIPT
    on_path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if Path(path).parent in [Path(one) for one in on_path if one]:
        return not (script and inside)
    return os.access(path, os.X_OK) and not script and not inside
