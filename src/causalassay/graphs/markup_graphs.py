"""Graphs in GraphML and GML files, read by networkx."""
# ruff: noqa: PLC0415  networkx is imported where used, so that graphs stay light

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any

from causalassay.graphs.file_graph import FileGraph, of_edges
from causalassay.graphs.node_names import check_count
from causalassay.spelling import cut, shown, visible

_LABELS = ("label", "name")
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def read_markup_graph(text: str, suffix: str, where: str) -> FileGraph:
    """Return the graph of a GraphML or GML text.

    A node is called by its id, in GML by its label; other labels are tried if the data have no
    columns of these names. Entities, by which a small XML file can grow without bound, are
    refused.

    Parameters
    ----------
    text : str
    suffix : {".graphml", ".gml"}
    where : str
        The file, for messages.
    """
    if suffix == ".graphml" and _FORBIDDEN.search(text):
        raise ValueError(f"{where}: it declares entities or a document type; remove them")
    graph = _parsed(text, suffix, where)
    check_count(len(graph), where)
    ids = [str(node) for node in graph]
    labels = _labels(graph)
    if suffix == ".gml" and labels is not None:
        ids, labels = labels, None
    if len(set(ids)) < len(ids):
        twice = next(name for name, times in Counter(ids).items() if times > 1)
        raise ValueError(f"{where}: two nodes are called {shown(twice)}; names must differ")
    called = dict(zip(graph, ids, strict=True))
    pairs = [(called[a], called[b]) for a, b in graph.edges()]
    loop = next((a for a, b in pairs if a == b), None)
    if loop is not None:
        raise ValueError(f"{where}: node {shown(loop)} has an edge to itself; leave it out")
    if not graph.is_directed():
        pairs += [(b, a) for a, b in pairs]
    return of_edges(pairs, ids, labels=labels)


def _parsed(text: str, suffix: str, where: str) -> Any:
    import networkx as nx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of attributes that are not used
            if suffix == ".graphml":
                return nx.parse_graphml(text)
            return nx.parse_gml(text, label="id")
    except Exception as error:  # the parsers raise whatever a broken file leads to
        reason = cut(visible(str(error) or type(error).__name__), 300)
        raise ValueError(f"{where}: not a readable {suffix} file: {reason}") from None


def _labels(graph: Any) -> list[str] | None:
    """Return what all nodes are called beside their ids."""
    for key in _LABELS:
        found = [attributes.get(key) for _, attributes in graph.nodes(data=True)]
        if found and None not in found:
            return [str(label) for label in found]
    return None
