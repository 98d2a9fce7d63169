import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
from typer.testing import CliRunner

import causalassay as ca
from causalassay.cli import app
from causalassay.data import Dataset, Regime
from causalassay.graphs import chain
from causalassay.models import Do
from causalassay.risk.choosing import Choice
from causalassay.risk.descendants import find_experiments
from waiting import eventually

NAMES = ("dose", "<b>raf", "mek", "erk")
COLUMNS = ("--condition", "condition", "--target", "target", "--observational", "rest")
QUICK = ("--algorithm", "var-sortnregress", "--algorithm", "r2-sortnregress", "--seconds", 0)


def command(*words):
    return [sys.executable, "-m", "causalassay", "choose", *map(str, words)]


def run(*words):
    """Run the command in this process; errors come as the exceptions that `main` prints."""
    result = CliRunner().invoke(app, ["choose", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file with experiments on three of four columns."""
    where = tmp_path_factory.mktemp("choose")
    rng = np.random.default_rng(0)
    model = ca.models.draw("scm", chain(4), rng, weights=(1, 2))
    regimes = [Regime("rest", model.sample(200, rng))]
    for node in range(3):
        action = (Do(node, 4.0),)
        regimes.append(Regime(f"do {node}", model.sample(60, rng, action), (node,), action))
    data = Dataset(NAMES, tuple(regimes), "rest")
    lines = [",".join([*NAMES, "condition", "target"])]
    for regime in data.regimes:
        target = NAMES[regime.targets[0]] if regime.targets else ""
        lines += [
            ",".join([*(f"{value:.17g}" for value in row), regime.condition, target])
            for row in regime.values
        ]
    (where / "data.csv").write_text("\n".join(lines) + "\n")
    return where


def test_it_prints_the_headline_the_ranking_and_who_moved_and_writes_the_page(folder):
    page, graphs = folder / "page.html", folder / "graphs"
    done = run(folder / "data.csv", *COLUMNS, *QUICK, "--report", page, "--out", graphs, "--full")
    for words in (
        "380 rows, 4 columns, experiments on 3 of them",
        "Weighted causal risk (low is better)",
        "var-sortnregress",
        "random complete DAG (baseline)",
        "Who moved under which intervention",
        "do 1 <b>raf 60 mek / erk",
        "significance alone",
        "Take var-sortnregress: it has the best interventional BIC of 2 algorithms",
        "What to do: ",
    ):
        assert words in " ".join(done.stdout.split()) or words in done.stdout
    assert {"var-sortnregress.csv", "r2-sortnregress.csv"} == {p.name for p in graphs.iterdir()}
    html = page.read_text()
    assert "<b>raf" not in html
    assert "&lt;b&gt;raf" in html
    assert "default-src " in html
    for identity in ("picture-risks", "ranking", "movements", "differences", "second-opinion"):
        assert f'id="{identity}"' in html
    assert "</a>; measured: " in html
    assert html.count(" Measured: ") >= 2


def test_without_full_each_rule_says_only_how_often_it_was_wrong(folder):
    said = " ".join(run(folder / "data.csv", *COLUMNS, *QUICK).stdout.split())
    assert "Rule “choice”: measured: the one taken in place of the default had more true" in said
    assert "--full prints how each rule decides." in said
    assert "Who moved under which intervention" not in said


def test_full_prints_how_each_rule_decides_and_how_often_it_was_wrong(folder):
    done = run(folder / "data.csv", *COLUMNS, *QUICK, "--full")
    said = " ".join(done.stdout.split())
    assert "Rule “choice”: Takes the default (`xgies`; without it `boss`, then `xges`)" in said
    assert "Measured: the one taken in place of the default had more true risk in " in said


def test_json_holds_everything_and_where_it_comes_from(folder):
    done = run(folder / "data.csv", *COLUMNS, *QUICK, "--json", "--seed", 3)
    plain = json.loads(done.stdout)
    assert {"var-sortnregress", "r2-sortnregress"} == set(Choice.from_dict(plain).ranking)
    assert " Measured: " in plain["rules"]["choice"]
    assert ("var-sortnregress", "take-best-bic") == (plain["chosen"], plain["reason"])
    assert 3 == plain["seed"]
    assert ["data.csv"] == [file["name"] for file in plain["files"]]


def test_an_environment_that_is_absent_is_a_row_with_the_command(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_ENVIRONMENTS", str(tmp_path))
    done = run(folder / "data.csv", *COLUMNS, *QUICK, "--algorithm", "lingam-ica", "--json")
    plain = json.loads(done.stdout)
    assert "lingam-ica" not in Choice.from_dict(plain).ranking
    reason = "the environment lingam is not installed: causalassay env install lingam"
    assert f"on all data: {reason}" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--condition", "condition", "--target", "target"), "name it with --observational"),
        ((*COLUMNS[:4], "--observational", "rset"), "did you mean 'rest'?"),
        (("--condition", "cond", *COLUMNS[2:]), "'cond'"),
        (("--condition", "condition", "--target", "tgt", *COLUMNS[4:]), "'tgt'"),
        ((*COLUMNS, "--test", "z"), "test: there is no 'z'"),
        ((*COLUMNS, "--algorithm", "gess"), "gess"),
        ((*COLUMNS, "--not-acting", "do 9"), "there is no condition 'do 9'"),
        ((*COLUMNS, "--drop-condition", "do 0", "--drop-condition", "do 1"), "at least 2 columns"),
        ((*COLUMNS, "--report", "no/such/page.html"), "does not exist; create it first"),
        ((*COLUMNS, "--algorithm", '{use = "acor", n_edges = 99}'), "none of 1 algorithm has a"),
    ],
)
def test_a_mistake_is_one_clear_line(folder, words, said):
    with pytest.raises((ValueError, OSError)) as error:
        run(folder / "data.csv", *words)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mistake_ends_with_code_2(folder):
    words = command(folder / "data.csv", *COLUMNS[:4])
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    assert 2 == done.returncode
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_table_of_the_docs_has_what_choose_needs(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "your-data.md").read_text(encoding="utf-8")
    before = page.split("| what you have")[0].split("| what it is")[-1].split("\n\n", 1)[1]
    rows = [line for line in before.splitlines() if line[:1] == "|"]
    cells = [
        [cell.strip() for cell in row.strip("|").split("|")] for row in rows if "--" not in row
    ]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(map(",".join, cells)) + "\n")
    data = ca.data.read(table, "target", "condition", observational="control")
    assert len(find_experiments(data).on) >= 2


SLOW = """
import pathlib, time
class Slow:
    def discover(self, data, rng):
        pathlib.Path("began").touch()
        time.sleep(3600)
"""


@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_an_interruption_ends_with_130_and_leaves_nothing(folder, tmp_path, how):
    (tmp_path / "mine.py").write_text(SLOW)
    words = (folder / "data.csv", *COLUMNS, "--algorithm", "mine.py:Slow", "--report", "page.html")
    process = subprocess.Popen(
        command(*words),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    eventually(lambda: (tmp_path / "began").exists() or process.poll() is not None)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(how)
    _, stderr = process.communicate(timeout=900)
    assert 130 == process.returncode, stderr
    assert "interrupted: nothing was written" in stderr
    assert not (tmp_path / "page.html").exists()
    eventually(lambda: not any(child.is_running() for child in children))


def test_the_same_seed_gives_the_same_numbers_in_python(folder):
    words = ("--algorithm", "ges", "--seconds", 0, "--random-graphs", 50, "--seed", 3, "--json")
    printed = json.loads(run(folder / "data.csv", *COLUMNS, *words).stdout)
    reading = {"condition": "condition", "target": "target", "observational": "rest"}
    data = ca.data.read(folder / "data.csv", **reading)
    computed = ca.choose(data, 3, ["ges"], seconds=None, n_random=50).to_dict()
    for row in (*computed["rows"], *printed["rows"]):
        row.pop("seconds")
    assert computed == {name: printed[name] for name in computed}
