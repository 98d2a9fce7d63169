"""Each renderer on a document that has every block: golden texts, and a page that is parsed."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.text import Text

from causalassay.present import Column, Document, Prose, Table, flattened
from causalassay.present.html import MOST_PRINTED, fragment, page, table_html
from causalassay.present.json_values import document_values
from causalassay.present.latex import comments, table_latex
from causalassay.present.markdown import document_markdown
from causalassay.present.terminal import GAP, document_text, fitting, side_by_side
from every_block import every_block

GOLDEN = Path(__file__).parents[2] / "golden"
OPTIONS = ("--full", "--each", "--hidden", "--folded")
DOCUMENT = every_block()
VOID = {"meta", "input"}


def rendered():
    """Return what each golden file holds."""
    table = DOCUMENT.tables()[0]
    return {
        f"every_block_{width}.txt": document_text(DOCUMENT, (), width) for width in (60, 80, 120)
    } | {
        "every_block_full.txt": document_text(DOCUMENT, OPTIONS, 80),
        "every_block.md": document_markdown(DOCUMENT),
        "every_block.tex": table_latex(table, comments(DOCUMENT)),
    }


@pytest.mark.parametrize("name", sorted(rendered()))
def test_every_block_is_written_as_it_was(name):
    """After a change that is meant: python tests/unit/present/test_renderers.py, and read them."""
    assert (GOLDEN / name).read_text(encoding="utf-8") == rendered()[name].rstrip("\n") + "\n"


class Reader(HTMLParser):
    """Checks that elements are closed in their order, and collects what they have."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.texts = [], [], [], [], []
        self.feed(text)
        assert [] == self.open

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        assert "style" not in named
        assert not [name for name in named if name.startswith("on")]
        self.tags.append(tag)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [named["href"]] if "href" in named else []
        self.ids += [f"#{named['aria-labelledby']}"] if "aria-labelledby" in named else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert tag == self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("render", [page, fragment])
def test_a_page_is_well_formed_and_has_every_block(render):
    reader = Reader(render(DOCUMENT))
    ids = [one for one in reader.ids if not one.startswith("#")]
    assert len(set(ids)) == len(ids)
    labels = {one[1:] for one in reader.ids if one.startswith("#")}
    assert labels | {link[1:] for link in reader.links} <= set(ids)
    assert {"section", "table", "details", "figure", "figcaption", "dl", "pre", "ul"} <= set(
        reader.tags
    )
    assert 4 == reader.tags.count("svg")
    text = " ".join(reader.texts)
    for block in flattened(DOCUMENT.blocks):
        if isinstance(block, Prose):
            assert block.text in text
    for cell in ("0.50", "[0.25, 0.75]", "below 0.002", "+0.10", "-2.00", "0.25 / 0.50", "yes"):
        assert cell in text


@pytest.mark.parametrize("n_columns", [MOST_PRINTED, MOST_PRINTED + 1])
def test_a_table_of_many_columns_has_a_look_of_its_own_on_paper(n_columns):
    columns = [Column(f"c{k}", f"c{k}") for k in range(n_columns)]
    text = table_html(Table("wide", columns, [["x"] * n_columns]))
    assert (n_columns > MOST_PRINTED) == ('class="crowded"' in str(text))


def test_a_page_has_the_sizes_of_its_table():
    text = page(DOCUMENT)
    whole = re.search(r'<table[^>]* id="table">.*?</table>', text)[0]
    assert 6 == whole.count('scope="col"')
    assert 4 == whole.count('scope="row"')
    assert 1 == whole.count('<tbody class="last">')
    assert whole.index("<strong>0.12</strong>") < whole.index('class="last"')


def test_a_fragment_brings_its_style_and_no_script():
    text = fragment(DOCUMENT)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert style.startswith(".causalassay {")
    assert style.endswith("}")
    depths = [0]
    for letter in style:
        depths.append(depths[-1] + {"{": 1, "}": -1}.get(letter, 0))
    assert 0 == depths[-1]
    assert 0 not in depths[style.index("{") + 1 : -1], "a rule stands outside of .causalassay"
    assert "<script" not in text
    assert "url(" not in style
    assert "@import" not in style


def test_json_has_every_table_fact_and_finding():
    values = document_values(DOCUMENT)
    kinds = {key for block in values["blocks"] for key in block}
    assert {"text", "facts", "table", "findings"} <= kinds
    (table,) = (block for block in values["blocks"] if block.get("table") == "table")
    assert [0.5, 0.25, 0.75] == table["rows"][0]["score"]
    assert None is table["rows"][2]["score"]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width):
    lines = document_text(DOCUMENT, OPTIONS, width).splitlines()
    assert max(map(cell_len, lines)) <= width


def columns(*priorities):
    return [Column(f"c{k}", "x" * 10, "count", priority) for k, priority in enumerate(priorities)]


def test_columns_are_left_out_by_their_priority():
    table = columns(9, 2, 5, 2, 1)
    expected = {
        5 * 10 + 4 * GAP: [0, 1, 2, 3, 4],
        4 * 10 + 3 * GAP: [0, 1, 2, 3],
        3 * 10 + 2 * GAP: [0, 1, 2],
        2 * 10 + 1 * GAP: [0, 2],
        10: [0],
        1: [0],
    }
    for width, places in expected.items():
        assert places == fitting(table, [], width), width


def test_what_is_never_left_out_is_printed_in_parts():
    table = columns(9, 9, 9)
    assert [[0, 1], [0, 2]] == side_by_side(table, [], fitting(table, [], 25), 25)
    text = document_text(
        Document("", "", [Table("t", table, [[1, 22, 333]] * 2, n_last=1)]), width=25
    )
    assert "22" in text
    assert "333" in text
    assert 4 == len(re.findall(r"^ *1 ", text, re.MULTILINE))


def test_headings_are_folded_before_columns_are_left_out():
    table = [Column("a", "one long heading of many words", "count", 1) for _ in range(5)]
    assert [0, 1, 2, 3, 4] == fitting(table, [[Text("1")] * 5], 60)


def test_rows_beyond_the_most_are_counted():
    rows = [[str(k)] for k in range(20)]
    table = Table("t", [Column("a", "a")], rows, most=3, n_last=1)
    text = document_text(Document("", "", [table]))
    assert ["0", "1", "2"] == re.findall(r"^\d$", text, re.MULTILINE)
    assert "19" in text
    assert "and 16 more rows: --each prints all" in text
    assert "10" in document_text(Document("", "", [table]), ["--each"])


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for file, content in rendered().items():
        (GOLDEN / file).write_text(content.rstrip("\n") + "\n", encoding="utf-8")
