"""The sentences of findings over several data sets: claim first, then the numbers in brackets."""

from __future__ import annotations

from collections.abc import Sequence

from causalassay.judging.findings import Finding
from causalassay.judging.scheme_findings import OrderClaim
from causalassay.judging.sentences import as_sentence, either

RULE = "two tests over units"


def claim_finding(claim: OrderClaim, n_files: int, random_f1: float) -> Finding | None:
    """Return what was found of one statistic in one direction; None if nothing.

    Parameters
    ----------
    claim : OrderClaim
    n_files : int
        That were tested.
    random_f1 : float
        The mean F1 along random orders.

    Examples
    --------
    >>> from causalassay.judging.artefacts import VARIANCE
    >>> both = (True, True)
    >>> claim = OrderClaim(VARIANCE, False, "gameable", 0.95, 0.5, 1e-9, 0.002, both, 12)
    >>> claim_finding(claim, 12, 0.25).sentence
    'Gameable by variance: sorting by it beats random orders (12 files; mean F1 0.75 against 0.25,
    p-value 0.002; sortability 0.95, p-value below 0.001).'
    """
    word, cure = claim.artefact.word, as_sentence(claim.artefact.cure)
    match claim.kind:
        case "gameable":
            text, advice = f"Gameable by {word}: sorting by it beats random orders", cure
        case "gameable backwards":
            text = f"Gameable backwards by {word}: sorting in descending order beats random orders"
            why = f"Either the graphs are transposed, or {word} falls along the causal order."
            advice = f"{why} {cure}".rstrip()
        case "leaning":
            text, advice = f"Leaning: {_leaning(claim)}", ""
        case _:
            return None
    sentence = f"{text} ({_numbers(claim, n_files, random_f1)})."
    return Finding(claim.kind, sentence, claim.artefact.statistic, RULE, advice)


def _leaning(claim: OrderClaim) -> str:
    falling = "falling " if claim.backwards else ""
    if claim.passed[0]:
        return f"sortable by {falling}{claim.artefact.word}, without evidence that it helps"
    return f"sorting by {falling}{claim.artefact.word} helps, without evidence of sortability"


def _numbers(claim: OrderClaim, n_files: int, random_f1: float) -> str:
    return (
        f"{files_text(n_files)}; mean F1 {random_f1 + claim.gain:.2f} against {random_f1:.2f}, "
        f"p-value {_p_text(claim.winning_p)}; sortability {claim.sortability:.2f}, p-value "
        f"{_p_text(claim.sortable_p)}"
    )


def nothing_over_files(claims: Sequence[OrderClaim], n_files: int, random_f1: float) -> Finding:
    """Return that no statistic passed a test over all files, or that none could have."""
    if claims[0].kind == "too small":
        sentence = (
            "Too small, or without signal: even true orders would not beat random ones "
            f"({files_text(n_files)})."
        )
        return Finding("too small", sentence, rule=RULE)
    words = either(list(dict.fromkeys(claim.artefact.word for claim in claims)))
    shares = [claim.sortability for claim in claims]
    best = random_f1 + max(claim.gain for claim in claims)
    sentence = (
        f"No evidence that sorting by {words} gives the order away ({files_text(n_files)}; mean "
        f"F1 at most {best:.2f} against {random_f1:.2f}; sortability {min(shares):.2f} to "
        f"{max(shares):.2f})."
    )
    return Finding("no evidence", sentence, rule=RULE)


def files_text(n_files: int) -> str:
    """Return how many files.

    Examples
    --------
    >>> files_text(1), files_text(2)
    ('1 file', '2 files')
    """
    return "1 file" if n_files == 1 else f"{n_files} files"


def _p_text(p_value: float) -> str:
    return "below 0.001" if p_value < 0.001 else f"{p_value:.3f}"
