import json
import re
import signal
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer

import causalassay as ca
from causalassay.cli import application
from command_line import run_here
from waiting import eventually


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    rng = np.random.default_rng(1)
    graph = ca.graphs.erdos_renyi(12, 2, rng)
    values = ca.models.draw("scm", graph, rng).sample(300, rng)
    names = [f"v{k}" for k in range(12)]
    ca.graphs.write_graph(folder / "graph.csv", graph, names)
    ca.data.write(ca.data.Dataset.from_values(values, names), folder / "data.csv")
    ca.audit(values, graph, 0, n_bootstrap=0)  # compiles kernels, which a command would announce
    return folder


FAST = ("--bootstrap", 5)


def test_audit_prints_tables_a_verdict_and_its_rule(files):
    done = run_here("audit", files / "data.csv", "--graph", files / "graph.csv", *FAST)
    assert (0, "") == (done.returncode, done.stderr)
    for word in (
        "300 rows, 12 columns, 24 edges",
        "rising variance",
        "Verdict: ",
        "Rule “two tests”: ",
    ):
        assert word in done.stdout


@pytest.mark.parametrize("columns", ["80", "100", "", "0", "wide"])
def test_pipes_are_as_wide_as_columns_says(files, columns):
    """120 where it is not set or says nothing."""
    wide = int(columns) if columns in ("80", "100") else 120
    words = ("audit", files / "data.csv", "--graph", files / "graph.csv", *FAST)
    printed = run_here(*words, COLUMNS=columns).stdout
    assert wide - 15 < max(map(len, printed.splitlines())) <= wide


def test_audit_prints_json(files):
    done = run_here("audit", files / "data.csv", "--graph", files / "graph.csv", "--json", *FAST)
    result = json.loads(done.stdout)
    assert "gameable" == result["verdict"]["kind"]
    assert result["findings"][-1]["kind"].startswith("graph-")
    assert 24 == result["n_edges"]


def test_audit_prints_json_with_what_it_was_made_from(files):
    words = ("audit", files / "data.csv", "--graph", files / "graph.csv", "--json", "--seed", 3)
    result = json.loads(run_here(*words, *FAST).stdout)
    assert version("causalassay") == result["version"]
    assert 3 == result["seed"]
    assert 5 == result["settings"]["bootstrap"]
    hashes = [
        {"name": name, "role": role, "sha256": sha256((files / name).read_bytes()).hexdigest()}
        for name, role in (("data.csv", "data"), ("graph.csv", "graph"))
    ]
    assert hashes == result["files"]


def test_audit_writes_a_page_and_a_table(files, tmp_path):
    page, table = tmp_path / "audit.html", tmp_path / "audit.tex"
    words = ("--report", page, "--latex", table, *FAST)
    done = run_here("audit", files / "data.csv", "--graph", files / "graph.csv", *words)
    assert 0 == done.returncode
    assert f"Report: {page}\nLaTeX table: {table}\n" == done.stderr
    assert "Verdict: Gameable by variance" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "Gameable by variance" in text
    assert f"causalassay audit {files / 'data.csv'} --graph" in text
    written = table.read_text(encoding="utf-8")
    assert "\\begin{tabular}" in written
    for shown in (done.stdout, text, written):
        assert "Not looked at: any other statistic of a column" in " ".join(shown.split())
    assert [page, table] == sorted(tmp_path.iterdir())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Three data sets with their graphs: in two folders, and as NPZ files."""
    folder = tmp_path_factory.mktemp("many")
    for name in ("data", "graphs", "npz"):
        (folder / name).mkdir()
    for k in range(3):
        rng = np.random.default_rng(k)
        graph = ca.graphs.erdos_renyi(9, 2, rng)
        data = ca.Dataset.from_values(ca.models.draw("scm", graph, rng).sample(300, rng))
        ca.data.write(data, folder / "data" / f"set{k}.csv")
        ca.graphs.write_graph(folder / "graphs" / f"set{k}.csv", graph, data.columns)
        np.savez(folder / "npz" / f"set{k}.npz", X=data.pooled, graph=graph)
    return folder


def test_several_files_get_one_verdict(many, tmp_path):
    words = (*sorted((many / "data").iterdir()), "--graphs", many / "graphs", *FAST)
    done = run_here("audit", *words, "--each", "--latex", tmp_path / "audit.tex")
    assert 0 == done.returncode
    assert 1 == done.stdout.count("Verdict: ")
    assert "Verdict: Gameable by variance and R²: sorting beats random orders (3 files" in (
        " ".join(done.stdout.split())
    )
    assert "all together" in done.stdout
    assert "\nset1\nGameable by variance" in done.stdout
    assert "set2 &" in (tmp_path / "audit.tex").read_text()
    from_csv = json.loads(run_here("audit", *words, "--json").stdout)
    from_npz = json.loads(run_here("audit", many / "npz", "--json", *FAST).stdout)
    assert from_csv["verdict"] == from_npz["verdict"]
    assert from_csv["audits"] == from_npz["audits"]
    assert ["data", "data", "data", "graph", "graph", "graph"] == [
        file["role"] for file in from_csv["files"]
    ]
    assert {"data and graph"} == {file["role"] for file in from_npz["files"]}


def test_a_file_of_many_that_cannot_be_audited_is_named(tmp_path):
    for name in ("bad.csv", "worse.csv"):
        (tmp_path / name).write_text("a,b\n1,1\n3,2\n")
    (tmp_path / "graph.txt").write_text("from,to\na,b\nb,a\n")
    words = (tmp_path / "bad.csv", tmp_path / "worse.csv", "--graph", tmp_path / "graph.txt")
    done = run_here("audit", *words)
    assert 2 == done.returncode
    assert "bad.csv: graph: " in done.stderr
    assert 1 == done.stderr.count("\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{0}/data"], "3 data files need their graphs"),
        (
            ["{0}/data", "--graphs", "{0}/npz", "--graph", "{0}/graphs/set0.csv"],
            "one graph for all",
        ),
        (["{0}/data/set0.csv", "--graphs", "{0}/graphs"], "no data file called 'set1'"),
        (["{0}/npz/set0.npz", "--report", "{0}/no/x.html"], "does not exist; create it first"),
        (["{0}/npz/set0.npz", "--report", "{0}/npz"], "is a folder"),
        (["{0}/npz/set0.npz", "--latex", "{0}/npz/set0.npz"], "is one of the files to read"),
        (["{0}/data/set0.csv", "--latex", "{0}/x.tex"], "needs a graph"),
    ],
)
def test_mistakes_with_many_files_are_one_line_before_the_work_begins(many, words, message):
    done = run_here("audit", *[word.format(many) for word in words])
    assert 2 == done.returncode
    assert message in done.stderr
    assert 1 == done.stderr.count("\n")
    assert "" == done.stdout


def test_an_interrupted_audit_says_so_without_a_traceback(many, tmp_path):
    words = ["audit", many / "data", "--graphs", many / "graphs", "--bootstrap", 10**7]
    log = tmp_path / "log"
    with log.open("w") as stderr:
        started = subprocess.Popen(
            [sys.executable, "-m", "causalassay", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
        try:
            # Hashing and imports are over when the first file is open or read: wait for numba.
            eventually(lambda: "numba" in Path(f"/proc/{started.pid}/maps").read_text())
            eventually(lambda: "pyarrow" in Path(f"/proc/{started.pid}/maps").read_text())
            started.send_signal(signal.SIGINT)
            # Where the signal comes in an import, Python may end by it: a shell says 130 of both.
            assert started.wait(60) in {130, -signal.SIGINT}
        finally:
            started.kill()
            started.communicate()
    assert "Traceback" not in log.read_text()


def test_the_order_of_names_in_the_graph_file_does_not_matter(files):
    graph, names = ca.graphs.read_graph(files / "graph.csv")
    back = list(reversed(range(12)))
    ca.graphs.write_graph(
        files / "reversed.csv", graph[np.ix_(back, back)], [names[k] for k in back]
    )
    straight, turned = (
        run_here("audit", files / "data.csv", "--graph", files / name, "--json", *FAST).stdout
        for name in ("graph.csv", "reversed.csv")
    )
    assert json.loads(straight) | {"files": []} == json.loads(turned) | {"files": []}


def test_audit_works_without_a_graph(files):
    done = run_here("audit", files / "data.csv")
    assert 0 == done.returncode
    assert "No graph, so no finding on the order" in done.stdout


def test_conditions_are_named_on_the_command_line(files):
    text = (files / "data.csv").read_text().splitlines()
    labels = ["condition", *["control"] * 200, *["drug"] * 100]
    mixed = files / "mixed.csv"
    mixed.write_text("\n".join(f"{a},{b}" for a, b in zip(text, labels, strict=True)))
    done = run_here("audit", mixed, "--condition", "condition", "--observational", "control")
    assert "200 rows" in done.stdout
    unnamed = run_here("audit", mixed, "--condition", "condition")
    assert 2 == unnamed.returncode
    assert "observational" in unnamed.stderr
    undeclared = run_here("audit", mixed)
    assert 2 == undeclared.returncode
    assert "condition" in undeclared.stderr


def test_audit_reads_files_as_people_have_them_and_says_what_it_took_for_granted(files):
    frame = pd.read_csv(files / "data.csv")
    frame.insert(0, "id", range(len(frame)))
    frame.to_csv(files / "people.csv", sep=";", index=False)
    graph = ca.graphs.read_graph(files / "graph.csv")[0]
    np.savetxt(files / "people.txt", graph.T)
    words = ("--drop", "id", "--graph", files / "people.txt", "--transpose", "--json", *FAST)
    done = run_here("audit", files / "people.csv", *words)
    plain = run_here("audit", files / "data.csv", "--graph", files / "graph.csv", "--json", *FAST)
    differ = {"files", "settings"}
    same = [
        {k: v for k, v in json.loads(one.stdout).items() if k not in differ}
        for one in (plain, done)
    ]
    assert same[0] == same[1]
    separator, matrix = done.stderr.splitlines()
    assert f"note: {files / 'people.csv'}: its fields are separated by semicolons" == separator
    assert matrix.startswith("note: people.txt: a matrix without names: ")
    warned = run_here("audit", files / "people.csv", "--separator", ";")
    assert warned.stderr.startswith(
        f"note: {files / 'people.csv'}: left out: 'id' (id); to use it pass --keep id"
    )
    assert "" == run_here("audit", files / "people.csv", "--separator", ";", "--continuous").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{}/data.csv", "--discrete", "--continuous"], "pass one of them, or neither"),
        (["{}/data.csv", "--drop", "v99"], "there is no column 'v99'"),
        (["nothing.csv"], "nothing.csv"),
        (["{}/data.csv", "--graph", "nothing.csv"], "nothing.csv"),
        (["{}/data.csv", "--graph", "{}/data.csv"], "expected a square matrix"),
        (["{}/data.csv", "--graph", "{}/graph.csv", "--bootstrap", "-1"], "at least 0, got -1"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(files, words, message):
    done = run_here("audit", *[word.format(files) for word in words])
    assert 2 == done.returncode
    assert message in done.stderr.replace("\n", "")
    assert "Traceback" not in done.stderr
    assert "" == done.stdout


def test_help_teaches_and_imports_nothing_heavy():
    shown = " ".join(run_here("audit", "--help").stdout.split())
    assert "causalassay audit data.csv --graph graph.csv" in shown
    assert "causalassay audit data/*.csv --graphs graphs/" in shown
    code = "import sys, causalassay.cli; sys.exit('numpy' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("audit",),
        ("run",),
        ("status",),
        ("log",),
        ("summary",),
        ("report",),
        ("export",),
        ("replay",),
        ("list",),
        ("new",),
        ("new", "study"),
        ("new", "algorithm"),
    ],
)
def test_every_help_has_an_example_and_plain_flags(words):
    shown = run_here(*words, "--help").stdout
    assert re.search(r"Example: causalassay|^ causalassay", shown, re.MULTILINE)
    assert "<bool>" not in shown
    if words not in ((), ("new",)):
        assert "--json" in shown


def every_command(group, *words):
    yield words, group
    for name, command in getattr(group, "commands", {}).items():
        yield from every_command(command, *words, name)


def test_help_breaks_no_sentence_before_it_is_shown():
    commands = dict(every_command(typer.main.get_command(application())))
    assert {("hall",), ("domain", "jdk"), ("new", "study"), ("env", "list")} <= commands.keys()
    for words, command in commands.items():
        assert "\n" not in command.help.replace("\n\n", ""), words


def test_completion_can_be_installed():
    assert "--install-completion" in run_here("--help").stdout


def test_version_is_printed():
    assert run_here("--version").stdout.startswith("causalassay 0.")
