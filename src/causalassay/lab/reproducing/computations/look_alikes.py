"""Real systems beside synthetic look-alikes: tables 3 and 4, figure 6 of Garant and Jensen 2016."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from causalassay.contracts import Algorithm
from causalassay.discovery import make_algorithm
from causalassay.lab.factorial import LookAlike, ScoreRow, score_algorithms, score_look_alikes
from causalassay.lab.factorial.lookalikes import Source
from causalassay.lab.reproducing.computations.real_systems import mean_of, truth_of, where_there
from causalassay.lab.reproducing.estimates import Estimate, Ours, Several, System

SOURCES: Mapping[Source, str] = {
    "dirichlet": "Dirichlet",
    "linear-gaussian": "Linear-Gaussian",
    "logistic": "Logistic",
}
"""As the paper orders and writes them."""

_OUT_DEGREE, _STRENGTH = 1, 1.0
"""Of look-alikes: "one child in expectation" (section 7), the usual strength (5.2)."""

Names = tuple[str, ...]
ALL: Names = ("pc", "mmhc", "ges")
"""The paper's algorithms."""


@functools.cache
def _algorithms() -> dict[str, Algorithm]:
    return {
        "pc": make_algorithm("pc", alpha=0.05),
        "mmhc": make_algorithm("mmhc", alpha=0.05),
        "ges": make_algorithm("ges"),
    }


@functools.cache
def _scores(system: System, repeats: int) -> tuple[ScoreRow, ...]:
    return score_algorithms(truth_of(system), _algorithms(), repeats, seed=1, compared=False)


def _on_system(system: System, repeats: int, names: Names = ALL) -> NDArray[Any]:
    """Return the TV, a sum over pairs and a mean over algorithms, by draw of the bias."""
    rows = [row.by_repeat["TV"] for row in _scores(system, repeats) if row.name in names]
    return np.asarray(np.mean(rows, axis=0))


@functools.cache
def _on_look_alikes(
    system: System, kind: LookAlike, repeats: int, experiments: int, names: Names = ALL
) -> NDArray[Any]:
    """Return the TV as on the system, by look-alike; nan for one that could not be drawn.

    The look-alikes are the same whichever algorithms are scored on them.
    """
    truth = truth_of(system)
    (found,) = score_look_alikes(
        truth.experiment,
        _scores(system, repeats),
        {name: _algorithms()[name] for name in names},
        truth.settings,
        [kind],
        n_experiments=experiments,
        seed=1,
    )
    values = found.by_experiment["TV"]
    return np.concatenate([values, np.full(experiments - len(values), np.nan)])


def _usual(source: Source) -> LookAlike:
    return LookAlike(source, _OUT_DEGREE, _STRENGTH)


def look_alike_difference(  # noqa: PLR0913
    *,
    system: System,
    source: Source,
    repeats: int,
    experiments: int,
    out_degree: int = _OUT_DEGREE,
    strength: float = _STRENGTH,
) -> Estimate:
    """Return the mean TV on a system less that on look-alikes, over PC, MMHC and GES."""
    kind = LookAlike(source, out_degree, float(strength))
    made = _on_look_alikes(system, kind, repeats, experiments)
    return _difference(_on_system(system, repeats), made)


def _difference(one: NDArray[Any], other: NDArray[Any]) -> Estimate:
    """Return the difference between two independent means."""
    real, made = mean_of(one), mean_of(other)
    error = math.hypot(real.standard_error, made.standard_error)
    draws = min(real.draws, made.draws)
    return Estimate(real.value - made.value, error, draws, real.lost + made.lost)


def look_alike_differences(  # noqa: PLR0913
    *,
    system: System,
    repeats: int,
    experiments: int,
    sources: Sequence[Source] = tuple(SOURCES),
    out_degrees: Sequence[int] = (_OUT_DEGREE,),
    strengths: Sequence[float] = (_STRENGTH,),
) -> Several:
    """Return the differences for all sources, out-degrees and strengths."""
    return Several(
        tuple(
            look_alike_difference(
                system=system,
                source=source,
                repeats=repeats,
                experiments=experiments,
                out_degree=degree,
                strength=strength,
            )
            for source, degree, strength in product(sources, out_degrees, strengths)
        )
    )


def look_alike_tukey(
    *, system: System, repeats: int, experiments: int, harder: Sequence[Source] = ()
) -> Several:
    """Return Tukey's p-values of a system against each look-alike.

    Parameters
    ----------
    system : {"jdk", "postgres", "http"}
    repeats, experiments : int
    harder : list of str
        Look-alikes that the paper found harder than the system; the others are easier. A
        difference of the other sign counts as 1.
    """
    groups = [_on_system(system, repeats)]
    groups += [_on_look_alikes(system, _usual(one), repeats, experiments) for one in SOURCES]
    known = [group[~np.isnan(group)] for group in groups]
    p_values = stats.tukey_hsd(*known).pvalue[0, 1:]
    real, *made = (group.mean() for group in known)
    return Several(
        tuple(
            Estimate(float(p) if (other > real) == (source in harder) else 1.0)
            for source, p, other in zip(SOURCES, p_values, made, strict=True)
        )
    )


def best_against_worst(*, system: System, repeats: int, experiments: int) -> Several:
    """Return the TV of each algorithm on a system less that of each on each look-alike.

    All are above 0 if the best on the system is worse than the worst on any look-alike.
    """
    real = [_on_system(system, repeats, (name,)) for name in ALL]
    made = [
        _on_look_alikes(system, _usual(source), repeats, experiments, (name,))
        for source, name in product(SOURCES, ALL)
    ]
    return Several(tuple(_difference(*pair) for pair in product(real, made)))


def look_alike_boxes(*, system: System, label: str, repeats: int, experiments: int) -> pd.DataFrame:
    """Return the TV of each algorithm on a system, which is shown with a label, and look-alikes."""
    parts = []
    for name in ALL:
        places = {label: _on_system(system, repeats, (name,))}
        for source, written in SOURCES.items():
            kind = _usual(source)
            places[written] = _on_look_alikes(system, kind, repeats, experiments, (name,))
        parts += [
            pd.DataFrame({"x": place, "y": values, "series": name.upper()})
            for place, values in places.items()
        ]
    return pd.concat(parts, ignore_index=True).assign(panel="total variation")


_COMPUTED: dict[str, Callable[..., Ours]] = {
    "look-alike-difference": look_alike_difference,
    "look-alike-differences": look_alike_differences,
    "look-alike-tukey": look_alike_tukey,
    "best-against-worst": best_against_worst,
}

LOOK_ALIKES = {name: where_there(computed) for name, computed in _COMPUTED.items()}
