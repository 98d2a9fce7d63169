"""How a notebook shows a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.choosing.not_ranked import short_reasons
from causalassay.choosing.table_rows import RANKING_HEADS, ranking_rows
from causalassay.notebook import fragment, paragraph, table

if TYPE_CHECKING:
    from causalassay.choosing.result import Choice


def choice_html(choice: Choice) -> str:
    """Return the sentences and the ranking."""
    ranked = table(ranking_rows(choice), RANKING_HEADS, "Weighted causal risk, low is better")
    said = [*(claim.sentence for claim in choice.claims), choice.next_step]
    sentences = (paragraph(sentence) for sentence in said)
    if not choice.not_ranked:
        return fragment(*sentences, ranked)
    reasons = table(short_reasons(choice.not_ranked), ["not ranked", "reason"])
    return fragment(*sentences, ranked, reasons)
