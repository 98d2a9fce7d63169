import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import causalassay as ca


def run(*words, timeout=120):
    return subprocess.run(
        [sys.executable, "-m", "causalassay", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    rng = np.random.default_rng(1)
    graph = ca.graphs.erdos_renyi(12, 2, rng)
    values = ca.models.draw("scm", graph, rng).sample(300, rng)
    names = [f"v{k}" for k in range(12)]
    ca.graphs.write_graph(folder / "graph.csv", graph, names)
    ca.data.write(ca.data.Dataset.from_values(values, names), folder / "data.csv")
    return folder


FAST = ("--bootstrap", 5)


def test_audit_prints_tables_a_verdict_and_its_rule(files):
    done = run("audit", files / "data.csv", "--graph", files / "graph.csv", *FAST)
    assert (0, "") == (done.returncode, done.stderr)
    for word in (
        "300 rows, 12 columns, 24 edges",
        "rising variance",
        "Verdict: ",
        "Rule “two tests”: ",
    ):
        assert word in done.stdout


def test_audit_prints_json(files):
    done = run("audit", files / "data.csv", "--graph", files / "graph.csv", "--json", *FAST)
    result = json.loads(done.stdout)
    assert "gameable" == result["verdict"]["kind"]
    assert result["findings"][-1]["kind"].startswith("graph ")
    assert 24 == result["n_edges"]


def test_the_order_of_names_in_the_graph_file_does_not_matter(files):
    graph, names = ca.graphs.read_graph(files / "graph.csv")
    back = list(reversed(range(12)))
    ca.graphs.write_graph(
        files / "reversed.csv", graph[np.ix_(back, back)], [names[k] for k in back]
    )
    straight, turned = (
        run("audit", files / "data.csv", "--graph", files / name, "--json", *FAST).stdout
        for name in ("graph.csv", "reversed.csv")
    )
    assert straight == turned


def test_audit_works_without_a_graph(files):
    done = run("audit", files / "data.csv")
    assert 0 == done.returncode
    assert "No graph, so no finding on the order" in done.stdout


def test_conditions_are_named_on_the_command_line(files):
    text = (files / "data.csv").read_text().splitlines()
    labels = ["condition", *["control"] * 200, *["drug"] * 100]
    mixed = files / "mixed.csv"
    mixed.write_text("\n".join(f"{a},{b}" for a, b in zip(text, labels, strict=True)))
    done = run("audit", mixed, "--condition", "condition", "--observational", "control")
    assert "200 rows" in done.stdout
    unnamed = run("audit", mixed, "--condition", "condition")
    assert 2 == unnamed.returncode
    assert "observational" in unnamed.stderr
    undeclared = run("audit", mixed)
    assert 2 == undeclared.returncode
    assert "condition" in undeclared.stderr


def test_audit_reads_files_as_people_have_them_and_says_what_it_took_for_granted(files):
    frame = pd.read_csv(files / "data.csv")
    frame.insert(0, "id", range(len(frame)))
    frame.to_csv(files / "people.csv", sep=";", index=False)
    graph = ca.graphs.read_graph(files / "graph.csv")[0]
    np.savetxt(files / "people.txt", graph.T)
    words = ("--drop", "id", "--graph", files / "people.txt", "--transpose", "--json", *FAST)
    done = run("audit", files / "people.csv", *words)
    plain = run("audit", files / "data.csv", "--graph", files / "graph.csv", "--json", *FAST)
    assert json.loads(plain.stdout) == json.loads(done.stdout)
    separator, matrix = done.stderr.splitlines()
    assert f"note: {files / 'people.csv'}: its fields are separated by semicolons" == separator
    assert matrix.startswith("note: people.txt: a matrix without names: ")
    warned = run("audit", files / "people.csv", "--separator", ";")
    assert warned.stderr.startswith(f"note: {files / 'people.csv'}: column 'id' looks like an ind")
    assert "" == run("audit", files / "people.csv", "--separator", ";", "--continuous").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{}/data.csv", "--discrete", "--continuous"], "state one of them, or neither"),
        (["{}/data.csv", "--drop", "v99"], "there is no column 'v99'"),
        (["nothing.csv"], "nothing.csv"),
        (["{}/data.csv", "--graph", "nothing.csv"], "nothing.csv"),
        (["{}/data.csv", "--graph", "{}/data.csv"], "expected a square matrix"),
        (["{}/data.csv", "--graph", "{}/graph.csv", "--bootstrap", "-1"], "at least 0, got -1"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(files, words, message):
    done = run("audit", *[word.format(files) for word in words])
    assert 2 == done.returncode
    assert message in done.stderr.replace("\n", "")
    assert "Traceback" not in done.stderr
    assert "" == done.stdout


def test_help_teaches_and_imports_nothing_heavy():
    assert "causalassay audit data.csv --graph graph.csv" in " ".join(
        run("audit", "--help").stdout.split()
    )
    code = "import sys, causalassay.cli; sys.exit('numpy' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("audit",),
        ("run",),
        ("status",),
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
    shown = run(*words, "--help").stdout
    assert "Example: causalassay" in shown
    assert "<bool>" not in shown
    if words not in ((), ("new",)):
        assert "--json" in shown


def test_completion_can_be_installed():
    assert "--install-completion" in run("--help").stdout


def test_version_is_printed():
    assert run("--version").stdout.startswith("causalassay 0.")
