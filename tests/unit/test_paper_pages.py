"""The pages of reproduced papers under docs, and what the README says of them."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("paper_pages", ROOT / "docs" / "paper_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_counts_what_the_pages_have(script):
    readme = script.README.read_text(encoding="utf-8")
    assert readme == script.with_table(readme)


def test_every_picture_of_a_page_is_there(script):
    for page in script.PAGES.glob("*.md"):
        names = re.findall(r"!\[.*\]\((.*\.svg)\)", page.read_text(encoding="utf-8"))
        assert names
        assert all((script.PAGES / name).is_file() for name in names)


def test_a_page_is_copied_with_its_pictures_and_counted(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "PAGES", tmp_path / "papers")
    made = tmp_path / "reproduced" / "smith2020"
    made.mkdir(parents=True)
    (made / "page.md").write_text("![All](overview.svg)\n", encoding="utf-8")
    (made / "overview.svg").write_text("<svg/>", encoding="utf-8")
    outcomes = ["agrees", "holds", "disagrees", "open", "not computed", "not run"]
    (made / "table.csv").write_text("\n".join(["outcome", *outcomes]), encoding="utf-8")
    script.copy_page(made)
    page = (tmp_path / "papers" / "smith2020.md").read_text(encoding="utf-8")
    assert "![All](smith2020/overview.svg)\n" == page
    assert (tmp_path / "papers" / "smith2020" / "overview.svg").is_file()
    assert "| all | 6 | 5 | 2 | 1 | 1 | 1 |" in script.counts_table()
