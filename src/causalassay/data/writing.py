"""From a data set to a file that reads back as the same data set."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from causalassay.common.spelling import listed, name_fault, shown
from causalassay.data.coding import decode
from causalassay.data.dataset import Dataset
from causalassay.data.regime import Regime


def write(
    data: Dataset, path: str | Path, condition: str = "condition", target: str = "target"
) -> None:
    """Write a data set to a CSV, TSV or Parquet file, floats to their last bit.

    One observational regime called "observational" is written as it is; any
    other data set with a condition and a target column. `read` gives the same
    data set again if it is given the names of these columns and of the
    observational condition, the levels, and whether the rows are a series. Only
    what was done to the targets (`Regime.intervention`) is lost: a table has no
    column for it.

    Parameters
    ----------
    data : Dataset
    path : str or Path
        Ends in .csv, .csv.gz, .tsv, .tsv.gz or .parquet; overwritten if it exists.
    condition, target : str
        What to call the two columns.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "control.csv"
    >>> write(Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], condition="control"), path)
    >>> print(path.read_text().replace('"', ""))
    x0,x1,condition,target
    0,1,control,
    2,4.5,control,
    >>> folder.cleanup()
    """
    from causalassay.data import tables  # noqa: PLC0415  # pyarrow loads when a file is written

    pooled = data.pooled
    table = {
        name: decode(pooled[:, j], kind)
        for j, (name, kind) in enumerate(zip(data.columns, data.kinds, strict=True))
    }
    if data.conditions != ("observational",) or data.observational is None:
        _check_labels(data, condition, target)
        sizes = [len(regime.values) for regime in data.regimes]
        cells = [_target_cell(regime, data) for regime in data.regimes]
        table[condition] = np.repeat(np.array(data.conditions, dtype=object), sizes)
        table[target] = np.repeat(np.array(cells, dtype=object), sizes)
    _check_shown([*table, *data.conditions])
    tables.save(table, Path(path))


def _check_shown(names: Iterable[str]) -> None:
    """Raise if `read` would refuse a name."""
    for name in names:
        if fault := name_fault(name):
            raise ValueError(f"data: the name {shown(name)} {fault}")


def _check_labels(data: Dataset, condition: str, target: str) -> None:
    """Raise if the file could not be read back."""
    if condition == target:
        raise ValueError(f"condition and target: expected two names, got {target!r} for both")
    for role, name in (("condition", condition), ("target", target)):
        if name in data.columns:
            raise ValueError(
                f"{role}: the data have a column {name!r} of their own; "
                f"pass another name for the {role} column as {role}="
            )
    targeted = {t for regime in data.regimes for t in regime.targets or ()}
    divided = [data.columns[t] for t in sorted(targeted) if ";" in data.columns[t]]
    if divided:
        raise ValueError(
            f"columns: {listed(divided)} cannot be in the target column, where ';' "
            "separates names; rename it"
        )


def _target_cell(regime: Regime, data: Dataset) -> str:
    """Return what `read` turns back into the regime's targets."""
    if regime.targets is None or regime.condition == data.observational:
        return ""
    return ";".join(data.columns[t] for t in regime.targets) or ";"
