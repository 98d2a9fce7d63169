"""Damaged files are read, or refused in one line: no traceback, no hang, nothing half-written.

`make fuzz N=2000 SEED=1` makes more mutants. A failure names the seed and the number of the
mutant, which make the same mutant again.
"""

import os
import random
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import causalassay as ca
from causalassay.cli.printing import escaped
from causalassay.common.files import ReadingNote
from causalassay.common.spelling import visible
from causalassay.study.language import StudyMistakes, describe, read_study
from fuzzing.corpus import corpus, write_neighbours
from fuzzing.mutators import mutated
from waiting import LIMIT

KINDS = ("study", "table", "graph", "network", "audit")
FAST = int(os.environ.get("FUZZ_MUTANTS", "200")) // len(KINDS)
SLOW = 2000 // len(KINDS)
SEED = int(os.environ.get("FUZZ_SEED", "0"))
LONGEST_LINE = 2000


@pytest.mark.parametrize("kind", KINDS)
def test_mutants_are_read_or_refused_in_one_line(kind, tmp_path):
    assert_all_answered(kind, FAST, SEED, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutants_are_read_or_refused_in_one_line(kind, tmp_path):
    assert_all_answered(kind, SLOW, SEED + 1, tmp_path)


@pytest.mark.filterwarnings("ignore::causalassay.common.files.ReadingNote")
def test_the_files_that_mutants_are_made_of_are_correct(tmp_path):
    write_neighbours(tmp_path)
    for kind, files in corpus().items():
        for name, content in files:
            path = tmp_path / f"correct-{name}"
            path.write_bytes(content)
            READERS[kind](path)


def assert_all_answered(kind, count, seed, folder):
    """Read so many mutants; report every one that is not answered as it should be."""
    files = corpus()[kind]
    write_neighbours(folder)
    before = sorted(folder.iterdir())
    wrong = {}
    for number in range(count):
        chance = random.Random(f"{seed} {kind} {number}")
        name, content = chance.choice(files)
        mutant = folder / f"mutant-{name}"
        mutant.write_bytes(mutated(content, chance))
        with watchdog(f"seed {seed}, {kind} {number} hangs"):
            fault = answer_fault(READERS[kind], mutant)
        mutant.unlink()
        if fault:
            wrong.setdefault(fault, f"seed {seed}, {kind} {number} ({name})")
    assert not wrong, "\n".join(f"{where}: {fault}" for fault, where in wrong.items())
    assert sorted(folder.iterdir()) == before, "a reader wrote something"


def answer_fault(reader, path):
    """Return what is wrong with the answer to a file; empty if it was read, or well refused."""
    try:
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("error")
            warnings.simplefilter("always", ReadingNote)
            reader(path)
        return next(filter(None, (line_fault(str(note.message)) for note in notes)), "")
    except StudyMistakes as error:
        return next(filter(None, map(line_fault, error.mistakes)), "")
    except (ValueError, OSError) as error:
        if path.name not in str(error):
            return f"{type(error).__name__} does not name the file: {str(error)[:300]!r}"
        return line_fault(str(error))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]!r} at {_place(error)}"


def line_fault(line):
    """Return what is wrong with a line for users."""
    if not line or line != visible(line) or line != escaped(line).replace("\\[", "["):
        return f"not one line of visible text: {line[:300]!r}"
    return f"a line of {len(line)} characters: {line[:300]!r}" if len(line) > LONGEST_LINE else ""


def _place(error):
    """Return where the error was raised inside the package."""
    places, trace = [], error.__traceback__
    while trace:
        places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " ".join(places[-6:])


@contextmanager
def watchdog(message):
    """Fail if the block takes far longer than any machine needs."""

    def bark(*_):
        raise AssertionError(message)

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_table(path):
    """Read as `audit` does, with the options that fit the file."""
    if path.name.endswith("table.csv"):
        return ca.data.read(path, target="how", condition="what", observational="base")
    return ca.data.read(path, discrete=["z"] if path.suffix in (".parquet", ".feather") else ())


def read_graph(path):
    """Read a graph by itself, or as `audit` does, beside the columns of data."""
    columns = None if len(path.read_bytes()) % 2 else ["x", "y", "z"]
    return ca.graphs.read_graph(path, columns)


def audit_table(path):
    """Read and audit as the command does."""
    dataset = ca.data.read(path)
    try:
        truth, _ = ca.graphs.read_graph(path.parent / "graph.csv", columns=dataset.columns)
        ca.audit(dataset, truth, 0, n_bootstrap=2)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


READERS = {
    "study": lambda path: describe(read_study(path)),
    "table": read_table,
    "graph": read_graph,
    "network": ca.models.read_bif,
    "audit": audit_table,
}


HEAD = 'name = "s"\nseed = 1\nreplicates = 2\nalgorithms = ["pc"]\n'
MANY_PARENTS = "".join(
    f"variable v{k} {{ type discrete [2] {{ a, b }}; }}\n" for k in range(30)
) + "".join(f"probability ( v{k} ) {{ table 0.5, 0.5; }}\n" for k in range(29))
MANY_PARENTS += f"probability ( v29 | {', '.join(f'v{k}' for k in range(29))} ) {{ default 1, 0; }}"
COMMANDS = {
    "nested lists": ("run --dry-run s.toml", HEAD + "problems = " + "[" * 100_000),
    "a dotted key": ("run --dry-run s.toml", HEAD + "a." * 20_000 + "a = 1"),
    "many replicates": ("run --dry-run s.toml", HEAD.replace("2", str(10**30))),
    "a date": ("run --dry-run s.toml", HEAD.replace("2", "1979-05-27")),
    "bytes": ("run s.toml", "\x00\x01\x02" * 1000),
    "an endless study": ("run --dry-run /dev/zero", ""),
    "a pipe as study": ("run --dry-run pipe", ""),
    "a pipe as data": (
        "run --dry-run s.toml",
        HEAD + '[[problems]]\ndata = {file = "pipe", graph = "graph.csv"}\n',
    ),
    "a large table": (
        "run --dry-run s.toml",
        HEAD + '[[problems]]\nnetwork = "parents.bif"\nsamples = 9\n',
    ),
    "a pipe as table": ("audit pipe.csv", ""),
    "an endless graph": ("audit table.csv --graph /dev/zero", ""),
    "a long field": ("audit long.csv", ""),
    "lists": ("audit lists.parquet", ""),
    "an escape": ("audit escape.csv", ""),
}


QUICK = ("a dotted key", "a pipe as study", "an endless graph")
"""Those that run in the fast set too: each takes seconds to start."""


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=() if what in QUICK else pytest.mark.slow) for what in COMMANDS],
)
def test_the_command_line_refuses_hostile_files(what, tmp_path):
    command, study = COMMANDS[what]
    write_neighbours(tmp_path)
    (tmp_path / "s.toml").write_text(study)
    (tmp_path / "parents.bif").write_text(MANY_PARENTS)
    (tmp_path / "long.csv").write_text("x" * 200_000 + ",y\n1,2\n3,4\n")
    (tmp_path / "escape.csv").write_text("x\x1b[2J,y\n1,2\n3,5\n")
    pyarrow.parquet.write_table(pa.table({"x": [[1], [2]]}), tmp_path / "lists.parquet")
    for name in ("pipe", "pipe.csv"):
        os.mkfifo(tmp_path / name)
    before = sorted(tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert all(not line_fault(line) for line in done.stderr.splitlines())
    assert len(done.stderr.splitlines()) <= 2  # a study file's mistakes stand below its name
    assert before == sorted(tmp_path.iterdir())
