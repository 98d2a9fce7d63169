"""Sentences about each scheme as a benchmark: whether sorting gives its order away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from causalassay.analysis.names import in_words, scheme_name, units_word
from causalassay.analysis.verdict.evidence import WITHOUT_SIGNAL, Evidence
from causalassay.analysis.verdict.rescaled_schemes import AT_RANDOM, IN_ORDER, rescalings
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.order_measures import RANDOM_F1, column, sortability_column
from causalassay.judging.scheme_findings import OrderClaim, judge_orders

GRAVEST = ("gameable", "gameable backwards", "leaning", "undecided", "too small", "no evidence")
RULE = "two tests over units"


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
        scheme: SchemeJudged(
            scheme, judge_orders(evidence.orders(scheme), evidence.attainable(scheme))
        )
        for scheme in evidence.cells
    }


def state_scheme(evidence: Evidence, judged: SchemeJudged) -> Statement:
    """Return whether sorting gives the order of a scheme away."""
    ledger = Ledger()
    name = scheme_name(judged.scheme)
    if judged.kind == "undecided":
        sentence = (
            f"{name}: undecided, because what sorting reaches was not measured (the notes of the "
            "rows say why)."
        )
        return Statement("scheme-undecided", sentence, RULE, {}, scheme=judged.scheme)
    parts = [_found(evidence, judged.scheme, claim, ledger) for claim in _told(judged)]
    random = evidence.measured_mean(judged.scheme, RANDOM_F1)
    if random:
        parts.append(f"random orders: {evidence.word} {ledger(random)}")
    n_units = max(claim.n_units for claim in judged.claims)
    parts.append(units_word(ledger(Number(n_units, "measured units", "status", judged.scheme))))
    sentence = f"{name}: {phrase(judged)} ({'; '.join(parts)})."
    kind = f"scheme-{judged.kind.replace(' ', '-')}"
    return Statement(kind, sentence, RULE, ledger.numbers, scheme=judged.scheme)


def _told(judged: SchemeJudged) -> list[OrderClaim]:
    """Return the claims to tell: what was found, or of each statistic the better direction."""
    found = [claim for claim in judged.claims if claim.kind not in ("no evidence", "undecided")]
    if found:
        return sorted(found, key=lambda claim: GRAVEST.index(claim.kind))
    best: dict[Artefact, OrderClaim] = {}
    for claim in judged.claims:
        if claim.artefact not in best or claim.gain > best[claim.artefact].gain:
            best[claim.artefact] = claim
    return list(best.values())


def phrase(judged: SchemeJudged) -> str:
    """Return what was found of a scheme, in a few words."""
    told = [claim for claim in judged.claims if claim.kind == judged.kind] or judged.claims
    words = list(dict.fromkeys(claim.artefact.word for claim in told))
    match judged.kind:
        case "undecided":
            return "undecided"
        case "no evidence":
            return f"no evidence that sorting by {in_words(words, 'or')} helps"
        case "too small":
            return f"too small to tell whether sorting by {in_words(words, 'or')} helps"
        case "leaning":
            return f"leaning towards gameable by {in_words(words)}"
        case kind:
            return f"{kind} by {in_words(words)}"


def _found(evidence: Evidence, scheme: str, claim: OrderClaim, ledger: Ledger) -> str:
    key = next(key for key, known in ARTEFACTS.items() if known == claim.artefact)
    reached = evidence.measured_mean(scheme, column(key, "down_f1" if claim.backwards else "up_f1"))
    sortability = evidence.measured_mean(scheme, sortability_column(key))
    along = "falling" if claim.backwards else "rising"
    details = [f"sortability {ledger(sortability)}" if sortability else "sortability not measured"]
    if reached:
        details.insert(0, f"{evidence.word} {ledger(reached)}")
    if claim.kind == "leaning":
        details.append(_passed(claim))
    return f"{along} {claim.artefact.word}: {', '.join(details)}"


def _passed(claim: OrderClaim) -> str:
    """Return which of the two tests found nothing."""
    return "no gain found" if claim.passed[0] else "no sortability found"


def advise(evidence: Evidence, schemes: Mapping[str, SchemeJudged]) -> Iterator[Statement]:
    """Yield what a study cannot tell because it lacks schemes that it could have."""
    generated = {
        name: judged
        for name, judged in schemes.items()
        if name not in evidence.runs.file_schemes and WITHOUT_SIGNAL not in name
    }
    worlds = {claim.artefact.world for judged in schemes.values() for claim in judged.claims}
    if worlds == {"discrete"}:
        return
    if any(judged.gamed for judged in generated.values()) and not any(
        judged.free for judged in generated.values()
    ):
        sentence = (
            "No lead can be called robust, because every generated scheme has an artefact: add "
            'problems on the same graphs whose model is "iscm" or "uumc".'
        )
        yield Statement("no-free-scheme", sentence, "robust", {})
    if not any(all(others) for others in rescalings(schemes).values()):
        sentence = (
            "What scores owe to variances was not measured: add the same problems with transform "
            f'"{IN_ORDER}", "{AT_RANDOM}" and "standardize".'
        )
        yield Statement("no-rescaling", sentence, "variance order", {})
