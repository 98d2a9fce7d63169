"""Cells that a spreadsheet would run as formulas, made plain text."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

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
