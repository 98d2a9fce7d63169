"""The solvers for many problems at once, beside those for one."""

import importlib

import numpy as np
import pytest

from causalassay.common.spelling import RefusedValue
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery.continuous import moments
from causalassay.discovery.continuous.moments import own_order_moments
from causalassay.discovery.golem import GolemEV, GolemNV
from causalassay.discovery.notears import NOTEARS
from causalassay.graphs import erdos_renyi
from causalassay.models import SCM

WITH_TORCH = pytest.mark.needs("package:torch")
N_NODES = 6


@pytest.fixture(scope="module")
def data_sets():
    rng = np.random.default_rng(8)
    values = [SCM().draw(erdos_renyi(N_NODES, 1.5, rng), rng).sample(300, rng) for _ in range(6)]
    return [Dataset.from_values(np.asarray(getattr(each, "values", each))) for each in values]


@pytest.fixture(scope="module")
def solver():
    return importlib.import_module("causalassay.discovery.continuous.batch_solver")


@pytest.fixture
def on_the_cpu(monkeypatch, solver):
    """Let "cuda" be the CPU: the same code, where there is no card."""
    monkeypatch.setattr(solver, "is_there", lambda device: True)
    there = solver._on
    monkeypatch.setattr(solver, "_on", lambda device, array: there("cpu", array))
    monkeypatch.setattr(
        solver.torch,
        "eye",
        lambda *size, _eye=solver.torch.eye, **how: _eye(*size, **{**how, "device": "cpu"}),
    )


@WITH_TORCH
def test_the_exponential_is_that_of_torch_and_small_entries_stay_exact(solver):
    torch = solver.torch
    rng = np.random.default_rng(1)
    matrices = torch.tensor(rng.uniform(0, 3, (4, 7, 7)))
    expected = torch.linalg.matrix_exp(matrices) - torch.eye(7, dtype=torch.float64)
    assert np.allclose(expected, solver.expm1(matrices), rtol=1e-12)
    tiny = torch.zeros(1, 2, 2, dtype=torch.float64)
    tiny[0, 0, 1], tiny[0, 1, 0] = 1e-10, 1e-9
    trace = solver.expm1(tiny).diagonal(dim1=1, dim2=2).sum()
    assert np.isclose(1e-19, float(trace), rtol=1e-9)


@WITH_TORCH
def test_each_matrix_is_squared_back_as_often_as_it_needs(solver):
    torch = solver.torch
    small, large = torch.full((1, 3, 3), 0.01), torch.full((1, 3, 3), 9.0)
    both = solver.expm1(torch.cat([small, large]).double())
    assert np.allclose(solver.expm1(small.double())[0], both[0], rtol=1e-14)
    assert np.allclose(solver.expm1(large.double())[0], both[1], rtol=1e-14)


@WITH_TORCH
@pytest.mark.parametrize("variant", ["ev", "nv"])
def test_golem_takes_the_steps_of_the_kernel(data_sets, solver, variant):
    algorithm = (GolemEV if variant == "ev" else GolemNV)(steps=300)
    found = [own_order_moments(data) for data in data_sets]
    solved = solver.solve_golem(
        np.array([each.covariance for each in found]),
        [each.n_samples for each in found],
        variant,
        lambda1=algorithm.lambda1,
        lambda2=algorithm.lambda2,
        steps=algorithm.steps,
        learning_rate=algorithm.learning_rate,
    )
    for k, (data, each) in enumerate(zip(data_sets, found, strict=True)):
        alone = algorithm.discover(data, np.random.default_rng(0))
        weights = alone.weights[np.ix_(each.columns, each.columns)]
        assert np.allclose(weights, solved["weights"][k], atol=1e-9)
        for name in ("loss", "h", "change"):
            assert np.isclose(alone.info[name], solved[name][k], atol=1e-8)


@WITH_TORCH
@pytest.mark.parametrize("lambda1", [0.0, 0.1])
def test_notears_ends_where_the_kernel_ends_as_a_distribution(data_sets, solver, lambda1):
    algorithm = NOTEARS(lambda1=lambda1)
    alone = [algorithm.discover(data, np.random.default_rng(0)).info for data in data_sets]
    found = [own_order_moments(data).covariance for data in data_sets]
    solved = solver.solve_notears(np.array(found), lambda1)
    assert (solved["h"] <= 1e-8).all()
    assert (solved["weights"][:, range(N_NODES), range(N_NODES)] == 0).all()
    # Each may end in another local minimum; most end in the same, and none is lost.
    ratio = solved["objective"] / [info["objective"] for info in alone]
    assert np.isclose(1, np.median(ratio), atol=1e-3)
    assert (ratio < 1.2).all()
    for weights, covariance, objective in zip(
        solved["weights"], found, solved["objective"], strict=True
    ):
        away = np.eye(N_NODES) - weights
        loss = np.trace(away.T @ covariance @ away) / 2 + lambda1 * np.abs(weights).sum()
        assert np.isclose(loss, objective)


@WITH_TORCH
def test_a_problem_that_ends_early_keeps_its_place(data_sets, solver):
    """Of a batch those that have ended leave the computation before the others."""
    found = np.array([own_order_moments(data).covariance for data in data_sets[:3]])
    trivial = np.broadcast_to(np.eye(N_NODES), (5, N_NODES, N_NODES))
    solved = solver.solve_notears(np.concatenate([trivial, found]))
    assert (solved["weights"][:5] == 0).all()
    assert np.abs(solved["weights"][5:]).max(axis=(1, 2)).min() > 0.3
    assert solved["evaluations"][:5].max() < solved["evaluations"][5:].min()


@WITH_TORCH
@pytest.mark.parametrize(
    "algorithm",
    [GolemEV(steps=300), GolemNV(steps=300, start="ev"), NOTEARS(lambda1=0.05)],
    ids=lambda algorithm: algorithm.name,
)
def test_a_device_changes_no_graph_of_clear_data(data_sets, on_the_cpu, algorithm):
    from dataclasses import replace

    for data in data_sets[:3]:
        expected = algorithm.discover(data, np.random.default_rng(0))
        came = replace(algorithm, device="cuda").discover(data, np.random.default_rng(0))
        assert expected.info.keys() == came.info.keys()
        assert np.abs(expected.graph.astype(int) - came.graph).sum() <= 2


@WITH_TORCH
@pytest.mark.parametrize(
    "algorithm",
    [
        GolemEV(steps=100, device="torch"),
        GolemNV(steps=100, start="ev", device="torch"),
        NOTEARS(lambda1=0.1, max_iter=2, device="torch"),
    ],
    ids=lambda algorithm: algorithm.name,
)
def test_relabelled_columns_in_a_call_have_relabelled_weights(data_sets, algorithm):
    """To the last bit: sorted by their values the columns of both are the same."""
    rng = np.random.default_rng(3)
    orders = [rng.permutation(N_NODES) for _ in data_sets[:3]]
    relabelled = [
        data.permute_columns(order) for data, order in zip(data_sets, orders, strict=False)
    ]
    came = algorithm.discover_many([*data_sets[:3], *relabelled], [rng] * 6)
    for estimate, other, order in zip(came[:3], came[3:], orders, strict=True):
        assert (estimate.weights[np.ix_(order, order)] == other.weights).all()
        assert (estimate.graph[np.ix_(order, order)] == other.graph).all()


@pytest.mark.parametrize("algorithm", [GolemEV, GolemNV, NOTEARS])
def test_what_no_device_can_do_is_refused(data_sets, algorithm, monkeypatch):
    with pytest.raises(RefusedValue, match="expected 'cpu', 'torch' or 'cuda', got 'tpu'"):
        algorithm(device="tpu")
    with pytest.raises(NotApplicable, match="device = 'cuda'"):
        algorithm(device="cuda").discover(data_sets[0], np.random.default_rng(0))


def test_without_torch_the_extra_is_named(monkeypatch):
    name = "causalassay.discovery.continuous.batch_solver"
    monkeypatch.setitem(__import__("sys").modules, name, None)
    monkeypatch.delattr(
        importlib.import_module("causalassay.discovery.continuous"), "batch_solver", raising=False
    )
    with pytest.raises(NotApplicable, match=r"install the extra causalassay\[gpu\]"):
        moments.solver_on("cuda")


def test_only_the_penalised_solver_has_a_device():
    with pytest.raises(RefusedValue, match="solver='fast' is for the CPU"):
        NOTEARS(solver="fast", device="cuda")
