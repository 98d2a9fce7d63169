"""What a rule is: from numbers to findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A rule that leads from numbers to findings.

    Parameters
    ----------
    says : str
        Which findings it gives.
    decides : str
        When it gives them.
    rests_on : tuple of str
        Rules that its text speaks of.
    """

    says: str
    decides: str
    rests_on: tuple[str, ...] = ()
