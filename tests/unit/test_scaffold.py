"""The plug-in package that `causalassay new algorithm` writes works as it is."""

import os
import subprocess
import sys

import pytest

from causalassay.cli.beginning import new_algorithm
from command_line import run_here

LISTING = """
from causalassay.discovery.registry import ALGORITHMS


def test_it_is_listed():
    assert "my-own" in ALGORITHMS
    assert not ALGORITHMS.entry("my-own").missing
"""


def run(*words, site=None, folder=None):
    """Run Python, with the packages of a folder beside those that are installed."""
    paths = [str(site or ""), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


def test_the_plug_in_installs_runs_and_passes_its_tests(tmp_path):
    written = run("causalassay", "new", "algorithm", "my-own", "--folder", tmp_path)
    assert "pip install -e" in written.stdout
    site, package = tmp_path / "site", tmp_path / "my-own"
    words = ("--no-index", "--no-deps", "--no-build-isolation", "--no-compile", "--target", site)
    installed = run("pip", "--isolated", "--no-cache-dir", "install", *words, package)
    assert 0 == installed.returncode, installed.stderr
    (package / "tests" / "test_listing.py").write_text(LISTING)
    tested = run("pytest", "-q", "-p", "no:cacheprovider", ".", site=site, folder=package)
    assert 0 == tested.returncode, tested.stdout
    assert "4 passed" in tested.stdout


def test_a_name_collision_is_an_error(tmp_path):
    """What pip would write for a package that announces a second algorithm `empty`."""
    announced = tmp_path / "other-0.1.dist-info"
    announced.mkdir()
    (announced / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 0.1\n")
    (announced / "entry_points.txt").write_text("[causalassay.algorithms]\nempty = other:Empty\n")
    done = run("causalassay", "list", "algorithms", site=tmp_path)
    assert 2 == done.returncode
    assert "algorithm 'empty' is registered twice" in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["My-Algorithm", "3things", "a--b", "a_b", "../up", ""])
def test_names_that_make_no_package_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="like my-algorithm"):
        new_algorithm(name, tmp_path)


def test_nothing_is_overwritten(tmp_path):
    new_algorithm("quince", tmp_path)
    with pytest.raises(FileExistsError, match="exists already"):
        new_algorithm("quince", tmp_path)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("class", "a Python keyword"),
        ("none", "a Python keyword"),
        ("pc", "already an algorithm of package 'causalassay'"),
        ("var-sortnregress", "already an algorithm of package 'causalassay'"),
        ("random", "Python's own module random"),
        ("json", "Python's own module json"),
        ("numpy", "the installed module numpy"),
        ("causalassay", "the installed module causalassay"),
        ("estimate", "a class Estimate"),
        ("not-applicable", "a class NotApplicable"),
    ],
)
def test_names_that_are_taken_are_refused_in_one_line_and_nothing_is_written(
    name, reason, tmp_path
):
    done = run_here("new", "algorithm", name, "--folder", tmp_path / "new")
    assert 2 == done.returncode
    (line,) = done.stderr.splitlines()
    assert reason in line
    assert f"like my-{name}" in line
    assert not (tmp_path / "new").exists()


def test_the_name_of_another_package_s_algorithm_is_refused(announce, tmp_path):
    announce("algorithms", {"theirs": "their_package:Theirs"})
    with pytest.raises(ValueError, match="already an algorithm of package 'their_package'"):
        new_algorithm("theirs", tmp_path)


def test_a_folder_elsewhere_of_that_name_does_not_matter(tmp_path, monkeypatch):
    (tmp_path / "quince").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert new_algorithm("quince", tmp_path / "new")
