"""What is unpacked and read has one bound, in every format; bombs never fill the memory."""

import gzip
import json
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from causalassay.cli import app
from causalassay.common import files as opening
from causalassay.data import read
from causalassay.graphs import read_graph
from causalassay.graphs.families import MOST_NODES
from causalassay.lab.factorial import read_experiment, read_jdk
from causalassay.models import read_bif
from study_texts import HEAD, mistakes_of

READ_IN_LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
import causalassay.data.tables
from causalassay.data import read

used = Path("/proc/self/statm")
if used.exists():
    pages = int(used.read_text().split()[0])
    most = pages * resource.getpagesize() + 1_000_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    read(sys.argv[1])
except ValueError as error:
    print(error)
"""

WAY_OUT = (
    "save fewer rows or columns, or set the environment variable CAUSALASSAY_MOST_VALUES "
    "(now 125000000) if your memory holds them\n"
)


def refusal(path):
    """Return why a process that may take 1 GB more than it has refuses a file."""
    words = [sys.executable, "-c", READ_IN_LITTLE_MEMORY, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr[-2000:]
    return done.stdout


def repeated(head, piece, times):
    """Return a gzip file that unpacks to many pieces, packed once: its members are the same."""
    return gzip.compress(head) + gzip.compress(piece) * times


def test_a_packed_table_of_too_many_rows_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(repeated(b"a,b\n", b"0,1\n" * 1_000_000, 200))
    message = refusal(path)
    assert message.startswith(f"{path}: at least 125")
    assert message.endswith(f"2 columns), expected at most 125000000 values; {WAY_OUT}")
    assert 1 == message.count("\n")


@pytest.mark.parametrize("piece", [b"0" * 10_000_000, (b"0" * 100_000 + b"\t1\n") * 100])
def test_a_packed_table_of_too_many_bytes_is_refused_in_little_memory(piece, monkeypatch, tmp_path):
    monkeypatch.setenv(opening.VARIABLE, "1e7")
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(repeated(b"a\tb\n", piece, 300))
    message = refusal(path)
    assert "bytes once unpacked, expected at most 200000000 bytes; save fewer" in message
    assert 1 == message.count("\n")


ZSTD = pa.ipc.IpcWriteOptions(compression="zstd")


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_typed_table_of_too_many_values_is_refused_in_little_memory(suffix, tmp_path):
    path = tmp_path / f"t{suffix}"
    ones = pa.table({"a": np.ones(13_000_000, dtype=np.int8)})
    if suffix == ".parquet":
        writer = pyarrow.parquet.ParquetWriter(path, ones.schema)
    else:
        writer = pa.ipc.new_file(str(path), ones.schema, options=ZSTD)
    with writer as file:
        for _ in range(10):
            file.write_table(ones)
    message = refusal(path)
    assert "rows, 1 columns), expected at most 125000000 values" in message


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_text_that_stands_for_many_counts_wherever_it_stands(suffix, tmp_path):
    """Ten megabytes in the file stand for 5000 rows of them."""
    path = tmp_path / f"t{suffix}"
    text = pa.DictionaryArray.from_arrays(np.zeros(5000, dtype=np.int32), ["x" * 10_000_000])
    table = pa.table({"a": text, "b": np.arange(5000.0)})
    if suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema, options=ZSTD) as file:
            file.write_table(table)
    assert "at least 50000000000 bytes once unpacked" in refusal(path)


PACKED = [{}, {"compression": "gzip"}, {"data_page_version": "2.0"}, {"row_group_size": 7}]


@pytest.mark.parametrize("packing", [*PACKED, {"use_dictionary": False, "data_page_size": 50}])
def test_columns_that_are_left_out_are_not_read(packing, tmp_path):
    path = tmp_path / "t.parquet"
    table = {"a": np.arange(20.0) ** 2, "b": [[1]] * 20, "c": ["ä", "o"] * 10, "d": [*range(20)]}
    pyarrow.parquet.write_table(pa.table(table), path, **packing)
    data = read(path, condition="c", drop=["b"])
    assert (("a", "d"), ("ä", "o")) == (data.columns, data.conditions)
    assert [0.0, 2.0, 4.0] == data.regimes[0].values[:3, 1].tolist()
    with pytest.raises(ValueError, match="column 'b' holds list.*expected numbers or text"):
        read(path, condition="c")


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_typed_table_without_rows_is_refused(ending, tmp_path):
    path = saved(tmp_path / f"t.{ending}", {"a": np.array([]), "b": np.array([])})
    with pytest.raises(ValueError, match="there is a header but no row"):
        read(path)


@pytest.fixture
def hundred(monkeypatch):
    """Let tables have at most 100 values, and so 2000 bytes."""
    monkeypatch.setenv(opening.VARIABLE, "1e2")


def saved(path, columns):
    """Write columns of numbers to a file and return its path."""
    table = pa.table(columns)
    match path.suffix:
        case ".npy":
            np.save(path, np.column_stack(list(columns.values())))
        case ".npz":
            np.savez_compressed(path, **columns)
        case ".parquet":
            pyarrow.parquet.write_table(table, path, compression="zstd")
        case ".feather" | ".arrow":
            with pa.ipc.new_file(str(path), table.schema, options=ZSTD) as file:
                file.write_table(table)
        case _:
            separator = "\t" if ".tsv" in path.suffixes else " " if ".dat" in path.name else ","
            rows = [columns, *zip(*columns.values(), strict=True)]
            text = "\n".join(separator.join(map(str, row)) for row in rows) + "\n"
            packed = gzip.open if path.suffix == ".gz" else open
            with packed(path, "wt", encoding="utf-8") as file:
                file.write(text)
    return path


NAMES = ("csv", "tsv", "txt", "csv.gz", "tsv.gz", "txt.gz", "dat")
TYPED = ("parquet", "feather", "arrow", "npy", "npz")


@pytest.mark.filterwarnings("ignore::causalassay.data.ReadingNote")
@pytest.mark.parametrize("ending", [*NAMES, *TYPED])
def test_every_format_has_the_same_bound_on_values(ending, hundred, tmp_path):
    rng = np.random.default_rng(0)
    few = {name: rng.integers(0, 9, 50) / 2 for name in "ab"}
    assert 50 == read(saved(tmp_path / f"few.{ending}", few)).n_samples
    many = {name: rng.integers(0, 9, 51) / 2 for name in "ab"}
    message = r"many\.\S+: at least 102 values \(.*\), expected at most 100 values; save fewer"
    with pytest.raises(opening.TooLarge, match=message):
        read(saved(tmp_path / f"many.{ending}", many))


@pytest.mark.filterwarnings("ignore::causalassay.data.ReadingNote")
@pytest.mark.parametrize("ending", [*NAMES, "parquet", "feather", "arrow"])
def test_every_format_has_the_same_bound_on_bytes(ending, hundred, tmp_path):
    wide = {"a": ["x" * 1500, "y" * 1500], "b": [1, 2]}
    with pytest.raises(opening.TooLarge, match="bytes once unpacked, expected at most 2000 bytes"):
        read(saved(tmp_path / f"t.{ending}", wide))


@pytest.mark.parametrize("ending", [*NAMES, *TYPED])
def test_every_format_has_the_same_bound_on_columns(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    wide = {f"x{k}": np.array([k, k + 1.5]) for k in range(MOST_NODES + 1)}
    message = "20001 columns, expected at most 20000, as many as a graph has nodes"
    if ending == "npz":  # an array for each column has its own, smaller bound
        np.savez(path, data=np.column_stack(list(wide.values())))
    else:
        saved(path, wide)
    with pytest.raises(opening.TooLarge, match=message):
        read(path)


def varint(number):
    """Return a number as Thrift writes it in a Parquet file."""
    number, written = 2 * number, b""
    while number > 127:
        written, number = written + bytes([number & 127 | 128]), number >> 7
    return written + bytes([number])


def test_the_contents_of_a_parquet_file_may_lie(monkeypatch, tmp_path):
    """The pages count, not what the footer says of them."""
    monkeypatch.setenv(opening.VARIABLE, "1e5")
    path = tmp_path / "t.parquet"
    table = pa.table({"a": ["x" * 3_000_000, "y"]})
    pyarrow.parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    honest = pyarrow.parquet.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    content = path.read_bytes()
    assert varint(honest) in content
    path.write_bytes(content.replace(varint(honest), varint(1_100_000)))
    told = pyarrow.parquet.read_metadata(path).row_group(0)
    assert (1_100_000, 1_100_000) == (told.column(0).total_uncompressed_size, told.total_byte_size)
    with pytest.raises(opening.TooLarge, match="at least 3000.* bytes once unpacked"):
        read(path)


def test_arrays_packed_in_ways_that_python_unpacks_whole_are_refused(tmp_path):
    path = tmp_path / "t.npz"
    np.save(tmp_path / "data.npy", np.eye(3))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.write(tmp_path / "data.npy", "data.npy")
    with pytest.raises(ValueError, match=r"data\.npy is packed by method 12 of zip; expected"):
        read(path)


def test_an_archive_of_many_small_arrays_is_bounded_as_a_whole(hundred, tmp_path):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, **{name: np.zeros(40, dtype=bool) for name in "abc"})
    with pytest.raises(opening.TooLarge, match="at least 120 values .*and 80 in other arrays"):
        read(path)


def test_views_of_one_text_count_wherever_they_stand(hundred, tmp_path):
    path = tmp_path / "t.arrow"
    views = pa.array(["x" * 50] * 50, pa.string_view())
    table = pa.table({"a": views})
    with pa.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)
    with pytest.raises(opening.TooLarge, match="bytes once unpacked, expected at most 2000"):
        read(path)


@pytest.mark.parametrize("stated", ["", "200", "2e2"])
def test_the_bound_can_be_raised(stated, hundred, monkeypatch, tmp_path):
    monkeypatch.setenv(opening.VARIABLE, stated)
    rng = np.random.default_rng(0)
    path = saved(tmp_path / "t.csv", {name: rng.normal(size=60) for name in "ab"})
    assert 60 == read(path).n_samples


@pytest.mark.parametrize("stated", ["many", "-1", "0", "nan", "inf"])
def test_a_bound_that_is_no_number_is_an_error(stated, monkeypatch, tmp_path):
    monkeypatch.setenv(opening.VARIABLE, stated)
    path = saved(tmp_path / "t.csv", {"a": [1.0, 2.0], "b": [3.0, 5.0]})
    with pytest.raises(ValueError, match=f"VALUES: expected a number of values.*got '{stated}'"):
        read(path)


def test_commands_studies_and_experiments_have_the_same_bound(hundred, tmp_path):
    rng = np.random.default_rng(0)
    data = saved(tmp_path / "t.csv.gz", {name: rng.integers(0, 9, 60) for name in "ab"})
    (tmp_path / "g.csv").write_text("from,to\na,b\n")
    message = "at least 120 values (60 rows, 2 columns), expected at most 100 values"
    graph, labels = ["--graph", str(tmp_path / "g.csv")], ["--condition", "a", "--target", "b"]
    for words in (["audit", *graph], ["discover", "--algorithm", "pc"], ["choose", *labels]):
        result = CliRunner().invoke(app, [words[0], str(data), *words[1:]])
        assert message in str(result.exception), words
    (line,) = mistakes_of(
        HEAD + '[[problems]]\ndata = {file = "t.csv.gz", graph = "g.csv"}\n', tmp_path
    )
    assert message in line
    with pytest.raises(opening.TooLarge, match="at least 120 values"):
        read_jdk(data)
    rows = saved(tmp_path / "e.csv", {name: range(60) for name in ("s", "t", "y", "b")})
    roles = 'subject = "s"\noutcomes = ["y"]\ncovariates = ["b"]\nbiasing = "b"\n'
    rows.with_suffix(".toml").write_text(f"{roles}treatments.t = [0, 1]\n")
    with pytest.raises(opening.TooLarge, match=r"e\.csv: at least 240 values"):
        read_experiment(rows.with_suffix(".toml"))


def test_a_matrix_of_a_graph_has_the_bound_of_an_array(hundred, tmp_path):
    np.savez_compressed(tmp_path / "g.npz", graph=np.zeros((11, 11), dtype=bool))
    with pytest.raises(opening.TooLarge, match=r"at least 121 values \(shape \(11, 11\)\)"):
        read_graph(tmp_path / "g.npz")


MANY = range(MOST_NODES + 1)
GROUP = "{" + " ".join(f"a{k}" for k in range(10_000)) + "}"
TWICE = [*map(str, range(MOST_NODES - 1)), str(MOST_NODES - 2)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("g.csv", "a,b\n" * 1_000_001, "1000001 lines, expected at most 1000000"),
        ("g.csv", "0," * 20_002 + "0", "at most 20000 nodes, got 20002"),
        ("g.csv", "#\n" * 1_000_000, "the file is empty"),
        ("g.json", json.dumps({"nodes": [*MANY], "edges": []}), "at most 20000 nodes, got 20001"),
        ("g.json", json.dumps({"nodes": TWICE, "edges": []}), "two nodes are called '19998'"),
        ("g.dot", "digraph {" + ";".join(map(str, MANY)) + "; -> }", "at most 20000 nodes"),
        ("g.dot", f"digraph {{ {GROUP} -> {GROUP.upper()} }}", "100000000 edges, expected at most"),
        ("g.dot", "digraph " + "{" * 30 + '"', "more than 20 deep"),
        ("g.gml", "graph [" + "node [id 7]" * 3 + "]", "node id 7 is duplicated"),
        (
            "g.graphml",
            "<graphml><graph>" + "".join(f'<node id="{k}"/>' for k in MANY) + "</graph></graphml>",
            "at most 20000 nodes, got 20001",
        ),
        (
            "g.gml",
            "graph [\n" + "".join(f'node [ id {k} label "{k // 2}" ]\n' for k in range(9)) + "]",
            "two nodes are called '0'",
        ),
    ],
)
def test_graphs_of_too_many_parts_are_refused_before_they_are_worked_on(
    name, text, expected, tmp_path
):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=r"g\.") as caught:
        read_graph(path)
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_network_of_too_many_levels_or_words_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "t.bif"
    path.write_text("variable v { type discrete [10001] { " + "a, " * 10_001 + "}; }")
    with pytest.raises(ValueError, match="line 1: 'v' has 10001 levels, expected at most 10000"):
        read_bif(path)
    monkeypatch.setattr("causalassay.models.discrete.bif.MOST_TOKENS", 100)
    with pytest.raises(ValueError, match="line 1: expected at most 100 words and marks in a file"):
        read_bif(path)


def test_a_header_in_quotes_that_never_end_is_refused_in_one_pass(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a\n' + "b\n" * 1_000_000)
    with pytest.raises(ValueError, match=r"t\.csv"):
        read(path)
