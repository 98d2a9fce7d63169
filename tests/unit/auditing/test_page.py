"""The page, the pictures and the LaTeX table of an audit."""

import html
import math
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

import causalassay as ca
from causalassay.auditing import audit, audit_many
from causalassay.auditing.charts import MOST_EDGES, log_ticks
from causalassay.auditing.document import (
    audit_document,
    citable_table,
    file_table,
    pooled_document,
)
from causalassay.auditing.sortability_rows import column_places, depths
from causalassay.data import Dataset
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.findings import RULES
from causalassay.present import Figure, GraphFigure, Provenance, SourceFile
from causalassay.present.charts import static_svg
from causalassay.present.html import page as page_of
from causalassay.present.html import source_hash
from causalassay.present.latex import comments, table_latex

HOSTILE = "</title><script>alert(1)</script>"
SVG = "{http://www.w3.org/2000/svg}"
WIDEST = 388
"""Pixels beside each other on a phone of 420."""
LETTER = 7.0
"""Pixels of a letter, more than the usual fonts take."""
FILES = (SourceFile("data.csv", "data", "ab" * 32), SourceFile(HOSTILE, "graph", "cd" * 32))
SETTINGS = {"bootstrap": 5, "max_lag": None, "discrete": False}
MADE = Provenance(7, SETTINGS, FILES, "9.9.9").blocks(f"causalassay audit {HOSTILE}", "2001-02-03")


def benchmark(seed=1, n_nodes=10, names=None):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, 2, rng)
    values = ca.models.draw("scm", graph, rng).sample(300, rng)
    return Dataset.from_values(values, names or [f"v{k}" for k in range(n_nodes)]), graph


@pytest.fixture(scope="module")
def found():
    return audit(*benchmark(names=[HOSTILE, *(f"v{k}" for k in range(9))]), 0, n_bootstrap=5)


@pytest.fixture(scope="module")
def pooled():
    sets = {f"set{seed}": benchmark(seed) for seed in range(3)} | {HOSTILE: benchmark(9)}
    return audit_many(sets, 0, n_bootstrap=0)


@pytest.fixture(scope="module")
def page(found):
    return page_of(audit_document(found, "data.csv", MADE))


def svg_of(figure):
    drawn = figure.svg() if isinstance(figure, GraphFigure) else static_svg(figure.spec(), "")
    return ET.fromstring(drawn)


def figures(result):
    blocks = result.document().blocks
    return {block.id: block for block in blocks if isinstance(block, Figure | GraphFigure)}


def points(picture):
    """The marks that have a text for whoever points at them."""
    return [one for one in picture.iter(f"{SVG}path") if one.find(f"{SVG}title") is not None]


def texts(picture):
    return [one.text for one in picture.iter(f"{SVG}text")]


class Reader(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.ids, self.links = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        named = dict(attrs)
        self.ids.append(named.get("id"))
        self.links.append(named.get("href"))
        assert "style" not in named, "the page's policy forbids styles in attributes"
        assert not [name for name in named if name.startswith("on")]

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_says_the_verdict_first_and_where_it_comes_from_last(page, found):
    text = " ".join(Reader(page).texts)
    places = [
        text.index(part)
        for part in (
            found.verdict.sentence,
            "Rule",
            "measured: worst case: data without artefacts",
            "Variance along the causal order",
            "R² along the causal order",
            "Direction scores of baselines and random orders",
            "The graph taken as true",
            "graph not refuted; rule",
            "Sortability",
            "Baselines",
            "Provenance",
            "causalassay 9.9.9",
            "causalassay audit",
            "2001-02-03",
            "ab" * 32,
        )
    ]
    assert sorted(places) == places
    for finding in found.findings:
        assert finding.text in text


def test_the_page_loads_nothing_and_runs_nothing(page):
    reader = Reader(page)
    assert "script" not in reader.tags
    assert not re.search(r"(src|href)=\"(?!#)", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    expected = f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'"
    assert expected == html.unescape(policy)
    assert "prefers-color-scheme: dark" in style


def test_every_link_of_the_page_leads_somewhere(page):
    reader = Reader(page)
    targets = {f"#{name}" for name in reader.ids if name}
    links = {link for link in reader.links if link}
    assert links
    assert links <= targets


def test_a_page_without_a_graph_is_written_too():
    alone = audit(benchmark()[0], None, 0)
    text = page_of(audit_document(alone, "data.csv", MADE))
    assert "No graph, so no finding on the order" in text
    assert "<svg" not in text


def test_the_page_of_several_files(pooled):
    text = page_of(pooled_document(pooled, "4 files", MADE))
    words = " ".join(Reader(text).texts)
    assert pooled.verdict.sentence in words
    assert RULES["two tests over instances"].rate_text in words
    assert 2 == text.count("<svg")
    for name, one in pooled.audits.items():
        assert name in words
        assert one.findings[-1].text in words
    assert "<script>" not in text


def test_pictures_show_a_point_for_each_column_and_a_line_for_each_edge(found):
    drawn = figures(found)
    assert ["along-order-1", "along-order-2", "beside-random", "graph"] == list(drawn)
    for name in ("along-order-1", "along-order-2"):
        picture = svg_of(drawn[name])
        assert {one.name for one in found.columns} == {
            point.find(f"{SVG}title").text.rpartition(": ")[0] for point in points(picture)
        }
        assert found.n_edges == len(lines(picture))
    values = {one.name: one.statistics["variance"] for one in found.columns}
    rising = sum(values[cause] < values[effect] for cause, effect in found.edges)
    assert f"rises along {rising} of {found.n_edges} edges" in texts(svg_of(drawn["along-order-1"]))
    scores = [row for row in found.baselines if row.algorithm != "random orders"]
    assert len(scores) == len(points(svg_of(drawn["beside-random"])))
    assert found.n_edges == len(list(svg_of(drawn["graph"]).iter(f"{SVG}polygon")))


def lines(picture):
    groups = [g for g in picture.iter(f"{SVG}g") if "mark-line" in g.get("class", "")]
    return [path for group in groups for path in group.iter(f"{SVG}path")]


def test_more_edges_than_can_be_told_apart_are_counted_and_not_drawn():
    rng = np.random.default_rng(0)
    graph = ca.graphs.erdos_renyi(30, 6, rng)
    many = audit(ca.models.draw("scm", graph, rng).sample(100, rng), graph, 0, n_bootstrap=0)
    assert many.n_edges > MOST_EDGES
    picture = svg_of(figures(many)["along-order-1"])
    assert 30 == len(points(picture))
    assert [] == lines(picture)
    assert any(f"of {many.n_edges} edges" in text for text in texts(picture))


def test_the_bars_count_every_random_order(found):
    assert sum(found.random_direction_counts) >= 50
    words = texts(svg_of(figures(found)["beside-random"]))
    assert (
        f"bars: {sum(found.random_direction_counts)} random orders; band: their central 95 %"
        in words
    )


def test_names_that_are_shortened_alike_stay_two_columns():
    names = [f"a rather long name of column {k} of this data set" for k in range(10)]
    long = audit(*benchmark(names=names), 0, n_bootstrap=0)
    picture = svg_of(figures(long)["along-order-1"])
    assert 10 == len({point.get("transform") for point in points(picture)})
    assert 10 == sum("…" in text for text in texts(picture))


def series():
    rng = np.random.default_rng(0)
    graph = ca.graphs.lagged_erdos_renyi(5, 0.4, 1, rng, feedback=False)
    values = ca.models.draw("uumc", graph, rng, mechanism="var").sample(300, rng)
    return Dataset.from_values(values, rows="series"), graph


def test_no_text_of_a_plot_leaves_it_or_meets_another(found, pooled):
    """In a font wider than the one that was measured with; a plot fits a phone."""
    by_time = audit(*series(), 0)
    together = audit_many({"a": series()}, 0)
    large = audit(*benchmark(2, 40), 0, n_bootstrap=0)
    for result in (found, by_time, large, pooled, together):
        for figure in figures(result).values():
            if isinstance(figure, Figure):
                check_texts(svg_of(figure))


def check_texts(picture):
    wide, high = (float(picture.get(name)) for name in ("width", "height"))
    assert wide <= WIDEST
    taken = {}
    for x, y, text in placed(picture, 0, 0):
        long = LETTER * len(text.text) * size(text) / 12
        if "rotate" in text.get("transform", ""):
            assert y + long <= high + 1, text.text
            continue
        anchor = text.get("text-anchor", "start")
        start = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * long
        assert start >= -1, text.text
        assert start + long <= WIDEST, text.text
        taken.setdefault(round(y), []).append((start, start + long, text.text))
    for row in taken.values():
        ends = sorted(row)
        for (_, end, one), (begin, _, other) in zip(ends, ends[1:], strict=False):
            assert end <= begin, (one, other)


def size(text):
    return float(text.get("font-size").removesuffix("px"))


def placed(element, x, y):
    """Yield each text with its place in the picture."""
    move = re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", element.get("transform", ""))
    if move:
        x, y = x + float(move[1]), y + float(move[2])
    if element.tag == f"{SVG}text" and element.text:
        yield x, y, element
    for child in element:
        yield from placed(child, x, y)


def test_causes_come_before_effects_and_cycles_share_a_depth():
    data, graph = benchmark(3)
    ordered = column_places(data.columns, graph, {})
    places = {place.name: k for k, place in enumerate(ordered)}
    for cause, effect in np.argwhere(graph):
        assert places[data.columns[cause]] < places[data.columns[effect]]
    both = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    assert [0, 0, 1, 2] == depths(both)


@pytest.mark.parametrize(
    ("low", "high"), [(0.98, 1.02), (1e-9, 1e9), (2.0, 3.0), (1e-300, 1e300), (99.0, 101.0)]
)
def test_a_logarithmic_axis_has_some_ticks_whatever_the_values(low, high):
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 12
    assert sorted(set(ticks)) == ticks
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)


def test_equal_values_are_drawn_too():
    data, graph = benchmark()
    scaled = data.observational_values / data.observational_values.std(axis=0)
    tied = audit(scaled, graph, 0, n_bootstrap=0)
    picture = svg_of(figures(tied)["along-order-1"])
    assert 10 == len(points(picture))
    assert not any("NaN" in ET.tostring(one, "unicode") for one in picture.iter())


def latex_of(document, table):
    return table_latex(table, [*comments(document), document.about])


def test_the_latex_table_has_the_sentence_and_the_hashes(found):
    text = latex_of(audit_document(found, "data.csv", MADE), citable_table(found))
    assert text.startswith(f"% Verdict: {found.verdict.sentence}")
    assert "ab" * 32 in text
    body = text[text.index("\\begin{tabular}") :]
    assert ["\\toprule", "\\midrule", "\\midrule", "\\bottomrule"] == re.findall(
        r"\\(?:top|mid|bottom)rule", body
    )
    rows = [line for line in body.splitlines() if line.endswith("\\\\")]
    assert 2 + 2 * len(artefacts_of("continuous")) == len(rows)
    assert {5} == {line.count("&") for line in rows}
    assert rows[3].startswith("$R^2$, rising")
    above = text.partition("\\begin")[0]
    assert {"%"} == {line[0] for line in above.splitlines()}


def test_the_latex_table_of_several_files_has_a_row_for_each(pooled):
    text = latex_of(pooled_document(pooled, "4 files", MADE), file_table(pooled))
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert 6 == len(rows)
    assert {5 + 2 * len(artefacts_of("continuous"))} == {line.count("&") for line in rows}
    assert rows[-1].startswith("all together")
    assert "\\textless{}script" in text


def test_a_table_without_a_graph_is_refused():
    with pytest.raises(ValueError, match="needs a graph"):
        citable_table(audit(benchmark()[0], None, 0))


def test_a_p_value_that_is_a_bound_is_called_so_everywhere(found):
    bounds = [row for row in found.baselines if row.p_is_bound]
    assert bounds
    by_statistic, scores = found.document().tables()
    for row, cells in zip(found.baselines, scores.rows, strict=True):
        assert row.p_is_bound == str(cells[2]).startswith("below 0.0")
        assert row.p_order is None or not math.isnan(row.p_order)
    for row, cells in zip(found.sortabilities, by_statistic.rows, strict=True):
        assert row.rising_is_bound == cells[-2].is_bound
    assert "$<$0.00" in table_latex(citable_table(found))
