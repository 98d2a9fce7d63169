"""GOLEM and NOTEARS for a thousand problems at once on a card: times, and how good the ends are.

It needs torch and numpy alone, so that it runs on a machine that has nothing else:

    python bench/on_a_card.py golem-ev 50 --problems 1000 --out golem-ev-50.npz
    python bench/on_a_card.py notears 20 --lambda1 0.1 --device cpu --problems 16
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

SOLVER = Path(__file__).parents[1] / "src/causalassay/discovery/continuous"
sys.path.insert(0, str(SOLVER))
import batch_solver  # noqa: E402  it is alone on the other machine

ROWS = 1000


def problems(d: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return covariances and true graphs: two edges per node, ±(0.5, 2), every other standardised.

    The same on every machine up to rounding.
    """
    covariances, graphs = np.empty((n, d, d)), np.empty((n, d, d), dtype=bool)
    for k in range(n):
        rng = np.random.default_rng([seed, d, k])
        order = rng.permutation(d)
        before = np.triu(rng.random((d, d)) < min(1.0, 4 / (d - 1)), 1)
        weights = np.where(before, rng.uniform(0.5, 2, (d, d)), 0.0)
        weights *= rng.choice([-1.0, 1.0], (d, d))
        values = np.linalg.solve((np.eye(d) - weights).T, rng.normal(size=(d, ROWS))).T
        values = values[:, np.argsort(order)]
        values -= values.mean(axis=0)
        values /= values.std(axis=0) if k % 2 else 1.0
        covariances[k] = values.T @ values / ROWS
        graphs[k] = before[np.ix_(np.argsort(order), np.argsort(order))]
    return covariances, graphs


def f1(weights: np.ndarray, graphs: np.ndarray) -> np.ndarray:
    """Return the F1 of the entries above 0.3 in absolute value."""
    guess = np.abs(weights) > 0.3
    right = (guess & graphs).sum(axis=(1, 2))
    return 2 * right / np.maximum(1, guess.sum(axis=(1, 2)) + graphs.sum(axis=(1, 2)))


def solve(
    name: str, covariances: np.ndarray, device: str, lambda1: float | None, *, short: bool = False
) -> dict:
    """Return what the solver returns; from a short run, which compiles all, no minimum."""
    if name == "notears":
        most = 1 if short else 100
        return batch_solver.solve_notears(covariances, lambda1 or 0.0, most, device=device)
    variant = name.removeprefix("golem-")
    return batch_solver.solve_golem(
        covariances,
        [ROWS] * len(covariances),
        variant,
        lambda1=lambda1 or {"ev": 2e-2, "nv": 2e-3}[variant],
        lambda2=5.0,
        steps=20 if short else 10_000,
        learning_rate=1e-3,
        device=device,
    )


def main() -> None:
    """Solve, and print a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("algorithm", choices=["golem-ev", "golem-nv", "notears"])
    parser.add_argument("n_nodes", type=int)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--lambda1", type=float)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    asked = parser.parse_args()
    covariances, graphs = problems(asked.n_nodes, asked.problems, asked.seed)
    begin = time.perf_counter()
    solve(asked.algorithm, covariances[:2], asked.device, asked.lambda1, short=True)
    compiling, begin = time.perf_counter() - begin, time.perf_counter()
    solved = solve(asked.algorithm, covariances, asked.device, asked.lambda1)
    seconds = time.perf_counter() - begin
    score = f1(solved["weights"], graphs)
    value = solved["loss" if "loss" in solved else "objective"]
    is_card = asked.device == "cuda"
    line = {
        "algorithm": asked.algorithm,
        "n_nodes": asked.n_nodes,
        "problems": asked.problems,
        "device": torch.cuda.get_device_name() if is_card else f"{torch.get_num_threads()} threads",
        "torch": torch.__version__,
        "compiling": round(compiling, 1),
        "seconds": round(seconds, 3),
        "finite": int(np.isfinite(value).sum()),
        "median F1": round(float(np.median(score)), 3),
        "mean F1": round(float(score.mean()), 4),
        "median objective": float(np.median(value)),
    }
    for key in ("evaluations", "converged"):
        if key in solved:
            line[f"mean {key}"] = float(solved[key].mean())
            line[f"most {key}"] = float(solved[key].max())
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
    if asked.out:
        kept = {key: array for key, array in solved.items() if key != "weights"}
        few = solved["weights"][:50].astype(np.float32)
        np.savez_compressed(asked.out, f1=score, weights=few, **kept)


if __name__ == "__main__":
    main()
