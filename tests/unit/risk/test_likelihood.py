"""Held-out likelihood and interventional BIC, beside a slow twin: regressions row by row."""

import numpy as np
import pytest
from scipy import stats

import causalassay as ca
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime
from causalassay.graphs import chain, to_cpdag
from causalassay.models import Do, Shift
from causalassay.risk.fits import Fit
from causalassay.risk.prediction.likelihood import compare_likelihoods

NAMES = tuple("abcd")
TARGETS = (0, 1, 2)


def experiments(mechanism="linear", seed=0, n_rows=60, action=Do, more=()):
    rng = np.random.default_rng(seed)
    model = ca.models.draw("scm", chain(4), rng, mechanism=mechanism)
    regimes = [Regime("drug", model.sample(n_rows, rng, (action(0, 2.0),)), (0,))]
    regimes.append(Regime("rest", model.sample(200, rng)))
    for node in TARGETS[1:]:
        rows = model.sample(n_rows + node, rng, (action(node, -1.5),))
        regimes.append(Regime(f"on {NAMES[node]}", rows, (node,)))
    return Dataset(NAMES, (*regimes, *more), "rest")


def fit_of(graph, held_out=None):
    return Fit(graph, "dag", "no rows", held_out or dict.fromkeys(TARGETS, graph))


EMPTY = np.zeros((4, 4), dtype=bool)
BACKWARDS = chain(4).T.copy()
DENSE = np.triu(np.ones((4, 4), dtype=bool), k=1)


def design(pooled, values, parents, bent):
    """The parents' columns; where lines bend also how far each is above four quantiles."""
    parts = [np.ones((len(values), 1))]
    for parent in parents:
        column = values[:, [parent]]
        bends = np.quantile(pooled[:, parent], [0.2, 0.4, 0.6, 0.8])
        parts += [column, np.maximum(column - bends, 0)] if bent else [column]
    return np.hstack(parts)


def slow_local(data, node, parents, rows, evaluated):
    """Return the log density of each evaluated row and the number of slopes, by scipy."""
    pooled = np.concatenate([r.values for r in data.regimes if r.targets is not None])
    best = None
    for bent in (False, True):
        x = design(pooled, rows, parents, bent)
        weights = np.linalg.lstsq(x, rows[:, node], rcond=None)[0]
        sd = float(np.sqrt(np.mean((rows[:, node] - x @ weights) ** 2)))
        bic = len(rows) * np.log(sd) + np.log(len(rows)) * (x.shape[1] - 1) / 2
        if best is None or bic < best[0]:
            means = design(pooled, evaluated, parents, bent) @ weights
            logs = [
                stats.norm.logpdf(row[node], mean, sd)
                for row, mean in zip(evaluated, means, strict=True)
            ]
            best = (bic, np.array(logs), x.shape[1] - 1)
    return best[1], best[2]


def rows_without(data, *nodes):
    """The rows of all conditions that act on none of the nodes."""
    used = [r for r in data.regimes if r.targets is not None and not set(nodes) & set(r.targets)]
    return np.concatenate([r.values for r in used])


def slow_held_out(data, dag, target):
    rows = np.concatenate([r.values for r in data.regimes if r.targets == (target,)])
    total = np.zeros(len(rows))
    for node in set(range(4)) - {target}:
        parents = np.flatnonzero(dag[:, node])
        train = rows_without(data, target, node)
        total += slow_local(data, node, parents, train, rows)[0]
    return total.mean()


def slow_bic(data, dag):
    total = 0.0
    n_rows = sum(len(r.values) for r in data.regimes if r.targets is not None)
    for node in range(4):
        rows = rows_without(data, node)
        logs, slopes = slow_local(data, node, np.flatnonzero(dag[:, node]), rows, rows)
        total += logs.sum() - slopes * np.log(n_rows) / 2
    return total


DATA = {
    "linear": experiments(),
    "bent": experiments("gp-additive"),
    "shifted": experiments(action=Shift),
    "unknown": experiments(more=(Regime("?", np.ones((5, 4)) * np.arange(5)[:, None], None),)),
    "two targets": experiments(
        more=(Regime("both", np.random.default_rng(1).normal(size=(30, 4)), (0, 3)),)
    ),
}


@pytest.mark.parametrize("kind", DATA)
def test_scores_are_those_of_regressions_and_normal_densities_row_by_row(kind):
    data = DATA[kind]
    graphs = {"chain": chain(4), "backwards": BACKWARDS, "dense": DENSE, "empty": EMPTY}
    found = compare_likelihoods({name: fit_of(g) for name, g in graphs.items()}, data, 0)
    assert TARGETS == found.nodes
    for name, graph in graphs.items():
        bic = slow_bic(data, graph) - slow_bic(data, EMPTY)
        assert found.bic[name] == pytest.approx(bic, rel=1e-5, abs=1e-4)
        held_out = [slow_held_out(data, graph, t) - slow_held_out(data, EMPTY, t) for t in TARGETS]
        np.testing.assert_allclose(held_out, found.held_out[name], rtol=1e-4, atol=1e-5)
    assert found.bic["empty"] == 0
    assert found.bic["chain"] == max(found.bic.values())
    assert found.held_out_gain("chain", "backwards").value > 0


def test_an_experiment_is_scored_by_the_graph_found_without_it():
    data = DATA["linear"]
    mixed = fit_of(chain(4), {0: chain(4), 1: BACKWARDS, 2: EMPTY})
    graphs = {"mixed": mixed, "chain": fit_of(chain(4)), "backwards": fit_of(BACKWARDS)}
    found = compare_likelihoods(graphs, data, 0)
    expected = [found.held_out["chain"][0], found.held_out["backwards"][1], 0.0]
    np.testing.assert_allclose(expected, found.held_out["mixed"])
    assert found.bic["mixed"] == found.bic["chain"]


def test_the_score_of_a_class_is_the_mean_over_its_members():
    found = compare_likelihoods({"class": fit_of(to_cpdag(chain(4)))}, DATA["linear"], 0)
    members = ca.graphs.enumerate_dags(to_cpdag(chain(4)))
    each = compare_likelihoods(
        {str(k): fit_of(dag) for k, dag in enumerate(members)}, DATA["linear"], 0
    )
    assert len(each.bic) == 4
    assert found.bic["class"] == pytest.approx(np.mean(list(each.bic.values())))
    held_out = np.mean(list(each.held_out.values()), axis=0)
    np.testing.assert_allclose(held_out, found.held_out["class"])


def test_errors_are_those_of_paired_differences():
    graphs = {"chain": fit_of(chain(4)), "empty": fit_of(EMPTY)}
    found = compare_likelihoods(graphs, DATA["linear"], 0)
    by_target = found.held_out["chain"]
    gain = found.held_out_gain("chain", "empty")
    assert gain.value == pytest.approx(by_target.mean())
    assert gain.error == pytest.approx(stats.sem(by_target))
    rows, sums = found.observed["chain"], found.experiments["chain"]
    assert ((200,), (3,)) == (rows.shape, sums.shape)
    gain = found.bic_gain("chain", "empty")
    slopes = 3 * np.log(200 + 60 + 61 + 62) / 2
    assert gain.value == pytest.approx(rows.sum() + sums.sum() - slopes)
    assert gain.error == pytest.approx(np.sqrt(200 * rows.var() + 3 * sums.var(ddof=1)))


def test_units_and_names_of_columns_change_no_score():
    data = DATA["bent"]
    order = [2, 0, 3, 1]
    scale = np.array([1e3, 1e-4, 7.0, 1.0])
    place = {old: new for new, old in enumerate(order)}
    turned = Dataset(
        tuple(NAMES[k] for k in order),
        tuple(
            Regime(
                r.condition, (r.values * scale + 5)[:, order], tuple(place[t] for t in r.targets)
            )
            for r in data.regimes
        ),
        "rest",
    )
    graph = chain(4)[np.ix_(order, order)]
    held_out = dict.fromkeys([place[t] for t in TARGETS], graph)
    ours = compare_likelihoods({"a": fit_of(chain(4))}, data, 0)
    theirs = compare_likelihoods({"a": fit_of(graph, held_out)}, turned, 0)
    assert theirs.bic["a"] == pytest.approx(ours.bic["a"], rel=1e-5)
    assert theirs.held_out["a"].mean() == pytest.approx(ours.held_out["a"].mean(), rel=1e-4)


def test_tables_score_discrete_columns():
    """Against counts in plain loops: each configuration has one more row, spread over levels."""
    rng = np.random.default_rng(0)

    def rows(n, action=None):
        codes = rng.integers(3, size=(n, 2))
        if action != 1:
            codes[:, 1] = np.where(rng.random(n) < 0.7, codes[:, 0], codes[:, 1])
        return codes.astype(float)

    kinds = (Discrete(("u", "v", "w")),) * 2
    regimes = (
        Regime("rest", rows(80)),
        Regime("A", rows(40), (0,)),
        Regime("B", rows(40, 1), (1,)),
    )
    data = Dataset(("a", "b"), regimes, "rest", kinds)
    edge, none = np.eye(2, k=1, dtype=bool), np.zeros((2, 2), dtype=bool)
    fits = {name: Fit(g, "dag", "", {0: g, 1: g}) for name, g in (("edge", edge), ("none", none))}
    found = compare_likelihoods(fits, data, 0)

    def of_b(train, row, given_a):
        like = [t for t in train if not given_a or t[0] == row[0]]
        return np.log((sum(t[1] == row[1] for t in like) + 1 / 3) / (len(like) + 1))

    held_out = np.mean(
        [
            of_b(regimes[0].values, row, True) - of_b(regimes[0].values, row, False)
            for row in regimes[1].values
        ]
    )
    assert found.held_out["edge"][0] == pytest.approx(held_out)
    assert found.held_out["edge"][1] == 0  # given b's experiments a has no parents in either
    train = np.concatenate([regimes[0].values, regimes[1].values])
    gain = sum(of_b(train, row, True) - of_b(train, row, False) for row in train)
    assert found.bic["edge"] == pytest.approx(gain - (6 - 2) * np.log(160) / 2)


def test_what_has_no_score_has_a_reason():
    data = DATA["linear"]
    circle = np.roll(np.eye(4, dtype=bool), 1, axis=1)
    found = compare_likelihoods({"circle": fit_of(circle)}, data, 0)
    assert "stands for none" in found.not_ranked["circle"]

    def changed(change):
        regimes = []
        for regime in data.regimes:
            values = regime.values.copy()
            change(values)
            regimes.append(Regime(regime.condition, values, regime.targets))
        return Dataset(NAMES, tuple(regimes), "rest")

    def double(values):
        values[:, 3] = 2 * values[:, 2]

    def constant(values):
        if len(values) != 60:  # it varies in the first experiment alone
            values[:, 3] = 1.0

    def coded(values):
        values[:, 0] = values[:, 0] > 0

    found = compare_likelihoods({"chain": fit_of(chain(4))}, changed(double), 0)
    assert found.not_ranked["chain"].startswith("column 'd' is determined by its parents")
    found = compare_likelihoods({"chain": fit_of(chain(4))}, changed(constant), 0)
    assert found.not_ranked["chain"].startswith("column 'd' does not vary")
    regimes = changed(coded).regimes
    mixed = Dataset(NAMES, regimes, "rest", (Discrete(("u", "v")), *data.kinds[1:]))
    with pytest.raises(NotApplicable, match="'a' is discrete"):
        compare_likelihoods({"chain": fit_of(chain(4))}, mixed, 0)
