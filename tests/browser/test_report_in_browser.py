"""What a reader sees of a report and can do with it, in a real browser without network."""

import csv
import io
import re
from dataclasses import replace

import altair as alt
import pandas as pd
import pytest

from causalassay.analysis.report.figures import KINDS, Gallery
from causalassay.analysis.report.page import read_content, render_page
from causalassay.analysis.runs import scheme_name
from causalassay.metrics.registry import metric_name
from report_stores import ATTACKS, BASELINES, FAMILIES, LISTED, METRICS, SCHEMES, SIZES

pytestmark = pytest.mark.needs("chromium")

NARROW = 420

PANELS = """
(() => {
  // Marks that stand for data: not axes, legends, titles and backgrounds.
  const guides = new Set(["axis", "legend", "title", "row", "column", "facet"]);
  const count = (mark) => {
    if (guides.has((mark.role || "").split("-")[0])) return 0;
    if (mark.marktype !== "group") return mark.role === "mark" ? mark.items.length : 0;
    return mark.items.reduce((sum, item) => sum + inside(item), 0);
  };
  const inside = (item) => item.items.reduce((sum, mark) => sum + count(mark), 0);
  // Vega-Lite calls the group of a facet's panels "cell"; a chart without is one panel.
  const cells = (mark) => {
    if (mark.marktype !== "group") return [];
    if (mark.name === "cell") return mark.items;
    return mark.items.flatMap((item) => item.items.flatMap(cells));
  };
  return Object.fromEntries(Object.entries(causalassay.views).map(([name, view]) => {
    const root = view.scenegraph().root;
    const panels = cells(root);
    return [name, (panels.length ? panels : root.items).map(inside)];
  }));
})()
"""
NAMES = "[...document.querySelectorAll('#leaderboard tbody[data-scheme=raw] th[scope=row]')]"
SHOWN = f"{NAMES}.filter((cell) => cell.offsetParent).map((cell) => cell.dataset.value)"


def column(page, metric):
    """The shown values of a metric's column on raw data, from top to bottom."""
    index = page.evaluate(
        """(metric) => {
          const rows = document.querySelector('#leaderboard').tHead.rows;
          return 2 + [...rows[1].cells].findIndex((cell) => cell.dataset.metric === metric);
        }""",
        metric,
    )
    rows = "[...document.querySelector('#leaderboard tbody[data-scheme=raw]').rows].slice(1)"
    return page.evaluate(f"(index) => {rows}.map((row) => +row.cells[index].dataset.value)", index)


def charts_in_sight(page):
    return [chart for chart in page.locator("[data-chart]").all() if chart.is_visible()]


def head(page, metric):
    return page.locator(f"#leaderboard th[data-metric={metric}]")


@pytest.mark.parametrize("width", [1280, NARROW])
def test_a_report_asks_for_nothing_and_complains_of_nothing(see, report, width):
    sight = see(report, width)
    list(sight.draw_all())
    assert [] == sight.messages
    assert [] == sight.requests


@pytest.mark.parametrize("width", [1280, NARROW])
def test_every_panel_of_every_chart_has_marks(see, report, width):
    sight = see(report, width)
    list(sight.draw_all())
    elements = sight.page.locator("[data-chart]").all()
    charts = [element.get_attribute("data-chart") for element in elements]
    marks_of = sight.page.evaluate(PANELS)
    kinds = {name for name in KINDS if any(c.startswith(name.replace("_", "-")) for c in charts)}
    absent = {"against_n", "against_density", "reliability"}  # of other sizes; of probabilities
    assert set(KINDS) - absent == kinds
    assert set(charts) == set(marks_of)
    assert {} == {name: marks for name, marks in marks_of.items() if min(marks, default=0) == 0}
    assert 1 == len(marks_of["schemes-f1"])
    assert len(FAMILIES) * len(SIZES) == len(marks_of["boxes-f1"])
    assert len(SCHEMES) == len(marks_of["against-d-f1"])
    # A sign, an interval and a point of a line for each algorithm and size.
    per_panel = 3 * len(SIZES) * (len(LISTED) + len(BASELINES))
    assert {per_panel} == set(marks_of["against-d-f1"])
    assert len(SCHEMES) * 2 == len(marks_of["sortability"])
    # A sign and an interval for each algorithm and scheme, at least.
    assert 2 * (len(LISTED) + len(BASELINES)) * len(SCHEMES) <= marks_of["schemes-f1"][0]


def test_the_count_of_marks_sees_an_empty_panel(see, report, tmp_path):
    data = pd.DataFrame({"row": ["a", "b"], "column": ["x", "y"], "value": [1, 2]})
    chart = alt.Chart(data).mark_point().encode(x="value:Q").facet(row="row:N", column="column:N")
    content = read_content(report.parent)
    figure = replace(content.gallery.figures[0], id="holes", chart=chart, data=data)
    target = tmp_path / "holes.html"
    target.write_text(render_page(replace(content, gallery=Gallery((figure,), (), ()))))
    assert [0, 0, 1, 1] == sorted(see(target).page.evaluate(PANELS)["holes"])


@pytest.mark.parametrize("width", [1280, NARROW])
def test_every_chart_is_drawn_in_its_place_and_fits_it(see, report, width):
    sight = see(report, width)
    visible = {chart.get_attribute("data-chart") for chart in charts_in_sight(sight.page)}
    for name in [*visible, *sight.draw_all()]:
        chart = sight.page.locator(f"[data-chart={name}]")
        if not chart.is_visible():
            continue
        assert "img" == chart.get_attribute("role")
        assert len(chart.get_attribute("aria-label")) > 40
        box, room = chart.locator("svg").bounding_box(), chart.bounding_box()
        assert 0.6 * min(room["width"], 500) < box["width"] <= room["width"] + 1
        assert box["height"] > 60


FONTS = {
    "wide": "DejaVu Sans Mono, Courier New, monospace",
    "narrow": "DejaVu Sans Condensed, Arial Narrow, sans-serif",
    "serif": "DejaVu Serif, Times New Roman, serif",
}
OVERLAPS = """
(chart) => {
  const svg = chart.querySelector("svg").getBoundingClientRect();
  const boxes = [...chart.querySelectorAll("text")]
    .filter((text) => text.textContent && text.getAttribute("opacity") !== "0")
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  const outside = boxes.filter(([, b]) => b.left < svg.left - 1 || b.right > svg.right + 1);
  const apart = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) < 1 ||
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) < 3;
  const crossed = boxes.flatMap(([one, a], i) =>
    boxes.slice(i + 1).filter(([, b]) => !apart(a, b)).map(([other]) => `${one} / ${other}`));
  return [...outside.map(([text]) => text), ...crossed];
}
"""


def with_font(content, **header):
    """The same page with charts in another font."""
    figures = []
    for figure in content.gallery.figures:
        config = figure.chart.to_dict()["config"]
        look = {name: config[name] | header for name in ("axis", "legend", "header")}
        font = header.get("labelFont", config["font"])
        chart = figure.chart.configure(**config | look | {"font": font})
        figures.append(replace(figure, chart=chart))
    return replace(content, gallery=replace(content.gallery, figures=tuple(figures)))


@pytest.mark.parametrize("width", [1280, NARROW])
@pytest.mark.parametrize("font", FONTS)
def test_charts_fit_unscaled_and_texts_keep_apart_in_any_font(see, report, tmp_path, font, width):
    content = with_font(read_content(report.parent), labelFont=FONTS[font], titleFont=FONTS[font])
    target = tmp_path / "font.html"
    target.write_text(render_page(content))
    sight = see(target, width)
    visible = {chart.get_attribute("data-chart") for chart in charts_in_sight(sight.page)}
    for name in [*visible, *sight.draw_all()]:
        chart = sight.page.locator(f"[data-chart={name}]")
        if not chart.is_visible():
            continue
        drawn = float(chart.locator("svg").get_attribute("width"))
        room = chart.bounding_box()["width"]
        assert 0.6 * min(room, 500) < drawn <= room, name
        assert drawn == pytest.approx(chart.locator("svg").bounding_box()["width"], abs=1)
        assert [] == chart.evaluate(OVERLAPS), name
    assert [] == sight.messages


def test_a_chart_whose_labels_leave_no_room_is_scaled_down(see, report, tmp_path):
    content = with_font(read_content(report.parent), labelFontSize=34)
    target = tmp_path / "large.html"
    target.write_text(render_page(content))
    for chart in charts_in_sight(see(target, NARROW).page):
        box, room = chart.locator("svg").bounding_box(), chart.bounding_box()
        assert box["width"] <= room["width"] + 1


def test_a_chooser_shows_one_figure_of_its_kind(see, report):
    sight = see(report)
    chooser = sight.page.get_by_role("combobox", name=re.compile("the schemes side by side"))
    figures = sight.page.locator("#kind-schemes figure")
    assert len(METRICS) == figures.count()
    for metric in METRICS:
        chooser.select_option(label=metric_name(metric))
        sight.page.evaluate("causalassay.drawn")
        visible = [figure for figure in figures.all() if figure.is_visible()]
        assert 1 == len(visible)
        assert metric_name(metric) in visible[0].locator("figcaption strong").inner_text()
        assert visible[0].locator("svg").is_visible()


def test_a_chart_is_fitted_again_to_a_new_width(see, report):
    page = see(report).page
    chart = page.locator("#figures [data-chart]").first
    wide = chart.locator("svg").bounding_box()["width"]
    page.set_viewport_size({"width": NARROW, "height": 900})
    # Not wait_for_function, which the page's policy forbids as it forbids all evaluation.
    for _ in range(50):
        page.wait_for_timeout(100)
        if int(chart.get_attribute("data-room")) < NARROW:
            break
    assert chart.locator("svg").bounding_box()["width"] < NARROW < wide


def test_the_table_is_sorted_by_a_click_and_back_by_another(see, report):
    page = see(report).page
    assert sorted(column(page, "shd")) == column(page, "shd")
    assert "ascending" == head(page, "shd").get_attribute("aria-sort")
    before = page.evaluate(SHOWN)
    head(page, "f1").get_by_role("button").click()
    assert "descending" == head(page, "f1").get_attribute("aria-sort")
    assert head(page, "shd").get_attribute("aria-sort") is None
    assert sorted(column(page, "f1"), reverse=True) == column(page, "f1")
    head(page, "f1").get_by_role("button").click()
    assert "ascending" == head(page, "f1").get_attribute("aria-sort")
    assert sorted(column(page, "f1")) == column(page, "f1")
    assert before != page.evaluate(SHOWN)
    assert sorted(before) == sorted(page.evaluate(SHOWN))


def test_the_table_is_sorted_by_keyboard_alone(see, report):
    page = see(report).page
    sorted_by = "document.activeElement.closest('th[data-metric=sid]') !== null"
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate(sorted_by):
            break
    assert page.evaluate(sorted_by)
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert "none" != outline
    page.keyboard.press("Enter")
    assert sorted(column(page, "sid")) == column(page, "sid")
    assert "ascending" == head(page, "sid").get_attribute("aria-sort")
    page.keyboard.press("Space")
    assert sorted(column(page, "sid"), reverse=True) == column(page, "sid")
    assert "Sorted by SID, descending" in page.locator("#leaderboard-status").inner_text()


def test_names_are_sorted_as_words(see, report):
    page = see(report).page
    page.locator("#leaderboard th[data-name=algorithm] button").click()
    assert sorted(page.evaluate(SHOWN)) == page.evaluate(SHOWN)


def test_the_metric_chooser_shows_and_hides_columns(see, report):
    page = see(report).page
    assert all(head(page, metric).is_visible() for metric in METRICS)
    page.get_by_role("checkbox", name=metric_name("mec_shd")).uncheck()
    page.get_by_role("checkbox", name=metric_name("skeleton_f1")).uncheck()
    assert not head(page, "mec_shd").is_visible()
    assert not page.locator("th[data-level=class]").first.is_visible()
    cells = page.locator("#leaderboard tbody tr:nth-child(2) td:visible")
    assert len(SCHEMES) * (1 + len(METRICS) - 2) == cells.count()
    page.get_by_role("checkbox", name=metric_name("mec_shd")).check()
    assert head(page, "mec_shd").is_visible()
    assert "1" == page.locator("th[scope=colgroup][data-level=class]").get_attribute("colspan")


def test_schemes_and_algorithms_can_be_filtered(see, report):
    page = see(report).page
    page.get_by_role("combobox", name="Scheme", exact=True).select_option("iSCM")
    bodies = page.locator("#leaderboard tbody:visible")
    assert [scheme_name("iscm")] == [body.get_attribute("data-scheme") for body in bodies.all()]
    page.get_by_role("combobox", name="Scheme", exact=True).select_option("")
    page.get_by_role("searchbox", name="Algorithms whose name has").fill("SORTN")
    expected = {name for name in BASELINES if "sortn" in name}
    assert expected == set(page.evaluate(SHOWN))
    assert f"{3 * len(SCHEMES)} rows shown" in page.locator("#leaderboard-status").inner_text()


@pytest.mark.parametrize("width", [1280, 800, NARROW])
def test_a_page_does_not_scroll_sideways(see, report, width):
    page = see(report, width).page
    # The tables of other sizes lie in folds: what is in them can be clicked once these are open.
    for fold in page.locator("details").all():
        fold.evaluate("fold => { fold.open = true; }")
    for button in page.locator("[data-opens]").all():
        button.click()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    if width == NARROW:
        wide = page.locator("#leaderboard").evaluate("table => table.parentElement.scrollWidth")
        assert wide > NARROW


def test_the_first_screen_has_the_headline_the_picture_and_the_matrix(see, report):
    """The headline is of the size shown first; that of each other size stands in its fold."""
    page = see(report, 1280, 800).page
    analysis = read_content(report.parent).analysis
    assert analysis.headline == page.locator(".headline").inner_text()
    assert len(SIZES) - 1 == len(analysis.others)
    others = page.locator("#sizes details .size-headline").all_text_contents()
    assert [other.headline for other in analysis.others] == others
    assert page.locator(".headline").bounding_box()["y"] < 120
    for place in ("#figure-overview svg", "#matrix tbody tr:first-child"):
        box = page.locator(place).first.bounding_box()
        assert box["y"] + min(box["height"], 300) < 800, place
    narrow = see(report, NARROW, 800).page
    assert narrow.locator(".headline").bounding_box()["y"] < 200
    assert narrow.locator("#figure-overview").bounding_box()["y"] < 800


def test_every_row_of_the_matrix_opens_to_its_sentences_and_closes(see, report):
    page = see(report).page
    rows = read_content(report.parent).analysis.matrix.rows
    buttons = page.locator("#matrix [data-opens]").all()
    assert len(rows) == len(buttons)
    for row, button in zip(rows, buttons, strict=True):
        opened = page.locator(f"#{button.get_attribute('aria-controls')}")
        assert not opened.is_visible()
        assert "false" == button.get_attribute("aria-expanded")
        button.focus()
        page.keyboard.press("Enter")
        assert "true" == button.get_attribute("aria-expanded")
        text = opened.inner_text()
        assert row.statements
        for statement in row.statements:
            assert statement.sentence in text
        button.click()
        assert not opened.is_visible()


def test_a_link_to_a_rule_opens_the_fold_that_holds_it(see, report):
    page = see(report).page
    page.locator("#matrix [data-opens]").first.click()
    link = page.locator("#row-0 a").first
    rule = page.locator(link.get_attribute("href"))
    assert not rule.is_visible()
    link.click()
    assert rule.is_visible()


CONTRAST = """
(element) => {
  const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (colour) => {
    const parts = colour.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const style = getComputedStyle(element);
  const ink = light(rgb(element.tagName === "text" ? style.fill : style.color));
  const paper = light(rgb(getComputedStyle(document.documentElement).backgroundColor));
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_charts_and_page_have_enough_contrast(see, report, scheme):
    """WCAG 2.2 asks 4.5 of texts."""
    sight = see(report, color_scheme=scheme)
    list(sight.draw_all())
    page = sight.page
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ("rgb(255, 255, 255)" == paper) == (scheme == "light")
    texts = [text for text in page.locator("[data-chart] text").all() if text.is_visible()]
    assert len(texts) > 100
    for element in (*texts, *page.locator(".headline, #matrix caption, h2").all()):
        if element.text_content():
            assert element.evaluate(CONTRAST) >= 4.5, element.text_content()


@pytest.mark.parametrize("kind", ["svg", "png", "csv"])
def test_every_figure_can_be_downloaded(see, report, kind):
    page = see(report).page
    figures = [figure for figure in page.locator("figure").all() if figure.is_visible()]
    # And the picture of the first screen.
    assert len(figures) == 1 + page.locator("#figures section:has(figure)").count()
    for figure in figures:
        button = figure.locator(f"button[data-save={kind}]")
        assert re.match(rf"{kind.upper()} of .+", button.evaluate("b => b.textContent"))
        with page.expect_download() as waiting:
            button.click()
        download = waiting.value
        assert re.fullmatch(rf"trial-[\w-]+\.{kind}", download.suggested_filename)
        content = download.path().read_bytes()
        if kind == "svg":
            assert content.startswith(b"<svg")
            assert re.search(b"<(path|rect|circle|line)", content)
        elif kind == "png":
            assert content.startswith(b"\x89PNG")
            assert len(content) > 5000
        else:
            rows = list(csv.reader(io.StringIO(content.decode())))
            assert len(rows) > 1
            assert 1 == len({len(row) for row in rows})


def test_a_report_prints_with_its_charts_and_without_its_controls(see, report, tmp_path):
    page = see(report, width=680).page
    page.emulate_media(media="print")
    for unseen in (".controls", ".downloads", "nav", "#notices", "#leaderboard"):
        assert not page.locator(unseen).first.is_visible()
    assert page.locator("[data-chart] svg").first.is_visible()
    for seen in (".headline", "#matrix", "#schemes", "#run"):
        assert page.locator(seen).is_visible()
    table, body = (page.locator(name).bounding_box() for name in ("#matrix", "body"))
    assert table["width"] <= body["width"]
    target = tmp_path / "report.pdf"
    page.pdf(path=target, format="A4")
    content = target.read_bytes()
    assert content.startswith(b"%PDF")
    assert len(content) > 50_000
    assert 2 == len(re.findall(rb"/Type\s*/Page\b", content))


def test_tables_and_verdict_are_read_without_scripts(browser, report):
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("#leaderboard td").first.is_visible()
    assert page.locator(".headline").inner_text()
    assert page.locator("#schemes").inner_text()
    assert page.locator("#matrix td").first.is_visible()
    assert page.locator("noscript p").is_visible()
    assert not page.locator(".controls").is_visible()
    context.close()


def test_names_that_attack_stay_text(see, attacked_report):
    sight = see(attacked_report)
    page = sight.page
    for fold in page.locator("details").all():
        fold.evaluate("fold => { fold.open = true; }")
    for button in page.locator("[data-opens]").all():
        button.click()
    page.locator("#leaderboard th[data-name=algorithm] button").click()
    page.locator(".mark-symbol path, .mark-rect path").first.hover(force=True)
    assert [] == sight.messages
    assert [] == sight.requests
    assert 0 == page.locator("img").count()
    names = set(page.evaluate(SHOWN))
    assert set(ATTACKS) <= names
    for attack in ATTACKS:
        assert page.locator("#leaderboard th", has_text=attack).first.is_visible()
    list(sight.draw_all())
    assert [] == sight.messages
    marks = page.evaluate(PANELS)
    assert all(min(counts, default=0) > 0 for counts in marks.values())


def test_even_a_script_that_came_in_would_not_run(see, report, tmp_path):
    text = report.read_text()
    start = text.index('<main id="main"')
    inner = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    target = tmp_path / "broken.html"
    target.write_text(text[:start] + inner + text[start:])
    sight = see(target)
    assert not any(message.startswith("dialog") for message in sight.messages)
    assert any("Content Security Policy" in message for message in sight.messages)
