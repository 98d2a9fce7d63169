import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from causalassay import risk
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem, Regime
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery import make_algorithm
from causalassay.graphs import chain, from_edges
from causalassay.metrics.registry import METRICS, Undefined
from causalassay.models import SNR, Shift
from causalassay.risk.fits import Refitted
from causalassay.study.keys import digest
from causalassay.study.language import parse_study
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.plan import RunTask
from causalassay.study.worker.problem_making import make
from causalassay.study.worker.task_runner import run_task

COLUMNS = tuple("abcd")


def problem(targets=((0,), (2,)), n=60, seed=0):
    """The chain a→b→c→d, its nodes shifted by 5."""
    rng = np.random.default_rng(seed)
    model = SNR().draw(chain(4), rng)
    regimes = [Regime("rest", model.sample(n, rng))]
    for target in targets:
        action = tuple(Shift(node, 5.0) for node in target)
        regimes.append(Regime(f"on {target}", model.sample(n, rng, action), target, action))
    return Problem(Dataset(COLUMNS, tuple(regimes), "rest"), chain(4), model)


def frame(estimated, true, descendants=5.0, **more):
    """Rows of the algorithms a, b, ...: lists of risks over replicates."""
    rows = [
        {
            "problem": "p",
            "replicate": replicate,
            "algorithm": name,
            "naive_risk": estimated[name][replicate],
            "oracle_risk": true[name][replicate],
            "intervened_descendants": descendants,
            **{key: values[replicate] for key, values in more.items()},
        }
        for name in estimated
        for replicate in range(len(estimated[name]))
    ]
    return pd.DataFrame(rows)


def test_metrics_by_hand():
    """Guess a→b only: a loses 2/3, b and c lose 1, d nothing; a and c were shifted."""
    guess = from_edges([(0, 1)], 4)
    assert pytest.approx((2 / 3 + 1 + 1) / 4) == METRICS["oracle_risk"].score(problem(), guess)
    assert pytest.approx((2 / 3 + 1) / 2) == METRICS["naive_risk"].score(problem(), guess)
    assert 0.0 == METRICS["naive_risk"].score(problem(), chain(4))


def test_the_metric_is_the_naive_risk_of_estimate():
    data = problem().data
    estimate = risk.estimate("var-sortnregress", data, 0)
    assert pytest.approx(estimate.naive) == METRICS["naive_risk"].score(problem(), estimate.graph)


def test_without_two_experiments_there_is_no_estimated_risk():
    with pytest.raises(Undefined, match="at least 2 columns; state the problem's `interventions`"):
        METRICS["naive_risk"].score(problem([(0,)]), chain(4))
    assert 0.0 == METRICS["oracle_risk"].score(problem([(0,)]), chain(4))


def test_descendants_are_counted_over_all_nodes_with_an_experiment():
    """a has 3, c has 1; regimes on two nodes at once are no experiment on one."""
    measure = DIAGNOSTICS["intervened_descendants"].measure
    assert 3 + 1 == measure(problem([(0,), (2,)]))
    assert 1 == measure(problem([(2,), (0, 1)]))
    assert 0 == measure(problem([]))


def test_signs_agree_where_the_estimate_ranks_as_the_truth_does():
    """Differences: right, right, wrong, a tie; the fifth is too small in truth to count."""
    rows = frame(
        {"a": [0.1, 0.2, 0.6, 0.5, 0.9], "b": [0.5] * 5},
        {"a": [0.2, 0.2, 0.2, 0.2, 0.35], "b": [0.4] * 5},
    )
    (found,) = risk.agreement(rows)
    assert ("a", "b", ()) == (found.first, found.second, found.setting)
    assert (4, 0.5) == (found.n_systems, found.share)
    assert pytest.approx(-0.2) == found.median_difference
    assert 0 < found.interval[0] < 0.5 < found.interval[1] < 1
    (all_of_them,) = risk.agreement(rows, least_difference=0.0)
    assert 5 == all_of_them.n_systems


def test_settings_are_told_apart_and_few_systems_have_no_share():
    risks = {"a": [0.1] * 5, "b": [0.5] * 5}
    rows = frame(risks, risks, samples=[10, 10, 10, 100, 100])
    few, many = sorted(risk.agreement(rows, by=["samples"]), key=lambda each: each.n_systems)
    assert ((100,), 2) == (few.setting, few.n_systems)
    assert math.isnan(few.share)
    assert ((10,), 3, 1.0) == (many.setting, many.n_systems, many.share)


def test_systems_with_few_descendants_and_undefined_risks_do_not_count():
    risks = {"a": [0.1] * 4, "b": [0.5, 0.5, 0.5, math.nan]}
    assert 3 == risk.agreement(frame(risks, risks))[0].n_systems
    assert () == risk.agreement(frame(risks, risks, descendants=2.0))


def test_missing_columns_are_named():
    rows = frame({"a": [0.1]}, {"a": [0.1]}).drop(columns="naive_risk")
    with pytest.raises(ValueError, match="no column 'naive_risk'; give the study the metrics"):
        risk.agreement(rows)


def test_pooled_ges_is_ges_on_one_regime_of_all_rows():
    data = problem([(0,), (1,), (2,)]).data
    twin = Dataset.from_values(data.pooled, COLUMNS)
    rng = np.random.default_rng(0)
    pooled = make_algorithm("ges-pooled").discover(data, rng)
    expected = make_algorithm("ges").discover(twin, rng)
    np.testing.assert_array_equal(expected.graph, pooled.graph)
    assert expected.info == pooled.info
    assert not np.array_equal(make_algorithm("ges").discover(data, rng).graph, pooled.graph)


def test_what_algorithms_read_is_no_part_of_their_keys():
    assert digest(make_algorithm("ges")) == digest({"is": "GES", "version": 2})
    assert digest(make_algorithm("ges-pooled")) == digest({"is": "PooledGES", "version": 2})


def test_a_comparison_shows_that_pooled_risks_are_not_equal_by_construction():
    found = risk.compare(["ges", "ges-pooled"], problem([(0,), (1,), (2,), (3,)]).data, 0)
    assert found.risks["ges"].naive == found.risks["ges"].cross_validated
    assert found.risks["ges-pooled"].refitted


def test_the_weighted_risk_of_a_study_is_that_of_estimate():
    """With a fold for each node both withhold the experiments of one node at a time."""
    made = problem([(0,), (2,), (3,)])
    shown = Problem(made.data.permute_columns(np.array([2, 0, 3, 1])), made.graph)
    found = Refitted(make_algorithm("ges-pooled"), 5).discover(shown.data, np.random.default_rng(0))
    back = np.argsort([2, 0, 3, 1])
    original = replace(found, graph=found.graph[np.ix_(back, back)])
    expected = risk.estimate("ges-pooled", made.data, 0).weighted
    assert pytest.approx(expected) == METRICS["weighted_risk"].score(made, original)


def test_a_weighted_risk_needs_graphs_without_some_experiments():
    with pytest.raises(Undefined, match="state the algorithm's `held_out_folds`"):
        METRICS["weighted_risk"].score(problem(), Estimate(chain(4), "dag"))


def test_numbers_of_a_problem_that_need_its_truth():
    made = problem([(0,), (2,)])
    measured = {name: DIAGNOSTICS[name].measure(made) for name in DIAGNOSTICS if "risk" in name}
    assert {"acor_oracle_risk", "acor_weighted_risk", "random_graph_risk"} == set(measured)
    acor = risk.estimate(make_algorithm("acor", n_edges=3), made.data, 0)
    assert pytest.approx(acor.weighted) == measured["acor_weighted_risk"]
    assert pytest.approx(risk.oracle(made.graph, acor.graph)) == measured["acor_oracle_risk"]
    assert 0 < measured["random_graph_risk"] < 1
    assert 4.0 == DIAGNOSTICS["compared_descendants"].measure(made)
    assert 0.0 == DIAGNOSTICS["compared_descendants"].measure(problem([(0,)]))
    assert 1.0 == DIAGNOSTICS["descendant_sensitivity"].measure(made)
    assert 0.0 == DIAGNOSTICS["descendant_false_positives"].measure(made)


STUDY = """
name = "folds"
seed = 1
replicates = 2
baselines = false
metrics = ["oracle_risk", "weighted_risk"]
algorithms = [{use = "ges-pooled", held_out_folds = 3}, "single-edge"]

[[problems]]
samples = 50
graph = {kind = "erdos-renyi", n_nodes = 6, edges_per_node = 1}
model = {kind = "snr"}
interventions = {action = "shift", value = 5, probability = 1.0, samples = 20}
"""


def test_a_study_records_weighted_risks_of_algorithms_with_folds(tmp_path):
    study = parse_study(STUDY, tmp_path)
    assert "Refitted" in type(study.algorithms[0].algorithm).__name__
    for task in (RunTask("main", 0, 0, index, index, (0, 1)) for index in (0, 1)):
        record = run_task(study, task, make(study.seed, study.problems[0].spec, "main", 0))
        assert "ok" == record.status
        assert math.isnan(record.scores[1]) == (task.algorithm == 1)
    assert "held_out_folds" in record.notes["weighted_risk"]


@pytest.mark.parametrize(
    "algorithm",
    [
        '{use = "command", program = "true", held_out_folds = 3}',
        '{use = "pc", held_out_folds = 3, tune = {criterion = "f1", grid = {alpha = [0.1, 0.2]}}}',
    ],
)
def test_folds_are_for_plain_algorithms_of_ours(algorithm, tmp_path):
    text = STUDY.replace('{use = "ges-pooled", held_out_folds = 3}', algorithm)
    with pytest.raises(StudyMistakes, match="is for algorithms of causalassay without `tune`"):
        parse_study(text, tmp_path)
