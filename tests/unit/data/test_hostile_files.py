"""Files of strangers are refused in one line that says what came and what was expected."""

import gzip
import io
import os
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from causalassay.cli import main
from causalassay.cli.beginning import new_study
from causalassay.common.files import read_text
from causalassay.data import Dataset, read, write
from causalassay.graphs import chain, erdos_renyi, read_graph, write_graph
from causalassay.models import read_bif
from causalassay.study.language import read_study
from causalassay.study.problem_specs import Interventions
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

ESCAPE, TURN = "\x1b[2J", "\u202e"


@pytest.mark.parametrize(
    ("reader", "name"),
    [(read_study, "a.toml"), (read, "a.csv"), (read_graph, "a.csv"), (read_bif, "a.bif")],
)
def test_only_regular_files_are_opened(reader, name, tmp_path):
    """A pipe without a writer would never be opened, /dev/zero never end."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match=rf"{name} is a pipe, expected a"):
        reader(tmp_path / name)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(OSError, match=rf"{name} is a device, expected a"):
        reader(tmp_path / name)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError, match=rf"{name} is a folder, expected a"):
        reader(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="there is no"):
        reader(tmp_path / f"absent-{name}")


def test_a_text_beyond_the_limit_is_not_read(tmp_path):
    path = tmp_path / "large.bif"
    with path.open("wb") as file:
        file.truncate(10**12)  # a hole, which takes no room
    with pytest.raises(ValueError, match=r"large.bif has 1000000000000 bytes, expected a BIF file"):
        read_bif(path)
    path.write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match="has 11 bytes, expected a note of at most 10"):
        read_text(path, "a note", most=10)


DEEP = "lie more than 20 deep inside each other"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = " + "[" * 100_000, DEEP),
        ("a = " + "[" * 100 + "]" * 100, DEEP),
        ("a = " + "{a = " * 5000, DEEP),
        ("a." * 20_000 + "a = 1", DEEP),
        ("[" + "'a' . " * 20_000 + "a]", DEEP),
        ("seed = " + "9" * 5000, "not TOML: Exceeds the limit"),
        ("seed = 0x" + "f" * 5000, "seed: got an integer beyond 2^63"),
        (f"replicates = {10**30}", "replicates: got an integer beyond 2^63"),
        ("problems = [{samples = nan}]", "problems[0].samples: got nan, expected a number"),
        ("seed = 1979-05-27", "seed: got 1979-05-27, a date or time; no key of a study takes"),
        ("seed = 07:32:00", "seed: got 07:32:00, a date or time"),
    ],
)
def test_what_toml_allows_and_no_study_needs_is_refused(text, expected):
    (line,) = mistakes_of(text)
    assert expected in line
    assert len(line) < 200


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("replicates = 2", "replicates = 1000001", "expected an integer from 1 to 1000000"),
        ("samples = 100", "samples = 1000000001", "expected an integer from 2 to 1000000000"),
        ("n_nodes = 10", "n_nodes = 20001", "n_nodes: expected at most 20000, got 20001"),
        ("n_nodes = 10", "n_nodes = 1000000001", "expected an integer of at most 1000000000"),
        ('kind = "iscm"', 'kind = "iscm", sample_size = 9000000000', "at most 1000000000"),
        ('name = "trial"', f'name = "{"x" * 101}"', "expected text of at most 100 letters"),
    ],
)
def test_sizes_have_upper_bounds(old, new, expected):
    (line,) = mistakes_of((HEAD + PROBLEM).replace(old, new))
    assert expected in line


def test_held_out_systems_have_an_upper_bound():
    tuning = '[[algorithms]]\nuse = "pc"\n[algorithms.tune]\ncriterion = "shd"\nsystems = 1000001\n'
    (line,) = mistakes_of(HEAD + PROBLEM + tuning + "grid.alpha = [0.1, 0.2]\n")
    assert line.endswith("tune.systems: got 1000001, expected an integer from 1 to 1000000")


def test_a_graph_beyond_memory_is_refused():
    with pytest.raises(ValueError, match="n_nodes: expected at most 20000, got 1000000000000"):
        erdos_renyi(10**12, 1, 0)


@pytest.mark.parametrize("name", ["value", "variance"])
@pytest.mark.parametrize("number", ["inf", "-inf", "nan"])
def test_interventions_set_nodes_to_finite_numbers(name, number):
    table = (
        f'interventions = {{action = "do", samples = 9, probability = 0.5, {name} = {number}}}\n'
    )
    (line,) = mistakes_of(HEAD + PROBLEM + table)
    assert f"interventions.{name}" in line
    with pytest.raises(ValueError, match=f"{name}: expected a finite number"):
        Interventions("do", samples=9, probability=0.5, **{name: float(number)})


RANDOM = """
[[problems]]
samples = 100
settings = 1
graph = {kind = "erdos-renyi", edges_per_node = 2}
model = {kind = "scm"}
[problems.random]
graph.n_nodes = [10, 20]
"""


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ("graph.n_nodes = [10, -3, 20]", "graph.n_nodes[1]: expected at least 1, got -3"),
        ('graph.n_nodes = [10, 20, "x"]', 'graph.n_nodes[2]: got "x", expected an integer'),
        ("graph.n_nodes = [10, 20, 2]", "nodes can have 0 to 0.5 edges per node, got 2.0"),
        (
            "graph.n_nodes = {low = -3, high = 1000, integer = true}",
            "random.graph.n_nodes: expected at least 1, got -3",
        ),
        (
            "graph.n_nodes = {low = 10, high = 1e9, integer = true}",
            "random.graph.n_nodes: expected at most 20000, got 1000000000",
        ),
        (
            "graph.n_nodes = {low = 10, high = 1e10, integer = true}",
            "expected integers of at most 1000000000",
        ),
        ('graph.n_nodes = [10]\nmodel.noise = ["gaussian", "gausian"]', "no noise 'gausian'"),
        ("graph.n_nodes = [10]\nmodel.noise_sd = {low = -1e308, high = 1e308}", "not wider"),
        (
            'graph.n_nodes = [10]\ntogether = [{samples = 100}, {samples = "x"}]',
            'together[1].samples: got "x", expected an integer from 2',
        ),
        (f"graph.n_nodes = {list(range(1, 10_002))}", "got 10001 values, expected at most 10000"),
    ],
)
def test_every_value_that_could_be_drawn_is_checked(axis, expected):
    for seed in range(3):
        head = HEAD.replace("seed = 1", f"seed = {seed}")
        lines = mistakes_of(head + RANDOM.replace("graph.n_nodes = [10, 20]", axis))
        assert any(expected in line for line in lines), lines


def test_a_value_that_fits_some_of_the_others_is_no_mistake():
    """Three nodes allow two edges each only with few edges: a matter of what is drawn together."""
    text = RANDOM.replace(", edges_per_node = 2", "").replace("settings = 1", "settings = 1")
    text += "graph.edges_per_node = {low = 0, high = 4.5}\nmodel.noise_sd = {low = 0, high = 1}\n"
    assert len(parsed(HEAD + text).problems) == 1


@pytest.mark.parametrize("hidden", [ESCAPE, TURN, "\n", "\u2028", "\x7f", "\x85"])
def test_names_in_study_files_print(hidden):
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in f"a{hidden}")
    problem = PROBLEM + f'name = "{escaped}"\n'
    algorithm = f'[[algorithms]]\nuse = "pc"\nname = "{escaped}"\n'
    for text in (HEAD + problem, HEAD + PROBLEM + algorithm):
        (line,) = mistakes_of(text)
        assert "a character that does not print; remove it" in line
        assert hidden not in line
    (line,) = mistakes_of(HEAD + PROBLEM.replace("samples", f'"{escaped}" = 1\nsamples'))
    assert hidden not in line


def test_letters_of_all_scripts_are_names(tmp_path):
    name = "größe μ 変数 می\u200cخواهم"
    entry = parsed(HEAD + PROBLEM + f'name = "{name}"\n').problems[0]
    assert name == entry.name
    path = tmp_path / "t.csv"
    path.write_text(f"{name},y\n1,2\n3,5\n", encoding="utf-8")
    assert (name, "y") == read(path).columns


@pytest.mark.parametrize("hidden", [ESCAPE, TURN, "\u2028"])
def test_names_in_tables_graphs_and_networks_print(hidden, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a{hidden},b\n1,2\n3,5\n", encoding="utf-8")
    with pytest.raises(ValueError, match="t.csv: columns: the name at position 0 has .*not print"):
        read(path)
    path.write_text(f"a,c\n1,x{hidden}\n3,x{hidden}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="t.csv: condition: the name .* does not print"):
        read(path, condition="c")
    for text in (f"from,to\na{hidden}a,b\n", f",a{hidden}a,b\na{hidden}a,0,1\nb,0,0\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="t.csv.*a character that does not print"):
            read_graph(path)
    bif = tmp_path / "t.bif"
    text = f'variable "a{hidden}" {{ type discrete [1] {{ x }}; }}'
    bif.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="t.bif, line 1: the name .* does not print"):
        read_bif(bif)


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], columns=[f"a{ESCAPE}", "b"])
    with pytest.raises(ValueError, match="the name .* does not print; remove it"):
        write(data, tmp_path / "t.csv")
    with pytest.raises(ValueError, match="the name .* does not print; remove it"):
        write_graph(tmp_path / "g.csv", chain(2), [f"a{TURN}", "b"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("lists", [[1], [2, 3]]),
        ("bytes", [b"\xff\xfe", b"\x00"]),
        ("structs", [{"a": 1}, {"a": 2}]),
    ],
)
def test_parquet_columns_that_are_no_numbers_and_no_text_are_refused(name, column, tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({name: column}), path)
    with pytest.raises(ValueError, match=rf"column '{name}' holds .*expected numbers or text"):
        read(path)


def test_fields_beyond_the_limit_of_csv_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x" * 200_000 + ",y\n1,2\n3,4\n")
    with pytest.raises(ValueError, match=r"t\.csv: the header cannot be read: field larger"):
        read(path)
    with pytest.raises(ValueError, match=r"t\.csv: line 1: field larger than field limit"):
        read_graph(path)
    path.write_text(f"x,y\n{'1' * 200_000}x,2\n3,4\n")
    with pytest.raises(ValueError, match=r"t\.csv: column 'x' holds text") as caught:
        read(path)
    assert len(str(caught.value)) < 1000


def test_a_small_file_that_unpacks_to_an_endless_line_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"\x00" * 50_000_000))
    with pytest.raises(ValueError, match=r"t\.csv\.gz: the header cannot be read"):
        read(path)


def variables(count, levels="a, b", number=2):
    return "".join(
        f"variable v{k} {{ type discrete [{number}] {{ {levels} }}; }}\n" for k in range(count)
    )


def roots(count, table="0.5, 0.5"):
    return "".join(f"probability ( v{k} ) {{ table {table}; }}\n" for k in range(count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            variables(30)
            + roots(29)
            + f"probability ( v29 | {' '.join(f'v{k}' for k in range(29))} ) {{ default 1 0; }}",
            "'v29' has 29 parents and so 1073741824 probabilities, expected at most 30 and",
        ),
        (
            variables(80, "a", 1)
            + roots(79, "1")
            + f"probability ( v79 | {' '.join(f'v{k}' for k in range(79))} ) {{ default 1; }}",
            "'v79' has 79 parents and so 1 probabilities, expected at most 30",
        ),
        (
            variables(15_001)
            + roots(15_000)
            + f"probability ( v15000 | {' '.join(f'v{k}' for k in range(15_000))} ) {{}}",
            "'v15000' has 15000 parents and so more than 10^18 probabilities, expected at most 30",
        ),
        ("network n { property " + '"a" ' * 3000, "expected ; at the end of the property"),
        ("/* " * 100_000, "line 1: the comment /* is never closed"),
        ("{" * 100_000, "line 1: expected 'network', 'variable' or 'probability', got '{'"),
        ("variable v { type discrete [2] { a, b", "line 1: expected a level or '}', but the file"),
        (variables(1) + "probability ( v0 ) { table 0.5", "line 2: expected a probability or"),
        ("variable " + "x" * 100_000 + " {", "has 100000 characters, expected at most 500"),
    ],
)
def test_networks_that_are_huge_deep_or_truncated_are_refused(text, expected, tmp_path):
    path = tmp_path / "t.bif"
    path.write_text(text)
    with pytest.raises(ValueError, match="t.bif, line") as caught:
        read_bif(path)
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 1000


LAUGHS = "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">' for k in range(12))
BOMB = f"<?xml version='1.0'?><!DOCTYPE g [<!ENTITY a0 'ha'>{LAUGHS}]><graphml>&a12;</graphml>"


def member(shape, descr="<f8", body=b""):
    """Return an .npy file that claims a shape."""
    head = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body


def archive(content, name="graph.npy"):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return held.getvalue()


def pickled():
    held = io.BytesIO()
    np.savez(held, graph=np.array([{"a": print}, 3], dtype=object))
    return held.getvalue()


@pytest.mark.parametrize("reader", [read_graph, read])
@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("t.npz", pickled(), "it holds object"),
        ("t.npy", member((10**9, 10**9)), "does not fit into its 0 bytes"),
        ("t.npz", archive(member((10**9, 10**9))), "does not fit into its 0 bytes"),
        ("t.npy", member((-1, -8)), "does not fit"),
        ("t.npy", member("(" * 5000), "not a readable .npy file"),
        ("t.npz", archive(member((2, 2), "<f8", b"\x00" * 31)), "does not fit into its 31 bytes"),
        ("t.npz", archive(b""), "not a readable .npz file"),
        ("t.npz", b"PK\x05\x06" + b"\x00" * 18, "expected one array"),
    ],
)
def test_arrays_that_hold_objects_or_claim_too_much_are_refused(
    reader, name, content, expected, tmp_path
):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=name.replace(".", r"\.")) as caught:
        reader(path)
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_entities_in_a_graph_are_refused(tmp_path):
    path = tmp_path / "t.graphml"
    path.write_text(BOMB)
    with pytest.raises(ValueError, match="t.graphml: it declares entities or a document type"):
        read_graph(path)
    path.write_text("x" * 8_000_001)
    with pytest.raises(ValueError, match="expected a .graphml file .* of at most 8000000"):
        read_graph(path)


def test_a_graph_of_too_many_nodes_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("from,to\n" + "".join(f"a{k},b{k}\n" for k in range(10_001)))
    with pytest.raises(ValueError, match=r"t.csv: expected at most 20000 nodes, got 20002"):
        read_graph(path)


@pytest.mark.parametrize("stated", ["a\\u0000b", "x" * 300, "pipe", "absent/x.csv", "."])
def test_data_files_that_cannot_be_opened_are_mistakes(stated, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    text = f'[[problems]]\ndata = {{file = "{stated}", graph = "{stated}"}}\n'
    lines = mistakes_of(HEAD + text, tmp_path)
    assert ["problems[0].data.file", "problems[0].data.graph"] == [
        line.partition(":")[0] for line in lines
    ]
    (line,) = mistakes_of(HEAD + f'[[problems]]\nnetwork = "{stated}"\nsamples = 9\n', tmp_path)
    assert line.startswith("problems[0].network: ")


def test_memory_that_is_not_enough_is_an_error_in_one_line(monkeypatch, capsys):
    def fill(words):
        raise MemoryError("Unable to allocate 7 EiB")

    monkeypatch.setattr("causalassay.cli.application", fill)
    with pytest.raises(SystemExit, match="2"):
        main()
    expected = "error: not enough memory for these files or settings; Unable to allocate"
    assert capsys.readouterr().err.startswith(expected)


def test_a_new_study_has_a_name_that_can_be_read(tmp_path):
    with pytest.raises(ValueError, match="name: expected at most 100 letters, digits, - and _"):
        new_study("x" * 101, tmp_path)
    assert not list(tmp_path.iterdir())
