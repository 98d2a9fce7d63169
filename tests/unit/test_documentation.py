"""Every public name teaches by an example that is run, and so does every page."""

import ast
import doctest
import importlib
import importlib.metadata
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET

import pytest
import typer

from causalassay.cli import app
from causalassay.environments.catalogue import read_definition
from causalassay.lab.factorial import read_experiment
from command_line import run_here
from conftest import REGISTRIES
from pages import (
    PAGES,
    ROOT,
    SHELL,
    blocks_of,
    classes_shown_on,
    files_shown_on,
    inline_commands,
)
from study_texts import HEAD, PROBLEM, parsed

PACKAGES = [
    "analysis",
    "auditing",
    "risk.choosing",
    "data",
    "diagnostics",
    "discovery",
    "present.drawing",
    "lab.factorial",
    "graphs",
    "metrics",
    "models",
    "resampling",
    "risk",
]
LANGUAGES = {"pycon", "python", "toml", *SHELL}
MEASURED = "hall-implementations.md"
"""Its blocks run in the environments of packages, and are written by a command."""
BLOCKS = [block for page in PAGES if page.name != MEASURED for block in blocks_of(page)]
RUN = [block for block in BLOCKS if not block.not_run]
QUICK = "docs/quickstart.md"
WRITTEN = (".py", ".md", ".toml", ".template", ".sh", ".R")
"""What files with lines to type end in."""


def public_names():
    for package in PACKAGES:
        module = importlib.import_module(f"causalassay.{package}")
        for name in module.__all__:
            yield package, name


@pytest.mark.parametrize(("package", "name"), list(public_names()))
def test_public_functions_and_classes_have_a_doctest(package, name):
    value = getattr(importlib.import_module(f"causalassay.{package}"), name)
    if inspect.isfunction(value):
        assert ">>>" in (value.__doc__ or "")
    elif inspect.isclass(value):
        assert value.__doc__


def test_the_package_lists_its_parts_without_importing_them():
    import causalassay

    assert {"graphs", "models", "discover"} <= set(dir(causalassay))
    with pytest.raises(AttributeError, match="no attribute 'grahps'"):
        _ = causalassay.grahps


def test_every_name_of_the_package_can_be_had():
    import causalassay

    for name in causalassay.__all__:
        assert getattr(causalassay, name) is not None
    assert causalassay.__version__ == importlib.metadata.version("causalassay")
    assert causalassay.Dataset is causalassay.data.Dataset


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_every_block_is_run_or_says_why_not(block):
    assert block.language in LANGUAGES
    assert block.not_run or block.language != "python", "make it `pycon`, or mark it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_is_one_that_doctest_sees(page):
    # pytest runs the pages under its testpaths; a fence that follows an output directly is
    # taken for a part of it, and a `>>>` outside of blocks for pycon is not meant to be run.
    written = [block for block in blocks_of(page) if block.language == "pycon"]
    prompts = sum(line.startswith(">>> ") for block in written for line in block.text.splitlines())
    found = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    assert prompts == len(found)
    assert all(block.text.endswith("\n") for block in written), "end it with an empty line"
    assert not any("```" in example.want for example in found)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    if found:
        parts = page.relative_to(ROOT).parts
        assert parts[0] in settings["ini_options"]["testpaths"]


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "python"], ids=str)
def test_python_that_is_not_run_is_python(block):
    ast.parse(block.text)


CORRELATED = """
from dataclasses import dataclass

@dataclass
class Correlated:
    threshold: float = 0.3

    def discover(self, data, rng):
        pass
"""


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "toml"], ids=str)
def test_toml_is_a_study_an_experiment_or_declares_a_plug_in(block, tmp_path):
    content = tomllib.loads(block.text)
    if "project" in content:
        assert set(content["project"]["entry-points"]) <= set(REGISTRIES)
    elif "pins" in content:
        (tmp_path / "environment.toml").write_text(block.text)
        (tmp_path / "adapter.py").touch()
        assert read_definition(tmp_path).algorithms
    elif "treatments" in content:
        (tmp_path / "experiment.toml").write_text(block.text)
        with pytest.raises(FileNotFoundError, match=r"experiment\.csv"):
            read_experiment(tmp_path / "experiment.toml")  # its rows alone are missing
    elif block.page != "docs/studies.md":  # that page is read in test_study_scaffold.py
        head = "" if "replicates" in content else HEAD
        problem = "" if "problems" in content else PROBLEM
        (tmp_path / "my_algorithm.py").write_text(CORRELATED)
        (tmp_path / "my_parts.py").write_text(classes_shown_on(ROOT / block.page))
        for name, text in files_shown_on(block.page).items():
            (tmp_path / name).write_text(text)
        assert parsed(head + block.text + problem, tmp_path).problems


@pytest.mark.parametrize("block", [b for b in RUN if b.language in SHELL], ids=str)
def test_commands_can_be_given_as_they_are_written(block):
    for command in block.commands:
        check_command(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_text_can_be_given(page):
    for command in inline_commands(page):
        check_command(command)


def check_command(command):
    """Raise unless the words of a command are known; nothing is run."""
    program, *words = shlex.split(command)
    match program:
        case "causalassay":
            parse(typer.main.get_command(app), words)
        case "make":
            makefile = (ROOT / "Makefile").read_text()
            for word in words:
                assert re.search(rf"^{word}:.*## ", makefile, re.MULTILINE), word
        case "pip":
            for what in (word for word in words[1:] if not word.startswith("-")):
                check_installation(what)
        case _:
            raise AssertionError(f"nobody knows whether {command!r} works: mark its block")


def check_installation(what):
    """Raise unless pip gets the packages of an extra from an index, or ours from a file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wheel = f"causalassay-{project['version']}-py3-none-any.whl"
    named = re.fullmatch(rf"(?:\.|\./{re.escape(wheel)})\[(.+)\]", what)
    extras = project["optional-dependencies"]
    known = named[1] in extras if named else any(what in needed for needed in extras.values())
    assert known, f"{what} is no extra"


OURS_FROM_AN_INDEX = re.compile(r"pip install (?:-\S+ )*[\"']?causalassay\b(?!-\d|\S* @)")


def test_no_line_installs_causalassay_from_an_index_which_has_none():
    texts = [*PAGES, ROOT / "Makefile"]
    for folder in ("src", "examples", "docs"):
        texts += [path for path in (ROOT / folder).rglob("*") if path.suffix in WRITTEN]
    assert len(texts) > 500
    wrong = [str(path) for path in texts if OURS_FROM_AN_INDEX.search(path.read_text("utf-8"))]
    assert [] == wrong
    for line in ("pip install causalassay", "pip install -U 'causalassay[cluster]'"):
        assert OURS_FROM_AN_INDEX.search(line)


def parse(command, words):
    """Walk to the command that the words name and parse its options and arguments."""
    called = "causalassay"
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        called, *words = words
        assert called in command.commands, f"there is no command {called!r}"
        command = command.commands[called]
    if words:  # a name alone, as in running text, is no call
        command.make_context(called, list(words), resilient_parsing=hasattr(command, "commands"))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("causalassay adit data.csv", "there is no command 'adit'"),
        ("causalassay audit data.csv --grpah graph.csv", "No such option"),
        ("causalassay status results extra", "unexpected extra argument"),
        ("causalassay new stduy first-look", "there is no command 'stduy'"),
        ("make tset", "tset"),
        ("pip install -e .[clutser]", "clutser"),
        ("pip install causalassay[cluster]", "no extra"),
        ("dask scheduler", "mark its block"),
    ],
)
def test_a_wrong_command_is_noticed(wrong, why):
    with pytest.raises(Exception, match=why):
        check_command(wrong)


def test_a_mark_is_only_read_with_a_reason(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: no Slurm -->\n```sh\na\n```\n<!-- not run -->\n```sh\nb\n```\n")
    monkeypatch.setattr("pages.ROOT", tmp_path)
    assert ["no Slurm", ""] == [block.not_run for block in blocks_of(page)]


def quick_commands():
    """The commands of the first study, in their order."""
    return [
        command
        for block in RUN
        if block.page == QUICK and block.language in SHELL
        for command in block.commands
        if command.startswith("causalassay") and "audit" not in command
    ]


def test_the_quickstart_writes_a_study_and_tells_its_plan(tmp_path):
    written, planned = quick_commands()[:2]
    assert "--dry-run" in planned
    assert "Now: causalassay run" in in_folder(written, tmp_path)
    assert "first-look" in in_folder(planned, tmp_path)


@pytest.mark.slow
def test_the_quickstart_can_be_followed(tmp_path):
    for command in quick_commands():
        in_folder(command, tmp_path)
    assert (tmp_path / "rows.csv").stat().st_size > 0


def in_folder(command, folder):
    """Run a command of ours there and return what it prints."""
    done = run_here(*shlex.split(command)[1:], cwd=folder)
    assert 0 == done.returncode, done.stderr
    return done.stdout


PICTURES = sorted((ROOT / "docs" / "images").glob("*"))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda file: file.name)
def test_pictures_are_small_shown_and_told_in_words(picture):
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = re.search(rf"!\[(.*)\]\(images/{picture.name}\)", pages)
    assert len(shown[1].split()) > 5
    assert picture.stat().st_size < 100_000
    if picture.suffix == ".svg":
        assert ET.parse(picture).getroot().tag.endswith("svg")


def test_every_public_name_is_in_the_reference():
    for package in [*PACKAGES, "study"]:
        page = (ROOT / "docs" / "reference" / f"{package.rpartition('.')[2]}.md").read_text()
        names = importlib.import_module(f"causalassay.{package}").__all__
        whole = f"::: causalassay.{package}\n" in page
        assert whole or all(f"::: causalassay.{package}.{name}\n" in page for name in names)


@pytest.mark.slow
def test_every_test_that_a_page_names_is_there():
    page = (ROOT / "docs/running.md").read_text()
    named = re.findall(r"`(test_\w+)::(test_\w+)`", page)
    assert len(named) >= 20
    files = {path.stem: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    assert [] == [f"{file}::{name}" for file, name in named if f"def {name}(" not in files[file]]


@pytest.mark.parametrize(
    "algorithms",
    [
        ["var-sortnregress", "r2-sortnregress", "random-sortnregress"],
        pytest.param(["golem-ev", "ges"], marks=pytest.mark.slow),
    ],
)
def test_the_page_on_the_idea_quotes_what_its_script_computes(monkeypatch, algorithms):
    monkeypatch.syspath_prepend(ROOT / "examples")
    import pictures

    page = (ROOT / "docs" / "idea.md").read_text(encoding="utf-8")
    for name, row in pictures.means(pictures.scores(algorithms=algorithms)).iterrows():
        assert f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} |" in page


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_no_network(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*src="(https?:[^"]*)"', text)
        styles = re.findall(
            r'<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href="(https?:[^"]*)"', text
        )
        assert [] == loaded + styles
