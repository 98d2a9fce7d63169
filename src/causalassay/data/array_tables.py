"""Tables in NumPy files: one matrix, or an array for each column."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.array_files import load_arrays, names_in, pick
from causalassay.opening import check_columns

DATA_IS_CALLED = ("data", "values", "x", "samples")
"""What the array of the values is called in an .npz file, in letters of any size."""


def load_array_table(path: Path) -> dict[str, NDArray[Any]]:
    """Return the columns of an .npy or .npz file.

    The values are a matrix of numbers, shape (n, d), the only one of the file or called
    "data", "values", "X" or "samples"; an array "columns" has the names. Without any matrix,
    each array of numbers is a column.
    """
    arrays = load_arrays(path, f"a {path.suffix} file")
    numbers = {name: one for name, one in arrays.items() if one.dtype.kind in "biuf" and one.size}
    matrices = {name: one for name, one in numbers.items() if one.ndim == 2}
    vectors = {name: one for name, one in numbers.items() if one.ndim == 1 and name}
    if not matrices and vectors:
        if len({len(one) for one in vectors.values()}) > 1:
            sizes = ", ".join(f"{name!r} {len(one)}" for name, one in vectors.items())
            raise ValueError(f"{path}: expected columns of one length, got {sizes[:300]}")
        return {name: one.astype(float) for name, one in vectors.items()}
    values = pick(matrices, DATA_IS_CALLED, "the values, a row for each sample", str(path))
    check_columns(str(path), values.shape[1])
    names = names_in(arrays, values.shape[1]) or [f"x{step}" for step in range(values.shape[1])]
    matrix = np.asarray(values, dtype=float)
    return {name: matrix[:, step] for step, name in enumerate(names)} if _differ(names) else {}


def _differ(names: list[str]) -> bool:
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise ValueError(f"columns: {twice!r} appears more than once; give each its own name")
    return True
