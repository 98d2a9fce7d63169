"""Graphs in files: all shapes, the order of the columns, and errors that name the line."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from causalassay.auditing import audit
from causalassay.common.files import ReadingNote
from causalassay.data import Dataset
from causalassay.graphs import chain, from_edges, read_graph, skeleton, to_cpdag, write_graph

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
        ("a|b\na|0\n", "the header has one field, 'a.b'; .* separated by commas"),
        ("from,to\na\n", "line 2 has 1 fields but the header has 2"),
        ("from,to\na,a\n", "line 2 joins 'a' to itself"),
        ("from,to\na,\n", "line 2 names no node under from or to"),
        ("from,to\n", "no edge and no columns given; pass `columns`"),
        ("from,to,type\na,b,<-\n", 'line 2: type is "->" or "--", got \'<-\''),
        (",a,b\na,0,1\n", "2 names in the header but 1 rows"),
        (",a,b\nb,0,1\na,0,0\n", "line 2 begins with 'b', expected 'a'"),
        (",a,b\na,0,0.3\nb,0,0\n", r"line 2, column 'b' is '0\.3', expected 0 or 1; for weights"),
        (",a,b\na,0,1\nb,0,1\n", "node 'b' has an edge to itself"),
        (",a,a\na,0,1\na,0,0\n", "header: the name 'a' appears twice"),
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
    with pytest.raises(ValueError, match="names: the name 'a' appears twice"):
        write_graph(tmp_path / "g.csv", chain(2), ["a", " a"])


# Files as people have them

DAG = from_edges([("raf", "mek"), ("mek", "erk"), ("raf", "akt")], NAMES)
BARE = "\n".join(",".join(map(str, row)) for row in DAG.astype(int).tolist())


@pytest.fixture
def file(tmp_path):
    def make(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def noted(path, said, columns=NAMES, **options):
    """Read a graph of which something is taken for granted; the note says what."""
    with pytest.warns(ReadingNote, match=said) as caught:
        graph, names = read_graph(path, columns, **options)
    assert 1 == len(caught), [str(one.message) for one in caught]
    assert list(columns) == names
    return graph


def test_a_matrix_without_names_is_in_the_order_of_the_columns(file, tmp_path):
    said = "without names: .*order of the data's columns; .*read as i -> j; transpose=True"
    np.testing.assert_array_equal(DAG, noted(file("g.csv", BARE), said))
    np.savetxt(tmp_path / "g.txt", DAG)
    np.testing.assert_array_equal(DAG, noted(tmp_path / "g.txt", said))
    np.savetxt(tmp_path / "g.csv", DAG, delimiter=",", header="a comment, and one more")
    np.testing.assert_array_equal(DAG, noted(tmp_path / "g.csv", said))
    np.testing.assert_array_equal(DAG.T, noted(tmp_path / "g.csv", said, transpose=True))
    for name in ("g.npy", "g.npz"):
        np.save(tmp_path / name, DAG) if name == "g.npy" else np.savez(tmp_path / name, DAG)
        np.testing.assert_array_equal(DAG, noted(tmp_path / name, said))
    with pytest.raises(ValueError, match="4 rows without names, but the data have 3 columns"):
        noted(file("g.csv", BARE), said, NAMES[:3])
    with pytest.warns(ReadingNote):
        assert ["x0", "x1", "x2", "x3"] == read_graph(tmp_path / "g.npy")[1]


def test_a_matrix_with_names_on_one_side(file):
    header = ",".join(NAMES) + "\n" + BARE
    said = "its rows have no names and are taken in the order of the header"
    np.testing.assert_array_equal(DAG, noted(file("g.csv", header), said))
    lines = zip(NAMES, BARE.split("\n"), strict=True)
    index = "\n".join(f"{name},{line}" for name, line in lines)
    said = "its columns have no names and are in the order of the rows"
    np.testing.assert_array_equal(DAG, noted(file("g.csv", index), said))


@pytest.mark.parametrize("separator", [";", "\t", " ", "   ", "; "])
def test_separators_of_graph_files_are_found(file, separator):
    frame = pd.DataFrame(DAG.astype(int), index=NAMES, columns=NAMES)
    text = frame.to_csv(sep=separator[0]).replace(separator[0], separator)
    if separator[0] == " ":
        text = "corner" + text
    graph, _ = read_graph(file("g.csv", text), NAMES)
    np.testing.assert_array_equal(DAG, graph)


def test_the_row_names_of_r_are_understood(file):
    text = '"raf" "mek"\n"raf" 0 1\n"mek" 0 0\n'
    graph, names = read_graph(file("g.txt", text))
    assert ["raf", "mek"] == names
    np.testing.assert_array_equal(chain(2), graph)


@pytest.mark.parametrize(
    "header",
    ["source,target", "Source,Target", "cause,effect", "parent,child", "tail,head", "src,dst"],
)
def test_the_usual_headers_of_edge_lists(read, header):
    graph, names = read(f"{header}\nraf,mek\nmek,erk\nraf,akt\n")
    np.testing.assert_array_equal(DAG, graph)
    assert NAMES == names


def test_weights_and_other_columns_of_an_edge_list(file):
    graph, _ = read_graph(file("g.csv", "from,to,weight\nraf,mek,-0.5\n"), NAMES)
    assert graph[0, 1]
    text = "from,to,weight\nraf,mek,-0.5\nmek,erk,0\n"
    assert 1 == noted(file("g.csv", text), "1 of its lines have weight 0").sum()
    text = ",source,target,Type,colour\n0,raf,mek,Directed,red\n1,mek,erk,Undirected,red\n"
    assert 3 == noted(file("g.csv", text), "its columns 'colour' are not read").sum()
    with pytest.raises(ValueError, match=r"line 2: expected a number as weight, got 'nan'"):
        read_graph(file("g.csv", "from,to,weight\nraf,mek,nan\n"), NAMES)


def test_an_edge_list_without_header_names_the_columns(file):
    said = "an edge list without a header; each line is read as from, to"
    assert noted(file("g.tsv", "raf\tmek\nmek\terk\n"), said)[1, 2]
    with pytest.warns(ReadingNote):
        graph, _ = read_graph(file("g.tsv", "raf\tmek\t1\nmek\terk\t0\n"), NAMES)
    assert 1 == graph.sum()
    with pytest.raises(ValueError, match="if it is an edge list, write from,to above it"):
        read_graph(file("g.txt", "0 1\n1 2\n2 3\n"), NAMES)


@pytest.mark.parametrize(("first", "low"), [(0, 0), (1, 1)])
def test_nodes_may_be_numbers_of_columns(file, first, low):
    edges = [(0, 1), (1, 2), (0, 3)]
    text = "from,to\n" + "\n".join(f"{a + first},{b + first}" for a, b in edges)
    said = f"read as column numbers that start at {low}"
    np.testing.assert_array_equal(DAG, noted(file("g.csv", text), said))
    numbers = range(first, first + 4)
    pd.DataFrame(DAG.astype(int), numbers, numbers).to_csv(path := file("g.csv", ""))
    np.testing.assert_array_equal(DAG, noted(path, said))


def test_numbers_that_could_count_from_0_or_1_are_refused(file):
    with pytest.raises(ValueError, match="numbers 1 to 2, which may count the 4 columns from 0 or"):
        read_graph(file("g.csv", "from,to\n1,2\n"), NAMES)
    with pytest.raises(ValueError, match="numbers 1 to 9, but the data have 4 columns"):
        read_graph(file("g.csv", "from,to\n1,9\n"), NAMES)


def test_graphs_of_other_programs(file, tmp_path):
    graph = nx.DiGraph([("raf", "mek"), ("mek", "erk"), ("raf", "akt")])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    nx.write_gml(graph, tmp_path / "g.gml")
    file(
        "g.dot",
        'strict digraph "G" {\n node [shape=box]; rankdir=LR;\n raf -> {mek akt}; '
        '// why\n "mek" -> erk [color="red", weight=2];\n}\n',
    )
    file("g.gv", "dag { raf -> mek ; erk <- mek\n raf -> akt\n raf [exposure] }")
    for name in ("g.graphml", "g.gml", "g.dot", "g.gv"):
        np.testing.assert_array_equal(DAG, read_graph(tmp_path / name, NAMES)[0], name)
        assert set(NAMES) == set(read_graph(tmp_path / name)[1])


def test_nodes_of_other_programs_are_found_by_their_labels(file, tmp_path):
    graph = nx.DiGraph()
    for step, name in enumerate(NAMES):
        graph.add_node(f"n{step}", label=name)
    graph.add_edges_from([("n0", "n1"), ("n1", "n2"), ("n0", "n3")])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    np.testing.assert_array_equal(DAG, noted(tmp_path / "g.graphml", "matched by their labels"))
    nodes = "".join(f'{step} [label="{name}"];' for step, name in enumerate(NAMES))
    text = f"digraph {{ {nodes} 0 -> 1 [dir=both, arrowtail=none]; 1 -> 2; 3 -> 0 [dir=back] }}"
    np.testing.assert_array_equal(DAG, noted(file("g.dot", text), "matched by their labels"))


def test_edges_without_direction_in_other_formats(file, tmp_path):
    nx.write_gml(nx.Graph([("raf", "mek")]), tmp_path / "g.gml")
    file("g.dot", "digraph { raf -> mek [dir=none] }")
    file("h.dot", "graph { raf -- mek }")
    for name in ("g.gml", "g.dot", "h.dot"):
        np.testing.assert_array_equal(skeleton(chain(2)), read_graph(tmp_path / name, NAMES[:2])[0])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.dot", "digraph { a -> b", "line 1: the file ends inside the graph"),
        ("g.dot", "", "line 1: the file ends inside the graph"),
        ("g.dot", "flow { a }", "expected digraph or graph, got 'flow'"),
        ("g.dot", "digraph {\n a -> a }", "line 2 joins 'a' to itself"),
        ("g.dot", "digraph { a <-> b }", "joined by an edge with arrows at both ends"),
        ("g.dot", "digraph { a -> b [arrowhead=odot] }", "with a circle at an end"),
        ("g.dot", "digraph { a -> <b> }", "is not plain DOT"),
        ("g.dot", "digraph " + "{" * 50, "more than 20 deep"),
        ("g.dot", "digraph { a -> b } }", "expected the end of the file"),
        ("g.gml", "graph [", "not a readable .gml file"),
        ("g.gml", "graph [ " * 3000, "not a readable .gml file"),
        ("g.graphml", "<graphml>", "not a readable .graphml file"),
        ("g.graphml", "<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>", "declares entities"),
        ("g.npy", b"\x93NUMPY", "not a readable .npy file"),
        ("g.npz", b"PK", "not a readable .npz file"),
    ],
)
def test_what_is_wrong_in_other_formats_is_one_line(file, name, content, message):
    with pytest.raises(ValueError, match=rf"{name}: .*{message}") as caught:
        read_graph(file(name, content))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_arrays_with_names_and_with_other_arrays(tmp_path):
    path = tmp_path / "g.npz"
    np.savez(path, B=DAG.astype(float), data=np.zeros((9, 4)), columns=NAMES)
    np.testing.assert_array_equal(DAG, read_graph(path, NAMES)[0])
    np.savez(path, B=DAG, W=DAG)
    with pytest.raises(ValueError, match=r"g\.npz: expected one array .*, 'B', 'W' could be"):
        read_graph(path, NAMES)
    np.savez(path, DAG * 0.5)
    with pytest.raises(ValueError, match="row 1, column 2 is 0.5, expected 0 or 1; for weights"):
        read_graph(path, NAMES)
    np.savez(path, DAG.astype(int) - DAG.T.astype(int))
    with pytest.raises(ValueError, match="row 2, column 1 is -1, .*marks of edge ends in causal-l"):
        read_graph(path, NAMES)


def test_a_cpdag_is_called_one_with_names_and_what_to_do():
    data = Dataset.from_values(np.random.default_rng(0).normal(size=(50, 3)), NAMES[:3])
    message = (
        "expected a DAG, got a CPDAG: 2 of 2 edges have no direction, such as raf -- mek "
        r"\(an entry each way\); direct them, or draw a DAG of the class with "
        "causalassay.graphs.sample_dag"
    )
    with pytest.raises(ValueError, match=message):
        audit(data, to_cpdag(chain(3)), 0)
    partly = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)
    with pytest.raises(ValueError, match="got a partly directed graph: 1 of 2 edges"):
        audit(data, partly, 0)
    cyclic = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    with pytest.raises(ValueError, match="there is the cycle raf -> mek -> erk -> raf; remove one"):
        audit(data, cyclic, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "no list of edges; expected"),
        ('{"edges": [1]}', "edge 1 has no ends"),
        ('{"edges": [{"from": "a", "to": "a"}]}', "edge 1 joins 'a' to itself"),
        ('{"edges": [{"from": "a", "to": "b", "type": "o->"}]}', "edge 1: type is"),
        ('{"nodes": ["a", "a"], "edges": []}', "two nodes are called 'a'"),
        ('{"nodes": [null], "edges": []}', "got None, expected the name of a node"),
    ],
)
def test_wrong_json_graphs(tmp_path, text, message):
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_graph(tmp_path / "g.json")


def test_json_of_other_programs_is_read(tmp_path):
    (tmp_path / "g.json").write_text(
        '{"directed": false, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}],'
        ' "links": [{"source": "a", "target": "b"}]}'
    )
    graph, names = read_graph(tmp_path / "g.json")
    assert ["a", "b", "c"] == names
    np.testing.assert_array_equal(skeleton(from_edges([(0, 1)], 3)), graph)


def test_an_edge_list_is_written_with_numbers(tmp_path):
    graph = from_edges([(0, 1), (1, 2), (2, 1)], 3)
    numbers = {(0, 1): {"forward": 0.75}, (1, 2): {"forward": float("nan")}}
    write_graph(tmp_path / "g.csv", graph, ["a", "b", "c"], layout="edges", numbers=numbers)
    lines = (tmp_path / "g.csv").read_text().splitlines()
    assert ["from,to,type,forward", "a,b,->,0.75", "b,c,--,"] == lines


def test_a_graph_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    (tmp_path / "g.csv").write_text("before")
    monkeypatch.setattr("pathlib.Path.write_bytes", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_graph(tmp_path / "g.csv", chain(2), ["a", "b"])
    assert ["g.csv"] == [file.name for file in tmp_path.iterdir()]
    assert "before" == (tmp_path / "g.csv").read_text()


def _interrupt(self, content):
    self.write_text("half")
    raise KeyboardInterrupt
