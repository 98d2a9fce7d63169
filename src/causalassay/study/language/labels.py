"""The names of problems and algorithms, and the labels that rows are grouped by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePath
from typing import Any

from causalassay.common.registry import parameters
from causalassay.common.spelling import cut, visible
from causalassay.graphs.sources import GRAPHS
from causalassay.study.language.mistakes import Keys

Label = str | float | int | bool


def value_text(value: Any) -> str:
    """Return a value as names have it: short, and different for different values.

    Examples
    --------
    >>> value_text(0.1), value_text(2.0), value_text([0.5, 2]), value_text({"df": 4})
    ('0.1', '2', '0.5–2', 'df=4')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    if isinstance(value, Mapping) and "family" in value:
        rest = {key: inner for key, inner in value.items() if key != "family"}
        return f"{value['family']} {value_text(rest)}".strip()
    if isinstance(value, Mapping):
        return " ".join(f"{key}={value_text(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        numbers = len(value) == 2 and all(isinstance(one, int | float) for one in value)
        return ("–" if numbers else "+").join(value_text(one) for one in value)
    return cut(visible(str(value)))


def suffix(varied: Mapping[Keys, Any], known: Collection[Keys] = ()) -> str:
    """Return what varies as words, without the keys that the name has already.

    Examples
    --------
    >>> suffix({("graph", "n_nodes"): 10, ("model", "kind"): "iscm"})
    'n_nodes=10 iscm'
    """
    named = {keys: value for keys, value in varied.items() if keys not in known and keys}
    last = [keys[-1] for keys in named]
    words = []
    for keys, value in named.items():
        key = ".".join(keys) if last.count(keys[-1]) > 1 else keys[-1]
        text = value_text(value) or "none"
        words.append(text if keys[-1] == "kind" else f"{key}={text}")
    return " ".join(words)


def problem_name(table: Mapping[str, Any], varied: Mapping[Keys, Any]) -> str:
    """Return the default name: the family, its size, the model, and what else varies.

    Examples
    --------
    >>> graph = {"kind": "erdos-renyi", "n_nodes": 20, "edges_per_node": 2}
    >>> varied = {("model", "kind"): "iscm", ("samples",): 100}
    >>> problem_name({"graph": graph, "model": {"kind": "iscm"}}, varied)
    'erdos-renyi-20-2 iscm samples=100'
    >>> problem_name({"graph": graph, "model": {"kind": "iscm", "mechanism": "gp"}}, {})
    'erdos-renyi-20-2 gp iscm'
    """
    if isinstance(network := table.get("network"), str):
        return f"{visible(PurePath(network).stem)} {suffix(varied, {('network',)})}".strip()
    if isinstance(data := table.get("data"), Mapping):
        stem = visible(PurePath(str(data.get("file", "data"))).stem)
        words = [stem, suffix(varied, {("data", "file")})]
        return " ".join(word for word in words if word)
    graph, model = (
        part if isinstance(part := table.get(key), Mapping) else {} for key in ("graph", "model")
    )
    family = str(graph.get("kind", "graph"))
    sizes = _sizes(family)
    size = [value_text(graph[key]) for key in sizes if key in graph]
    known = {("graph", key) for key in ("kind", *sizes)} | {("model", "kind")}
    mechanism = str(model.get("mechanism", "linear"))
    if mechanism != "linear":
        known.add(("model", "mechanism"))
    words = [
        "-".join([family, *size]),
        "" if mechanism == "linear" else mechanism,
        str(model.get("kind", "model")),
        suffix(varied, known),
    ]
    return " ".join(word for word in words if word)


def problem_labels(table: Mapping[str, Any]) -> dict[str, Label]:
    """Return everything the table states, flat and plain.

    Examples
    --------
    >>> problem_labels({"samples": 9, "model": {"kind": "scm", "noise_sd": [0.5, 2.0]}})
    {'samples': 9, 'model.kind': 'scm', 'model.noise_sd': '0.5–2'}
    """
    labels: dict[str, Label] = {}
    for key, value in table.items():
        if not isinstance(value, Mapping):
            labels[key] = _label(value)
            continue
        for inner, one in value.items():
            labels[f"{key}.{inner}"] = _label(one)
    for key in ("data.file", "data.graph", "network"):
        if key in labels:
            labels[key] = PurePath(str(labels[key])).name
    return labels


def _label(value: Any) -> Label:
    return value if isinstance(value, bool | int | float) else value_text(value)


def _sizes(family: str) -> list[str]:
    """Return the fields of a family that have no default."""
    if family not in GRAPHS:
        return []
    return [name for name, default in parameters(GRAPHS[family]).items() if default == "required"]
