"""What columns tell without a graph."""

from __future__ import annotations

from scipy.stats import spearmanr

from causalassay.arrays import Values
from causalassay.auditing.result import ColumnSpread
from causalassay.data import Dataset
from causalassay.diagnostics import determination, entropies
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.data_set import ties_throughout
from causalassay.judging.findings import Finding

AGREEMENT_LEVEL = 0.05


def column_spread(values: Values) -> ColumnSpread:
    """Summarise what variances and R² tell without a graph."""
    r2 = determination(values).r2  # first: it refuses values whose variance overflows
    variance = values.var(axis=0)
    agreement = p_agreement = float("nan")
    if not ties_throughout(variance) and not ties_throughout(r2):
        spearman = spearmanr(variance, r2)
        agreement, p_agreement = float(spearman.statistic), float(spearman.pvalue)
    return ColumnSpread(
        float(variance.max() / variance.min()),
        ties_throughout(variance),
        (float(r2.min()), float(r2.max())),
        int((r2 > 0.99).sum()),
        agreement,
        p_agreement,
    )


def finding_without_graph(data: Dataset, spread: ColumnSpread | None) -> Finding:
    """Return what can be said where no order is known to be right."""
    named = [artefact.baseline for artefact in artefacts_of(data.world) if artefact.baseline]
    advice = f" Judge algorithms on these data beside {' and '.join(named)}." if named else ""
    sentence = f"No graph, so no finding on the order: {_described(data, spread)}.{advice}"
    return Finding("no graph", sentence, rule="no graph")


def _described(data: Dataset, spread: ColumnSpread | None) -> str:
    if spread is None:
        entropy = entropies(data.observational_values)
        return f"entropies run from {entropy.min():.2f} to {entropy.max():.2f} nats"
    low, high = spread.r2_range
    r2 = f"R² on the other columns runs from {low:.2f} to {high:.2f}"
    if spread.equal_variances:
        return f"the columns are standardised, so variance tells nothing; {r2}"
    scale = f"the variances span a factor of {spread.variance_ratio:.3g}"
    if spread.rank_agreement > 0 and spread.p_agreement <= AGREEMENT_LEVEL:
        link = (
            f"their order agrees with that of R² (Spearman {spread.rank_agreement:.2f}), as in "
            "simulations where both grow along the causal order"
        )
    else:
        link = "there is no evidence that their order agrees with that of R²"
    return f"{scale}, and {link}; {r2}"
