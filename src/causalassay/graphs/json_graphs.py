"""Graphs in JSON files: nodes, and edges with their ends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from causalassay.graphs.edge_tables import edge_roles, is_directed
from causalassay.graphs.file_graph import FileGraph, of_edges
from causalassay.graphs.node_names import check_count
from causalassay.spelling import cut, shown, visible

EXPECTED = 'expected {"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "type": "->"}]}'


def read_json_graph(text: str, where: str) -> FileGraph:
    """Return the graph of a JSON text.

    Nodes are names, or objects with an id. Edges are listed under "edges" or "links"; their ends
    are called as in edge lists, and "type" may be "->" or "--".

    Parameters
    ----------
    text : str
    where : str
        The file, for messages.

    Examples
    --------
    >>> found = read_json_graph('{"edges": [{"source": "a", "target": "b"}]}', "g.json")
    >>> found.names, found.edges.tolist()
    (['a', 'b'], [[0, 1]])
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = cut(visible(str(error)))
        raise ValueError(f"{where}: not JSON: {reason}; {EXPECTED}") from None
    edges = whole.get("edges", whole.get("links")) if isinstance(whole, Mapping) else None
    nodes = whole.get("nodes", []) if isinstance(whole, Mapping) else None
    if not isinstance(edges, list) or not isinstance(nodes, list):
        raise ValueError(f"{where}: no list of edges; {EXPECTED}")
    check_count(len(nodes), where)
    names = [_name(one.get("id") if isinstance(one, Mapping) else one, where) for one in nodes]
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise ValueError(f"{where}: two nodes are called {shown(twice)}; names must differ")
    undirected = whole.get("directed") is False
    pairs: list[tuple[str, str]] = []
    for number, edge in enumerate(edges, 1):
        pairs += _pairs(edge, number, "--" if undirected else "->", where)
    return of_edges(pairs, names)


def _pairs(edge: Any, number: int, usual: str, where: str) -> list[tuple[str, str]]:
    roles = edge_roles([key for key in edge if key]) if isinstance(edge, Mapping) else None
    if roles is None:
        raise ValueError(f"{where}: edge {number} has no ends; {EXPECTED}")
    cause, effect = (_name(edge[roles[end]], where) for end in ("from", "to"))
    if cause == effect:
        raise ValueError(f"{where}: edge {number} joins {shown(cause)} to itself; leave it out")
    stated = str(edge[roles["type"]]) if "type" in roles else usual
    if is_directed(stated, f"{where}: edge {number}"):
        return [(cause, effect)]
    return [(cause, effect), (effect, cause)]


def _name(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError(f"{where}: got {shown(value)}, expected the name of a node")
    return str(value)
