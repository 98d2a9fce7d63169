"""Graphs in CSV files: both shapes, the order of the columns, and errors that name the line."""

import numpy as np
import pytest

from causalassay.graphs import chain, from_edges, read_graph, write_graph

# raf→mek→erk—akt
NAMES = ["raf", "mek", "erk", "akt"]
GRAPH = from_edges([("raf", "mek"), ("mek", "erk"), ("erk", "akt"), ("akt", "erk")], NAMES)
MATRIX = ",raf,mek,erk,akt\nraf,0,1,0,0\nmek,0,0,1,0\nerk,0,0,0,1\nakt,0,0,1,0\n"
EDGES = "from,to,type\nraf,mek,->\nmek,erk,->\nerk,akt,--\n"
PLAIN_EDGES = "from,to\nraf,mek\nmek,erk\nerk,akt\nakt,erk\n"


@pytest.fixture
def read(tmp_path):
    def read_text(text, columns=None):
        path = tmp_path / "graph.csv"
        path.write_text(text, encoding="utf-8")
        return read_graph(path, columns)

    return read_text


@pytest.mark.parametrize("text", [MATRIX, EDGES, PLAIN_EDGES])
def test_both_shapes_give_the_same_graph(read, text):
    graph, names = read(text)
    assert NAMES == names
    np.testing.assert_array_equal(GRAPH, graph)


@pytest.mark.parametrize("text", [MATRIX, EDGES, PLAIN_EDGES])
def test_the_graph_comes_in_the_order_of_the_columns(read, text):
    columns = ["akt", "raf", "erk", "mek"]
    graph, names = read(text, columns)
    assert columns == names
    position = [NAMES.index(name) for name in columns]
    np.testing.assert_array_equal(GRAPH[np.ix_(position, position)], graph)


def test_blanks_byte_order_marks_and_empty_lines_are_ignored(read):
    graph, names = read("\ufefffrom, to , type\nraf , mek, ->\n\n mek, erk ,->\nerk,akt,--\n")
    assert NAMES == names
    np.testing.assert_array_equal(GRAPH, graph)


def test_columns_in_another_order_may_stand_in_an_edge_list(read):
    np.testing.assert_array_equal(chain(2), read("to,from\nb,a\n", ["a", "b"])[0])


def test_cells_may_be_floats_or_bools(read):
    np.testing.assert_array_equal(chain(2), read(",a,b\na,0.0,1.0\nb,False,0\n")[0])


def test_an_edge_list_may_leave_out_nodes_without_edges(read):
    graph, names = read("from,to\nb,a\n", ["a", "lonely", "b"])
    assert ["a", "lonely", "b"] == names
    np.testing.assert_array_equal([[0, 0, 0], [0, 0, 0], [1, 0, 0]], graph)
    assert not read("from,to\n", ["a", "b"])[0].any()


def test_columns_are_compared_as_text(read):
    graph, names = read(",0,1\n0,0,1\n1,0,0\n", range(2))
    assert ["0", "1"] == names
    np.testing.assert_array_equal(chain(2), graph)


def test_a_written_matrix_keeps_nodes_named_from_and_to(tmp_path):
    write_graph(tmp_path / "g.csv", chain(2), ["from", "to"])
    graph, names = read_graph(tmp_path / "g.csv")
    assert ["from", "to"] == names
    np.testing.assert_array_equal(chain(2), graph)


def test_names_that_differ_from_the_columns_are_listed(read):
    message = (
        r"graph\.csv: the graph's nodes and the data's columns differ: in the graph only "
        r"\['raf', 'akt'\], in the data only \['raff', 'pkc'\] .*did you mean 'raff'"
    )
    with pytest.raises(ValueError, match=message):
        read(MATRIX, ["raff", "mek", "erk", "pkc"])
    with pytest.raises(ValueError, match=r"in the graph only \[\], in the data only \['pkc'\]"):
        read(MATRIX, [*NAMES, "pkc"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; expected a square matrix"),
        ("a;b\na;0\n", "the header has one field, 'a;b'; .* separated by commas"),
        ("from,to\na\n", "line 2 has 1 fields but the header has 2"),
        ("from,to\na,a\n", "line 2 joins 'a' to itself"),
        ("from,to\na,\n", "line 2 names no node under from or to"),
        ("from,to\n", "no edge and no columns given; pass `columns`"),
        ("from,to,type\na,b,<-\n", 'line 2: type is "->" or "--", got \'<-\''),
        (",a,b\na,0,1\n", "2 names in the header but 1 rows"),
        (",a,b\nb,0,1\na,0,0\n", "line 2 begins with 'b', expected 'a'"),
        (",a,b\na,0,0.3\nb,0,0\n", r"line 2, column 'b' is '0\.3', expected 0 or 1; for weights"),
        (",a,b\na,0,1\nb,0,1\n", "node 'b' has an edge to itself"),
        (",a,a\na,0,1\na,0,0\n", "header: the name 'a' comes twice"),
        (",a,\na,0,1\n,0,0\n", "header: name 2 of 2 is empty"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(read, text, message):
    with pytest.raises(ValueError, match=r"graph\.csv:.* ?" + message):
        read(text)


def test_an_unknown_node_in_an_edge_list_brings_line_and_nearest_name(read):
    with pytest.raises(ValueError, match=r"line 3: unknown node 'mekk', did you mean 'mek'\?"):
        read("from,to\nraf,mek\nmekk,erk\n", NAMES)


def test_names_to_write_fit_the_graph(tmp_path):
    with pytest.raises(ValueError, match="names: the graph has 2 nodes but there are 1 names"):
        write_graph(tmp_path / "g.csv", chain(2), ["a"])
    with pytest.raises(ValueError, match="names: the name 'a' comes twice"):
        write_graph(tmp_path / "g.csv", chain(2), ["a", " a"])
