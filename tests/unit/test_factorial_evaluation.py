"""Graphs judged by the laws of an experiment: references, changes, look-alikes, sentences."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest

from causalassay.contracts import Estimate, NotApplicable
from causalassay.discovery import make_algorithm
from causalassay.factorial import (
    LookAlike,
    Settings,
    Sizes,
    Truth,
    draw_look_alike,
    evaluate,
    score_algorithms,
    score_look_alikes,
    score_specifications,
)
from causalassay.factorial.evaluation import (
    CONSISTENT,
    EMPTY,
    FLOOR,
    MEASURES,
    RANDOMISED,
    WITHOUT_COVARIATE,
    ScoreRow,
)
from causalassay.factorial.score_texts import double_notes, notes
from causalassay.factorial.sentences import Comparisons, disagreements, headline, sentences
from causalassay.factorial.specification import changed_graph
from factorial_experiments import by_hand, simulated


@dataclass(frozen=True)
class Fixed:
    """An algorithm that finds what it is told, whatever the order of the columns."""

    edges: tuple[tuple[str, str], ...] = ()
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        del rng
        graph = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
        for tail, head in self.edges:
            graph[data.index(tail), data.index(head)] = True
        return Estimate(graph, "dag")


@dataclass(frozen=True)
class Failing:
    """An algorithm that never applies."""

    version: ClassVar[int] = 1

    def discover(self, data, rng):
        raise NotApplicable("needs more\nthan this")


def edges_of(truth):
    return tuple(
        (truth.columns[i], truth.columns[j]) for i, j in zip(*truth.graph.nonzero(), strict=True)
    )


@pytest.fixture(scope="module")
def truth():
    return Truth(simulated(4000), Settings())


@pytest.fixture(scope="module")
def scored(truth):
    algorithms = {"told": Fixed(edges_of(truth)), "silent": Fixed(), "failing": Failing()}
    return {row.name: row for row in score_algorithms(truth, algorithms, repeats=4)}


def test_the_consistent_graph_comes_near_the_floor_with_many_subjects(scored):
    reached = scored[CONSISTENT].mean("TV").value
    assert 0 == scored[CONSISTENT].mean("SHD").value == scored[CONSISTENT].mean("SID").value
    # Nine pairs: each law is off by what one sample of 4000 subjects leaves.
    assert reached < 1.5 * scored[RANDOMISED].mean("TV").value
    assert scored[FLOOR].mean("TV").value < reached < 0.2
    assert scored[EMPTY].mean("TV").value > 4 * reached


def test_without_covariate_to_outcome_the_bias_stays(scored):
    assert scored[WITHOUT_COVARIATE].mean("TV").value > 2 * scored[CONSISTENT].mean("TV").value


def test_an_algorithm_that_finds_a_graph_scores_as_the_graph(scored):
    for name, graph in (("told", CONSISTENT), ("silent", EMPTY)):
        for measure in ("SHD", "SID", "TV", "edges"):
            np.testing.assert_allclose(
                scored[graph].by_repeat[measure], scored[name].by_repeat[measure]
            )


def test_an_algorithm_that_fails_is_a_row_with_its_reason(scored):
    row = scored["failing"]
    assert (4, ("needs more than this",)) == (row.n_failed, row.reasons)
    assert np.isnan(row.mean("TV").value)
    assert row.to_dict()["TV"]["mean"] is None


def test_the_linear_model_comes_near_the_floor_too():
    truth = Truth(simulated(2000), Settings(fit="linear-gaussian"))
    rows = {row.name: row for row in score_algorithms(truth, {}, repeats=3)}
    assert rows[CONSISTENT].mean("TV").value < 0.5 * rows[EMPTY].mean("TV").value


def test_a_class_counts_as_the_mean_of_its_members():
    truth = Truth(simulated(300), Settings())
    (row,) = score_algorithms(truth, {"pc": make_algorithm("pc")}, repeats=1, compared=False)
    assert row.mean("TV").n == 1
    assert 0 <= row.mean("TV").value <= 9


def test_data_that_cannot_be_used_are_a_reason():
    # With such a strength all subjects have the second treatment.
    truth = Truth(simulated(40), Settings(beta=50.0))
    rows = {row.name: row for row in score_algorithms(truth, {"silent": Fixed()}, repeats=1)}
    assert "the biased data cannot be used: values: constant" in rows["silent"].reasons[0]
    assert rows[FLOOR].mean("TV").n == 1
    said = notes(rows.values())
    assert said["repeats"].startswith("1 of 1 left out: the biased data cannot be used")
    assert "silent" not in said


def test_labels_and_repeats_are_checked(truth):
    with pytest.raises(ValueError, match="'empty graph' names a row of its own"):
        score_algorithms(truth, {EMPTY: Fixed()}, repeats=1)
    with pytest.raises(ValueError, match="repeats: expected at least 1, got 0"):
        score_algorithms(truth, {}, repeats=0)


def test_too_many_edges_cost_no_sid_and_too_few_do(truth):
    over, under = score_specifications(truth, repeats=2)
    # T1 moves two of three outcomes, T2 none, T3 one.
    assert [1, 3, 2] == over.shd.tolist()
    assert [2, 0, 1] == under.shd.tolist()
    assert not over.sid.any()
    assert under.sid[0] > 0 == under.sid[1]
    assert (under.tv[:, 0] > over.tv[:, 0]).all()
    np.testing.assert_allclose(0, under.tv[:, 1], atol=1e-12)
    assert changed_graph(truth, 1, "over")[1, 4:].all()
    summary = over.to_dict()
    assert summary["SHD"] == (1, 2, 3)
    assert summary["TV"]["min"]["mean"] <= summary["TV"]["max"]["mean"]


@pytest.mark.parametrize("source", ["linear-gaussian", "dirichlet", "logistic"])
def test_a_look_alike_has_the_numbers_of_the_real_one(source):
    real = simulated(60)
    made = draw_look_alike(Sizes.of(real), LookAlike(source, 2, 5.0), np.random.default_rng(0))
    assert (60, 8, 480) == (made.n_subjects, made.n_combinations, len(made.frame))
    assert (1, 3, 3) == (len(made.covariates), len(made.treatments), len(made.outcomes))


def test_strength_makes_look_alikes_harder_for_the_empty_graph():
    real = simulated(200)
    algorithms = {"silent": Fixed()}
    rows = score_algorithms(Truth(real, Settings()), algorithms, repeats=2)
    kinds = [LookAlike("logistic", 3, strength) for strength in (1.0, 8.0)]
    weak, strong = score_look_alikes(real, rows, algorithms, Settings(), kinds, n_experiments=3)
    assert weak.by_experiment["TV"].mean() < strong.by_experiment["TV"].mean()
    assert strong.harder.value < weak.harder.value
    assert 0 == weak.n_failed


def rows_of(**scores):
    """Return rows with given scores in each of four repeats, nearly the same."""
    jitter = np.array([-0.01, 0.0, 0.01, 0.0])
    return [
        ScoreRow(
            name,
            "reference" if name in (EMPTY, CONSISTENT, FLOOR) else "algorithm",
            {
                measure: value + jitter * (k + 1)
                for measure, value in zip(("SHD", "SID", "TV"), values, strict=True)
            },
            np.zeros((1, 1)),
        )
        for k, (name, values) in enumerate(scores.items())
    ]


def test_sentences_name_rankings_and_contradictions():
    rows = rows_of(
        **{"a": (5, 9, 1.0), "b": (7, 9, 0.5), EMPTY: (3, 3, 0.7), CONSISTENT: (0, 0, 0.9)}
    )
    said = "\n".join(sentences(rows))
    assert "SHD ranks a (5.0), then b (7.0)." in said
    assert "SID ranks a (9.0) / b (9.0); a slash: undecided." in said
    assert "TV ranks b (0.50), then a (1.00)." in said
    assert "TV prefers b to a (difference -0.50" in said
    assert "SHD prefers a (+2.0" in said
    assert "b is closer to the experiment's laws than the empty graph (TV 0.70)." in said
    assert "a is further from" in said
    assert "The consistent graph (SHD 0, SID 0) has a larger TV" in said
    (found,) = disagreements(rows[:2], Comparisons(rows))
    assert ("b", "a", "SHD") == (found.better, found.worse, found.against)


def test_the_headline_names_the_closest_only_if_it_is_told_from_all_others():
    references = {EMPTY: (3, 3, 0.9), CONSISTENT: (0, 0, 0.2), FLOOR: (0, 0, 0.1)}
    apart = rows_of(a=(5, 9, 0.3), b=(7, 9, 0.6), **references)
    assert headline(apart).startswith("a comes closest to the experiment (TV: a 0.30")
    tied = rows_of(a=(5, 9, 0.5), b=(7, 9, 0.5), **references)
    assert headline(tied).startswith("2 of 2 algorithms may be closest")
    behind = rows_of(a=(5, 9, 0.9), b=(7, 9, 1.2), **references)
    assert headline(behind).startswith("No algorithm is shown to be closer")


def test_claims_of_one_evaluation_are_wrong_together_in_at_most_5_percent():
    """4 equal algorithms, 10 repeats, 400 evaluations; a rate of 5 % has an error of 1.1 %."""
    rng, wrong = np.random.default_rng(0), 0
    names = ("a", "b", "c", "d", EMPTY, CONSISTENT)
    for _ in range(400):
        rows = [
            ScoreRow(
                name,
                "reference" if name in (EMPTY, CONSISTENT) else "algorithm",
                {measure: rng.normal(size=10) for measure in ("SHD", "SID", "TV")},
                np.zeros((1, 1)),
            )
            for name in names
        ]
        compared = Comparisons(rows)
        pairs = [*combinations(rows[:4], 2)]
        claims = [compared.sign(*pair, measure) for pair in pairs for measure in MEASURES]
        claims += [compared.sign(row, rows[4], "TV") for row in (*rows[:4], rows[5])]
        wrong += any(claims)
    assert wrong / 400 < 0.05 + 3 * 0.011


def test_without_scores_the_sentence_says_so():
    row = ScoreRow(
        "a", "algorithm", dict.fromkeys(("SHD", "SID", "TV"), np.full(2, np.nan)), np.zeros((1, 1))
    )
    assert ("No algorithm has a score: the table has the reasons.",) == sentences([row])


def test_a_tiny_experiment_is_evaluated_as_far_as_it_goes():
    steps = []
    result = evaluate(
        by_hand(),
        {"silent": Fixed()},
        Settings(levels=2),
        repeats=2,
        n_look_alikes=0,
        on_step=lambda done, total: steps.append((done, total)),
    )
    assert [(1, 2), (2, 2)] == steps
    assert 2 == result.to_dict()["subjects"]


def test_an_evaluation_is_the_same_with_the_same_seed():
    one, other = (
        evaluate(simulated(60), {"pc": make_algorithm("pc")}, repeats=2, n_look_alikes=0).to_dict()
        for _ in range(2)
    )
    assert one == other


def test_of_more_than_two_levels_the_extremes_are_judged():
    result = evaluate(
        simulated(60, levels=(0, 1, 2)), {"silent": Fixed()}, repeats=2, n_look_alikes=0
    )
    assert [0.0, 2.0] == result.to_dict()["treatments"]["T1"]
    assert 8 * 60 == result.to_dict()["rows"]


def test_an_outcome_with_the_levels_of_another_is_left_out_and_named():
    own = simulated(60)
    frame = own.frame.assign(twice=2 * own.frame["O1"])
    doubled = replace(own, frame=frame, outcomes=(*own.outcomes, "twice"))
    result = evaluate(doubled, {"silent": Fixed()}, repeats=2, n_look_alikes=0)
    assert {"twice": "O1"} == result.to_dict()["doubles"]
    assert 0 == result.rows[0].n_failed
    assert own.outcomes == result.truth.experiment.outcomes
    assert ["twice is left out: in every row it has the same level as O1."] == double_notes(result)
