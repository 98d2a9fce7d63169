"""Let the package's judge look for what gives the causal order away in the systems of a prior.

    python -m training.audit --prior broad
    python -m training.audit weights/uumc.npz weights/broad.npz

What it says is printed, and with files of weights written into their cards. The judge sees the
columns as the network does: standardised where it is blind to scale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from causalassay.auditing import PooledAudit, audit_many
from training import generators, weights
from training.noise import LAWS
from training.priors import Prior, named

N_SYSTEMS, N_NODES, N_ROWS = 20, 20, 1000

OWN = "each node its own law"
NOISES = ("gaussian", OWN, "exponential")
"""Of the parts of a prior with laws of nodes; the last is one law that is not Gaussian."""

BY_NATURE = (
    "With one law of noise that is not Gaussian for all nodes, sums of more terms are nearer to "
    "Gaussian: kurtosis and skewness fall along the causal order by nature."
)


def parts(prior: Prior) -> dict[str, tuple[Prior, str]]:
    """Return the parts of a prior that are judged, each with its law of noise ("" as drawn).

    Examples
    --------
    >>> list(parts(named("uumc")))
    ['all', 'gaussian', 'exponential']
    >>> list(parts(named("broad")))[:3]
    ['all', 'linear, gaussian', 'linear, each node its own law']
    """
    noises = [noise for noise in NOISES if prior.own_laws or noise != OWN]
    kinds = {"": prior}
    if prior.nonlinear:
        kinds = {
            "linear, ": replace(prior, nonlinear=0.0),
            "nonlinear, ": replace(prior, nonlinear=1.0),
        }
    judged = {f"{word}{noise}": (kind, noise) for word, kind in kinds.items() for noise in noises}
    return {"all": (prior, ""), **judged}


def drawn(prior: Prior, noise: str, n_systems: int, seed: int) -> list[tuple[Tensor, Tensor]]:
    """Return data and graph of systems, shapes (rows, nodes) and (nodes, nodes), columns shuffled.

    Parameters
    ----------
    prior : Prior
        Of the systems.
    noise : str
        The law of noise of all nodes, `OWN`, or "" as the prior draws it.
    n_systems, seed : int
        How many, and of all draws.
    """
    generator = torch.Generator().manual_seed(seed)
    with_laws = replace(prior, own_laws=1.0) if noise == OWN else prior
    pairs = []
    for systems in generators.draw_systems(with_laws, N_NODES, n_systems, generator):
        one_law = torch.full_like(systems.laws, LAWS.index(noise)) if noise in LAWS else None
        own = systems if one_law is None else systems._replace(laws=one_law)
        for part in generators.sampled(own, N_ROWS, generator):
            columns, graph = generators.shuffled(part, generator)
            if prior.blind_to_scale:
                columns = generators.standardized(columns.double())
            pairs += list(zip(columns.mT, graph, strict=True))
    return pairs


def judged(pairs: Sequence[tuple[Tensor, Tensor]], seed: int) -> PooledAudit:
    """Return the verdict of the judge over the systems that have an edge."""
    sets = {
        f"system {number}": (columns.double().numpy(), graph.numpy())
        for number, (columns, graph) in enumerate(pairs, 1)
        if graph.any()
    }
    return audit_many(sets, seed, n_bootstrap=0)


def said(pooled: PooledAudit) -> dict[str, Any]:
    """Return what the card keeps of a verdict: means over the systems, plain values."""
    return {
        "verdict": pooled.verdict.kind.value,
        "statistic": pooled.verdict.statistic,
        "sentence": pooled.verdict.sentence,
        "systems": pooled.n_units,
        "sortability": {
            claim.artefact.statistic: round(claim.sortability, 3)
            for claim in pooled.claims
            if not claim.backwards
        },
    }


def of_prior(prior: Prior, n_systems: int = N_SYSTEMS, seed: int = 1) -> dict[str, Any]:
    """Return the audit of a prior for its card.

    Parameters
    ----------
    prior : Prior
        To be judged, in its `parts`.
    n_systems, seed : int
        Systems of each part, and of all draws.
    """
    found = {
        name: said(judged(drawn(kind, noise, n_systems, seed), seed))
        for name, (kind, noise) in parts(prior).items()
    }
    size = {"nodes": N_NODES, "rows": N_ROWS, "systems": n_systems, "seed": seed}
    return {**size, "remark": BY_NATURE, "parts": found}


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.audit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", type=Path, help="files of weights")
    parser.add_argument("--prior", action="append", default=[], help="repeatable")
    parser.add_argument("--systems", type=int, default=N_SYSTEMS, help="of each part")
    parser.add_argument("--seed", type=int, default=1, help="of all draws")
    stated = parser.parse_args(words)
    try:
        if not stated.files and not stated.prior:
            raise ValueError("expected --prior, or files of weights")
        if stated.systems < 1:
            raise ValueError(f"--systems: expected at least 1, got {stated.systems}")
        read = {path: weights.read(path) for path in stated.files}
        names = [*stated.prior, *(card["prior"] for _, card in read.values())]
        found: dict[str, dict[str, Any]] = {}
        for prior in map(named, dict.fromkeys(names)):
            found[prior.name] = of_prior(prior, stated.systems, stated.seed)
            for part, one in found[prior.name]["parts"].items():
                line = f"{prior.name}, {part}: {one['sentence']} {one['sortability']}"
                print(line, flush=True)  # noqa: T201
        for path, (arrays, card) in read.items():
            weights.write(path, arrays, {**card, "audit": found[card["prior"]]})
    except (OSError, ValueError) as error:
        print(f"training.audit: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
