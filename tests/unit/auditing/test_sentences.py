"""Sentences of an audit: claim first, numbers in brackets, at most 30 words."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalassay as ca
from causalassay.auditing import audit
from causalassay.data import Dataset, Discrete, Regime
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.data_set import nothing_found, order_finding, too_small, verdict_of
from causalassay.judging.findings import ORDER_KINDS, RULES, Finding, FindingKind
from causalassay.judging.order_tests import OrderScores, OrderTest
from causalassay.judging.p_values import MonteCarlo

MOST_WORDS = 30
BANNED = ("tells nothing", "stands", "of which", " p value", "the words")

NUMBERS_IN_BRACKETS = set(ORDER_KINDS) - {FindingKind.UNDECIDED, FindingKind.NO_GRAPH}
GRAPH_KINDS = {kind for kind in FindingKind if kind.name.startswith("GRAPH_")}
WORLDS = ("continuous", "discrete", "series")
shares = st.floats(0, 1)
draws = st.integers(50, 20_000)


def sentences_of(finding: Finding):
    return re.split(r"(?<=\.) (?=[A-Z])", finding.text)


def check(finding: Finding):
    for sentence in sentences_of(finding):
        assert len(sentence.split()) <= MOST_WORDS, sentence
        assert sentence.endswith(".")
        for words in BANNED:
            assert words not in sentence
    before_brackets = finding.sentence.partition("(")[0]
    if finding.kind in NUMBERS_IN_BRACKETS:
        assert not re.search(r"\d\.\d", before_brackets), "a number stands before the claim's end"


@st.composite
def monte_carlo(draw, below):
    count = draw(st.integers(0, 40) if below else st.integers(100, 5000))
    drawn = draw(st.integers(5000, 20_000))
    return MonteCarlo((1 + count) / (1 + drawn), below, True, drawn)


@st.composite
def order_tests(draw, artefact, passed=(None, None)):
    tests = [draw(monte_carlo(draw(st.booleans()) if one is None else one)) for one in passed]
    below = tuple(test.below for test in tests)
    return OrderTest(artefact, draw(st.booleans()), draw(shares), draw(scores), *tests, below)


scores = st.builds(OrderScores, shares, st.floats(0, 5000), st.floats(-1, 1), shares)
random_orders = st.lists(scores, min_size=1, max_size=5).map(np.array)


@pytest.mark.parametrize(
    ("passed", "kinds"),
    [
        ((True, True), {"gameable", "gameable-backwards"}),
        ((True, False), {"sortable-only"}),
        ((False, True), {"gain-only"}),
    ],
)
@pytest.mark.parametrize("world", WORLDS)
@given(data=st.data(), orders=random_orders)
def test_what_was_found_takes_at_most_thirty_words(world, passed, kinds, data, orders):
    for artefact in artefacts_of(world):
        finding = order_finding(data.draw(order_tests(artefact, passed)), orders)
        assert finding.kind in kinds
        check(finding)


@pytest.mark.parametrize("world", WORLDS)
@given(data=st.data(), orders=random_orders)
def test_all_that_is_gameable_takes_at_most_thirty_words_and_is_named(world, data, orders):
    every = [
        order_finding(data.draw(order_tests(artefact, (True, True))), orders)
        for artefact in artefacts_of(world)
    ]
    winning = data.draw(st.lists(st.sampled_from(every), min_size=2, unique_by=id))
    over = data.draw(st.sampled_from(["", "10000 files; mean "]))
    winning = [replace(one, words={**one.words, "over": over}) for one in winning]
    verdict = verdict_of((*winning, Finding(FindingKind.GRAPH_NOT_CHECKED)))
    check(verdict)
    for one in winning:
        assert one.words["word"] in verdict.sentence
        assert one.statistic in verdict.numbers["by_statistic"]


@pytest.mark.parametrize("world", WORLDS)
@given(data=st.data(), orders=random_orders)
def test_nothing_found_takes_at_most_thirty_words(world, data, orders):
    artefacts = artefacts_of(world)
    tied = data.draw(st.sets(st.sampled_from(artefacts)))
    tests = [
        data.draw(order_tests(artefact, (False, False)))
        for artefact in artefacts
        if artefact not in tied
        for _ in range(2)
    ]
    check(nothing_found(tests, orders, list(tied)))


@given(shares, st.integers(1, 20))
def test_too_small_takes_at_most_thirty_words(share, n_tests):
    check(too_small(share, 0.05 / n_tests, 0.05 / 20))


def benchmark(kind="scm", d=10, n=400, seed=1, edges=2):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(d, edges, rng)
    return ca.models.draw(kind, graph, rng).sample(n, rng), graph


def levels(rng):
    graph = ca.graphs.erdos_renyi(6, 1, rng)
    model = ca.models.draw("dirichlet", graph, rng)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    return Dataset(model.names, (Regime("o", model.sample(300, rng)),), "o", kinds), graph


def entropies():
    """Levels that are sortable by entropy, which helps no regression."""
    rng = np.random.default_rng([7, 0])
    graph = ca.graphs.erdos_renyi(12, 1, rng)
    model = ca.models.draw("dirichlet", graph, rng, levels=5)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    return Dataset(model.names, (Regime("o", model.sample(5000, rng)),), "o", kinds), graph


def falling_r2():
    """Columns whose falling R² helps a regression more clearly than it follows the order."""
    rng = np.random.default_rng([31, 1])
    graph = ca.graphs.erdos_renyi(50, 2, rng)
    values = ca.models.draw("scm", graph, rng, mechanism="multi-index").sample(500, rng)
    return (values - values.mean(axis=0)) / values.std(axis=0), graph


def every_case():
    """Data and graphs that lead to every kind of finding, and to every reason to be undecided."""
    rng = np.random.default_rng(0)
    values, graph = benchmark()
    large, large_graph = benchmark(d=20, n=1000, seed=4)
    small, small_graph = benchmark(d=4, edges=1)
    copied = np.column_stack([values[:, :2], values[:, 0] + values[:, 1]])
    lagged = ca.graphs.lagged_erdos_renyi(5, 0.4, 1, rng, feedback=False)
    series = ca.models.draw("uumc", lagged, rng, mechanism="var").sample(300, rng)
    names = ["a column with a rather long name of its own", *"bc"]
    return [
        (values, graph),
        entropies(),
        falling_r2(),
        (values / values.std(axis=0), graph),
        (large, large_graph.T),
        (large, large_graph),
        (benchmark("iscm", 20, 500, 2)[0], benchmark("iscm", 20, 500, 2)[1]),
        (small, small_graph),
        (values, None),
        (values / values.std(axis=0), None),
        (benchmark("uumc")[0], None),
        (values, np.zeros_like(graph)),
        (values[:8], graph),
        (values[:20], graph),
        (Dataset.from_values(copied, names), ca.graphs.chain(3)),
        (np.round(np.clip(values, -2, 2)), graph),
        levels(rng),
        (levels(rng)[0], None),
        (Dataset.from_values(series, rows="series"), lagged),
        (Dataset.from_values(series[:10], rows="series"), lagged),
        (Dataset.from_values(series, rows="series"), None),
    ]


@pytest.mark.filterwarnings("ignore::causalassay.diagnostics.RankDeficientWarning")
def test_every_sentence_of_every_kind_of_audit_takes_at_most_thirty_words():
    findings = [
        finding
        for data, graph in every_case()
        for finding in audit(data, graph, 0, n_bootstrap=0).findings
    ]
    for finding in findings:
        check(finding)
        plain = json.loads(json.dumps(finding.to_dict(), allow_nan=False))
        assert (finding.kind.value, finding.label) == (plain["kind"], plain["label"])
        assert finding.sentence == plain["sentence"]
        assert set(finding.numbers) == set(plain["numbers"])
        assert finding.rule in RULES
    assert {*ORDER_KINDS, *GRAPH_KINDS} == {finding.kind for finding in findings}
