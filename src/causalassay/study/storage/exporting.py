"""Cells that a spreadsheet would run as formulas, made plain text."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from causalassay.study.storage import opening as lock
from causalassay.study.storage import schema

# East Asian spreadsheets read the wide signs as the others; some programs cut leading blanks.
_FORMULA = r"\A(?: *[=+\-@＝＋－＠]|[\t\r\n])"


def inert_text(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it.

    Examples
    --------
    >>> inert_text("=1+1"), inert_text("1=1")
    ("'=1+1", '1=1')
    """
    return f"'{text}" if re.match(_FORMULA, text) else text


def inert_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame whose texts, headings too, are as `inert_text` gives them."""
    texts = [name for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    return frame.assign(**{str(name): frame[name].map(_inert_cell) for name in texts}).rename(
        columns=_inert_cell
    )


def _inert_cell(cell: Any) -> Any:
    return inert_text(cell) if isinstance(cell, str) else cell


def inert_array(array: pa.Array) -> pa.Array:
    """Return a column of texts, each as `inert_text` gives it; other columns stay as they are."""
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, inert_array(array.dictionary))
    if not pa.types.is_string(array.type):
        return array
    runs = pc.match_substring_regex(array, _FORMULA)
    if not pc.any(runs).as_py():
        return array
    return pc.if_else(runs, pc.binary_join_element_wise("'", array, ""), array)


# Where a file may be written: not over a store, and not where a folder is.

_STORE_FILES = tuple(schema.FILE + end for end in ("", "-wal", "-shm", "-journal"))


def refuse_target(target: Path, folder: Path) -> None:
    """Refuse to write a file over a store, over a folder, or into a folder that is not there.

    Parameters
    ----------
    target : Path
        The file to write.
    folder : Path
        Of the store that is read.

    Examples
    --------
    >>> refuse_target(Path("results/study.sqlite-wal"), Path("results"))
    Traceback (most recent call last):
    ValueError: results/study.sqlite-wal is part of a study's store and is never overwritten: ...
    """
    # Not Path.resolve, which raises where links go in a circle.
    real = Path(os.path.realpath(target))
    own = [Path(os.path.realpath(folder / name)) for name in (*_STORE_FILES, lock.FILE)]
    linked = any(file.exists() and target.exists() and target.samefile(file) for file in own)
    if real.name in _STORE_FILES or real in own or linked:
        raise ValueError(
            f"{target} is part of a study's store and is never overwritten: name another file"
        )
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to")
