"""The verdict on the page: its sentences, their numbers and their rules."""

from __future__ import annotations

from causalassay.analysis.verdict.statements import STATISTICS, Statement, StudyVerdict
from causalassay.report.page.elements import folded, pairs, section
from causalassay.report.page.markup import Html, join, tag


def verdict_section(verdict: StudyVerdict) -> Html:
    """Return the verdict's sentences with their numbers, and below them each rule once."""
    if not verdict.statements:
        return section("verdict", "Verdict", tag("p", "There is nothing to say yet."))
    statements = (_statement(each) for each in verdict.statements)
    used = dict.fromkeys(n.statistic for each in verdict.statements for n in each.numbers.values())
    rules = (
        tag("li", tag("b", name), f": {text}", id=_anchor(name))
        for name, text in verdict.rules.items()
    )
    return section(
        "verdict",
        "Verdict",
        tag("ul", *statements, class_="statements"),
        tag("h3", "The rules"),
        tag("ul", *rules),
        folded("What each kind of number is", pairs({name: STATISTICS[name] for name in used})),
    )


def _statement(statement: Statement) -> Html:
    links = [tag("a", rule, href=f"#{_anchor(rule)}") for rule in statement.rules]
    link = join(("rule: ", links[0], *(part for one in links[1:] for part in (", ", one))))
    numbers = pairs({name: number.text for name, number in statement.numbers.items()})
    return tag(
        "li",
        tag("p", statement.sentence, " (", link, ")"),
        folded("The numbers", numbers) if statement.numbers else "",
    )


def _anchor(rule: str) -> str:
    return f"rule-{rule.replace(' ', '-')}"
