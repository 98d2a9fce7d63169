"""Networks with random weights, in files as training writes them."""

from pathlib import Path

import numpy as np

from causalassay.discovery import amortized_weights

CARD = {
    "format": 1,
    "prior": "mine",
    "blind_to_scale": True,
    "identifies": "dag",
    "width": 8,
    "channels": 4,
    "blocks": 2,
    "nodes": [2, 30],
    "rows": [50, 5000],
}


def random_arrays(width=8, channels=4, blocks=2, seed=0):
    """Return weights that keep numbers at their size on the way through, halves as in a file."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for name, shape in amortized_weights.shapes(width, channels, blocks).items():
        if len(shape) == 2:
            array = rng.normal(size=shape) * np.sqrt(2.0 / shape[1])
        else:
            array = rng.normal(1.0 if "norm" in name and "weight" in name else 0.0, 0.3, shape)
        arrays[name] = array.astype(np.float16)
    return arrays


def random_file(folder, seed=0, **card):
    """Write a file of random weights and return its path."""
    whole = CARD | card
    sizes = {name: whole[name] for name in ("width", "channels", "blocks")}
    path = Path(folder) / "mine.npz"
    amortized_weights.write(path, random_arrays(**sizes, seed=seed), whole)
    return path
