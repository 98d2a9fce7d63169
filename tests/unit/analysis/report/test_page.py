import base64
import gzip
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import altair as alt
import pandas as pd
import pytest

from causalassay.analysis import analyse
from causalassay.analysis.comparison import best_marks
from causalassay.analysis.report import files
from causalassay.analysis.report.figures import KINDS, Gallery, LeftOut, gallery
from causalassay.analysis.report.files import write_report, write_report_and_figures
from causalassay.analysis.report.page import (
    packed_script,
    read_content,
    render_page,
    script_text,
    vega_bundle,
)
from causalassay.analysis.report.score_tables import level
from causalassay.analysis.runs import scheme_name
from causalassay.analysis.tables import choice_table
from causalassay.metrics.registry import METRICS as ALL_METRICS
from causalassay.metrics.registry import metric_name
from causalassay.present.formatting import digits
from causalassay.present.html import asset, policy, source_hash
from causalassay.present.markup import Html, escaped, tag
from causalassay.study.plan import Record, RunTask
from causalassay.study.storage import Store, read_store
from report_stores import (
    ATTACKS,
    BASELINES,
    METRICS,
    SCHEMES,
    SIZES,
    large_table,
    plan,
    write_attacked,
    write_store,
)
from stored_studies import EMPTY, all_records, tuned_study

MEGABYTE = 1e6
VOID = {"meta", "input"}


class Outline(HTMLParser):
    """What a browser would see of a page: elements, attributes and text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.words = [], [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        if self.open:
            self.words.setdefault(self.open[-1], []).append(data)

    def named(self, name):
        return [attributes for element, attributes in self.elements if element == name]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def written(store):
    return write_report(store).read_text()


@pytest.fixture(scope="module")
def content(store):
    return read_content(store)


@pytest.fixture(scope="module")
def outline(written):
    return Outline(written)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    return write_report(write_attacked(tmp_path_factory.mktemp("attacked"))).read_text()


def unpacked(text, identity="figure-data"):
    (packed,) = re.findall(rf'<script type="text/plain" id="{identity}">(.*?)</script>', text)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_the_report_lies_in_the_folder_unless_another_place_is_named(store, tmp_path):
    assert store / "report.html" == write_report(store)
    assert tmp_path / "a.html" == write_report(store, tmp_path / "a.html")
    assert ["a.html"] == [path.name for path in tmp_path.iterdir()]


def test_a_report_that_fails_leaves_the_old_one(store, tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")
    # A lone surrogate cannot be written: the file is broken off.
    monkeypatch.setattr(files, "render_page", lambda _content: "new \ud800")
    with pytest.raises(UnicodeEncodeError):
        write_report(store, target)
    assert "old" == target.read_text()
    assert [target] == list(tmp_path.iterdir())


def test_a_report_needs_a_folder_to_lie_in_and_a_store_to_read(store, tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder .*nowhere to write a.html"):
        write_report(store, tmp_path / "nowhere" / "a.html")
    with pytest.raises(FileNotFoundError, match="the results folder of a study that has begun"):
        write_report(tmp_path)


def test_elements_are_nested_and_ids_are_unique(outline):
    assert [] == outline.open
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    targets = [a["aria-labelledby"] for _, a in outline.elements if "aria-labelledby" in a]
    assert set(targets) <= set(ids)
    links = [a["href"] for a in outline.named("a")]
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_headings_go_down_one_step_at_a_time_from_one_title(outline):
    levels = [int(name[1]) for name, _ in outline.elements if re.fullmatch("h[1-6]", name)]
    assert 1 == levels.count(1) == levels[0]
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_the_page_has_its_landmarks_and_its_language(outline):
    for landmark in ("header", "nav", "main", "footer"):
        assert 1 == len(outline.named(landmark))
    assert "en" == outline.named("html")[0]["lang"]
    assert "#main" == outline.named("a")[0]["href"]


def test_every_table_has_a_caption_and_every_heading_a_scope(outline):
    assert len(outline.named("table")) == len(outline.named("caption")) >= 3
    assert all("scope" in head for head in outline.named("th"))


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name(outline):
    regions = [a for _, a in outline.elements if a.get("class") == "region"]
    assert len(regions) >= 3
    for region in regions:
        assert ("region", "0") == (region["role"], region["tabindex"])
        assert region["aria-labelledby"]


def test_every_figure_has_an_alternative_text_and_its_downloads(outline, content):
    expected = content.gallery.figures
    charts = [a for _, a in outline.elements if "data-chart" in a]
    assert [figure.id for figure in expected] == [chart["data-chart"] for chart in charts]
    assert [figure.alt for figure in expected] == [chart["aria-label"] for chart in charts]
    assert {"img"} == {chart["role"] for chart in charts}
    saves = [a["data-save"] for _, a in outline.elements if "data-save" in a]
    assert ["svg", "png", "csv"] * len(charts) == saves


def test_the_data_of_every_figure_are_those_of_its_csv(written, content):
    data = unpacked(written)
    assert {figure.id for figure in content.gallery.figures} == set(data)
    for figure in content.gallery.figures:
        assert figure.data.to_csv(index=False) == data[figure.id]["csv"]


def test_the_page_tells_what_was_run(written, store):
    words = "".join(Outline(written).words["dd"])
    with read_store(store) as reader:
        session = reader.sessions()[0]
    assert session.cpu in written
    assert f"numpy {session.versions['numpy']}" in words
    assert f"{3 * 16 * 7} of {3 * 16 * 7}" in words
    for name in ("notears", *BASELINES, *map(metric_name, METRICS)):
        assert name in words
    assert "timeout: more than 1 s" in Outline(written).words["td"]
    assert "is not complete" not in written


def test_an_unfinished_study_says_so(tmp_path):
    written = write_report(write_store(tmp_path, left_out=4)).read_text()
    assert "This study is not complete (last run: completed): 28 rows to come" in written


def test_a_study_without_rows_has_a_report(tmp_path):
    written = write_report(write_store(tmp_path, left_out=3 * 16)).read_text()
    assert "No rows yet." in written
    assert "No scores yet." in written


def test_a_study_where_nothing_ended_has_a_report(tmp_path):
    study = plan(replicates=1)
    study = replace(study, algorithms=study.algorithms[:1], problems=study.problems[:1])
    with Store.open(tmp_path, study) as store:
        task = RunTask("main", 0, 0, 0, 0, tuple(range(6)))
        store.save([Record(task, "failed", "raised ValueError: no", scores=(float("nan"),) * 6)])
    outline = Outline(write_report(tmp_path).read_text())
    assert "0 of 1" in outline.words["td"]
    assert "raised ValueError: no" in outline.words["td"]


def test_the_verdict_stands_with_its_rules_and_numbers(outline, content):
    sizes = (content.analysis, *content.analysis.others)
    assert all(each.verdict.statements for each in sizes)
    said = {words.strip() for words in outline.words["li"]}
    for statement in (each for size in sizes for each in size.verdict.statements):
        assert f"{statement.sentence} {statement.advice}".strip() in said
        for rule in statement.rule_names:
            assert ("dt", {"id": f"rule-{rule.replace(' ', '-')}"}) in outline.elements
            assert f"“{rule}”" in outline.words["a"]
        for name, value in statement.number_texts.items():
            assert name in outline.words["dt"]
            assert value in outline.words["dd"]


def only(content, nodes):
    """The analysis of the rows of one size, as if the study had no other."""
    table = content.analysis.table
    frame = table.frame[table.frame["graph.n_nodes"] == nodes]
    return analyse(replace(table, frame=frame))


def bodies_of(written):
    """The bodies of the leaderboard's table, by scheme and size."""
    board = written[written.index('<table id="leaderboard">') :].split("</table>")[0]
    pattern = '<tbody data-scheme="([^"]*)" data-size="([^"]*)">(.*?)</tbody>'
    return {(scheme, size): body for scheme, size, body in re.findall(pattern, board)}


def test_the_leaderboard_has_every_score_and_count_of_each_size(written, content):
    bodies = bodies_of(written)
    expected = {(scheme_name(name), f"{nodes} nodes") for name in SCHEMES for nodes in SIZES}
    assert expected == set(bodies)
    n_missed = 0
    for nodes in SIZES:
        scores = only(content, nodes).summary.scores
        for scheme, part in scores.groupby(scores["scheme"].map(scheme_name)):
            body = bodies[scheme, f"{nodes} nodes"]
            plain = re.sub("<.*?>", "", body)
            values = re.findall(r'<td data-value="([^"]*)">(?!\d+ of)', body)
            assert sorted(f"{mean:.6g}" for mean in part["mean"].dropna()) == sorted(values)
            one = part[(part["algorithm"] == "pc") & (part["metric"] == "f1")].iloc[0]
            interval = f"[{digits(one['mean_low'])}, {digits(one['mean_high'])}]"
            assert f"{digits(one['mean'])} {interval}" in plain
            assert len(BASELINES) == body.count('<tr class="baseline">')
            for missed in part[part["n_not_ok"] > 0].to_dict("records"):
                n_missed += 1
                assert f'class="missed">{missed["n_ok"]} of {missed["n"]}<' in body
    assert n_missed > 0


def test_a_study_of_one_size_has_a_leaderboard_without_sizes(content):
    alone = only(content, SIZES[0])
    page = render_page(replace(content, analysis=alone, gallery=gallery(alone)))
    board = page[page.index('<table id="leaderboard">') :].split("</table>")[0]
    assert list(map(scheme_name, SCHEMES)) == re.findall('<tbody data-scheme="([^"]*)">', board)
    assert 'id="sizes"' not in page
    assert "data-size" not in board
    assert '<select id="size"' not in page


def test_each_size_has_its_headline_its_matrix_and_its_sentences(written, content):
    """One headline stands on the first screen; what else was found lies in the fold of its size."""
    sizes = written[written.index('<section id="sizes"') :]
    sizes = sizes[: sizes.index('<section id="leaderboard-section"')]
    shown = only(content, SIZES[-1])
    assert [f"{SIZES[-1]} nodes: {escaped(shown.headline)}"] == re.findall(
        '<p class="headline">(.*?)</p>', written
    )
    for nodes in SIZES[:-1]:
        other = only(content, nodes)
        headline = f"{nodes} nodes: {escaped(other.headline)}"
        assert f'<summary>{nodes} nodes</summary><p class="size-headline">{headline}</p>' in sizes
        table = sizes[sizes.index(f'<table id="matrix-{nodes}-nodes"') :].split("</table>")[0]
        rows = table.split("<tbody>")[1:]
        assert len(other.matrix.rows) == len(rows)
        for row, text in zip(other.matrix.rows, rows, strict=True):
            cells = re.sub("<.*?>", " ", text[: text.index('<tr id="')])
            assert all(f" {digits(cell.mean)} " in cells for cell in row.cells)
            assert all(f"<li>{escaped(each.sentence)}" in text for each in row.statements)


def test_metrics_of_classes_stand_beside_those_of_graphs():
    kinds = {name: level(name) for name in ALL_METRICS}
    assert "dag" == kinds["shd"] == kinds["sid"] == kinds["precision"]
    assert "class" == kinds["mec_sid_lower"] == kinds["oset_aid_normalized"] == kinds["skeleton_f1"]
    assert "distribution" == kinds["tv_dag"]


def test_rows_of_a_scheme_begin_with_the_best_by_the_first_metric(outline, content):
    scores = content.analysis.summary.scores
    raw = scores[(scores["scheme"] == "raw") & (scores["metric"] == "shd")]
    best = raw.sort_values("mean", kind="stable")["algorithm"].iloc[0]
    rows = [a["data-value"] for a in outline.named("th") if a["scope"] == "row" and len(a) > 1]
    assert best == rows[0]
    sorts = [a["aria-sort"] for a in outline.named("th") if "aria-sort" in a]
    assert ["ascending"] == sorts


def test_names_from_data_stay_text(attacked):
    plain = Outline(attacked)
    scripts = plain.named("script")
    assert [] == plain.open
    assert 2 == sum("type" not in script for script in scripts)
    assert all(script.get("type") in (None, "text/plain") for script in scripts)
    assert [] == plain.named("img")
    assert not any(name.startswith("on") for _, a in plain.elements for name in a)
    assert "<script>alert" not in attacked
    assert "<img src=x" not in attacked
    text = "".join(word for words in plain.words.values() for word in words)
    for attack in ATTACKS:
        assert attack in text
    assert ATTACKS[0] in [a.get("data-value") for a in plain.named("th")]


def test_data_in_scripts_cannot_end_them_and_come_back_whole():
    hostile = {"a": [*ATTACKS, "]]>", "\u2028", "<!--<script>"]}
    text = packed_script("x", hostile)
    assert text == packed_script("x", hostile)
    assert 2 == text.count("<")
    assert hostile == unpacked(text, "x")


@pytest.mark.parametrize("value", [*ATTACKS, "'", "&lt;", "\0"])
def test_text_and_attributes_are_escaped_unless_they_are_html(value):
    outline = Outline(tag("p", value, title=value))
    expected = value.replace("\0", "\ufffd")
    assert [("p", {"title": expected})] == outline.elements
    assert expected == "".join(outline.words["p"])
    assert f"<p>{value}</p>" == tag("p", Html(value))


def test_the_page_allows_its_own_scripts_and_style_and_no_network(written):
    (stated,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', written)
    directives = dict(part.split(" ", 1) for part in stated.replace("&#x27;", "'").split("; "))
    assert "'none'" == directives["default-src"]
    assert "unsafe" not in stated
    scripts = re.findall("<script>(.*?)</script>", written, re.DOTALL)
    assert [source_hash(text) for text in scripts] == directives["script-src"].split()
    (style,) = re.findall("<style>(.*?)</style>", written, re.DOTALL)
    assert source_hash(style) == directives["style-src"]
    assert "data: blob:" == directives["img-src"]
    assert "connect-src" not in policy(("a",), "b")


def test_nothing_is_loaded_from_elsewhere(outline):
    for _, attributes in outline.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    assert not re.search(r"@import|url\(", asset("page.css"))


def test_code_of_libraries_cannot_end_its_script():
    assert 'x = "<\\/script>"' == script_text('x = "</script>"')
    assert "</script" not in vega_bundle()
    assert "<!--" not in vega_bundle()


def test_the_licences_of_what_is_inlined_are_in_the_page(outline):
    (notices,) = [text for text in outline.words["pre"] if "Third-party notices" in text]
    for package in ("vega,", "vega-lite ", "vega-embed", "vega-interpreter", "vega-tooltip"):
        assert package in notices
    assert "University of Washington Interactive Data Lab" in notices
    assert "Redistributions in binary form must reproduce the above copyright" in notices
    for author in ("Mike Bostock", "Mapbox", "Joachim Wester", "Isaac Z. Schlueter"):
        assert author in notices


def bytes_of_large(content, n_sizes, **sizes):
    """How large the page of 10^5 rows is."""
    table = large_table(10**5, **sizes)
    assert 10**5 <= len(table.frame)
    analysis = analyse(table)
    assert n_sizes == len(analysis.sizes)
    large = replace(content, analysis=analysis, gallery=gallery(analysis))
    return len(render_page(large).encode())


PER_SIZE = 0.135 * MEGABYTE
"""What a size of a large study may add: 15 algorithms, 4 schemes and 6 metrics have 360 means with
intervals in the leaderboard, 60 in the matrix, sentences with their numbers, and curves."""


def test_a_report_of_a_hundred_thousand_rows_is_small(content):
    """Its size depends on how many tables and curves there are to show, never on the rows."""
    one = bytes_of_large(content, 1, sizes=(50,), samples=(1000,))
    assert one < 1.2 * MEGABYTE
    assert bytes_of_large(content, 8) < one + 7 * PER_SIZE


def test_the_same_rows_give_the_same_page(content):
    assert render_page(content) == render_page(content)


def test_a_chart_of_any_data_is_carried_whole(content):
    data = pd.DataFrame({"x": [1.0, float("nan")], "name": [ATTACKS[2], "b"]})
    chart = alt.Chart(data).mark_point().encode(x="x:Q", y="name:N")
    figure = replace(content.gallery.figures[0], id="own", chart=chart, data=data)
    written = render_page(replace(content, gallery=Gallery((figure,), (), ())))
    carried = unpacked(written)["own"]
    (values,) = carried["chart"]["datasets"].values()
    assert [{"x": 1.0, "name": ATTACKS[2]}, {"x": None, "name": "b"}] == values
    assert data.to_csv(index=False) == carried["csv"]


def test_figures_that_are_not_there_say_why(content):
    reason = "There are no <samples>."
    bare = Gallery((), (LeftOut("against_n", "", reason),), ("Some are left out.",))
    outline = Outline(render_page(replace(content, gallery=bare)))
    assert reason in outline.words["dd"]
    assert "Some are left out." in outline.words["p"]
    assert KINDS["against_n"].heading in outline.words["dt"]


def test_every_kind_of_figure_has_a_heading():
    # The picture of the first screen has none: the headline stands above it.
    assert {"overview"} == {name for name, kind in KINDS.items() if not kind.heading}


SECTIONS = ("overview", "schemes", "leaderboard-section", "figures", "run", "rules")
OTHER_SIZES = ("sizes", "schemes-10-nodes")
"""Behind the schemes of the size that is shown first."""


def test_the_first_screen_comes_first_and_what_was_run_and_the_rules_last(outline):
    sections = [a["id"] for a in outline.named("section")]
    expected = [*SECTIONS[:2], *OTHER_SIZES, *SECTIONS[2:]]
    assert expected == [name for name in sections if not name.startswith("kind-")]


def test_the_own_table_and_the_tuning_have_their_places(tmp_path):
    strict, loose, tuned = tuned_study().algorithms
    own = replace(tuned, role="mine")
    study = replace(tuned_study(), algorithms=(strict, loose, own, EMPTY))
    with Store.open(tmp_path, study) as store:
        for problem, candidate in ((0, 1), (1, 0)):
            store.choose(problem, 2, candidate, 0.25 + problem)
        store.save(all_records(study))
    page = write_report(tmp_path).read_text()
    sections = [a["id"] for a in Outline(page).named("section")]
    others = ["sizes", "own-3-nodes", "schemes-3-nodes"]
    expected = ["overview", "own", "schemes", *others, *SECTIONS[2:4], "tuning", *SECTIONS[4:]]
    assert expected == [name for name in sections if not name.startswith("kind-")]
    with read_store(tmp_path) as reader:
        rows = [list(record.values()) for record in choice_table(reader.choices()).records()]
    assert [["tuned", "raw", "alpha = 0.1", 0.25], ["tuned", "iSCM", "alpha = 0.001", 1.25]] == rows
    table = page[page.index('<table id="choices">') :].split("</table>")[0]
    shown = re.sub("<.*?>", "|", table)
    for row in rows:
        assert all(f"|{cell}|" in shown for cell in row)


def test_an_own_algorithm_alone_is_compared_with_nobody(tmp_path):
    study = plan(replicates=1)
    alone = replace(study.algorithms[0], role="mine")
    study = replace(study, algorithms=(alone,), problems=study.problems[:1])
    with Store.open(tmp_path, study) as store:
        store.save([Record(RunTask("main", 0, 0, 0, 0, tuple(range(6))), "ok", scores=(0.5,) * 6)])
    page, *files = write_report_and_figures(tmp_path)
    assert 'id="own"' not in page.read_text()
    assert not [file for file in files if file.name.startswith("mine")]


def test_a_study_without_tuning_and_without_own_algorithm_has_no_such_section(written):
    assert 'id="tuning"' not in written
    assert 'id="own"' not in written


def test_what_was_run_and_the_rules_are_folded_and_complete(written, store):
    run = written[written.index('<section id="run"') : written.index('<section id="rules"')]
    rules = written[written.index('<section id="rules"') : written.index("<footer>")]
    for part in (run, rules):
        shown = re.sub("<details.*</details>", "", part, flags=re.DOTALL)
        assert part.count("<details") >= 3
        assert "<dl>" not in shown
        assert "<pre" not in shown
    with read_store(store) as reader:
        session = reader.sessions()[0]
        status = reader.status()
    assert f"<dd>{status.seed}</dd>" in run
    assert tag("pre", session.text, tabindex=0) in run
    assert session.cpu in run


def test_every_row_of_the_matrix_has_its_sentences_numbers_and_rules(written, content):
    body = written[written.index('<table id="matrix">') : written.index('<section id="schemes"')]
    bodies = body.split("<tbody>")[1:]
    rows = content.analysis.matrix.rows
    assert len(rows) == len(bodies)
    for index, (row, text) in enumerate(zip(rows, bodies, strict=True)):
        assert f'aria-controls="row-{index}"' in text
        opened = text[text.index(f'<tr id="row-{index}" class="opened" hidden>') :]
        for statement in row.statements:
            assert f"<li>{escaped(statement.sentence)}" in opened
            for rule in statement.rule_names:
                assert f'href="#rule-{rule.replace(" ", "-")}"' in opened
            for number in statement.number_texts.values():
                assert f"<dd>{number}</dd>" in opened
        shown = re.sub("<.*?>", " ", text[: text.index("<tr id=")])
        for cell in row.cells:
            assert digits(cell.mean) in shown
        assert row.finding in shown
        assert sum(cell.best for cell in row.cells) == text.count("<strong>")


def test_bold_in_the_leaderboard_is_who_is_not_distinguishable_from_the_best(written, content):
    bodies = bodies_of(written)
    for nodes in SIZES:
        analysis = only(content, nodes)
        marks, scores = best_marks(analysis.runs), analysis.summary.scores
        for scheme, part in scores.groupby("scheme"):
            expected = sum(
                row["algorithm"] in marks[row["metric"], scheme] for row in part.to_dict("records")
            )
            bold = bodies[scheme_name(scheme), f"{nodes} nodes"].count("<strong>")
            assert 0 < expected == bold < len(part)
