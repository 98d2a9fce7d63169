"""The study commands as a user meets them."""

import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from causalassay.study.language import parse_study
from causalassay.study.storage import Store, study_table
from command_line import run_here
from report_stores import write_store

STUDY = """
name = "small"
seed = 1
replicates = 2
algorithms = ["pc", "var-sortnregress"]
[[problems]]
samples = 200
graph = {kind = "erdos-renyi", n_nodes = 5, edges_per_node = 1}
grid.model.kind = ["scm", "iscm"]
"""


def run_flagged(*words, cwd=None, flags=(), **variables):
    return subprocess.run(
        [sys.executable, *flags, "-m", "causalassay", *map(str, words)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
    )


def check_the_short_answer(printed):
    """A headline, the matrix, how the runs ended, and where the report is: all on one screen."""
    lines = printed.splitlines()
    assert len(lines) <= 25
    assert lines[0].endswith(".")
    (head,) = [index for index, line in enumerate(lines) if line.startswith("algorithm ")]
    assert ["algorithm", "raw", "iSCM", "finding"] == lines[head].replace("!", "").split()
    rows = {line.split()[0] for line in lines[head + 1 : head + 7]}
    assert {"pc", "(var-sortnregress)", "(empty)"} < rows
    assert "All 24 runs succeeded." in lines
    assert re.match(r"Report: .*small-results/report\.html$", lines[-1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a study that has been run."""
    here = tmp_path_factory.mktemp("small")
    (here / "study.toml").write_text(STUDY)
    done = run_here("run", here / "study.toml", "--workers", 1)
    assert 0 == done.returncode, done.stderr
    check_the_short_answer(done.stdout)
    assert "24 of 24" in done.stderr
    return here


@pytest.mark.parametrize(
    ("flags", "variables"), [((), {"PYTHONOPTIMIZE": "2"}), (("-u", "-OO"), {})]
)
def test_commands_work_without_docstrings(tmp_path, flags, variables):
    """Altair does not."""
    (tmp_path / "study.toml").write_text(STUDY)
    done = run_flagged("run", "study.toml", "--workers", 1, cwd=tmp_path, flags=flags, **variables)
    assert 0 == done.returncode, done.stderr
    check_the_short_answer(done.stdout)
    assert '"data"' in (tmp_path / "small-results" / "report.html").read_text()
    shown = run_flagged("status", "--help", flags=flags, **variables).stdout
    assert "Show the progress of a study" in shown


def test_a_dry_run_says_what_would_be_done_and_does_nothing(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    done = run_here("run", tmp_path / "study.toml", "--dry-run")
    assert 0 == done.returncode
    assert "2 problems × 2 replicates × 6 algorithms = 24" in done.stdout
    assert "rows: 0 of 24 are stored already, 24 are missing" in done.stdout
    assert "time: no estimate, since no row is stored yet" in done.stdout
    assert ["study.toml"] == [file.name for file in tmp_path.iterdir()]


def test_a_dry_run_of_a_study_that_has_rows_says_what_is_left(folder):
    """Of ges there is no row; of the others there is one replicate in three to come."""
    more = STUDY.replace("replicates = 2", "replicates = 3").replace('["pc"', '["pc", "ges"')
    (folder / "more.toml").write_text(more)
    done = run_here("run", folder / "more.toml", "--dry-run", "--workers", 2)
    assert "rows: 24 of 42 are stored already, 18 are missing" in done.stdout
    assert "on 2 workers for discovery, by the mean of 24 stored rows" in done.stdout
    assert "no stored row of ges\n" in done.stdout
    rows = json.loads(run_here("run", folder / "more.toml", "--dry-run", "--json").stdout)["rows"]
    assert (24, 18, ["ges"]) == (rows["stored"], rows["missing"], rows["without_basis"])
    done = run_here("run", folder / "study.toml", "--dry-run")
    assert "rows: 24 of 24 are stored already, 0 are missing" in done.stdout
    assert "time:" not in done.stdout


def test_a_dry_run_counts_what_retry_would_compute_again(folder, tmp_path):
    here = shutil.copytree(folder, tmp_path / "here")
    with closing(sqlite3.connect(here / "small-results" / "study.sqlite")) as connection:
        timeouts = "UPDATE rows SET status = 'timeout' WHERE id IN (SELECT id FROM rows LIMIT 3)"
        connection.execute(timeouts)
        connection.commit()
    words = ("run", here / "study.toml", "--dry-run", "--json")
    for further, missing in [((), 0), (("--retry", "failed"), 0), (("--retry", "timeout"), 3)]:
        rows = json.loads(run_here(*words, *further).stdout)["rows"]
        assert (24 - missing, missing) == (rows["stored"], rows["missing"])


def test_a_dry_run_says_that_there_is_no_card_for_what_needs_one(tmp_path):
    named = 'algorithms = ["pc", "var-sortnregress"]\n'
    tables = '[[algorithms]]\nuse = "pc"\ngpus = 1\n[[algorithms]]\nuse = "ges"\n'
    (tmp_path / "study.toml").write_text(STUDY.replace(named, "") + tables)
    done = run_here("run", tmp_path / "study.toml", "--dry-run", CUDA_VISIBLE_DEVICES="")
    assert "no graphics card on this machine: here rows of pc would be skipped\n" in done.stdout


def test_a_dry_run_refuses_the_results_of_another_study(folder):
    (folder / "other.toml").write_text(STUDY.replace("seed = 1", "seed = 2"))
    done = run_here("run", folder / "other.toml", "--dry-run")
    assert 2 == done.returncode
    assert 1 == len(done.stderr.splitlines())


def test_every_mistake_is_told_at_once(tmp_path):
    wrong = STUDY.replace('"pc"', '"pcc"').replace("n_nodes", "n_node").replace("seed", "sead")
    (tmp_path / "study.toml").write_text(wrong)
    done = run_here("run", tmp_path / "study.toml")
    assert 2 == done.returncode
    for word in ("pcc", "did you mean 'pc'", "n_node", "sead", "did you mean 'seed'"):
        assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_status_tells_that_all_is_done(folder):
    done = run_here("status", folder / "small-results")
    assert "24 of 24 rows (24 ok)" in done.stdout
    status = json.loads(run_here("status", folder / "small-results", "--json").stdout)
    assert "small" in json.dumps(status)


def test_status_tells_the_most_frequent_reason(folder):
    """Five columns have fewer pairs than the edges that are asked for."""
    wanting = STUDY.replace('["pc", ', '[{use = "acor", n_edges = 99}, ')
    (folder / "wanting.toml").write_text(wanting.replace("small", "wanting"))
    assert 0 == run_here("run", folder / "wanting.toml", "--workers", 1, "--json").returncode
    done = run_here("status", folder / "wanting-results")
    assert "24 of 24 rows (20 ok, 4 skipped)" in done.stdout
    assert "not ok, most often “5 columns have 10 pairs" in done.stdout
    assert "(4)" in done.stdout


def test_status_of_no_study_is_a_clear_error(tmp_path):
    done = run_here("status", tmp_path)
    assert 2 == done.returncode
    assert "Traceback" not in done.stderr


def test_running_again_computes_nothing(folder):
    done = run_here("run", folder / "study.toml", "--workers", 1, "--json")
    assert 24 == json.loads(done.stdout)["rows"]["ok"]


LOUD = """
import sys
from dataclasses import dataclass

import numpy as np

from causalassay.contracts import Estimate


@dataclass(frozen=True)
class Loud:
    fails: bool = False

    def discover(self, data, rng):
        print("10 %\\r20 %\\rdone \\x1b[31mred\\x1b[0m")
        if self.fails:
            sys.exit("it is over")
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")
"""


@pytest.fixture(scope="module")
def loud(tmp_path_factory):
    """The folder of a study two of whose algorithms print, one of which fails."""
    here = tmp_path_factory.mktemp("loud")
    (here / "loud.py").write_text(LOUD)
    lines = '[[algorithms]]\nuse = "loud.py:Loud"\ngrid.fails = [false, true]\n'
    text = STUDY.replace('algorithms = ["pc", "var-sortnregress"]\n', "") + lines
    (here / "study.toml").write_text(text)
    done = run_here("run", here / "study.toml", "--workers", 1, "--allow-programs")
    assert 0 == done.returncode, done.stderr
    return here


def test_the_tasks_that_printed_are_listed(loud):
    done = run_here("log", loud / "small-results")
    *lines, last = done.stdout.splitlines()
    assert (8, "8 tasks; name a key to see its output") == (len(lines), last)
    assert done.stdout == run_here("log", loud / "study.toml").stdout
    failed = run_here("log", loud / "small-results", "--failed").stdout.splitlines()[:-1]
    expected = [line for line in lines if "raised SystemExit: it is over" in line]
    assert [line.split() for line in expected] == [line.split() for line in failed]
    assert 4 == len(failed)
    few = run_here(*("log", loud / "small-results", "--scheme", "iscm", "--replicate", 1, "--json"))
    tasks = json.loads(few.stdout)["tasks"]
    assert {("iscm", 1, "ok"), ("iscm", 1, "failed")} == {
        (task["scheme"], task["replicate"], task["status"]) for task in tasks
    }


def test_the_output_of_one_task_is_printed_as_it_can_be_read(loud):
    results = loud / "small-results"
    key = run_here("log", results, "--failed").stdout.split()[0]
    done = run_here("log", results, key)
    assert "done red\n" == done.stdout
    assert "raised SystemExit: it is over" in done.stderr
    one = run_here("log", results, "--failed", "--scheme", "iscm", "--replicate", 0, "--json")
    assert "done red\n" == json.loads(one.stdout)["output"]


def test_a_row_that_failed_points_to_its_output(loud, tmp_path):
    run_here("export", loud / "small-results", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    pointing = [row for row in rows if "causalassay log" in row["notes"]]
    assert [row for row in rows if row["status"] == "failed"] == pointing
    assert 4 == len(pointing)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithm", "Load fails=true"], "did you mean"),
        (["--scheme", "iscn"], "did you mean 'iscm'"),
        (["ffffffffffff"], "no task whose key begins with 'ffffffffffff'"),
    ],
)
def test_a_task_that_is_not_there_is_a_clear_error(loud, words, message):
    done = run_here("log", loud / "small-results", *words)
    assert 2 == done.returncode
    assert message in done.stderr


def test_a_study_that_printed_nothing_says_so(folder):
    assert "no task printed anything\n" == run_here("log", folder / "small-results").stdout


def test_the_rows_of_an_algorithm_are_computed_again_by_name(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    file = tmp_path / "copy" / "study.toml"
    done = run_here("run", file, "--again", "pcc")
    assert 2 == done.returncode
    assert "no algorithm 'pcc'" in done.stderr
    assert "did you mean 'pc'?" in done.stderr
    done = run_here("run", file, "--again", "pc", "--dry-run")
    assert "rows: 20 of 24 are stored already, 4 are missing" in done.stdout
    done = run_here("run", file, "--again", "pc", "--workers", 1)
    assert 0 == done.returncode, done.stderr
    with closing(sqlite3.connect(tmp_path / "copy/small-results/study.sqlite")) as connection:
        latest = "SELECT DISTINCT name FROM rows JOIN algorithms ON algorithms.id = algorithm "
        latest += "WHERE session = (SELECT max(id) FROM sessions)"
        assert [("pc",)] == connection.execute(latest).fetchall()
        assert [(4,)] == connection.execute(latest.replace("DISTINCT name", "count(*)")).fetchall()


def test_the_summary_is_json_too(folder):
    summary = json.loads(run_here("summary", folder / "small-results", "--json").stdout)
    assert {"counts", "scores", "ranks", "attribution"} <= set(summary)
    assert {"headline", "matrix", "verdict"} <= set(summary)
    raw, iscm = summary["matrix"]["columns"]
    assert ("raw", "iscm") == (raw["scheme"], iscm["scheme"])
    assert 6 == len(summary["matrix"]["rows"])


def test_the_summary_is_of_one_size_and_of_the_size_that_is_asked_for(tmp_path):
    """The numbers are those of the rows of that size, and no other size is averaged in."""
    results = write_store(tmp_path / "results")
    frame = study_table(results).frame
    f1 = frame[
        (frame["algorithm"] == "pc") & (frame["scheme"] == "iscm") & (frame["status"] == "ok")
    ]
    for words, nodes in (((), 20), (("--size", "d=10"), 10), (("--size", "nodes=20"), 20)):
        found = json.loads(run_here("summary", results, *words, "--json").stdout)
        assert {"graph.n_nodes": nodes} == found["size"]
        others = [other["size"]["graph.n_nodes"] for other in found["other_sizes"]]
        assert others == ([] if words else [10])
        (mean,) = [
            row["mean"]
            for row in found["scores"]
            if (row["algorithm"], row["scheme"], row["metric"]) == ("pc", "iscm", "f1")
        ]
        assert pytest.approx(f1.loc[f1["graph.n_nodes"] == nodes, "f1"].mean()) == mean
        printed = " ".join(run_here("summary", results, *words).stdout.split())
        assert printed.startswith(f"{nodes} nodes: ")
        assert f"Of {nodes} nodes only (d={nodes}); other sizes: d={30 - nodes}." in printed
    done = run_here("summary", results, "--size", "d=15")
    assert 2 == done.returncode
    assert "--size d=15: no problems have this size; expected one of d=20; d=10" in done.stderr


def test_the_summary_of_an_unfinished_study_counts_what_is_missing(folder, tmp_path):
    """The run ends before the first row: a third replicate is missing."""
    shutil.copytree(folder / "small-results", tmp_path / "small-results")
    results = tmp_path / "small-results"
    more = STUDY.replace("replicates = 2", "replicates = 3")
    study = parse_study(more, tmp_path)
    with Store.open(results, study) as store:
        store.finish("interrupted")
    printed = run_here("summary", results).stdout
    assert printed.startswith("Not complete: 12 of 36 rows missing (")
    assert "24 of 36 planned runs so far. All 24 runs succeeded." in " ".join(printed.split())
    missing = json.loads(run_here("summary", results, "--json").stdout)["missing"]
    assert {name: 2 for name in missing} == missing
    assert 6 == len(missing)
    assert (
        {} == json.loads(run_here("summary", folder / "small-results", "--json").stdout)["missing"]
    )


def test_the_summary_of_a_metric_that_is_not_there_names_the_nearest(folder):
    done = run_here("summary", folder / "small-results", "--metric", "mec_sdh")
    assert 2 == done.returncode
    assert "did you mean 'mec_shd'" in done.stderr


def test_rows_are_exported_to_csv_and_parquet(folder):
    import pandas as pd

    assert 0 == run_here("export", folder / "small-results", folder / "rows.csv").returncode
    assert 0 == run_here("export", folder / "small-results", folder / "rows.parquet").returncode
    with (folder / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert 24 == len(rows) == len(pd.read_parquet(folder / "rows.parquet"))
    assert {"scm", "iscm"} == {row["model.kind"] for row in rows}


def test_replay_finds_the_study_by_the_key(folder):
    run_here("export", folder / "small-results", folder / "keys.csv")
    with (folder / "keys.csv").open() as file:
        key = next(csv.DictReader(file))["key"]
    done = run_here("replay", key[:10], "--json", cwd=folder)
    assert "ok" == json.loads(done.stdout)["status"]


def test_replay_of_an_unknown_key_is_a_clear_error(folder):
    done = run_here("replay", "ffffffffff", cwd=folder)
    assert 2 == done.returncode
    assert "Traceback" not in done.stderr


def test_workers_and_cluster_do_not_go_together(folder):
    done = run_here("run", folder / "study.toml", "--workers", 2, "--cluster", "tcp://127.0.0.1:1")
    assert 2 == done.returncode


def test_an_absent_scheduler_is_a_clear_error(folder, monkeypatch):
    monkeypatch.setattr("causalassay.study.cluster_executor.CONNECT_SECONDS", 0.5)
    done = run_here("run", folder / "study.toml", "--cluster", "tcp://127.0.0.1:1")
    assert 2 == done.returncode
    assert "no dask scheduler answers" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_report_and_its_figures_are_written(folder):
    done = run_here("report", folder / "small-results", "--figures")
    assert 0 == done.returncode, done.stderr
    assert (folder / "small-results" / "report.html").stat().st_size > 500_000
    suffixes = {file.suffix for file in (folder / "small-results" / "figures").iterdir()}
    assert {".pdf", ".svg", ".png", ".tex"} == suffixes


def test_a_run_prints_the_verdict_of_its_report(folder):
    short = run_here("summary", folder / "small-results").stdout
    printed = run_here("summary", folder / "small-results", "--full").stdout
    page = (folder / "small-results" / "report.html").read_text()
    assert printed.startswith(short)
    assert f'<p class="headline">{short.splitlines()[0]}' in page
    assert "Verdict" not in short
    assert "How the runs ended" in printed
    first = printed[printed.index("Verdict") :].splitlines()[1].lstrip("- ")[:40]
    assert first in page


def test_a_report_does_not_write_over_the_store(folder):
    results = folder / "small-results"
    before = (results / "study.sqlite").read_bytes()
    for words in (
        ("report", results, "--report", results / "study.sqlite"),
        ("export", results, results / "study.sqlite"),
        ("report", results, "--report", results),
    ):
        done = run_here(*words)
        assert 2 == done.returncode
        assert 1 == len(done.stderr.splitlines())
        assert "Traceback" not in done.stderr
    assert before == (results / "study.sqlite").read_bytes()


def test_damaged_rows_are_told_and_computed_again(folder, tmp_path):
    shutil.copytree(folder / "small-results", tmp_path / "small-results")
    shutil.copy(folder / "study.toml", tmp_path)
    results = tmp_path / "small-results"
    assert 0 == run_here("export", results, tmp_path / "before.csv", "--no-timing").returncode
    with closing(sqlite3.connect(results / "study.sqlite")) as connection:
        connection.execute(
            "UPDATE scores SET value = value + 1 WHERE row IN "
            "(SELECT DISTINCT row FROM scores WHERE value IS NOT NULL LIMIT 2)"
        )
        connection.commit()
    for words in (
        ("summary", results),
        ("report", results),
        ("export", results, tmp_path / "after.csv"),
        ("run", tmp_path / "study.toml", "--workers", 1),
    ):
        done = run_here(*words)
        assert 2 == done.returncode
        # Before it does anything, `run` says how many instances the study has.
        *said, error = done.stderr.splitlines()
        assert ["instances:"] * (words[0] == "run") == [line.split(" ")[0] for line in said]
        assert "2 of 28 rows" in error, done.stderr
    done = run_here("run", tmp_path / "study.toml", "--workers", 1, "--retry", "damaged", "--json")
    assert 24 == json.loads(done.stdout)["rows"]["ok"], done.stderr
    assert 0 == run_here("export", results, tmp_path / "after.csv", "--no-timing").returncode
    assert (tmp_path / "before.csv").read_bytes() == (tmp_path / "after.csv").read_bytes()
