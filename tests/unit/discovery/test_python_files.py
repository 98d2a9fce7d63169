"""A class in a Python file as an algorithm: found, in the key, and run only where it may."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import causalassay as ca
from causalassay.data import Dataset
from causalassay.discovery import make_algorithm
from causalassay.discovery.loading import load_code
from causalassay.resampling import edge_frequencies
from causalassay.risk.fits import fit_algorithm
from causalassay.study import study_table
from causalassay.study.programs import programs_of
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

CODE = '''\
"""An algorithm of one's own."""
import ctypes
import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causalassay.contracts import Estimate, NotApplicable


@dataclass(frozen=True)
class Mine:
    """Join neighbouring columns."""

    step: int = 1
    fail: bool = False
    rows: ClassVar[str] = "any"

    def discover(self, data, rng):
        if self.fail:
            raise NotApplicable("it was told to")
        graph = np.eye(data.n_nodes, k=self.step, dtype=bool)
        return Estimate(graph, "dag", info={"pid": os.getpid(), "file": __file__})


class Needs:
    def __init__(self, strength, *, depth=2):
        self.strength = strength

    def discover(self, data, rng):
        return Mine().discover(data, rng)


class Heir(Mine):
    pass


class Idle:
    pass


class Counted(Mine):
    def __init__(self):
        made.append(self)


class Spoils(Mine):
    """Write into read-only arrays, as torch does in memory that it was handed."""

    def discover(self, data, rng):
        seen.append(data.pooled.std())
        place = data.pooled.__array_interface__["data"][0]
        (ctypes.c_double * data.pooled.size).from_address(place)[:] = [0.0] * data.pooled.size
        return Mine().discover(data, rng)


made, seen = [], []


if __name__ == "__main__":
    print("not here")
'''
DATA = Dataset.from_values(np.random.default_rng(0).normal(size=(20, 3)))


@pytest.fixture(autouse=True)
def _modules_as_before(monkeypatch):
    """Files that are run in this process leave their folder where imports look."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return path


def table(use, **options):
    keys = "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
    return f'{HEAD}baselines = false\n[[algorithms]]\nuse = "{use}"\n{keys}{PROBLEM}'


def test_discover_runs_a_class_of_a_file_in_the_working_folder(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    estimate = ca.discover("mine.py:Mine", DATA, 0, step=2)
    assert [[0, 0, 1], [0, 0, 0], [0, 0, 0]] == estimate.graph.astype(int).tolist()
    assert os.path.realpath(file) == estimate.info["file"]
    assert ca.discover("mine.py:Heir", DATA, 0).graph[0, 1]
    assert ca.discover(f"{file}:Needs", DATA, 0, strength=1.0).graph[0, 1]
    with pytest.raises(TypeError, match=r"mine\.py:Mine: no hyperparameter 'stp'; it takes step"):
        ca.discover("mine.py:Mine", DATA, 0, stp=2)
    with pytest.raises(TypeError, match="the hyperparameter 'strength' is missing"):
        make_algorithm("mine.py:Needs", depth=1)
    with pytest.raises(FileNotFoundError, match=r"no file 'mien\.py'; did you mean 'mine\.py'"):
        ca.discover("mien.py:Mine", DATA, 0)


def test_an_object_that_was_made_to_see_whether_it_can_be_is_the_one_that_runs_first(file):
    algorithm = make_algorithm(f"{file}:Counted")
    made = algorithm.load().discover.__globals__["made"]
    load_code(algorithm)
    algorithm.discover(DATA, np.random.default_rng(0))
    assert 1 == len(made)
    algorithm.discover(DATA, np.random.default_rng(0))
    assert 2 == len(made)  # it knows nothing of earlier data


def test_what_writes_into_its_data_changes_nobody_elses(file):
    data = Dataset.from_values(DATA.pooled)
    algorithm = make_algorithm(f"{file}:Spoils")
    for _ in range(2):
        ca.discover(algorithm, data, 0)
    edge_frequencies(algorithm, data, 0, n_bootstrap=3)
    fit_algorithm("spoils", algorithm, data, [], 0)
    seen = algorithm.load().discover.__globals__["seen"]
    assert 7 == len(seen)
    assert all(sd > 0.1 for sd in seen)
    np.testing.assert_array_equal(DATA.pooled, data.pooled)


def test_an_edited_file_is_another_algorithm_in_the_same_session(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert ca.discover("mine.py:Mine", DATA, 0).graph[0, 1]
    file.write_text(CODE.replace("step: int = 1", "step: int = 2"))
    assert not ca.discover("mine.py:Mine", DATA, 0).graph[0, 1]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("absent.py:Mine", "algorithms[0].use: there is no file 'absent.py'; there are 'mine.py'"),
        ("mine.py:Mein", "mine.py has no class 'Mein'; did you mean 'Mine'?"),
        ("mine.py", "expected the class too, as in 'my_algorithm.py:MyClass'; mine.py has 'Mine'"),
        ("mine.py:Idle", "mine.py:Idle: the class has no method `discover(self, data, rng)`"),
        ("wrong.py:Mine", "wrong.py is not Python: line 1: "),
        ("null.py:Mine", "null.py is not Python: "),
        ("deep.py:Mine", "deep.py is not Python: "),
        ("none.py:Mine", "none.py has no class; expected one with a method `discover`"),
        ("folder.py:Mine", "folder.py is a folder, expected a Python file"),
        ("large.py:Mine", "expected a Python file of at most 1000000"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(use, expected, file, tmp_path):
    if not use.startswith("absent"):
        (tmp_path / "wrong.py").write_text("class Mine(:")
        (tmp_path / "null.py").write_bytes(b"class Mine:\n  x = '\x00'")
        (tmp_path / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000)
        (tmp_path / "none.py").write_text("import os\n")
        (tmp_path / "large.py").write_text("#" * 1_000_001)
        (tmp_path / "folder.py").mkdir()
    (line,) = mistakes_of(table(use), tmp_path)
    assert expected in line
    assert len(line) < 500


def test_parameters_are_checked_without_running_the_file(file, tmp_path):
    file.write_text(CODE + "\nraise SystemExit('it ran')\n")
    (line,) = mistakes_of(table("mine.py:Mine", stepp=2), tmp_path)
    assert "'mine.py:Mine' has no such parameter; it takes 'step', 'fail'" in line
    assert "did you mean 'step'?" in line
    (line,) = mistakes_of(table("mine.py:Needs"), tmp_path)
    assert line.endswith("algorithms[0].strength: missing; 'Needs' requires it")
    entry = parsed(table("mine.py:Mine", step=2, seconds=5), tmp_path).algorithms[0]
    assert ("Mine", (("step", 2),), 5.0) == (
        entry.name,
        entry.algorithm.parameters,
        entry.limits.seconds,
    )
    text = table("mine.py:Mine").replace(PROBLEM, "[algorithms.grid]\nstep = [1, 2]\n" + PROBLEM)
    assert ["Mine step=1", "Mine step=2"] == [one.name for one in parsed(text, tmp_path).algorithms]


def test_the_content_of_the_file_is_in_the_key_and_its_place_is_not(file, tmp_path):
    entry = parsed(table("mine.py:Mine"), tmp_path).algorithms[0]
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.py").write_text(CODE)
    assert entry.key == parsed(table("mine.py:Mine"), other).algorithms[0].key
    (other / "mine.py").write_text(CODE + "\n")
    edited = parsed(table("mine.py:Mine"), other).algorithms[0]
    assert entry.key != edited.key
    assert entry.parameters["sha256"] != edited.parameters["sha256"]
    assert 64 == len(entry.parameters["sha256"])


def test_a_file_counts_as_a_program(file, tmp_path):
    first = parsed(table("mine.py:Mine"), tmp_path).algorithms
    (program,) = programs_of(first)
    assert f"{os.path.realpath(file)}:Mine" == program.line
    file.write_text(CODE + "\n")
    (edited,) = programs_of(parsed(table("mine.py:Mine"), tmp_path).algorithms)
    assert program.line == edited.line
    assert program.digest != edited.digest


def run(*words, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert code == done.returncode, done.stderr
    return done


def test_a_study_runs_a_file_once_it_is_allowed(file, tmp_path):
    """It imports what lies beside it, in the process of the algorithm and nowhere else."""
    (tmp_path / "beside.py").write_text("STEP = 1\n")
    marks = tmp_path / "marks"
    marks.mkdir()
    mark = f"open({str(marks)!r} + f'/{{os.getpid()}}', 'w').close()\n"
    file.write_text(CODE.replace("import numpy", f"from beside import STEP\n{mark}import numpy"))
    study = tmp_path / "study.toml"
    text = table("mine.py:Mine", step=1).replace("baselines", 'metrics = ["shd"]\nbaselines')
    study.write_text(text + '\n[[algorithms]]\nuse = "mine.py:Mine"\nfail = true\nname = "no"\n')
    words = ("run", study, "--workers", 1, "--json")
    (line,) = run(*words, code=2).stderr.splitlines()
    assert f"{os.path.realpath(file)}:Mine with beside.py; add --allow-programs" in line
    plan = json.loads(run(*words, "--dry-run").stdout)
    assert [f"{os.path.realpath(file)}:Mine with beside.py"] == plan["programs"]
    assert not list(marks.iterdir())
    run(*words, "--allow-programs")
    frame = study_table(tmp_path / "trial-results").frame
    assert {"Mine": {"ok"}, "no": {"skipped"}} == {
        name: set(part["status"]) for name, part in frame.groupby("algorithm")
    }
    assert list(marks.iterdir())
    key = frame["key"].iloc[0]
    words = ("replay", key, "--in", tmp_path / "trial-results")
    assert "mine.py:Mine" in run(*words, code=2).stderr
    assert "status: " in run(*words, "--allow-programs").stdout
