"""Values under one or several regimes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import index
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Values
from causalassay.common.spelling import did_you_mean, listed
from causalassay.data.checks import check_codes, check_column_names, check_finite, check_varied
from causalassay.data.kinds import ColumnKind, Continuous, Discrete
from causalassay.models.interventions import Change, on_node
from causalassay.present import Document, Shown
from causalassay.present.formatting import counted


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
        object.__setattr__(self, "values", _read_only_copy(self.values, where))
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


def _read_only_copy(values: ArrayLike, where: str) -> Values:
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
    copy = np.array(array, dtype=float, order="C", copy=True)
    copy.setflags(write=False)
    return copy


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


SCRATCH_VARIABLE = "CAUSALASSAY_SCRATCH"
"""The environment variable that names the scratch folder of a study's task.

`processes.scratch` has it, too, which a browser cannot import.
"""

Rows = Literal["independent", "series"]
"""Whether the rows of a regime are independent draws, or follow each other in time."""

World = Literal["continuous", "discrete", "mixed", "series"]
"""What methods a data set calls for: see `Dataset.world`."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Shown):
    """Columns of numbers under one or several regimes.

    Parameters
    ----------
    columns : tuple of str
        One name per column.
    regimes : tuple of Regime
        Each with a condition of its own.
    observational : str, or None
        The condition that is observational. It is never guessed: None means
        that no regime is known to be so, whatever its targets.
    kinds : tuple of ColumnKind
        One per column; left empty, all columns are continuous.
    rows : {"independent", "series"}
        Whether the rows of each regime are independent draws, or a series in
        the order of time, evenly spaced.

    Examples
    --------
    >>> control = Regime("control", [[0.0, 1.0], [2.0, 4.5], [1.0, 2.0]])
    >>> drug = Regime("drug", [[0.0, 9.0], [2.0, 9.5]], targets=(1,))
    >>> data = Dataset(("dose", "response"), (control, drug), observational="control")
    >>> data
    Dataset(5 rows, 2 columns, 2 regimes)
    >>> data.n_nodes, data.n_samples, data.observational_values.shape
    (2, 5, (3, 2))
    """

    columns: tuple[str, ...]
    regimes: tuple[Regime, ...]
    observational: str | None
    kinds: tuple[ColumnKind, ...] = ()
    rows: Rows = "independent"

    def __post_init__(self) -> None:
        if isinstance(self.columns, str):
            raise TypeError(f"columns: expected a tuple of names, got the text {self.columns!r}")
        for name in ("columns", "regimes", "kinds"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.rows not in get_args(Rows):
            raise ValueError(f'rows: expected "independent" or "series", got {self.rows!r}')
        check_column_names(self.columns)
        if not self.kinds:
            object.__setattr__(self, "kinds", (Continuous(),) * len(self.columns))
        self._check_kinds()
        self._check_conditions()
        for regime in self.regimes:
            self._check_regime(regime)
        check_varied(self.pooled, self.columns)

    @classmethod
    def from_values(
        cls,
        values: ArrayLike,
        columns: Sequence[str] | None = None,
        condition: str = "observational",
        rows: Rows = "independent",
    ) -> Dataset:
        """Return a data set of one regime, which is observational.

        Parameters
        ----------
        values : array_like, shape (n, d)
            One row per sample and one column per variable.
        columns : sequence of str, optional
            By default a data frame's own names; x0, x1, … where there are none, also in a data
            frame that only numbers its columns.
        condition : str
            The name of the regime.
        rows : {"independent", "series"}
            Whether the rows are independent or the steps of a time series.

        Examples
        --------
        >>> Dataset.from_values([[0.0, 1.0], [2.0, 4.5]]).columns
        ('x0', 'x1')
        """
        regime = Regime(condition, np.asarray(values))
        numbers = range(regime.values.shape[1])
        if columns is None:
            named: Sequence[Any] = getattr(values, "columns", numbers)
            columns = named if list(named) != list(numbers) else [f"x{j}" for j in numbers]
        return cls(tuple(columns), (regime,), observational=condition, rows=rows)

    @property
    def n_nodes(self) -> int:
        """Number of columns d."""
        return len(self.columns)

    @property
    def scratch(self) -> Path | None:
        """A folder for checkpoints of the task that runs now; None outside studies.

        It is made when it is first asked for. It survives an interruption of the study (Ctrl-C, a
        kill, a time limit), and the task finds it again when it is started again. It is removed
        once the row of the task is stored with status ok.

        Examples
        --------
        >>> print(Dataset.from_values([[0.0, 1.0], [2.0, 4.5]]).scratch)
        None
        """
        if SCRATCH_VARIABLE not in os.environ:
            return None
        from causalassay.processes.scratch import task_scratch  # noqa: PLC0415  no browser has it

        return task_scratch()

    def progress(self, share: float, text: str = "") -> None:
        """Report how far an algorithm is, which `causalassay status` shows while a study runs.

        It may be called as often as you like: a few times a second it is written, and outside
        studies nothing is done.

        Parameters
        ----------
        share : float
            What is done, from 0 to 1.
        text : str
            A few words, such as "epoch 40 of 100".

        Examples
        --------
        >>> Dataset.from_values([[0.0, 1.0], [2.0, 4.5]]).progress(0.4, "epoch 40 of 100")
        """
        if SCRATCH_VARIABLE in os.environ:
            from causalassay.processes.scratch import report_progress  # noqa: PLC0415  as above

            report_progress(f"{100 * share:.0f} % {text}".rstrip())

    @property
    def world(self) -> World:
        """Which methods fit the data: "series", or by kind of column if rows are independent.

        "continuous": all columns are; "discrete": all columns are; "mixed": some are
        discrete and some continuous. A "series" is one whatever its columns.

        Examples
        --------
        >>> Dataset.from_values([[0.0, 1.0], [2.0, 4.5]]).world
        'continuous'
        """
        if self.rows == "series":
            return "series"
        n_discrete = len(self.discrete_columns)
        if n_discrete == 0:
            return "continuous"
        return "discrete" if n_discrete == self.n_nodes else "mixed"

    @property
    def discrete_columns(self) -> dict[str, Discrete]:
        """The columns that take levels, by name; the others are continuous."""
        named = zip(self.columns, self.kinds, strict=True)
        return {name: kind for name, kind in named if isinstance(kind, Discrete)}

    @property
    def n_samples(self) -> int:
        """Number of rows in all regimes together."""
        return sum(len(regime.values) for regime in self.regimes)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of the regimes."""
        return tuple(regime.condition for regime in self.regimes)

    @property
    def observational_values(self) -> Values:
        """The rows of the observational condition, shape (n, d); an error if none is named."""
        if self.observational is None:
            raise ValueError(
                "no condition is known to be observational; name one as `observational` "
                f"(--observational): there are {listed(self.conditions)}"
            )
        return self.regime(self.observational).values

    @property
    def pooled(self) -> Values:
        """The rows of all regimes, one regime after the other, shape (n, d)."""
        if len(self.regimes) == 1:
            return self.regimes[0].values
        pooled = np.concatenate([regime.values for regime in self.regimes])
        pooled.setflags(write=False)
        return pooled

    def regime(self, condition: str) -> Regime:
        """Return the regime of that condition.

        Examples
        --------
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], condition="control")
        >>> data.regime("control").targets
        ()
        """
        for regime in self.regimes:
            if regime.condition == condition:
                return regime
        raise ValueError(
            f"condition: there is no {condition!r}; " + did_you_mean(condition, self.conditions)
        )

    def index(self, column: str) -> int:
        """Return the position of the column of that name.

        Examples
        --------
        >>> Dataset.from_values([[0.0, 1.0], [2.0, 4.5]]).index("x1")
        1
        """
        if column not in self.columns:
            raise ValueError(
                f"column: there is no {column!r}; " + did_you_mean(column, self.columns)
            )
        return self.columns.index(column)

    def permute_columns(self, permutation: Sequence[int] | NDArray[np.integer[Any]]) -> Dataset:
        """Return the data set with column ``permutation[k]`` at position k.

        Names, kinds, values, targets and interventions all move.

        Parameters
        ----------
        permutation : sequence of int
            Each of 0 to d - 1 once.

        Examples
        --------
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], columns=["a", "b"])
        >>> data.permute_columns([1, 0]).observational_values.tolist()
        [[1.0, 0.0], [4.5, 2.0]]
        """
        old = [index(position) for position in permutation]
        if sorted(old) != list(range(self.n_nodes)):
            raise ValueError(
                f"permutation: expected each of 0 to {self.n_nodes - 1} once, got {old}"
            )
        return self._keep_columns(old)

    def drop_columns(self, names: Iterable[str]) -> Dataset:
        """Return the data set without some columns.

        A condition that acts upon one of them stays, with unknown targets (None): there was
        an intervention, upon something that is not measured any more. Leave such a condition
        out with `drop_conditions` if an algorithm needs to know all targets.

        Parameters
        ----------
        names : iterable of str
            The columns to leave out; at least one column must be left.

        Examples
        --------
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], columns=["id", "dose"])
        >>> data.drop_columns(["id"]).columns
        ('dose',)
        """
        dropped = {self.index(name) for name in _several(names, "drop_columns")}
        remaining = [j for j in range(self.n_nodes) if j not in dropped]
        if not remaining:
            raise ValueError("drop_columns: no column would be left; keep at least 1")
        return self._keep_columns(remaining)

    def rename_columns(self, names: Mapping[str, str]) -> Dataset:
        """Return the data set with other names for some columns.

        Parameters
        ----------
        names : mapping of str to str
            From the present names to the new ones; what is left out stays.

        Examples
        --------
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
        >>> data.rename_columns({"x0": "dose"}).columns
        ('dose', 'x1')
        """
        for name in names:
            self.index(name)
        return replace(self, columns=tuple(names.get(name, name) for name in self.columns))

    def drop_conditions(self, names: Iterable[str]) -> Dataset:
        """Return the data set without the rows of some conditions.

        If the observational condition is among them, none is observational.

        Parameters
        ----------
        names : iterable of str
            The conditions to leave out; at least one must be left.

        Examples
        --------
        >>> drug = Regime("drug", [[0.0, 9.0], [2.0, 9.5]], targets=(1,))
        >>> control = Regime("control", [[0.0, 1.0], [2.0, 4.5]])
        >>> data = Dataset(("dose", "response"), (control, drug), observational="control")
        >>> data.drop_conditions(["drug"]).conditions
        ('control',)
        """
        dropped = {self.regime(name).condition for name in _several(names, "drop_conditions")}
        remaining = tuple(regime for regime in self.regimes if regime.condition not in dropped)
        if not remaining:
            raise ValueError("drop_conditions: no condition would be left; keep at least 1")
        observational = None if self.observational in dropped else self.observational
        return replace(self, regimes=remaining, observational=observational)

    def rename_conditions(self, names: Mapping[str, str]) -> Dataset:
        """Return the data set with other names for some conditions, the observational too.

        Parameters
        ----------
        names : mapping of str to str
            From the present names to the new ones; what is left out stays.

        Examples
        --------
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
        >>> data.rename_conditions({"observational": "wild type"}).observational
        'wild type'
        """
        for name in names:
            self.regime(name)
        regimes = tuple(
            replace(regime, condition=names.get(regime.condition, regime.condition))
            for regime in self.regimes
        )
        # None, where no condition is observational, is no name and stays.
        observational = names.get(self.observational or "", self.observational)
        return replace(self, regimes=regimes, observational=observational)

    def _keep_columns(self, columns: Sequence[int]) -> Dataset:
        """Return the data set with column ``kept[k]`` at position k, and no other columns."""
        return Dataset(
            columns=tuple(self.columns[j] for j in columns),
            regimes=tuple(regime.keep_columns(columns) for regime in self.regimes),
            observational=self.observational,
            kinds=tuple(self.kinds[j] for j in columns),
            rows=self.rows,
        )

    def as_independent(self) -> Dataset:
        """Return the data set with time forgotten: its rows taken for independent draws.

        For a series this is an approximation, at the caller's risk: tests and
        scores then count more rows than there is information.

        Examples
        --------
        >>> series = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], rows="series")
        >>> series.as_independent().rows
        'independent'
        """
        return replace(self, rows="independent")

    @property
    def size_text(self) -> str:
        """How large it is, in words."""
        counts = (self.n_samples, "row"), (self.n_nodes, "column"), (len(self.regimes), "regime")
        series = ", a series" if self.world == "series" else ""
        return ", ".join(counted(*count) for count in counts) + series

    def __repr__(self) -> str:
        return f"Dataset({self.size_text})"

    def document(self) -> Document:
        """Return what the data set shows."""
        from causalassay.data.document import dataset_document  # noqa: PLC0415  # for notebooks

        return dataset_document(self)

    def _check_kinds(self) -> None:
        if len(self.kinds) != self.n_nodes:
            raise ValueError(
                f"kinds: expected one per column, {self.n_nodes} in all, got {len(self.kinds)}"
            )
        for name, kind in zip(self.columns, self.kinds, strict=True):
            if not isinstance(kind, Continuous | Discrete):
                raise TypeError(
                    f"kinds: column {name!r} must be Continuous() or Discrete(levels), got {kind!r}"
                )

    def _check_conditions(self) -> None:
        if not self.regimes:
            raise ValueError("regimes: at least 1 is needed, got none")
        twice = [name for name, times in Counter(self.conditions).items() if times > 1]
        if twice:
            raise ValueError(
                f"regimes: more than one is called {listed(twice)}; "
                "rename them, or put their rows into one"
            )
        if self.observational is not None:
            if self.observational not in self.conditions:
                raise ValueError(
                    f"observational: no condition is called {self.observational!r}; "
                    f"{did_you_mean(self.observational, self.conditions)}; leave it out if none "
                    "is observational"
                )
            targets = self.regime(self.observational).targets
            if targets != ():
                stated = "unknown (None)" if targets is None else targets
                raise ValueError(
                    f"observational: {self.observational!r} has no targets if it is "
                    f"observational, but they are {stated}; pass targets=() or name another"
                )

    def _check_regime(self, regime: Regime) -> None:
        where = f"condition {regime.condition!r}"
        if regime.values.shape[1] != self.n_nodes:
            raise ValueError(
                f"{where}: expected {self.n_nodes} columns, {listed(self.columns)}; "
                f"got values of shape {regime.values.shape}"
            )
        check_finite(regime.values, self.columns, where)
        for name, kind in self.discrete_columns.items():
            check_codes(regime.values[:, self.index(name)], name, kind.levels, where)
        for target in regime.targets or ():
            if not 0 <= target < self.n_nodes:
                raise ValueError(
                    f"{where}: target {target} is not a column; targets are indices from 0 to "
                    f"{self.n_nodes - 1}, and None if the target was not measured"
                )


def _several(names: Iterable[str], what: str) -> Iterable[str]:
    if isinstance(names, str):
        raise TypeError(f"{what}: expected a list of names, got {names!r}; put it in a list")
    return names
