"""The judge of a data set: what it finds in every world, and what it must not find."""

import csv
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import causalassay as ca
from causalassay.data import Dataset, Discrete, Regime
from causalassay.judging import order_tests as chance
from causalassay.judging import p_values as sequential
from causalassay.judging.artefacts import ARTEFACTS, Artefact, artefacts_of
from causalassay.judging.data_set import BORDERLINE, judge_data, verdict_of
from causalassay.judging.findings import RULES, main_finding
from causalassay.judging.order_tests import strictest_level
from causalassay.judging.p_values import MonteCarlo
from causalassay.testing import check_artefact
from pages import ROOT


def drawn(n_nodes=20, seed=1, kind="scm", n_samples=1000, edges_per_node=2, **parameters):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, edges_per_node, rng)
    return ca.models.draw(kind, graph, rng, **parameters).sample(n_samples, rng), graph


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def judged(values, graph, seed=0, **options):
    data = values if isinstance(values, Dataset) else Dataset.from_values(values)
    return judge_data(data, graph, np.random.default_rng(seed), **options)


def kinds(found):
    return [(finding.kind, finding.statistic) for finding in found.findings[:-1]]


def verdict(found):
    main = main_finding(found.findings)
    return main.kind, main.statistic


def test_a_raw_scm_is_gameable_by_variance():
    found = judged(*drawn())
    assert ("gameable", "variance") == kinds(found)[0]
    assert found.findings[0].sentence.startswith("Gameable by variance: sorting by it beats")
    assert "graph-not-refuted" == found.findings[-1].kind


def test_raw_data_are_recognised():
    """At a rate of 99 % more than 1 of 8 missed has probability 0.003."""
    main = [main_finding(judged(*drawn(seed=seed)).findings).kind for seed in range(8)]
    assert main.count("gameable") >= 7


def test_a_transposed_graph_is_gameable_backwards_by_variance():
    values, graph = drawn(seed=2)
    found = judged(values, graph.T)
    assert ("gameable-backwards", "variance") in kinds(found)
    assert "Variance falls along the causal order" in main_finding(found.findings).advice
    assert "the graph is probably reversed" in verdict_of(found.findings).advice


def test_standardising_leaves_r2():
    values, graph = drawn(40, 0)
    found = judged(standardised(values), graph)
    assert [("gameable", "R2")] == kinds(found)
    assert "No change of units" in found.findings[0].advice


def test_without_an_artefact_there_is_no_evidence_which_is_not_an_absence():
    rng = np.random.default_rng(3)
    graph = ca.graphs.erdos_renyi(20, 2, rng)
    found = judged(ca.models.ISCM(sample_size=500).calibrate(graph, rng)[1], graph)
    assert [("no-evidence", "")] == kinds(found)
    sentence = found.findings[0].sentence
    expected = "No evidence that R² or position in the file reveals the order"
    assert sentence.startswith(expected)
    tied = "variance, excess kurtosis, skewness and mean"
    assert f"The columns do not differ in {tied}" in found.findings[0].advice


def test_five_raw_columns_are_never_cleared():
    for seed in range(12):
        found = judged(*drawn(5, seed, edges_per_node=1))
        assert "ot gameable" not in " ".join(one.sentence for one in found.findings)


def test_too_small_says_how_often_chance_is_as_good():
    values, graph = drawn(5, 0, edges_per_node=1)
    sentence = judged(values, graph).findings[0].sentence
    assert sentence.startswith("Too small")
    assert "at a level of 0.833 %" in sentence


def test_a_graph_without_edges_has_no_order():
    found = judged(drawn(6)[0], np.zeros((6, 6), dtype=bool))
    assert [("too-small", "")] == kinds(found)


@pytest.mark.parametrize("seed", range(2))
def test_seeds_agree(seed):
    values, graph = drawn(10, seed, edges_per_node=1.5)
    found = [verdict(judged(values, graph, one)) for one in range(7)]
    assert found.count(found[0]) == 7


def test_seeds_agree_on_a_light_tunnel(chamber_folder):
    files = [chamber_folder / name for name in ("chamber.csv", "chamber-graph.csv")]
    data = ca.data.read(files[0], "target", "condition", "reference")
    graph = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
    with files[1].open() as rows:
        for row in csv.DictReader(rows):
            graph[data.index(row["source"]), data.index(row["target"])] = True
    every = [judged(data, graph, seed) for seed in range(7)]
    mains = [main_finding(found.findings) for found in every]
    assert 1 == len({main.kind for main in mains})
    # Seeds may differ in what else is found, and then say so.
    if len({main.statistic for main in mains}) > 1:
        assert any("Borderline" in main.advice for main in mains)


def borderline():
    """Data whose sorting by variance has p-values near the level: mild scales of columns."""
    for seed in range(15):
        values, graph = drawn(10, seed, n_samples=200, edges_per_node=1.5)
        rng = np.random.default_rng([9, seed])
        yield standardised(values) * np.exp(rng.normal(size=10) + 0.15 * graph.sum(axis=0)), graph


def test_seeds_agree_on_borderline_data():
    """At a rate of 97 % more than 3 of 15 disagreements have probability below 0.001."""
    differ = 0
    for values, graph in borderline():
        first, second = (judged(values, graph, seed) for seed in (0, 1))
        differ += main_finding(first.findings).kind != main_finding(second.findings).kind
    assert differ <= 3


def test_the_order_of_the_columns_changes_no_letter_but_of_their_position():
    """Position in the file is what the order of columns is; nothing else may follow it."""
    values, graph = drawn(12, 4)
    artefacts = tuple(one for one in artefacts_of("continuous") if not one.of_file)
    label = np.random.default_rng(0).permutation(12)
    for order in (np.arange(12)[::-1], label):
        again = judged(values[:, order], graph[np.ix_(order, order)], artefacts=artefacts)
        assert judged(values, graph, artefacts=artefacts).findings == again.findings


def test_r2_that_falls_along_the_order_is_gameable_backwards():
    values, graph = drawn(50, [31, 3], n_samples=500, mechanism="multi-index")
    assert 0.2 < ca.diagnostics.r2_sortability(standardised(values), graph) < 0.4
    assert [("gameable-backwards", "R2")] == kinds(judged(standardised(values), graph))


def permuted_statistics(seed):
    """The artefacts with their values dealt out to the columns at random: nothing to find."""

    def of(world):
        return tuple(
            replace(
                one,
                measure=lambda data, lag, one=one, place=place: np.random.default_rng(
                    [seed, place]
                ).permutation(one.measure(data, lag)),
            )
            for place, one in enumerate(artefacts_of(world))
        )

    return of


def test_statistics_without_artefacts_are_rarely_called_gameable(monkeypatch):
    """At a rate of 5 % more than 7 of 40 have probability below 0.001."""
    alarms = 0
    for seed in range(40):
        monkeypatch.setattr("causalassay.judging.data_set.artefacts_of", permuted_statistics(seed))
        main = main_finding(judged(*drawn(8, seed, n_samples=200)).findings)
        alarms += main.kind.startswith("gameable")
    assert alarms <= 7


def codes(n_nodes=14, seed=0, kind="dirichlet", declared=True, **parameters):
    rng = np.random.default_rng([7, seed])
    graph = ca.graphs.erdos_renyi(n_nodes, 1, rng)
    model = ca.models.draw(kind, graph, rng, **parameters)
    values = model.sample(5000, rng)
    if not declared:
        return Dataset.from_values(values), graph
    names = tuple(Discrete(levels) for levels in model.levels)
    return Dataset(model.names, (Regime("o", values),), "o", names), graph


def test_entropy_gives_tables_away():
    found = judged(*codes(10, 2, levels=5))
    assert [("gameable", "entropy")] == kinds(found)
    assert "No other coding" in found.findings[0].advice
    assert pytest.approx(0.05 / 3) == found.level  # of four claims, one was made


def test_undeclared_codes_are_undecided_with_advice():
    found = judged(*codes(declared=False))
    sentences = [one.sentence for one in found.findings if one.kind == "undecided"]
    assert ["what is missing"] == [one.rule for one in found.findings if one.kind == "undecided"]
    assert "declare the columns discrete" in sentences[0]
    assert "no-evidence" not in [one.kind for one in found.findings]


def test_columns_of_two_kinds_are_undecided():
    rows = np.column_stack([np.arange(40) % 2, np.random.default_rng(0).normal(size=40)])
    kinds_of_columns = (Discrete((0, 1)), ca.data.Continuous())
    data = Dataset(("a", "b"), (Regime("o", rows),), "o", kinds_of_columns)
    found = judged(data, ca.graphs.chain(2))
    assert [("undecided", "")] == kinds(found)
    assert "graph-not-checked" == found.findings[-1].kind


def series(seed=0, n_nodes=8, kind="scm"):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.lagged_erdos_renyi(n_nodes, 0.4, 1, rng, feedback=False)
    return ca.models.draw(kind, graph, rng, mechanism="var").sample(400, rng), graph.summary


def test_series_are_tested_by_four_statistics_in_both_directions():
    values, graph = series()
    found = judged(Dataset.from_values(values, rows="series"), graph)
    words = [(test.artefact.statistic, test.backwards) for test in found.tests]
    names = ["variance", "R2", "R2 without own past", "position"]
    assert [(name, down) for name in names for down in (False, True)] == words
    made = sum(all(test.passed) for test in found.tests)
    assert pytest.approx(strictest_level(8 - made)) == found.level
    assert "graph-not-checked" == found.findings[-1].kind


def test_too_few_rows_are_undecided_with_what_is_missing():
    values, graph = drawn(20, n_samples=10)
    found = judged(values, graph)
    assert [("undecided", "")] == kinds(found)
    assert "need at least 21 rows, got 10" in found.findings[0].sentence
    assert "it takes 30 rows" in found.findings[1].sentence


def test_a_collinear_column_is_undecided_and_named():
    values, graph = drawn(8)
    data = Dataset.from_values(
        np.column_stack([values[:, :7], values[:, 0] - values[:, 1]]), list("abcdefgh")
    )
    found = judged(data, graph)
    assert [("undecided", "")] == kinds(found)
    assert "is a linear combination of others" in found.findings[0].sentence
    assert any(f"column {name!r}" in found.findings[0].sentence for name in "abh")


def test_a_series_with_a_column_of_time_is_undecided():
    values, graph = series()
    timed = np.column_stack([np.arange(400.0), values[:, 1:]])
    found = judged(Dataset.from_values(timed, rows="series"), graph)
    assert [("undecided", "")] == kinds(found)
    assert "a linear combination of others and of their past" in found.findings[0].sentence


def test_a_statistic_that_cannot_be_measured_is_undecided(monkeypatch):
    def measure(data, lag):
        raise ca.contracts.NotApplicable("it rains")

    rainy = Artefact("rain", "rain", "continuous", measure)
    monkeypatch.setattr(
        "causalassay.judging.data_set.artefacts_of", lambda world: (*artefacts_of(world), rainy)
    )
    values, graph = drawn(10, 3, "iscm")
    found = judged(values, graph)
    assert ("undecided", "rain") in kinds(found)
    assert "Undecided: rain cannot be measured: it rains." in [
        one.sentence for one in found.findings
    ]
    assert "no-evidence" not in [one.kind for one in found.findings]


def test_many_columns_are_judged(monkeypatch):
    """From 171 columns on, the number of orders is no float."""
    monkeypatch.setattr(
        "causalassay.judging.order_tests.decide", lambda draw, level: decided(draw(50))
    )
    values, graph = drawn(172, n_samples=300, edges_per_node=1)
    assert ("gameable", "variance") in kinds(judged(values, graph))


def decided(extreme):
    return MonteCarlo(float(extreme.mean()), not extreme.any(), True, len(extreme))


def test_every_finding_names_its_rule():
    values, graph = drawn(8)
    for found in (judged(values, graph), judged(values[:5], graph), judged(*codes(6))):
        assert {one.rule for one in found.findings} <= set(RULES)


def test_the_page_has_every_rule_word_by_word():
    page = (ROOT / "docs" / "rules.md").read_text()
    for name, rule in RULES.items():
        assert f"| {name} | {rule.says} | {rule.decides} |" in page
        assert set(rule.rests_on) <= set(RULES)


def names_that_grow(data, max_lag):
    """How long the names of the columns are."""
    return np.array([float(len(name)) for name in data.columns])


LENGTH = Artefact("length of name", "the length of names", "continuous", names_that_grow)


def test_a_plug_in_artefact_is_tried_corrected_for_and_named(announce):
    announce("artefacts", {"length": f"{__name__}:LENGTH"})
    assert LENGTH == ARTEFACTS["length"]
    check_artefact(LENGTH)
    rng = np.random.default_rng(0)
    graph = ca.graphs.erdos_renyi(12, 2, rng)
    values = ca.models.ISCM(sample_size=500).calibrate(graph, rng)[1]
    place = np.argsort(ca.graphs.topological_order(graph))
    data = Dataset.from_values(values, ["x" * (1 + depth) for depth in place])
    found = judged(data, graph)
    assert ("gameable", "length of name") in kinds(found)
    assert "Gameable by the length of names" in main_finding(found.findings).sentence
    statistics = {test.artefact.statistic for test in found.tests}
    assert "length of name" in statistics
    made = sum(all(test.passed) for test in found.tests)
    assert strictest_level(2 * len(statistics) - made) == found.level


def test_what_is_no_artefact_is_refused(announce):
    announce("artefacts", {"wrong": f"{__name__}:names_that_grow"})
    with pytest.raises(TypeError, match="artefact 'wrong': expected a"):
        ARTEFACTS["wrong"]


def test_an_audit_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged(*drawn(8))


def test_an_artefact_that_cannot_be_loaded_says_whose_it_is(announce):
    announce("artefacts", {"gone": "no_such_module:GONE"})
    with pytest.raises(ValueError, match="artefact 'gone' of package 'no_such_module' cannot be"):
        judged(*drawn(5))


@pytest.mark.parametrize(
    ("artefact", "breach"),
    [
        (replace(LENGTH, world="mixed"), "its world is 'mixed'"),
        (replace(LENGTH, measure=lambda data, lag: np.zeros(2)), "a finite number for each"),
        (replace(LENGTH, measure=lambda data, lag: np.arange(6.0)), "do not move with the columns"),
    ],
)
def test_breaches_of_an_artefact_are_named(artefact, breach):
    with pytest.raises(AssertionError, match=breach):
        check_artefact(artefact)


def test_a_p_value_that_is_not_told_from_its_level_is_called_borderline(monkeypatch):
    rng = np.random.default_rng(0)
    graph = ca.graphs.erdos_renyi(12, 2, rng)
    data = ca.Dataset.from_values(ca.models.draw("scm", graph, rng).sample(200, rng))
    whole = judge_data(data, graph, np.random.default_rng(1))
    assert BORDERLINE not in whole.findings[0].advice
    few = partial(sequential.decide, most_draws=50)
    monkeypatch.setattr(chance, "decide", few)
    cut = judge_data(data, graph, np.random.default_rng(1))
    assert cut.findings[0].advice.endswith(BORDERLINE)
    assert "\n" not in cut.findings[0].text
