"""The command `reproduce`: what it prints when, how it ends early, and what it refuses."""

import json

import pytest
from typer.testing import CliRunner

from causalassay.cli import app
from causalassay.lab import papers as reproducing

DEFINITIONS = ["eigenmann2020", "--item", "loss"]


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *arguments])


def test_ctrl_c_is_one_line_and_the_results_of_finished_papers_are_printed(tmp_path, monkeypatch):
    compute = reproducing.reproduce

    def until_the_second(paper, items, *rest):
        if paper.slug != "eigenmann2020":
            raise KeyboardInterrupt
        return compute(paper, ["loss"], *rest)

    monkeypatch.setattr(reproducing, "reproduce", until_the_second)
    result = run("--all", "--out", str(tmp_path))
    assert 130 == result.exit_code
    assert "Claims: 2 hold" in result.stdout
    told = f"interrupted: what is finished is in {tmp_path}; run the same command to continue\n"
    assert told == result.stderr


def test_with_json_stdout_is_json_and_progress_is_on_stderr(tmp_path):
    result = run("reisach2021", "--item", "figure-2", "--json", "--out", str(tmp_path))
    assert ["reisach2021"] == [paper["paper"] for paper in json.loads(result.stdout)]
    assert result.stderr.startswith("reisach2021: figure-2, item 1 of 1, about ")


def test_a_folder_that_cannot_be_made_is_told_before_the_work_begins(tmp_path):
    (tmp_path / "file").write_text("")
    result = run(*DEFINITIONS, "--out", str(tmp_path / "file" / "below"))
    assert isinstance(result.exception, ValueError)
    assert "below cannot be made: Not a directory; name another folder" in str(result.exception)


def test_a_folder_of_data_that_is_not_there_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path / "nowhere"))
    result = run(*DEFINITIONS, "--out", str(tmp_path))
    assert isinstance(result.exception, ValueError)
    assert "nowhere', which is no folder; set it to the folder" in str(result.exception)


@pytest.mark.parametrize("arguments", [["eigenman2020"], ["eigenmann2020", "--item", "figure1"]])
def test_an_unknown_name_is_one_line_with_the_nearest(arguments):
    result = run(*arguments)
    assert isinstance(result.exception, ValueError)
    assert "did you mean" in str(result.exception)
    assert "\n" not in str(result.exception)
