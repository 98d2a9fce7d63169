import json
import tempfile
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import causalassay as ca
from causalassay.contracts import Estimate, NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.discovery.python_files import from_file
from causalassay.graphs import chain, erdos_renyi, possible_reachability, to_cpdag
from causalassay.judging.findings import FindingKind
from causalassay.models import Do
from causalassay.present import Figure, Interval, Marked, flattened
from causalassay.present.charts import static_svg
from causalassay.present.html import page
from causalassay.present.terminal import document_text
from causalassay.risk import (
    DescendantTests,
    Fixed,
    SimulatedMax,
    choosing,
    implied_descendants,
    jaccard,
)
from causalassay.risk.choosing.baselines import (
    chance_level,
    density_of,
    find_candidates,
    random_risks,
    reachability,
    risks_of,
    shuffle_columns,
)
from causalassay.risk.choosing.claims import find_mutual_pairs, permuted_spearman
from causalassay.risk.choosing.document import choice_document
from causalassay.risk.choosing.running import Work, run_all
from causalassay.risk.tests import compare_columns
from waiting import eventually, gone

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
    assert ("truth", FindingKind.TAKE_BEST_BIC) == (chosen.chosen, chosen.reason.kind)
    assert chosen.headline.startswith("Take truth: it has the best interventional BIC of 2 algorit")
    assert {"truth": 1.0, "backwards": 2.0} == chosen.combined_ranks
    best = kinds_with(chosen)[FindingKind.BEST]
    assert {"risk": 0.0, "n_algorithms": 2}.items() <= best.numbers.items()
    assert best.sentence.startswith("truth is the best of 2 algorithms")
    with pytest.raises(ValueError, match="there is no row 'trth'; did you mean 'truth'"):
        chosen.row("trth")


def test_experiments_may_be_in_a_file_and_are_asked_for_where_there_are_none(tmp_path):
    ca.data.write(system(), tmp_path / "data.csv")
    labels = {"condition": "condition", "target": "target", "observational": "rest"}
    options = {"algorithms": ALGORITHMS, "n_random": 20}
    from_file = ca.choose(tmp_path / "data.csv", **labels, **options)
    assert ca.choose(system(), 0, **options).graphs == from_file.graphs
    values = system().observational_values
    for data in (values, values.tolist(), pd.DataFrame(values, columns=NAMES)):
        with pytest.raises(TypeError, match=r"expected a Dataset with experiments.*data\.read"):
            ca.choose(data)
        with pytest.raises(TypeError, match="expected a Dataset with experiments"):
            ca.risk.estimate("pc", data, 0)
    with pytest.raises(ValueError, match="are for reading a file"):
        ca.choose(system(), **labels)


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
    ranking = table_of(chosen, "ranking")
    assert {len(ranking.columns)} == {len(row) for row in ranking.rows}
    names = [record["algorithm"] for record in ranking.records()]
    assert {"truth", "backwards", "empty", "complete", "random complete DAG"} == set(names)
    assert "truth" == names[0]
    marks = {row[0].value: row[0].mark for row in ranking.rows if isinstance(row[0], Marked)}
    baselines = dict.fromkeys(("empty", "complete", "random complete DAG"), "baseline")
    assert baselines | {"truth": ""} == marks  # what is taken is bold


def table_of(choice, identity):
    """Return a table of a choice's document."""
    return {table.id: table for table in choice.document().tables()}[identity]


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
    assert chosen.headline == plain["headline"] == plain["claims"][0]["sentence"]
    assert "take-best-bic" == plain["claims"][0]["kind"] == plain["reason"]
    assert ("truth", [], {"truth": 1.0, "backwards": 2.0}) == (
        plain["chosen"],
        plain["mutual_pairs"],
        plain["combined_ranks"],
    )
    again = choosing.Choice.from_dict(plain)
    assert chosen == again
    assert chosen.claims == again.claims


def test_it_says_in_ten_lines_what_it_is(chosen):
    lines = repr(chosen).splitlines()
    assert lines[0].startswith("Choice: 700 rows, 6 columns")
    assert chosen.headline == lines[1]
    assert len(lines) <= 10


def test_the_ranking_is_a_data_frame(chosen):
    frame = chosen.to_frame().set_index("name")
    assert [row.name for row in chosen.rows] == list(frame.index)
    truth = chosen.row("truth")
    assert (truth.weighted, *truth.interval) == tuple(
        frame.loc["truth", ["weighted", "low", "high"]]
    )
    assert frame.loc["truth", "beats_random"]
    assert chosen.likelihoods.bic["truth"].value == frame.loc["truth", "bic"]
    assert np.isnan(frame.loc["complete", "bic"])


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
    files = chosen.write_graphs(tmp_path / "graphs")
    assert ["truth.csv", "backwards.csv"] == [path.name for path in files]
    np.testing.assert_array_equal(chain(6), chosen.matrix("truth"))
    assert "a,b" in files[0].read_text()
    hostile = replace(chosen, rows=tuple(replace(r, name="../x/" + r.name) for r in chosen.rows))
    hostile = replace(hostile, graphs={"../x/" + n: g for n, g in chosen.graphs.items()})
    assert {tmp_path} == {path.parent for path in hostile.write_graphs(tmp_path)}


def test_a_notebook_shows_the_sentences_and_the_ranking(chosen):
    html = chosen._repr_html_()
    assert chosen.headline.split("(")[0] in html
    assert "not these data; take others" in html
    assert chosen.next_step.split("(")[0] in html


# Random graphs.


CLASS = np.array(
    [[0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]],
    dtype=bool,
)


def test_random_graphs_have_the_density_and_no_order():
    drawn = shuffle_columns(CLASS, 300, np.random.default_rng(0))
    assert {density_of(CLASS)} == {density_of(graph) for graph in drawn}
    assert not drawn[:, range(5), range(5)].any()
    shares = drawn.mean(axis=0)[~np.eye(5, dtype=bool)]
    assert shares.min() > 0.15  # each of 20 entries is expected in 6 / 20
    assert shares.max() < 0.45


def test_many_graphs_are_walked_as_one_is():
    drawn = shuffle_columns(CLASS, 40, np.random.default_rng(1))
    expected = [possible_reachability(graph) for graph in drawn]
    np.testing.assert_array_equal(expected, reachability(drawn))


def test_risks_of_many_graphs_are_those_of_each():
    drawn = shuffle_columns(CLASS, 30, np.random.default_rng(2))
    found = {0: {1, 2}, 3: set(), 4: {0, 1, 2, 3}}
    expected = [
        np.mean([jaccard(effects, implied_descendants(graph)[n]) for n, effects in found.items()])
        for graph in drawn
    ]
    np.testing.assert_allclose(expected, risks_of(drawn, found))
    risks = random_risks(CLASS, found, 30, np.random.default_rng(2))
    np.testing.assert_allclose(expected, risks)


def test_a_random_graph_rarely_beats_random_graphs():
    """A graph that knows nothing is not said to know something, be it a DAG or a class."""
    found = {0: {1, 2, 3}, 2: {3}, 4: {0, 5}}
    rng = np.random.default_rng(3)
    for known in (False, True):
        p_values = []
        for _ in range(400):
            dag = erdos_renyi(6, 1, rng)
            own = to_cpdag(dag) if known else dag
            risk = float(risks_of(own[None], found)[0])
            p_values.append(chance_level(risk, random_risks(own, found, 199, rng)).p_value)
        assert np.mean(np.array(p_values) <= 0.05) <= 0.08


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
    return {claim.rule: claim.sentence for claim in choice.claims}


def kinds_of(choice):
    return {claim.kind for claim in choice.claims}


def kinds_with(choice):
    return {claim.kind: claim for claim in choice.claims}


def test_no_evidence_is_not_worded_as_a_finding(chosen):
    random = replace(chosen.row("truth").random, beaten=False, p_corrected=0.4)
    shown = with_rows(chosen, truth={"random": random})
    sentence = rules_of(shown)["random graphs of its density"]
    assert sentence.startswith("No evidence that any of 2 algorithms beats random graphs")
    assert FindingKind.BEST not in kinds_of(shown)


# What to take.


def with_likelihoods(choice, gain, error, default="backwards"):
    """A choice whose default is behind the other algorithm, or ahead of it."""
    score = choosing.LikelihoodScore
    bic = {
        "truth": score(10.0 + gain, max(0.0, -gain), error),
        "backwards": score(10.0, max(0.0, gain), error),
    }
    ordered = dict(sorted(bic.items(), key=lambda item: -item[1].value))
    over = {"truth": (gain, error), "backwards": (0.0, 0.0)}
    opinion = replace(choice.likelihoods, bic=ordered, over_default=over)
    return replace(choice, likelihoods=opinion, default=default)


def test_the_default_is_left_only_for_a_gain_beyond_one_standard_error(chosen):
    other = with_likelihoods(chosen, 9.0, 8.0)
    assert ("truth", FindingKind.TAKE_OTHER) == (other.chosen, other.reason.kind)
    said = "Take truth, not the default backwards: it gains 9.0 ± 8.0 in interventional BIC, more"
    assert other.headline.startswith(said)
    for gain, error in ((8.0, 9.0), (0.0, 0.0), (-4.0, 1.0)):
        stays = with_likelihoods(chosen, gain, error)
        assert ("backwards", FindingKind.TAKE_DEFAULT) == (stays.chosen, stays.reason.kind)
        assert {"gain": gain, "error": error}.items() <= stays.reason.numbers.items()
        assert f"(most: truth, {gain:+.1f} ± {error:.1f})" in stays.headline


def test_the_default_is_known_by_its_class_whatever_it_is_called():
    xgies, boss = (ca.discovery.make_algorithm(name) for name in ("xgies", "boss"))
    found = ca.choose(system(), 0, {"mine": boss, "ours": xgies, **ALGORITHMS}, n_random=50)
    assert "ours" == found.default
    assert found.likelihoods.over_default["ours"] == (0.0, 0.0)
    assert found.chosen in {"ours", "truth"}
    found = ca.choose(system(), 0, {"mine": boss, **ALGORITHMS}, n_random=50)
    assert "mine" == found.default


def test_a_baseline_that_explains_the_rows_better_is_no_rival():
    """The empty graph is better than both candidates, which join columns without a reason."""
    rng = np.random.default_rng(0)
    regimes = [Regime("rest", rng.normal(size=(200, 6)))]
    for node in (0, 1, 2):
        rows = rng.normal(size=(60, 6)) + 3 * (np.arange(6) == node)
        regimes.append(Regime(f"on {node}", rows, (node,)))
    given = {"chain": Given(chain(6)), "dense": Given(np.triu(np.ones((6, 6), bool), 1))}
    found = ca.choose(Dataset(NAMES, tuple(regimes), "rest"), 0, given, n_random=50)
    bic = found.likelihoods.bic
    assert ["empty", "chain", "dense"] == list(bic)
    assert bic["chain"].behind == 0
    assert bic["empty"].behind == pytest.approx(bic["chain"].value - bic["empty"].value)
    assert bic["empty"].behind < 0
    assert ("chain", FindingKind.TAKE_BEST_BIC) == (found.chosen, found.reason.kind)
    assert found.reason.numbers["gain"] == pytest.approx(bic["chain"].value - bic["dense"].value)


def test_discrete_columns_are_chosen_by_tables():
    rng = np.random.default_rng(1)

    def rows(n, target=None):
        codes = rng.integers(2, size=(n, 4))
        for node in range(1, 4):
            if node != target:
                copied = rng.random(n) < 0.85
                codes[:, node] = np.where(copied, codes[:, node - 1], codes[:, node])
        return codes.astype(float)

    regimes = [Regime("rest", rows(300))]
    regimes += [Regime(f"on {node}", rows(100, node), (node,)) for node in (0, 1, 2)]
    for regime, node in zip(regimes[1:], (0, 1, 2), strict=True):
        assert (node,) == regime.targets
    kinds = (ca.data.Discrete(("no", "yes")),) * 4
    data = Dataset(tuple("abcd"), tuple(regimes), "rest", kinds)
    given = {"truth": Given(chain(4)), "backwards": Given(chain(4).T.copy())}
    found = ca.choose(data, 0, given, DescendantTests("mann-whitney"), n_random=50)
    assert not found.likelihoods.reason
    assert "truth" == next(iter(found.likelihoods.bic)) == found.chosen


def test_without_likelihoods_the_default_or_the_least_risk_is_taken(chosen):
    none = replace(chosen, likelihoods=choosing.LikelihoodOpinion(reason="some are discrete"))
    assert ("truth", FindingKind.TAKE_LEAST_RISK) == (none.chosen, none.reason.kind)
    default = replace(none, default="backwards")
    assert ("backwards", FindingKind.TAKE_DEFAULT) == (default.chosen, default.reason.kind)
    assert "cannot be compared" in default.headline
    assert "There are no likelihoods: some are discrete." in printed(default, 120)


def test_one_algorithm_is_the_only_one_to_take():
    found = ca.choose(system(), 0, {"truth": Given(chain(6))}, n_random=50)
    assert ("truth", FindingKind.TAKE_ONLY) == (found.chosen, found.reason.kind)


def test_nothing_is_chosen_where_nearly_everything_moves_and_none_beats_random_graphs(chosen):
    nothing = {"random": replace(chosen.row("truth").random, beaten=False)}
    shown = with_rows(chosen, truth=nothing)
    assert (None, FindingKind.CANNOT_CHOOSE) == (shown.chosen, shown.reason.kind)
    said = "These experiments cannot choose between the 2 algorithms, because nearly everything"
    assert shown.headline.startswith(said)
    few = tuple(replace(each, share_moved=0.2) for each in chosen.cutoffs)
    assert "truth" == replace(shown, cutoffs=few).chosen


def mutual(choice, p_value=1e-9, effect=0.4):
    """The experiment on c moves a as well, which moves c."""
    changed = [
        replace(
            one,
            p_values={**one.p_values, "a": p_value},
            effects={**one.effects, "a": effect},
        )
        if one.target == "c"
        else one
        for one in choice.movements
    ]
    return replace(choice, movements=tuple(changed))


def test_targets_that_move_each_other_are_explained_by_no_acyclic_graph(chosen):
    assert ((), 10) == (chosen.mutual_pairs.found, chosen.mutual_pairs.n_tested)
    shown = mutual(chosen)
    assert (("a", "c"),) == shown.mutual_pairs.found
    assert shown.mutual_pairs.p_value == pytest.approx(1e-8)  # one of ten pairs
    assert (None, FindingKind.CANNOT_CHOOSE, "each other") == (
        shown.chosen,
        shown.reason.kind,
        shown.reason.variant,
    )
    claim = kinds_with(shown)[FindingKind.NO_ACYCLIC_GRAPH]
    assert claim is shown.claims[1]
    assert claim.sentence.endswith(
        "1 of 10 pairs of targets move each other; intervals do not hold."
    )
    assert "They are a with c." in claim.advice
    assert shown.next_step.startswith("Measure controls in every batch")
    assert [["a", "c"]] == shown.to_dict()["mutual_pairs"]
    # Pairs are tested together, and small effects do not count where they are not asked for.
    assert not mutual(chosen, p_value=0.01).mutual_pairs.found
    strict = replace(shown, tests=replace(shown.tests, least_effect=0.5))
    assert not strict.mutual_pairs.found


def test_acyclic_systems_are_rarely_said_to_have_targets_that_move_each_other():
    """At a level of 5 %; 12 or more of 100 have a probability of 0.4 % at that level."""
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(100):
        model = ca.models.draw("scm", erdos_renyi(5, 1.5, rng), rng)
        before = model.sample(100, rng)
        moved = []
        for node in range(5):
            after = model.sample(50, rng, (Do(node, 3.0),))
            p_values = compare_columns(before, after, "welch").p_value
            values = {str(k): float(p) for k, p in enumerate(p_values)}
            effects = dict.fromkeys(values, 1.0)
            moved.append(choosing.Movement(f"do {node}", str(node), 50, effects, values, ()))
        said += bool(find_mutual_pairs(moved).found)
    assert said < 12


def test_a_graph_without_edges_may_not_be_best():
    found = ca.choose(
        system(), 0, {"none": Given(np.zeros((6, 6), dtype=bool)), **ALGORITHMS}, n_random=50
    )
    assert "none" not in found.may_be_best
    assert ("truth",) == found.may_be_best


def test_many_candidates_can_be_shown_to_beat_random_graphs():
    """With 40 candidates and 200 draws no p-value could be small enough; more are drawn."""
    rng = np.random.default_rng(0)
    model = ca.models.draw("scm", chain(8), rng, weights=(1, 2))
    names = tuple("abcdefgh")
    regimes = [Regime("rest", model.sample(200, rng))]
    for node in range(7):
        rows = model.sample(80, rng, (Do(node, 5.0),))
        regimes.append(Regime(f"do {names[node]}", rows, (node,)))
    data = Dataset(names, tuple(regimes), "rest")
    others = {f"g{k}": Given(erdos_renyi(8, 1, rng)) for k in range(39)}
    found = ca.choose(data, 0, {"truth": Given(chain(8)), **others}, n_random=200)
    truth = found.row("truth").random
    assert truth.beaten
    assert truth.p_corrected <= 0.05 / 3
    assert truth.n_graphs > 2000
    assert {row.random.n_graphs for row in found.rows if row.role == "baseline"} == {200}


def test_few_columns_cannot_show_that_many_candidates_beat_random_graphs():
    """6 columns have 720 orders, and 40 times 1 / 720 is above 0.05 / 3."""
    rng = np.random.default_rng(0)
    others = {f"g{k}": Given(erdos_renyi(6, 1, rng)) for k in range(39)}
    found = ca.choose(system(), 0, {"truth": Given(chain(6)), **others}, n_random=200)
    claim = kinds_with(found)[FindingKind.NOT_BEYOND_RANDOM_GRAPHS]
    assert claim.sentence.startswith("6 columns can be exchanged in too few ways (720) to show")
    assert "truth" == found.chosen  # though nearly everything moves
    assert "so few columns cannot show that it beats random graphs" in found.next_step


def test_a_leader_worse_than_most_random_graphs_is_said_to_be(chosen):
    random = replace(chosen.row("truth").random, beaten=False, p_corrected=1.0, share_beaten=0.01)
    sentence = rules_of(with_rows(chosen, truth={"random": random}))["random graphs of its density"]
    assert "the leader truth (0.00 [" in sentence
    assert sentence.endswith("beats only 1 % of them.")
    assert len(sentence.split()) <= 30
    most = replace(random, share_beaten=0.6)
    sentence = rules_of(with_rows(chosen, truth={"random": most}))["random graphs of its density"]
    assert sentence.endswith("beats 60 % of them.")


def test_a_random_order_that_clears_the_same_bar_is_named(chosen):
    def beside(p_value):
        random = replace(chosen.row("empty").random, p_value=p_value)
        row = replace(chosen.row("empty"), name="random-sortnregress", random=random)
        graphs = {**chosen.graphs, row.name: chosen.graphs["empty"]}
        shown = replace(chosen, rows=(*chosen.rows, row), graphs=graphs)
        kind = FindingKind.RANDOM_ORDER_BEATS_THEM
        return [claim for claim in shown.claims if claim.kind == kind]

    (claim,) = beside(0.001)
    assert ("random-sortnregress", {"p_value": 0.001}) == (claim.subject.algorithm, claim.numbers)
    assert claim.sentence.endswith("a relation to the data, not causes.")
    assert not beside(0.5)


def test_what_to_do_next_follows_from_the_claims(chosen):
    take = "Take the graph of truth (--out graphs writes it): it beats random graphs"
    assert chosen.next_step.startswith(take)
    assert chosen.to_dict()["next_step"] == chosen.next_step

    nothing = {"random": replace(chosen.row("truth").random, beaten=False)}
    many = with_rows(chosen, truth=nothing)
    assert "ask again with --least-effect 0.5" in many.next_step
    few = tuple(replace(each, share_moved=0.2) for each in chosen.cutoffs)
    care = replace(many, cutoffs=few)
    assert "with care: these experiments do not show that it beats random graphs" in care.next_step

    flagged = turned(chosen, doubts={"do a": "why"}).next_step
    assert "check the flagged conditions (do a)" in flagged
    assert "--not-acting" in flagged
    for shown in (chosen, many, care, mutual(chosen)):
        assert len(shown.next_step.split()) <= 30
        assert len(shown.headline.split()) <= 30
    assert len(flagged.split()) <= 30


def test_algorithms_that_cannot_be_told_apart_are_counted_if_one_is_out(chosen):
    assert FindingKind.MAY_BE_BEST not in kinds_of(
        with_rows(chosen, backwards={"may_be_best": True})
    )
    shown = graded()
    rows = tuple(replace(row, may_be_best=row.name != "g0") for row in shown.rows)
    claim = kinds_with(replace(shown, rows=rows))[FindingKind.MAY_BE_BEST]
    assert {"n_remaining": 7, "n_algorithms": 8} == claim.numbers
    assert claim.sentence.startswith("The data cannot tell 7 of 8 algorithms from the best one")


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
    assert rules["may be the best"].startswith("Both algorithms found the same graph (risk 0.00")
    assert not {"second opinion", "cut-off", "best"} & set(rules)


def second_sentences(choice):
    return [claim.sentence for claim in choice.claims if claim.rule == "second opinion"]


def test_why_two_scores_differ_is_said_only_if_a_contrast_isolates_it(chosen):
    (only,) = second_sentences(turned(chosen))
    assert only.startswith("The two scores differ: risk puts truth first, prediction backwards")

    scores = turned(chosen).second_opinion.scores
    back = dict(reversed(scores.items()))
    _, flagged = second_sentences(turned(chosen, doubts={"do a": "why"}, undoubted=back))
    assert "Without 1 flagged intervention (do a)" in flagged

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


HOSTILE = """
import os, subprocess, sys, tempfile
import numpy as np
from causalassay.contracts import Estimate
def nothing(data):
    return Estimate(np.zeros((data.n_nodes, data.n_nodes), dtype=bool), "dag")
class Standardise:
    def discover(self, data, rng):
        values = data.observational_values
        values -= values.mean(axis=0)
        return nothing(data)
class Unlock:
    def discover(self, data, rng):
        for regime in data.regimes:
            regime.values.setflags(write=True)
            regime.values[:] = rng.normal(size=regime.values.shape)
        return nothing(data)
class Fork:
    def discover(self, data, rng):
        os.fork()
        return nothing(data)
class Leave:
    def discover(self, data, rng):
        sys.exit(0)
class Start:
    def discover(self, data, rng):
        program = subprocess.Popen(["sleep", "600"])
        tempfile.mkdtemp()
        with open("started", "w") as note:
            note.write(str(program.pid))
        return nothing(data)
class Circle:
    def discover(self, data, rng):
        return Estimate(np.roll(np.eye(data.n_nodes, dtype=bool), 1, axis=1), "dag")
"""


def test_nothing_that_an_algorithm_does_reaches_another(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(HOSTILE)
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "files"))
    names = ("Standardise", "Unlock", "Fork", "Leave", "Start", "Circle")
    made = {name: ca.discovery.make_algorithm(f"mine.py:{name}") for name in names}
    others = ("var-sortnregress", "notears", "golem-ev", "ges")
    made |= {name: ca.discovery.make_algorithm(name) for name in others}
    work = Work(system(), ((0,), (1,)), 0)
    expected = run_all({name: made[name] for name in others}, work).fits
    runs = run_all(made, work, 300.0)
    for name in others:
        np.testing.assert_array_equal(expected[name].graph, runs.fits[name].graph)
    assert "read-only" in runs.failed["Standardise"]
    assert "it failed: it called sys.exit(0)" == runs.failed["Leave"]
    assert runs.failed["Circle"].endswith("it promises a DAG, but its graph has a directed cycle")
    program = int((tmp_path / "started").read_text())
    eventually(lambda: gone(program))
    assert not list((tmp_path / "files").iterdir())


# Bad input.


def test_if_no_algorithm_has_a_graph_there_is_one_clear_line():
    with pytest.raises(ValueError, match=r"none of 1 algorithm has a graph for these data: no: on"):
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
    assert (None, FindingKind.CANNOT_CHOOSE) == (found.chosen, found.reason.kind)
    assert "because nearly everything moves" in found.headline
    assert (6, 10) == (len(found.mutual_pairs.found), found.mutual_pairs.n_tested)
    assert rules["many descendants"].startswith("The tests call 5 to 10 of 10 columns descendants")
    assert rules["random graphs of its density"].startswith("No evidence that any of 3 algorithms")
    assert 0 < len(found.second_opinion.doubts) <= 6


# The page and its tables.


def opinions(choice):
    """Return the mark of each algorithm's second opinion, and what the marks mean."""
    ranking = table_of(choice, "ranking")
    at = [column.key for column in ranking.columns].index("second_opinion")
    marks = {str(row[0]): row[at].mark for row in ranking.rows if str(row[0]) in choice.ranking}
    return marks, ranking.notes[-1]


def test_scores_that_cannot_be_told_from_the_least_are_marked(chosen):
    marks, legend = opinions(turned(chosen))
    assert {"backwards": "←", "truth": ""} == marks
    assert "~" not in legend
    gap = choosing.PredictionScore(-0.1, -0.3, 0.1)
    marks, legend = opinions(turned(chosen, differences={"truth": gap}))
    assert {"backwards": "←", "truth": "~"} == marks
    assert "~ cannot be told from it" in legend
    nothing = chosen.second_opinion.nothing_changes
    assert f"“nothing changes” scores {nothing:.3f}" in opinions(chosen)[1]


def test_how_to_include_algorithms_that_need_known_targets_is_said_on_terminal_and_page():
    unknown = Regime("ly 2", system().regimes[1].values, None)
    data = replace(system(), regimes=(*system().regimes, unknown))
    named = {"gies": ca.discovery.make_algorithm("gies"), "truth": Given(chain(6))}
    found = ca.choose(data, 0, named, n_random=50)
    assert ({"gies": "known targets"}, ("ly 2",)) == (found.lacking, found.unknown_targets)
    hint = "To include gies: --drop-condition 'ly 2'"
    assert hint in printed(found, 120)
    assert hint in page(found.document()).replace("&#x27;", "'")
    elsewhere = ca.choose(data, 0, named, n_random=50, seconds=300.0)
    assert found.lacking == elsewhere.lacking
    assert "To include" not in printed(replace(found, lacking={}), 120)


def test_algorithms_that_do_not_belong_here_share_a_reason(chosen):
    found = ca.choose(
        system(),
        0,
        {"truth": Given(chain(6)), "granger": ca.discovery.make_algorithm("granger-lasso")},
    )
    assert {"granger": "series"} == found.lacking
    others = find_candidates(None)
    shown = replace(
        chosen,
        not_ranked={**found.not_ranked, **others.not_run, "mine": "it failed: X"},
        lacking=found.lacking | dict.fromkeys(others.unset, "setting"),
    )
    table = table_of(shown, "not-ranked")
    reasons = {row["reason"]: row["name"] for row in table.records()}
    assert "mine" == reasons["it failed: X"]
    assert "granger" == reasons["not for these data (they are for series)"]
    assert {"acor", "command"} <= set(reasons["need a setting"].split(", "))


def printed(choice, width, options=("--full",)):
    return document_text(choice_document(choice, "x.csv"), options, width)


def test_a_narrow_terminal_says_what_it_leaves_out_and_cuts_nothing(chosen):
    long = "a-name-of-an-algorithm"
    rows = tuple(replace(row, name=f"{long}{k}") for k, row in enumerate(chosen.rows))
    scores = {row.name: choosing.PredictionScore(0.1, 0.0, 0.2) for row in rows}
    shown = replace(
        chosen,
        rows=rows,
        graphs={f"{long}{k}": chosen.graphs[row.name] for k, row in enumerate(chosen.rows)},
        cutoffs=tuple(
            replace(each, risks={row.name: row.weighted for row in rows}) for each in chosen.cutoffs
        ),
        second_opinion=replace(chosen.second_opinion, scores=scores),
    )
    wide, narrow = printed(shown, 160), printed(shown, 100)
    assert "No room" not in wide
    assert "No room for: " in narrow
    for width, text in ((160, wide), (100, narrow)):
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width
        assert all(row.name in text for row in rows)


def test_who_moved_is_told_where_the_table_of_effects_has_little_room(chosen):
    names = {name: f"protein_number_{name}" for name in NAMES}
    assert "No room" not in printed(chosen, 160)
    assert "* moved; † the target itself" in printed(chosen, 120)
    longer = replace(
        chosen,
        columns=tuple(names.values()),
        intervened=tuple(names.values()),
        graphs=dict.fromkeys(chosen.graphs, choosing.FoundGraph((), ())),
        movements=tuple(
            replace(
                one,
                effects={names[k]: v for k, v in one.effects.items()},
                p_values={names[k]: v for k, v in one.p_values.items()},
                moved=tuple(names[k] for k in one.moved),
                target=names[one.target],
            )
            for one in chosen.movements
        ),
    )
    text = printed(longer, 80)
    assert "No room for: protein_number_" not in text
    lines = [line for line in text.splitlines() if line.startswith("do d ")]
    assert ["do", "d", "protein_number_d"] == lines[0].split()[:3]
    assert "protein_number_e" in lines[0]
    shown = " ".join(lines[1:])  # the table of effects, in parts
    effects = longer.movements[3].effects.values()
    assert [f"{e:+.2f}" for e in effects if e] == [w for w in shown.split() if w[0] in "+-"]
    assert ["protein_number_f"] == table_of(longer, "moved").records()[-1]["moved"]


def test_effects_are_marked_where_a_column_moved_and_on_the_target(chosen):
    table = table_of(chosen, "effects")
    marks = {row[0]: [cell.mark for cell in row[1:]] for row in table.rows}
    assert ["", "", "†", "*", "*", "*"] == marks["do c"]
    effects = {row["condition"]: row for row in table.records()}
    assert chosen.movements[0].effects["b"] == effects["do a"]["b"]


def test_what_takes_an_option_is_named_without_it(chosen):
    text = printed(chosen, 120, ())
    assert "Who moved under which intervention" not in text
    assert "--full shows: Who moved; Cut-offs on effect size; Second opinion" in text
    assert "--report shows: Paired differences; The graphs found." in text


def test_the_page_says_in_words_how_the_bound_was_found(chosen):
    html = page(chosen.document())
    assert "Bonferroni(level" not in html
    assert "a level of 0.05 shared equally by all tests, after Bonferroni" in html
    assert "related to the data, not that it is causal" in html
    assert html.index("What to do: ") < html.index("picture-risks")


@pytest.mark.parametrize(
    ("cutoff", "level", "words"),
    [
        (SimulatedMax(0.1, 100), 0.1, "|t| above {} (exceeded by chance in a share of 0.1 of data"),
        (Fixed(4.5), None, "|t| above {}."),
    ],
)
def test_other_bounds_are_facts_of_the_choice_and_said_in_words(cutoff, level, words):
    found = ca.choose(system(), 0, ALGORITHMS, DescendantTests(cutoff=cutoff), n_random=50)
    tests = found.tests
    assert (type(cutoff).__name__, level, "t") == (
        tests.cutoff_name,
        tests.cutoff_level,
        tests.scale,
    )
    said = " ".join(printed(found, 200).split())
    assert words.format(f"{tests.threshold:.3g}") in said


def cells_of(choice, identity):
    return [cell for row in table_of(choice, identity).rows for cell in row[1:]]


def test_a_difference_is_bold_only_if_the_corrected_comparison_says_so(chosen):
    pair = choosing.PairDifference("truth", "backwards", -0.5, (-0.6, -0.4))
    out = replace(chosen, differences=(pair,))
    assert [Marked(Interval(0.5, 0.4, 0.6), bold=True)] == cells_of(out, "differences")
    (cell,) = cells_of(with_rows(out, backwards={"may_be_best": True}), "differences")
    assert not cell.bold


def values_of(spec):
    """Return the data of a chart, or of its first layer."""
    name = (spec.get("data") or spec["layer"][0]["data"])["name"]
    return spec["datasets"][name]


def test_both_charts_are_drawn_from_the_numbers_of_the_choice(chosen):
    hostile = "<script>alert(1)</script>\x1b\u202e"
    rows = tuple(replace(row, name=hostile) if row.name == "truth" else row for row in chosen.rows)
    shown = replace(chosen, rows=rows, graphs={**chosen.graphs, hostile: chosen.graphs["truth"]})
    cutoffs = tuple(replace(each, risks={**each.risks, hostile: 0.0}) for each in chosen.cutoffs)
    document = replace(shown, cutoffs=cutoffs).document()
    figures = {one.id: one for one in flattened(document.blocks) if isinstance(one, Figure)}
    assert {"risks", "moved"} == set(figures)
    for figure in figures.values():
        svg = static_svg(figure.spec(), figure.alt)
        assert "<script" not in svg
    risks = values_of(figures["risks"].spec())
    assert [(row.name, row.weighted) for row in rows] == [(r["name"], r["risk"]) for r in risks]
    cells = values_of(figures["moved"].spec())
    moved = [(cell["row"], cell["column"]) for cell in cells if cell["moved"]]
    assert [(k, name) for k, one in enumerate(chosen.movements) for name in one.moved] == moved
    assert "15 of 25" in figures["moved"].alt


BROKEN = """
class Broken:
    def discover(self, data, rng):
        return 1 / 0
"""


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_a_mistake_in_an_own_algorithm_is_named_with_its_line(tmp_path, monkeypatch, seconds):
    (tmp_path / "mine.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    made = {"Broken": ca.discovery.make_algorithm("mine.py:Broken")}
    runs = run_all(made, Work(system(), ((0,),), 0), seconds)
    said = "it failed: ZeroDivisionError: division by zero (mine.py, line 4)"
    assert said == runs.failed["Broken"]


def test_a_mean_over_two_experiments_has_no_interval_on_the_page(chosen):
    other = chosen.second_opinion
    two = {
        name: replace(score, low=0.0, high=1.0, n_experiments=2)
        for name, score in other.scores.items()
    }
    shown = replace(chosen, second_opinion=replace(other, undoubted=two))
    table = table_of(shown, "second-opinion-scores")
    assert ["a mean over 2 experiments has no interval: too few"] == table.notes
    for row in table.records():
        value, low, high = row["undoubted"]
        assert value == two[row["algorithm"]].value
        assert np.isnan([low, high]).all()
        assert other.scores[row["algorithm"]].share_predicted == row["share_predicted"]
    assert 0.9 < other.scores["truth"].share_predicted <= 1.1


@pytest.mark.parametrize("limit", [None, 2.0])
def test_loading_is_no_run_time_of_an_algorithm(tmp_path, limit):
    """Neither the import of its file, longer than the limit, nor that of a module within."""
    (tmp_path / "slow_to_choose.py").write_text(
        "import time\n"
        "import numpy as np\n"
        "from causalassay.contracts import Estimate\n"
        "time.sleep(2.5)\n"
        "class Slow:\n"
        "    def discover(self, data, rng):\n"
        "        import slow_within\n"
        "        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), 'dag')\n"
    )
    (tmp_path / "slow_within.py").write_text("import time\ntime.sleep(0.6)\n")
    slow = from_file("slow_to_choose.py:Slow", tmp_path, {})
    runs = run_all({"slow": slow}, Work(system(), ((0,),), 0), limit)
    assert {} == runs.failed
    assert runs.seconds["slow"] < 2.0
