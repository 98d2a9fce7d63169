"""What a reader sees of an audit's page: at two widths, on light and on dark, printed."""

import numpy as np
import pytest

import causalassay as ca
from causalassay.auditing import audit, audit_many
from causalassay.auditing.provenance import AuditedFile, Provenance
from causalassay.report.audit_page.files import write_page

pytestmark = pytest.mark.needs("chromium")

MADE = Provenance(0, {"bootstrap": 5}, (AuditedFile("data.csv", "data", "ab" * 32),), "9.9.9")


def benchmark(seed):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(20, 2, rng)
    return ca.models.draw("scm", graph, rng).sample(300, rng), graph


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audits")
    results = {
        "one": audit(*benchmark(1), 0, n_bootstrap=5),
        "many": audit_many({f"set{k}": benchmark(k) for k in range(3)}, 0, n_bootstrap=0),
    }
    for name, result in results.items():
        write_page(folder / f"{name}.html", name, result, MADE, "causalassay audit …")
    return folder


def brightness(page, element, what):
    """The sum of red, green and blue, from 0 to 765."""
    parts = page.evaluate(f"getComputedStyle({element}).{what}.match(/\\d+/g).slice(0, 3)")
    return sum(map(int, parts))


@pytest.mark.parametrize("name", ["one", "many"])
@pytest.mark.parametrize("width", [420, 1280])
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
