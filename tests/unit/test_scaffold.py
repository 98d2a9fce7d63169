import os
import subprocess
import sys

import pytest

from causalassay.scaffold import new_algorithm


def test_the_plug_in_installs_runs_and_passes_its_tests(tmp_path):
    written = subprocess.run(
        [sys.executable, "-m", "causalassay", "new", "algorithm", "my-own", "--folder", tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install -e" in written.stdout
    site = tmp_path / "site"
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(site)]
    subprocess.run(
        [sys.executable, "-m", "pip", *words, str(tmp_path / "my-own")],
        check=True,
        capture_output=True,
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    listed = subprocess.run(
        [sys.executable, "-m", "causalassay", "list", "algorithms", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert '"my-own"' in listed.stdout
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=tmp_path / "my-own",
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert 0 == tested.returncode, tested.stdout
    assert "3 passed" in tested.stdout


def test_a_name_collision_is_an_error(tmp_path):
    new_algorithm("empty", tmp_path)
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
        + ["--target", str(site), str(tmp_path / "empty")],
        check=True,
        capture_output=True,
    )
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", "list", "algorithms"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(site)},
    )
    assert 2 == done.returncode
    assert "two algorithms are called 'empty'" in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["My-Algorithm", "3things", "a--b", "a_b", "../up", ""])
def test_names_that_make_no_package_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="like my-algorithm"):
        new_algorithm(name, tmp_path)


def test_nothing_is_overwritten(tmp_path):
    new_algorithm("mine", tmp_path)
    with pytest.raises(FileExistsError, match="exists already"):
        new_algorithm("mine", tmp_path)
