"""A study's table as arrays: algorithms × cells, whatever the order of its rows.

A cell is a problem and a replicate, where every algorithm meets the same data.
Cells lie in instances, a graph and a replicate, over which means are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causalassay.common.arrays import Values, Vector

if TYPE_CHECKING:
    from causalassay.study.storage import StudyTable

Codes = NDArray[np.integer[Any]]

STATUSES = ("ok", "skipped", "failed", "timeout")
OK, ABSENT = 0, -1
SCHEME = "scheme"
SCHEMES = (
    "raw",
    "raw + rescale-in-order",
    "raw + rescale-at-random",
    "standardized",
    "iscm",
    "uumc",
)
"""The order in which tables name the schemes; others follow by name, files last."""
FROM_FILE = "data"
FILE, FILE_NAME = "file of the instance", "data.file"
"""The file that a row's data are from, empty for others; and where the table has its name."""
FOLDER, FOLDER_NAME = "folder of the instance", "data.files"
"""The same for the folder whose files are the instances of one scheme."""
FAMILY, NODES, SAMPLES, DENSITY = LABELS = (
    *("graph.kind", "graph.n_nodes", "samples"),
    "graph.edges_per_node",
)
"""Columns of the problem that verdicts and charts look at, where a study has them."""
NOISE, PLAIN_NOISE = "model.noise", "gaussian"
"""The law of the noise, and the one that a scheme's name leaves out."""
SORTING = ("var-sortnregress", "r2-sortnregress")
RANDOM_ORDER = "random-sortnregress"
RELATIVES_ORDER = "relatives-sortnregress"
EMPTY = "empty"


@dataclass(frozen=True)
class Group:
    """Cells that are averaged together: the values they share, and their indices."""

    values: tuple[Any, ...]
    cells: Codes


@dataclass(frozen=True)
class Runs:
    """The rows of a study by algorithm and cell.

    Parameters
    ----------
    algorithms, roles, uses : tuple of str
        Listed ones first, then by name; the name of each in the registry.
    cells : DataFrame
        One row per cell, by problem and replicate: ``problem``, ``replicate``, ``scheme``
        and the columns that were asked for.
    instances : (n_cells,) array of int
    status : (n_algorithms, n_cells) array of int
        Index in `STATUSES`, or `ABSENT` where the table has no row.
    scores : mapping
        Metric to (n_algorithms, n_cells) array, nan where undefined or not ok.
    controls : mapping
        Control to an array of the same shape.
    measured : mapping
        Diagnostic to (n_cells,) array.
    better : mapping
        Metric to 1 if high scores are better, to -1 if low ones are.
    """

    algorithms: tuple[str, ...]
    roles: tuple[str, ...]
    uses: tuple[str, ...]
    cells: pd.DataFrame
    instances: Codes
    status: Codes
    scores: Mapping[str, Values]
    controls: Mapping[str, Values]
    measured: Mapping[str, Vector]
    better: Mapping[str, int]

    @cached_property
    def file_schemes(self) -> frozenset[str]:
        """The schemes that are data files or folders of them, changed or not."""
        return frozenset(self.cells.loc[self.cells[FILE] != "", SCHEME])

    @cached_property
    def folder_schemes(self) -> tuple[frozenset[str], ...]:
        """For each scheme of a folder of data files: itself and its transformed ones."""
        members: dict[str, set[str]] = {}
        for scheme in self.cells.loc[self.cells[FOLDER] != "", SCHEME].unique():
            members.setdefault(str(scheme).split(" + ")[0], set()).add(scheme)
        return tuple(map(frozenset, members.values()))

    @cached_property
    def spans(self) -> dict[str, tuple[float, float]]:
        """The least and the most that a mean of each metric can be, as far as its scores tell."""
        spans = {}
        for metric, scores in self.scores.items():
            known = scores[~np.isnan(scores)]
            least = 0.0 if (known >= 0).all() else -np.inf
            is_share = self.better[metric] == 1 and (known <= 1).all()
            spans[metric] = (least, 1.0 if is_share else np.inf)
        return spans

    @cached_property
    def baselines(self) -> tuple[int, ...]:
        """The indices of the baselines: the algorithms that were added for comparison.

        If none was added, those whose name in the registry is a baseline's.
        """
        added = tuple(i for i, role in enumerate(self.roles) if role == "baseline")
        known = {*SORTING, RANDOM_ORDER, RELATIVES_ORDER, EMPTY}
        return added or tuple(i for i, use in enumerate(self.uses) if use in known)

    def using(self, name: str) -> tuple[int, ...]:
        """Return the indices of the algorithms that have this name in the registry.

        A baseline that was added for comparison takes precedence over an algorithm that
        the study lists with hyperparameters of its own.
        """
        matches = tuple(i for i, use in enumerate(self.uses) if use == name)
        return tuple(i for i in matches if self.roles[i] == "baseline") or matches

    def scores_of(self, metric: str, algorithm: str) -> Vector:
        """Return an algorithm's score in each cell."""
        scores: Vector = self.scores[metric][self.algorithms.index(algorithm)]
        return scores

    def groups(self, by: Sequence[str]) -> Iterator[Group]:
        """Yield the groups of cells that share the values of some columns, in their order."""
        if not by:
            yield Group((), np.arange(len(self.cells)))
            return
        codes, kinds = _encode_all([self.cells[name] for name in by])
        for code, values in enumerate(kinds):
            yield Group(values, np.flatnonzero(codes == code))


def arrange(table: StudyTable, by: Sequence[str] = (SCHEME,)) -> Runs:
    """Return the table as arrays, checked.

    Raises
    ------
    ValueError
        If a column is missing, a status unknown, a task has two rows, or a column to
        group by differs within a problem and replicate.
    """
    frame = _with_laws_named(_with_files_named(table.frame))
    _check_columns(frame, (*table.metrics, *table.controls, *by))
    algorithm, names = _encode(frame["algorithm"])
    firsts = _first_rows(algorithm, len(names))
    roles = [str(frame["role"].iloc[row]) for row in firsts]
    uses = [str(frame["use"].iloc[row]) for row in firsts] if "use" in frame else names
    order = sorted(range(len(names)), key=lambda i: (roles[i] == "baseline", names[i]))
    algorithm = np.argsort(order)[algorithm] if order else algorithm
    cell, cells = _cells(frame, dict.fromkeys(("graph_key", SCHEME, FILE, FOLDER, *by)))
    shape = (len(names), len(cells))
    position = algorithm * shape[1] + cell
    _check_once(frame, position)
    status = np.full(shape, ABSENT, dtype=np.int8)
    status.flat[position] = _status(frame["status"])
    return Runs(
        tuple(str(names[i]) for i in order),
        tuple(roles[i] for i in order),
        tuple(str(uses[i]) for i in order),
        cells,
        _instances(cells),
        status,
        {metric: _scattered(frame[metric], position, status) for metric in table.metrics},
        {name: _scattered(frame[name], position, status) for name in table.controls},
        {name: _by_cell(frame[name], cell, len(cells)) for name in table.diagnostics},
        {metric: 1 if table.better[metric] == "high" else -1 for metric in table.metrics},
    )


def _check_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    needed = ("algorithm", "role", "status", "reason", "problem", "replicate", "graph_key", SCHEME)
    missing = [name for name in dict.fromkeys((*needed, *names)) if name not in frame]
    if missing:
        raise ValueError(f"the table has no column {missing}; it has {list(frame.columns)}")


def _check_once(frame: pd.DataFrame, position: Codes) -> None:
    once, counts = np.unique(position, return_counts=True)
    if len(once) < len(position):
        row = frame.iloc[int(np.flatnonzero(position == once[counts.argmax()])[0])]
        raise ValueError(
            f"expected one row for each algorithm, problem and replicate, got {counts.max()} for "
            f"{row['algorithm']!r}, {row['problem']!r}, {row['replicate']!r}"
        )


def _status(column: pd.Series[Any]) -> Codes:
    codes, kinds = pd.factorize(column)
    unknown = [kind for kind in kinds if kind not in STATUSES] + [None] * bool((codes < 0).any())
    if unknown:
        raise ValueError(f"status: expected one of {list(STATUSES)}, got {unknown}")
    return np.array([STATUSES.index(kind) for kind in kinds], dtype=np.int8)[codes]


def _cells(frame: pd.DataFrame, columns: Mapping[str, None]) -> tuple[Codes, pd.DataFrame]:
    """Return the cell of each row and the table of cells."""
    problem, problems = _encode(frame["problem"])
    replicate, replicates = _encode(frame["replicate"])
    kinds, cell = np.unique(problem * len(replicates) + replicate, return_inverse=True)
    firsts = _first_rows(cell, len(kinds))
    table = {
        "problem": [problems[kind // len(replicates)] for kind in kinds],
        "replicate": [replicates[kind % len(replicates)] for kind in kinds],
    }
    for name in columns:
        codes, values = _encode(frame[name])
        if (codes != codes[firsts][cell]).any():
            raise ValueError(
                f"{name}: expected one value for each problem and replicate, since every "
                "algorithm meets the same data; group by a column of the problem"
            )
        table.setdefault(name, [values[code] for code in codes[firsts]])
    return cell, pd.DataFrame(table)


def _instances(cells: pd.DataFrame) -> Codes:
    """Return the instance of each cell; a problem without the key of a graph is its own.

    The replicates on a file are bootstraps of the same rows: one instance. So are the files of
    a folder on one graph: nothing says that these were drawn independently.
    """
    known = cells["graph_key"].notna()
    graph = cells["graph_key"].where(known, cells["problem"])
    folder, file = cells[FOLDER].astype(str), cells[FILE].astype(str)
    replicate = cells["replicate"].where(file == "", 0)
    return _encode_all([known, graph, folder, file.where(folder == "", ""), replicate])[0]


def _with_files_named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the file and the folder of each; files have schemes of their names.

    Single files have nothing in common but that they are files: each is judged by itself. Those
    of a folder are the instances of its scheme.
    """
    if SCHEME not in frame:
        return frame
    frame, in_folder = _with_folders(frame)
    schemes, kinds = pd.factorize(frame[SCHEME])
    first = np.array([str(kind).split(" + ")[0] == FROM_FILE for kind in kinds] + [False])
    from_file = first[schemes] & ~in_folder  # -1 is no scheme
    names = frame[FILE_NAME] if FILE_NAME in frame else pd.Series(FROM_FILE, frame.index)
    file = names.astype(str).where(from_file | in_folder, "")
    frame = frame.assign(**{FILE: file})
    if not from_file.any():
        return frame
    if file[from_file].nunique() > 1:
        changes = frame[SCHEME].astype(str).str.removeprefix(FROM_FILE)
        frame[SCHEME] = frame[SCHEME].astype(object).mask(from_file, file + changes)
    return frame


def _with_laws_named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with schemes by noise law, where one scheme has several laws.

    A law is a cause of its own: with one non-Gaussian law kurtosis falls along the order, with
    mixed laws it does not. Judged together, neither would be seen.
    """
    if SCHEME not in frame or NOISE not in frame:
        return frame
    several = frame.groupby(SCHEME)[NOISE].transform("nunique") > 1
    law = frame[NOISE].astype(str)
    named = several & frame[NOISE].notna() & (law != PLAIN_NOISE)
    if not named.any():
        return frame
    schemes = frame[SCHEME].astype(object)
    return frame.assign(**{SCHEME: schemes.mask(named, law + " " + schemes.astype(str))})


def _with_folders(frame: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Return the rows with the folder of each, and whether it has one."""
    if FOLDER_NAME not in frame:
        return frame.assign(**{FOLDER: ""}), np.zeros(len(frame), dtype=bool)
    in_folder = frame[FOLDER_NAME].notna().to_numpy()
    return frame.assign(**{FOLDER: frame[FOLDER_NAME].astype(str).where(in_folder, "")}), in_folder


def _encode_all(columns: Sequence[pd.Series[Any]]) -> tuple[Codes, list[tuple[Any, ...]]]:
    """Return the code of each row's values in several columns, and the values by code."""
    encoded = [_encode(column) for column in columns]
    joint = np.zeros(len(columns[0]), dtype=np.int64)
    for codes, kinds in encoded:
        joint = joint * len(kinds) + codes
    _, firsts, dense = np.unique(joint, return_index=True, return_inverse=True)
    values = [tuple(kinds[codes[row]] for codes, kinds in encoded) for row in firsts]
    return dense, values


def _encode(column: pd.Series[Any]) -> tuple[Codes, list[Any]]:
    """Return the code of each value, and the plain values by code, sorted; nan as None."""
    codes, kinds = pd.factorize(column, use_na_sentinel=False)
    plain = [None if pd.isna(kind) else getattr(kind, "item", lambda k=kind: k)() for kind in kinds]
    order = sorted(range(len(plain)), key=lambda i: _sort_key(plain[i], column.name == SCHEME))
    return np.argsort(order)[codes] if order else codes, [plain[i] for i in order]


def _sort_key(value: Any, is_scheme: bool) -> tuple[Any, ...]:
    if value is None:
        return (3, "", 0)
    if is_scheme and value in SCHEMES:
        return (0, "", SCHEMES.index(value))
    if is_scheme:
        return (1 + (value == FROM_FILE), "str", str(value))
    if isinstance(value, bool | int | float):
        return (0, "number", value)
    return (1, type(value).__name__, str(value))


def _first_rows(codes: Codes, n_kinds: int) -> Codes:
    first = np.zeros(n_kinds, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _scattered(column: pd.Series[Any], position: Codes, status: Codes) -> Values:
    scores = np.full(status.shape, np.nan)
    scores.flat[position] = column.to_numpy(dtype=float, na_value=np.nan)
    scores[status != OK] = np.nan
    return scores


def _by_cell(column: pd.Series[Any], cell: Codes, n_cells: int) -> Vector:
    values = column.to_numpy(dtype=float, na_value=np.nan)
    defined = ~np.isnan(values)
    by_cell = np.full(n_cells, np.nan)
    np.fmax.at(by_cell, cell[defined], values[defined])
    return by_cell


# How tables, figures and sentences write names: one way everywhere.

SCHEME_NAMES = {"iscm": "iSCM", "uumc": "UUMC", "dao": "DaO", "snr": "SNR", FROM_FILE: "data file"}
CHANGES = {
    "rescale-in-order": "rescaled in order",
    "rescale-at-random": "rescaled at random",
    "standardize": "standardized",
    "shuffle-labels": "with shuffled labels",
}
"""What a transform makes of a scheme."""


def scheme_name(scheme: object) -> str:
    """Return what tables and sentences call a scheme.

    Examples
    --------
    >>> scheme_name("raw"), scheme_name("iscm"), scheme_name("gp raw"), scheme_name("mixed uumc")
    ('raw', 'iSCM', 'gp raw', 'mixed UUMC')
    >>> scheme_name("raw + rescale-in-order"), scheme_name("mine.csv + standardize")
    ('raw rescaled in order', 'mine.csv standardized')
    >>> scheme_name(None)
    'no scheme'
    """
    if not isinstance(scheme, str):
        return "no scheme"
    kind, *changes = scheme.split(" + ")
    words = " ".join(SCHEME_NAMES.get(word, word) for word in kind.split(" "))
    return " ".join([words, *(CHANGES.get(change, f"+ {change}") for change in changes)])


def problem_name(problem: str) -> str:
    """Return what tables call a problem: study files write `scm` for raw data.

    Examples
    --------
    >>> problem_name("erdos-renyi-20-2 scm"), problem_name("erdos-renyi-20-2 iscm")
    ('erdos-renyi-20-2 raw', 'erdos-renyi-20-2 iSCM')
    """
    names = SCHEME_NAMES | {"scm": "raw"}
    return " ".join(names.get(word, word) for word in problem.split(" "))
