"""The rows that were taken under one condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.arrays import Values
from causalassay.models.interventions import on_node

if TYPE_CHECKING:
    from causalassay.models.interventions import Change


@dataclass(frozen=True, eq=False)
class Regime:
    """The rows that were taken under one condition.

    Parameters
    ----------
    condition : str
        Its name.
    values : array_like, shape (n, d)
        At least 2 rows. The regime holds a read-only copy.
    targets : tuple of int, or None
        The columns that were intervened upon: ``()`` where it is known that
        there were none, None where there was or may have been an intervention
        whose target is unknown or was not measured.
    intervention : tuple of Do, Shift, Randomize and At, optional
        What was done to the targets, if that is known.

    Examples
    --------
    >>> Regime("knock-down of x1", [[0.1, 0.0], [0.3, 0.0]], targets=(1,))
    Regime(condition='knock-down of x1', targets=(1,), intervention=None)
    """

    condition: str
    values: Values = field(repr=False)
    targets: tuple[int, ...] | None = ()
    intervention: tuple[Change, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.condition, str) or not self.condition:
            raise ValueError(f"condition: expected a name, got {self.condition!r}")
        where = f"condition {self.condition!r}"
        object.__setattr__(self, "values", _own(self.values, where))
        if self.targets is not None:
            object.__setattr__(self, "targets", _target_indices(self.targets, where))
        if self.intervention is not None:
            nodes = {change.node for change in self.intervention}
            if self.targets is None or nodes != set(self.targets):
                raise ValueError(
                    f"{where}: the intervention acts on columns {tuple(sorted(nodes))} but the "
                    f"targets are {self.targets}; make the targets the intervention's nodes"
                )

    def permute_columns(self, permutation: Sequence[int]) -> Regime:
        """Return the regime with column ``permutation[k]`` at position k, its targets moved too.

        Examples
        --------
        >>> Regime("drug", [[0.0, 9.0], [2.0, 9.5]], targets=(1,)).permute_columns([1, 0])
        Regime(condition='drug', targets=(0,), intervention=None)
        """
        return self.keep_columns(permutation)

    def keep_columns(self, kept: Sequence[int]) -> Regime:
        """Return the regime with column ``kept[k]`` at position k, and no other columns.

        The targets move along. Where one of them is not kept the targets become None, for
        there was an intervention upon something that is not measured any more.

        Examples
        --------
        >>> drug = Regime("drug", [[0.0, 9.0, 1.0], [2.0, 9.5, 3.0]], targets=(2,))
        >>> drug.keep_columns([2, 0]).targets, drug.keep_columns([0, 1]).targets
        ((0,), None)
        """
        position = {column: k for k, column in enumerate(kept)}
        targets, intervention = self.targets, self.intervention
        if targets is not None and not position.keys() >= set(targets):
            targets = intervention = None
        return Regime(
            condition=self.condition,
            values=self.values[:, list(kept)],
            targets=None if targets is None else tuple(position[target] for target in targets),
            intervention=None
            if intervention is None
            else tuple(on_node(change, position[change.node]) for change in intervention),
        )


def _own(values: ArrayLike, where: str) -> Values:
    """Return a read-only float copy of shape (n, d), or raise."""
    array = np.asarray(values)
    if array.dtype.kind not in "buif":
        raise TypeError(
            f"{where}: values are numbers, got an array of {array.dtype}; "
            "encode text as codes, or let causalassay.data.read do it"
        )
    if array.ndim != 2:
        raise ValueError(
            f"{where}: values: expected shape (n, d), rows are samples; got {array.shape}"
        )
    if len(array) < 2:
        raise ValueError(
            f"{where}: at least 2 rows are needed, got {len(array)}; leave the condition out "
            "(--drop-condition), or join it with another"
        )
    own = np.array(array, dtype=float, order="C", copy=True)
    own.setflags(write=False)
    return own


def _target_indices(targets: Sequence[Any], where: str) -> tuple[int, ...]:
    """Return the targets as distinct ints, or raise."""
    if isinstance(targets, str) or any(isinstance(target, str) for target in targets):
        raise TypeError(
            f"{where}: targets are column indices, got {targets!r}; "
            "Dataset.index gives the index of a name"
        )
    indices = tuple(index(target) for target in targets)
    if len(set(indices)) < len(indices):
        raise ValueError(f"{where}: expected each target once, got {indices}")
    return indices
