import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import causalassay as ca
from causalassay import choosing
from causalassay.choosing.candidates import find_candidates
from causalassay.choosing.claims import make_claims, permuted_spearman
from causalassay.choosing.graph_files import matrix_of, write_graphs
from causalassay.choosing.random_graphs import (
    beside_random,
    density_of,
    draw_classes,
    draw_graphs,
    random_risks,
    reachability,
    risks_of,
)
from causalassay.choosing.running import Work, run_all
from causalassay.choosing.table_rows import RANKING_HEADS, ranking_rows
from causalassay.contracts import Estimate, NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.graphs import chain, extend, possible_reachability, to_cpdag
from causalassay.models import Do
from causalassay.risk import DescendantTests, implied_descendants, jaccard

NAMES = tuple("abcdef")


@dataclass(frozen=True, eq=False)
class Given:
    """Gives a graph whatever the data are."""

    graph: np.ndarray
    reads: str = "no rows"
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        return Estimate(self.graph, "dag")


@dataclass(frozen=True)
class Refusing:
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        raise NotApplicable("not these data; take others")


def system(targets=(0, 1, 2, 3, 4), shift=5.0, n_rows=80, seed=0):
    """A chain a→b→…→f, with experiments that set some columns."""
    rng = np.random.default_rng(seed)
    model = ca.models.draw("scm", chain(6), rng, weights=(1, 2))
    regimes = [Regime("rest", model.sample(300, rng))]
    for node in targets:
        action = (Do(node, shift),)
        regimes.append(Regime(f"do {NAMES[node]}", model.sample(n_rows, rng, action), (node,)))
    return Dataset(NAMES, tuple(regimes), "rest")


BACKWARDS = chain(6).T.copy()
ALGORITHMS = {"truth": Given(chain(6)), "backwards": Given(BACKWARDS)}


@pytest.fixture(scope="module")
def chosen():
    return ca.choose(system(), 0, {**ALGORITHMS, "refusing": Refusing()}, n_random=500)


def test_the_algorithm_that_names_what_moved_is_the_best(chosen):
    assert ("truth", "backwards") == chosen.ranking
    assert ("truth",) == chosen.may_be_best
    truth = chosen.row("truth")
    assert 0.0 == truth.weighted
    assert truth.random.beaten
    assert truth.random.p_corrected == pytest.approx(2 * truth.random.p_value)
    assert not chosen.row("backwards").random.beaten
    assert "best" == chosen.claims[0].rule
    assert chosen.headline.startswith("truth is the best of 2 algorithms")


def test_graphs_that_say_nothing_stand_in_the_table(chosen):
    roles = {row.name: row.role for row in chosen.rows}
    assert roles == {
        "truth": "algorithm",
        "backwards": "algorithm",
        "empty": "baseline",
        "complete": "baseline",
    }
    assert chosen.row("empty").random.p_corrected is None
    assert 0.5 < chosen.random_order.mean < 1
    texts = ranking_rows(chosen)
    assert {len(RANKING_HEADS)} == {len(row) for row in texts}
    assert "truth" == texts[0][0]
    assert any(row[0].startswith("random complete DAG") for row in texts)


def test_an_algorithm_that_does_not_apply_is_a_row_with_its_reason(chosen):
    assert {"refusing": "on all data: not these data; take others"} == chosen.not_ranked


def test_who_moved_is_what_the_chain_says(chosen):
    moved = {one.condition: one.moved for one in chosen.movements}
    assert {f"do {name}": NAMES[k + 1 :] for k, name in enumerate("abcde")} == moved
    first = chosen.movements[0]
    assert ("a", 80) == (first.target, first.n_rows)
    assert ("a",) == first.constant
    assert abs(first.effects["b"]) > 1


def test_json_gives_the_same_choice_back(chosen):
    plain = json.loads(json.dumps(chosen.to_dict(), allow_nan=False))
    assert chosen.headline == plain["headline"]
    assert chosen == choosing.Choice.from_dict(plain)


def test_the_same_seed_gives_the_same_choice(chosen):
    again = ca.choose(system(), 0, {**ALGORITHMS, "refusing": Refusing()}, n_random=500)
    timeless = [
        replace(one, rows=tuple(replace(row, seconds=None) for row in one.rows))
        for one in (chosen, again)
    ]
    assert timeless[0] == timeless[1]


def test_company_changes_no_risk_and_no_random_graph(chosen):
    alone = ca.choose(system(), 0, {"backwards": Given(BACKWARDS)}, n_random=500)
    one, other = alone.row("backwards"), chosen.row("backwards")
    assert (one.weighted, one.interval, one.random.mean) == (
        other.weighted,
        other.interval,
        other.random.mean,
    )


def test_the_second_opinion_ranks_the_same_graphs(chosen):
    other = chosen.second_opinion
    assert {"truth", "backwards", "empty"} == set(other.scores)
    assert "truth" == next(iter(other.scores))
    sentences = [claim.sentence for claim in chosen.claims if claim.rule == "second opinion"]
    assert sentences[0].startswith("Both scores put truth first")


def test_without_a_second_opinion_there_is_a_reason():
    few = system(n_rows=4)
    found = ca.choose(few, 0, ALGORITHMS, n_random=50)
    assert "at least 1 condition" in found.second_opinion.reason
    assert not [claim for claim in found.claims if claim.rule == "second opinion"]


def test_a_least_effect_changes_who_counts_as_moved():
    data = system(shift=0.8, n_rows=400)
    all_of_them = ca.choose(data, 0, ALGORITHMS, n_random=50)
    shares = [each.share_moved for each in all_of_them.cutoffs]
    assert [0.0, 0.2, 0.5] == [each.least_effect for each in all_of_them.cutoffs]
    assert shares == sorted(shares, reverse=True)
    large = ca.choose(data, 0, ALGORITHMS, DescendantTests(least_effect=0.5), n_random=50)
    assert [0.0, 0.2, 0.5] == [each.least_effect for each in large.cutoffs]
    assert pytest.approx(large.cutoffs[-1].risks["truth"]) == large.row("truth").weighted
    assert sum(len(one.moved) for one in large.movements) < sum(
        len(one.moved) for one in all_of_them.movements
    )


def test_graphs_are_written_as_files(chosen, tmp_path):
    files = write_graphs(chosen, tmp_path / "graphs")
    assert ["truth.csv", "backwards.csv"] == [path.name for path in files]
    np.testing.assert_array_equal(chain(6), matrix_of(chosen, "truth"))
    assert "a,b" in files[0].read_text()
    hostile = replace(chosen, rows=tuple(replace(r, name="../x/" + r.name) for r in chosen.rows))
    hostile = replace(hostile, graphs={"../x/" + n: g for n, g in chosen.graphs.items()})
    assert {tmp_path} == {path.parent for path in write_graphs(hostile, tmp_path)}


def test_a_notebook_shows_the_sentences_and_the_ranking(chosen):
    html = chosen._repr_html_()
    assert chosen.headline.split("(")[0] in html
    assert "not these data; take others" in html


# Random graphs.


def test_random_graphs_have_the_density_and_no_order():
    density = choosing.Density(4, 2)
    drawn = draw_graphs(5, density, 300, np.random.default_rng(0))
    assert {density} == {density_of(graph) for graph in drawn}
    assert not drawn[:, range(5), range(5)].any()
    shares = drawn.mean(axis=0)[~np.eye(5, dtype=bool)]
    assert shares.min() > 0.25  # each of 20 entries is expected in (4/2 + 2) / 10
    assert shares.max() < 0.55


def test_random_classes_are_cpdags_with_as_many_edges():
    drawn = draw_classes(6, 5, 50, np.random.default_rng(0))
    for graph in drawn:
        assert 5 == sum(vars(density_of(graph)).values())
        np.testing.assert_array_equal(graph, to_cpdag(extend(graph)))


def test_a_class_is_held_against_classes(chosen):
    """What algorithms with one number of edges are held against depends on their kind alone."""
    shared = {}
    for row in chosen.rows:
        n_edges = row.density.directed + row.density.undirected
        key = n_edges if row.kind == "cpdag" else (row.density, "as it is")
        assert shared.setdefault(key, row.random.mean) == row.random.mean


def test_many_graphs_are_walked_as_one_is():
    drawn = draw_graphs(7, choosing.Density(5, 2), 40, np.random.default_rng(1))
    expected = [possible_reachability(graph) for graph in drawn]
    np.testing.assert_array_equal(expected, reachability(drawn))


def test_risks_of_many_graphs_are_those_of_each():
    drawn = draw_graphs(6, choosing.Density(4, 1), 30, np.random.default_rng(2))
    found = {0: {1, 2}, 3: set(), 5: {0, 1, 2, 3, 4}}
    expected = [
        np.mean([jaccard(effects, implied_descendants(graph)[n]) for n, effects in found.items()])
        for graph in drawn
    ]
    np.testing.assert_allclose(expected, risks_of(drawn, found))


def test_a_random_graph_rarely_beats_random_graphs():
    """The p-value of a graph drawn like the others is uniform: at most 5 % below 0.05."""
    found = {0: {1, 2, 3}, 2: {3}, 4: {0, 5}}
    rng = np.random.default_rng(3)
    density = choosing.Density(5, 0)
    own = random_risks(6, density, found, 400, rng)
    others = random_risks(6, density, found, 999, rng)
    p_values = np.array([beside_random(risk, others).p_value for risk in own])
    assert (p_values <= 0.05).mean() <= 0.08


# Sentences.


def test_every_sentence_is_short_and_has_a_rule(chosen):
    for claim in chosen.claims:
        assert claim.rule in choosing.RULES
        assert len(claim.sentence.split()) <= 30
        assert claim.sentence.endswith(".")


def with_rows(choice, **changes):
    rows = tuple(replace(row, **changes.get(row.name, {})) for row in choice.rows)
    return replace(choice, rows=tuple(sorted(rows, key=lambda row: row.weighted)))


def rules_of(choice):
    return {claim.rule: claim.sentence for claim in make_claims(choice)}


def test_a_graph_that_says_nothing_ahead_of_all_is_the_headline(chosen):
    shown = with_rows(chosen, truth={"weighted": 0.6}, complete={"weighted": 0.2})
    first = make_claims(shown)[0]
    assert "graph that says nothing" == first.rule
    assert first.sentence.startswith("The complete graph, which says nothing, has less risk (0.20)")
    assert "best" not in rules_of(shown)


def test_no_evidence_is_not_worded_as_a_finding(chosen):
    random = replace(chosen.row("truth").random, beaten=False, p_corrected=0.4)
    shown = with_rows(chosen, truth={"random": random})
    sentence = rules_of(shown)["random graphs of its density"]
    assert sentence.startswith("No evidence that any of 2 algorithms beats random graphs")
    assert "best" not in rules_of(shown)
    assert "random graphs of its density" == make_claims(shown)[0].rule


def test_algorithms_that_cannot_be_told_apart_are_counted(chosen):
    shown = with_rows(chosen, backwards={"may_be_best": True})
    claim = make_claims(shown)[0]
    assert "may be the best" == claim.rule
    assert claim.sentence.startswith("The data cannot tell 2 of 2 algorithms from the best one")


def test_many_and_few_descendants_are_said(chosen):
    assert "many descendants" in rules_of(chosen)  # of a chain with experiments on a to e: 15/25
    cut = replace(chosen.cutoffs[0], share_moved=0.49)
    fewer = replace(chosen, cutoffs=(cut, *chosen.cutoffs[1:]))
    assert "many descendants" not in rules_of(fewer)
    unmoved = tuple(replace(one, moved=()) for one in chosen.movements[:3])
    sentence = rules_of(replace(fewer, movements=unmoved + chosen.movements[3:]))["few descendants"]
    assert sentence.startswith("3 of 5 intervened columns move no other column")


def graded(n=8, sign=1):
    """Graphs with 1, 2, … descendants of a, whose risk falls (or rises) with their number."""
    found = ca.choose(system(), 0, ALGORITHMS, n_random=50)
    template = found.row("truth")
    rows, graphs = [], dict(found.graphs)
    for k in range(n):
        name = f"g{k}"
        rows.append(replace(template, name=name, n_named=k, weighted=0.5 - sign * 0.01 * k))
        edges = tuple(("a", NAMES[1 + j % 5]) for j in range(k))
        graphs[name] = choosing.FoundGraph(edges, ())
    cutoffs = tuple(
        replace(each, risks={**each.risks, **{row.name: row.weighted for row in rows}})
        for each in found.cutoffs
    )
    ranked = tuple(sorted(rows, key=lambda row: row.weighted))
    return replace(found, rows=ranked, graphs=graphs, cutoffs=cutoffs)


@pytest.mark.parametrize(("sign", "word"), [(1, "more"), (-1, "fewer")])
def test_a_ranking_that_follows_density_is_said(sign, word):
    sentence = rules_of(graded(sign=sign))["density"]
    assert sentence.startswith(f"The ranking follows density: graphs that name {word} descendants")


def test_the_same_graph_found_often_is_no_evidence_on_density():
    shown = graded()
    same = dict.fromkeys(shown.graphs, shown.graphs["g1"])
    assert "density" not in rules_of(replace(shown, graphs=same))
    assert "density" not in rules_of(graded(n=4))


def test_the_permutation_test_keeps_its_level():
    rng = np.random.default_rng(0)
    p_values = [permuted_spearman(rng.normal(size=8), rng.normal(size=8))[1] for _ in range(200)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.1


def test_the_leader_at_each_cut_off_is_said(chosen):
    assert (
        "truth leads at every cut-off on effect size (0, 0.2, 0.5)." == rules_of(chosen)["cut-off"]
    )
    other = replace(chosen.cutoffs[2], risks={**chosen.cutoffs[2].risks, "backwards": -1.0})
    sentence = rules_of(replace(chosen, cutoffs=(*chosen.cutoffs[:2], other)))["cut-off"]
    assert "The leader depends on the cut-off" in sentence
    assert "0.5: backwards" in sentence


def turned(chosen, **changes):
    """A second opinion that puts the other algorithm first."""
    other = chosen.second_opinion
    turned_round = {"backwards": other.scores["truth"], "truth": other.scores["backwards"]}
    gap = choosing.PredictionScore(-0.1, -0.2, -0.01)
    plain = replace(other, scores=turned_round, undoubted=turned_round, differences={"truth": gap})
    return replace(chosen, second_opinion=replace(plain, **changes))


def test_a_shared_leader_does_not_hide_that_the_others_are_ordered_otherwise():
    found = graded()
    values = {"g7": 0.0, **{f"g{k}": 0.1 + 0.01 * k for k in range(7)}}
    scores = {name: choosing.PredictionScore(value, None, None) for name, value in values.items()}
    opinion = choosing.SecondOpinion(n_experiments=5, scores=scores)
    (sentence,) = second_sentences(replace(found, second_opinion=opinion))
    assert sentence.startswith(
        "Both scores put g7 first, risk and prediction, but order the others"
    )


def test_algorithms_that_found_the_same_graph_are_not_compared():
    twins = {"one": Given(chain(6)), "two": Given(chain(6))}
    rules = rules_of(ca.choose(system(), 0, twins, n_random=50))
    assert rules["may be the best"].startswith("All 2 algorithms found the same graph (risk 0.00")
    assert not {"second opinion", "cut-off", "best"} & set(rules)


def second_sentences(choice):
    return [claim.sentence for claim in make_claims(choice) if claim.rule == "second opinion"]


def test_why_two_scores_differ_is_said_only_if_a_contrast_isolates_it(chosen):
    (only,) = second_sentences(turned(chosen))
    assert only.startswith("The two scores differ: risk puts truth first, prediction backwards")

    scores = turned(chosen).second_opinion.scores
    back = dict(reversed(scores.items()))
    _, flagged = second_sentences(turned(chosen, doubts={"do a": "why"}, undoubted=back))
    assert "Without 1 flagged interventions (do a)" in flagged

    gap = choosing.PredictionScore(-0.1, -0.3, 0.1)
    _, few = second_sentences(turned(chosen, differences={"truth": gap}))
    assert few.startswith("5 experiments are too few for prediction to tell backwards from truth")

    strict = replace(chosen.cutoffs[2], risks={**chosen.cutoffs[2].risks, "backwards": -1.0})
    shown = replace(turned(chosen), cutoffs=(*chosen.cutoffs[:2], strict))
    _, small = second_sentences(shown)
    assert small.startswith("With effects of at least 0.5 risk puts backwards first, too")


# What is run.


def test_by_default_all_that_can_run_are_candidates_and_baselines_are_not():
    found = find_candidates(None)
    assert {"ges", "pc", "gies", "notears"} <= set(found.algorithms)
    assert "var-sortnregress" in found.baselines
    assert not {"empty", "random-sorting"} & {*found.algorithms, *found.baselines}
    assert found.not_run["acor"] == "it needs a value for n_edges; name it with one"
    assert ["var-sortnregress"] == list(find_candidates(["var-sortnregress", "empty"]).algorithms)


SLOW = """
import os, time
import numpy as np
from causalassay.contracts import Estimate
class Slow:
    def discover(self, data, rng):
        time.sleep(3600)
class Crash:
    def discover(self, data, rng):
        os._exit(3)
class Chain:
    def discover(self, data, rng):
        print("noise")
        return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), "dag")
"""


def test_what_takes_too_long_or_crashes_is_stopped_and_the_others_go_on(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(SLOW)
    monkeypatch.chdir(tmp_path)
    made = {name: ca.discovery.make_algorithm(f"mine.py:{name}") for name in ("Slow", "Crash")}
    made["Chain"] = ca.discovery.make_algorithm("mine.py:Chain")
    made["Lambda"] = Given(lambda: None)  # cannot be sent
    steps = []
    work = Work(system(), ((0,), (1,)), 0)
    runs = run_all(made, work, 2.0, lambda *step: steps.append(step))
    assert ["Chain"] == list(runs.fits)
    assert "it took more than 2 seconds" == runs.failed["Slow"]
    assert runs.failed["Crash"].startswith("its process ended without an answer")
    assert runs.failed["Lambda"].startswith("it cannot be sent to another process")
    assert [1, 2, 3, 4] == [done for _, done, _ in steps]
    np.testing.assert_array_equal(chain(6), runs.fits["Chain"].graph)


# Bad input.


def test_if_no_algorithm_has_a_graph_there_is_one_clear_line():
    with pytest.raises(
        ValueError, match=r"none of 1 algorithms has a graph for these data: no: on"
    ):
        ca.choose(system(), 0, {"no": Refusing()})
    with pytest.raises(ValueError, match="no algorithm to rank: name at least one that is not a b"):
        ca.choose(system(), 0, ["empty"])


def test_bad_requests_are_refused_before_anything_runs():
    class Never:
        def discover(self, data, rng):
            raise AssertionError("it ran")

    for options, message in (
        ({"cutoffs": (-1,)}, "least_effect: expected 0 or more, got -1"),
        ({"not_acting": ["do x"]}, "not_acting: there is no condition 'do x'; did you mean"),
        ({"n_random": 0}, "n_random: expected at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            ca.choose(system(), 0, {"never": Never()}, **options)
    with pytest.raises(ValueError, match=r"at least 2 columns.* got 1 \('a'\)"):
        ca.choose(system((0,)), 0, {"never": Never()})
    with pytest.raises(ValueError, match="the rows are a series"):
        ca.choose(replace(system(), rows="series"), 0, {"never": Never()})


def test_columns_that_do_not_vary_are_no_obstacle():
    """Column f is constant under one experiment, and e in another and in observation."""
    regimes = []
    for regime in system((0, 1, 2)).regimes:
        values = regime.values.copy()
        if regime.condition in ("rest", "do b"):
            values[:, 4] = 7.0
        if regime.condition == "do a":
            values[:, 5] = 1.0
        regimes.append(Regime(regime.condition, values, regime.targets))
    found = ca.choose(Dataset(NAMES, tuple(regimes), "rest"), 0, ALGORITHMS, n_random=50)
    by_condition = {one.condition: one for one in found.movements}
    assert by_condition["do b"].effects["e"] is None
    assert {"a", "f"} == set(by_condition["do a"].constant)
    json.dumps(found.to_dict(), allow_nan=False)


def test_sachs_shows_what_the_score_cannot_tell(sachs_folder):
    data = ca.data.sachs(sachs_folder).data
    found = ca.choose(data, 0, ["var-sortnregress", "r2-sortnregress", "direct-lingam"])
    rules = {claim.rule: claim.sentence for claim in found.claims}
    assert "graph that says nothing" == found.claims[0].rule
    assert rules["many descendants"].startswith("The tests call 5 to 10 of 10 columns descendants")
    assert rules["random graphs of its density"].startswith("No evidence that any of 3 algorithms")
    assert 0 < len(found.second_opinion.doubts) <= 6
