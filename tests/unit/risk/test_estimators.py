import json
import math
import pickle
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from causalassay import risk
from causalassay.contracts import Estimate, NotApplicable
from causalassay.data import Dataset, Regime, sachs
from causalassay.discovery.baselines import RandomSorting
from causalassay.graphs import chain, from_edges, to_cpdag
from causalassay.risk.cross_validation import (
    DescendantDraws,
    LossDraws,
    draw_descendants,
    draw_unseen,
    interval,
    prepare_cross_validation,
)

COLUMNS = tuple("abcd")
KNOWN = risk.Descendants(COLUMNS, {0: {1, 2, 3}, 2: {3}})
"""Of the chain a→b→c→d, intervened upon at a and c."""


def experiments(targets=((0,), (2,)), observational="rest", seed=0):
    rng = np.random.default_rng(seed)
    regimes = [Regime("rest", rng.normal(size=(30, 4)))]
    for k, target in enumerate(targets):
        regimes.append(Regime(f"{k}: {target}", rng.normal(size=(10, 4)), target))
    return Dataset(COLUMNS, tuple(regimes), observational)


def rng(seed=0):
    return np.random.default_rng(seed)


@dataclass(frozen=True, eq=False)
class Scripted:
    """Gives one graph for all data, others without a node's experiments; notes what it saw."""

    on_all: np.ndarray
    without: dict = field(default_factory=dict)
    seen: list = field(default_factory=list)
    draws: list = field(default_factory=list)
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        self.seen.append(data.conditions)
        self.draws.append(float(rng.random()))
        present = {target for regime in data.regimes for target in regime.targets or ()}
        for node, graph in self.without.items():
            if node not in present:
                return Estimate(graph, "dag")
        return Estimate(self.on_all, "dag")


@dataclass(frozen=True)
class Fussy:
    """Cannot do without the experiments on a column."""

    needs: int
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        if not any(self.needs in (regime.targets or ()) for regime in data.regimes):
            raise NotApplicable("an experiment is missing; make one")
        return Estimate(chain(4), "dag")


def test_oracle_by_hand():
    """Descendants {1,2,3}, {2,3}, {3}, {} against {1}, {}, {3}, {}: (2/3 + 1 + 0 + 0) / 4."""
    guess = from_edges([(0, 1), (2, 3)], 4)
    assert pytest.approx((2 / 3 + 1) / 4) == risk.oracle(chain(4), guess)
    assert (2 + 2) / 4 == risk.oracle(chain(4), guess, risk.mistakes)


def test_oracle_of_a_cpdag_counts_possible_descendants():
    """A chain's class is a—b—c, in which all descend from all: (0 + 1/2 + 1) / 3."""
    assert pytest.approx(1.5 / 3) == risk.oracle(chain(3), to_cpdag(chain(3)))


def test_oracle_of_one_node_is_zero():
    assert 0.0 == risk.oracle(np.zeros((1, 1), dtype=bool), np.zeros((1, 1), dtype=bool))


def test_oracle_checks_its_graphs():
    with pytest.raises(ValueError, match="the truth has 4 nodes but the guess has 3"):
        risk.oracle(chain(4), chain(3))
    with pytest.raises(TypeError, match="guess: expected a bool array, got float64"):
        risk.oracle(chain(4), np.full((4, 4), 0.5))
    assert 1.0 == risk.oracle(chain(2), [[0, 0], [0.0, 0]]) * 2


def test_the_three_estimates_by_hand():
    """Equations 5 to 7.

    On all data a→b→c, c→d: a loses 0, c loses 0. Without a's experiments only a→b:
    a loses 2/3. Without c's c→b: c loses 1. |I|/p is a half.
    """
    algorithm = Scripted(chain(4), {0: from_edges([(0, 1)], 4), 2: from_edges([(2, 1)], 4)})
    estimate = risk.estimate(algorithm, experiments(), rng(), KNOWN)
    assert 0.0 == estimate.naive
    assert pytest.approx((2 / 3 + 1) / 2) == estimate.cross_validated
    assert pytest.approx((2 / 3 + 1) / 4) == estimate.weighted
    assert {0: 0.0, 2: 0.0} == estimate.naive_losses
    assert pytest.approx({0: 2 / 3, 2: 1.0}) == estimate.held_out_losses
    assert (0, 2) == estimate.intervened
    assert ((0,), (2,)) == estimate.folds
    np.testing.assert_array_equal(chain(4), estimate.graph)


def test_the_weights_are_the_shares_of_nodes_with_and_without_experiments():
    """Three of four nodes: 3/4 · 0 + 1/4 · 1."""
    data = experiments([(0,), (1,), (2,)])
    empty = np.zeros((4, 4), dtype=bool)
    algorithm = Scripted(chain(4), {0: empty, 1: empty, 2: empty})
    result = risk.estimate(algorithm, data, rng(), chain(4))
    assert (0.0, 1.0, 0.25) == (result.naive, result.cross_validated, result.weighted)


def test_regimes_that_share_a_target_are_withheld_together_and_the_node_counts_once():
    data = experiments([(0,), (2,), (0,), (0, 1), None])
    algorithm = Scripted(chain(4))
    descendants = risk.estimate(algorithm, data, rng(), chain(4))
    everything, without_a, without_c = algorithm.seen
    assert data.conditions == everything
    assert ("rest", "1: (2,)", "4: None") == without_a
    assert ("rest", "0: (0,)", "2: (0,)", "3: (0, 1)", "4: None") == without_c
    assert (0, 2) == descendants.intervened
    assert {"3: (0, 1)", "4: None"} == set(descendants.left_out)


def test_k_folds_refit_k_times():
    data = experiments([(0,), (1,), (2,), (3,)])
    algorithm = Scripted(chain(4))
    result = risk.estimate(algorithm, data, rng(), chain(4), folds=2)
    assert 1 + 2 == len(algorithm.seen)
    assert [2, 2] == [len(fold) for fold in result.folds]
    assert [3, 3] == [len(seen) for seen in algorithm.seen[1:]]
    assert 0.0 == result.cross_validated


def test_names_stand_for_algorithms():
    result = risk.estimate("empty", experiments(), rng(), KNOWN)
    assert (1.0, 1.0, 1.0) == (result.naive, result.cross_validated, result.weighted)
    with pytest.raises(ValueError, match="there is no algorithm 'emty'; did you mean 'empty'"):
        risk.estimate("emty", experiments(), rng(), KNOWN)
    with pytest.raises(TypeError, match=r"expected a name or an instance with a method discover"):
        risk.estimate(Fussy, experiments(), rng(), KNOWN)


def test_any_loss_will_do():
    scoring = risk.Scoring(loss=lambda real, guess: float(len(real)))
    assert (3 + 1) / 2 == risk.estimate("empty", experiments(), rng(), KNOWN, None, scoring).naive
    undefined = risk.Scoring(loss=lambda real, guess: math.nan)
    assert math.isnan(risk.estimate("empty", experiments(), rng(), KNOWN, None, undefined).weighted)


def test_a_comparison_shares_folds_and_descendants_and_streams():
    data = experiments([(0,), (1,), (2,), (3,)])
    first, second = Scripted(chain(4)), Scripted(chain(4))
    comparison = risk.compare({"one": first, "two": second, "none": "empty"}, data, rng(), folds=2)
    assert first.seen == second.seen
    assert first.draws == second.draws
    assert 3 == len(set(first.draws))
    assert 1 == len({id(each.descendants) for each in comparison.risks.values()})
    assert 1 == len({each.folds for each in comparison.risks.values()})


def test_company_changes_no_risk():
    data = experiments([(0,), (1,), (2,), (3,)])
    alone = risk.estimate("random-sorting", data, rng(5), chain(4), folds=2)
    comparison = risk.compare(["empty", "random-sorting"], data, rng(5), chain(4), folds=2)
    among = comparison.risks["random-sorting"]
    assert alone.held_out_losses == among.held_out_losses
    assert alone.intervals == among.intervals
    np.testing.assert_array_equal(alone.graph, among.graph)


def test_differences_are_paired():
    """a loses 0 with the chain and 1 with nothing, c likewise: each resample has -1."""
    comparison = risk.compare(
        {"chain": Scripted(chain(4)), "none": "empty"}, experiments(), rng(), KNOWN
    )
    assert ("chain", "none") == comparison.ranking
    difference = comparison.difference("chain", "none")
    assert (-1.0, -1.0, -1.0) == (
        difference.naive,
        difference.cross_validated,
        difference.weighted,
    )
    low, high = difference.intervals.weighted
    assert -1.0 == low < high < 0.0  # b and d have no experiments
    everywhere = experiments([(0,), (1,), (2,), (3,)])
    comparison = risk.compare(
        {"chain": Scripted(chain(4)), "none": "empty"}, everywhere, rng(), chain(4)
    )
    assert (-0.75, -0.75) == comparison.difference("chain", "none").intervals.weighted
    assert 0.75 == comparison.difference("none", "chain").weighted
    with pytest.raises(ValueError, match="no risk of 'nine' was estimated; did you mean 'none'"):
        comparison.difference("chain", "nine")
    with pytest.raises(ValueError, match="a difference needs two algorithms, got 'none' twice"):
        comparison.difference("none", "none")


def test_algorithms_are_named_once():
    with pytest.raises(ValueError, match="'empty' appears twice; pass a mapping"):
        risk.compare(["empty", "empty"], experiments(), rng(), KNOWN)
    with pytest.raises(TypeError, match="expected several names, got the text 'empty'"):
        risk.compare("empty", experiments(), rng(), KNOWN)
    with pytest.raises(ValueError, match="algorithms: at least 1 is needed, got none"):
        risk.compare([], experiments(), rng(), KNOWN)
    comparison = risk.compare(["empty", RandomSorting()], experiments(), rng(), KNOWN)
    assert ["empty", "RandomSorting()"] == list(comparison.risks)


def test_an_algorithm_without_risk_ranks_last():
    never = risk.Scoring(loss=lambda real, guess: 0.5 if guess else math.nan)
    comparison = risk.compare(
        {"none": "empty", "chain": Scripted(chain(4))}, experiments(), rng(), KNOWN, None, never
    )
    assert ("chain", "none") == comparison.ranking


IMAGINED = np.array([0.0, 0.0, 1.0, 1.0])


def drawn(losses):
    losses = np.atleast_2d(losses).astype(float)
    return LossDraws(losses, losses, IMAGINED)


def test_unseen_nodes_share_the_losses_of_seen_and_of_two_imagined_ones():
    """Losses 0, 1, 1, 1 and half a weight on 0 and on 1: an unseen node loses 3.5/5 on average."""
    counts = draw_unseen(4, 6, 20_000, rng())
    assert {6} == set(counts.sum(axis=1).tolist())
    unseen = counts[:, 1:4].sum(axis=1) + counts[:, 4:] @ IMAGINED
    assert pytest.approx(6 * 3.5 / 5, abs=0.05) == unseen.mean()


def test_equal_losses_do_not_make_an_interval_of_no_width():
    """Four losses of 1 leave room for unseen nodes that lose less."""
    ones = drawn(np.ones(4))
    low, high = interval(1.0, ones, ones, draw_unseen(4, 6, 4000, rng()), 0.95)
    assert 0.5 < low < 0.9
    assert 1.0 == high


def test_intervals_cover_the_mean_of_a_finite_population():
    """400 populations of 12 losses, as node losses are: often 0 or 1. 4 or 8 are seen."""
    generator = rng()
    for n_seen in (4, 8):
        covered = 0
        for _ in range(400):
            losses = np.clip(generator.normal(generator.random(), 0.6, size=12), 0, 1)
            seen = drawn(losses[:n_seen])
            counts = draw_unseen(n_seen, 12 - n_seen, 400, generator)
            low, high = interval(losses[:n_seen].mean(), seen, seen, counts, 0.95)
            covered += low <= losses.mean() <= high
        assert 0.93 <= covered / 400


def test_with_experiments_on_all_nodes_only_the_tests_leave_doubt():
    data = experiments([(0,), (1,), (2,), (3,)])
    known = risk.estimate("empty", data, rng(), chain(4))
    assert (0.75, 0.75) == known.intervals.weighted
    shifted = [
        Regime(regime.condition, regime.values + 2.5 * chain(4)[k - 1], regime.targets)
        if k
        else regime
        for k, regime in enumerate(data.regimes)
    ]
    tested = risk.estimate("empty", Dataset(COLUMNS, tuple(shifted), "rest"), rng())
    low, high = tested.intervals.weighted
    assert low <= tested.weighted <= high


def test_doubtful_columns_count_for_the_graph_at_the_lower_end_and_against_it_at_the_upper():
    """Of a, b was found; the p value of c is 0.1 (doubtful if named), that of d 0.01."""
    draws = DescendantDraws(
        (0, 2),
        np.array([[[0, 1, 0, 0], [0, 0, 0, 0]]], dtype=bool),
        np.array([[0, 1, 1, 1], [0, 0, 0, 0]], dtype=bool),
        np.array([[0, 1, 0, 1], [0, 0, 0, 0]], dtype=bool),
    )
    shared = prepare_cross_validation(experiments(), rng(), KNOWN, None, risk.Scoring())
    losses = replace(shared, draws=draws).losses(
        shared.fit("", Scripted(from_edges([(0, 1), (0, 2)], 4)))
    )
    assert (0.0, 1 - 1 / 3) == (losses.naive.draws.low[0, 0], losses.naive.draws.high[0, 0])


def test_every_second_draw_is_closed_after_doubtful_columns_were_added():
    """Of a, b was found and c is doubtful; of c, d was found."""
    found = np.array([[0, 1, 0, 0], [0, 0, 0, 1]], dtype=bool)
    doubtful = np.array([[0, 0, 1, 0], [0, 0, 0, 0]], dtype=bool)
    draws = DescendantDraws((0, 2), np.array([found, found]), doubtful, doubtful)
    first, second = draws.favouring(np.ones((2, 4), dtype=bool))
    assert [1, 2] == np.flatnonzero(first[0]).tolist()
    assert [1, 2, 3] == np.flatnonzero(second[0]).tolist()
    np.testing.assert_array_equal([found, found], draws.favouring(np.zeros((2, 4), dtype=bool)))
    assert [1, 2] == np.flatnonzero(draws.opposing(np.zeros((2, 4), dtype=bool))[0][0]).tolist()


def test_halves_of_rows_are_tested_at_their_level():
    """Nothing has an effect: a half gives any false alarm in at most 5 % of the draws."""
    alarms = []
    for seed in range(20):
        data = experiments([(0,), (1,), (2,), (3,)], seed=seed)
        draws = draw_descendants(data, (0, 1, 2, 3), risk.DescendantTests(), 50, rng(seed))
        assert (50, 4, 4) == draws.drawn.shape
        alarms.append(draws.drawn.any(axis=(1, 2)).mean())
    assert np.mean(alarms) <= 0.1


@pytest.mark.parametrize(
    "tests",
    [
        risk.DescendantTests("mann-whitney"),
        risk.DescendantTests("kolmogorov-smirnov"),
        risk.DescendantTests("welch", risk.SimulatedMax(n_simulations=99), closed=True),
    ],
)
def test_any_test_can_be_redone_on_halves(tests):
    result = risk.estimate("empty", experiments(), rng(), tests, None, risk.Scoring(n_bootstrap=20))
    low, high = result.intervals.weighted
    assert low <= result.weighted <= high


def test_what_reads_no_experiments_is_run_once():
    class Observer(Scripted):
        reads = "observational rows"

    observer, other = Observer(chain(4)), Scripted(chain(4))
    comparison = risk.compare({"observer": observer, "other": other}, experiments(), rng(), KNOWN)
    assert (1, 3) == (len(observer.seen), len(other.seen))
    assert not comparison.risks["observer"].refitted
    assert comparison.risks["other"].refitted


def test_a_comparison_says_what_each_algorithm_reads():
    data = experiments([(0,), (1,), (2,), (3,)])
    names = ["ges", "ges-pooled", "gies", "empty"]
    comparison = risk.compare(names, data, rng(), chain(4))
    assert {
        "ges": "observational rows",
        "ges-pooled": "all rows, pooled",
        "gies": "all rows with their targets",
        "empty": "no rows",
    } == {name: each.reads for name, each in comparison.risks.items()}
    (table,) = comparison.document().tables()
    rows = {row["algorithm"]: row for row in table.records()}
    assert list(comparison.ranking) == list(rows)
    assert {name: each.reads for name, each in comparison.risks.items()} == {
        name: row["reads"] for name, row in rows.items()
    }
    assert ("as naive", "as naive") == (rows["ges"]["cross_validated"], rows["ges"]["weighted"])
    pooled = comparison.risks["ges-pooled"]
    assert [pooled.weighted, *pooled.intervals.weighted] == rows["ges-pooled"]["weighted"]
    lines = {line.split()[0]: line for line in str(comparison).splitlines() if line}
    assert all(comparison.risks[name].reads in lines[name] for name in names)
    plain = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert ("observational rows", True) == (
        plain["ges"]["reads"],
        plain["ges"]["equal_by_construction"],
    )
    assert not plain["gies"]["equal_by_construction"]
    html = comparison._repr_html_()
    assert "all rows, pooled" in html
    assert "as naive" in html
    assert "observational rows" in comparison.risks["ges"]._repr_html_()
    scripted = risk.estimate(Scripted(chain(4)), data, rng(), chain(4))
    assert "not stated" == scripted.reads
    frame = comparison.to_frame().set_index("algorithm")
    assert list(comparison.ranking) == list(frame.index)
    assert pooled.weighted == frame.loc["ges-pooled", "weighted"]
    for result in (comparison, scripted):
        assert len(repr(result).splitlines()) <= 10
    (risks,) = scripted.document().tables()
    assert {"naive", "cross-validated", "weighted"} == {row["risk"] for row in risks.records()}


def test_without_a_bootstrap_the_intervals_are_undefined():
    result = risk.estimate("empty", experiments(), rng(), KNOWN, None, risk.Scoring(n_bootstrap=0))
    assert all(math.isnan(bound) for bound in result.intervals.weighted)
    assert 1.0 == result.weighted


def test_an_algorithm_that_cannot_go_on_says_in_which_fold():
    with pytest.raises(
        NotApplicable, match=r"Fussy\(needs=2\) without the experiments on 'c': an experiment is"
    ):
        risk.estimate(Fussy(2), experiments(), rng(), KNOWN)
    with pytest.raises(NotApplicable, match=r"Fussy\(needs=3\) on all data: an experiment is m"):
        risk.estimate(Fussy(3), experiments(), rng(), KNOWN)


@dataclass(frozen=True)
class Failing:
    """Raises what it is told."""

    error: BaseException
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        raise self.error


def _without_place(reason):
    """Return the reason without the line of this file at which it was raised."""
    return reason.partition(f" ({Path(__file__).name}, line ")[0]


def test_an_algorithm_that_does_not_apply_or_fails_is_a_row_with_its_reason():
    named = {
        "fussy": Fussy(2),
        "empty": "empty",
        "singular": Failing(np.linalg.LinAlgError("Singular matrix\nsecond line")),
        "large": Failing(MemoryError()),
        "wrong size": Scripted(chain(3)),
    }
    comparison = risk.compare(named, experiments(), rng(), KNOWN)
    assert ("empty",) == comparison.ranking
    reasons = {
        "fussy": "without the experiments on 'c': an experiment is missing; make one",
        "singular": "it failed: LinAlgError: Singular matrix",
        "large": "it failed: MemoryError",
        "wrong size": "it failed: ValueError: on all data: expected a graph of 4 nodes, got 3",
    }
    said = {name: _without_place(why) for name, why in comparison.not_ranked.items()}
    assert reasons == said
    assert reasons["fussy"] == comparison.to_dict()["fussy"]["not_ranked"]
    _, table = comparison.document().tables()
    rows = {row["algorithm"]: _without_place(row["reason"]) for row in table.records()}
    assert reasons == rows
    lines = [line.split(maxsplit=1) for line in str(comparison).splitlines() if line]
    assert ["large", reasons["large"]] in [line[:1] + [_without_place(line[-1])] for line in lines]
    assert "Singular matrix" in comparison._repr_html_()


def test_an_interruption_is_no_failure_of_an_algorithm():
    with pytest.raises(KeyboardInterrupt):
        risk.compare({"slow": Failing(KeyboardInterrupt())}, experiments(), rng(), KNOWN)


def test_a_risk_carries_the_graphs_without_each_held_out_node():
    withheld = {0: from_edges([(0, 1)], 4), 2: from_edges([(2, 1)], 4)}
    found = risk.estimate(Scripted(chain(4), withheld), experiments(), rng(), KNOWN)
    assert "dag" == found.kind == found.to_dict()["kind"]
    assert [0, 2] == sorted(found.held_out_graphs)
    for node, graph in withheld.items():
        np.testing.assert_array_equal(graph, found.held_out_graphs[node])
    once = risk.estimate("random-sorting", experiments(), rng(), KNOWN)
    assert all(once.graph is graph for graph in once.held_out_graphs.values())


def test_a_graph_of_the_wrong_size_is_refused():
    with pytest.raises(ValueError, match="on all data: expected a graph of 4 nodes, got 3"):
        risk.estimate(Scripted(chain(3)), experiments(), rng(), KNOWN)


@pytest.mark.parametrize("reference", [risk.DescendantTests(), chain(4)])
def test_fewer_than_two_intervened_nodes_are_refused(reference):
    with pytest.raises(ValueError, match=r"at least 2 columns.* got 1 \('a'\).*add regimes"):
        risk.estimate("empty", experiments([(0,), (0,)]), rng(), reference)
    with pytest.raises(ValueError, match=r"got 0, with .* left out: '0: None': its target is unk"):
        risk.estimate("empty", experiments([None]), rng(), reference)


def test_one_column_has_too_few_experiments():
    rows = rng().normal(size=(6, 1))
    data = Dataset(("a",), (Regime("rest", rows[:3]), Regime("on a", rows[3:], (0,))), "rest")
    with pytest.raises(ValueError, match=r"at least 2 columns.* got 1 \('a'\)"):
        risk.estimate("empty", data, rng())


def test_without_an_observational_condition_nothing_can_be_tested():
    with pytest.raises(ValueError, match="no condition is known to be observational; name one"):
        risk.estimate("empty", experiments(observational=None), rng())


def test_bad_targets_and_short_regimes_are_refused_by_the_data_set():
    with pytest.raises(ValueError, match="target 4 is not a column; targets are indices"):
        experiments([(4,)])
    with pytest.raises(ValueError, match="at least 2 rows are needed, got 1; leave the condition"):
        Regime("on a", [[1.0, 2.0, 3.0, 4.0]], (0,))


def test_arguments_are_checked():
    data = experiments()
    with pytest.raises(TypeError, match="rng: expected a numpy Generator or an int, got N"):
        risk.estimate("empty", data, None)
    seeded, drawn = (risk.estimate("empty", data, r, KNOWN) for r in (3, np.random.default_rng(3)))
    assert seeded.intervals == drawn.intervals
    with pytest.raises(ValueError, match="folds: expected at least 2, or None to leave one"):
        risk.estimate("empty", data, rng(), KNOWN, folds=1)
    with pytest.raises(TypeError, match="expected DescendantTests, Descendants or a true graph"):
        risk.estimate("empty", data, rng(), "t")
    with pytest.raises(
        ValueError, match="they belong to the columns 'x', 'y', but the data have 'a'"
    ):
        risk.estimate("empty", data, rng(), risk.Descendants(("x", "y"), {0: set(), 1: set()}))
    with pytest.raises(ValueError, match="got 2, without experiment: 'b'"):
        risk.estimate("empty", data, rng(), risk.Descendants(COLUMNS, {0: set(), 1: set()}))
    with pytest.raises(ValueError, match="got 1, without experiment: none"):
        risk.estimate("empty", data, rng(), risk.Descendants(COLUMNS, {0: set()}))
    with pytest.raises(ValueError, match="n_bootstrap: expected at least 0, got -1"):
        risk.Scoring(n_bootstrap=-1)
    with pytest.raises(ValueError, match="level: expected a number between 0 and 1, got 95"):
        risk.Scoring(level=95)
    with pytest.raises(TypeError, match="loss: expected a function of two sets, got 'jaccard'"):
        risk.Scoring(loss="jaccard")


def test_results_can_be_sent_to_another_process():
    comparison = risk.compare(["empty", "random-sorting"], experiments(), rng(), KNOWN)
    again = pickle.loads(pickle.dumps(comparison))
    assert comparison.differences == again.differences
    assert comparison.ranking == again.ranking


def test_sachs_end_to_end(sachs_folder):
    problem = sachs(sachs_folder)
    data = problem.data
    comparison = risk.compare(["empty", "var-sortnregress", "random-sortnregress"], data, rng())
    each = comparison.risks["var-sortnregress"]
    assert {"akt", "mek", "pip2", "pka", "pkc"} == {data.columns[k] for k in each.intervened}
    assert ("g0076", "pma") == each.descendants.conditions[data.index("pkc")]
    assert dict.fromkeys(("icam2", "ly"), "its target is unknown") == each.left_out
    assert 6 * 10 == each.descendants.n_tests
    assert 1.0 == comparison.risks["empty"].weighted
    # It sees observational rows only, so that folds change nothing.
    assert each.naive == each.cross_validated == pytest.approx(each.weighted)
    assert 0 < each.weighted < 1
