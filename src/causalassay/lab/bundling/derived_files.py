"""Checks what a bundle says about its rows: report, card and description are computed again."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import zlib
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from causalassay.analysis import analyse
from causalassay.analysis.report.charts.figures import gallery
from causalassay.analysis.report.page.page import PageContent, render_page, vega_bundle
from causalassay.common.opening import read_text
from causalassay.common.spelling import shown
from causalassay.lab.bundling import contents as names
from causalassay.lab.bundling.contents import licence_text, read_checksums
from causalassay.lab.bundling.croissant import description_text
from causalassay.lab.bundling.document import CardContent, card_text
from causalassay.lab.bundling.sessions import read_sessions
from causalassay.lab.bundling.study_files import code_files, data_files
from causalassay.study.plan import Study
from causalassay.study.storage.table import StudyTable

MOST_PAGE = 200_000_000
"""Bytes of a report."""

_NUMBER = re.compile(r"((?:(?<![\w.)])-)?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")
_PACKED = re.compile(
    r'(?<=<script type="text/plain" id="figure-data">)[A-Za-z0-9+/=]*(?=</script>)'
)
_SHOWN = 40
"""Characters of a difference that a message shows."""
_DIGITS = 1e-9
"""Two machines may compute numbers that differ by this share."""


def check_derived(
    folder: Path, study: Study, table: StudyTable, sums: Mapping[str, str], hint: str
) -> None:
    """Refuse a report, a card or a description that do not say what the rows say.

    Parameters
    ----------
    folder : Path
    study : Study
    table : StudyTable
        Its rows, as they were checked.
    sums : mapping
        The files of the bundle and their checksums.
    hint : str
        What to do if the bundle was made with another version.
    """
    described = _json(folder / names.CROISSANT)
    ran = read_sessions(folder / names.SESSIONS, study)
    analysis = analyse(table)
    status = ran.status(study, table.frame)
    page = PageContent(status, ran.sessions, analysis, gallery(analysis), ran.choices)
    _refuse_page(folder / names.REPORT, render_page(page), hint)
    outside = folder / names.NOT_INCLUDED
    absent = read_checksums(outside) if outside.is_file() else {}
    data = data_files(study.problems)
    content = CardContent(
        study,
        status,
        ran.sessions,
        analysis,
        code_files(study, folder),
        [file for file in data if file.place not in absent],
        [file for file in data if file.place in absent],
        [*sums, names.CHECKSUMS],
        _licence(folder / names.LICENCE),
        _text(described, "creator", "name"),
    )
    _refuse_other(folder / names.CARD, card_text(content), hint)
    others = {name: one for name, one in sums.items() if name != names.CROISSANT}
    expected = description_text(content, others, folder, _text(described, "url"))
    _refuse_other(folder / names.CROISSANT, expected, hint)


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path, "a description"))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} cannot be read; it is not as it was bundled")
    return content


def _text(described: Mapping[str, Any], *path: str) -> str | None:
    """Return what the authors stated, None if they did not."""
    value: Any = described
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def _licence(path: Path) -> str | None:
    """Return the licence that the authors state, if the file is as it is written for it."""
    if not path.is_file():
        return None
    text = read_text(path, "a licence")
    stated = re.match(r"(?:SPDX-License-Identifier|Text): (\S+)\n", text)
    if not stated or licence_text(stated[1]) != text:
        raise ValueError(f"{path.name} is not as it was bundled")
    return stated[1]


def _refuse_page(path: Path, expected: str, hint: str) -> None:
    actual = read_text(path, "a report", MOST_PAGE)
    if actual == expected:
        return
    if vega_bundle() not in actual and vega_bundle() in expected:
        raise ValueError(
            f"{path.name} has another script for its charts than the packages here; check the "
            f"bundle in an environment with its {names.LOCK}, and do not open the page before"
        )
    _refuse_difference(path.name, _PACKED.sub("", actual), _PACKED.sub("", expected), hint)
    data = _unpacked(expected, MOST_PAGE)
    _refuse_difference(path.name, _unpacked(actual, 2 * len(data) + 1000), data, hint)


def _unpacked(page: str, most: int) -> str:
    """Return the data of the figures in a page; what is longer than `most` is cut."""
    found = _PACKED.search(page)
    try:
        packed = base64.b64decode(found[0]) if found else b""
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(packed, most).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return ""


def _refuse_other(path: Path, expected: str, hint: str) -> None:
    _refuse_difference(path.name, read_text(path, "a text of a bundle"), expected, hint)


def _refuse_difference(name: str, actual: str, expected: str, hint: str) -> None:
    found = difference(actual, expected)
    if found:
        raise ValueError(
            f"{name} does not say what the rows say: {shown(found[0])} instead of "
            f"{shown(found[1])}{hint}"
        )


def difference(actual: str, expected: str) -> tuple[str, str] | None:
    """Return where two texts differ, None if only in the last digits of numbers.

    Machines do not add numbers in the same order, so that a number may be rounded differently.
    Numbers without a decimal point are counts, which must be equal.

    Examples
    --------
    >>> difference("mean 0.50 in 12 rows", "mean 0.51 in 12 rows")
    >>> difference("mean 0.50 in 12 rows", "mean 0.50 in 13 rows")
    ('12 rows', '13 rows')
    """
    if actual == expected:
        return None
    place, expected_place = 0, 0
    parts = zip_longest(_NUMBER.split(actual), _NUMBER.split(expected), fillvalue="")
    for index, (part, expected_part) in enumerate(parts):
        is_number = index % 2 == 1
        if part != expected_part and not (is_number and _close(part, expected_part)):
            same = 0 if is_number else len(os.path.commonprefix([part, expected_part]))
            return (
                actual[place + same :][:_SHOWN],
                expected[expected_place + same :][:_SHOWN],
            )
        place, expected_place = place + len(part), expected_place + len(expected_part)
    return None


def _close(text: str, expected: str) -> bool:
    """Tell whether two numbers may be the same one, computed and rounded elsewhere."""
    if not all(re.search("[.eE]", one) for one in (text, expected)):
        return False
    tolerance = max(_unit(text), _unit(expected), _DIGITS * abs(float(expected)), _DIGITS**1.5)
    return abs(float(text) - float(expected)) <= 1.01 * tolerance


def _unit(text: str) -> float:
    """Return what the last digit of a number stands for.

    Examples
    --------
    >>> _unit("0.25"), _unit("1.5e-3")
    (0.01, 0.0001)
    """
    mantissa, _, power = text.lower().partition("e")
    return float(10.0 ** (int(power or 0) - len(mantissa.partition(".")[2])))
