"""NOTEARS, its constraint, its optimiser and its fast solver against slow and obvious twins."""

from itertools import permutations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import approx_fprime, minimize

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime
from causalassay.discovery import acyclicity, discover
from causalassay.discovery.continuous.notears_objective import evaluate, minimise, new_lagrangian
from causalassay.discovery.continuous.quadratic_model import new_state
from causalassay.discovery.notears import NOTEARS, best_order, regressions
from causalassay.graphs import erdos_renyi
from causalassay.metrics import f1
from causalassay.models import draw
from causalassay.testing import check_algorithm


def problem(d, seed, n=1000, edges_per_node=2):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(d, min(edges_per_node, (d - 1) / 2), rng)
    return graph, draw("scm", graph, rng).sample(n, rng)


def standardise(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def covariance_of(values):
    return np.cov(values.T, bias=True)


@pytest.mark.parametrize("d", [1, 2, 5, 20])
@pytest.mark.parametrize("scale", [0.01, 0.5, 2.0])
def test_acyclicity_is_the_trace_of_the_exponential(d, scale):
    weights = np.random.default_rng(d).normal(size=(d, d)) * scale
    exponential = expm(weights * weights)
    h, gradient = acyclicity(weights)
    assert np.trace(exponential) - d == pytest.approx(h, rel=1e-11, abs=1e-12 * d)
    np.testing.assert_allclose(gradient, 2 * weights * exponential.T, rtol=1e-10)


def test_acyclicity_keeps_its_digits_near_a_dag():
    # h = 2 cosh(ab) - 2 = (ab)² + ..., far below the rounding error of 2 + h.
    h, _ = acyclicity([[0.0, 1.5], [1e-6, 0.0]])
    assert (1.5e-6) ** 2 == pytest.approx(h, rel=1e-12)


def test_acyclicity_is_infinite_past_double_precision():
    assert acyclicity([[0.0, 1e100], [1e100, 0.0]])[0] == np.inf
    assert acyclicity([[0.0, 1e200], [1e200, 0.0]])[0] == np.inf


def test_gradient_of_acyclicity_agrees_with_finite_differences():
    weights = np.random.default_rng(0).normal(size=(4, 4)) * 0.7
    differences = approx_fprime(weights.ravel(), lambda w: acyclicity(w.reshape(4, 4))[0], 1e-7)
    np.testing.assert_allclose(acyclicity(weights)[1].ravel(), differences, rtol=1e-4)


def lagrangian_of(values, rho, alpha, lambda1):
    lagrangian = new_lagrangian(covariance_of(values), lambda1)
    lagrangian.multipliers[:2] = rho, alpha

    def call(point):
        gradient = np.empty_like(point)
        return evaluate(lagrangian, point, gradient), gradient

    return lagrangian, call


def test_gradient_of_the_lagrangian_agrees_with_finite_differences():
    _, call = lagrangian_of(problem(4, 0)[1], 3.0, 0.7, 0.2)
    point = np.random.default_rng(1).random(24) * 0.5
    differences = approx_fprime(point, lambda w: call(w)[0], 1e-7)
    np.testing.assert_allclose(call(point)[1], differences, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("lambda1", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("rho", [0.0, 1.0, 100.0])
def test_optimiser_takes_the_steps_of_scipy(d, rho, lambda1):
    lagrangian, call = lagrangian_of(standardise(problem(d, 1)[1]), rho, rho / 10, lambda1)
    free = np.tile(~np.eye(d, dtype=bool).ravel(), 2)

    def call_with_diagonal(point):
        value, gradient = call(point[free])
        everywhere = np.tile(np.diag(lagrangian.pinned[0]).ravel(), 2)
        everywhere[d * d :] *= -1
        everywhere[free] = gradient
        return value, everywhere

    bounds = [(0, None if moves else 0) for moves in free]
    theirs = minimize(
        call_with_diagonal, np.zeros(2 * d * d), jac=True, method="L-BFGS-B", bounds=bounds
    )
    state = new_state(np.zeros(2 * d * (d - 1)))
    evaluations, converged = minimise(lagrangian, state)
    assert converged
    assert theirs.nfev == evaluations
    np.testing.assert_allclose(state.point, theirs.x[free], atol=1e-6)


def test_layout_in_memory_does_not_change_the_authors_arithmetic():
    _, values = problem(4, 0)
    by_row, by_column = (
        discover("notears", array, np.random.default_rng(0), solver="transcript").weights
        for array in (values, np.asfortranarray(values))
    )
    np.testing.assert_array_equal(by_row, by_column)


def test_only_the_authors_arithmetic_depends_on_the_order_of_columns():
    _, values = problem(6, 1)
    turn = np.arange(6)[::-1]
    for solver in ("augmented-lagrangian", "fast", "transcript"):
        straight, turned = (
            discover("notears", array, np.random.default_rng(0), solver=solver).weights
            for array in (values, values[:, turn])
        )
        same = np.array_equal(straight[np.ix_(turn, turn)], turned)
        assert same == NOTEARS(solver=solver).equivariant == (solver != "transcript")


@pytest.mark.parametrize("solver", ["augmented-lagrangian", "fast", "transcript"])
def test_every_solver_keeps_the_contract(solver):
    check_algorithm(NOTEARS(solver=solver))


@pytest.mark.parametrize("solver", ["augmented-lagrangian", "fast"])
def test_growing_variances_are_what_it_lives_on(solver):
    raw, standardised = [], []
    for seed in range(3):
        graph, values = problem(10, seed)
        for scores, array in ((raw, values), (standardised, standardise(values))):
            estimate = discover("notears", array, np.random.default_rng(0), solver=solver)
            scores.append(f1(graph, estimate.graph))
    assert min(raw) > 0.8
    assert np.median(raw) > 0.95
    assert max(standardised) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "lambda1", "at", "printed"),
    [("scm", 0.0, 0.3, 0.98), ("standardized", 0.15, 0.2, 0.30), ("iscm", 0.15, 0.1, 0.50)],
)
def test_median_f1_is_that_of_ormaniec_table_1(kind, lambda1, at, printed):
    # ER(20, 2), weights ±(.5, 2), n = 1000, 10 systems in place of 20. A score has a standard
    # deviation of up to .1, so the median of ten one of .04: the tolerance is 2.5 of these.
    scores = []
    for seed in range(10):
        rng = np.random.default_rng([2024, seed])
        graph = erdos_renyi(20, 2, rng, exact=False)
        values = draw(kind, graph, rng).sample(1000, rng)
        estimate = discover("notears", values, rng, lambda1=lambda1, threshold=at)
        scores.append(f1(graph, estimate.graph))
    assert printed == pytest.approx(np.median(scores), abs=0.1)


@pytest.mark.parametrize("solver", ["augmented-lagrangian", "transcript"])
def test_estimate_says_how_it_was_found(solver):
    _, values = problem(6, 0)
    estimate = discover("notears", values, np.random.default_rng(0), solver=solver)
    loss = np.square((values - values.mean(axis=0)) @ (np.eye(6) - estimate.weights)).sum() / 2000
    assert loss == pytest.approx(estimate.info["objective"], rel=1e-9)
    assert acyclicity(estimate.weights)[0] == pytest.approx(estimate.info["h"], rel=1e-6)
    assert estimate.info["converged"]
    assert estimate.info["h"] <= 1e-8
    assert estimate.info["threshold"] == 0.3
    assert 1 < estimate.info["iterations"] < estimate.info["evaluations"]
    assert (estimate.weights != 0).sum() > estimate.graph.sum()


def test_unmet_constraint_is_reported_and_cycles_are_broken():
    _, values = problem(6, 0)
    estimate = discover("notears", values, np.random.default_rng(0), max_iter=1)
    assert not estimate.info["converged"]
    assert estimate.info["threshold"] > 0.3
    assert estimate.kind == "dag"


def test_penalty_shrinks_the_weights():
    _, values = problem(6, 1)
    sizes = [
        np.abs(discover("notears", values, np.random.default_rng(0), lambda1=l1).weights).sum()
        for l1 in (0.0, 0.3, 3.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_edges_run_from_row_to_column():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=500)
    effect = 2 * cause + rng.normal(size=500)
    for solver in ("augmented-lagrangian", "fast", "transcript"):
        estimate = discover("notears", np.c_[cause, effect], rng, solver=solver)
        assert [[0, 1], [0, 0]] == estimate.graph.astype(int).tolist()
        assert estimate.weights[0, 1] == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [lambda v: v, standardise], ids=["raw", "standardised"])
def test_order_search_finds_the_best_of_all_orders(seed, make):
    covariance = covariance_of(make(problem(6, seed)[1]))

    def error(order):
        return np.square(np.linalg.cholesky(covariance[np.ix_(order, order)]).diagonal()).sum()

    result = best_order(covariance, np.random.default_rng(0), 20)
    assert min(error(order) for order in permutations(range(6))) == pytest.approx(error(result))


def test_regressions_are_least_squares_on_those_before():
    _, values = problem(5, 3)
    values = values - values.mean(axis=0)
    order = np.array([3, 0, 4, 1, 2])
    weights = regressions(covariance_of(values), order)
    for k, node in enumerate(order):
        before = order[:k]
        expected = np.linalg.lstsq(values[:, before], values[:, node])[0]
        np.testing.assert_allclose(weights[before, node], expected, atol=1e-10)
        assert not weights[order[k:], node].any()


@pytest.mark.parametrize("seed", range(3))
def test_fast_solver_reaches_no_worse_objective(seed):
    _, values = problem(10, seed)
    for array in (values, standardise(values)):
        fast, lagrangian = (
            discover("notears", array, np.random.default_rng(0), solver=solver).info["objective"]
            for solver in ("fast", "augmented-lagrangian")
        )
        assert fast <= 1.001 * lagrangian


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lambda1": -1.0}, "lambda1: expected a finite number >= 0, got -1"),
        ({"threshold": np.nan}, "threshold: expected"),
        ({"h_tolerance": -1e-8}, "h_tolerance: expected"),
        ({"max_iter": 0}, "max_iter: expected at least 1, got 0"),
        ({"rho_max": 1.0}, "rho_max: expected a finite number > 1"),
        ({"solver": "quick"}, "expected 'augmented-lagrangian', 'fast' or 'transcript', got"),
        ({"solver": "fast", "lambda1": 0.1}, "'fast' is for lambda1=0"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        NOTEARS(**settings)


@pytest.mark.parametrize("solver", ["augmented-lagrangian", "fast", "transcript"])
def test_data_that_do_not_determine_the_weights_are_refused(solver):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 3))
    twice = np.c_[values, values[:, 0] - values[:, 2]]
    with pytest.raises(NotApplicable, match="linear combination"):
        discover("notears", twice, rng, solver=solver)
    with pytest.raises(NotApplicable, match="linear combination"):
        discover("notears", rng.normal(size=(4, 6)), rng, solver=solver)


def test_penalty_allows_more_columns_than_rows():
    rng = np.random.default_rng(0)
    estimate = discover("notears", rng.normal(size=(8, 12)), rng, lambda1=0.1, max_iter=5)
    assert np.isfinite(estimate.weights).all()


def test_units_in_which_the_search_would_not_move_are_refused():
    _, values = problem(4, 0)
    with pytest.raises(NotApplicable, match="below 1e-05"):
        discover("notears", values * 1e-5, np.random.default_rng(0))
    with pytest.raises(NotApplicable, match="too large"):
        discover("notears", values * 1e60, np.random.default_rng(0))


def test_other_than_continuous_observations_are_refused():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 2))
    coded = np.c_[values[:, 0], rng.integers(2, size=20)]
    odd = [
        Dataset(
            ("a", "b"),
            (Regime("o", np.c_[values[:, 0], np.ones(20)]), Regime("i", values, (1,))),
            observational="o",
        ),
        Dataset(("a", "b"), (Regime("x", values, (0,)),), observational=None),
        Dataset(
            ("a", "b"),
            (Regime("o", coded),),
            observational="o",
            kinds=(Dataset.from_values(values).kinds[0], Discrete((0, 1))),
        ),
    ]
    for data, message in zip(odd, ("constant", "no condition", "discrete"), strict=True):
        with pytest.raises(NotApplicable, match=message):
            discover("notears", data, rng)
