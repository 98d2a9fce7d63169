"""The pages of reproduced papers under docs, and the table that counts them."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("paper_pages", ROOT / "docs" / "paper_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_counts_what_the_pages_have(script):
    page = script.SUMMARY.read_text(encoding="utf-8")
    assert page == script.with_table(page)


def test_every_picture_of_a_page_is_there(script):
    for page in script.PAGES.glob("*.md"):
        names = re.findall(r"!\[.*\]\((.*\.svg)\)", page.read_text(encoding="utf-8"))
        assert names
        assert all((script.PAGES / name).is_file() for name in names)


def made(folder, outcomes, text):
    folder.mkdir(parents=True)
    (folder / "page.md").write_text(text, encoding="utf-8")
    (folder / "overview.svg").write_text("<svg/>", encoding="utf-8")
    lines = [f"{item},{outcome}" for item, outcome in outcomes]
    (folder / "table.csv").write_text("\n".join(["item,outcome", *lines]), encoding="utf-8")
    return folder


@pytest.fixture
def pages(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "PAGES", tmp_path / "papers")
    return tmp_path / "papers"


def test_a_page_is_copied_with_its_pictures_and_counted(script, tmp_path, pages):
    outcomes = ["agrees", "holds", "disagrees", "open", "not computed", "not run", "other data"]
    outcomes.append("stand-in")
    rows = [("table-1", outcome) for outcome in outcomes]
    script.copy_page(made(tmp_path / "full" / "smith2020", rows, "![All](overview.svg)\n"))
    page = (pages / "smith2020.md").read_text(encoding="utf-8")
    assert "![All](smith2020/overview.svg)\n" == page
    assert (pages / "smith2020" / "overview.svg").is_file()
    assert "| all | 8 | 5 | 2 | 1 | 1 | 1 |" in script.counts_table()


def test_items_that_a_page_lacks_come_from_another_with_their_size(script, tmp_path, pages):
    text = "# smith2020\n\n### table-{}\n\nnumber {}\n\n## Provenance\n\nnote {}\n"
    full = made(tmp_path / "full" / "smith2020", [("table-1", "agrees")], text.format(1, 1, 1))
    both = [("table-1", "open"), ("table-2", "open")]
    fast = made(tmp_path / "fast" / "smith2020", both, text.format(2, 2, 2))
    script.copy_page(full, fast)
    page = (pages / "smith2020.md").read_text(encoding="utf-8")
    assert (
        "# smith2020\n\n### table-1\n\nnumber 1\n\n### table-2\n\nComputed with `--fast`: at full "
        "size it was not run.\n\nnumber 2\n\n## Provenance\n\nnote 1\n"
    ) == page
    assert {"agrees": 1, "open": 1} == script.outcomes("smith2020")
