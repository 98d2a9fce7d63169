"""What the tests of training share; torch is None where it is not installed."""

from __future__ import annotations

import importlib.util
import math

import numpy as np

torch = importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def generator(seed):
    """A source of randomness on the CPU."""
    return torch.Generator().manual_seed(seed)


def features(values, blind_to_scale):
    """The slow twin of `training.features.of_columns` for one data set, pair by pair."""
    n, d = values.shape
    sd = values.std(axis=0)
    z = (values - values.mean(axis=0)) / sd
    c = z.T @ z / n
    p = np.linalg.inv(c + 0.001 * np.eye(d))
    z = np.clip(z, -10, 10)
    v = np.log(sd**2)
    v = np.zeros(d) if blind_to_scale else (v - v.mean()) / 2
    r2 = [min(max(1 - 1 / p[i, i], 0), 1) for i in range(d)]
    found = np.zeros((d, d, 13))
    for i in range(d):
        for j in range(d):
            found[i, j] = [
                c[i, j],
                1.0 if i == j else -p[i, j] / math.sqrt(p[i, i] * p[j, j]),
                math.tanh(np.mean(z[:, i] ** 2 * z[:, j])),
                math.tanh(np.mean(z[:, i] * z[:, j] ** 2)),
                math.tanh(np.mean(z[:, i] ** 3 * z[:, j]) - 3 * c[i, j]),
                math.tanh(np.mean(z[:, i] * z[:, j] ** 3) - 3 * c[i, j]),
                math.tanh(np.mean(z[:, i] ** 2 * z[:, j] ** 2) - 1 - 2 * c[i, j] ** 2),
                r2[i],
                r2[j],
                v[i],
                v[j],
                (math.log(n) - math.log(1000)) / 2,
                float(i == j),
            ]
    return found


def scores(pairs, parameters):
    """The slow twin of `training.network.scores` for one data set, in double precision."""
    p = {name: value.detach().double().numpy() for name, value in parameters.items()}

    def linear(name, value):
        return value @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    def norm(name, value):
        centred = value - value.mean(-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return centred / scale * p[f"{name}.weight"] + p[f"{name}.bias"]

    def sigmoid(value):
        return 1 / (1 + np.exp(-value))

    d = len(pairs)
    x = linear("embed", pairs)
    for k in range(sum(name.endswith("maps.bias") for name in p)):
        u = norm(f"block{k}.norm1", x)
        a, b, c, e, ga, gb, gc, ge = np.split(linear(f"block{k}.maps", u), 8, axis=2)
        a, b, c, e = a * sigmoid(ga), b * sigmoid(gb), c * sigmoid(gc), e * sigmoid(ge)
        first = np.einsum("imk,mjk->ijk", a, b) / math.sqrt(d)
        second = np.einsum("mik,mjk->ijk", c, e) / math.sqrt(d)
        both = norm(f"block{k}.norm2", np.concatenate((first, second), axis=2))
        x = x + sigmoid(linear(f"block{k}.gate", u)) * linear(f"block{k}.out", both)
        hidden = linear(f"block{k}.up", norm(f"block{k}.norm3", x))
        x = x + linear(f"block{k}.down", hidden * sigmoid(hidden))
    return linear("head", norm("head_norm", x))[:, :, 0]
