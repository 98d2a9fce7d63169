"""Tables in text files: how their fields are separated, their header, and the lines of rows."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from causalassay.common.file_formats import SEPARATORS, fields, find_separator, single_blanks
from causalassay.common.files import check_columns, check_text_table, is_packed, note
from causalassay.common.spelling import listed

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".dat")

LONGEST_LINE = 4_000_000
"""Bytes of a line: one that never ends is not read to its end."""

WORDS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "blank": " "}
"""What a separator may be called where it is hard to type."""

_LINES_LOOKED_AT = 20
_LONGEST_LOOK = 1_000_000
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class TextLayout:
    """How a text file is laid out.

    Parameters
    ----------
    path : Path
    separator : str
    names : list of str
        The names of the columns.
    has_header : bool
        Whether the first line has the names; if not, it is a row.
    """

    path: Path
    separator: str
    names: list[str]
    has_header: bool

    def describe_row(self, row: int) -> str:
        """Return where a row is in the file; they count from 0."""
        try:
            for step, (number, _) in enumerate(self._rows()):
                if step == row:
                    return f"line {number}"
        except (csv.Error, OSError, EOFError, ValueError):
            pass
        return f"row {row + 1}"

    def ragged(self) -> str:
        """Return which row has too few or too many fields, and what to do; empty if none has."""
        width = len(self.names)
        try:
            for number, row in self._rows():
                if len(row) != width:
                    hint = (
                        "; R writes such row names, without them with row.names=FALSE"
                        if len(row) == width + 1 and number == 2
                        else ""
                    )
                    return f"line {number} has {len(row)} fields but the header has {width}{hint}"
        except (csv.Error, OSError, EOFError, ValueError):
            pass
        return ""

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows with the numbers of their first lines, as the table has them."""
        with closing(opened(self.path)) as stream:
            rows = lines(stream)
            if self.separator == " ":
                rows = map(single_blanks, rows)
            reader = csv.reader(rows, delimiter=self.separator)
            first, header = 1, self.has_header
            for row in reader:
                number, first = first, reader.line_num + 1
                if header:
                    header = False
                elif row or len(self.names) == 1:
                    yield number, row


def find_layout(path: Path, suffix: str, stated: str | None) -> TextLayout:
    """Return how a text file is laid out; what is found there and not as usual is noted.

    Parameters
    ----------
    path : Path
    suffix : str
        Which of `SUFFIXES` it has.
    stated : str, optional
        The separator, or one of `WORDS`.
    """
    chosen = separator_of(stated) if stated else None
    lines = _beginning(path)
    usual = "\t" if suffix.startswith(".tsv") else ","
    try:
        separator = chosen or find_separator(lines, usual)
        header = fields(lines[0], separator) if lines else []
    except csv.Error as error:
        raise ValueError(f"{path}: the header cannot be read: {error}; expected names") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}: separator=';' (--separator ';')") from None
    check_columns(str(path), len(header))
    if not header:
        raise ValueError(f"{path}: the file is empty or its first line is; expected column names")
    if header[0].startswith("#") and header[0] != "#":
        # As np.savetxt marks its header.
        header = [header[0].lstrip("# "), *header[1:]]
        note(f"{path}: its header begins with #, which is not taken as a part of the first name")
    if stated is None and separator != usual:
        note(f"{path}: its fields are separated by {SEPARATORS[separator]}")
    if _is_row(header):
        names = [f"x{step}" for step in range(len(header))]
        note(
            f"{path}: its first line holds numbers and is read as a row; the columns are called "
            f"{listed(names)}"
        )
        return TextLayout(path, separator, names, has_header=False)
    return TextLayout(path, separator, header, has_header=True)


def check_header_and_size(path: Path) -> None:
    """Raise if a file of comma-separated values is beyond the bounds of a table.

    For those that read such files themselves.
    """
    try:
        header = fields((_beginning(path) or [""])[0], ",")
    except csv.Error as error:
        raise ValueError(f"{path}: the header cannot be read: {error}; expected names") from error
    check_columns(str(path), len(header))
    check_text_table(path, len(header))


def separator_of(stated: str) -> str:
    r"""Return the separator that a character or a word means.

    Examples
    --------
    >>> separator_of("tab"), separator_of(";")
    ('\t', ';')
    """
    separator = WORDS.get(stated.casefold(), stated)
    if separator not in SEPARATORS:
        known = listed([*SEPARATORS, *WORDS])
        raise ValueError(f"separator: expected one of {known}, got {stated!r}")
    return separator


def opened(path: Path) -> IO[str]:
    """Return a text file, unpacked if its name ends in .gz."""
    if is_packed(path):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _beginning(path: Path) -> list[str]:
    """Return the first lines; a header in quotes may have several lines and comes as one."""
    try:
        with closing(opened(path)) as stream:
            header = _header(stream)
            others = list(_looked_at(stream))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    if not header.strip("\r\n"):
        return []
    # Blanks at the ends may be empty fields between tabs.
    return [line.rstrip("\r\n") for line in (header, *filter(str.strip, others))]


def _header(stream: IO[str]) -> str:
    """Return the first line, and those that follow it in quotes."""
    lines = [stream.readline(LONGEST_LINE)]
    quotes, size = lines[0].count('"'), len(lines[0])
    while quotes % 2 and size < LONGEST_LINE and (line := stream.readline(LONGEST_LINE)):
        lines.append(line)
        quotes += line.count('"')
        size += len(line)
    return "".join(lines)


def _looked_at(stream: IO[str]) -> Iterator[str]:
    """Yield the next lines, as many as show how fields are separated."""
    size = 0
    for _ in range(_LINES_LOOKED_AT):
        line = stream.readline(LONGEST_LINE)
        size += len(line)
        yield line
        if size > _LONGEST_LOOK:
            return


def lines(stream: IO[str]) -> Iterator[str]:
    """Yield the lines, or raise at one that seems never to end."""
    while line := stream.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"a line has {LONGEST_LINE} characters or more")
        yield line


def _is_row(header: list[str]) -> bool:
    """Tell whether the first line is one of data: numbers that no one would call columns by."""
    if not all(_NUMBER.fullmatch(name.strip()) for name in header):
        return False
    return len(set(header)) < len(header) or not all(name.strip().isdigit() for name in header)
