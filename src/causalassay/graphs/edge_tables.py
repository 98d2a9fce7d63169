"""Edge lists: a table with a line for each edge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from causalassay.common.opening import note
from causalassay.common.spelling import listed, shown
from causalassay.graphs.file_graph import FileGraph, of_edges
from causalassay.graphs.node_names import check_count

ENDS = (
    ("from", "to"),
    ("source", "target"),
    ("cause", "effect"),
    ("parent", "child"),
    ("tail", "head"),
    ("src", "dst"),
    ("start", "end"),
)
"""What the two columns of an edge list are called, in letters of any size."""

TYPES = ("type", "edge_type", "direction")
WEIGHTS = ("weight", "weights", "coefficient", "coef", "value", "beta")

_DIRECTED = ("->", "-->", "directed")
_UNDIRECTED = ("--", "---", "undirected")
_INDEX = ("", "unnamed: 0", "index", "id")


def edge_roles(header: Sequence[str]) -> dict[str, str] | None:
    """Return which column of a header is what, or None if it is not that of an edge list.

    Examples
    --------
    >>> edge_roles(["Source", "Target", "Weight"])
    {'from': 'Source', 'to': 'Target', 'weight': 'Weight'}
    >>> edge_roles(["raf", "mek"])
    """
    by_name = {name.casefold(): name for name in header}
    ends = next((pair for pair in ENDS if set(pair) <= set(by_name)), None)
    if ends is None or len(by_name) < len(header):
        return None
    roles = {"from": by_name[ends[0]], "to": by_name[ends[1]]}
    for role, names in (("type", TYPES), ("weight", WEIGHTS)):
        present = next((by_name[name] for name in names if name in by_name), None)
        if present is not None:
            roles[role] = present
    return roles


def read_edge_table(
    roles: Mapping[str, str],
    header: Sequence[str],
    lines: Sequence[tuple[int, list[str]]],
    where: str,
) -> FileGraph:
    """Return the graph of an edge list.

    Parameters
    ----------
    roles : mapping
        Of `edge_roles`.
    header : sequence of str
    lines : sequence of (number, fields)
    where : str
        The file, for messages.
    """
    _note_columns(roles, header, where)
    edges: list[tuple[str, str]] = []
    alone: list[str] = []
    places: dict[str, str] = {}
    n_zero = 0
    for number, line in lines:
        row = dict(zip(header, line, strict=True))
        edge = (row[roles["from"]], row[roles["to"]])
        if edge[0] and not edge[1] and "type" in roles and not row[roles["type"]]:
            alone.append(edge[0])  # a node without edges
            places.setdefault(edge[0], f"line {number}: ")
            continue
        if edge[0] == edge[1]:
            raise ValueError(
                f"{where}: line {number} joins {shown(edge[0])} to itself; leave it out"
            )
        if "" in edge:
            ends = f"{roles['from']} or {roles['to']}"
            raise ValueError(f"{where}: line {number} names no node under {ends}")
        for name in edge:
            places.setdefault(name, f"line {number}: ")
        check_count(len(places), where)
        if "weight" in roles and _weight(row[roles["weight"]], number, where) == 0:
            n_zero += 1
        elif is_directed(
            row[roles["type"]] if "type" in roles else "->", f"{where}: line {number}"
        ):
            edges.append(edge)
        else:
            edges += [edge, edge[::-1]]
    if n_zero:
        note(f"{where}: {n_zero} of its lines have weight 0 and are not read as edges")
    return of_edges(edges, alone, places=places)


def _note_columns(roles: Mapping[str, str], header: Sequence[str], where: str) -> None:
    """Say which columns are not used."""
    used = set(roles.values())
    other = [name for name in header if name not in used and name.casefold() not in _INDEX]
    if other:
        note(f"{where}: its columns {listed(other)} are not read")


def is_directed(kind: str, where: str) -> bool:
    """Tell whether the type of an edge says that it has a direction, or raise."""
    word = kind.casefold()
    if word in _DIRECTED:
        return True
    if word in _UNDIRECTED:
        return False
    raise ValueError(f'{where}: type is "->" or "--", got {shown(kind)}')


def _weight(text: str, number: int, where: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = float("nan")
    if math.isnan(weight):
        raise ValueError(f"{where}: line {number}: expected a number as weight, got {shown(text)}")
    return weight
