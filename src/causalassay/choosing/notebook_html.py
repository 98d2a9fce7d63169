"""How a notebook shows a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.choosing.table_rows import RANKING_HEADS, ranking_rows
from causalassay.notebook import fragment, paragraph, table

if TYPE_CHECKING:
    from causalassay.choosing.result import Choice


def choice_html(choice: Choice) -> str:
    """Return the sentences and the ranking."""
    ranked = table(ranking_rows(choice), RANKING_HEADS, "Weighted causal risk, low is better")
    sentences = (paragraph(claim.sentence) for claim in choice.claims)
    if not choice.not_ranked:
        return fragment(*sentences, ranked)
    return fragment(*sentences, ranked, table(choice.not_ranked.items(), ["not ranked", "reason"]))
