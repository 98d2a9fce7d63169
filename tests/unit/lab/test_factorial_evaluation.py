"""Graphs judged by the laws of an experiment: references, changes, look-alikes, sentences."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest

from causalassay.contracts import Estimate, NotApplicable
from causalassay.discovery import make_algorithm
from causalassay.judging.findings import FindingKind
from causalassay.lab.factorial import (
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
from causalassay.lab.factorial.document import score_table
from causalassay.lab.factorial.lookalikes import LookAlikeRow
from causalassay.lab.factorial.prediction import changed_graph
from causalassay.lab.factorial.result import (
    Comparisons,
    disagreements,
    look_alike_findings,
    main_finding,
    score_findings,
)
from causalassay.lab.factorial.scores import (
    CONSISTENT,
    EMPTY,
    FLOOR,
    MEASURES,
    RANDOMISED,
    WITHOUT_COVARIATE,
    ScoreRow,
)
from causalassay.lab.factorial.truth import Mean
from causalassay.present import Findings, Prose, flattened
from causalassay.present.formatting import formatted
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
    assert rows["silent"].unusable == rows["silent"].reasons
    assert rows[FLOOR].mean("TV").n == 1
    judged = evaluate(simulated(60), {"silent": Fixed()}, repeats=2, n_look_alikes=0)
    _, note = score_table(replace(judged, rows=tuple(rows.values()))).notes
    assert note.startswith("left out: 1 of 1 repeat: the biased data cannot be used")
    assert "silent" not in note


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


def sentences(rows):
    return tuple(finding.sentence for finding in score_findings(rows))


def of_kind(rows, kind):
    return [finding for finding in score_findings(rows) if finding.kind == kind]


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


def test_all_pairs_of_measures_are_compared_and_each_is_one_sentence():
    references = {EMPTY: (30, 30, 1.0), CONSISTENT: (0, 0, 0.9), FLOOR: (0, 0, 0.1)}
    # SHD puts a and b before c, SID c before both; TV does not decide.
    rows = rows_of(a=(5, 9, 1.0), b=(5, 9, 1.0), c=(7, 2, 1.0), **references)
    found = disagreements(rows[:3], Comparisons(rows))
    assert [("a", "c"), ("b", "c")] == [(one.better, one.worse) for one in found]
    assert {("SHD", "SID")} == {(one.by, one.against) for one in found}
    said = sentences(rows)
    assert "SHD prefers a, b to c; SID has the opposite order of each." in said
    assert not of_kind(rows, FindingKind.NO_OPPOSITE_ORDERS)
    (opposite,) = of_kind(rows, FindingKind.OPPOSITE_ORDERS)
    assert [("a", "c"), ("b", "c")] == opposite.numbers["pairs"]


def test_a_ranking_says_then_only_where_all_pairs_are_decided():
    references = {EMPTY: (30, 30, 9.0), CONSISTENT: (0, 0, 0.9), FLOOR: (0, 0, 0.1)}
    rows = rows_of(a=(5, 9, 1.0), b=(5, 9, 1.2), c=(7, 2, 1.3), d=(8, 8, 50.0), **references)
    # c is too uncertain to be told from a or b, though a is before b.
    rows[2].by_repeat["TV"][:] += [-1.0, 1.0, -1.0, 1.0]
    ranking = of_kind(rows, FindingKind.RANKING)[MEASURES.index("TV")]
    assert [["a", "b", "c"], ["d"]] == ranking.numbers["groups"]
    assert [("a", "b")] == ranking.numbers["decided_within"]
    assert "a (1.00) / b (1.20) / c (1.30), then d (50.00); " in ranking.sentence
    assert ranking.sentence.endswith("a slash: undecided, except a before b.")


def test_a_sentence_on_measures_stays_short_with_many_algorithms():
    references = {EMPTY: (30, 30, 1.0), CONSISTENT: (0, 0, 0.9), FLOOR: (0, 0, 0.1)}
    opposite = {f"a{k}": (5 + k, 20 - k, 1.0) for k in range(6)}
    (finding,) = of_kind(rows_of(**opposite, **references), FindingKind.OPPOSITE_ORDERS)
    assert 15 == len(finding.numbers["pairs"])
    assert "and 11 more pairs" in finding.sentence
    assert len(finding.sentence.split()) <= 30


def test_only_what_is_decided_is_called_further_than_the_empty_graph():
    noise = np.array([-1.0, 1.0, -1.0, 1.2])
    rows = rows_of(a=(5, 9, 1.0), **{EMPTY: (3, 3, 0.9), CONSISTENT: (0, 0, 0.2), FLOOR: (0, 0, 0)})
    rows[0].by_repeat["TV"][:] += noise
    assert not of_kind(rows, FindingKind.FURTHER_THAN_EMPTY)
    assert 1 == len(of_kind(rows, FindingKind.NOT_CLOSER))


def test_intervals_stay_within_what_is_possible():
    scores = {"SHD": [0, 4, 0], "SID": [0, 4, 0], "TV": [0.0, 2.0, 2.0], "edges": [0, 2, 0]}
    by_repeat = {name: np.array(values, dtype=float) for name, values in scores.items()}
    row = ScoreRow("a", "algorithm", by_repeat, np.zeros((1, 2)))
    assert 0 == row.mean("edges").low == row.mean("SHD").low == row.mean("TV").low
    assert 2 == row.mean("TV").high
    result = replace(
        evaluate(simulated(60), {"silent": Fixed()}, repeats=2, n_look_alikes=0), rows=(row,)
    )
    table = score_table(result)
    assert "0.7 [0.0, 3.5]" == formatted(table.rows[0][1], table.columns[1].format)


def test_kinds_without_an_interval_are_not_called_alike():
    kind = LookAlike("logistic", 1, 1.0)
    limits = [(0.1, 0.3), (-0.3, -0.1), (-0.1, 0.1), (np.nan, np.nan)]
    rows = [LookAlikeRow(kind, {}, Mean(0.0, *ends, 3), 0) for ends in limits]
    (finding,) = look_alike_findings(rows)
    expected = {"n_kinds": 4, "n_harder": 1, "n_easier": 1, "n_undecided": 1, "n_not_compared": 1}
    assert expected == finding.numbers
    assert "1 of 4 synthetic kinds are harder" in finding.sentence
    assert finding.sentence.endswith("1 cannot be told apart (each at 95 %); 1 are not compared.")


def test_the_headline_names_the_closest_only_if_it_is_told_from_all_others():
    references = {EMPTY: (3, 3, 0.9), CONSISTENT: (0, 0, 0.2), FLOOR: (0, 0, 0.1)}
    apart = rows_of(a=(5, 9, 0.3), b=(7, 9, 0.6), **references)
    assert FindingKind.CLOSEST == main_finding(apart).kind
    assert "a comes closest to the experiment (TV: a 0.30" in main_finding(apart).sentence
    tied = rows_of(a=(5, 9, 0.5), b=(7, 9, 0.5), **references)
    assert FindingKind.MAY_BE_CLOSEST == main_finding(tied).kind
    assert "2 of 2 algorithms may be closest" in main_finding(tied).sentence
    behind = rows_of(a=(5, 9, 0.9), b=(7, 9, 1.2), **references)
    assert FindingKind.NOT_CLOSER == main_finding(behind).kind


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


def test_without_scores_the_sentence_has_a_reason():
    nothing = dict.fromkeys(MEASURES, np.full(2, np.nan))
    row = ScoreRow("a", "algorithm", nothing, np.zeros((1, 1)), ("it needs more rows",), 2)
    assert ("No algorithm could be judged: it needs more rows.",) == sentences([row])
    assert FindingKind.NOT_JUDGED == main_finding([row]).kind


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
    assert {"T1": [1], "T2": [1], "T3": [1]} == result.to_dict()["unused_levels"]
    assert (
        "480 of 1620 rows (two levels of each treatment; T1: 0 and 2, without 1; T2"
        in result.document().about
    )


def test_the_count_of_effects_says_when_the_consistent_graph_means_little():
    few, many = (
        evaluate(simulated(n), {"silent": Fixed()}, repeats=2, n_look_alikes=0) for n in (6, 60)
    )
    # 9 tests of 6 subjects: the least corrected p-value is 9 * 2 / 2**6.
    counts = few.effect_counts
    assert (0, 9) == counts[:2]
    assert counts.above >= 3
    assert FindingKind.FEW_EFFECTS_FOUND == few.effects.kind
    said = few.effects.sentence
    assert said.startswith("Tests found effects in 0 of 9 pairs, and in 0 of the ")
    assert said.endswith("SHD and SID against that graph mean little.")
    assert Prose(said, "notice") in few.document().blocks
    assert (3, 9) == many.effect_counts[:2]
    assert FindingKind.EFFECTS_FOUND == many.effects.kind
    assert 0 == few.to_dict()["effects_found"]["found"]


def test_an_outcome_with_the_levels_of_another_is_left_out_and_named():
    own = simulated(60)
    frame = own.frame.assign(twice=2 * own.frame["O1"])
    doubled = replace(own, frame=frame, outcomes=(*own.outcomes, "twice"))
    result = evaluate(doubled, {"silent": Fixed()}, repeats=2, n_look_alikes=0)
    assert {"twice": "O1"} == result.to_dict()["doubles"]
    assert 0 == result.rows[0].n_failed
    assert own.outcomes == result.truth.experiment.outcomes
    note = Prose("twice is left out: in every row it has the same level as O1.")
    assert note in result.document().blocks


def test_a_result_shows_itself_in_few_lines_and_says_in_json_what_it_shows():
    result = evaluate(simulated(60), {"silent": Fixed()}, repeats=2, n_look_alikes=0)
    assert len(repr(result).splitlines()) <= 10
    assert result.headline in repr(result)
    (shown,) = (one for one in flattened(result.document().blocks) if isinstance(one, Findings))
    plain = result.to_dict()
    assert [one.to_dict() for one in (result.verdict, result.effects, *shown.items)] == plain[
        "findings"
    ]
    assert [one.sentence for one in shown.items] == plain["sentences"]
    scores = next(one for one in result.document().tables() if "score-table" == one.id)
    assert [one["name"] for one in plain["scores"]] == [one["graph"] for one in scores.records()]
