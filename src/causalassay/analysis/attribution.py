"""How much of a score is due to artefacts of the simulator: schemes and margins.

References
----------
Reisach, Seiler and Weichwald 2021, "Beware of the simulated DAG!" (variances);
Ormaniec et al. 2024, "Standardizing structural causal models" (internal
standardisation of the same graphs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causalassay.analysis.comparison import best_by_mean, difference
from causalassay.analysis.runs import (
    EMPTY,
    RANDOM_ORDER,
    SCHEME,
    SORTING,
    Group,
    Runs,
)
from causalassay.analysis.unit_means import Codes, count_units, limited, mean_with_interval


@dataclass(frozen=True)
class Attribution:
    """How each algorithm's score depends on the artefacts of the data.

    Parameters
    ----------
    schemes : DataFrame
        Of each algorithm, metric and scheme the ``mean`` score with 95 % limits, on
        the same graphs if ``paired``: over the ``n_units`` units that have a score in
        every scheme compared; ``n_dropped`` others of this scheme were left out.
        Otherwise the plain mean over the scheme.
    margins : DataFrame
        How much better each algorithm is than a ``reference`` on the cells of
        ``schemes`` where both have a score; positive is better, whatever the metric.
        The reference is "sorting" (of the baselines that sort by variance and by R²
        the one with the better mean on that scheme), "random order" or "empty";
        ``opponent`` names the algorithm that stood for it. ``n_missing`` cells have
        no score of the one or the other.
    """

    schemes: pd.DataFrame
    margins: pd.DataFrame


def attribute(runs: Runs) -> Attribution:
    """Return how each algorithm's score depends on the artefacts of the data."""
    groups = {group.values[0]: group for group in runs.groups((SCHEME,))}
    references = {
        (metric, scheme): _references(runs, metric, group)
        for metric in runs.scores
        for scheme, group in groups.items()
    }
    whole = {scheme: group.cells for scheme, group in groups.items()}
    schemes: list[dict[str, object]] = []
    margins: list[dict[str, object]] = []
    for index, name in enumerate(runs.algorithms):
        for metric in runs.scores:
            chosen = same_graphs(runs, metric, index, whole)
            for scheme, (cells, paired) in chosen.items():
                head = {
                    "algorithm": name,
                    "role": runs.roles[index],
                    "metric": metric,
                    SCHEME: scheme,
                    "paired": paired,
                }
                schemes.append(head | _scheme_score(runs, metric, index, cells, whole[scheme]))
                for reference, opponent in references[metric, scheme].items():
                    margin = _margin(runs, metric, (index, opponent), cells)
                    opponents = {"reference": reference, "opponent": runs.algorithms[opponent]}
                    margins.append(head | opponents | margin)
    return Attribution(pd.DataFrame(schemes), pd.DataFrame(margins))


def _references(runs: Runs, metric: str, group: Group) -> dict[str, int]:
    """Return the algorithm that stands for each reference on a scheme."""
    meant = {
        "sorting": [index for use in SORTING for index in runs.using(use)],
        "random order": runs.using(RANDOM_ORDER),
        "empty": runs.using(EMPTY),
    }
    best = {name: best_by_mean(runs, metric, group, indices) for name, indices in meant.items()}
    return {name: index for name, index in best.items() if index is not None}


def same_graphs(
    runs: Runs, metric: str, index: int, cells: Mapping[str, Codes]
) -> dict[str, tuple[Codes, bool]]:
    """Return the cells of each scheme to average, and whether they are of the same graphs.

    We compare the schemes, other than data files, on which the algorithm has a score. A
    scheme on which it has none is not paired, and neither is the only scheme.

    Parameters
    ----------
    runs : Runs
    metric : str
    index : int
        The algorithm, as in `runs.algorithms`.
    cells : mapping of str to Codes
        All cells of each scheme.
    """
    scores = runs.scores[metric][index]
    n_units = int(runs.units.max(initial=-1)) + 1
    scored = {
        scheme: _seen(runs.units[whole][~np.isnan(scores[whole])], n_units)
        for scheme, whole in cells.items()
    }
    compared = [name for name in cells if name not in runs.file_schemes and scored[name].any()]
    common = np.all([scored[name] for name in compared], axis=0) & (len(compared) > 1)
    if not common.any():
        return {scheme: (whole, False) for scheme, whole in cells.items()}
    return {
        scheme: (whole[common[runs.units[whole]]], True) if scheme in compared else (whole, False)
        for scheme, whole in cells.items()
    }


def _seen(units: Codes, n_units: int) -> NDArray[np.bool_]:
    seen = np.zeros(n_units, dtype=bool)
    seen[units] = True
    return seen


def _scheme_score(
    runs: Runs, metric: str, index: int, cells: Codes, whole: Codes
) -> dict[str, object]:
    scores = runs.scores[metric][index, cells]
    defined = ~np.isnan(scores)
    units = runs.units[cells]
    mean = limited(mean_with_interval(scores, units), *runs.spans[metric])
    n_units = count_units(units[defined])
    return {
        "n": int(defined.sum()),
        "n_missing": int((~defined).sum()),
        "n_units": n_units,
        "n_dropped": len(np.unique(runs.units[whole])) - n_units,
        "mean": mean.value,
        "low": mean.low,
        "high": mean.high,
    }


def _margin(runs: Runs, metric: str, pair: tuple[int, int], cells: Codes) -> dict[str, object]:
    gain = difference(runs, metric, cells, pair) * runs.better[metric]
    defined = ~np.isnan(gain)
    units = runs.units[cells]
    mean = mean_with_interval(gain, units)
    return {
        "n_pairs": int(defined.sum()),
        "n_missing": int((~defined).sum()),
        "n_units": count_units(units[defined]),
        "mean": mean.value,
        "low": mean.low,
        "high": mean.high,
    }
