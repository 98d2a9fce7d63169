"""What is taken for a graph at the public doors."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from causalassay import graphs
from causalassay.common.arrays import as_graph
from causalassay.graphs import chain, from_edges

CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    "stated",
    [
        chain(3),
        CHAIN,
        np.array(CHAIN),
        np.array(CHAIN, dtype=float),
        np.array(CHAIN, dtype=np.uint8),
        pd.DataFrame(CHAIN),
        pd.DataFrame(CHAIN, index=list("abc"), columns=list("abc")),
        nx.DiGraph([(1, 2), (0, 1)]),
    ],
)
def test_a_graph_can_be_stated_in_many_ways(stated):
    graph = as_graph(stated)
    assert graph.dtype == np.bool_
    np.testing.assert_array_equal(chain(3), graph)


def test_an_adjacency_comes_back_without_a_copy():
    graph = chain(3)
    assert as_graph(graph) is graph


def test_an_undirected_network_has_undirected_edges():
    np.testing.assert_array_equal(chain(2) | chain(2).T, as_graph(nx.Graph([(0, 1)])))


@pytest.mark.parametrize(
    "stated",
    [
        pd.DataFrame([[0, 0], [1, 0]], index=["b", "a"], columns=["b", "a"]),
        nx.DiGraph([("a", "b")]),
    ],
)
def test_named_nodes_come_in_the_order_of_the_columns(stated):
    np.testing.assert_array_equal(from_edges([(0, 1)], 2), as_graph(stated, columns=("a", "b")))
    with pytest.raises(ValueError, match=r"in the graph only \['b'\], in the data only \['c'\]"):
        as_graph(stated, columns=("a", "c"))


def test_a_network_with_names_needs_their_order():
    with pytest.raises(ValueError, match=r"its nodes have names, 'raf', 'mek'; say in which order"):
        as_graph(nx.DiGraph([("raf", "mek")]))


def test_a_frame_with_another_index_is_refused():
    with pytest.raises(ValueError, match="index of the data frame differs from its columns"):
        as_graph(pd.DataFrame([[0, 1], [0, 0]], columns=["a", "b"]))


@pytest.mark.parametrize(
    ("stated", "error", "message"),
    [
        (0.5 * chain(2), TypeError, r"float64 with values such as 0.5; for weights pass `weights"),
        ([[0, 2], [0, 0]], TypeError, r"int64 with values such as 2"),
        (None, TypeError, r"got NoneType of object; causalassay.graphs has from_edges"),
        ("a->b", TypeError, r"got str of <U4"),
        ([[0, 1], [0]], ValueError, r"rows of equal length"),
        ([[0, 1, 0], [0, 0, 0]], ValueError, r"expected shape \(d, d\)"),
        ([[1]], ValueError, r"node 0 has an edge to itself"),
    ],
)
def test_what_is_no_graph_is_refused_with_the_way_out(stated, error, message):
    with pytest.raises(error, match=message):
        as_graph(stated, "truth")


def test_the_doors_of_graphs_take_lists():
    assert graphs.is_dag(CHAIN)
    np.testing.assert_array_equal(graphs.to_cpdag(chain(3)), graphs.to_cpdag(CHAIN))
    np.testing.assert_array_equal(graphs.skeleton(chain(3)), graphs.skeleton(CHAIN))
    assert graphs.mec_size(graphs.skeleton(CHAIN).astype(int).tolist()) == 3
    assert graphs.d_separated(CHAIN, 0, 2, [1])
    assert graphs.descendants(CHAIN, 0) == {1, 2}
    assert graphs.v_structures([[0, 0, 1], [0, 0, 1], [0, 0, 0]]) == {(0, 2, 1)}
    assert len(list(graphs.enumerate_dags(graphs.skeleton(CHAIN).astype(float)))) == 3
    np.testing.assert_array_equal(
        graphs.to_interventional_cpdag(chain(3), [(), (2,)]),
        graphs.to_interventional_cpdag(CHAIN, [(), (2,)]),
    )
