"""Parts that the pages of one and of several audits share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from causalassay.auditing.pictures import Picture
from causalassay.auditing.provenance import Provenance
from causalassay.judging.findings import Finding
from causalassay.judging.measured_rates import measured_rates
from causalassay.judging.rules import DATA_RULES, RULES
from causalassay.report.page.bundle import source_hash
from causalassay.report.page.elements import section, table
from causalassay.report.page.markup import Html, tag


def page(title: str, *parts: object, own_style: str = "") -> Html:
    """Return a whole page without scripts, which loads nothing."""
    style = _style() + own_style
    policy = f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(style)),
    )
    body = tag("body", tag("main", *parts, id="main"))
    return Html(f"<!doctype html>\n{tag('html', head, body, lang='en')}\n")


@cache
def _style() -> str:
    room = files("causalassay.report")
    return "".join(
        room.joinpath(folder, "assets", name).read_text(encoding="utf-8")
        for folder, name in (("page", "page.css"), ("audit_page", "audit.css"))
    )


def headline(verdict: Finding, about: str) -> tuple[Html, ...]:
    """Return the verdict, its rule with the measured error rate, and what was audited."""
    return (
        tag("p", verdict.sentence, class_="headline"),
        *([tag("p", verdict.advice)] if verdict.advice else []),
        tag("p", _rule_and_rate(verdict.rule), " ", about, class_="rate"),
    )


def _rule_and_rate(rule: str) -> Html:
    link = tag("a", f"“{rule}”", href=f"#{_anchor(rule)}")
    # What was measured on one data set says nothing of many.
    named = (rule, *RULES[rule].rests_on) if rule in DATA_RULES else (rule,)
    known = next((name for name in named if name in measured_rates()), None)
    if known is None:
        return tag("span", "Rule ", link, "; its error rate was not measured.")
    rests = "" if known == rule else f"it rests on “{known}”, "
    return tag("span", "Rule ", link, f"; {rests}measured: {measured_rates()[known]}.")


def picture_section(pictures: Iterable[Picture]) -> Html:
    """Return pictures beside each other, as many as fit."""
    return tag("div", *(_figure(one) for one in pictures), class_="pictures")


def _figure(picture: Picture) -> Html:
    drawn = tag("div", Html(picture.svg), class_="wide" if picture.name == "graph" else None)
    caption = [tag("figcaption", picture.caption)] if picture.caption else []
    whole = "whole" if picture.name == "graph" else None
    return tag("figure", drawn, *caption, id=f"picture-{picture.name}", class_=whole)


def findings_section(findings: Iterable[Finding]) -> Html:
    """Return all findings, each with its rule."""
    items = [
        tag(
            "li",
            one.text,
            tag(
                "span",
                f"{one.kind}; rule ",
                tag("a", f"“{one.rule}”", href=f"#{_anchor(one.rule)}"),
                class_="aside",
            ),
        )
        for one in findings
    ]
    return section("findings", "Findings", tag("ul", *items, class_="findings"))


def rules_section(rules: Mapping[str, str]) -> Html:
    """Return how each rule decides."""
    texts = [
        tag("div", tag("dt", name, id=_anchor(name)), tag("dd", text))
        for name, text in rules.items()
    ]
    return section("rules", "Rules", tag("dl", *texts))


def provenance_section(made: Provenance, command: str, date: str) -> Html:
    """Return what the audit was made from and with."""
    settings = "; ".join(f"{name}: {_said(value)}" for name, value in made.settings.items())
    texts = {
        "version": f"causalassay {made.version}",
        "command": command,
        "seed": str(made.seed),
        "settings": settings,
        "date": date,
    }
    stated = [tag("div", tag("dt", name), tag("dd", text)) for name, text in texts.items()]
    rows = [(one.name, one.role, tag("span", one.sha256, class_="hash")) for one in made.files]
    heads = ("file", "role", "SHA-256")
    listed = [table("files", "Files that were read", heads, rows)] if rows else []
    return section("provenance", "Provenance", tag("dl", *stated), *listed)


def _said(value: object) -> str:
    words = {None: "not given", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _anchor(rule: str) -> str:
    return f"rule-{rule.replace(' ', '-')}"
