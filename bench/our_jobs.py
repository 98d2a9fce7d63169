"""Our side of each row: what is called and timed, through the public functions."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.problems import RANGES, SIZES, sweep_system
from bench.worker import Arrays, Call, Read
from causalassay import diagnostics, discovery, graphs, metrics, models
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Regime

GOLEM_STEPS = 200
BIC = {"penalty_discount": 1.0}
"""The penalty of the peers in these rows; the default of our searches is another."""
STUDY = """
name = "trivial"
seed = 1
replicates = 10000
algorithms = ["empty"]
baselines = false
metrics = ["shd"]
diagnostics = []

[[problems]]
samples = 10
graph = {kind = "erdos-renyi", n_nodes = 3, edges_per_node = 1}
model = {kind = "scm"}
"""


def _sortabilities(values: Any, graph: Any) -> tuple[float, float]:
    return (
        diagnostics.var_sortability(values, graph),
        diagnostics.r2_sortability(values, graph),
    )


def sortability(data: Arrays) -> tuple[Call, Read]:
    """Prepare both sortabilities, two validated calls."""
    values, graph = data["values"], data["graph"]
    return partial(_sortabilities, values, graph), lambda pair: {"sortability": pair}


def sid(data: Arrays) -> tuple[Call, Read]:
    """Prepare the structural intervention distance, with its checks."""
    return partial(metrics.sid, data["graph"], data["guess"]), lambda count: {"sid": count}


def cpdag(data: Arrays) -> tuple[Call, Read]:
    """Prepare the CPDAG of a DAG."""
    return partial(graphs.to_cpdag, data["graph"]), lambda graph: {"graph": graph}


def _read(estimate: Estimate) -> Arrays:
    arrays: dict[str, Any] = {"graph": estimate.graph}
    if estimate.weights is not None:
        arrays["weights"] = estimate.weights
    if estimate.order is not None:
        arrays["order"] = np.array(estimate.order)
    return arrays


def _discover(name: str, data: Arrays, **settings: Any) -> tuple[Call, Read]:
    values = data["values"]

    def call() -> Estimate:
        return discovery.discover(name, values, np.random.default_rng(0), **settings)

    return call, _read


def pc(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01."""
    return _discover("pc", data, alpha=0.01)


def pc_kci(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01 with the kernel test."""
    return _discover("pc", data, alpha=0.01, test="kci")


def pc_fast_kci(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01 with the kernel test of few features."""
    return _discover("pc", data, alpha=0.01, test="fast-kci")


def pc_gcm(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01 with the generalised covariance measure."""
    return _discover("pc", data, alpha=0.01, test="gcm")


def score(data: Arrays) -> tuple[Call, Read]:
    """Prepare SCORE, with additive pruning."""
    return _discover("score", data)


def nogam(data: Arrays) -> tuple[Call, Read]:
    """Prepare NoGAM, with additive pruning."""
    return _discover("nogam", data)


def cam(data: Arrays) -> tuple[Call, Read]:
    """Prepare CAM with its defaults."""
    return _discover("cam", data)


def resit(data: Arrays) -> tuple[Call, Read]:
    """Prepare RESIT at the level that lingam has by default."""
    return _discover("resit", data, alpha=0.01)


def ges(data: Arrays) -> tuple[Call, Read]:
    """Prepare GES, forward and backward."""
    return _discover("ges", data, **BIC)


def ges_turning(data: Arrays) -> tuple[Call, Read]:
    """Prepare GES with the turning phase, which ges has too."""
    return _discover("ges", data, **BIC, phases=("forward", "backward", "turning"))


def xges_0(data: Arrays) -> tuple[Call, Read]:
    """Prepare XGES-0, without forced deletions."""
    return _discover("xges", data, **BIC, extended=False)


def xges(data: Arrays) -> tuple[Call, Read]:
    """Prepare XGES with forced deletions."""
    return _discover("xges", data, **BIC)


def boss(data: Arrays) -> tuple[Call, Read]:
    """Prepare BOSS from three random orders, its default."""
    return _discover("boss", data, **BIC)


def boss_1(data: Arrays) -> tuple[Call, Read]:
    """Prepare BOSS from one random order."""
    return _discover("boss", data, **BIC, starts=1)


def grasp_1(data: Arrays) -> tuple[Call, Read]:
    """Prepare GRaSP from one random order."""
    return _discover("grasp", data, **BIC, starts=1)


def grasp(data: Arrays) -> tuple[Call, Read]:
    """Prepare GRaSP from five random orders, its default."""
    return _discover("grasp", data, **BIC)


def boss_at_penalty(data: Arrays) -> tuple[Call, Read]:
    """Prepare BOSS from three random orders with the penalty of the data."""
    return _discover("boss", data, penalty_discount=float(data["penalty"]))


def boss_at_penalty_12(data: Arrays) -> tuple[Call, Read]:
    """Prepare BOSS from twelve random orders with the penalty of the data."""
    return _discover("boss", data, starts=12, penalty_discount=float(data["penalty"]))


def xges_at_penalty(data: Arrays) -> tuple[Call, Read]:
    """Prepare XGES with the penalty of the data."""
    return _discover("xges", data, penalty_discount=float(data["penalty"]))


def gies(data: Arrays) -> tuple[Call, Read]:
    """Prepare GIES on an observational and ten interventional conditions."""
    targets = [(), *((int(node),) for node in data["targets"])]
    regimes = tuple(
        Regime(f"condition {k}", data[f"regime_{k}"], nodes) for k, nodes in enumerate(targets)
    )
    columns = tuple(f"x{j}" for j in range(data["regime_0"].shape[1]))

    def call() -> Estimate:
        dataset = Dataset(columns, regimes, observational="condition 0")
        return discovery.discover("gies", dataset, np.random.default_rng(0), **BIC)

    return call, _read


def mmhc(data: Arrays) -> tuple[Call, Read]:
    """Prepare MMHC at level 0.05."""
    return _discover("mmhc", data)


def direct_lingam(data: Arrays) -> tuple[Call, Read]:
    """Prepare DirectLiNGAM with the pruning that lingam has."""
    return _discover("direct-lingam", data)


def sortnregress(data: Arrays) -> tuple[Call, Read]:
    """Prepare sorting by variance and regressing."""
    return _discover("var-sortnregress", data)


def notears(data: Arrays) -> tuple[Call, Read]:
    """Prepare NOTEARS by the authors' schedule."""
    return _discover("notears", data)


def notears_fast(data: Arrays) -> tuple[Call, Read]:
    """Prepare NOTEARS' objective by search over orders."""
    return _discover("notears", data, solver="fast")


def golem(data: Arrays) -> tuple[Call, Read]:
    """Prepare some steps of GOLEM-EV from zero."""
    return _discover("golem-ev", data, steps=GOLEM_STEPS)


def sampling(data: Arrays) -> tuple[Call, Read]:
    """Prepare 1000 rows of a linear model, made from its weights."""
    rng = np.random.default_rng(0)
    return lambda: models.LinearSCM(data["weights"], 1.0).sample(1000, rng), _spread


def _spread(values: Any) -> Arrays:
    return {"variance": values.var(axis=0)}


def iscm(data: Arrays) -> tuple[Call, Read]:
    """Prepare graph, weights and 1000 rows of an iSCM."""
    n_nodes, rng = int(data["n_nodes"]), np.random.default_rng(int(data["seed"]))

    def call() -> Any:
        graph = graphs.erdos_renyi(n_nodes, 2, rng)
        return models.draw("iscm", graph, rng, weights=(0.5, 2.0)).sample(1000, rng)

    return call, _spread


def variation(data: Arrays) -> tuple[Call, Read]:
    """Prepare total variation over all ordered pairs."""
    truth, guess = (models.LinearSCM(data[name], 1.0) for name in ("weights", "guess"))
    return partial(metrics.tv_matrix, truth, guess, at=2), lambda matrix: {"variation": matrix}


def _sweep_cell(cell: tuple[int, tuple[float, float], str]) -> tuple[float, float]:
    """Return the mean sortabilities of the hundred systems of a size, range and model."""
    pairs = [_sortabilities(*sweep_system(*cell, seed)) for seed in range(100)]
    return tuple(np.mean(pairs, axis=0).tolist())


def sweep(_: Arrays) -> tuple[Call, Read]:
    """Prepare the sweep of S3 figure 4 on two processes, their start included."""
    cells = sorted(product(SIZES, RANGES, ("standardized", "iscm")), reverse=True)

    def call() -> list[tuple[float, float]]:
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            return list(pool.map(_sweep_cell, cells))

    return call, lambda means: {"means": means}


def study(_: Arrays) -> tuple[Call, Read]:
    """Prepare a study of 10 000 trivial tasks on two workers, from the text to the last row."""
    from causalassay.study import LocalExecutor, parse_study, run_study  # noqa: PLC0415 (heavy)

    def call() -> int:
        with TemporaryDirectory() as folder:
            plan = parse_study(STUDY, Path(folder), "trivial.toml")
            return run_study(plan, Path(folder) / "store", LocalExecutor(plan, 2))["ok"]

    return call, lambda count: {"ok": count}
