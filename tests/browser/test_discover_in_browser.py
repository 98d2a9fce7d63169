"""What a reader sees of the page of a graph: at three widths, on light and on dark, printed."""

import numpy as np
import pytest

from causalassay.contracts import Estimate
from causalassay.present.html import page as page_of
from causalassay.resampling import EdgeFrequencies
from causalassay.resampling.document import Search, frequencies_document

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    rng = np.random.default_rng(1)
    graph = np.triu(rng.random((11, 11)) < 0.4, 1)
    graph |= np.tril(rng.random((11, 11)) < 0.1, -1)
    directed = np.where(graph & ~graph.T, 60, 0)
    names = tuple(f"protein {k}" for k in range(11))
    undirected = np.where(graph & graph.T, 30, 0)
    found = EdgeFrequencies(names, Estimate(graph, "pdag"), directed, undirected, 100)
    path = tmp_path_factory.mktemp("discover") / "graph.html"
    path.write_text(page_of(frequencies_document(found, Search("gies", "data.csv", "9 rows"))))
    return path.as_uri()


@pytest.mark.parametrize("width", [420, 800, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawing_is_on_the_first_screen_and_the_page_fits(browser, found, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto(found)
    assert width == page.evaluate("document.documentElement.scrollWidth")
    assert [] == said
    graph, matrix = (
        page.locator(f"#picture-{name} svg") for name in ("large-graph", "frequencies")
    )
    drawing, cells = graph.bounding_box(), matrix.bounding_box()
    assert drawing["y"] < 350
    assert drawing["width"] > 0.55 * min(width, 1280)
    beside = cells["x"] > drawing["x"] + drawing["width"]
    assert (width == 1280) == beside
    context.close()


def test_the_page_prints_both_pictures(browser, found):
    page = browser.new_page()
    page.goto(found)
    page.emulate_media(media="print")
    assert page.locator("#picture-large-graph").is_visible()
    assert page.locator("#picture-frequencies").is_visible()
    assert len(page.pdf(format="A4")) > 10_000
    page.close()
