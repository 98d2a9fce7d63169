"""The verdict on the page: its sentences, their numbers and their rules."""

from __future__ import annotations

from causalassay.analysis.verdict.statements import STATISTICS, Statement, StudyVerdict
from causalassay.report.page.elements import folded, pairs, section
from causalassay.report.page.markup import Html, tag


def verdict_section(verdict: StudyVerdict) -> Html:
    """Return the verdict's sentences with their numbers, and below them each rule once."""
    rules = list(dict.fromkeys(statement.rule for statement in verdict.statements))
    if not rules:
        return section("verdict", "Verdict", tag("p", "There is nothing to say yet."))
    numbers = {rule: number for number, rule in enumerate(rules, 1)}
    statements = (_statement(each, numbers[each.rule]) for each in verdict.statements)
    used = dict.fromkeys(n.statistic for each in verdict.statements for n in each.numbers.values())
    return section(
        "verdict",
        "Verdict",
        tag("ul", *statements, class_="statements"),
        tag("h3", "The rules"),
        tag("ol", *(tag("li", rule, id=f"rule-{number}") for rule, number in numbers.items())),
        folded("What each kind of number is", pairs({name: STATISTICS[name] for name in used})),
    )


def _statement(statement: Statement, rule: int) -> Html:
    link = tag("a", f"rule {rule}", href=f"#rule-{rule}")
    numbers = pairs({name: number.text for name, number in statement.numbers.items()})
    return tag(
        "li",
        tag("p", statement.sentence, " (", link, ")"),
        folded("The numbers", numbers) if statement.numbers else "",
    )
