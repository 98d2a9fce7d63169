"""Names of nodes, checked at the border."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from causalassay.common.spelling import shown
from causalassay.graphs.families import MOST_NODES


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
    check_count(len(checked), argument)
    seen: set[Hashable] = set()
    for name in checked:
        if name in seen:
            raise ValueError(f"{argument}: the name {shown(name)} appears twice; names must differ")
        seen.add(name)
    return checked


def check_count(n_nodes: int, argument: str) -> None:
    """Raise if a graph has too many nodes."""
    if n_nodes > MOST_NODES:
        raise ValueError(
            f"{argument}: expected at most {MOST_NODES} nodes, got {n_nodes}; "
            "leave out nodes, or cut the graph into parts"
        )
