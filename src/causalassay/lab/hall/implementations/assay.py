"""From methods to rows: each check of each method, kept as soon as it is there."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from causalassay.common.files import write_text
from causalassay.lab.hall.implementations.checks import Check, Result, checks_of
from causalassay.lab.hall.implementations.methods import ALL, Asker, Method
from causalassay.present import today
from causalassay.study.keys import digest

FOLDER = "implementations"
"""The folder of the rows, below that of the results."""

Status = Literal["ok", "skipped"]
OnCheck = Callable[[str, int, int], None]
"""Called with a method and a check, the number of checks done, and of all."""


@dataclass(frozen=True)
class AssayRow:
    """A method and a check, with what came of it.

    Parameters
    ----------
    method, package, version, licence : str
        As `Method` has them; the version is that of the package.
    check : str
        The name of the check.
    status : {"ok", "skipped"}
    key : str
        Digits that change with all that the result depends on.
    date : str
        Of the check, in UTC.
    measured_with : str
        The version of causalassay.
    result : Result, or None
        None if it was skipped.
    reason : str
        Why it was skipped.
    """

    method: str
    package: str
    version: str
    licence: str
    check: str
    status: Status
    key: str
    date: str
    measured_with: str
    result: Result | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON."""
        return dataclasses.asdict(self)


def row_of(plain: dict[str, Any]) -> AssayRow:
    """Return the row that `AssayRow.to_dict` made plain.

    Raises
    ------
    KeyError, TypeError
        If it is none.
    """
    result = plain["result"]
    if result is not None:
        result = Result(**{**result, "lines": tuple(result["lines"])})
    return AssayRow(**{**plain, "result": result})


def key_of(method: Method, check: Check) -> str:
    """Return digits that change with all that the result of a check depends on."""
    promised = [method.truth, method.order, method.unit_free, method.random, method.sets]
    return digest([check.name, check.version, method.call, promised, method.identity])[:16]


def assay(
    methods: Sequence[Method],
    folder: Path,
    *,
    again: bool = False,
    on_check: OnCheck = lambda *_: None,
) -> list[AssayRow]:
    """Return the rows of some methods; those in the folder that still hold are not made again.

    Parameters
    ----------
    methods : sequence of Method
    folder : Path
        Of the results; each row is written there as soon as it is known.
    again : bool
        Whether to make all rows again.
    on_check : callable
    """
    tasks = [(method, check) for method in methods for check in checks_of(method)]
    asker, rows = Asker(), []
    try:
        for done, (method, check) in enumerate(tasks):
            on_check(f"{method.name}: {check.title}", done, len(tasks))
            rows.append(_row(asker, method, check, folder, again))
    finally:
        asker.close()
    return rows


def _row(asker: Asker, method: Method, check: Check, folder: Path, again: bool) -> AssayRow:
    known = _read(_path(folder, method.name)).get(check.name)
    key = key_of(method, check)
    if method.missing:
        # A row that was made where the package is there stays.
        return known if known is not None else _blank(method, check, key)
    if known is not None and known.key == key and not again:
        return known
    row = dataclasses.replace(
        _blank(method, check, key), status="ok", reason="", result=check.run(asker, method)
    )
    _keep(folder, row)
    return row


def _blank(method: Method, check: Check, key: str) -> AssayRow:
    return AssayRow(
        method.name,
        method.package,
        method.version,
        method.licence,
        check.name,
        "skipped",
        key,
        today(),
        version("causalassay"),
        reason=method.missing,
    )


def _keep(folder: Path, row: AssayRow) -> None:
    """Write a row among those of its method."""
    path = _path(folder, row.method)
    rows = {**_read(path), row.check: row}
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {name: each.to_dict() for name, each in rows.items()}
    write_text(path, f"{json.dumps(plain, indent=1, ensure_ascii=False)}\n")


def _read(path: Path) -> dict[str, AssayRow]:
    """Return the rows of a file by check; none if it is absent, or of an older form."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        return {name: row_of(each) for name, each in plain.items()}
    except (FileNotFoundError, AttributeError, KeyError, TypeError, ValueError):
        return {}


def _path(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{name}.json"


def kept_rows(folder: Path, methods: Iterable[Method] = ALL) -> list[AssayRow]:
    """Return the rows of a folder, in the order of the methods and their checks."""
    rows = []
    for method in methods:
        known = _read(_path(folder, method.name))
        rows += [known[check.name] for check in checks_of(method) if check.name in known]
    return rows
