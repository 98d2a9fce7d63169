import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from causalassay.data import Dataset, Regime
from causalassay.discovery import discover, make_algorithm
from causalassay.discovery.command import Command, CommandFailed
from causalassay.environments.catalogue import environment
from causalassay.environments.installing import state
from causalassay.graphs import from_edges, skeleton
from causalassay.models import SCM
from waiting import eventually, gone

EXAMPLES = Path(__file__).parents[3] / "examples" / "commands"

DATA = Dataset.from_values(np.random.default_rng(0).normal(size=(20, 3)), ["a", "b", "c"])


def program(code, **options):
    return Command((sys.executable, "-c", f"import sys, os, time\n{code}"), **options)


def run(command, data=DATA, seed=0):
    return command.discover(data, np.random.default_rng(seed))


WRITE = "open(sys.argv[2], 'w').write({!r})"


def test_the_program_reads_the_data_and_writes_a_graph():
    code = (
        "import csv\n"
        "rows = list(csv.reader(open(sys.argv[1])))\n"
        "assert rows[0] == ['a', 'b', 'c'] and len(rows) == 21, rows[0]\n"
        "open(sys.argv[2], 'w').write('from,to,type\\na,b,->\\nb,c,--')"
    )
    estimate = run(program(code))
    assert [[0, 1, 0], [0, 0, 1], [0, 1, 0]] == estimate.graph.astype(int).tolist()
    assert "pdag" == estimate.kind


def test_targets_stand_in_the_file():
    data = Dataset(
        ("a", "b"),
        (
            Regime("control", [[0.0, 1.0], [1.0, 3.0]]),
            Regime("drug", [[5.0, 1.0], [5.5, 3.0]], targets=(0,)),
        ),
        observational="control",
    )
    code = (
        "import csv\n"
        "rows = [row[2:] for row in csv.reader(open(sys.argv[1]))]\n"
        "assert rows[0] == ['condition', 'target'] and rows[3] == ['drug', 'a'], rows\n"
        + WRITE.format("from,to\na,b")
    )
    assert run(program(code, promises="dag"), data).graph[0, 1]


def test_paths_can_stand_anywhere_in_the_words():
    code = "import sys; open(sys.argv[1], 'w').write('from,to\\na,c')"
    estimate = run(Command((sys.executable, "-c", code, "{graph}", "{data}")))
    assert estimate.graph[0, 2]


PROBABLE = WRITE.format("from,to\na,b") + ";open(sys.argv[3], 'w').write({!r})"
THREE = ("{data}", "{graph}", "{probabilities}")


def test_a_program_may_write_probabilities_beside_its_graph():
    code = PROBABLE.format(",c,a,b\nc,0,0.1,0\na,0.2,0,0.7\nb,0,0.3,0\n")
    command = Command((sys.executable, "-c", f"import sys\n{code}", *THREE), promises="dag")
    found = run(command).probabilities
    assert [[0, 0.7, 0.2], [0.3, 0, 0], [0.1, 0, 0]] == found.tolist()
    silent = (sys.executable, "-c", f"import sys\n{WRITE.format('from,to')}", *THREE)
    assert run(Command(silent)).probabilities is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n0,0\n0,0\n", "its header is 'a', 'b', expected 'a', 'b', 'c'"),
        ("a,b,c\n0,0\n", "shape"),
        ("a,b,c\n0,x,0\n0,0,0\n0,0,0\n", "could not convert"),
        ("a,b,c\n0,2,0\n0,0,0\n0,0,0\n", "that of 0→1 is 2.0"),
        ("", "its header is"),
    ],
)
def test_a_file_that_holds_no_probabilities_is_an_error(text, message):
    code = f"import sys\n{PROBABLE.format(text)}"
    with pytest.raises(CommandFailed, match=f"file of probabilities cannot be read: .*{message}"):
        run(Command((sys.executable, "-c", code, *THREE)))


def test_the_seed_comes_from_the_stream():
    code = (
        "seed = int(os.environ['CAUSALASSAY_SEED'])\n"
        "open(sys.argv[2], 'w').write('from,to\\na,' + 'bc'[seed % 2])"
    )
    graphs = [run(program(code), seed=seed).graph for seed in (0, 0, *range(1, 12))]
    assert np.array_equal(graphs[0], graphs[1])
    assert any(not np.array_equal(graphs[0], graph) for graph in graphs)


def test_the_end_of_its_stderr_is_in_the_error():
    code = "sys.stderr.write('x' * 5000 + 'matrix is singular'); sys.exit(3)"
    with pytest.raises(CommandFailed, match="code 3: x+matrix is singular") as caught:
        run(program(code))
    assert len(str(caught.value)) < 2200


def test_a_program_that_hangs_is_killed_with_its_children(tmp_path):
    note = tmp_path / "pid"
    code = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(3600)"
    )
    with pytest.raises(CommandFailed, match="within 5 seconds"):
        run(program(code, max_seconds=5))
    child = int(note.read_text())
    eventually(lambda: gone(child), "the child outlived its program")


def test_what_a_program_left_running_does_not_hold_up_its_answer(tmp_path):
    """A daemon in a session of its own, with the program's stderr open."""
    note = tmp_path / "pid"
    code = (
        "import subprocess\n"
        "words = [sys.executable, '-c', 'import time; time.sleep(3600)']\n"
        "child = subprocess.Popen(words, start_new_session=True)\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
    )
    answer = run(program(code + WRITE.format("from,to\na,b"), max_seconds=60))
    psutil.Process(int(note.read_text())).kill()
    assert answer.graph[0, 1]


@pytest.mark.needs("linux")  # for the limit is the shell's ulimit -v
def test_a_program_that_eats_memory_is_stopped():
    with pytest.raises(CommandFailed, match="MemoryError"):
        run(program("x = bytearray(4_000_000_000)", max_memory_mb=1000))


@pytest.mark.parametrize(
    ("code", "options", "message"),
    [
        ("pass", {}, "wrote no graph file"),
        (WRITE.format("from,to\na,x"), {}, "cannot be read.*'x'"),
        (WRITE.format("nonsense"), {}, "cannot be read"),
        (WRITE.format("from,to\na,b\nb,a"), {"promises": "dag"}, "promised a dag"),
        (WRITE.format("from,to\na,b"), {"promises": "cpdag"}, "promised a cpdag"),
    ],
)
def test_nonsense_is_an_error(code, options, message):
    with pytest.raises(CommandFailed, match=message):
        run(program(code, **options))


def test_a_program_that_is_not_there():
    with pytest.raises(CommandFailed, match="cannot be started"):
        run(Command("no-such-program-anywhere"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"program": ""}, "program"),
        ({"program": "x", "promises": "mag"}, "promises"),
        ({"program": "x", "max_seconds": 0}, "max_seconds"),
        ({"program": "x", "max_memory_mb": -1}, "max_memory_mb"),
    ],
)
def test_bad_fields_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Command(**options)


def test_it_leaves_no_files_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", None)
    run(program(WRITE.format("from,to\na,b")))
    assert [] == list(tmp_path.iterdir())


def test_it_is_known_by_name():
    code = f"import sys; {WRITE.format('from,to')}"
    estimate = discover(
        "command", DATA, np.random.default_rng(0), program=(sys.executable, "-c", code)
    )
    assert not estimate.graph.any()
    assert "true" == make_algorithm("command", program="true").program


def run_example(words, truth_edges, promises):
    """Run an example script on a chain a→b→c with exponential noise and a large sample."""
    rng = np.random.default_rng(0)
    truth = from_edges(truth_edges, 3)
    values = SCM(noise="exponential").draw(truth, rng).sample(2000, rng)
    data = Dataset.from_values(values, ["a", "b", "c"])
    return truth, run(Command(words, promises=promises, max_seconds=300), data).graph


@pytest.mark.needs("environment:lingam")
def test_the_lingam_example_in_its_environment():
    python = state(environment("lingam")).python
    words = (str(python), str(EXAMPLES / "direct_lingam.py"))
    truth, result = run_example(words, [(0, 1), (1, 2)], "dag")
    np.testing.assert_array_equal(truth, result)


@pytest.mark.parametrize(
    ("script", "promises"),
    [
        pytest.param("pc_pcalg.R", "pdag", marks=pytest.mark.needs("r-package:pcalg")),
        pytest.param("hc_bnlearn.R", "dag", marks=pytest.mark.needs("r-package:bnlearn")),
    ],
)
def test_the_r_examples_find_the_collider(script, promises):
    truth, result = run_example(("Rscript", str(EXAMPLES / script)), [(0, 2), (1, 2)], promises)
    np.testing.assert_array_equal(skeleton(truth), skeleton(result))


@pytest.mark.needs("Rscript")
def test_a_script_in_base_r_runs_as_a_program():
    truth, result = run_example(
        ("Rscript", str(EXAMPLES / "sort_and_step.R")), [(2, 0), (0, 1)], "dag"
    )
    np.testing.assert_array_equal(truth, result)
