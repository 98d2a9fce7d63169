"""What a notebook shows: drawn graphs and small tables, deterministic and escaped."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import causalassay as ca
from causalassay.analysis import summarize
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem, Regime
from causalassay.present import Column, Table
from causalassay.present.charts import static_svg
from causalassay.present.drawing import MOST_EDGES, MOST_NODES
from causalassay.present.drawing.layout import circle_order, layers_of
from causalassay.present.html import table_html
from causalassay.present.markup import escaped
from causalassay.study.storage.table import StudyTable
from strategies import dags, datasets, pdags

HOSTILE = "<script>alert('1')</script> & \x1b\u202e"
RNG_SEED = 0


def count(svg, tag):
    return len(ET.fromstring(svg).findall(f".//{{http://www.w3.org/2000/svg}}{tag}"))


@given(dags())
def test_every_edge_of_a_dag_leads_to_a_later_column(dag):
    layers = layers_of(dag)
    column_of = {item: k for k, column in enumerate(layers.columns) for item in column}
    assert set(map(tuple, np.argwhere(dag).tolist())) == set(layers.routes)
    for (parent, child), route in layers.routes.items():
        assert (parent, child) == (route[0], route[-1])
        steps = [column_of[item] for item in route]
        assert list(range(steps[0], steps[-1] + 1)) == steps


@given(dags())
def test_boxes_of_a_column_do_not_touch(dag):
    layers = layers_of(dag)
    assert sorted(item for column in layers.columns for item in column) == list(
        range(len(layers.height))
    )
    for column in layers.columns:
        nodes = [item for item in column if item < len(dag)]
        assert (np.diff(layers.height[nodes]) >= 1 - 1e-9).all()
        assert (np.diff(layers.height[column]) >= 0.5 - 1e-9).all()


def test_a_tree_is_drawn_without_crossings():
    # A binary tree of 15 nodes under labels that are all mixed up.
    edges = [((k - 1) // 2, k) for k in range(1, 15)]
    label = np.random.default_rng(RNG_SEED).permutation(15)
    layers = layers_of(ca.graphs.from_edges([(label[a], label[b]) for a, b in edges], 15))
    parent_of = {child: parent for parent, child in layers.routes}
    assert [1, 2, 4, 8] == [len(column) for column in layers.columns]
    for column, following in zip(layers.columns, layers.columns[1:], strict=False):
        places = [column.index(parent_of[child]) for child in following]
        assert sorted(places) == places


def test_a_cycle_is_drawn_around_the_circle_without_crossings():
    label = np.random.default_rng(RNG_SEED).permutation(9)
    ring = ca.graphs.from_edges([(label[k], label[(k + 1) % 9]) for k in range(9)], 9)
    order = circle_order(ring)
    joined = ca.graphs.skeleton(ring)
    assert all(joined[order[k], order[(k + 1) % 9]] for k in range(9))


@given(pdags())
def test_a_drawing_has_each_node_and_edge_once_and_a_head_for_each_arrow(graph):
    svg = ca.drawing.show(graph)._repr_svg_()
    directed = graph & ~graph.T
    assert int((graph | graph.T).sum()) // 2 == count(svg, "path")
    assert int(directed.sum()) == count(svg, "polygon")
    assert len(graph) == count(svg, "text")


@pytest.mark.parametrize("graph", [ca.graphs.chain(3), ca.graphs.to_cpdag(ca.graphs.chain(3))])
def test_an_edge_with_a_larger_share_is_thicker_and_says_it(graph):
    shares = np.full((3, 3), np.nan)
    shares[0, 1], shares[1, 2] = 0.25, 1.0
    svg = ca.drawing.show(graph, ["a", "b", "c"], shares)._repr_svg_()
    assert ", joined 25 %</title>" in svg
    assert ", joined 100 %</title>" in svg
    assert "dash" not in svg
    one, two = map(float, re.findall(r'stroke-width="([\d.]+)"', svg)[:2])
    assert one < two
    with pytest.raises(ValueError, match=r"shares: expected shape \(3, 3\), got \(2, 2\)"):
        ca.drawing.show(graph, shares=np.zeros((2, 2)))


def test_a_pair_that_is_always_joined_is_thick_and_dashed_where_its_direction_is_unsure():
    joined = np.ones((3, 3))
    as_drawn = np.array([[0.0, 0.27, 0.0], [0.0, 0.0, 0.95], [0.0, 0.0, 0.0]])
    svg = ca.drawing.show(ca.graphs.chain(3), ["a", "b", "c"], joined, as_drawn)._repr_svg_()
    unsure, sure = re.findall(r"<title>. → .*?</g>", svg)
    assert "a → b, joined 100 %, as drawn 27 %" in unsure
    assert 'stroke-width="3.4"' in unsure
    assert 'stroke-width="3.4"' in sure
    assert "dasharray" in unsure
    assert "dasharray" not in sure
    assert "dashed: of those, fewer than 90 % as drawn" in svg
    with pytest.raises(ValueError, match=r"as_drawn: expected shape \(3, 3\), got \(2, 2\)"):
        ca.drawing.show(ca.graphs.chain(3), as_drawn=np.zeros((2, 2)))


@given(pdags())
def test_drawing_twice_gives_the_same_picture(graph):
    assert ca.drawing.show(graph)._repr_html_() == ca.drawing.show(graph.copy())._repr_html_()


@pytest.mark.parametrize(
    "graph",
    [
        ca.graphs.chain(MOST_NODES + 1),
        ca.graphs.complete(17, np.random.default_rng(RNG_SEED)),
        ca.graphs.skeleton(ca.graphs.chain(1000)),
    ],
    ids=["nodes", "edges", "a thousand nodes"],
)
def test_a_large_graph_is_shown_as_a_small_matrix(graph):
    svg = ca.drawing.show(graph)._repr_svg_()
    assert len(graph) > MOST_NODES or graph.sum() > MOST_EDGES
    assert (1, 1) == (count(svg, "rect"), count(svg, "path"))
    assert len(svg) < 20_000


def test_the_matrix_of_a_dag_has_its_edges_above_the_diagonal():
    dag = ca.graphs.erdos_renyi(40, 2, np.random.default_rng(RNG_SEED))
    path = re.search(r'<path d="([^"]*)"', ca.drawing.show(dag)._repr_svg_())[1]
    corners = [tuple(map(float, pair)) for pair in re.findall(r"M([\d.]+) ([\d.]+)", path)]
    assert corners
    assert all(x > y for x, y in corners)


def test_text_lists_the_edges():
    graph = ca.graphs.from_edges([("a", "b"), ("b", "c"), ("c", "b")], ["a", "b", "c"])
    text = repr(ca.drawing.show(graph, ["a", "b", "c"]))
    assert "graph of 3 nodes, 1 directed and 1 undirected edge\na → b\nb — c" == text
    assert "… and 91 more" in repr(ca.drawing.show(ca.graphs.chain(100)))


def test_a_drawing_is_not_changed_by_changing_the_graph():
    graph = ca.graphs.chain(3)
    drawing = ca.drawing.show(graph)
    before = drawing._repr_html_()
    graph[:] = False
    assert before == drawing._repr_html_()


def test_names_must_fit_the_graph():
    with pytest.raises(ValueError, match="has 3 nodes but there are 2 names"):
        ca.drawing.show(ca.graphs.chain(3), ["a", "b"])


def test_long_names_are_cut_in_the_picture_and_whole_in_its_titles():
    names = ["the first of two names that are long", "b"]
    svg = ca.drawing.show(ca.graphs.chain(2), names)._repr_svg_()
    assert f"<title>{names[0]}</title>" in svg
    assert "the firs… are long</text>" in svg


def test_what_cannot_be_printed_is_replaced():
    assert "a\ufffdb &lt;i&gt;\ufffd" == escaped("a\x00b <i>\u202e")


def test_a_chart_with_control_characters_is_drawn():
    values = [{"a": "x\x00", "b": 1}, {"a": "y\x1b", "b": 2}]
    x, y = {"field": "a", "type": "nominal"}, {"field": "b", "type": "quantitative"}
    spec = {"data": {"values": values}, "mark": "point", "encoding": {"x": x, "y": y}}
    svg = static_svg(spec, "\x00")
    assert "x\ufffd" in svg
    ET.fromstring(svg)


def test_cells_are_escaped():
    html = table_html(Table("a", [Column("i", "<i>")], [["<b>" * 100]], "<u>"))
    assert not re.search(r"<[biu]>", html)


def test_what_an_algorithm_reports_is_cut():
    html = Estimate(ca.graphs.chain(2), "dag", info={"scores": "9" * 1000})._repr_html_()
    assert f"{'9' * 119}…" in html
    assert "9" * 120 not in html


@pytest.fixture(scope="module")
def rich():
    """One of everything with a rich representation, under names that attack."""
    rng = np.random.default_rng(RNG_SEED)
    graph = ca.graphs.chain(3)
    model = ca.models.draw("scm", graph, rng)
    names = (HOSTILE, "b", "c")
    regimes = (
        Regime("control", model.sample(200, rng)),
        Regime(HOSTILE, model.sample(50, rng, (ca.models.Do(0, 5.0),)), targets=(0,)),
        Regime("on b", model.sample(50, rng, (ca.models.Do(1, 5.0),)), targets=(1,)),
    )
    data = Dataset(names, regimes, "control")
    study_table = hostile_study_table()
    return {
        "graph": ca.drawing.show(graph, names),
        "circle": ca.drawing.show(ca.graphs.to_cpdag(graph), names),
        "matrix": ca.drawing.show(ca.graphs.chain(40), [HOSTILE, *range(39)]),
        "model": model,
        "dataset": data,
        "problem": Problem(data, graph, model, name=HOSTILE),
        "estimate": Estimate(graph, "dag", order=(0, 1, 2), info={HOSTILE: HOSTILE}),
        "audit": ca.audit(data, graph, rng, n_bootstrap=20),
        "risk": ca.risk.estimate("var-sortnregress", data, rng),
        "comparison": ca.risk.compare(["var-sortnregress", "empty"], data, rng),
        "table": study_table,
        "summary": summarize(study_table),
    }


def hostile_study_table():
    rows = [
        {"algorithm": HOSTILE, "role": "listed", "status": "ok", "reason": "", "problem": "p"}
        | {"replicate": k, "graph_key": "g", "scheme": HOSTILE, "f1": 0.5}
        for k in range(3)
    ]
    return StudyTable(pd.DataFrame(rows), ("f1",), (), (), {"f1": "high"})


TAGS = {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "style", "figure"}
TAGS |= {"figcaption", "dl", "dt", "dd", "section", "h2", "details", "summary", "ul", "li", "span"}
TAGS |= {"strong", "small", "a"}
SHAPES = {"svg", "title", "g", "path", "polygon", "rect", "circle", "text"}
SHAPES |= {"line", "tspan"}
NAMELESS = ["model", "comparison"]
NAMED = [
    "graph",
    "circle",
    "matrix",
    "dataset",
    "problem",
    "estimate",
    "audit",
    "risk",
    "table",
    "summary",
]


@pytest.mark.parametrize("kind", NAMED + NAMELESS)
def test_everything_rich_is_well_formed(kind, rich):
    # A name that opened a tag would break the tree or bring another tag into it.
    root = ET.fromstring(rich[kind]._repr_html_())
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert set() == tags - TAGS - SHAPES
    assert tags & {"table", "svg"}


@pytest.mark.parametrize("kind", NAMED)
def test_names_stay_text(kind, rich):
    html = rich[kind]._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "\x1b" not in html


@given(datasets())
def test_every_data_set_has_a_row_a_column_and_a_row_a_regime(data):
    columns, regimes = (table.records() for table in data.document().tables())
    assert list(data.columns) == [row["column"] for row in columns]
    assert list(data.conditions) == [row["regime"] for row in regimes]


def test_a_wide_data_set_shows_its_first_columns():
    data = Dataset.from_values(np.random.default_rng(RNG_SEED).normal(size=(9, 40)))
    columns, _ = data.document().tables()
    assert (30, ["10 more columns left out"]) == (len(columns.rows), columns.notes)
    assert "10 more columns left out" in data._repr_html_()


def test_the_numbers_shown_are_those_of_the_result():
    model = ca.models.LinearSCM([[0, 2], [0, 0]], noise_variance=1.0)
    moments, weights = (table.rows for table in model.document().tables())
    assert ("0", 0.0, 1.0, 1.0, 0.0, pytest.approx(0.8)) == moments[0]
    assert ("1", 0.0, 5.0, 1.0, pytest.approx(0.8), pytest.approx(0.8)) == moments[1]
    assert [("0 → 1", 2.0)] == weights


def test_the_summary_of_a_series_is_drawn():
    links = np.zeros((2, 2, 2))
    links[1, 0, 1] = links[1, 1, 0] = 0.5
    model = ca.models.VAR(links, 1.0)
    assert "VAR(2 nodes, lags 0 to 1, 2 cross links, 0 self-links)" == repr(model)
    assert "Over all lags: graph of 2 nodes and 1 undirected edge." in model._repr_html_()


@pytest.mark.parametrize("kind", ["graph", "matrix", "model", "dataset", "problem", "estimate"])
def test_repr_is_at_most_ten_lines(kind, rich):
    assert len(repr(rich[kind]).splitlines()) <= 10


def test_repr_of_large_data_is_short():
    data = Dataset.from_values(np.random.default_rng(RNG_SEED).normal(size=(900, 60)))
    assert "Dataset(900 rows, 60 columns, 1 regime)" == repr(data)
    assert repr(data) in repr(Problem(data, ca.graphs.chain(60)))
    assert 10 == len(repr(Estimate(ca.graphs.chain(60), "dag")).splitlines())
    assert 4 >= len(repr(hostile_study_table()).splitlines())
