"""The rows that an algorithm for observational data may look at."""

from __future__ import annotations

from causalassay.arrays import Values
from causalassay.contracts import NotApplicable, check_rows
from causalassay.data.dataset import Dataset


def observational_values(data: Dataset) -> Values:
    """Return the observational rows, independent ones, or raise `NotApplicable`."""
    check_rows(data, "independent")
    if data.observational is None:
        raise NotApplicable(
            "no condition is known to be observational; name one as `observational` of the data"
        )
    return data.observational_values
