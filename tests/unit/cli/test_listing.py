"""`causalassay list`: one line each without importing anything, and all about one name."""

import json
import subprocess
import sys

import numpy as np
import pytest

from announced_environments import read_again
from causalassay.catalogue import LISTING, catalogue, listing_text
from causalassay.common.registry import first_line, parameters
from causalassay.contracts import NotApplicable, check_rows
from causalassay.discovery.registry import ALGORITHMS, algorithms, make_algorithm
from causalassay.listing import PARTS, known_names, short_lines
from causalassay.models.registry import MODELS
from causalassay.study.kernel_marks import tiny_problem
from causalassay.study.keys import canonical
from command_line import run_here

HEAVY = ("numpy", "numba", "scipy", "sklearn", "pandas", "pyarrow", "causallearn")


def imported_by(call, **environment):
    """Return what is printed by a call of the command line, and the heavy modules it imports."""
    code = f"""
import os, sys
os.environ |= {environment!r}
sys.argv = {["causalassay", *call]!r}
from causalassay.cli import app
try:
    app(prog_name="causalassay")
except SystemExit:
    pass
print("heavy:", *[name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    printed, _, heavy = done.stdout.rpartition("heavy:")
    return printed, heavy.split()


def test_the_generated_file_is_what_the_code_declares():
    """`python -m causalassay.catalogue` writes it anew."""
    assert listing_text() == LISTING.read_text(encoding="utf-8")


@pytest.mark.parametrize("part", PARTS)
def test_each_line_is_the_first_of_a_docstring(part):
    expected = {
        str(row.get("name", row.get("kind"))): (row["what"], row.get("better"))
        for row in catalogue(part)
    }
    if part == "models":
        expected = {name: (first_line(MODELS[name]), None) for name in MODELS}
    scores = {name: line for name, (line, better) in expected.items() if better != "none"}
    assert scores == short_lines(part)
    assert list(scores) == list(short_lines(part))
    if part == "metrics":
        assert set(expected) - set(scores) == set(short_lines("controls"))


@pytest.mark.parametrize("part", PARTS)
def test_a_list_has_one_line_each_and_imports_nothing_heavy(part):
    printed, heavy = imported_by(["list", part])
    assert [] == heavy
    head, line, *rows = printed.splitlines()
    assert part.removesuffix("s") == head.split()[0]
    assert {"─"} == set(line.strip())
    names = [row.split()[0] for row in rows if row.strip()]
    assert list(short_lines(part)) == [name for name in names if name != "Controls,"]


def test_completion_imports_nothing_heavy():
    words = {"COMP_WORDS": "causalassay list note", "COMP_CWORD": "2"}
    printed, heavy = imported_by([], _CAUSALASSAY_COMPLETE="complete_bash", **words)
    assert (["notears"], []) == (printed.split(), heavy)


def test_completion_offers_folders_of_results_and_study_files(tmp_path):
    (tmp_path / "a-results").mkdir()
    (tmp_path / "a-results" / "study.sqlite").touch()
    (tmp_path / "another").mkdir()
    (tmp_path / "a.toml").touch()
    offered = {}
    for command in ("status", "run"):
        words = {"COMP_WORDS": f"causalassay {command} {tmp_path}/a", "COMP_CWORD": "2"}
        offered[command], _ = imported_by([], _CAUSALASSAY_COMPLETE="complete_bash", **words)
    assert [str(tmp_path / "a-results")] == offered["status"].split()
    assert [str(tmp_path / "a.toml")] == offered["run"].split()


def test_controls_are_named_apart_from_the_scores():
    lines = run_here("list", "metrics").stdout.splitlines()
    assert "n_guessed" in lines[-1]
    assert not any(line.startswith("n_guessed") for line in lines)


def test_one_name_is_shown_with_all_there_is_to_know():
    shown = " ".join(run_here("list", "notears").stdout.split())
    for words in (
        "notears (algorithm)",
        "independent rows, continuous columns",
        "threshold: a number, default 0.3. Weights below it make no edge.",
        "solver: one of 'augmented-lagrangian', 'fast', 'transcript'",
        "noise of equal variances",
        "arXiv 1803.01422",
    ):
        assert words in shown


@pytest.mark.parametrize(
    "name", ["pc", "sid", "var_sortability", "linear.uumc", "chain", "direction_p"]
)
def test_any_one_name_is_json_too(name):
    details = json.loads(run_here("list", name, "--json").stdout)
    assert (name, known_names()[name]) == (details["name"], details["part"])
    assert details["what"].endswith(".")


def test_a_kind_of_model_is_shown_with_every_mechanism():
    details = json.loads(run_here("list", "uumc", "--json").stdout)
    assert ["linear.uumc", "var.uumc"] == [one["name"] for one in details]


def test_a_name_that_is_not_there_is_answered_with_the_nearest():
    done = run_here("list", "noters")
    assert 2 == done.returncode
    assert ["error: nothing is called 'noters'; did you mean 'notears'?"] == (
        done.stderr.splitlines()
    )


def test_without_the_extra_causal_learn_is_asked_in_its_environment(monkeypatch, tmp_path):
    extra = ALGORITHMS["causal-learn-pc"]
    monkeypatch.setenv("CAUSALASSAY_ENVIRONMENTS", str(tmp_path))
    monkeypatch.setitem(sys.modules, "causallearn", None)
    read_again()
    (record,) = [record for record in algorithms() if record.name == "causal-learn-pc"]
    assert 'env install causal-learn, or pip install "causal-learn>=0.1.4"' in record.missing
    in_environment = ALGORITHMS["causal-learn-pc"]
    assert extra is not in_environment
    assert canonical(extra(alpha=0.1)) == canonical(in_environment(alpha=0.1))
    monkeypatch.undo()
    read_again()
    assert extra is ALGORITHMS["causal-learn-pc"]


RUNNING = {record.name for record in algorithms() if not record.missing}
OWN = [name for name in ALGORITHMS.built_in if name != "command" and name in RUNNING]


@pytest.mark.parametrize("name", OWN)
def test_what_is_said_of_the_data_an_algorithm_takes_is_what_it_takes(name):
    data = tiny_problem("discrete").data
    required = {"n_edges": 3} if "n_edges" in parameters(ALGORITHMS[name]) else {}
    algorithm = make_algorithm(name, **required)
    try:
        check_rows(data, getattr(algorithm, "rows", "independent"))
        algorithm.discover(data, np.random.default_rng(0))
        taken = True
    except NotApplicable:
        taken = False
    assert taken == (getattr(algorithm, "columns", "continuous") == "continuous or discrete")
