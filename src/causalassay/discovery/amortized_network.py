"""A pretrained network: moments of pairs of columns in, a probability for each ordered pair out.

Version 1. The network never sees a row: it reads 13 numbers per ordered pair of columns, so that
its cost does not grow with the number of rows. The pairs (i, j) of a data set are kept as the rows
of a matrix, i·d + j; in a product of matrices over the nodes, the channels come first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values
from causalassay.common.kernels import kernel
from causalassay.discovery.amortized_weights import N_FEATURES
from causalassay.graphs.probabilities import Probabilities

Floats = NDArray[np.float32]

RIDGE = 0.001
"""What is added to the correlations' diagonal before they are inverted."""

MOST_DEVIATIONS = 10.0
"""Standard deviations at which a value is cut before moments of higher order."""

USUAL_ROWS = 1000
_PIECE = 8192
_TILE = 256
"""Pairs that go through the network together, so that what they need stays in the cache."""

_EPS = 1e-5
_ONE, _TWENTY, _FRACTION = np.float32(1.0), np.float32(20.0), np.float32(-1 / 64)
_HALF, _SIXTH = np.float32(1 / 2), np.float32(1 / 6)
_C4, _C5, _C6 = np.float32(1 / 24), np.float32(1 / 120), np.float32(1 / 720)


def pair_features(
    values: Values, *, blind_to_scale: bool, n_independent: float | None = None
) -> Floats:
    """Return what the network reads of each ordered pair of columns, shape (d·d, 13).

    Parameters
    ----------
    values : ndarray, shape (n, d)
        No column constant.
    blind_to_scale : bool
        Whether variances are left out.
    n_independent : float, optional
        How many independent rows say as much as these; by default n.

    Notes
    -----
    Of a pair (i, j), with z the standardised columns (ddof 0), C their correlations and P the
    inverse of C + 0.001 I: C; the partial correlation; tanh of E[z_i² z_j], E[z_i z_j²],
    E[z_i³ z_j] - 3C, E[z_i z_j³] - 3C and E[z_i² z_j²] - 1 - 2C² with z cut at ±10; the R² of i and
    of j on all others, 1 - 1/P_ii in [0, 1]; half the log variance of i and of j, centred over the
    columns; (log n - log 1000)/2, where n is the number of independent rows; and whether i is j.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(500, 3)).cumsum(axis=1)
    >>> features = pair_features(values, blind_to_scale=True).reshape(3, 3, 13)
    >>> f"{features[0, 1, 0]:.2f}", features[:, :, 12].astype(int).tolist()
    ('0.72', [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    """
    n, d = values.shape
    centred = values - values.mean(axis=0)
    scale = np.sqrt(np.square(centred).mean(axis=0))
    z = centred / scale
    correlation = z.T @ z / n
    np.clip(z, -MOST_DEVIATIONS, MOST_DEVIATIONS, out=z)
    moments = np.zeros((3, d, d))
    for start in range(0, n, _PIECE):  # powers of all rows at once would take memory
        piece = z[start : start + _PIECE]
        square = np.square(piece)
        moments += [square.T @ piece, (square * piece).T @ piece, square.T @ square]
    skew, kurtosis, both = moments / n
    precision = np.linalg.inv(correlation + RIDGE * np.eye(d))
    spread = np.sqrt(precision.diagonal())
    partial = -precision / np.outer(spread, spread)
    np.fill_diagonal(partial, 1.0)
    r2 = np.clip(1.0 - 1.0 / precision.diagonal(), 0.0, 1.0)
    level = np.zeros(d) if blind_to_scale else np.log(scale) - np.log(scale).mean()
    features = np.empty((d, d, N_FEATURES), dtype=np.float32)
    features[:, :, 0] = correlation
    features[:, :, 1] = partial
    features[:, :, 2] = np.tanh(skew)
    features[:, :, 3] = np.tanh(skew.T)
    features[:, :, 4] = np.tanh(kurtosis - 3 * correlation)
    features[:, :, 5] = np.tanh(kurtosis.T - 3 * correlation)
    features[:, :, 6] = np.tanh(both - 1 - 2 * correlation**2)
    features[:, :, 7], features[:, :, 8] = r2[:, None], r2
    features[:, :, 9], features[:, :, 10] = level[:, None], level
    known = n if n_independent is None else n_independent
    features[:, :, 11] = (np.log(known) - np.log(USUAL_ROWS)) / 2
    features[:, :, 12] = np.eye(d)
    return features.reshape(d * d, N_FEATURES)


@dataclass(frozen=True, eq=False)
class _Linear:
    """A layer: of shape (in, out), with one bias for each output.

    What a layer norm before it multiplies and adds is a part of both.
    """

    weight: Floats
    bias: Floats


@dataclass(frozen=True, eq=False)
class _Block:
    maps: _Linear
    gate: _Linear
    out: _Linear
    up: _Linear
    down: _Linear


@dataclass(frozen=True, eq=False)
class Network:
    """The layers of a network, ready to run."""

    embed: _Linear
    blocks: tuple[_Block, ...]
    head: _Linear

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[np.floating]], n_blocks: int) -> Network:
        """Return the network of arrays that are named as `amortized_weights.shapes` has them."""

        def linear(name: str, norm: str = "") -> _Linear:
            weight = arrays[f"{name}.weight"].astype(np.float64)
            bias = arrays[f"{name}.bias"].astype(np.float64)
            if norm:
                bias = bias + weight @ arrays[f"{norm}.bias"].astype(np.float64)
                weight = weight * arrays[f"{norm}.weight"].astype(np.float64)
            # In the order of memory in which both products below are fast.
            return _Linear(np.asfortranarray(weight.T, np.float32), bias.astype(np.float32))

        blocks = tuple(
            _Block(
                linear(f"block{k}.maps", f"block{k}.norm1"),
                linear(f"block{k}.gate", f"block{k}.norm1"),
                linear(f"block{k}.out", f"block{k}.norm2"),
                linear(f"block{k}.up", f"block{k}.norm3"),
                linear(f"block{k}.down"),
            )
            for k in range(n_blocks)
        )
        return cls(linear("embed"), blocks, linear("head", "head_norm"))

    def probabilities(self, features: Floats) -> Probabilities:
        """Return the probability of each edge, shape (d, d), from the features of d·d pairs.

        Of two directions and no edge one is true: the probabilities are the softmax of both
        scores and 0.
        """
        d = round(len(features) ** 0.5)
        score = self._scores(features, d).reshape(d, d).astype(np.float64)
        most = np.maximum(np.maximum(score, score.T), 0.0)
        forward, nothing = np.exp(score - most), np.exp(-most)
        result = forward / (forward + forward.T + nothing)
        np.fill_diagonal(result, 0.0)
        return result

    def _scores(self, features: Floats, d: int) -> Floats:
        x = features @ self.embed.weight
        x += self.embed.bias
        n_pairs, width = x.shape
        n_maps = self.blocks[0].maps.weight.shape[1] // 2
        maps = np.empty((n_maps, n_pairs), dtype=np.float32)
        products = np.empty((n_maps // 2, n_pairs), dtype=np.float32)
        room = np.empty((3, _TILE * max(4 * width, 2 * n_maps)), dtype=np.float32)
        tiles = [slice(at, min(at + _TILE, n_pairs)) for at in range(0, n_pairs, _TILE)]
        for block in self.blocks:
            for tile in tiles:
                u = _rows(room[0], tile, width)
                _normalise(x[tile], u)
                both = room[1][: 2 * n_maps * len(u)].reshape(2 * n_maps, len(u))
                np.matmul(block.maps.weight.T, u.T, out=both)
                _gate_maps(both, block.maps.bias, maps, tile.start)
            _multiply(maps.reshape(4, -1, d, d), products.reshape(2, -1, d, d))
            for tile in tiles:
                _mix(block, x[tile], products, tile, d, room)
                _perceive(block, x[tile], room)
        u = np.empty_like(x)
        _normalise(x, u)
        return u @ self.head.weight[:, 0] + self.head.bias[0]


def _rows(room: Floats, tile: slice, width: int) -> Floats:
    n = tile.stop - tile.start
    return room[: n * width].reshape(n, width)


def _multiply(maps: Floats, products: Floats) -> None:
    """Multiply the matrices of each channel: A·B, and Cᵀ·E."""
    a, b, c, e = maps
    np.matmul(a, b, out=products[0])
    np.matmul(c.swapaxes(1, 2), e, out=products[1])


def _mix(  # noqa: PLR0913  it is the inside of a loop
    block: _Block, x: Floats, products: Floats, tile: slice, d: int, room: Floats
) -> None:
    """Add what the products say to the pairs of a tile, as far as their gates are open."""
    n, width = x.shape
    n_products = len(products)
    u, gate = _rows(room[0], tile, width), _rows(room[1], tile, width)
    _normalise(x, u)
    np.matmul(u, block.gate.weight, out=gate)
    mixed = room[2][: n_products * n].reshape(n_products, n)
    # The spec divides the products by √d: a layer norm sees of it only its own constant.
    _normalise_columns(products, tile.start, np.float32(_EPS * d), mixed)
    np.matmul(mixed.T, block.out.weight, out=u)
    _add_gated(x, gate, block.gate.bias, u, block.out.bias)


def _perceive(block: _Block, x: Floats, room: Floats) -> None:
    """Add the two layers that look at each pair by itself."""
    n, width = x.shape
    u = _rows(room[0], slice(0, n), width)
    hidden = _rows(room[1], slice(0, n), block.up.weight.shape[1])
    _normalise(x, u)
    np.matmul(u, block.up.weight, out=hidden)
    _silu(hidden, block.up.bias)
    np.matmul(hidden, block.down.weight, out=u)
    u += block.down.bias
    x += u


# The kernels may reorder sums, so their bits depend on how they are compiled; what is inlined by
# force runs the same code whether it was compiled here or loaded from the cache.

_FAST: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract"}}


@kernel(forceinline=True, **_FAST)
def _sigmoid(x: Any) -> Any:
    """Return 1/(1 + exp(-x)), with exp(-x) as the 64th power of a polynomial at -x/64."""
    y = min(max(x, -_TWENTY), _TWENTY) * _FRACTION
    e = _ONE + y * (_ONE + y * (_HALF + y * (_SIXTH + y * (_C4 + y * (_C5 + y * _C6)))))
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    return _ONE / (_ONE + e)


@kernel(**_FAST)
def _normalise(x: Floats, result: Floats) -> None:
    """Centre each row and divide it by its standard deviation."""
    n, width = x.shape
    size, eps = np.float32(width), np.float32(_EPS)
    for i in range(n):
        total = np.float32(0.0)
        for k in range(width):
            total += x[i, k]
        mean = total / size
        square = np.float32(0.0)
        for k in range(width):
            square += (x[i, k] - mean) * (x[i, k] - mean)
        factor = _ONE / np.sqrt(square / size + eps)
        for k in range(width):
            result[i, k] = (x[i, k] - mean) * factor


@kernel(**_FAST)
def _normalise_columns(x: Floats, start: int, eps: float, result: Floats) -> None:
    """Centre and scale the columns of `x` from `start` on, as many as the result has."""
    height, n = result.shape
    size = np.float32(height)
    mean, factor = np.zeros(n, np.float32), np.zeros(n, np.float32)
    for k in range(height):
        for p in range(n):
            mean[p] += x[k, start + p]
    for p in range(n):
        mean[p] /= size
    for k in range(height):
        for p in range(n):
            factor[p] += (x[k, start + p] - mean[p]) * (x[k, start + p] - mean[p])
    for p in range(n):
        factor[p] = _ONE / np.sqrt(factor[p] / size + eps)
    for k in range(height):
        for p in range(n):
            result[k, p] = (x[k, start + p] - mean[p]) * factor[p]


@kernel(**_FAST)
def _gate_maps(both: Floats, bias: Floats, maps: Floats, start: int) -> None:
    """Write the first half of the rows times the sigmoid of the second, from `start` on."""
    height, n = both.shape
    half = height // 2
    for k in range(half):
        for p in range(n):
            gate = _sigmoid(both[half + k, p] + bias[half + k])
            maps[k, start + p] = (both[k, p] + bias[k]) * gate


@kernel(**_FAST)
def _add_gated(x: Floats, gate: Floats, gate_bias: Floats, y: Floats, bias: Floats) -> None:
    n, width = x.shape
    for i in range(n):
        for k in range(width):
            x[i, k] += _sigmoid(gate[i, k] + gate_bias[k]) * (y[i, k] + bias[k])


@kernel(**_FAST)
def _silu(x: Floats, bias: Floats) -> None:
    """Replace x + b by (x + b)·sigmoid(x + b)."""
    n, width = x.shape
    for i in range(n):
        for k in range(width):
            y = x[i, k] + bias[k]
            x[i, k] = y * _sigmoid(y)
