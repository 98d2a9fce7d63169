"""The sentences of the verdict on the page, their numbers and their rules."""

from __future__ import annotations

from collections.abc import Sequence

from causalassay.analysis.verdict.statements import STATISTICS, StudyVerdict
from causalassay.judging.findings import Finding
from causalassay.report.page.elements import folded, pairs, section
from causalassay.report.page.markup import Html, join, tag


def scheme_section(verdict: StudyVerdict) -> Html:
    """Return the sentences that are not about one algorithm: these are in the matrix."""
    general = [each for each in verdict.statements if each.algorithm is None]
    title = "Schemes and the study as a whole"
    if not general:
        return section("schemes", title, tag("p", "There is nothing to say yet."))
    return section("schemes", title, statement_list(general))


def rule_section(verdict: StudyVerdict) -> Html:
    """Return each rule once, what the numbers are, and all sentences."""
    used = dict.fromkeys(n.statistic for each in verdict.statements for n in each.numbers.values())
    rules = (
        tag("li", tag("b", name), f": {text}", id=_anchor(name))
        for name, text in verdict.rules.items()
    )
    return section(
        "rules",
        "Rules and all sentences",
        folded("The rules, with their measured error rates", tag("ul", *rules)),
        folded("What each kind of number is", pairs({name: STATISTICS[name] for name in used})),
        folded(f"All {len(verdict.statements)} sentences", statement_list(verdict.statements)),
    )


def statement_list(statements: Sequence[Finding]) -> Html:
    """Return sentences with their rules and, on demand, their numbers."""
    return tag("ul", *(_statement(each) for each in statements), class_="statements")


def rule_links(statement: Finding) -> Html:
    """Return the names of a sentence's rules, as links to them."""
    links = [tag("a", rule, href=f"#{_anchor(rule)}") for rule in statement.rule_names]
    parts = [part for one in links for part in (", ", one)][1:]
    return tag("span", "rule: ", *parts, class_="aside")


def _statement(statement: Finding) -> Html:
    numbers = pairs(statement.number_texts)
    return tag(
        "li",
        tag("p", statement.text, " ", rule_links(statement)),
        folded("The numbers", numbers) if statement.numbers else join(()),
    )


def _anchor(rule: str) -> str:
    return f"rule-{rule.replace(' ', '-')}"
