"""Whether sorting wins on a scheme of a study, by numbers and thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from causalassay.analysis.bootstrap import FEWEST_UNITS
from causalassay.analysis.explained_variance import R2, VARIANCE
from causalassay.analysis.runs import EMPTY, RANDOM_ORDER, SORTING
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval

CLEAR = 0.6
"""The least mean sortability that is called clear; 1 - CLEAR in the other direction."""


@dataclass(frozen=True)
class Artefact:
    """A statistic that may grow along the causal order.

    Parameters
    ----------
    word, name : str
        Of the statistic, and of its sortability.
    column : str
        The diagnostic that measures it.
    sorter : str
        The baseline that sorts by it.
    """

    word: str
    name: str
    column: str
    sorter: str


ARTEFACTS = (
    Artefact("variance", "var-sortability", VARIANCE, SORTING[0]),
    Artefact("R²", "R²-sortability", R2, SORTING[1]),
)


@dataclass(frozen=True)
class SchemeAssessment:
    """What sorting achieves on a scheme.

    Parameters
    ----------
    scheme : str
    n_units : int
    sortabilities, leads : mapping
        By artefact: the mean sortability, and the lead of its sorter over random order.
    gameable : tuple of Artefact
        Clear sortability, and its sorter is one of the finders; the greater lead first.
    leaning : tuple of Artefact
        Only one of the two.
    falling : tuple of Artefact
        The statistic clearly falls along the causal order.
    finders : tuple of str, optional
        The algorithms that find something of the graph: ahead of random order, of the empty
        graph and of chance. None where this is unknown.
    """

    scheme: str
    n_units: int
    sortabilities: Mapping[Artefact, Interval]
    leads: Mapping[Artefact, Interval]
    gameable: tuple[Artefact, ...]
    leaning: tuple[Artefact, ...]
    falling: tuple[Artefact, ...]
    finders: tuple[str, ...] | None

    @property
    def enough(self) -> bool:
        """Whether there are units enough to decide by."""
        return self.n_units >= FEWEST_UNITS

    @property
    def silent(self) -> bool:
        """Whether no algorithm finds anything: the graph may not belong to these data."""
        return self.enough and self.finders == ()

    def free_of(self, artefact: Artefact) -> bool:
        """Return whether the scheme shows what algorithms find without an artefact."""
        decided = artefact in self.sortabilities and self.enough and not self.silent
        return decided and artefact not in self.gameable + self.leaning + self.falling


def assess(evidence: Evidence, scheme: str) -> SchemeAssessment:
    """Return what sorting achieves on a scheme."""
    sortabilities = {
        artefact: sortability
        for artefact in ARTEFACTS
        if (sortability := evidence.sortability(scheme, artefact.column))
    }
    leads = {
        artefact: lead
        for artefact in ARTEFACTS
        if (sorter := evidence.standing_for(artefact.sorter))
        and (lead := evidence.lead(sorter, scheme, "random order"))
    }
    finders = _finders(evidence, scheme)
    clear = {a for a, value in sortabilities.items() if is_clear(value)}
    winning = {a for a in leads if evidence.standing_for(a.sorter) in (finders or ())}
    gameable = sorted(clear & winning, key=lambda a: -leads[a].value)
    return SchemeAssessment(
        scheme,
        evidence.count_units(scheme),
        sortabilities,
        leads,
        tuple(gameable),
        tuple(a for a in ARTEFACTS if a in clear ^ winning),
        tuple(a for a, value in sortabilities.items() if is_clear(value, falling=True)),
        finders,
    )


def is_clear(sortability: Interval, *, falling: bool = False) -> bool:
    """Return whether a mean sortability is clearly above 1/2, or below it."""
    if not sortability.enough:
        return False
    if falling:
        return sortability.value <= 1 - CLEAR and sortability.high < 0.5
    return sortability.value >= CLEAR and sortability.low > 0.5


def contestants(evidence: Evidence, scheme: str) -> dict[str, Interval]:
    """Return the lead over random order of each algorithm that is no reference itself."""
    references = {evidence.standing_for(RANDOM_ORDER), evidence.standing_for(EMPTY)}
    return {
        name: lead
        for name in evidence.runs.algorithms
        if name not in references and (lead := evidence.lead(name, scheme, "random order"))
    }


def _finders(evidence: Evidence, scheme: str) -> tuple[str, ...] | None:
    leads = contestants(evidence, scheme)
    if not any(lead.enough for lead in leads.values()):
        return None
    return tuple(
        name
        for name, lead in leads.items()
        if lead.positive
        and ((over := evidence.lead(name, scheme, "empty")) is None or over.positive)
        and evidence.above_chance(name, scheme)
    )
