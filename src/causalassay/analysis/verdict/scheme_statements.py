"""Sentences about each scheme as a benchmark: whether sorting gives its order away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from causalassay.analysis.verdict.evidence import WITHOUT_SIGNAL, Evidence
from causalassay.analysis.verdict.rescaled_schemes import AT_RANDOM, IN_ORDER, rescalings
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.analysis.verdict.words import in_words, scheme_word
from causalassay.judging.artefacts import ARTEFACTS
from causalassay.judging.order_measures import RANDOM_F1, column, sortability_column
from causalassay.judging.scheme_findings import OrderClaim, judge_orders

GRAVEST = ("gameable", "gameable backwards", "leaning", "undecided", "no evidence")


@dataclass(frozen=True)
class SchemeJudged:
    """What was found of a scheme.

    Parameters
    ----------
    scheme : str
    claims : tuple of OrderClaim
        Of each statistic and direction.
    """

    scheme: str
    claims: tuple[OrderClaim, ...]

    @property
    def kind(self) -> str:
        """The gravest finding."""
        return min((claim.kind for claim in self.claims), key=GRAVEST.index, default="undecided")

    @property
    def free(self) -> bool:
        """Whether the scheme has something to find, and no artefact was found."""
        return self.kind == "no evidence" and WITHOUT_SIGNAL not in self.scheme

    @property
    def gamed(self) -> bool:
        """Whether an artefact was found."""
        return self.kind in ("gameable", "gameable backwards", "leaning")


def judge_schemes(evidence: Evidence) -> dict[str, SchemeJudged]:
    """Return what was found of each scheme."""
    return {
        scheme: SchemeJudged(scheme, judge_orders(evidence.orders(scheme)))
        for scheme in evidence.cells
    }


def state_scheme(evidence: Evidence, judged: SchemeJudged) -> Statement:
    """Return whether sorting gives the order of a scheme away."""
    ledger = Ledger()
    word = scheme_word(judged.scheme)
    if judged.kind == "undecided":
        sentence = f"{word}: undecided; what sorting reaches was not measured."
        return Statement(
            "scheme-undecided", sentence, "two tests over units", {}, scheme=judged.scheme
        )
    told = [claim for claim in judged.claims if claim.kind == judged.kind]
    parts = [_found(evidence, judged.scheme, claim, ledger) for claim in told]
    if judged.kind == "no evidence":
        parts = [part for claim, part in zip(told, parts, strict=True) if not claim.backwards]
    units = ledger(Number(evidence.count_units(judged.scheme), "units", "status", judged.scheme))
    random = evidence.measured_mean(judged.scheme, RANDOM_F1)
    beside = f"; random orders reach {ledger(random)} on average" if random else ""
    sentence = f"{word}: {_claim(judged.kind, told)}: {'; '.join(parts)}{beside} ({units} units)."
    kind = f"scheme-{judged.kind.replace(' ', '-')}"
    return Statement(kind, sentence, "two tests over units", ledger.numbers, scheme=judged.scheme)


def _claim(kind: str, told: Sequence[OrderClaim]) -> str:
    words = in_words(list(dict.fromkeys(claim.artefact.word for claim in told)))
    if kind == "no evidence":
        return "no evidence that sorting gives the order away"
    if kind == "leaning":
        return f"leaning towards gameable by {words}"
    return f"{kind} by {words}"


def _found(evidence: Evidence, scheme: str, claim: OrderClaim, ledger: Ledger) -> str:
    key = next(key for key, known in ARTEFACTS.items() if known == claim.artefact)
    direction = "down_f1" if claim.backwards else "up_f1"
    reached = evidence.measured_mean(scheme, column(key, direction))
    sortability = evidence.measured_mean(scheme, sortability_column(key))
    along = "falling" if claim.backwards else "rising"
    details = f"sortability {ledger(sortability)}" if sortability else "sortability not measured"
    score = f" reaches {evidence.word} {ledger(reached)}" if reached else ""
    doubt = ""
    if claim.kind == "leaning":
        doubt = f", {_passed(claim)}"
    return f"sorting by {along} {claim.artefact.word} ({details}){score}{doubt}"


def _passed(claim: OrderClaim) -> str:
    """Return which of the two tests found something."""
    if claim.passed[0]:
        return "more sortable than chance, but no evidence that it helps"
    return "ahead of random orders, but no evidence of sortability"


def advise(schemes: Mapping[str, SchemeJudged]) -> Iterator[Statement]:
    """Yield what a study cannot tell because it lacks schemes."""
    if any(judged.gamed for judged in schemes.values()) and not any(
        judged.free for judged in schemes.values()
    ):
        sentence = (
            "No scheme of this study is without a found artefact, so no lead can be called "
            'robust: add problems on the same graphs whose model is "iscm" or "uumc".'
        )
        yield Statement("no-free-scheme", sentence, "robust", {})
    compared = rescalings(schemes)
    if not any(all(others) for others in compared.values()):
        sentence = (
            "What a score owes to variances is not told: add the raw problems with transform "
            f'"{IN_ORDER}", "{AT_RANDOM}" and "standardize".'
        )
        yield Statement("no-rescaling", sentence, "variance order", {})
