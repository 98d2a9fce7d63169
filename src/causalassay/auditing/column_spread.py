"""What columns tell without a graph."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtr

from causalassay.arrays import Values, Vector
from causalassay.auditing.result import ColumnSpread
from causalassay.data import Dataset
from causalassay.diagnostics import determination, entropies
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.data_set import ties_throughout
from causalassay.judging.findings import Finding, FindingKind
from causalassay.judging.pair_independence import average_ranks
from causalassay.present.formatting import in_words

AGREEMENT_LEVEL = 0.05


def column_spread(values: Values) -> ColumnSpread:
    """Summarise what variances and R² tell without a graph."""
    r2 = determination(values).r2  # first: it refuses values whose variance overflows
    variance = values.var(axis=0)
    agreement = p_agreement = float("nan")
    if not ties_throughout(variance) and not ties_throughout(r2):
        agreement, p_agreement = spearman(variance, r2)
    return ColumnSpread(
        float(variance.max() / variance.min()),
        ties_throughout(variance),
        (float(r2.min()), float(r2.max())),
        int((r2 > 0.99).sum()),
        agreement,
        p_agreement,
    )


def spearman(one: Vector, other: Vector) -> tuple[float, float]:
    """Return the correlation of the ranks and its two-sided p-value, by Student's t.

    As scipy.stats.spearmanr does, which takes half a second to import.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))[0]
    0.5
    """
    correlation = float(np.corrcoef(average_ranks(one), average_ranks(other))[0, 1])
    freedom = len(one) - 2
    unexplained = (1 - correlation) * (1 + correlation)
    if freedom < 1:
        return correlation, math.nan
    size = math.inf if unexplained <= 0 else math.sqrt(freedom / unexplained) * abs(correlation)
    return correlation, float(2 * stdtr(freedom, -size))


def finding_without_graph(data: Dataset, spread: ColumnSpread | None) -> Finding:
    """Return what can be said where no order is known to be right."""
    named = [artefact.baseline for artefact in artefacts_of(data.world) if artefact.baseline]
    beside = f"Compare algorithms on these data with {in_words(named)}." if named else ""
    return Finding(
        FindingKind.NO_GRAPH,
        rule="no graph",
        words={"described": _described(data, spread)},
        remarks=tuple(part for part in (_noticed(spread), beside) if part),
    )


def _described(data: Dataset, spread: ColumnSpread | None) -> str:
    if spread is None:
        entropy = entropies(data.observational_values)
        return f"entropies from {entropy.min():.2f} to {entropy.max():.2f} nats"
    low, high = spread.r2_range
    r2 = f"R² on the other columns from {low:.2f} to {high:.2f}"
    if spread.equal_variances:
        return f"equal variances; {r2}"
    return f"variances span a factor of {spread.variance_ratio:.4g}; {r2}"


def _noticed(spread: ColumnSpread | None) -> str:
    """Return what the variances suggest, with how sure that is."""
    if spread is None:
        return ""
    if spread.equal_variances:
        return "The columns are standardised, so they cannot be sorted by variance."
    if spread.rank_agreement > 0 and spread.p_agreement <= AGREEMENT_LEVEL:
        return (
            "The orders by variance and by R² agree, as in simulations where both grow along the "
            f"causal order (Spearman {spread.rank_agreement:.2f})."
        )
    return "There is no evidence that the orders by variance and by R² agree."
