"""The page, the pictures and the LaTeX table of an audit."""

import html
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

import causalassay as ca
from causalassay.auditing import audit, audit_many
from causalassay.auditing.column_places import column_places, depths
from causalassay.auditing.pictures import audit_pictures, pooled_pictures
from causalassay.auditing.pictures.plot import WIDTH, axis_for
from causalassay.auditing.provenance import AuditedFile, Provenance
from causalassay.data import Dataset
from causalassay.present.html import source_hash
from causalassay.report.audit_page.document import audit_page, pooled_page
from causalassay.report.audit_page.latex import audit_table, pooled_table

HOSTILE = "</title><script>alert(1)</script>"
SVG = "{http://www.w3.org/2000/svg}"
MADE = Provenance(
    7,
    {"bootstrap": 5, "max_lag": None, "discrete": False},
    (AuditedFile("data.csv", "data", "ab" * 32), AuditedFile(HOSTILE, "graph", "cd" * 32)),
    "9.9.9",
)


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
    return audit_page("data.csv", found, MADE, f"causalassay audit {HOSTILE}", "2001-02-03")


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
            "F1 of the baselines and of random orders",
            "The graph taken as true",
            "Sortability",
            "graph not refuted; rule",
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
    text = audit_page("data.csv", alone, MADE, "causalassay audit data.csv", "2001-02-03")
    assert "No graph, so no finding on the order" in text
    assert "<svg" not in text


def test_the_page_of_several_files(pooled):
    text = pooled_page("4 files", pooled, MADE, "causalassay audit data/", "2001-02-03")
    words = " ".join(Reader(text).texts)
    assert pooled.verdict.sentence in words
    assert "its error rate was not measured" in words
    assert 3 == text.count("<svg")
    for name, one in pooled.audits.items():
        assert name in words
        assert one.findings[-1].text in words
    assert "<script>" not in text


def test_pictures_show_a_point_for_each_column_and_a_line_for_each_edge(found):
    variance, r2, beside, graph = (ET.fromstring(one.svg) for one in audit_pictures(found))
    for picture in (variance, r2):
        assert found.n_nodes == len(list(picture.iter(f"{SVG}circle")))
    words = [text.text for text in variance.iter(f"{SVG}text")]
    rising = next(int(word.split()[2]) for word in words if word.startswith("rises along"))
    values = {one.name: one.statistics["variance"] for one in found.columns}
    assert rising == sum(values[cause] < values[effect] for cause, effect in found.edges)
    scores = [row for row in found.baselines if row.algorithm != "random orders"]
    assert len(scores) == len(list(beside.iter(f"{SVG}circle")))
    assert found.n_edges == len(list(graph.iter(f"{SVG}polygon")))


def test_the_bars_count_every_random_order(found):
    assert sum(found.random_f1_counts) >= 50
    _, _, beside, _ = audit_pictures(found)
    assert f"bars: {sum(found.random_f1_counts)} random orders" in beside.svg


def series():
    rng = np.random.default_rng(0)
    graph = ca.graphs.lagged_erdos_renyi(5, 0.4, 1, rng, feedback=False)
    values = ca.models.draw("uumc", graph, rng, mechanism="var").sample(300, rng)
    return Dataset.from_values(values, rows="series"), graph


def test_no_text_of_a_plot_leaves_it_or_meets_another(found, pooled):
    """With 7 pixels a letter, more than the usual fonts take."""
    by_time = audit(*series(), 0)
    together = audit_many({"a": series()}, 0)
    large = audit(*benchmark(2, 40), 0, n_bootstrap=0)
    plots = [picture for one in (found, by_time, large) for picture in audit_pictures(one)[:-1]]
    plots += [picture for one in (pooled, together) for picture in pooled_pictures(one)]
    for picture in plots:
        taken = {}
        for text in ET.fromstring(picture.svg).iter(f"{SVG}text"):
            if "transform" in text.attrib:
                continue
            wide, x = 7.0 * len(text.text), float(text.get("x"))
            start = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")] * wide
            assert start >= -1, text.text
            assert start + wide <= WIDTH + 8, text.text
            taken.setdefault(text.get("y"), []).append((start, start + wide, text.text))
        for row in taken.values():
            ends = sorted(row)
            for (_, end, one), (begin, _, other) in zip(ends, ends[1:], strict=False):
                assert end <= begin, (one, other)


def test_causes_come_before_effects_and_cycles_share_a_depth():
    data, graph = benchmark(3)
    places = {one.name: k for k, one in enumerate(column_places(data, graph, 1))}
    for cause, effect in np.argwhere(graph):
        assert places[data.columns[cause]] < places[data.columns[effect]]
    both = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    assert [0, 0, 1, 2] == depths(both)


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([1.0, 1.0], True),
        ([1e-9, 1e9], True),
        ([2.0, 3.0], True),
        ([0.5, 0.5], False),
        ([0, 0], False),
    ],
)
def test_an_axis_has_ticks_whatever_the_values(values, log):
    axis = axis_for(values, 0, 100, log=log)
    assert 1 <= len(axis.ticks) <= 12
    assert all(-1 <= axis(tick) <= 101 for tick in axis.ticks)
    assert all(0 < axis(value) < 100 for value in values)


def test_the_latex_table_has_the_sentence_and_the_hashes(found):
    text = audit_table("data.csv", found, MADE)
    assert text.startswith(f"% Verdict: {found.verdict.sentence}")
    assert "ab" * 32 in text
    body = text[text.index("\\begin{tabular}") :]
    assert ["\\toprule", "\\midrule", "\\midrule", "\\bottomrule"] == re.findall(
        r"\\(?:top|mid|bottom)rule", body
    )
    rows = [line for line in body.splitlines() if line.endswith("\\\\")]
    assert 6 == len(rows)
    assert {4} == {line.count("&") for line in rows}
    assert rows[3].startswith("$R^2$, rising")
    assert {"%"} == {
        line[0] for line in text.splitlines() if line and line in text.split("\\beg")[0]
    }


def test_the_latex_table_of_several_files_has_a_row_for_each(pooled):
    text = pooled_table("4 files", pooled, MADE)
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert 6 == len(rows)
    assert {9} == {line.count("&") for line in rows}
    assert rows[-1].startswith("all together")
    assert "\\textless{}script" in text


def test_a_table_without_a_graph_is_refused():
    with pytest.raises(ValueError, match="needs a graph"):
        audit_table("data.csv", audit(benchmark()[0], None, 0), MADE)
