"""Random systems with interventions, and the risks of algorithms on them (Eigenmann 2020, 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from causalassay import risk
from causalassay.arrays import Adjacency
from causalassay.contracts import Algorithm
from causalassay.data import Dataset, Regime
from causalassay.discovery import make_algorithm
from causalassay.graphs import erdos_renyi, to_cpdag
from causalassay.models import SNR, Randomize, Shift
from causalassay.models.nonlinear.mechanisms import Sigmoid
from causalassay.models.nonlinear.sources import NonlinearSNR
from causalassay.risk.agreement import LEAST_DESCENDANTS
from causalassay.seeding import stream

SHIFT = 5.0
FEWEST_TARGETS, FEWEST_OBSERVED, FOLDS = 2, 100, 5

LEVELS: dict[str, tuple[Any, ...]] = {
    "n_nodes": (25, 50, 100, 200),
    "neighbours": (1.5, 2.5),
    "link": ("linear", "sigmoid"),
    "noise": ("gaussian", "lognormal"),
    "action": ("shift", "do and shift"),
    "probability": (0.1, 0.2, 0.5, 1.0),
    "n_interventional": (10, 100, 1000),
}
"""What settings are drawn from, each level alike; a plan may narrow them."""

Plan = tuple[tuple[str, tuple[Any, ...]], ...]
"""The levels of each part of a setting; hashable, so that systems are drawn once."""


@dataclass(frozen=True)
class Setting:
    """How a system is made; `LEVELS` has what each part can be."""

    n_nodes: int
    neighbours: float
    link: str
    noise: str
    action: str
    probability: float
    n_interventional: int

    def draw(self, rng: Generator) -> tuple[Adjacency, Dataset]:
        """Return a true graph and data, drawn again until they keep the paper's conditions.

        At least 2 nodes are intervened upon, which have at least 3 descendants in total.
        """
        while True:
            truth = erdos_renyi(self.n_nodes, self.neighbours / 2, rng, exact=False)
            nodes = np.flatnonzero(rng.random(self.n_nodes) < self.probability).tolist()
            implied = risk.implied_descendants(truth)
            n_descendants = sum(len(implied[node]) for node in nodes)
            if len(nodes) >= FEWEST_TARGETS and n_descendants >= LEAST_DESCENDANTS:
                return truth, self._data(truth, nodes, rng)

    def _data(self, truth: Adjacency, nodes: Sequence[int], rng: Generator) -> Dataset:
        size = max(self.n_interventional, FEWEST_OBSERVED)
        source: SNR | NonlinearSNR = (
            SNR(noise=self.noise, signs="random", sample_size=size)
            if self.link == "linear"
            else NonlinearSNR(Sigmoid(), noise=self.noise, sample_size=size)
        )
        model, observed = source.calibrate(truth, rng)
        assert observed is not None
        regimes = [Regime("observational", observed)]
        for node in nodes:
            action = Shift(node, SHIFT) if self.action == "shift" else Randomize(node, SHIFT, 1.0)
            values = model.sample(self.n_interventional, rng, (action,))
            regimes.append(Regime(f"on {node}", values, (node,), (action,)))
        columns = tuple(f"x{j}" for j in range(self.n_nodes))
        return Dataset(columns, tuple(regimes), "observational")


def plan_of(narrowed: Mapping[str, Sequence[Any]]) -> Plan:
    """Return the levels of a plan: those that are stated, else all.

    Examples
    --------
    >>> dict(plan_of({"n_nodes": [25]}))["n_nodes"]
    (25,)
    """
    if unknown := set(narrowed) - set(LEVELS):
        raise ValueError(f"a setting has no {sorted(unknown)[0]!r}; it has {', '.join(LEVELS)}")
    return tuple((name, tuple(narrowed.get(name, levels))) for name, levels in LEVELS.items())


def draw_setting(plan: Plan, rng: Generator) -> Setting:
    """Return a setting, each part drawn from its levels."""
    return Setting(**{name: levels[rng.integers(len(levels))] for name, levels in plan})


@lru_cache(maxsize=8)
def risk_rows(plan: Plan, systems: int) -> pd.DataFrame:
    """Return true and weighted estimated risks, a row for each system and algorithm."""
    return pd.DataFrame([row for number in range(systems) for row in _rows(plan, number)])


def _rows(plan: Plan, number: int) -> list[dict[str, Any]]:
    rng = stream(1, "risk system", number)
    setting = draw_setting(plan, rng)
    truth, data = setting.draw(rng)
    found = risk.compare(
        _algorithms(truth), data, rng, folds=FOLDS, scoring=risk.Scoring(n_bootstrap=0)
    )
    graphs = {name: one.graph for name, one in found.risks.items()}
    weighted = {name: one.weighted for name, one in found.risks.items()}
    n_edges = int(truth.sum())
    graphs["random"] = to_cpdag(erdos_renyi(setting.n_nodes, n_edges / setting.n_nodes, rng))
    return [
        {
            "problem": "random",
            "replicate": number,
            "algorithm": name,
            "oracle_risk": risk.oracle(truth, graph),
            "weighted_risk": weighted.get(name, np.nan),
            "intervened_descendants": float(LEAST_DESCENDANTS),
            **vars(setting),
        }
        for name, graph in graphs.items()
    ]


def _algorithms(truth: Adjacency) -> dict[str, Algorithm]:
    """Return the paper's four; ACor is told the true number of edges."""
    return {
        "ges": make_algorithm("ges-pooled"),
        "gies": make_algorithm("gies", phases=("forward", "backward"), iterate=False),
        "acor": make_algorithm("acor", n_edges=int(truth.sum())),
        "empty": make_algorithm("single-edge"),
    }


@lru_cache(maxsize=4)
def descendant_rows(plan: Plan, systems: int) -> pd.DataFrame:
    """Return how well t tests find descendants, a row for each system."""
    rows = []
    for number in range(systems):
        rng = stream(1, "descendants", number)
        setting = draw_setting(plan, rng)
        truth, data = setting.draw(rng)
        found = risk.estimate_descendants(data, rng)
        real = risk.true_descendants(truth, data)
        hits = sum(len(found.of[node] & real.of[node]) for node in real.nodes)
        claimed = sum(len(found.of[node]) for node in real.nodes)
        n_real = sum(len(real.of[node]) for node in real.nodes)
        n_pairs = len(real.nodes) * (setting.n_nodes - 1)
        rows.append(
            {
                "sensitivity": hits / n_real,
                "false_positive_rate": (claimed - hits) / (n_pairs - n_real),
                **vars(setting),
            }
        )
    return pd.DataFrame(rows)
