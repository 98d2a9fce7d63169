"""Numbers with their 95 % limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from causalassay.analysis.verdict.statements import Ledger, Number


@dataclass(frozen=True)
class Interval:
    """A difference or mean with its 95 % limits, and what it is.

    Parameters
    ----------
    number : Number
    low, high : float
        nan with fewer than two units.
    n_units : int
    """

    number: Number
    low: float
    high: float
    n_units: int

    @property
    def value(self) -> float:
        """The estimate."""
        return self.number.value

    def cite(self, ledger: Ledger) -> str:
        """Return the estimate with its limits, written through a ledger."""
        written = ledger(self.number)
        if math.isnan(self.low):
            return written
        limits = {"low": self.low, "high": self.high}
        low, high = (
            ledger(replace(self.number, value=limit, statistic=f"{self.number.statistic} {name}"))
            for name, limit in limits.items()
        )
        return f"{written} [{low}, {high}]"

    def cite_units(self, ledger: Ledger) -> str:
        """Return the number of units, written through a ledger."""
        number = self.number
        return ledger(replace(number, value=self.n_units, statistic="units", is_share=False))
