"""Estimates as few bytes: the edges, the non-zero weights and probabilities, and a JSON head."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.contracts import Estimate
from causalassay.graphs.lagged import LaggedGraph

_LENGTH = struct.Struct("<I")
_INDEX = "<u4"
_MOST_LAGS = 1000

MOST_INFO = 100_000
"""Characters of an algorithm's remarks as JSON; longer ones are left out."""


def encode(estimate: Estimate) -> bytes:
    """Return an estimate as bytes, sparse and compressed.

    The weights of no edge are left out; `info` keeps what JSON can hold. Probabilities are kept in
    single precision, which is finer than any of them is known.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> decode(encode(Estimate(chain(3), "dag"))).graph.astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    return zlib.compress(pack(estimate), level=1)


def decode(blob: bytes) -> Estimate:
    """Return the estimate that `encode` wrote.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> decode(encode(Estimate(chain(2), "dag", order=(0, 1)))).order
    (0, 1)
    """
    return unpack(zlib.decompress(blob))


def pack(estimate: Estimate) -> bytes:
    """Return an estimate as bytes that are not compressed, to be read at once.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> unpack(pack(Estimate(chain(2), "dag"))).kind
    'dag'
    """
    edges = np.flatnonzero(estimate.graph)
    weighted = None if estimate.weights is None else np.flatnonzero(estimate.weights)
    lagged = estimate.lagged
    more: dict[str, Any] = {}
    if lagged is not None:
        more = {"lags": len(lagged.links), "links": _indices(lagged.links)}
    likely = None if estimate.probabilities is None else np.flatnonzero(estimate.probabilities)
    if likely is not None:
        more["probabilities"] = len(likely)
    head = json.dumps(
        {
            "n": len(estimate.graph),
            "kind": estimate.kind,
            "order": None if estimate.order is None else [int(node) for node in estimate.order],
            "info": _short(_plain(estimate.info)),
            "edges": len(edges),
            "weights": None if weighted is None else len(weighted),
            **more,
        },
        separators=(",", ":"),
    ).encode()
    parts = [_LENGTH.pack(len(head)), head, edges.astype(_INDEX).tobytes()]
    if weighted is not None and estimate.weights is not None:
        parts += [
            weighted.astype(_INDEX).tobytes(),
            np.asarray(estimate.weights, dtype="<f8").ravel()[weighted].tobytes(),
        ]
    if likely is not None and estimate.probabilities is not None:
        parts += [
            likely.astype(_INDEX).tobytes(),
            estimate.probabilities.ravel()[likely].astype("<f4").tobytes(),
        ]
    return b"".join(parts)


def unpack(raw: bytes, n_nodes: int | None = None) -> Estimate:
    """Return the estimate that `pack` wrote.

    Parameters
    ----------
    raw : bytes
    n_nodes : int, optional
        How many nodes it must have: what a stranger's process sends is not believed.

    Raises
    ------
    ValueError
        If it has another number of nodes.
    """
    (length,) = _LENGTH.unpack_from(raw)
    head = json.loads(raw[_LENGTH.size : _LENGTH.size + length])
    n, offset = head["n"], _LENGTH.size + length
    if n_nodes is not None and (n != n_nodes or head.get("lags", 0) > _MOST_LAGS):
        raise ValueError(f"got an estimate of {n!r} nodes, expected {n_nodes}")
    edges = np.frombuffer(raw, _INDEX, head["edges"], offset)
    graph = np.zeros(n * n, dtype=bool)
    graph[edges] = True
    offset += edges.nbytes
    weights = probabilities = None
    if head["weights"] is not None:
        weights = _matrix(raw, "<f8", head["weights"], offset, n)
        offset += 12 * head["weights"]
    if "probabilities" in head:
        probabilities = _matrix(raw, "<f4", head["probabilities"], offset, n)
    order = None if head["order"] is None else tuple(head["order"])
    lagged = None
    if "links" in head:
        links = np.zeros(head["lags"] * n * n, dtype=bool)
        links[head["links"]] = True
        lagged = LaggedGraph(links.reshape(-1, n, n))
    return Estimate(
        graph.reshape(n, n),
        head["kind"],
        weights,
        order,
        head["info"],
        lagged,
        probabilities=probabilities,
    )


def _matrix(raw: bytes, kind: str, count: int, offset: int, n: int) -> NDArray[np.float64]:
    """Return a matrix of which the indices that are not zero come first, then the numbers."""
    indices = np.frombuffer(raw, _INDEX, count, offset)
    matrix = np.zeros(n * n)
    matrix[indices] = np.frombuffer(raw, kind, count, offset + indices.nbytes)
    return matrix.reshape(n, n)


def _short(info: Any) -> Any:
    """Return remarks, or that they are too long: an estimate is not to carry data away."""
    length = len(json.dumps(info))
    return info if length <= MOST_INFO else {"left out": f"{length} characters of remarks"}


def _indices(marked: np.ndarray) -> list[int]:
    return np.flatnonzero(marked).tolist()


def _plain(info: Any) -> Any:
    """Return what JSON can hold of an algorithm's remarks; other objects as their text."""
    if isinstance(info, dict):
        return {str(name): _plain(value) for name, value in info.items()}
    if isinstance(info, list | tuple):
        return [_plain(value) for value in info]
    if isinstance(info, np.ndarray):
        return _plain(info.tolist())
    if isinstance(info, np.generic):
        return _plain(info.item())
    if info is None or isinstance(info, str | bool | int | float):
        return info
    return str(info)
