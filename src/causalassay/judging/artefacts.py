"""What can give a causal order away: one table of statistics of the columns.

An entry of the table, or of the entry-point group ``causalassay.artefacts``, is all that a new one
needs: audits try it in both directions and correct for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from causalassay.common.arrays import Values, Vector
from causalassay.common.registry import Registry
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset, World
from causalassay.diagnostics import determination, entropies, series_r2
from causalassay.diagnostics.explained_variance import digit_margin, merge_ties, variances
from causalassay.present.formatting import in_words


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
    of_file : bool
        Whether it belongs to the file and not to the values, as the position of a column does. It
        is measured before columns are put into another order; studies, which permute the columns
        of every algorithm, leave it out.
    """

    statistic: str
    word: str
    world: World
    measure: Callable[[Dataset, int], Vector]
    baseline: str = ""
    cure: str = ""
    sortability: str = ""
    of_file: bool = False

    @property
    def title(self) -> str:
        """Its word at the beginning of a sentence."""
        return f"{self.word[0].upper()}{self.word[1:]}"


def _variance(data: Dataset, _: int) -> Vector:
    values = data.observational_values
    return merge_ties(variances(values), digit_margin(values).variance)


# Sample moments of columns on one path are correlated, so that mere noise can follow the order.
# A value within so many standard errors of what all columns may share therefore counts as that.
_STANDARD_ERRORS = 3.0
# Means of centred columns are rounding noise of this share of the standard deviation.
_CENTRED = 1e-9


def _mean(data: Dataset, _: int) -> Vector:
    """Return the means; one within sampling error of their median is the median."""
    values = data.observational_values
    mean, scale = values.mean(axis=0), np.sqrt(variances(values))
    margin = np.maximum(digit_margin(values).mean, _CENTRED * scale)
    margin = np.maximum(margin, _STANDARD_ERRORS * scale / np.sqrt(len(values)))
    middle = np.median(mean)
    return np.where(np.abs(mean - middle) > margin, mean, middle)


def _standardized(values: Values) -> Values:
    """Return the columns with mean 0 and variance 1; a constant one with 0."""
    scale = np.sqrt(variances(values))
    return (values - values.mean(axis=0)) / np.where(scale > 0, scale, 1.0)


def _beyond_noise(moment: Vector, gaussian_error: float) -> Vector:
    """Return the sizes of moments; 0 where the sampling error of a Gaussian one explains them."""
    return np.where(np.abs(moment) > _STANDARD_ERRORS * gaussian_error, np.abs(moment), 0.0)


def _kurtosis(data: Dataset, _: int) -> Vector:
    """Return |excess kurtosis|, 0 where it may be that of a Gaussian column."""
    scores = _standardized(data.observational_values)
    return _beyond_noise((scores**4).mean(axis=0) - 3.0, np.sqrt(24 / len(scores)))


def _skewness(data: Dataset, _: int) -> Vector:
    """Return |skewness|, 0 where it may be that of a Gaussian column."""
    scores = _standardized(data.observational_values)
    return _beyond_noise((scores**3).mean(axis=0), np.sqrt(6 / len(scores)))


def _position(data: Dataset, _: int) -> Vector:
    return np.arange(1.0, data.n_nodes + 1)


VARIANCE = Artefact(
    "variance",
    "variance",
    "continuous",
    _variance,
    "var-sortnregress",
    "other units remove this artefact, but not what R² tells of the order",
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
KURTOSIS = Artefact(
    "kurtosis",
    "excess kurtosis",
    "continuous",
    _kurtosis,
    cure="no change of units removes it; a balanced mix of noise laws does",
)
SKEWNESS = Artefact(
    "skewness",
    "skewness",
    "continuous",
    _skewness,
    cure="no change of units removes it; a balanced mix of noise laws does",
)
MEAN = Artefact(
    "mean",
    "mean",
    "continuous",
    _mean,
    cure="centring the columns removes this artefact",
)
POSITION = Artefact(
    "position",
    "position in the file",
    "continuous",
    _position,
    cure="shuffling the columns removes this artefact",
    of_file=True,
)
ENTROPY = Artefact(
    "entropy",
    "entropy",
    "discrete",
    lambda data, _: entropies(data.observational_values),
    cure="no other coding removes it",
    sortability="entropy_sortability",
)
DISCRETE_POSITION = replace(POSITION, world="discrete")
SERIES_VARIANCE = Artefact(
    "variance",
    "variance",
    "series",
    _variance,
    "series-var-sortnregress",
    "other units remove this artefact, but not what R² tells of the order",
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
SERIES_POSITION = replace(POSITION, world="series")

_BUILT_IN = {
    "variance": "VARIANCE",
    "r2": "R2",
    "kurtosis": "KURTOSIS",
    "skewness": "SKEWNESS",
    "mean": "MEAN",
    "position": "POSITION",
    "entropy": "ENTROPY",
    "discrete-position": "DISCRETE_POSITION",
    "series-variance": "SERIES_VARIANCE",
    "series-r2": "SERIES_R2",
    "series-r2-of-others": "SERIES_R2_OF_OTHERS",
    "series-position": "SERIES_POSITION",
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
    ['variance', 'R²', 'excess kurtosis', 'skewness', 'mean', 'position in the file']
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


def looked_at(world: World) -> str:
    """Return what was looked at on data of a world, and what was not.

    Examples
    --------
    >>> looked_at("discrete")
    'Looked at: entropy and position in the file. Not looked at: any other statistic of a column,
    and patterns of several columns.'
    """
    return looked_at_these(artefacts_of(world))


def looked_at_these(artefacts: Iterable[Artefact]) -> str:
    """Return that these artefacts were looked at, and what was not; empty without any.

    Examples
    --------
    >>> looked_at_these([VARIANCE, KURTOSIS])
    'Looked at: variance and excess kurtosis (absolute values). Not looked at: any other statistic
    of a column, and patterns of several columns.'
    """
    words = list(dict.fromkeys(artefact.word for artefact in artefacts))
    if not words:
        return ""
    moments = [word for word in (KURTOSIS.word, SKEWNESS.word) if word in words]
    absolute = {
        0: "",
        1: " (absolute values)",
        2: " (absolute values of kurtosis and skewness)",
    }[len(moments)]
    return (
        f"Looked at: {in_words(words)}{absolute}. Not looked at: any other statistic of a column, "
        "and patterns of several columns."
    )


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
