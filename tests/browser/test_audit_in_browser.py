"""What a reader sees of an audit's page: at two widths, on light and on dark, printed."""

import re

import numpy as np
import pytest

import causalassay as ca
from causalassay.auditing import audit, audit_many
from causalassay.auditing.document import audit_document, pooled_document
from causalassay.present import Provenance, SourceFile
from causalassay.present.html import page as page_of

pytestmark = pytest.mark.needs("chromium")

FILES = (SourceFile("data.csv", "data", "ab" * 32),)
MADE = Provenance(0, {"bootstrap": 5}, FILES, "9.9.9").blocks("causalassay audit …", "2001-02-03")


NOTEBOOK = """<!doctype html><style>
:root {{ color-scheme: light dark; }}
body {{ font: 13px sans-serif; }}
table {{ border: 3px solid rgb(1, 2, 3); }} td, th {{ padding: 9px; text-align: center; }}
</style><title>A notebook</title>
<table id="theirs"><tr><th>a</th><td class="right">1</td></tr></table>
<p id="text" class="strong">text</p><ul><li>item</li></ul><pre>code</pre><dl><dt>name</dt></dl>
<div class="output">{}</div>"""
"""A page with a look of its own, as notebooks have, and what one shows of an audit."""


def benchmark(seed):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(20, 2, rng)
    return ca.models.draw("scm", graph, rng).sample(300, rng), graph


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audits")
    lone = audit(*benchmark(1), 0, n_bootstrap=5)
    together = audit_many({f"set{k}": benchmark(k) for k in range(3)}, 0, n_bootstrap=0)
    documents = {
        "one": audit_document(lone, "one", MADE),
        "many": pooled_document(together, "many", MADE),
    }
    for name, document in documents.items():
        (folder / f"{name}.html").write_text(page_of(document))
    (folder / "notebook.html").write_text(NOTEBOOK.format(lone._repr_html_()))
    return folder


def brightness(page, element, what):
    """The sum of red, green and blue, from 0 to 765."""
    parts = page.evaluate(f"getComputedStyle({element}).{what}.match(/\\d+/g).slice(0, 3)")
    return sum(map(int, parts))


@pytest.mark.parametrize("name", ["one", "many"])
@pytest.mark.parametrize("width", [420, 800, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_is_readable(browser, pages, name, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=True
    )
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto((pages / f"{name}.html").as_uri())
    assert width == page.evaluate("document.documentElement.scrollWidth")
    assert [] == said
    ground = brightness(page, "document.documentElement", "backgroundColor")
    ink = brightness(page, "document.body", "color")
    assert abs(ground - ink) > 450
    assert (ground < ink) == (scheme == "dark")
    first = page.locator("svg").first.bounding_box()
    assert first["y"] < 800, "the first picture is on the first screen"
    assert first["width"] > 320
    context.close()


def test_the_page_prints_its_findings_and_its_provenance(browser, pages):
    page = browser.new_page()
    page.goto((pages / "one.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert "rgb(18" not in ground
    assert page.locator("#provenance").is_visible()
    assert len(page.pdf(format="A4")) > 10_000
    page.close()


LOOK = """
() => [...document.querySelectorAll("#theirs, #theirs *, #text, ul, li, pre, dl, dt, body")]
  .filter(one => !one.closest(".output"))
  .map(one => [one.tagName, ...Object.values(getComputedStyle(one)).map(String)].join("|"))
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_notebook_keeps_its_own_look(browser, pages, scheme):
    """The style of the fragment reaches nothing outside it, whatever its elements are."""
    page = browser.new_page(color_scheme=scheme, viewport={"width": 900, "height": 800})
    page.goto((pages / "notebook.html").as_uri())
    beside = page.evaluate(LOOK)
    page.evaluate("document.querySelector('.output').textContent = ''")
    alone = page.evaluate(LOOK)
    assert beside
    heights = r"\d+(\.\d+)?px"
    assert [re.sub(heights, "px", one) for one in alone] == [
        re.sub(heights, "px", one) for one in beside
    ]
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_fragment_takes_the_colours_of_its_notebook(browser, pages, scheme):
    page = browser.new_page(color_scheme=scheme, viewport={"width": 900, "height": 800})
    page.goto((pages / "notebook.html").as_uri())
    outside = page.evaluate("getComputedStyle(document.querySelector('#text')).color")
    for part in (".causalassay .headline", ".causalassay svg text", ".causalassay tbody td"):
        what = "fill" if "svg" in part else "color"
        script = f"getComputedStyle(document.querySelector('{part}')).{what}"
        assert outside == page.evaluate(script), part
    cell = "getComputedStyle(document.querySelector('.causalassay td.right')).textAlign"
    assert "right" == page.evaluate(cell)
    assert 900 == page.evaluate("document.documentElement.scrollWidth")
    page.close()


@pytest.mark.parametrize("width", [420, 1280])
def test_no_text_of_a_chart_is_cut(browser, pages, width):
    """Whatever font the browser has: each text lies on the page, and none below its picture."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((pages / "one.html").as_uri())
    outside = page.evaluate("""
      () => [...document.querySelectorAll("figure:not(.whole) svg text")].filter(text => {
        const own = text.getBoundingClientRect();
        const box = text.closest("figure").getBoundingClientRect();
        return own.left < 0 || own.right > innerWidth || own.bottom > box.bottom + 1
          || own.top < box.top - 1;
      }).map(text => text.textContent)
    """)
    assert [] == outside
    page.close()
