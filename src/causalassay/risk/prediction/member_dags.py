"""The DAGs that an estimate stands for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.graphs import extend, is_dag, meek_closure
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.metrics.resolution import MOST_MEMBERS, members


def member_dags(graph: Adjacency, rng: Generator, most: int = MOST_MEMBERS) -> list[Adjacency]:
    """Return the DAGs with the graph's skeleton, its arrows and no further v-structure.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        A DAG, a CPDAG, or a PDAG such as that of GIES.
    rng : Generator
        Used only where there are more than `most` members: then that many are drawn, uniformly
        if all nodes of an undirected component have the same parents outside, as in every CPDAG
        and every interventional essential graph; else by directing the edges one by one.
    most : int

    Raises
    ------
    NoExtension
        If there is no such DAG.

    Examples
    --------
    >>> from causalassay.graphs import chain, skeleton
    >>> len(member_dags(skeleton(chain(4)), np.random.default_rng(0)))
    4
    """
    if is_dag(graph):
        return [graph]
    extend(graph)
    closed = meek_closure(graph)
    arrows, lines = directed_part(closed), undirected_part(closed)
    if _same_parents_along(lines, arrows):
        return [arrows | dag for dag in members(lines, rng, most).dags]
    listed = list(islice(_every_direction(closed), most + 1))
    if len(listed) <= most:
        return listed
    return [_directed_at_random(closed, rng) for _ in range(most)]


def _same_parents_along(lines: Adjacency, arrows: Adjacency) -> bool:
    first, second = np.nonzero(lines)
    return bool((arrows[:, first] == arrows[:, second]).all())


def _every_direction(closed: Adjacency) -> Iterator[Adjacency]:
    """Direct an undirected edge either way, close under Meek's rules, go on with the next."""
    edges = np.argwhere(np.triu(undirected_part(closed)))
    if not len(edges):
        yield closed
        return
    i, j = edges[0]
    for head, tail in ((i, j), (j, i)):
        yield from _every_direction(_directed(closed, tail, head))


def _directed_at_random(closed: Adjacency, rng: Generator) -> Adjacency:
    while len(edges := np.argwhere(undirected_part(closed))):
        closed = _directed(closed, *edges[rng.integers(len(edges))])
    return closed


def _directed(closed: Adjacency, tail: int, head: int) -> Adjacency:
    one_way = closed.copy()
    one_way[head, tail] = False
    return meek_closure(one_way)
