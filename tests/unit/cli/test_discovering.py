"""The command `discover`: what it prints and writes, and what it refuses in one line."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import causalassay as ca
from causalassay.cli import app
from causalassay.common.files import unsaid
from causalassay.contracts import Estimate
from causalassay.present import Provenance
from causalassay.present.html import page
from causalassay.resampling import EdgeFrequencies
from causalassay.resampling.document import (
    Search,
    edge_table,
    frequencies_document,
    frequency_matrix,
)
from waiting import eventually

SLOW = """
import ctypes, os, time
from pathlib import Path
import numpy as np
from causalassay.contracts import Estimate
class Slow:
    def __init__(self, mark=""): self.mark = mark
    def discover(self, data, rng):
        if data.columns == ("a", "b", "c") and not Path(self.mark).exists():
            Path(self.mark).touch()
            return Estimate(np.zeros((3, 3), dtype=bool), "dag")
        time.sleep(600)
class Loud:
    def discover(self, data, rng):
        print("chatter")
        return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), "dag")
class Broken:
    def discover(self, data, rng):
        raise KeyError("inside")
class Exits:
    def discover(self, data, rng):
        os._exit(0)
class Crashes:
    def discover(self, data, rng):
        ctypes.string_at(0)
"""


def run(*words):
    """Run the command in this process; errors come as the exceptions that `main` prints."""
    result = CliRunner().invoke(app, ["discover", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("discover")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    values = np.column_stack([x[:, 0], x[:, 0] + x[:, 1], x[:, 0] + x[:, 1] + 0.5 * x[:, 2]])
    ca.data.write(ca.Dataset.from_values(values, ["a", "b", "c"]), folder / "data.csv")
    lines = [
        f"{a},{b},{c},{'drug' if k % 3 == 0 else 'control'},{'b' if k % 3 == 0 else ''}"
        for k, (a, b, c) in enumerate(values.tolist())
    ]
    (folder / "experiments.csv").write_text("\n".join(["a,b,c,condition,target", *lines]))
    (folder / "mine.py").write_text(SLOW)
    return folder


FAST = ("--bootstrap", 6, "--workers", 1)


def test_it_prints_the_graph_and_the_frequencies(files):
    done = run(files / "data.csv", "--algorithm", "var-sortnregress", *FAST)
    assert "var-sortnregress on data.csv: 300 rows, 3 columns" in done.stdout
    assert "edges come out as drawn in at least 90 % of the bootstraps (6, 0 failed)" in done.stdout
    assert re.search(r"a → b .* 100 %", done.stdout)


@pytest.mark.parametrize("suffix", ["csv", "graphml", "gml", "dot", "json", "npz"])
def test_a_written_graph_is_the_algorithm_s(files, tmp_path, suffix):
    out = tmp_path / f"graph.{suffix}"
    done = run(files / "data.csv", "--algorithm", "ges", "--write-graph", out, *FAST)
    assert f"Graph: {out}" in done.stderr
    with unsaid():
        data = ca.data.read(files / "data.csv")
        graph, _ = ca.graphs.read_graph(out, data.columns)
    np.testing.assert_array_equal(ca.discover("ges", data, 0).graph, graph)
    assert not list(tmp_path.glob(".*"))


def test_a_matrix_is_written_on_demand(files, tmp_path):
    out = tmp_path / "graph.csv"
    run(files / "data.csv", "--algorithm", "empty", "--write-graph", out, "--matrix", *FAST)
    assert [",a,b,c", "a,0,0,0", "b,0,0,0", "c,0,0,0"] == out.read_text().splitlines()


def test_json_has_the_frequencies_and_where_they_come_from(files):
    words = ("--algorithm", "pc", "--set", "alpha=0.001", "--json", *FAST)
    found = json.loads(run(files / "data.csv", *words).stdout)
    assert ("pc", 6, 0) == (found["algorithm"], found["n_bootstrap"], found["seed"])
    assert "alpha=0.001" in found["settings"]["algorithm"]
    assert 64 == len(found["files"][0]["sha256"])
    assert found["edges"]


def test_probabilities_of_the_network_are_printed_paged_and_in_json(files, tmp_path):
    words = ("--algorithm", "amortized", "--set", "threshold=0.2", *FAST)
    with unsaid():
        data = ca.data.read(files / "data.csv")
    expected = ca.discover("amortized", data, 0, threshold=0.2)
    assert expected.graph.any()
    found = json.loads(run(files / "data.csv", *words, "--json").stdout)
    assert expected.probabilities.tolist() == found["probabilities"]
    done = run(files / "data.csv", *words, "--report", tmp_path / "g.html")
    assert "probability" in done.stdout
    html = (tmp_path / "g.html").read_text()
    for i, j in np.argwhere(expected.graph):
        percent = f"{100 * expected.probabilities[i, j]:.0f} %"
        names = f"{'abc'[i]} → {'abc'[j]}"
        assert re.search(rf"{names} +{percent} ", done.stdout)
        assert names in html
    assert ">probability<" in html or "probability</" in html


def test_the_same_seed_gives_the_same_numbers(files):
    words = ("--algorithm", "pc", "--json", "--seed", 7, *FAST)
    one, two = (run(files / "data.csv", *words).stdout for _ in range(2))
    assert one == two


def test_a_drawing_and_a_page_are_written(files, tmp_path):
    words = ("--svg", tmp_path / "g.svg", "--report", tmp_path / "g.html", *FAST)
    run(files / "data.csv", "--algorithm", "ges", *words)
    assert "<svg" in (tmp_path / "g.svg").read_text()
    html = (tmp_path / "g.html").read_text()
    places = [html.index(part) for part in ("come out as drawn", "<svg", "<table", "SHA-256")]
    assert sorted(places) == places
    assert "no hidden common cause" in html


def test_the_pictures_of_the_page_have_the_numbers_of_its_table():
    graph = np.array([[False, True], [True, False]])
    counts = np.array([[0, 50], [23, 0]]), np.array([[0, 27], [27, 0]])
    found = EdgeFrequencies(("plc", "pip3"), Estimate(graph, "cpdag"), *counts, 100)
    html = page(frequencies_document(found, Search("gies", "d.csv", "5 rows")))
    assert "plc — pip3, joined 100 %, as drawn 27 %" in html
    (values,) = frequency_matrix(found)["datasets"].values()
    cells = {(one["cause"], one["effect"]): one for one in values}
    assert "50\n(27)" == cells["plc", "pip3"]["numbers"]
    assert "23\n(27)" == cells["pip3", "plc"]["numbers"]
    assert all(one["says"].endswith("undirected: 27 %, absent: 0 %") for one in cells.values())
    assert [True, True] == [one["drawn"] for one in cells.values()]
    (row,) = edge_table(found).records()
    shares = {"as_drawn": 0.27, "forward": 0.5, "backward": 0.23, "undirected": 0.27, "absent": 0.0}
    assert {"edge": "plc — pip3"} | shares == row
    drawn = html[html.index('id="picture-frequencies"') : html.index("<table")]
    assert all(re.search(rf">{number}</t(span|ext)>", drawn) for number in ("50", "23", r"\(27\)"))


def test_without_bootstraps_only_the_edges_are_listed(files, tmp_path):
    out, report = tmp_path / "g.csv", tmp_path / "g.html"
    words = ("--bootstrap", 0, "--write-graph", out, "--report", report)
    done = run(files / "data.csv", "--algorithm", "var-sortnregress", *words)
    assert "a → b" in done.stdout
    assert "shares of the bootstraps" not in done.stdout
    assert "–" not in done.stdout
    html = report.read_text()
    assert "a → b" in html
    assert "as drawn" not in html
    assert "from,to,type" == out.read_text().splitlines()[0]


def test_the_edges_are_printed_beside_files_too(files, tmp_path):
    words = ("--write-graph", tmp_path / "g.csv", *FAST)
    done = run(files / "data.csv", "--algorithm", "var-sortnregress", *words)
    assert re.search(r"a → b .* 100 %", done.stdout)


def test_experiments_are_read_and_conditions_left_out(files):
    words = ("--condition", "condition", "--target", "target", "--observational", "control")
    done = run(files / "experiments.csv", "--algorithm", "gies", *words, *FAST)
    assert "in 2 conditions, 3 columns; the algorithm reads all rows with their targets" in (
        " ".join(done.stdout.split())
    )
    less = run(
        files / "experiments.csv", "--algorithm", "ges", *words, "--drop-condition", "drug", *FAST
    )
    assert "200 rows, 3 columns" in less.stdout


def test_what_an_algorithm_prints_is_no_part_of_the_result(files, capfd):
    words = ("--algorithm", f"{files}/mine.py:Loud", "--json", "--bootstrap", 1, "--workers", 1)
    done = run(files / "data.csv", *words)
    assert ["a", "b", "c"] == json.loads(done.stdout)["columns"]
    assert "chatter" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("algorithm", "how"),
    [("Exits", "crashed: exit code 0"), ("Crashes", "crashed: killed by signal 11 (SIGSEGV)")],
)
def test_an_algorithm_that_ends_its_process_is_one_line(files, algorithm, how):
    message = f"{algorithm}: the algorithm ended its process on all rows ({how})"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        run(files / "data.csv", "--algorithm", f"{files}/mine.py:{algorithm}", *FAST)


def test_a_series_has_no_bootstraps_by_default(files):
    done = run(files / "data.csv", "--algorithm", "granger-lasso", "--series")
    assert "without bootstraps nothing is known" in done.stdout or "No edges" in done.stdout
    with pytest.raises(ValueError, match="cannot be drawn one by one"):
        run(files / "data.csv", "--algorithm", "granger-lasso", "--series", "--bootstrap", 5)


def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is(files, monkeypatch):
    monkeypatch.setattr("causalassay.cli.printing.EVERY_SECONDS", -1)
    done = run(files / "data.csv", "--algorithm", "empty", *FAST)
    assert "6 of 6 bootstraps" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithm", "gis"], "no algorithm 'gis'; did you mean 'gies'"),
        (["--algorithm", "granger-lasso"], "granger-lasso does not apply to these data: the rows"),
        (
            ["--algorithm", "pc", "--write-graph", "{0}/g.xyz"],
            "expected a file that ends in '.csv'",
        ),
        (["--algorithm", "pc", "--write-graph", "{0}/no/g.csv"], "does not exist; create it first"),
        (["--algorithm", "pc", "--write-graph", "{0}/data.csv"], "one of the files to read"),
        (["--algorithm", "pc", "--svg", "{0}"], "is a folder"),
        (
            ["--algorithm", "pc", "--svg", "{0}/a.csv", "--write-graph", "{0}/a.csv"],
            "name the same file",
        ),
        (["--algorithm", "pc", "--matrix"], "--matrix is for --write-graph FILE.csv"),
        (["--algorithm", "pc", "--drop-condition", "x"], "condition: there is no 'x'"),
        (["--algorithm", "pc", "--bootstrap", "-1"], "n_bootstrap: expected a number from 0"),
        (["--algorithm", "{0}/mine.py:Broken"], "KeyError: 'inside' (mine.py, line 19)"),
    ],
)
def test_mistakes_are_one_line(files, words, message):
    with pytest.raises((ValueError, OSError), match=re.escape(message)) as caught:
        run(files / "data.csv", *(word.format(files) for word in words))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n1,3\n1,4\n", "constant over all 3 rows: 'a'"),
        ("a,b\n1,2\n2,inf\n3,4\n", "infinite values"),
        ("a,b,condition\n1,2,x\n2,3,x\n3,5,y\n", "at least 2 rows are needed, got 1"),
    ],
)
def test_data_that_no_algorithm_takes_are_one_line(tmp_path, text, message):
    (tmp_path / "d.csv").write_text(text)
    words = ("--condition", "condition") if "condition" in text else ()
    with pytest.raises(ValueError, match=message):
        run(tmp_path / "d.csv", "--algorithm", "empty", *words)


EXPERIMENTS = ("--condition", "condition", "--target", "target")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithm", "gies", *EXPERIMENTS], "name it as `observational` (--observational cont"),
        (["--algorithm", "ges", *EXPERIMENTS], "(--observational): there are 'drug', 'control'"),
        (
            ["--algorithm", "ges", *EXPERIMENTS, "--observational", "Control"],
            "did you mean 'control'?",
        ),
        (
            ["--algorithm", "granger-lasso", "--drop", "target", "--drop", "condition"],
            "(--series)",
        ),
        (["--algorithm", "ges", "--drop", "target"], "(--condition condition)"),
        (
            ["--algorithm", "ges", *EXPERIMENTS, "--observational", "control", "--series"],
            "(leave --series out)",
        ),
        (
            ["--algorithm", "granger-lasso", *EXPERIMENTS, "--series", "--bootstrap", "1"],
            "(--bootstrap 0)",
        ),
    ],
)
def test_a_message_names_the_option_that_helps(files, words, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        run(files / "experiments.csv", *words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message", "words"),
    [
        ("a,b,my c\n1,2,5\n2,3,5\n3,3,5\n", "(--drop 'my c')", ("--drop", "my c")),
        ("a,b,c\n1,2,2\n2,3,3\n3,3,3\n", "(--drop c)", ("--drop", "c")),
        (
            "a,b,condition\n1,2,x\n2,3,x\n3,5,x\n3,5,y\n",
            "condition 'y': at least 2 rows are needed, got 1; leave the condition out "
            "(--drop-condition)",
            ("--drop-condition", "y"),
        ),
    ],
)
def test_the_option_that_a_message_names_helps(tmp_path, text, message, words):
    (tmp_path / "d.csv").write_text(text)
    fixed = ("--condition", "condition") if "condition" in text else ()
    stated = (tmp_path / "d.csv", "--algorithm", "empty", "--bootstrap", 0, *fixed)
    with pytest.raises(ValueError, match=re.escape(message)):
        run(*stated)
    assert "2 columns" in run(*stated, *words).stdout


def test_an_unknown_target_says_how_to_leave_the_condition_out(files):
    words = ("--condition", "condition", "--observational", "control", *FAST)
    with pytest.raises(ValueError, match=r"targets of condition 'drug'.*\(--drop-condition drug\)"):
        run(files / "experiments.csv", "--algorithm", "gies", "--drop", "target", *words)


def test_an_environment_that_is_absent_is_one_line_with_the_command(files, tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_ENVIRONMENTS", str(tmp_path))
    said = "lingam-ica: the environment lingam is not installed: causalassay env install lingam"
    with pytest.raises(ValueError, match=f"^{said}$"):
        run(files / "data.csv", "--algorithm", "lingam-ica", *FAST)


def test_after_ctrl_c_nothing_is_written_and_nothing_runs(files, tmp_path):
    mark = tmp_path / "mark"
    words = ["discover", files / "data.csv", "--algorithm", f"{files}/mine.py:Slow"]
    words += ["--set", f'mark="{mark}"', "--workers", "2", "--write-graph", tmp_path / "g.csv"]
    started = subprocess.Popen(
        [sys.executable, "-m", "causalassay", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(mark.exists)
        eventually(lambda: len(_children(started.pid)) >= 2)
        children = _children(started.pid)
        started.send_signal(signal.SIGINT)
        assert 130 == started.wait(60)
    finally:
        started.kill()
        _, said = started.communicate()
    assert "interrupted: nothing was written" in said
    assert "Traceback" not in said
    assert not (tmp_path / "g.csv").exists()
    eventually(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


def _children(pid):
    """Return the children of a process, whichever of its threads started them."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [child for path in lists for child in path.read_text().split()]


def test_the_page_escapes_names_and_loads_nothing():
    columns = ("<script>a", "b & c")
    graph = np.array([[False, True], [True, False]])
    counts = np.array([[0, 2], [1, 0]]), np.array([[0, 3], [3, 0]])
    found = EdgeFrequencies(columns, Estimate(graph, "cpdag"), *counts, 8, {"<b>why": 2})
    made = Provenance(0, {"bootstrap": 8}, (), "9.9.9").blocks("causalassay", "2001-02-03")
    search = Search("<u>pc", "<i>d.csv", "5 rows", "<a>ssumed")
    html = page(frequencies_document(found, search, made))
    for name in ("<script>", "<b>why", "<i>d", "<u>pc", "<a>s", "style="):
        assert name not in html
    assert "2 of 8 bootstraps failed: &lt;b&gt;why" in html
    assert not re.search(r"(src|href)=\"(?!#)", html)


def test_weights_stand_beside_directed_edges():
    graph = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool)
    weights = np.arange(9.0).reshape(3, 3)
    nothing = np.zeros((3, 3), dtype=int)
    found = EdgeFrequencies(tuple("abc"), Estimate(graph, "pdag", weights), nothing, nothing, 0)
    rows = edge_table(found).records()
    assert [{"edge": "a → b", "weight": 1.0}, {"edge": "b — c", "weight": None}] == rows


def test_a_matrix_has_no_numbers_where_they_would_not_fit():
    nothing = np.zeros((25, 25), dtype=int)
    names = tuple(f"x{k}" for k in range(25))
    counts = np.eye(25, k=1, dtype=int)
    found = EdgeFrequencies(names, Estimate(counts > 0, "dag"), counts, nothing, 1)
    assert ["rect"] == [layer["mark"]["type"] for layer in frequency_matrix(found)["layer"]]
    alone = EdgeFrequencies(("x",), Estimate(nothing[:1, :1] > 0, "dag"), *[nothing[:1, :1]] * 2, 1)
    assert "<svg" in alone._repr_html_()


def test_sachs_is_read_as_the_docs_say(sachs_folder):
    words = ("--condition", "condition", "--target", "target", "--observational", "cd3_cd28")
    drop = ("--drop-condition", "icam2", "--drop-condition", "ly")
    path = sachs_folder / "sachs.csv"
    done = run(path, "--algorithm", "gies", *words, *drop, "--bootstrap", 2, "--workers", 1)
    assert "5716 rows in 7 conditions, 11 columns" in done.stdout
