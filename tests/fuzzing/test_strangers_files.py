"""Damaged files are read, or refused in one line: no traceback, no hang, nothing half-written.

`make fuzz N=2000 SEED=1` makes more mutants. A failure names the seed and the number of the
mutant, which make the same mutant again.
"""

import os
import random
import signal
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import causalassay as ca
from causalassay.cli.printing import escaped
from causalassay.spelling import visible
from causalassay.study.language import StudyMistakes, describe, read_study
from fuzzing.corpus import corpus, write_neighbours
from fuzzing.mutators import mutated
from waiting import LIMIT

KINDS = ("study", "table", "graph", "network")
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
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            reader(path)
    except StudyMistakes as error:
        return next(filter(None, map(line_fault, error.mistakes)), "")
    except (ValueError, OSError) as error:
        if path.name not in str(error):
            return f"{type(error).__name__} does not name the file: {str(error)[:300]!r}"
        return line_fault(str(error))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]!r} at {_place(error)}"
    return ""


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
    return ca.data.read(path, discrete=["z"] if path.suffix == ".parquet" else ())


READERS = {
    "study": lambda path: describe(read_study(path)),
    "table": read_table,
    "graph": ca.graphs.read_graph,
    "network": ca.models.read_bif,
}
