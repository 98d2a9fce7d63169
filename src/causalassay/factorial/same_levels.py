"""Outcomes that nothing can tell apart once they are cut into levels."""

from __future__ import annotations

from dataclasses import replace

from causalassay.factorial.experiment import FactorialExperiment
from causalassay.factorial.scales import scale_of


def distinct_outcomes(
    experiment: FactorialExperiment, n_levels: int
) -> tuple[FactorialExperiment, dict[str, str]]:
    """Return the experiment without outcomes that repeat an earlier one, and which they repeat.

    An outcome repeats another if their levels are the same in every row: no algorithm could
    tell the two apart, and data sets refuse such columns.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"who": ["a", "a", "b", "b"], "age": [3, 3, 4, 4],
    ...     "drug": [0, 1, 0, 1], "read": [0.0, 5.0, 0.0, 7.0], "written": [0.0, 6.0, 0.0, 7.0]})
    >>> one = FactorialExperiment(
    ...     frame, "who", None, ("drug",), ("read", "written"), ("age",), "age")
    >>> kept, repeated = distinct_outcomes(one, 2)
    >>> kept.outcomes, repeated
    (('read',), {'written': 'read'})
    """
    first: dict[bytes, str] = {}
    repeated: dict[str, str] = {}
    for name in experiment.outcomes:
        column = experiment.frame[name]
        codes = scale_of(column, n_levels).codes(column.tolist()).tobytes()
        if codes in first:
            repeated[name] = first[codes]
        else:
            first[codes] = name
    if not repeated:
        return experiment, {}
    return replace(experiment, outcomes=tuple(first.values())), repeated


def repeated_sentences(repeated: dict[str, str]) -> tuple[str, ...]:
    """Return what was left out and why, one sentence each.

    Examples
    --------
    >>> repeated_sentences({"written": "read"})
    ('written is not judged: cut into levels it equals read in every row.',)
    """
    return tuple(
        f"{name} is not judged: cut into levels it equals {other} in every row."
        for name, other in repeated.items()
    )
