"""The page of a choice: headline, risks and ranking, then all that they rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from causalassay.auditing.provenance import Provenance
from causalassay.choosing import Choice
from causalassay.choosing.graph_files import matrix_of
from causalassay.choosing.not_ranked import how_to_include, short_reasons
from causalassay.drawing import show
from causalassay.judging.measured_rates import measured_rates
from causalassay.report.audit_page.parts import page, provenance_section, rules_section
from causalassay.report.choice_page.movement_picture import movement_picture
from causalassay.report.choice_page.risk_picture import risk_picture
from causalassay.report.choice_page.tables import (
    cutoff_table,
    difference_table,
    opinion_table,
    ranking_table,
    reason_table,
)
from causalassay.report.page.elements import folded, section
from causalassay.report.page.markup import Html, tag


def choice_page(name: str, choice: Choice, made: Provenance, command: str, date: str) -> Html:
    """Return the page of a choice; no name in it can be more than text.

    Parameters
    ----------
    name : str
        Of the data.
    choice : Choice
    made : Provenance
    command : str
        The command line that made it.
    date : str
    """
    title = f"Choice of an algorithm for {name}"
    about = (
        f"{choice.n_rows} rows, {len(choice.columns)} columns, experiments on "
        f"{len(choice.intervened)} of them; observational condition: {choice.observational}. "
    )
    return page(
        title,
        tag("h1", title),
        tag("p", choice.headline, class_="headline"),
        tag("p", about, *_rule_and_rate(choice.claims[0].rule), class_="rate"),
        tag(
            "div",
            tag("figure", Html(risk_picture(choice)), id="picture-risks"),
            ranking_table(choice),
            class_="choice-top",
        ),
        _claims(choice),
        _movements(choice),
        section("cut-off-section", "Cut-offs on effect size", cutoff_table(choice)),
        *_differences(choice),
        _second_opinion(choice),
        _graphs(choice),
        *_reasons(choice),
        rules_section(choice.rules),
        provenance_section(made, command, date),
        own_style=_style(),
    )


@cache
def _style() -> str:
    room = files("causalassay.report")
    return room.joinpath("choice_page", "assets", "choice.css").read_text(encoding="utf-8")


def _anchor(rule: str) -> str:
    return f"rule-{rule.replace(' ', '-')}"


def _rule_link(rule: str) -> Html:
    return tag("a", f"“{rule}”", href=f"#{_anchor(rule)}")


def _rule_and_rate(rule: str) -> tuple[str | Html, ...]:
    rate = measured_rates().get(rule)
    said = f"; measured: {rate}." if rate else "; its error rate was not measured."
    return "Rule ", _rule_link(rule), said


def _claims(choice: Choice) -> Html:
    items = [
        tag("li", claim.sentence, tag("span", "rule ", _rule_link(claim.rule), class_="aside"))
        for claim in choice.claims[1:]
    ]
    step = tag("p", tag("b", "What next: "), choice.next_step)
    findings = tag("ul", *items, class_="findings")
    return section("claims", "What the numbers say", findings, step, *_hint(choice))


_CUTOFFS = {
    "Bonferroni": " (a level of {level} shared equally by all tests, after Bonferroni)",
    "SimulatedMax": " (exceeded by chance in a share of {level} of data without any effect)",
}
"""How a bound was found, by the name of its kind."""


def _in_words(cutoff: str) -> str:
    """Return how the bound of the tests was found; nothing for a fixed one.

    Examples
    --------
    >>> _in_words("Bonferroni(level=0.05)")
    ' (a level of 0.05 shared equally by all tests, after Bonferroni)'
    """
    level = re.search(r"level=([^,)]+)", cutoff)
    words = _CUTOFFS.get(cutoff.partition("(")[0], "")
    return words.format(level=level[1]) if level else ""


def _movements(choice: Choice) -> Html:
    tests = choice.tests
    least = f", and an effect of at least {tests.least_effect:g}" if tests.least_effect else ""
    bound = "p-value of at most" if tests.cutoff.startswith("Bonferroni") else "|t| above"
    said = (
        f"{tests.n_tests} tests ({tests.test}) against the observational rows. A column moved with "
        f"a {bound} {tests.threshold:.3g}{_in_words(tests.cutoff)}{least}. Numbers: effect sizes."
    )
    constant = [
        tag(
            "p", f"In {one.condition} these do not vary: {', '.join(one.constant)}.", class_="aside"
        )
        for one in choice.movements
        if one.constant
    ]
    drawn = tag("div", Html(movement_picture(choice)), class_="scrolled", tabindex=0)
    return section(
        "movements", "Who moved", tag("figure", drawn, tag("figcaption", said)), *constant
    )


def _differences(choice: Choice) -> Iterator[Html]:
    if len(choice.ranking) > 1:
        shown = difference_table(choice)
        yield section("difference-section", "Paired differences", shown)


def _second_opinion(choice: Choice) -> Html:
    other = choice.second_opinion
    heading = ("second-opinion", "Second opinion: predicting experiments left out")
    if other.reason:
        return section(*heading, tag("p", f"There is none: {other.reason}."))
    parts: list[Html] = [opinion_table(choice)]
    if other.doubts:
        caption = "Flagged: the intervention may not act on the measured level of its target."
        parts.append(reason_table("doubts", caption, other.doubts))
    if other.not_ranked:
        parts.append(reason_table("no-opinion", "Without a second opinion", other.not_ranked))
    return section(*heading, *parts)


def _graphs(choice: Choice) -> Html:
    """Return a drawing of each different graph, with the names of all that found it."""
    together: dict[object, list[str]] = {}
    for name in choice.ranking:
        together.setdefault(choice.graphs[name], []).append(name)
    parts = []
    for names in together.values():
        drawing = show(matrix_of(choice, names[0]), choice.columns)
        drawn = tag("div", Html(drawing._repr_svg_()), class_="scrolled", tabindex=0)
        parts.append(folded(f"{', '.join(names)}: {drawing.caption}", drawn))
    return section("graphs", "The graphs found", *parts)


def _hint(choice: Choice) -> Iterator[Html]:
    if said := how_to_include(choice):
        yield tag("p", said)


def _reasons(choice: Choice) -> Iterator[Html]:
    if choice.not_ranked:
        reasons = dict(short_reasons(choice.not_ranked))
        shown = reason_table("not-ranked", "Algorithms without a risk", reasons)
        yield section("not-ranked-section", "Not ranked", *_hint(choice), shown)
    if choice.left_out:
        shown = reason_table("left-out", "Conditions that were not tested", choice.left_out)
        yield section("left-out-section", "Conditions not tested", shown)
