"""Columns that cannot be told apart once they are cut into levels."""

from __future__ import annotations

from dataclasses import replace

from causalassay.factorial.truth import Truth


def without_doubles(truth: Truth) -> tuple[Truth, dict[str, str]]:
    """Return the truth without columns that equal an earlier one in every row, and these.

    Two outcomes may differ and yet have the same levels, such as blocks read and blocks
    written. Algorithms cannot use both, so the later one is left out; it is returned with the
    one that it equals. Treatments and the biasing covariate stay.
    """
    seen: dict[bytes, str] = {}
    doubles: dict[str, str] = {}
    own = truth.experiment
    for node, name in enumerate(truth.columns):
        content = truth.values[:, node].tobytes()
        if content in seen and name not in own.treatments:
            doubles[name] = seen[content]
        seen.setdefault(content, name)
    if not doubles:
        return truth, {}
    kept = replace(
        own,
        outcomes=tuple(name for name in own.outcomes if name not in doubles),
        covariates=tuple(name for name in own.covariates if name not in doubles),
    )
    return Truth(kept, truth.settings), doubles
