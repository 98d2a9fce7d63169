"""A file as people have them: 40 columns of all kinds, blanks, an id, a copy and a constant."""

from __future__ import annotations

import numpy as np

N_ROWS = 300
READS = {
    "patient_id": "id",
    "visit": "date",
    "born": "date",
    "row": "id",
    "sample": "id",
    "m3_again": "duplicate",
    "centre": "constant",
    "nothing": "empty",
    "sex": "levels",
    "severity": "ordered levels",
    "age_group": "ordered levels",
    "stage": "levels",
    "note": "text",
    "crp": "amount",
}
"""What each column is; all others are amounts, m5 and m6 with blanks, k0 to k2 with commas."""


def messy_columns(seed=37, n=N_ROWS):
    """Return the columns as text, by name."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 26))
    for j in range(1, 26):
        values[:, j] += 0.6 * values[:, j - 1]
    days = np.datetime64("2023-01-02") + np.arange(n)
    columns = {
        "patient_id": [f"P{number:04d}" for number in rng.permutation(n)],
        "visit": [str(day) for day in days],
        **{f"m{j}": [f"{value:.4f}" for value in values[:, j]] for j in range(23)},
        **{f"k{j}": [f"{value:.4f}".replace(".", ",") for value in values[:, 23 + j]]
           for j in range(3)},
        "centre": ["north"] * n,
        "nothing": [""] * n,
        "sex": rng.choice(["f", "m"], n).tolist(),
        "severity": rng.choice(["low", "medium", "high"], n).tolist(),
        "age_group": rng.choice(["18-29", "30-44", "45-64", "65+"], n).tolist(),
        "stage": rng.integers(1, 5, n).astype(str).tolist(),
        "note": [f"seen by {a} on ward {b}" for a, b in rng.integers(0, 99, (n, 2))],
        "crp": [f"{value:.1f}" for value in rng.exponential(5, n)],
        "born": [f"{day:02d}.{month:02d}.{year}" for day, month, year in zip(
            rng.integers(1, 29, n), rng.integers(1, 13, n), rng.integers(1930, 2000, n),
            strict=True)],
        "row": [str(row + 1) for row in range(n)],
        "sample": [f"S-{number}" for number in rng.permutation(n)],
    }  # fmt: skip
    for name in ("m5", "m6"):
        for row in rng.choice(n, 12, replace=False):
            columns[name][row] = ""
    columns["m3_again"] = list(columns["m3"])
    for row in (7, 70):
        columns["crp"][row] = "<0.3"
    return columns


def write_messy(path, columns=None, separator=";"):
    """Write columns of text to a file; return its path."""
    columns = columns or messy_columns()
    lines = [separator.join(columns), *map(separator.join, zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path
