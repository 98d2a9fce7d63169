"""The formats that graphs and data share: text tables by their separators, and NumPy files.

NumPy files (.npy, .npz) of strangers hold plain arrays only, of a size that the file can hold.
"""

from __future__ import annotations

import csv
import math
import re
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from causalassay.common.files import TooLarge, check_regular, check_unpacked, check_values
from causalassay.common.spelling import cut, listed, visible

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
"""What may separate fields, and what messages call it; blanks also in runs."""

_BLANKS = re.compile(r'("(?:[^"]|"")*")|[ \t]+')


def find_separator(lines: Sequence[str], usual: str) -> str:
    r"""Return what separates the fields of some lines, the first of which may be a header.

    The usual one, if it divides the first line; else the one that divides all lines into
    equally many fields; the usual one again if there is none: the table has one column. Blanks
    count only where nothing else does, for they often follow a separator.

    Raises
    ------
    ValueError
        If two could be meant.

    Examples
    --------
    >>> find_separator(["a;b", "1,5;2"], ","), find_separator(["1.0  0.0", "0.0  1.0"], ",")
    (';', ' ')
    """
    if not lines or len(fields(lines[0], usual)) > 1:
        return usual
    dividing = [
        separator
        for separator in SEPARATORS
        if separator not in (usual, " ") and _divides(separator, lines)
    ]
    if len(dividing) > 1:
        named = " or ".join(SEPARATORS[separator] for separator in dividing)
        raise ValueError(f"its fields could be separated by {named}; state which")
    if dividing:
        return dividing[0]
    return " " if _divides(" ", lines) else usual


def fields(line: str, separator: str) -> list[str]:
    r"""Return the fields of a line, without blanks before them.

    Examples
    --------
    >>> fields('1.0   "a b"', " ")
    ['1.0', 'a b']
    """
    text = single_blanks(line) if separator == " " else line
    return next(csv.reader([text], delimiter=separator, skipinitialspace=True), [])


def single_blanks(line: str) -> str:
    r"""Return a line with one blank in place of each run of them outside of quotes.

    Examples
    --------
    >>> single_blanks(' 1.0 \t "a  b"\n')
    '1.0 "a  b"'
    """
    return _BLANKS.sub(lambda match: match[1] or " ", line.strip())


def _divides(separator: str, lines: Sequence[str]) -> bool:
    try:
        counts = {len(fields(line, separator)) for line in lines if line.strip()}
    except csv.Error:
        return False
    # R leaves the name of the column of row names out.
    return min(counts) > 1 and (len(counts) == 1 or counts == {min(counts), min(counts) + 1})


# NumPy files (.npy, .npz) of strangers: plain arrays only, of a size that the file can hold.

SUFFIXES = (".npy", ".npz")

NAMES_ARE_CALLED = ("columns", "names", "variables", "nodes", "labels", "feature_names")
"""What an array of the variables' names is called."""

MOST_ARRAYS = 1000

_PACKED_AS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""How NumPy packs arrays. Python unpacks the other methods without a bound on the memory."""

_PLAIN = "biufUS"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def load_arrays(path: Path, expected: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; the one of an .npy file has an empty name.

    Pickled objects, and arrays that claim more bytes than there are, are refused.

    Parameters
    ----------
    path : Path
        Ends in .npy or .npz.
    expected : str
        What the file is to be, for messages.
    """
    size = check_regular(path, expected)
    try:
        if path.suffix.lower() == ".npy":
            with path.open("rb") as file:
                return {"": read_array(file, size, str(path))}
        with zipfile.ZipFile(path) as archive:
            return _members(archive, str(path))
    except (PermissionError, TooLarge):
        raise
    except Exception as error:  # a broken archive raises whatever its decoder does
        reason = cut(visible(str(error) or type(error).__name__))
        raise ValueError(f"{path}: not a readable {path.suffix} file: {reason}") from None


def pick(
    arrays: Mapping[str, NDArray[Any]], called: Collection[str], what: str, where: str
) -> NDArray[Any]:
    """Return the one array of a file, or the one of several that has a usual name.

    Parameters
    ----------
    arrays : mapping
        Those that could be meant.
    called : collection of str
        The usual names, in small letters.
    what : str
        What is looked for, for the message.
    where : str
    """
    usual = {name: array for name, array in arrays.items() if name.lower() in called}
    for group in (arrays, usual):
        if len(group) == 1:
            return next(iter(group.values()))
    candidates = f"{listed(arrays)} could be" if arrays else "none is"
    raise ValueError(
        f"{where}: expected one array with {what}, {candidates}; call it {listed(called)}"
    )


def names_in(arrays: Mapping[str, NDArray[Any]], count: int) -> list[str] | None:
    """Return the names of so many variables, if the file has an array of them."""
    for name, array in arrays.items():
        if (
            name.lower() in NAMES_ARE_CALLED
            and array.shape == (count,)
            and array.dtype.kind in "US"
        ):
            text = np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array
            return [str(label) for label in text.tolist()]
    return None


def _members(archive: zipfile.ZipFile, where: str) -> dict[str, NDArray[Any]]:
    infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
    if len(infos) > MOST_ARRAYS:
        raise ValueError(f"it has {len(infos)} arrays, expected at most {MOST_ARRAYS}")
    check_unpacked(where, sum(info.file_size for info in infos))
    arrays: dict[str, NDArray[Any]] = {}
    for info in infos:
        if info.compress_type not in _PACKED_AS:
            raise ValueError(
                f"{info.filename} is packed by method {info.compress_type} of zip; expected those "
                "of np.savez and np.savez_compressed"
            )
        others = sum(array.size for array in arrays.values())
        with archive.open(info) as file:
            name = info.filename.removesuffix(".npy")
            arrays[name] = read_array(file, info.file_size, where, others)
    return arrays


def read_array(file: IO[bytes], size: int, where: str, others: int = 0) -> NDArray[Any]:
    """Return an array of a file of so many bytes; the file has so many other values."""
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"version {version} of the format; expected an array of plain numbers")
    try:
        shape, fortran, dtype = _HEADERS[version](file)
    except Exception:  # NumPy's reasons name options of its own, allow_pickle among them
        raise ValueError("a header is damaged or too long; expected one of np.save") from None
    if dtype.kind not in _PLAIN:
        raise ValueError(f"it holds {dtype} (objects are not read); expected plain numbers")
    count = math.prod(shape)
    here = size - file.tell()
    if min(shape, default=1) < 0 or count * dtype.itemsize > here:
        raise ValueError(f"an array of shape {shape} does not fit into its {here} bytes")
    check_unpacked(where, count * dtype.itemsize)
    more = f", and {others} in other arrays" if others else ""
    check_values(where, count + others, f"shape {shape}{more}")
    content = file.read(count * dtype.itemsize)
    if len(content) < count * dtype.itemsize:
        raise ValueError("the file breaks off")
    return np.frombuffer(content, dtype, count).reshape(shape, order="F" if fortran else "C")
