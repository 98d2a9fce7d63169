"""Eigenmann, Mukherjee, Maathuis 2020 (S2): estimated risks rank algorithms as the oracle does.

Settings of section 4.1 with p = 25: Erdős–Rényi graphs of expected neighbourhood
size 1.5 or 2.5, unit variances at a signal-to-noise ratio of 5, shifts by 5 on half
of the nodes or fewer, at least 2 interventions and at least 3 descendants of
intervened nodes in total. GES is not there yet: what stands in for it is the CPDAG of
the true graph after a few changes.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from causalassay import risk
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Regime
from causalassay.graphs import erdos_renyi, is_dag, to_cpdag
from causalassay.models import SNR, Randomize, Shift

P = 25
SHIFT = 5.0
TESTS = {
    "bonferroni": risk.DescendantTests(),
    "simulated": risk.DescendantTests(cutoff=risk.SimulatedMax(n_simulations=500)),
    "released code": risk.DescendantTests(cutoff=risk.Fixed(4.0), closed=True),
}


@dataclass(frozen=True)
class Setting:
    seed: int
    neighbours: float = 2.5
    probability: float = 0.5
    n_interventional: int = 100
    noise: str = "gaussian"
    do_and_shift: bool = True

    def draw(self):
        """Return the true graph and the data, drawn again until they keep the paper's rules."""
        rng = np.random.default_rng(self.seed)
        while True:
            truth = erdos_renyi(P, self.neighbours / 2, rng, exact=False)
            nodes = np.flatnonzero(rng.random(P) < self.probability).tolist()
            implied = risk.implied_descendants(truth)
            if len(nodes) >= 2 and sum(len(implied[node]) for node in nodes) >= 3:
                return truth, self._sample(truth, nodes, rng)

    def _sample(self, truth, nodes, rng):
        source = SNR(noise=self.noise, sample_size=max(self.n_interventional, 100))
        model, observed = source.calibrate(truth, rng)
        regimes = [Regime("observational", observed)]
        for node in nodes:
            action = Randomize(node, SHIFT, 1.0) if self.do_and_shift else Shift(node, SHIFT)
            values = model.sample(self.n_interventional, rng, (action,))
            regimes.append(Regime(f"on {node}", values, (node,), (action,)))
        columns = tuple(f"x{j}" for j in range(P))
        return Dataset(columns, tuple(regimes), "observational")


@dataclass(frozen=True, eq=False)
class NearTruth:
    """The CPDAG of the truth after some pairs were joined, parted or turned round."""

    truth: np.ndarray
    n_changes: int
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        graph = self.truth.copy()
        done = 0
        while done < self.n_changes:
            i, j = rng.choice(P, 2, replace=False)
            joined = graph[i, j] or graph[j, i]
            # Half of the changes concern edges, though most pairs are not joined.
            if not joined and rng.random() < 0.9:
                continue
            changed = graph.copy()
            changed[i, j], changed[j, i] = not graph[i, j], False
            if is_dag(changed):
                graph, done = changed, done + 1
        return Estimate(to_cpdag(graph), "cpdag")


@dataclass(frozen=True)
class RandomGraph:
    n_edges: int
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        return Estimate(to_cpdag(erdos_renyi(P, self.n_edges / P, rng)), "cpdag")


@dataclass(frozen=True)
class ACor:
    """The paper's: as many undirected edges as the truth has, at the largest |correlations|."""

    n_edges: int
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        strength = np.triu(np.abs(np.corrcoef(data.pooled, rowvar=False)), 1)
        edges = np.unravel_index(np.argsort(strength, axis=None)[-self.n_edges :], (P, P))
        graph = np.zeros((P, P), dtype=bool)
        graph[edges] = True
        return Estimate(graph | graph.T, "pdag")


def contenders(truth):
    n_edges = int(truth.sum())
    return {
        "near": NearTruth(truth, 3),
        "far": NearTruth(truth, n_edges),
        "acor": ACor(n_edges),
        "random": RandomGraph(n_edges),
    }


TEN_SETTINGS = [
    Setting(
        seed,
        neighbours=(1.5, 2.5)[seed % 2],
        probability=(0.5, 0.5, 0.2)[seed % 3],
        noise=("gaussian", "gaussian", "gaussian", "lognormal")[seed % 4],
        do_and_shift=seed % 5 != 0,
    )
    for seed in range(10)
]


@pytest.mark.parametrize("tests", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("setting", TEN_SETTINGS, ids=lambda setting: f"seed {setting.seed}")
def test_a_good_and_a_random_estimate_are_ranked_as_by_the_oracle(setting, tests):
    truth, data = setting.draw()
    algorithms = {name: contenders(truth)[name] for name in ("near", "random")}
    comparison = risk.compare(algorithms, data, np.random.default_rng(0), tests)
    near, random = (risk.oracle(truth, comparison.risks[name].graph) for name in algorithms)
    assert near < random - 0.1
    assert ("near", "random") == comparison.ranking


@pytest.mark.slow
def test_most_signs_agree_with_the_oracle():
    """Section 4.3: most signs are right where oracle risks differ by at least 0.1.

    Figure 1 shows GES beside ACor, without numbers in the text. In 100 settings we saw
    91 of 91 for the near truth and ACor, and 0.96 over all pairs, some of them close.
    """
    agreed = {}
    for seed in range(100):
        truth, data = Setting(seed, neighbours=(1.5, 2.5)[seed % 2]).draw()
        comparison = risk.compare(
            contenders(truth), data, np.random.default_rng(seed), folds=(None, 5)[seed // 2 % 2]
        )
        oracle = {name: risk.oracle(truth, each.graph) for name, each in comparison.risks.items()}
        for each in comparison.differences:
            real = oracle[each.first] - oracle[each.second]
            if real >= 0.1:
                agreed.setdefault((each.second, each.first), []).append(each.weighted > 0)
    assert 80 <= len(agreed["near", "acor"])
    assert 0.95 <= np.mean(agreed["near", "acor"])
    assert 0.9 <= np.mean(np.concatenate(list(agreed.values())))


@pytest.mark.slow
def test_with_true_descendants_the_weighted_risk_is_nearly_unbiased_for_the_oracle():
    """Theorem 3.3's assumptions hold on average: intervened nodes are drawn at random.

    200 settings of an algorithm that ignores the data; 4 standard errors.
    """
    errors = []
    for seed in range(200):
        truth, data = Setting(seed, n_interventional=10).draw()
        estimate = risk.estimate(
            NearTruth(truth, 3), data, np.random.default_rng(seed), descendants=truth
        )
        errors.append(estimate.weighted - risk.oracle(truth, estimate.graph))
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))
