"""Names that attack what shows them, in every block, through every renderer."""

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from rich.cells import cell_len

from causalassay.present.html import fragment, page
from causalassay.present.json_values import document_values
from causalassay.present.latex import comments, escape, table_latex
from causalassay.present.markdown import document_markdown
from causalassay.present.terminal import document_text
from every_block import HOSTILE, every_block

OPTIONS = ("--full", "--each", "--hidden", "--folded")
names = pytest.mark.parametrize("name", HOSTILE.values(), ids=list(HOSTILE))
DRAWN = {"g", "path", "line", "text", "title", "tspan", "p"}
"""Elements of which there are more or fewer as texts are longer or empty."""


def hidden(text, allowed="\n"):
    """The letters that would do something else than show themselves."""
    return {
        letter
        for letter in text
        if letter not in allowed and unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.counts, self.attributes, self.texts = {}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


@names
@pytest.mark.parametrize("render", [page, fragment])
def test_no_name_becomes_an_element_or_an_attribute(render, name):
    plain, attacked = Tags(render(every_block())), Tags(render(every_block(name)))
    for tag, count in attacked.counts.items():
        assert tag in DRAWN or count <= plain.counts[tag], tag
    assert set(attacked.counts) <= set(plain.counts)
    assert {key for key, _ in attacked.attributes} <= {key for key, _ in plain.attributes}
    links = {value for key, value in attacked.attributes if key in ("href", "src")}
    assert all(link.startswith("#") for link in links)
    assert set() == hidden(render(every_block(name)), "\n\t")


@names
def test_pictures_are_xml_whatever_the_names(name):
    for svg in re.findall(r"<svg.*?</svg>", page(every_block(name)), re.DOTALL):
        ET.fromstring(svg)


@names
@pytest.mark.parametrize("width", [40, 120])
def test_a_terminal_shows_names_and_obeys_none(name, width):
    text = document_text(every_block(name), OPTIONS, width)
    assert set() == hidden(text)
    assert max(map(cell_len, text.splitlines())) <= width
    if name == HOSTILE["rich"]:
        assert "[bold red]x[/]" in text.replace("\n", "")


@names
def test_latex_reads_no_name_as_a_command(name):
    document = every_block(name)
    text = table_latex(document.tables()[0], comments(document))
    assert set() == hidden(text)
    above, _, body = text.partition("\\begin{tabular}")
    assert all(line.startswith("%") for line in above.splitlines())
    commands = set(re.findall(r"\\[A-Za-z]+", body))
    assert commands <= {
        *(r"\toprule", r"\midrule", r"\bottomrule", r"\scriptsize", r"\textbf", r"\end"),
        *(r"\textbackslash", r"\textasciitilde", r"\textasciicircum", r"\textless"),
        *(r"\textgreater", r"\textbar"),
    }
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert 5 == len(rows)
    assert {5} == {len(re.findall(r"(?<!\\)&", row)) for row in rows}
    assert all(
        row.count("{") - row.count(r"\{") == row.count("}") - row.count(r"\}") for row in rows
    )
    assert not re.search(r"(?<!\\)%", body)
    assert "\n" not in escape(name)


@names
def test_markdown_shows_names_and_makes_nothing_of_them(name):
    text = document_markdown(every_block(name))
    plain = document_markdown(every_block())
    assert set() == hidden(text)
    outside = re.sub(r"^(`{3,})\n.*?\n\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "<" not in re.sub(r"`+[^\n]*`+", "", outside)
    headings = [line for line in outside.splitlines() if line.startswith("#")]
    assert len([line for line in plain.splitlines() if line.startswith("#")]) == len(headings)
    assert not re.search(r"(?<!\\)\]\((?!#table)", re.sub(r"`+[^\n]*`+", "", outside))
    rows = [line for line in outside.splitlines() if line.startswith("| ")]
    assert len([line for line in plain.splitlines() if line.startswith("| ")]) == len(rows)
    assert {7, 2} == {len(re.findall(r"(?<!\\)\|", row)) for row in rows}


@names
def test_json_holds_names_as_they_are(name):
    values = json.loads(json.dumps(document_values(every_block(name)), allow_nan=False))
    texts = [block["text"] for block in values["blocks"] if "text" in block]
    assert name in texts
