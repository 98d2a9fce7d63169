"""Any program as an algorithm: it reads a data file and writes a graph file."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.common.code_files import LocalModule, code_file
from causalassay.common.definitions import MOST_BYTES, SUFFIX
from causalassay.common.files import read_bytes, read_text, unsaid
from causalassay.common.import_path import without_guard
from causalassay.common.spelling import RefusedValue, listed
from causalassay.contracts import Columns, Estimate, Kind, NotApplicable, Reads, check_rows
from causalassay.data.dataset import Dataset
from causalassay.data.files import write
from causalassay.graphs import is_cpdag, is_dag, read_graph
from causalassay.graphs.probabilities import Probabilities, check_probabilities
from causalassay.processes.process_tree import kill_group, killed_with_us
from causalassay.processes.scratch import SCRATCH

STDERR_LENGTH = 2000
"""How much of the end of the program's stderr goes into an error."""


class CommandFailed(RuntimeError):
    """The program ended with an error, ran out of time, or wrote no graph that can be read."""


@dataclass(frozen=True)
class Command:
    r"""Run a program that reads a data file and writes a graph file.

    The program is called with the two paths; where its words contain ``{data}`` and
    ``{graph}``, the paths are put there. The data file is CSV with a
    header; where there is more than an observational condition, its last
    columns are ``condition`` and ``target``. The graph file is CSV, either an edge
    list with the header ``from,to`` or ``from,to,type`` (``->`` or ``--``), or a square
    matrix of 0 and 1 with names. The environment variable
    ``CAUSALASSAY_SEED`` holds a number from the task's stream. Where its words contain
    ``{probabilities}``, that is the path of one more file that it may write: a square matrix with
    the names of the columns as header, whose row i, column j is the probability of i→j.

    A word that is the path of a file, as in ``"Rscript pc.R"`` or ``--settings=pc.json``,
    may be relative to the working directory or, in a study, to the folder of its file. There the
    content of such files is a part of the key of every row: an edited script runs anew.
    So is that of modules which a Python script imports from its own folder. Installed programs,
    and files that are named inside of other files or of longer words, are not.

    Parameters
    ----------
    program : str or tuple of str
        ``"Rscript pc.R"``, or its words.
    promises : {"pdag", "cpdag", "dag", "summary"}
        The kind of graph it writes; an estimate that is not of this kind is an error.
        A program that promises the summary graph of a series is given series, in the
        order of time, and no other data; the others are given independent rows only.
    max_seconds : float, optional
        The program, with all it started, is killed after this time.
    max_memory_mb : int, optional
        The limit of address space, for the program and each process it starts.

    Examples
    --------
    >>> import sys, numpy as np
    >>> code = "import sys; open(sys.argv[2], 'w').write('from,to\\nx0,x1')"
    >>> program = Command((sys.executable, "-c", code), promises="dag")
    >>> data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]])
    >>> program.discover(data, np.random.default_rng(0)).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    program: str | tuple[str, ...]
    promises: Kind = "pdag"
    max_seconds: float | None = None
    max_memory_mb: int | None = None
    files: tuple[tuple[str, str], ...] = field(default=(), init=False)
    """In a study: the words that name files, each with the file's SHA-256."""
    imports: tuple[tuple[str, str], ...] = field(default=(), init=False)
    """In a study: the modules that Python scripts import from their own folders, each with its
    SHA-256."""
    words: tuple[str, ...] = field(default=(), init=False, compare=False, repr=False)
    """In a study: the words of the program, with the full paths of files."""
    modules: tuple[str, ...] = field(default=(), init=False, compare=False, repr=False)
    """Where the files of the imports are."""
    name: ClassVar[str] = "command"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "all rows with their targets"
    assumptions: ClassVar[str] = "the program's"
    reference: ClassVar[str] = "the program's"
    equivariant: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not self._words():
            raise RefusedValue("program", "expected a command, got none")
        if self.promises not in get_args(Kind):
            raise RefusedValue(
                "promises", f"expected one of {get_args(Kind)}, got {self.promises!r}"
            )
        for name in ("max_seconds", "max_memory_mb"):
            limit = getattr(self, name)
            if limit is not None and not limit > 0:
                raise RefusedValue(name, f"expected a positive number or None, got {limit}")

    @property
    def rows(self) -> Literal["independent", "series"]:
        """Which rows the program is for."""
        return "series" if self.promises == "summary" else "independent"

    def _words(self) -> list[str]:
        return shlex.split(self.program) if isinstance(self.program, str) else list(self.program)

    def full_words(self) -> tuple[str, ...]:
        """Return the words of the program, with the full paths of files."""
        return self.words or located(self._words(), (Path.cwd(),))

    def in_study(self, folder: Path) -> Command:
        """Return the program as a study in that folder means it, with the files it names.

        Raises
        ------
        OSError
            If such a file cannot be read.
        """
        words = located(self._words(), (folder, Path.cwd()))
        placed = dataclasses.replace(self)
        object.__setattr__(placed, "words", words)
        object.__setattr__(placed, "files", digests(self._words(), words, folder))
        modules = [module for path in placed._scripts() for module in _imported_by(path)]
        found = sorted({module.path: module for module in modules}.items())
        object.__setattr__(placed, "imports", tuple((one.name, one.sha256) for _, one in found))
        object.__setattr__(placed, "modules", tuple(path for path, _ in found))
        return placed

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run the program on the data and read the graph it wrote."""
        check_rows(data, self.rows)
        self._check_files()
        seed = int(rng.integers(2**31))
        with tempfile.TemporaryDirectory(prefix="causalassay-") as folder:
            data_file, graph_file = Path(folder) / "data.csv", Path(folder) / "graph.csv"
            probability_file = Path(folder) / "probabilities.csv"
            try:
                write(data, data_file)
            except ValueError as reason:
                raise NotApplicable(f"the data cannot be written to a file: {reason}") from reason
            words = self._call(data_file, graph_file, probability_file)
            _run(words, folder, seed, self.max_seconds)
            graph = _read(graph_file, data)
            probabilities = None
            if probability_file.exists():
                both_ways = self.promises == "summary"
                probabilities = _read_probabilities(probability_file, data.columns, both_ways)
        fits = {"dag": is_dag, "cpdag": is_cpdag}.get(self.promises)
        if fits is not None and not fits(graph):
            raise CommandFailed(f"the program promised a {self.promises} and wrote none")
        info = {"program": " ".join(self._words())}
        return Estimate(graph, self.promises, info=info, probabilities=probabilities)

    def named_files(self) -> Iterator[tuple[str, str, str]]:
        """Yield the files of the author that a study's program names: word, path and SHA-256."""
        paths = dict(zip(self._words(), self.words, strict=False))
        for word, digest in self.files:
            yield word, file_of(paths[word]), digest

    def _scripts(self) -> list[str]:
        """Return where the Python scripts are that a study's program names."""
        return [path for _, path, _ in self.named_files() if path.endswith(SUFFIX)]

    def _imported_files(self) -> Iterator[tuple[str, str, str]]:
        """Yield the modules that the scripts import: name, path and SHA-256."""
        for path, (name, digest) in zip(self.modules, self.imports, strict=True):
            yield name, path, digest

    def _check_files(self) -> None:
        """Raise unless the files are what they were when the study was read."""
        for word, path, digest in (*self.named_files(), *self._imported_files()):
            try:
                same = file_digest(path) == digest
            except OSError as reason:
                raise CommandFailed(f"{word!r} cannot be read here: {reason}") from reason
            if not same:
                raise CommandFailed(f"{path} was changed since the study was read; run it again")

    def _call(self, data_file: Path, graph_file: Path, probability_file: Path) -> list[str]:
        words = list(self.full_words())
        if not any("{data}" in word or "{graph}" in word for word in words):
            words += ["{data}", "{graph}"]
        filled = [
            word.replace("{data}", str(data_file))
            .replace("{graph}", str(graph_file))
            .replace("{probabilities}", str(probability_file))
            for word in words
        ]
        if self.max_memory_mb is None:
            return filled
        # The shell sets its own limit and becomes the program, which inherits it.
        return ["sh", "-c", f'ulimit -v {self.max_memory_mb * 1024}; exec "$@"', "sh", *filled]


def _run(words: list[str], folder: str, seed: int, max_seconds: float | None) -> None:
    environment = {**without_guard(os.environ), "CAUSALASSAY_SEED": str(seed)}
    # A file: what the program left running may hold a pipe open after its end.
    with tempfile.TemporaryFile(dir=folder) as stderr:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                # A study keeps what is printed; elsewhere it is no part of a result.
                stdout=None if SCRATCH in os.environ else subprocess.DEVNULL,
                stderr=stderr,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except PermissionError as reason:
            hint = "make it executable with chmod +x, or name its interpreter first"
            raise CommandFailed(f"{words[0]!r} cannot be started: {reason}; {hint}") from reason
        except OSError as reason:
            raise CommandFailed(f"{words[0]!r} cannot be started: {reason}") from reason
        try:
            with killed_with_us(process), _kept_in_a_study(stderr):
                process.wait(timeout=max_seconds)
        except subprocess.TimeoutExpired:
            late = f"no answer within {max_seconds} seconds; the program was killed"
            raise CommandFailed(late) from None
        finally:
            kill_group(process)
        if process.returncode:
            end = _end_of(stderr).decode("utf-8", "replace").strip()
            raise CommandFailed(f"the program ended with code {process.returncode}: {end}")


@contextlib.contextmanager
def _kept_in_a_study(stderr: IO[bytes]) -> Iterator[None]:
    """Let a study keep what a program complains of, also of one that is killed in between."""
    if SCRATCH not in os.environ:
        yield
        return
    ended = threading.Event()
    following = threading.Thread(target=_follow, args=(stderr.fileno(), ended), daemon=True)
    following.start()
    try:
        yield
    finally:
        ended.set()
        following.join()


def _follow(handle: int, ended: threading.Event) -> None:
    """Print what comes into a file until it has ended; of very much only the end."""
    position, is_last = 0, False
    while not is_last:
        is_last = ended.wait(_FOLLOW_EVERY)
        position = max(position, os.fstat(handle).st_size - _MOST_FOLLOWED)
        while piece := os.pread(handle, _MOST_FOLLOWED, position):
            position += os.write(2, piece)


_FOLLOW_EVERY = 0.2
_MOST_FOLLOWED = 2**20


def _end_of(file: IO[bytes]) -> bytes:
    """Return the last `STDERR_LENGTH` bytes of a file."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - STDERR_LENGTH))
    return file.read(STDERR_LENGTH)


def _read(path: Path, data: Dataset) -> Adjacency:
    if not path.exists():
        raise CommandFailed("the program ended without an error but wrote no graph file")
    try:
        with unsaid():
            return read_graph(path, columns=data.columns)[0]
    except ValueError as reason:
        raise CommandFailed(f"the graph file cannot be read: {reason}") from reason


def _read_probabilities(path: Path, columns: Sequence[str], both_ways: bool) -> Probabilities:
    """Return the matrix that a program wrote, in the order of the data's columns."""
    try:
        lines = [line for line in csv.reader(read_text(path, "a CSV file").splitlines()) if line]
        header, *rows = lines or [[]]
        names = [name.strip() for name in header if name.strip()]
        if sorted(names) != sorted(columns):
            raise ValueError(f"its header is {listed(names)}, expected {listed(columns)}")
        # A first column may repeat the names.
        matrix = np.array([row[-len(names) :] for row in rows], dtype=float)
        place = [names.index(name) for name in columns]
        if matrix.shape == (len(names), len(names)):
            matrix = matrix[np.ix_(place, place)]
        return check_probabilities(matrix, len(columns), both_ways=both_ways)
    except (ValueError, csv.Error) as reason:
        raise CommandFailed(f"the file of probabilities cannot be read: {reason}") from reason


# The files that a program's words name: where they are, and what is in them.

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
        The folder of the study.
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


def _imported_by(script: str) -> tuple[LocalModule, ...]:
    """Return the modules that a Python script imports from its own folder."""
    source = read_bytes(Path(script), "a Python script", MOST_BYTES)
    modules = code_file(os.path.realpath(script), source).modules
    return tuple(module for module in modules if os.path.isfile(module.path))  # noqa: PTH113


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
