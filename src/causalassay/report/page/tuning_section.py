"""What tuning chose for each problem."""

from __future__ import annotations

from collections.abc import Sequence

from causalassay.analysis.names import problem_name
from causalassay.report.numbers import decimal
from causalassay.report.page.elements import section, table
from causalassay.report.page.markup import Html, join
from causalassay.study.storage.reader import Choice


def tuning_section(choices: Sequence[Choice]) -> Html:
    """Return a table of the chosen hyperparameters; nothing without tuning."""
    if not choices:
        return join(())
    rows = (
        [choice.algorithm, problem_name(choice.problem), _chosen(choice), _value(choice)]
        for choice in choices
    )
    heads = ["algorithm", "problem", "chosen (others are defaults)", "criterion"]
    caption = "Chosen on held-out systems of the same kind, by the criterion of the study file"
    return section("tuning", "What tuning chose", table("choices", caption, heads, rows))


def _chosen(choice: Choice) -> str:
    return ", ".join(f"{name} = {value}" for name, value in choice.parameters.items()) or "defaults"


def _value(choice: Choice) -> str:
    return "–" if choice.value is None else decimal(choice.value)
