"""Names of nodes: checked at the border, and the nearest one suggested for an unknown one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches


def check_names(
    names: Iterable[Hashable], argument: str, n_nodes: int | None = None
) -> list[Hashable]:
    """Return the names as a list, all different and `n_nodes` of them if given, or raise."""
    if isinstance(names, str):
        raise TypeError(f"{argument}: expected several names, got the string {names!r}")
    checked = list(names)
    if not checked:
        raise ValueError(f"{argument}: a graph has at least 1 node, got none")
    if n_nodes is not None and len(checked) != n_nodes:
        raise ValueError(
            f"{argument}: the graph has {n_nodes} nodes but there are {len(checked)} names"
        )
    seen: set[Hashable] = set()
    for name in checked:
        if name in seen:
            raise ValueError(f"{argument}: the name {name!r} comes twice; names must differ")
        seen.add(name)
    return checked


def unknown_name(name: Hashable, known: Sequence[Hashable]) -> str:
    """Return half a sentence on an unknown name: the nearest known one, or the first few."""
    near = get_close_matches(str(name), [str(other) for other in known], n=1)
    if near:
        return f"unknown node {name!r}, did you mean {near[0]!r}?"
    listed = ", ".join(repr(other) for other in known[:5]) + (", …" if len(known) > 5 else "")
    return f"unknown node {name!r}, the nodes are {listed}"
