"""What can give a causal order away: one table of statistics of the columns.

An entry of the table, or of the entry-point group ``causalassay.artefacts``, is all that a new one
needs: audits try it in both directions and correct for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from causalassay.common.arrays import Vector
from causalassay.common.registry import Registry
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset, World
from causalassay.diagnostics import determination, entropies, series_r2
from causalassay.diagnostics.explained_variance import variances


@dataclass(frozen=True)
class Artefact:
    """A statistic of the columns that a benchmark's order may follow.

    Parameters
    ----------
    statistic : str
        Its name in tables.
    word : str
        What sentences call it.
    world : {"continuous", "discrete", "series"}
        The data it is measured on.
    measure : callable
        Takes a data set and, for a series, how far links reach back; returns a number for each
        column.
    baseline : str
        The algorithm that sorts by it, if one has a name.
    cure : str
        What takes it away, or says that nothing simple does; for sentences.
    sortability : str
        The diagnostic that says how far it grows along the causal order, if there is one.
    """

    statistic: str
    word: str
    world: World
    measure: Callable[[Dataset, int], Vector]
    baseline: str = ""
    cure: str = ""
    sortability: str = ""

    @property
    def title(self) -> str:
        """Its word at the beginning of a sentence."""
        return f"{self.word[0].upper()}{self.word[1:]}"


def _variance(data: Dataset, _: int) -> Vector:
    return variances(data.observational_values)


VARIANCE = Artefact(
    "variance",
    "variance",
    "continuous",
    _variance,
    "var-sortnregress",
    "other units remove this artefact",
    "var_sortability",
)
R2 = Artefact(
    "R2",
    "R²",
    "continuous",
    lambda data, _: determination(data.observational_values).r2,
    "r2-sortnregress",
    "no change of units removes it",
    "r2_sortability",
)
ENTROPY = Artefact(
    "entropy",
    "entropy",
    "discrete",
    lambda data, _: entropies(data.observational_values),
    cure="no other coding removes it",
    sortability="entropy_sortability",
)
SERIES_VARIANCE = Artefact(
    "variance",
    "variance",
    "series",
    _variance,
    "series-var-sortnregress",
    "other units remove this artefact",
    "var_sortability_pairs",
)
SERIES_R2 = Artefact(
    "R2",
    "R²",
    "series",
    lambda data, max_lag: series_r2(data.observational_values, max_lag),
    "series-r2-sortnregress",
    "no change of units removes it",
    "r2_sortability_pairs",
)
SERIES_R2_OF_OTHERS = Artefact(
    "R2 without own past",
    "R² without its own past",
    "series",
    lambda data, max_lag: series_r2(data.observational_values, max_lag, own_past=False),
    cure="no change of units removes it",
    sortability="r2_summary_sortability_pairs",
)

_BUILT_IN = {
    "variance": "VARIANCE",
    "r2": "R2",
    "entropy": "ENTROPY",
    "series-variance": "SERIES_VARIANCE",
    "series-r2": "SERIES_R2",
    "series-r2-of-others": "SERIES_R2_OF_OTHERS",
}


def _checked(name: str, value: object) -> Artefact:
    if not isinstance(value, Artefact):
        raise TypeError(f"artefact {name!r}: expected a causalassay.judging.artefacts.Artefact")
    return value


ARTEFACTS: Registry[Artefact] = Registry(
    "artefact",
    "causalassay.artefacts",
    {name: f"{__name__}:{constant}" for name, constant in _BUILT_IN.items()},
    _checked,
)
"""Artefacts by name."""


def artefacts_of(world: World) -> tuple[Artefact, ...]:
    """Return the artefacts that data of a world can have.

    Examples
    --------
    >>> [artefact.word for artefact in artefacts_of("continuous")]
    ['variance', 'R²']
    """
    artefacts = []
    for entry in ARTEFACTS.entries():
        if entry.value is None:
            raise ValueError(
                f"artefact {entry.name!r} of package {entry.package!r} cannot be loaded: "
                f"{entry.missing}; fix or uninstall the package"
            )
        if entry.value.world == world:
            artefacts.append(entry.value)
    return tuple(artefacts)


Measured = Mapping[Artefact, Vector | NotApplicable]
"""The values of each artefact's statistic, or why there are none."""


def measure_all(
    data: Dataset, max_lag: int, artefacts: Iterable[Artefact] | None = None
) -> Measured:
    """Return what each artefact measures; by default all that data of this kind can have.

    Parameters
    ----------
    data : Dataset
    max_lag : int
        The largest lag of a link; used for series only.
    artefacts : iterable of Artefact, optional
    """
    measured: dict[Artefact, Vector | NotApplicable] = {}
    for artefact in artefacts_of(data.world) if artefacts is None else artefacts:
        try:
            measured[artefact] = artefact.measure(data, max_lag)
        except NotApplicable as reason:
            measured[artefact] = reason
    return measured


def by_name(measured: Measured) -> dict[str, Vector]:
    """Return the values of the statistics that could be measured, by their names."""
    return {
        artefact.statistic: values
        for artefact, values in measured.items()
        if not isinstance(values, NotApplicable)
    }
