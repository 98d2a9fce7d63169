"""How options are declared in groups, and the spellings that they had before."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from causalassay.cli import app as main_app
from causalassay.cli.options import RENAMED, _renamed, add_command, argument, flag, option
from command_line import run_here


@dataclass(frozen=True)
class Inner:
    names: list[str] | None = option(None, "Names.", "--name")
    is_long: bool = flag("Long.")


@dataclass(frozen=True)
class Outer:
    file: Path = argument("A file.")
    inner: Inner
    needed: int = option(..., "A number.", min=1)


def called(*words):
    """Return what a command with groups of options gets for some words."""
    app, seen = typer.Typer(), []

    def show(options: Outer, last: bool = False) -> None:
        seen.append((options, last))

    add_command(app, "show")(show)
    return CliRunner().invoke(app, words), seen


def test_groups_are_made_from_plain_options():
    result, seen = called("a.csv", "--needed", "3", "--name", "x", "--name", "y", "--is-long")
    assert 0 == result.exit_code
    assert [(Outer(Path("a.csv"), Inner(["x", "y"], True), 3), False)] == seen


@pytest.mark.parametrize("words", [("a.csv",), ("a.csv", "--needed", "0"), ("--needed", "1")])
def test_what_is_needed_or_out_of_range_is_an_error(words):
    result, seen = called(*words)
    assert (2, []) == (result.exit_code, seen)


@pytest.mark.parametrize("command", RENAMED)
def test_former_spellings_work_with_a_note(command, capsys):
    for former, now in RENAMED[command].items():
        words = ["a", former, f"{former}=1", "--", former]
        read = list(_renamed(words, RENAMED[command]))
        assert ["a", *now.split(), f"{now}=1", "--", former] == read
        assert capsys.readouterr().err.startswith(f"note: {former} is now {now}\n")


def test_parameters_of_python_are_understood_without_a_note(tmp_path):
    done = run_here("audit", tmp_path / "nothing.csv", "--n-bootstrap", 5)
    assert "note" not in done.stderr
    assert "nothing.csv" in done.stderr
    assert "No such option" in run_here("audit", tmp_path / "nothing.csv", "--n-boot", 5).stderr


def test_lists_of_papers_and_of_the_hall_are_what_their_commands_list():
    for what, former in (("papers", ("reproduce",)), ("hall", ("hall", "--list"))):
        assert run_here(*former, "--json").stdout == run_here("list", what, "--json").stdout


@pytest.mark.parametrize("words", [["domain", "http", "out"], ["domain", "postgres", "out"]])
def test_a_negative_seed_is_a_usage_error(words):
    done = CliRunner().invoke(main_app, [*words, "--seed", "-1"])
    assert 2 == done.exit_code
    assert "--seed" in done.output
