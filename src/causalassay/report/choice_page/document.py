"""The page of a choice: headline, risks and ranking, then all that they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from causalassay.auditing.provenance import Provenance
from causalassay.choosing import RULES, Choice
from causalassay.choosing.graph_files import matrix_of
from causalassay.choosing.table_rows import reasons_together
from causalassay.drawing import show
from causalassay.report.audit_page.parts import page, provenance_section
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
        tag("p", about, "Rule ", _rule_link(choice.claims[0].rule), ".", class_="rate"),
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
        _rules(choice),
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


def _claims(choice: Choice) -> Html:
    items = [
        tag("li", claim.sentence, tag("span", "rule ", _rule_link(claim.rule), class_="aside"))
        for claim in choice.claims[1:]
    ]
    return section("claims", "What the numbers say", tag("ul", *items, class_="findings"))


def _movements(choice: Choice) -> Html:
    tests = choice.tests
    least = f", and an effect of at least {tests.least_effect:g}" if tests.least_effect else ""
    bound = "p-value of at most" if tests.cutoff.startswith("Bonferroni") else "|t| above"
    said = (
        f"{tests.n_tests} tests ({tests.test}) against the observational rows. A column moved with "
        f"a {bound} {tests.threshold:.3g}, {tests.cutoff}{least}. Numbers: effect sizes."
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


def _reasons(choice: Choice) -> Iterator[Html]:
    if choice.not_ranked:
        reasons = dict(reasons_together(choice.not_ranked))
        shown = reason_table("not-ranked", "Algorithms without a risk", reasons)
        yield section("not-ranked-section", "Not ranked", shown)
    if choice.left_out:
        shown = reason_table("left-out", "Conditions that were not tested", choice.left_out)
        yield section("left-out-section", "Conditions not tested", shown)


def _rules(choice: Choice) -> Html:
    used = dict.fromkeys(claim.rule for claim in choice.claims)
    texts = [
        tag("div", tag("dt", name, id=_anchor(name)), tag("dd", RULES[name].decides))
        for name in used
    ]
    return section("rules", "Rules", tag("dl", *texts))
