"""The graphs that a study's algorithms found, as files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from causalassay.common.files import check_new_folder, filled_folder, unsaid
from causalassay.common.spelling import did_you_mean
from causalassay.contracts import Estimate
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.graphs.formats.writing import FORMATS, Layout, writable_names, write_graph
from causalassay.study.estimate_encoding import decode
from causalassay.study.language import parse_study
from causalassay.study.problem_specs import Generated, ProblemSpec
from causalassay.study.storage import StoreReader, read_store, study_table
from causalassay.study.storage.checks import checksum
from causalassay.study.storage.exporting import inert_text
from causalassay.study.worker.problem_making import NoProblem, columns_of_file

GRAPH_FORMATS: dict[str, tuple[str, Layout]] = {
    "csv": (".csv", "edges"),
    "matrix": (".csv", "matrix"),
    **{suffix[1:]: (suffix, "matrix") for suffix in FORMATS if suffix != ".gv"},
}
"""By name: the ending of the files, and the layout of a CSV file."""

INDEX = "index.csv"
HEAD = (
    *("file", "problem", "replicate", "algorithm", "status", "reason", "kind"),
    *("directed", "undirected", "names", "key"),
)
LONGEST_PART = 60
"""Letters of a name of a problem or an algorithm in the name of a file."""

Names = Mapping[str, tuple[str, ...]]


def export_graphs(
    folder: Path,
    target: Path,
    *,
    format: str = "csv",  # noqa: A002  as the option is called
    everything: bool = False,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> int:
    """Write the estimate of each row of a study as a graph file, and an index of them.

    The index has every row, also those without a graph, with the reason. Nodes are called as
    the columns of the data where the study's data file is still there, else x0, x1, …. An
    interrupted export leaves no folder.

    Parameters
    ----------
    folder : Path
        Of the store.
    target : Path
        The folder to write, which must not be there or be empty.
    format : str
        A key of `GRAPH_FORMATS`.
    everything : bool
        As for `study_table`.
    on_progress : callable
        Called with the number of rows done and of all rows.

    Returns
    -------
    int
        The number of graphs.
    """
    if format not in GRAPH_FORMATS:
        hint = did_you_mean(format, list(GRAPH_FORMATS))
        raise ValueError(f"format: there is no {format!r}; {hint}")
    check_new_folder(target)
    rows = study_table(folder, everything=everything).frame
    written, taken = 0, {INDEX}
    with read_store(folder) as reader, filled_folder(target) as partial:
        names = _column_names(reader)
        with (partial / INDEX).open("w", newline="", encoding="utf-8") as file:
            index = csv.writer(file, lineterminator="\n")
            index.writerow(HEAD)
            for done, row in enumerate(rows.to_dict("records"), 1):
                line = _written(reader, row, names, partial, GRAPH_FORMATS[format], taken)
                written += bool(line["file"])
                index.writerow([inert_text(str(line[name])) for name in HEAD])
                on_progress(done, len(rows))
    return written


def _written(
    reader: StoreReader,
    row: Mapping[Any, Any],
    names: Names,
    folder: Path,
    how: tuple[str, Layout],
    taken: set[str],
) -> dict[str, Any]:
    """Write the graph of a row, if it has one; return its line of the index."""
    line = dict.fromkeys(HEAD, "") | {name: row[name] for name in HEAD if name in row}
    line["reason"] = row["reason"] if isinstance(row["reason"], str) else ""
    estimate = _estimate(reader, str(row["key"]))
    if not isinstance(estimate, Estimate):
        return line | {"reason": line["reason"] or estimate}
    graph = estimate.graph
    known = names.get(str(row["problem"]))
    columns = known if known else tuple(f"x{k}" for k in range(len(graph)))
    file = _file_name(row, how[0], taken)
    feedback = estimate.kind == "summary"
    write_graph(folder / file, graph, columns, layout=how[1], feedback=feedback)
    return line | {
        "file": file,
        "kind": estimate.kind,
        "directed": int(graph.sum() if feedback else directed_part(graph).sum()),
        "undirected": 0 if feedback else int(undirected_part(graph).sum()) // 2,
        "names": "of the data" if known is not None else "numbers of columns",
    }


def _estimate(reader: StoreReader, key: str) -> Estimate | str:
    """Return what is stored for a row, or why there is nothing to read."""
    stored = reader.connection.execute(
        "SELECT CAST(blob AS BLOB), estimates.checksum FROM estimates "
        "JOIN rows ON rows.id = estimates.row WHERE key = ?",
        (key,),
    ).fetchone()
    if stored is None:
        return "no graph is stored"
    if checksum((key,), stored[0]) != stored[1]:
        return "the stored graph is damaged"
    return decode(stored[0])


def _column_names(reader: StoreReader) -> dict[str, tuple[str, ...]]:
    """Return the columns of each problem, but for those whose file is not there any more."""
    names: dict[str, tuple[str, ...]] = {}
    with unsaid():
        try:
            study = parse_study(reader.text, reader.folder.absolute().parent)
        except (ValueError, OSError):  # its files are not there any more
            return {}
        for problem in study.problems:
            with suppress(NoProblem, ValueError, OSError):
                names[problem.name] = _columns(problem.spec)
    return names


def _columns(spec: ProblemSpec) -> tuple[str, ...]:
    """Return the names of a problem's columns; empty for x0, x1, …."""
    return () if isinstance(spec, Generated) else tuple(writable_names(columns_of_file(spec)))


def _file_name(row: Mapping[Any, Any], ending: str, taken: set[str]) -> str:
    """Return a name that no other row of the export has."""
    short, long = graph_file_names(row, ending)
    name = long if short in taken else short
    taken.add(name)
    return name


def graph_file_names(row: Mapping[Any, Any], ending: str) -> tuple[str, str]:
    """Return what the graph of a row is called, and with its whole key if that is not unique.

    The letters are such as any disk takes.
    """
    parts = [_plain(str(row["problem"])), f"r{row['replicate']}", _plain(str(row["algorithm"]))]
    key = str(row["key"])
    return "_".join([*parts, key[:12]]) + ending, "_".join([*parts, key]) + ending


def _plain(text: str) -> str:
    """Return letters, digits, dots and hyphens of a text, small, since some disks do not differ.

    Examples
    --------
    >>> _plain("ER 20 / σ=2"), _plain("../..")
    ('er-20-2', 'unnamed')
    """
    plain = re.sub(r"[^a-z0-9.]+", "-", text.lower())[:LONGEST_PART].strip("-.")
    return plain or "unnamed"
