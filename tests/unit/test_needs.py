"""Tests that cannot run here are skipped in one way, and one table says what they lack."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

import needs

TESTS = Path(needs.__file__).parent


def test_no_test_skips_itself_by_hand():
    """Only tests/needs.py skips; the others say `@pytest.mark.needs(…)`."""
    by_hand = [
        f"{path.relative_to(TESTS)}:{node.lineno} {node.attr}"
        for path in sorted(TESTS.rglob("*.py"))
        if path.name != "needs.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("skip", "skipif", "importorskip")
    ]
    assert [] == by_hand


def test_a_name_has_its_detail_behind_a_colon():
    assert needs.is_present("package:numpy")
    assert not needs.is_present("package:no_such_package")
    assert not needs.is_present("data:no-such-file.csv")


def test_a_name_that_is_not_in_the_table_is_refused():
    mark = pytest.mark.needs("ngnix").mark
    item = SimpleNamespace(nodeid="test_x", iter_markers=lambda _: [mark])
    with pytest.raises(pytest.UsageError, match="test_x needs 'ngnix': not in tests/needs.py"):
        needs.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda _: False), [item])


def test_the_table_has_a_line_for_each_reason():
    absent = "nginx is absent; to run it: apt-get install nginx"
    assert [
        "tests  skipped because  to run them",
        "   12  a whim",
        "    3  nginx is absent  apt-get install nginx",
    ] == needs.table(Counter({absent: 3, "a whim": 12}))


FILES = {
    "conftest.py": 'pytest_plugins = ["needs"]\n',
    "test_near.py": """
import os, shutil, subprocess, sys
import pytest
from causalassay.lab.domains.http_servers import find_nginx
from causalassay.lab.domains.postgres_experiment import find_binaries

@pytest.mark.needs("environment:tigramite")
def test_of_an_environment():
    raise AssertionError

@pytest.mark.parametrize("name", [pytest.param("x", marks=pytest.mark.needs("Rscript", "root"))])
def test_of_a_program(name):
    raise AssertionError

def test_without_a_marker():
    assert find_nginx() is None
    with pytest.raises(FileNotFoundError):
        find_binaries()
    with pytest.raises(FileNotFoundError):
        subprocess.run(["java"])
    assert shutil.which("sh") and os.get_exec_path()
    code = "from causalassay.lab.domains.http_servers import find_nginx; assert find_nginx() is None"
    subprocess.run([sys.executable, "-c", code], check=True)
""",
    "test_far.py": "def test_far_from_programs():\n    raise AssertionError\n",
}


@pytest.mark.parametrize("processes", [0, 2])
def test_hidden_programs_are_absent_and_what_was_skipped_is_a_table(tmp_path, processes):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    # A program to hide, whatever is installed here.
    (tmp_path / "bin").mkdir()
    for name in ("java", "nginx", "initdb", "postgres"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    words = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n",
        str(processes),
        "--strict-markers",
    ]
    done = subprocess.run(
        [sys.executable, *words, "--rootdir", str(tmp_path), "--hide-programs", str(tmp_path)],
        env=os.environ
        | {"PYTHONPATH": str(TESTS), "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stdout + done.stderr
    assert "1 passed, 2 skipped" in done.stdout
    printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "1 Rscript is absent apt-get install r-base-core" in printed
    expected = "1 environment:tigramite is absent causalassay env install tigramite"
    assert expected in printed
