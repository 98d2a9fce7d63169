"""Conversions on an asymmetric chain, so that a transposed matrix fails; and their errors."""

import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from causalassay.graphs import (
    chain,
    from_edges,
    from_gadjid,
    from_lingam,
    from_networkx,
    from_pandas,
    skeleton,
    to_edges,
    to_gadjid,
    to_lingam,
    to_networkx,
    to_pandas,
)

# a→b→c—d
GRAPH = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=bool)
NAMES = ["a", "b", "c", "d"]
EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "c")]


def test_edge_lists_point_from_the_first_to_the_second():
    np.testing.assert_array_equal(GRAPH, from_edges(EDGES, NAMES))
    assert EDGES == to_edges(GRAPH, NAMES)
    assert [(0, 1), (1, 2), (2, 3), (3, 2)] == to_edges(GRAPH)


def test_edges_may_come_as_an_array_of_numbers():
    np.testing.assert_array_equal(GRAPH, from_edges(np.argwhere(GRAPH), np.int64(4)))


def test_an_unknown_node_brings_the_nearest_name():
    with pytest.raises(ValueError, match=r"unknown node 'rfa', did you mean 'raf'\?"):
        from_edges([("rfa", "mek")], ["raf", "mek"])
    with pytest.raises(ValueError, match="unknown node 7, there are 0, 1, 2"):
        from_edges([(0, 7)], 3)


@pytest.mark.parametrize("edge", ["ab", ("a",), ("a", "b", "c"), 3])
def test_an_edge_is_a_pair(edge):
    with pytest.raises(ValueError, match=r"expected pairs \(from, to\), got"):
        from_edges([edge], ["a", "b"])


def test_loops_and_repeated_names_are_refused():
    with pytest.raises(ValueError, match="joins a node to itself; leave it out"):
        from_edges([("a", "a")], ["a", "b"])
    with pytest.raises(ValueError, match="nodes: the name 'a' appears twice"):
        from_edges([], ["a", "a"])
    with pytest.raises(ValueError, match="nodes: a graph has at least 1 node"):
        from_edges([], 0)
    with pytest.raises(TypeError, match="nodes: expected several names, got the string 'ab'"):
        from_edges([], "ab")
    with pytest.raises(ValueError, match="names: the graph has 4 nodes but there are 2 names"):
        to_edges(GRAPH, ["a", "b"])


def test_networkx_edges_point_the_same_way():
    digraph = nx.DiGraph(EDGES)
    np.testing.assert_array_equal(GRAPH, from_networkx(digraph))
    np.testing.assert_array_equal(GRAPH[::-1, ::-1], from_networkx(digraph, nodes=NAMES[::-1]))
    assert set(EDGES) == set(to_networkx(GRAPH, NAMES).edges)
    assert NAMES == list(to_networkx(np.zeros((4, 4), dtype=bool), NAMES))


def test_an_undirected_networkx_graph_has_undirected_edges():
    np.testing.assert_array_equal(skeleton(chain(3)), from_networkx(nx.path_graph(3)))


def test_other_networkx_graphs_are_refused():
    with pytest.raises(TypeError, match=r"got MultiDiGraph; networkx\.DiGraph\(graph\) drops"):
        from_networkx(nx.MultiDiGraph([(0, 1)]))
    with pytest.raises(TypeError, match="expected a networkx DiGraph or Graph, got list"):
        from_networkx([(0, 1)])
    with pytest.raises(ValueError, match=r"nodes: the graph's nodes \['b'\] are not among them"):
        from_networkx(nx.DiGraph([("a", "b")]), nodes=["a"])


def test_without_networkx_the_way_to_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="pip install networkx"):
        to_networkx(GRAPH)


def test_a_data_frame_has_causes_as_rows():
    frame = to_pandas(GRAPH, NAMES)
    assert frame.loc["a", "b"] == 1
    assert frame.loc["b", "a"] == 0
    np.testing.assert_array_equal(GRAPH, from_pandas(frame))
    np.testing.assert_array_equal(GRAPH, from_pandas(frame.astype(float)))
    np.testing.assert_array_equal(GRAPH, from_pandas(frame.astype(bool)))


@pytest.mark.parametrize("cell", [0.7, -1, 2, float("nan"), "1", None])
def test_a_cell_that_is_not_0_or_1_is_named(cell):
    frame = to_pandas(GRAPH, NAMES).astype(object)
    frame.loc["b", "d"] = cell
    with pytest.raises(
        ValueError, match=r"row 'b', column 'd' is .*for weights pass `weights != 0`"
    ):
        from_pandas(frame)


def test_a_data_frame_has_the_same_rows_and_columns():
    frame = to_pandas(GRAPH, NAMES)
    with pytest.raises(ValueError, match=r"pass frame\.loc\[frame\.columns\]"):
        from_pandas(frame.loc[NAMES[::-1]])
    with pytest.raises(ValueError, match="rows and columns are the same nodes"):
        from_pandas(frame.iloc[:2])
    with pytest.raises(ValueError, match="node 'b' has an edge to itself; clear the diagonal"):
        from_pandas(pd.DataFrame([[0, 0], [0, 1]], index=["a", "b"], columns=["a", "b"]))


def test_gadjid_codes_an_undirected_edge_as_one_2():
    codes = to_gadjid(GRAPH)
    assert codes.dtype == np.int8
    assert [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2], [0, 0, 0, 0]] == codes.tolist()


def test_gadjid_codes_in_one_cell_or_both_are_read():
    np.testing.assert_array_equal(GRAPH, from_gadjid(to_gadjid(GRAPH)))
    np.testing.assert_array_equal(skeleton(chain(2)), from_gadjid([[0, 2], [2, 0]]))
    np.testing.assert_array_equal(skeleton(chain(2)), from_gadjid([[0, 0], [2, 0]]))


def test_gadjid_codes_that_mean_nothing_are_refused():
    with pytest.raises(ValueError, match=r"cell \(0, 1\) is 3, expected 0, 1 or 2"):
        from_gadjid([[0, 3], [0, 0]])
    with pytest.raises(ValueError, match=r"\(0, 1\) and \(1, 0\) are 1 and 1; .* write 2"):
        from_gadjid([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"expected shape \(d, d\)"):
        from_gadjid([[0, 1]])


def test_lingam_has_effects_as_rows():
    weights = np.where(chain(3), 2.0, 0.0)
    assert to_lingam(weights)[1, 0] == 2.0
    np.testing.assert_array_equal(weights, from_lingam(to_lingam(weights)))
    with pytest.raises(ValueError, match="matrix: every weight must be finite"):
        from_lingam([[0.0, float("nan")], [0.0, 0.0]])


def test_lingam_round_trips_share_no_memory():
    weights = np.zeros((2, 2))
    assert not np.shares_memory(weights, to_lingam(weights))


@pytest.mark.parametrize("convert", [to_edges, to_pandas, to_gadjid, to_networkx])
def test_only_adjacencies_are_converted(convert):
    with pytest.raises(TypeError, match="expected a bool array, got float64"):
        convert(np.full((2, 2), 0.5))
