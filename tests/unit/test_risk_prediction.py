"""Predictions of experiments from graphs found without them: laws, twins and bad input."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from causalassay import graphs, models
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime, sachs
from causalassay.data.kinds import Continuous
from causalassay.graphs import NoExtension, is_dag, skeleton, to_cpdag, v_structures
from causalassay.metrics import Categorical, Samples, total_variation
from causalassay.models import Do, LinearSCM, Randomize, Shift
from causalassay.risk import prediction
from causalassay.risk.prediction.additive_model import Columns, fit_lines
from causalassay.risk.prediction.comparing import member_dags
from causalassay.risk.prediction.experiments import measure, variation

WEIGHTS = np.array([[0, 1.0, 0, 0.5], [0, 0, -1.2, 0], [0, 0, 0, 0.8], [0, 0, 0, 0]])
GRAPH = WEIGHTS != 0
NAMES = ("a", "b", "c", "d")


def experiments(actions, n_observed=4000, n_rows=2000, seed=1, noise="gaussian"):
    rng = np.random.default_rng(seed)
    model = LinearSCM(WEIGHTS, 1.0, noise=noise)
    regimes = [Regime("rest", model.sample(n_observed, rng))]
    for number, action in enumerate(actions):
        values = model.sample(n_rows, rng, (action,))
        regimes.append(Regime(f"{number} on {NAMES[action.node]}", values, (action.node,)))
    return Dataset(NAMES, tuple(regimes), "rest")


@pytest.fixture(scope="module")
def data():
    return experiments([Randomize(1, 2.0, 1.0), Do(0, 2.0), Randomize(2, -2.0, 0.5)])


# --- laws ---


def test_the_true_graph_reaches_the_floor(data):
    found = prediction.compare({"true": GRAPH}, data, 0)
    score = found.score("true")
    assert score.value <= found.floor() + 2 * score.error
    assert found.nothing_changes() > 0.3
    assert abs(score.share_predicted - 1) < 0.1


def test_the_true_graph_reaches_the_floor_under_shifts_that_are_known():
    rng = np.random.default_rng(3)
    model = LinearSCM(WEIGHTS, 1.0)
    action = (Shift(2, 2.0),)
    regimes = (
        Regime("rest", model.sample(4000, rng)),
        Regime("shift", model.sample(2000, rng, action), (2,), action),
    )
    found = prediction.compare({"true": GRAPH}, Dataset(NAMES, regimes, "rest"), 0)
    assert found.score("true").value <= found.floor() + 2 * found.score("true").error


def test_the_empty_graph_predicts_that_nothing_changes(data):
    skewed = Dataset(
        NAMES,
        tuple(Regime(one.condition, np.exp(one.values), one.targets) for one in data.regimes),
        "rest",
    )
    for dataset in (data, skewed):
        found = prediction.compare({"empty": np.zeros((4, 4), dtype=bool)}, dataset, 0)
        expected = np.array([one.nothing_changes for one in found.experiments])
        np.testing.assert_array_equal(expected, found.of["empty"].distances)
        assert found.score("empty").share_predicted == pytest.approx(0.0, abs=1e-9)


def test_the_interval_of_a_score_holds_no_impossible_value():
    two = experiments([Do(0, 4.0), Do(3, 4.0)], n_observed=400, n_rows=100)
    found = prediction.compare({"empty": np.zeros((4, 4), dtype=bool), "true": GRAPH}, two, 0)
    low, high = found.score("empty").interval
    assert 0.0 <= low < high <= 1.0
    low, high = found.difference("true", "empty").interval
    assert -1.0 <= low < high <= 1.0
    assert 2 == found.score("empty").n_experiments


def test_relabelled_columns_give_relabelled_predictions(data):
    order = [2, 0, 3, 1]
    relabelled = Dataset(
        tuple(NAMES[k] for k in order),
        tuple(regime.permute_columns(order) for regime in data.regimes),
        "rest",
    )
    guess = to_cpdag(GRAPH)
    here = prediction.compare({"guess": guess}, data, 7)
    there = prediction.compare({"guess": guess[np.ix_(order, order)]}, relabelled, 7)
    np.testing.assert_allclose(
        here.of["guess"].distances[:, order], there.of["guess"].distances, atol=1e-3
    )
    assert here.score("guess").value == pytest.approx(there.score("guess").value, abs=1e-3)


def test_a_wrong_graph_predicts_worse(data):
    found = prediction.compare({"true": GRAPH, "backwards": GRAPH.T}, data, 0)
    assert ("true", "backwards") == found.ranking()
    difference = found.difference("true", "backwards")
    assert difference.value + 2 * difference.error < 0


def test_the_score_of_a_class_is_the_mean_over_its_members(data):
    lines = skeleton(GRAPH)
    lines[0, 3] = lines[3, 0] = False
    members = member_dags(lines, np.random.default_rng(0))
    assert len(members) == 4
    given = {f"member {k}": dag for k, dag in enumerate(members)} | {"class": lines}
    found = prediction.compare(given, data, 0)
    each = [found.of[f"member {k}"].distances for k in range(4)]
    np.testing.assert_allclose(np.mean(each, axis=0), found.of["class"].distances)


def test_equal_graphs_differ_by_nothing(data):
    difference = prediction.compare({"one": GRAPH, "other": GRAPH}, data, 0).difference(
        "one", "other"
    )
    assert (0.0, 0.0, (0.0, 0.0)) == (difference.value, difference.error, difference.interval)


# --- slow and obvious twins ---


def test_variation_is_total_variation_with_the_parts_of_rows():
    rng = np.random.default_rng(0)
    for n, m, shift in ((4, 9, 0.0), (50, 81, 1.0), (400, 300, 0.3), (10, 10, 0.0)):
        one, other = rng.normal(size=n), shift + rng.normal(size=m)
        expected = total_variation(Samples(one), Samples(other))
        found = variation(one, other)
        assert (pytest.approx(float(expected)), pytest.approx(expected.error)) == found[:2]
    codes = rng.integers(0, 3, 40).astype(float)
    law = Categorical([0.2, 0.5, 0.3])
    expected = total_variation(Samples(codes), law)
    assert (pytest.approx(float(expected)), pytest.approx(expected.error)) == variation(codes, law)[
        :2
    ]


def test_parts_of_rows_give_the_spread_of_the_value():
    rng = np.random.default_rng(1)
    found = [variation(rng.normal(size=400), 1 + rng.normal(size=400)) for _ in range(300)]
    told = np.mean(
        [np.square(one.measured).sum() + np.square(one.predicted).sum() for one in found]
    )
    seen = np.var([one.value for one in found])
    assert told == pytest.approx(seen, rel=0.35)


def test_predictions_are_those_of_equations_solved_one_after_the_other(data):
    """Fit each node by itself, set the target, recompute node by node with the residuals."""
    (first, *_), _ = measure(data, seed=5)
    model, target = first.predictor, first.experiment.target
    observed, columns = model._regressions.rows, model._regressions.columns
    predicted = observed.copy()
    predicted[:, target] = model.law(target, 1)
    for node in graphs.topological_order(GRAPH):
        parents = np.flatnonzero(GRAPH[:, node])
        if node == target or not len(parents):
            continue
        before = [columns.pieces(observed[:, parent], parent) for parent in parents]
        after = [columns.pieces(predicted[:, parent], parent) for parent in parents]
        weights = fit_lines(before, observed[:, node])
        fitted = sum(one @ weight for one, weight in zip(before, weights, strict=True))
        residuals = observed[:, node] - fitted
        moved = sum(one @ weight for one, weight in zip(after, weights, strict=True))
        predicted[:, node] = moved + residuals
    laws = model.laws(GRAPH)
    for node in (0, 2, 3):
        np.testing.assert_allclose(predicted[:, node], model.law(node, laws[node]))


def test_without_bends_the_lines_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2)) @ [[1.0, 0.6], [0.0, 1.0]]
    outcome = rows @ [2.0, -1.0] + rng.normal(size=300)
    columns = Columns.of(rows)
    weights = fit_lines([columns.pieces(rows[:, node], node) for node in (0, 1)], outcome)
    expected = np.linalg.lstsq(np.column_stack([np.ones(300), rows]), outcome)[0][1:]
    assert not np.array(weights)[:, 1:].any()
    np.testing.assert_allclose(expected, np.array(weights)[:, 0] / columns.sd, rtol=1e-6)


def test_a_curve_is_predicted_by_bent_lines():
    rng = np.random.default_rng(6)

    def draw(n, cause):
        return np.column_stack([cause, np.abs(cause) + 0.3 * rng.normal(size=n)])

    rest = Regime("rest", draw(2000, rng.normal(size=2000)))
    moved = Regime("moved", draw(1000, rng.normal(1.5, 0.3, size=1000)), (0,))
    data = Dataset(("cause", "effect"), (rest, moved), "rest")
    found = prediction.compare({"true": graphs.chain(2)}, data, 0)
    assert found.nothing_changes() > 0.3
    assert found.score("true").share_predicted > 0.65  # a straight line, of slope 0, has 0


def test_measured_values_of_the_target_are_dealt_to_the_rows(data):
    (first, *_), _ = measure(data, seed=5)
    settings = first.predictor.law(1, 1)
    np.testing.assert_allclose(np.sort(settings), np.sort(first.values[:, 1]))
    assert abs(np.corrcoef(settings, first.predictor.law(1, 0))[0, 1]) < 0.1


def all_members(pdag):
    """Direct the undirected edges in every way; keep DAGs without a new v-structure."""
    lines = np.argwhere(np.triu(pdag & pdag.T))
    found = []
    for ways in itertools.product((False, True), repeat=len(lines)):
        dag = pdag.copy()
        for (i, j), way in zip(lines, ways, strict=True):
            dag[(i, j) if way else (j, i)] = False
        if is_dag(dag) and set(map(tuple, v_structures(dag))) == _colliders(pdag):
            found.append(dag.tobytes())
    return sorted(found)


def _colliders(pdag):
    arrows, near = pdag & ~pdag.T, pdag | pdag.T
    d = len(pdag)
    return {
        (i, k, j)
        for k in range(d)
        for i, j in itertools.combinations(range(d), 2)
        if arrows[i, k] and arrows[j, k] and not near[i, j]
    }


def test_members_are_all_dags_that_extend_a_pdag():
    rng = np.random.default_rng(4)
    sizes = set()
    for _ in range(150):
        dag = graphs.erdos_renyi(4, 1.25, rng)
        keep = rng.random((4, 4)) < 0.5
        pdag = dag | (dag.T & (keep | keep.T))
        expected = all_members(pdag)
        try:
            found = sorted(one.tobytes() for one in member_dags(pdag, rng))
        except NoExtension:
            found = []
        assert expected == found
        sizes.add(len(found))
    assert {0, 1, 2, 3} <= sizes


def test_a_large_class_gives_100_members():
    rng = np.random.default_rng(0)
    lines = ~np.eye(7, dtype=bool)
    known = lines.copy()
    known[0, 6] = False  # 6→0 is known: the parents along 0—1 differ
    for pdag in (lines, known):
        drawn = member_dags(pdag, rng)
        assert len(drawn) == 100
        assert len({dag.tobytes() for dag in drawn}) > 80
        assert all(is_dag(dag) and (dag <= pdag).all() for dag in drawn)


# --- intervals ---


def test_an_interval_is_students_over_the_experiments(data):
    found = prediction.compare({"true": GRAPH, "empty": np.zeros_like(GRAPH)}, data, 0)
    difference = found.difference("true", "empty")
    means = found.of["true"].means - found.of["empty"].means
    least = 4.302652729911275 * means.std(ddof=1) / np.sqrt(3)
    low, high = difference.interval
    assert (low + high) / 2 == pytest.approx(means.mean())
    assert least <= (high - low) / 2 <= 1.2 * least
    alone = experiments([Do(0, 2.0)])
    assert np.isnan(prediction.compare({"true": GRAPH}, alone, 0).score("true").interval).all()


# --- experiments in doubt ---


def test_an_intervention_that_leaves_its_target_as_it_was_is_in_doubt():
    # Of d nothing descends: neither it nor another column moves.
    still = experiments([Randomize(0, 0.0, 1.0), Do(1, 3.0)])
    found = prediction.compare({"true": GRAPH}, still, 0)
    assert ["0 on a"] == list(found.doubts)
    assert "not told from observation" in found.doubts["0 on a"]
    assert (2, 1) == (
        found.score("true").n_experiments,
        found.score("true", undoubted=True).n_experiments,
    )


def test_a_column_that_moves_further_than_the_target_is_a_doubt(data):
    moved = data.regime("1 on a").values.copy()
    moved[:, 0] = data.observational_values[:2000, 0] + 0.8
    regimes = (data.regime("rest"), Regime("inhibitor", moved, (0,)), data.regime("0 on b"))
    found = prediction.compare({"true": GRAPH}, Dataset(NAMES, regimes, "rest"), 0)
    assert ["inhibitor"] == list(found.doubts)
    assert "moves further than a itself" in found.doubts["inhibitor"]


def test_named_conditions_are_in_doubt(data):
    found = prediction.compare({"true": GRAPH}, data, 0, not_acting=["1 on a"])
    assert {"1 on a": "you named it"} == found.doubts
    with pytest.raises(ValueError, match="not_acting: there is no condition '1 on b'"):
        prediction.compare({"true": GRAPH}, data, 0, not_acting=["1 on b"])


def test_sachs_inhibitors_are_in_doubt(sachs_folder):
    problem = sachs(sachs_folder)
    found = prediction.compare({"consensus": problem.graph}, problem.data, 0, not_acting=["u0126"])
    assert {"aktinhib", "g0076", "pma", "b2camp", "u0126"} == set(found.doubts)
    assert {"icam2", "ly"} == set(found.left_out)
    assert ["psitect"] == [one.condition for one in found.experiments if not one.doubt]
    # The consensus graph predicts these data no better than "nothing changes".
    assert -0.2 < found.score("consensus").share_predicted < 0.2


# --- unusual data ---


def test_a_constant_column_is_a_point_mass(data):
    stuck = data.regime("1 on a").values.copy()
    stuck[:, 3] = 0.25
    regimes = (data.regime("rest"), Regime("stuck", stuck, (0,)), data.regime("0 on b"))
    found = prediction.compare({"true": GRAPH}, Dataset(NAMES, regimes, "rest"), 0)
    assert found.of["true"].distances[0, 3] > 0.9
    assert found.experiments[0].floor[3] == 0.0


def test_a_column_that_was_constant_when_observed_is_no_parent_that_tells():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 3))
    rows[:, 0] = 1.5
    regimes = (Regime("rest", rows), Regime("do", rng.normal(size=(100, 3)), (0,)))
    data = Dataset(NAMES[:3], regimes, "rest")
    found = prediction.compare({"true": graphs.chain(3)}, data, 0)
    assert np.isfinite(found.score("true").value)


def test_a_graph_without_members_is_a_row_with_its_reason(data):
    ring = np.zeros((4, 4), dtype=bool)
    for i in range(4):
        ring[i, (i + 1) % 4] = ring[(i + 1) % 4, i] = True
    found = prediction.compare({"ring": ring, "true": GRAPH}, data, 0)
    assert ["true"] == list(found.of)
    assert "stands for none" in found.not_ranked["ring"]
    assert f"none of the nodes {data.columns[0]!r}, " in found.not_ranked["ring"]
    with pytest.raises(ValueError, match="ring has no prediction"):
        found.score("ring")


def test_few_rows_and_other_conditions_are_left_out_with_their_reasons(data):
    few = Regime("few", data.regime("1 on a").values[:7], (0,))
    unknown = Regime("unknown", data.regime("1 on a").values, None)
    regimes = (data.regime("rest"), few, unknown, data.regime("0 on b"))
    found = prediction.compare({"true": GRAPH}, Dataset(NAMES, regimes, "rest"), 0)
    assert ["0 on b"] == [one.condition for one in found.experiments]
    assert {"few", "unknown"} == set(found.left_out)
    with pytest.raises(ValueError, match="at least 1 condition with one known target"):
        prediction.compare({"true": GRAPH}, Dataset(NAMES, regimes[:3], "rest"), 0)


def test_a_graph_must_fit_the_columns_and_the_targets(data):
    with pytest.raises(ValueError, match="small: expected a graph of 4 nodes"):
        prediction.compare({"small": graphs.chain(3)}, data, 0)
    with pytest.raises(ValueError, match="partly: there is no graph without the experiments on"):
        prediction.compare({"partly": {0: GRAPH}}, data, 0)


def levels_data():
    rng = np.random.default_rng(2)
    model = models.DiscreteSCM(
        graphs.chain(3), [[0.7, 0.3], [[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]]]
    )
    regimes = [Regime("rest", model.sample(3000, rng))]
    for node, level in ((0, 1), (1, 1)):
        values = model.sample(1500, rng, (Do(node, level),))
        regimes.append(Regime(f"do {node}", values, (node,)))
    kinds = (Discrete((0, 1)), Discrete((0, 1)), Discrete((0, 1, 2)))
    return Dataset(NAMES[:3], tuple(regimes), "rest", kinds)


def test_discrete_data_are_predicted_by_tables():
    data = levels_data()
    chain, empty = graphs.chain(3), np.zeros((3, 3), dtype=bool)
    given = {"true": chain, "class": to_cpdag(chain), "empty": empty}
    found = prediction.compare(given, data, 0)
    score = found.score("true")
    assert score.value <= found.floor() + 2 * score.error
    expected = np.array([one.nothing_changes for one in found.experiments])
    np.testing.assert_array_equal(expected, found.of["empty"].distances)
    assert ("true", "class", "empty") == found.ranking()


def test_a_table_that_is_too_large_is_a_row_with_its_reason():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (60, 16)).astype(float)
    names = tuple(f"x{node:02d}" for node in range(16))
    regimes = (Regime("rest", rows[:30]), Regime("do", rows[30:], (0,)))
    data = Dataset(names, regimes, "rest", (Discrete((0, 1, 2, 3)),) * 16)
    dense, empty = np.triu(np.ones((16, 16), dtype=bool), 1), np.zeros((16, 16), dtype=bool)
    found = prediction.compare({"dense": dense, "empty": empty}, data, 0)
    assert ["empty"] == list(found.of)
    assert "a node with 15 parents needs a table" in found.not_ranked["dense"]


def test_a_single_column_has_nothing_to_predict():
    rows = np.random.default_rng(0).normal(size=(40, 1))
    regimes = (Regime("rest", rows), Regime("do", rows + 3, (0,)))
    data = Dataset(("only",), regimes, "rest")
    with pytest.raises(ValueError, match="need a column beside the target"):
        prediction.compare({"empty": np.zeros((1, 1), dtype=bool)}, data, 0)


def test_columns_of_two_kinds_do_not_apply():
    data = levels_data()
    mixed = Dataset(data.columns, data.regimes, "rest", (*data.kinds[:2], Continuous()))
    with pytest.raises(NotApplicable, match="all columns must be continuous or all discrete"):
        prediction.compare({"true": graphs.chain(3)}, mixed, 0)


def test_to_dict_has_plain_values(data):
    found = prediction.compare({"true": GRAPH}, data, 0, not_acting=["1 on a", "0 on b"])
    plain = json.loads(json.dumps(found.to_dict()))
    assert 3 == plain["all experiments"]["n_experiments"]
    assert [None, None] == plain["without those in doubt"]["scores"]["true"]["interval"]


def test_predictions_are_a_table_and_a_frame(data):
    found = prediction.compare({"backwards": GRAPH.T.copy(), "true": GRAPH}, data, 0)
    (table,) = found.document().tables()
    records, frame = table.records(), found.to_frame()
    assert (
        list(found.ranking()) == [row["algorithm"] for row in records] == list(frame["algorithm"])
    )
    score = found.score("true")
    assert [score.value, *score.interval] == records[0]["total_variation"]
    assert [score.value, *score.interval] == list(frame.loc[0, ["score", "low", "high"]])
    assert len(repr(found).splitlines()) <= 10
