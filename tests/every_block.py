"""One document that has every block, and texts that attack whatever shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from causalassay.present import (
    Beside,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Findings,
    Fold,
    GraphFigure,
    Interval,
    Marked,
    Prose,
    PValue,
    Rules,
    Section,
    Table,
)
from causalassay.present.markup import escaped

HOSTILE = {
    "markup": "</style></title></svg><script>alert(1)</script><img src=x onerror=alert(1)>\"'&",
    "control": "a\x00b\x07c\x1b[2J\x1b]0;title\x07\x7f\x9b31m",
    "direction": "abc\u202edef\u2066ghi\u200f",
    "lines": "first\r\nsecond\u2028third\x0bfourth",
    "latex": r"\input{/etc/passwd} \write18{ls} $x_1^2$ 50% & #1 ~ [ * ` \\ \end{tabular} ^^5c",
    "markdown": "| a | b |\n# heading\n[x](javascript:alert(1)) ![y](http://z) `` ``` **b** <b>",
    "rich": "[bold red]x[/] [link=http://z]y[/link] :smile:",
    "vega": "datum['x'] + \"}, {\" {0} {name} %s",
    "long": "x" * 10_000,
    "long words": "long words " * 900,
    "wide": "漢字" * 40,
    "nothing": "",
    "blank": " \t ",
}
"""Texts by what they attack."""


@dataclass(frozen=True)
class Claim:
    """A finding of whatever sort."""

    sentence: str
    label: str = "label"
    advice: str = ""
    rule_names: Sequence[str] = ()
    number_texts: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self):
        return {"sentence": self.sentence}


@dataclass(frozen=True)
class Law:
    """A rule of whatever sort."""

    text: str
    rate_text: str


def chart(text):
    return {
        "data": {"values": [{"x": text, "y": 1}, {"x": f"{text}2", "y": 2}]},
        "title": {"text": text, "subtitle": text},
        "mark": {"type": "point", "aria": True},
        "width": 200,
        "encoding": {
            "x": {"field": "x", "type": "nominal", "title": text},
            "y": {"field": "y", "type": "quantitative"},
            "description": {"field": "x", "type": "nominal"},
        },
    }


def every_block(name: str = "name") -> Document:
    """Return a document with every block, and a name in every place that has a text."""
    columns = (
        Column("name", name),
        Column("count", "count", "count", priority=3),
        Column("score", "score", "fixed", hint=name),
        Column("p", "p-value", "p-value", priority=1),
        Column("gain", "mean gain over random orders", "signed", priority=2),
        Column("text", "what it says", priority=5),
    )
    rows = [
        (
            Marked(name, mark=name or "mark", hint=name),
            3,
            Interval(0.5, 0.25, 0.75),
            0.04,
            0.1,
            name,
        ),
        ("b", 20, Marked(0.125, bold=True, warns=True), PValue(0.002, is_bound=True), -2.0, None),
        ("c", 100, math.nan, 0.0001, math.nan, "a text of some length that may be folded"),
        ("all", None, (0.25, 0.5), None, None, True),
    ]
    table = Table("table", columns, rows, name, f"How to read {name}", [name, "second note"], 1)
    claim = Claim(f"A claim about {name}.", name, f"Advice on {name}.", ("rule",), {name: name})
    blocks = [
        Prose(name),
        Prose(f"aside {name}", "aside"),
        Prose(f"notice {name}", "notice"),
        Prose(f"strong {name}", "strong"),
        Code(f"code of {name}\n  indented"),
        Facts({name: name, "code": Code(name), "link": Marked(name, link="#table")}),
        Figure("chart", lambda: chart(name), name, name),
        Figure("wide-chart", lambda: chart(name), name, wide=True),
        GraphFigure("graph", lambda: f"<svg><text>{escaped(name)}</text></svg>", name),
        Findings([claim, Claim("A claim without a rule.")]),
        Section("section", name, [table]),
        Section("hidden", name, [Prose(f"hidden {name}")], option="--hidden"),
        Fold(name, [Prose(f"folded {name}")], option="--folded", id="fold"),
        Beside([Figure("beside", lambda: chart(name), name), Prose(name)]),
        Rules({"another": Law(f"It says {name}.", f"rate of {name}")}),
    ]
    provenance = [Facts({"made by": name}), Table("files", [Column("f", "file")], [[name]])]
    rules = {"rule": Law(f"It decides by {name}.", f"measured: {name}")}
    return Document(f"Title {name}", claim, blocks, provenance, f"about {name}", rules)
