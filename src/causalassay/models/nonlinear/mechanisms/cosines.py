"""Sums of cosines: what every finite draw of a Gaussian process is here."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from causalassay.arrays import Values, Vector
from causalassay.kernels import kernel

_BLOCK = 256
"""Rows at a time: what the inner loops touch stays in the cache."""

_ROUNDING = 1.5 * 2.0**52
"""Adding and subtracting it rounds to an integer, in a form that compilers vectorise."""


@kernel
def _sum_of_cosines(
    columns: Values, turns: Values, phase: Vector, amplitude: Vector, total: Vector
) -> None:
    """Put Σ_m amplitude_m · cos 2π(turns_m · column + phase_m) of each column into `total`."""
    n_parents, n = columns.shape
    angle, block = np.empty(_BLOCK), np.empty(_BLOCK)
    for first in range(0, n, _BLOCK):
        size = min(_BLOCK, n - first)
        block[:] = 0.0
        for m in range(len(amplitude)):
            angle[:] = phase[m]
            for parent in range(n_parents):
                turn, column = turns[m, parent], columns[parent, first : first + size]
                for row in range(size):
                    angle[row] += turn * column[row]
            height = amplitude[m]
            # All of the block, also past its last row: a loop of fixed length is vectorised.
            for row in range(_BLOCK):
                # cos 2πu = 1 - 2 sin² πu, the series of the sine being exact to 4e-14 on ±π/2.
                x = angle[row]
                x = math.pi * (x - ((x + _ROUNDING) - _ROUNDING))
                square = x * x
                sine = 1 / 355687428096000
                sine = sine * square - 1 / 1307674368000
                sine = sine * square + 1 / 6227020800
                sine = sine * square - 1 / 39916800
                sine = sine * square + 1 / 362880
                sine = sine * square - 1 / 5040
                sine = sine * square + 1 / 120
                sine = sine * square - 1 / 6
                sine = x + x * square * sine
                block[row] += height - 2 * height * sine * sine
        for row in range(size):
            total[first + row] = block[row]


@dataclass(frozen=True, eq=False, repr=False)
class CosineSum:
    """x ↦ Σ_m amplitude_m · cos(frequency_m · x + phase_m).

    Parameters
    ----------
    frequency : (n_features, n_parents) array
    phase, amplitude : (n_features,) arrays

    Examples
    --------
    >>> import numpy as np
    >>> CosineSum(np.ones((1, 1)), np.zeros(1), np.ones(1))(np.array([[0.0], [np.pi]]))
    array([ 1., -1.])
    """

    frequency: Values
    phase: Vector
    amplitude: Vector

    def __repr__(self) -> str:
        n_features, n_parents = self.frequency.shape
        return f"CosineSum({n_parents} parents, {n_features} features)"

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        total = np.empty(len(parents))
        full_turn = 2 * math.pi
        turns, phase = self.frequency / full_turn, self.phase / full_turn
        _sum_of_cosines(np.ascontiguousarray(parents.T), turns, phase, self.amplitude, total)
        return total


@dataclass(frozen=True)
class SumOverParents:
    """x ↦ Σ_j part_j(x_j): a function of one parent each."""

    parts: tuple[CosineSum, ...]

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        total = np.zeros(len(parents))
        for parent, part in enumerate(self.parts):
            total += part(parents[:, parent : parent + 1])
        return total
