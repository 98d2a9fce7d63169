"""How many effects the tests found, for the consistent graph has these edges only."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.factorial.truth import ALPHA, Truth


class EffectCounts(NamedTuple):
    """Pairs of treatment and outcome, and in how many of them the tests found an effect.

    Parameters
    ----------
    found, pairs : int
    found_above, above : int
        The same among pairs whose TV between last and first level exceeds the floor's TV, so
        that it is more than one run of each subject leaves to chance.

    Examples
    --------
    >>> EffectCounts(found=0, pairs=12, found_above=0, above=5).say_little
    True
    """

    found: int
    pairs: int
    found_above: int
    above: int

    @property
    def say_little(self) -> bool:
        """Whether the tests found no effect, or fewer than half of those above the floor."""
        return self.found == 0 or 2 * self.found_above < self.above

    def sentence(self) -> str:
        """Return what the consistent graph rests on."""
        if self.say_little:
            return (
                f"Tests found effects in {self.found} of {self.pairs} pairs, and in "
                f"{self.found_above} of the {self.above} whose TV exceeds the floor: SHD and SID "
                "against that graph mean little."
            )
        return (
            f"Tests found effects in {self.found} of {self.pairs} pairs of treatment and outcome; "
            "SHD and SID are taken against the graph with these effects."
        )


def count_effects(truth: Truth, floor: NDArray[Any]) -> EffectCounts:
    """Return how many effects the tests found.

    Parameters
    ----------
    truth : Truth
    floor : ndarray, shape (treatments, outcomes)
        The TV of each pair between one direct experiment and the truth.
    """
    found = truth.p_values <= ALPHA
    above = truth.effects > floor
    return EffectCounts(int(found.sum()), found.size, int(np.sum(found & above)), int(above.sum()))
