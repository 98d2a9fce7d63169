"""The files of a benchmark: which data belong to which graph, and what an NPZ file may hold."""

import re

import numpy as np
import pytest

import causalassay as ca
from causalassay.auditing.benchmark_files import Reading, pair_files, read_pair


def read_npz(path):
    (pair,) = pair_files([path])
    return read_pair(pair, Reading())


@pytest.fixture
def folder(tmp_path):
    for name in ("data", "graphs"):
        (tmp_path / name).mkdir()
    return tmp_path


def touch(folder, *names):
    for name in names:
        (folder / name).write_text("a,b\n1,2\n")
    return [folder / name for name in names]


def test_files_are_paired_by_their_names(folder):
    data = touch(folder / "data", "set10.csv", "set2.csv.gz", "set1.parquet")
    touch(folder / "graphs", "set1.csv", "set2.csv", "set10.csv", ".hidden")
    pairs = pair_files(data, graphs=folder / "graphs")
    assert ["set1", "set2", "set10"] == [pair.name for pair in pairs]
    assert ["set1.csv", "set2.csv", "set10.csv"] == [pair.graph.name for pair in pairs]


def test_a_folder_means_its_data_files(folder):
    touch(folder / "data", "b.csv", "a.npz", "README.md", ".c.csv")
    pairs = pair_files([folder / "data"], graph=folder / "graph.csv")
    assert ["a.npz", "b.csv"] == [pair.data.name for pair in pairs]
    assert {folder / "graph.csv"} == {pair.graph for pair in pairs}


@pytest.mark.parametrize(
    ("data", "graphs", "message"),
    [
        (["a.csv", "b.csv"], ["a.csv"], "data/b.csv: no graph called 'b' in .*graphs; add it"),
        (["a.csv"], ["a.csv", "b.csv"], "graphs/b.csv: no data file called 'b'; add it"),
        (["a.csv", "a.parquet"], ["a.csv"], "two data files have the name 'a': .*a.csv and .*a.pa"),
        (["a.csv"], ["a.csv", "a.gml"], "two graph files have the name 'a'"),
    ],
)
def test_a_missing_or_a_doubled_partner_is_named(folder, data, graphs, message):
    paths = touch(folder / "data", *data)
    touch(folder / "graphs", *graphs)
    with pytest.raises(ValueError, match=message) as error:
        pair_files(paths, graphs=folder / "graphs")
    assert "\n" not in str(error.value)


def test_several_files_need_their_graphs(folder):
    paths = touch(folder, "a.csv", "b.csv")
    with pytest.raises(ValueError, match=r"2 data files need their graphs: --graphs FOLDER"):
        pair_files(paths)
    with pytest.raises(
        ValueError, match=r"pass --graph \(one graph for all files\) or --graphs \(a folder\), not"
    ):
        pair_files(paths, graph=paths[0], graphs=folder)
    with pytest.raises(ValueError, match="expected a folder of graph files"):
        pair_files(paths, graphs=paths[0])
    (graph,) = touch(folder, "graph.csv")
    with pytest.raises(ValueError, match=re.escape(f"audit {paths[0]} --graph {graph}")):
        pair_files([paths[0], graph])
    (folder / "empty").mkdir()
    with pytest.raises(ValueError, match="no data file in it; expected .csv"):
        pair_files([folder / "empty"])
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        pair_files([folder / "none.csv"])


VALUES = np.array([[0.0, 1.0], [2.0, 4.5], [1.0, 0.5]])
WEIGHTS = np.array([[0.0, -1.5], [0.0, 0.0]])


@pytest.mark.filterwarnings("ignore:set.npz. the graph holds weights")
@pytest.mark.parametrize("values", ["values", "X", "data", "samples"])
@pytest.mark.parametrize("graph", ["graph", "adjacency", "dag", "A", "weights", "W"])
def test_an_npz_file_holds_values_and_a_graph(tmp_path, values, graph):
    path = tmp_path / "set.npz"
    matrix = WEIGHTS if graph in ("weights", "W") else WEIGHTS != 0
    np.savez(path, **{values: VALUES, graph: matrix, "names": ["b", "a"], "other": [1]})
    data, truth = read_npz(path)
    np.testing.assert_array_equal(VALUES, data.observational_values)
    assert ("b", "a") == data.columns
    np.testing.assert_array_equal(WEIGHTS != 0, truth)


def test_an_npz_file_may_be_paired_with_a_graph(tmp_path):
    np.savez(tmp_path / "set.npz", X=VALUES)
    ca.graphs.write_graph(tmp_path / "graph.csv", ca.graphs.chain(2), ["x0", "x1"])
    (pair,) = pair_files([tmp_path / "set.npz"], graph=tmp_path / "graph.csv")
    np.testing.assert_array_equal(ca.graphs.chain(2), read_pair(pair, Reading())[1])
    np.savez(tmp_path / "set.npz", X=VALUES, W=WEIGHTS)
    with pytest.raises(ValueError, match="has its own graph"):
        read_pair(pair, Reading())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": VALUES, "values": VALUES}, "expected one array with the values"),
        ({"X": VALUES, "graph": np.triu(np.ones((3, 3)), 1)}, "set.npz: "),
        ({"X": VALUES, "graph": np.eye(2)}, "an edge to itself"),
        ({"X": VALUES, "graph": WEIGHTS * np.nan}, "is nan, expected 0 or 1"),
        ({"X": VALUES, "graph": np.array([["a", "b"], ["c", "d"]])}, "a square matrix of 0 and 1"),
        ({"X": np.array([["a", "b"]])}, "set.npz: "),
        ({"X": np.array([{}], dtype=object)}, "not a readable .npz file"),
    ],
)
@pytest.mark.filterwarnings("ignore::causalassay.data.ReadingNote")
def test_a_wrong_npz_file_is_one_line(tmp_path, arrays, message):
    np.savez(tmp_path / "set.npz", **arrays)
    with pytest.raises(ValueError, match=message) as error:
        read_npz(tmp_path / "set.npz")
    assert "\n" not in str(error.value)


def test_what_is_no_npz_file_is_refused(tmp_path):
    path = tmp_path / "set.npz"
    for content in (b"", b"PK\x03\x04 cut", b"a,b\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="not a readable .npz file"):
            read_npz(path)
    with path.open("wb") as file:
        np.save(file, VALUES)
    with pytest.raises(ValueError, match="not a readable .npz file"):
        read_npz(path)
    whole = tmp_path / "whole.npz"
    np.savez(whole, X=VALUES)
    path.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(ValueError, match="not a readable .npz file"):
        read_npz(path)
