"""What studies measure for the judge, against slow and obvious twins."""

import hashlib

import numpy as np
import pytest

from causalassay import graphs, models
from causalassay.common.seeding import stream
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Problem, write
from causalassay.diagnostics.sortability import alignment
from causalassay.discovery import discover
from causalassay.discovery.regression.lasso_along_order import sort_regress
from causalassay.graphs import write_graph
from causalassay.graphs.sources import ErdosRenyi, LaggedErdosRenyi
from causalassay.judging import order_measures as module
from causalassay.judging.artefacts import ARTEFACTS
from causalassay.judging.data_set import judge_data
from causalassay.judging.order_measures import (
    direction_p,
    measure_names,
    order_measures,
    skeleton_f1_p,
)
from causalassay.judging.order_tests import DIRECTION
from causalassay.judging.regression_along import one_by_one
from causalassay.metrics import direction_score, f1, skeleton_f1
from causalassay.models import ISCM, SCM, UUMC, Dirichlet, SeriesSCM
from causalassay.study.keys import file_sha256
from causalassay.study.problem_specs import FromFile, Generated
from causalassay.study.worker.problem_making import make


def made(model=None, n_nodes=8, replicate=0, graph=None, **others):
    spec = Generated(graph or ErdosRenyi(n_nodes, 1.5), model or SCM(), 300, **others)
    return make(1, spec, "main", replicate).problem


def named_stream(graph, *purpose):
    digest = hashlib.sha256(f"{graph.shape} ".encode() + graph.tobytes()).hexdigest()
    return stream(0, "order measures", *purpose, digest)


def share(values):
    return (1 + sum(values)) / (1 + len(values))


def test_the_numbers_of_a_continuous_problem_are_those_of_a_slow_twin():
    problem = made(ISCM(), replicate=3)
    values, graph = problem.data.observational_values, problem.graph
    rng = named_stream(graph, "orders")
    guesses = [sort_regress(values, rng.permutation(8)) != 0 for _ in range(50)]
    chance = [direction_score(graph, guess) for guess in guesses]
    expected = {
        "random_f1": np.mean([f1(graph, guess) for guess in guesses]),
        "random_direction": np.mean(chance),
        "random_skeleton_f1": np.mean([skeleton_f1(graph, guess) for guess in guesses]),
        "attainable_direction_p": attainable_twin(problem, chance),
    }
    statistics = {"variance": values.var(axis=0), "r2": models_r2(values)}
    for key, statistic in statistics.items():
        rng = named_stream(graph, "shares", key)
        own = alignment(graph, statistic)
        random = [alignment(graph, rng.permutation(statistic)) for _ in range(200)]
        expected[f"{key}_rising_p"] = share([one >= own - 1e-9 for one in random])
        expected[f"{key}_falling_p"] = share([one <= own + 1e-9 for one in random])
        for name, order in (("up", np.argsort(statistic)), ("down", np.argsort(-statistic))):
            guess = sort_regress(values, order) != 0
            score = direction_score(graph, guess)
            expected[f"{key}_{name}_f1"] = f1(graph, guess)
            expected[f"{key}_{name}_direction"] = score
            expected[f"{key}_{name}_direction_p"] = share([one >= score - 1e-9 for one in chance])
    measured = order_measures(problem)
    assert pytest.approx(expected, abs=1e-9) == {name: measured.numbers[name] for name in expected}
    assert {} == measured.reasons
    assert set(measure_names("continuous")) == set(measured.numbers)


def attainable_twin(problem, chance):
    """The larger share of random assignments, and of random orders, as good as true ones."""
    values, graph = problem.data.observational_values, problem.graph
    rng = named_stream(graph, "true orders")
    assigned = rng.permuted(np.tile(np.arange(8), (200, 1)), axis=1)
    perfect = [alignment(graph, one.astype(float)) >= 1 - 1e-9 for one in assigned]
    precedes = graphs.reachability(graph)
    scores = []
    for _ in range(20):
        label = rng.permutation(8)
        order = label[graphs.topological_order(precedes[np.ix_(label, label)])]
        scores.append(direction_score(graph, sort_regress(values, order) != 0))
    return max(share(perfect), share([one >= np.mean(scores) - 1e-9 for one in chance]))


def models_r2(values):
    """R² of each column on all others, one regression at a time."""
    shares = []
    for column in range(values.shape[1]):
        others = np.delete(values, column, axis=1)
        design = np.column_stack([np.ones(len(values)), others])
        residual = values[:, column] - design @ np.linalg.lstsq(design, values[:, column])[0]
        shares.append(1 - residual.var() / values[:, column].var())
    return np.array(shares)


@pytest.mark.parametrize(
    ("model", "graph", "baselines"),
    [
        (SCM(), ErdosRenyi(8, 1.5), {"variance": "var-sortnregress", "r2": "r2-sortnregress"}),
        (
            SeriesSCM(),
            LaggedErdosRenyi(4, 0.4, 1),
            {
                "series_variance": "series-var-sortnregress",
                "series_r2": "series-r2-sortnregress",
            },
        ),
        (Dirichlet(), ErdosRenyi(6, 1.0), {}),
    ],
    ids=["continuous", "series", "discrete"],
)
def test_every_world_is_measured_and_agrees_with_its_baselines(model, graph, baselines):
    problem = made(model, graph=graph)
    measured = order_measures(problem)
    assert {} == measured.reasons
    assert set(measure_names(problem.data.world)) == set(measured.numbers)
    for name, number in measured.numbers.items():
        assert (-1 if name.endswith("direction") else 0) <= number <= 1
    for key, use in baselines.items():
        lag = {"max_lag": 1} if problem.lagged else {}
        estimate = discover(use, problem.data, 0, **lag)
        assert f1(problem.graph, estimate) == pytest.approx(measured.numbers[f"{key}_up_f1"])


def test_all_schemes_on_a_graph_meet_the_same_random_orders(monkeypatch):
    met = []

    def spied(data, max_lag):
        met.append([])
        return one_by_one(
            lambda order: met[-1].append(tuple(order)) or np.zeros((8, 8), dtype=bool)
        )

    monkeypatch.setattr(module, "regression_along", spied)
    for problem in (made(SCM()), made(UUMC()), made(SCM(), replicate=1)):
        module.random_orders(problem)
    assert 50 == len(set(met[0]))
    assert met[0] == met[1] != met[2]


def test_a_problem_is_measured_once(monkeypatch):
    regress, calls = module.regression_along, []
    monkeypatch.setattr(
        module, "regression_along", lambda *given: calls.append(given) or regress(*given)
    )
    problem = made(replicate=5)
    order_measures(problem)
    direction_p(problem, problem.graph)
    skeleton_f1_p(problem, problem.graph)
    order_measures(problem)
    assert 1 == len(calls)


def test_a_reversed_order_falls_and_a_raw_one_rises():
    raw = made(n_nodes=15)
    turned = Problem(raw.data, raw.graph.T)
    up, down = order_measures(raw).numbers, order_measures(turned).numbers
    assert 1 / 201 == pytest.approx(up["variance_rising_p"])
    assert 1 / 51 == pytest.approx(up["variance_up_direction_p"])
    assert up["variance_falling_p"] > 0.9
    assert 1 / 201 == pytest.approx(down["variance_falling_p"])
    assert down["variance_rising_p"] > 0.9


def test_variances_that_all_tie_tell_nothing():
    numbers = order_measures(made(transform=("standardize",))).numbers
    assert (1, 1) == (numbers["variance_rising_p"], numbers["variance_falling_p"])
    assert min(numbers["variance_up_direction_p"], numbers["variance_down_direction_p"]) > 0.1


def test_what_cannot_be_regressed_has_a_reason_and_leaves_the_rest():
    rng = np.random.default_rng(0)
    graph = graphs.erdos_renyi(12, 1.5, rng)
    values = models.draw("scm", graph, rng).sample(10, rng)
    measured = order_measures(Problem(Dataset.from_values(values), graph))
    assert np.isnan(measured.numbers["random_f1"])
    assert np.isnan(measured.numbers["variance_up_direction_p"])
    assert "13 rows, got 10" in measured.reasons["variance_up_direction_p"]
    assert 0 < measured.numbers["variance_rising_p"] <= 1
    with pytest.raises(NotApplicable, match="13 rows"):
        measured.number("random_f1")
    with pytest.raises(NotApplicable, match="13 rows"):
        direction_p(Problem(Dataset.from_values(values), graph), graph)


def test_without_edges_there_is_nothing_to_measure():
    values = np.random.default_rng(0).normal(size=(50, 3))
    measured = order_measures(Problem(Dataset.from_values(values), np.zeros((3, 3), dtype=bool)))
    assert all(np.isnan(number) for number in measured.numbers.values())
    assert "no pair of cause and effect" in measured.reasons["r2_falling_p"]
    assert "no edge" in measured.reasons["random_f1"]


def test_a_measure_of_another_world_says_so():
    with pytest.raises(NotApplicable, match="another kind"):
        order_measures(made()).number("entropy_up_f1")


def test_the_share_of_an_estimate_counts_the_random_orders_that_reach_it():
    problem = made(n_nodes=15)
    scores = module.random_orders(problem).scores(50)
    assert 1 / 51 == pytest.approx(direction_p(problem, problem.graph))
    assert 1 / 51 == pytest.approx(skeleton_f1_p(problem, problem.graph))
    empty = np.zeros_like(problem.graph)
    expected = share((scores[:, DIRECTION] >= -1e-9).tolist())
    assert expected == pytest.approx(direction_p(problem, empty))
    assert 1 == skeleton_f1_p(problem, empty)
    turned = problem.graph.T
    expected = share((scores[:, DIRECTION] >= -1 - 1e-9).tolist())
    assert 1 == expected == direction_p(problem, turned)


def file_spec(folder, problem, **others):
    data, graph = folder / "data.csv", folder / "graph.csv"
    write(problem.data, data)
    write_graph(graph, problem.graph, problem.data.columns)
    return FromFile(file_sha256(data), file_sha256(graph), data, graph, **others)


def test_p_values_of_a_file_are_those_of_its_own_rows_whatever_is_resampled(tmp_path):
    spec = file_spec(tmp_path, made(n_nodes=12), bootstrap=0)
    first, second = (make(1, spec, "main", replicate) for replicate in (0, 1))
    assert first.whole is second.whole
    one, two = (order_measures(each.problem, each.whole).numbers for each in (first, second))
    p_values = [name for name in one if name.endswith("_p")]
    assert 1 + 5 * 4 == len(p_values)  # four of each statistic that studies look at
    assert [one[name] for name in p_values] == [two[name] for name in p_values]
    assert one["variance_up_f1"] != two["variance_up_f1"]
    judged = judge_data(first.whole.data, first.whole.graph, np.random.default_rng(0))
    for test in judged.tests:
        if test.artefact.of_file:
            continue  # studies permute the columns
        key = next(key for key, value in ARTEFACTS.items() if value is test.artefact)
        sortable, winning = ("falling", "down") if test.backwards else ("rising", "up")
        assert test.sortable.below == (one[f"{key}_{sortable}_p"] <= judged.level)
        assert test.winning.below == (one[f"{key}_{winning}_direction_p"] <= judged.level)


def test_a_file_that_is_standardized_is_judged_as_that_once(tmp_path):
    spec = file_spec(tmp_path, made(n_nodes=6), bootstrap=0, transform=("standardize",))
    first, second = (make(1, spec, "main", replicate) for replicate in (0, 1))
    assert first.whole is second.whole
    numbers = order_measures(first.problem, first.whole).numbers
    assert 1 == numbers["variance_rising_p"]
    assert first.whole.data.observational_values.std(axis=0) == pytest.approx(np.ones(6))
