"""Blocks that lead somewhere, have pictures in files, or are printed on demand."""

import pytest
from rich.console import Console

from causalassay.present import (
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Marked,
    Prose,
    Section,
    Table,
)
from causalassay.present.formatting import Interval, formatted
from causalassay.present.html import page
from causalassay.present.markdown import document_markdown
from causalassay.present.terminal import print_document

CHART = {
    "data": {"values": [{"x": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "x", "type": "quantitative"}},
}


def shown(*blocks, options=()):
    document = Document("Title", "Claim.", blocks)
    console = Console(width=100)
    with console.capture() as captured:
        print_document(document, console, options)
    return str(page(document)), document_markdown(document), captured.get()


def test_a_cell_leads_to_its_anchor_on_pages():
    html, markdown, text = shown(
        Table("t", [Column("a", "a")], [[Marked("x|y", link="#x")]]),
        Fold("x", [Prose("b")], id="x"),
    )
    assert '<a href="#x">x|y</a>' in html
    assert '<details id="x">' in html
    assert r"| [x\|y](#x) |" in markdown
    assert "x|y" in text


@pytest.mark.parametrize(("code", "span"), [("a  b", "`a b`"), ("a `b`", "`` a `b` ``")])
def test_code_among_facts_is_code(code, span):
    html, markdown, text = shown(Facts({"call": Code(code), "file": Marked("a", link="b/a")}))
    assert f"<code>{code}</code>" in html
    assert f"- call: {span}\n- file: [a](b/a)" in markdown
    assert f"call: {code}\nfile: a\n" in text


def test_a_picture_in_a_file_is_an_image_in_markdown():
    _, markdown, _ = shown(Figure("f", lambda: CHART, "what [it] is", "How.", file="a/f.svg"))
    assert "![what \\[it\\] is](a/f.svg)\n\nHow." in markdown


def test_a_wide_picture_is_as_wide_as_it_is_drawn():
    html, *_ = shown(Figure("f", lambda: CHART, "", wide=True))
    assert '<figure id="picture-f" class="whole"><div class="wide">' in html


def test_a_section_with_an_option_is_printed_on_demand():
    block = Section("a", "A", [Prose("inside")], option="--values")
    assert "inside" not in shown(block)[2]
    assert "inside" in shown(block, options=["--values"])[2]


def test_a_number_may_bring_its_decimals():
    assert "0.5000 [0.4000, 0.6000]" == formatted(Interval(0.5, 0.4, 0.6, 4), "digits")
