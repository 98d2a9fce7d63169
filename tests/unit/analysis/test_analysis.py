"""An analysis computes each part once, whoever asks for it."""

import json
import re
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from causalassay.analysis import analyse
from causalassay.analysis import analysis as module
from causalassay.cli import app
from summary_twins import draw_table

STUDY = """
name = "small"
seed = 1
replicates = 2
algorithms = ["pc"]
[[problems]]
samples = 100
graph = {kind = "erdos-renyi", n_nodes = 4, edges_per_node = 1}
grid.model.kind = ["scm", "iscm"]
"""
STEPS = ("study_table", "arrange", "summarize_runs", "judge_study", "state_study", "score_matrix")
"""Rows are loaded, arranged, summarised and judged; sentences and the matrix are written."""


@pytest.fixture
def counts(monkeypatch):
    """How often each step of an analysis is taken."""
    taken = dict.fromkeys(STEPS, 0)

    def counting(name, step):
        def count_and_call(*arguments, **options):
            taken[name] += 1
            return step(*arguments, **options)

        return count_and_call

    for name in STEPS:
        monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    return taken


def call(*words):
    before = signal.getsignal(signal.SIGTERM)
    try:
        result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert 0 == result.exit_code
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("once")
    (folder / "study.toml").write_text(STUDY)
    call("run", folder / "study.toml", "--workers", 1, "--json")
    return folder / "small-results"


def test_a_run_with_a_report_takes_each_step_once(folder, counts):
    out = call("run", folder.parent / "study.toml", "--workers", 1)
    assert re.search(r"^algorithm +raw +iSCM finding$", out, re.MULTILINE)
    assert f"Report: {folder / 'report.html'}" in out.replace("\n", " ")
    assert dict.fromkeys(STEPS, 1) == counts


def test_a_report_with_figures_takes_each_step_once(folder, counts):
    out = call("report", folder, "--figures")
    page, figures = (line.rsplit(": ", 1)[1] for line in out.splitlines())
    assert Path(page).exists()
    assert (Path(figures) / "counts.tex").exists()
    assert dict.fromkeys(STEPS, 1) == counts


def test_a_summary_takes_each_step_once_as_text_and_as_json(folder, counts):
    call("summary", folder)
    assert dict.fromkeys(STEPS, 1) == counts
    call("summary", folder, "--json")
    assert dict.fromkeys(STEPS, 2) == counts


def test_nothing_is_computed_before_it_is_asked_for(counts):
    analysis = analyse(draw_table(0))
    assert dict.fromkeys(STEPS, 0) == counts
    assert analysis.runs is analysis.runs
    assert analysis.verdict is analysis.verdict
    assert dict.fromkeys(STEPS, 1) | {"study_table": 0, "score_matrix": 0} == counts


def test_an_analysis_shows_itself_in_few_lines_as_its_matrix_and_as_plain_values():
    analysis = analyse(draw_table(0))
    assert len(repr(analysis).splitlines()) <= 10
    document = analysis.document()
    assert analysis.headline == document.headline
    assert set(analysis.verdict.rules) == set(document.rules)
    matrix, counts, *_ = document.tables()
    assert ["matrix", "counts"] == [matrix.id, counts.id]
    frame = analysis.to_frame()
    for row, record in zip(analysis.matrix.rows, frame.to_dict("records"), strict=True):
        assert (row.algorithm, row.finding) == (record["algorithm"], record["finding"])
        means = [record[column.scheme] for column in analysis.matrix.columns]
        assert pytest.approx([cell.mean for cell in row.cells], nan_ok=True) == means
    assert analysis.frame is analysis.table.frame
    plain = analysis.to_dict()
    assert {"counts", "scores", "headline", "matrix", "verdict"} <= set(plain)
    assert plain == json.loads(json.dumps(plain, allow_nan=False))
