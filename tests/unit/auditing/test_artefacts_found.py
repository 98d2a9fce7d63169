"""What the judge of audits must find, by what, and what it must not; error rates are stated."""

import numpy as np
import pytest

import causalassay as ca
from causalassay.auditing import audit, audit_many
from causalassay.auditing.document import audit_document, citable_table, pooled_document
from causalassay.data import Dataset
from causalassay.judging.data_set import judge_data, statistics_of
from causalassay.present.html import page as page_of
from causalassay.present.latex import comments, table_latex


def pooled(sets):
    return audit_many({f"set {k}": one for k, one in enumerate(sets)}, 0, n_bootstrap=0)


def won(found):
    """The statistics and directions by which sorting wins."""
    return {
        (claim.artefact.statistic, claim.backwards) for claim in found.claims if all(claim.passed)
    }


def drawn(kind, seed, n_nodes=10, n_samples=500, shuffled=True, **parameters):
    """Data whose columns come in random order, or else causes before effects."""
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, 2, rng)
    if not shuffled:
        order = ca.graphs.topological_order(graph)
        graph = graph[np.ix_(order, order)]
    return ca.models.draw(kind, graph, rng, **parameters).sample(n_samples, rng), graph


def coin_flip_chain(rng, n_nodes=5, n_samples=100):
    """Standardised data of a path whose edges point either way with probability 1/2.

    The statistics of such columns say which are joined and nothing on the directions.
    """
    graph = np.zeros((n_nodes, n_nodes), dtype=bool)
    for node in range(n_nodes - 1):
        pair = (node, node + 1) if rng.random() < 0.5 else (node + 1, node)
        graph[pair] = True
    path = np.zeros((n_samples, n_nodes))
    path[:, 0] = rng.normal(size=n_samples)
    for node in range(1, n_nodes):
        path[:, node] = 0.8 * path[:, node - 1] + 0.6 * rng.normal(size=n_samples)
    label = rng.permutation(n_nodes)
    return path[:, label], graph[np.ix_(label, label)]


def test_chains_whose_directions_are_coin_flips_show_no_gain():
    """At 5 % for a pool, more than 4 of 20 have probability 0.003."""
    rng = np.random.default_rng(0)
    gains = 0
    for _ in range(20):
        found = pooled(coin_flip_chain(rng) for _ in range(10))
        gains += any(claim.passed[1] for claim in found.claims)
    assert gains <= 4


def test_columns_in_causal_order_are_gameable_by_position_until_they_are_shuffled():
    sets = [drawn("uumc", [1, seed], shuffled=False) for seed in range(10)]
    assert ("position", False) in won(pooled(sets))
    rng = np.random.default_rng(2)
    mixed = []
    for values, graph in sets:
        label = rng.permutation(len(graph))
        mixed.append((values[:, label], graph[np.ix_(label, label)]))
    assert "position" not in {statistic for statistic, _ in won(pooled(mixed))}


def test_a_drift_of_means_is_gameable_by_mean():
    sets = []
    for seed in range(10):
        values, graph = drawn("uumc", [3, seed])
        place = np.argsort(ca.graphs.topological_order(graph))
        sets.append((values + place, graph))
    assert ("mean", False) in won(pooled(sets))


def test_gaussian_columns_tie_in_kurtosis_skewness_and_mean():
    """Beyond 3 standard errors: about 0.3 % of columns, so more than 5 of 300 has 0.0005."""
    beyond = 0
    for seed in range(10):
        values, graph = drawn("iscm", [4, seed])
        found = judge_data(Dataset.from_values(values), graph, np.random.default_rng(0))
        for name in ("kurtosis", "skewness"):
            beyond += int((found.statistics[name] != 0).sum())
        mean = found.statistics["mean"]
        beyond += int((mean != np.median(mean)).sum())
    assert beyond <= 5


def test_standardised_values_printed_with_six_digits_are_seen_as_standardised(tmp_path):
    values, graph = drawn("scm", 5)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    names = [f"x{k}" for k in range(10)]
    np.savetxt(
        tmp_path / "data.csv", values, "%.6g", delimiter=",", header=",".join(names), comments=""
    )
    found = audit(tmp_path / "data.csv", graph, 0, n_bootstrap=0)
    assert found.spread.equal_variances
    rows = [row for row in found.sortabilities if row.statistic == "variance"]
    assert [0.5] * len(rows) == [row.value for row in rows]
    assert found.sorted_by("variance", "rising") is None


REVERSED = "probably reversed"


def shown(document, table):
    """The headline of the page, and the comments above the LaTeX table."""
    page = page_of(document)
    return page[: page.index("<svg")], table_latex(table, comments(document))


def test_a_transposed_graph_is_said_with_the_verdict_and_a_right_one_is_not():
    values, graph = drawn("scm", 4, 20, 1000)
    turned, right = (audit(values, one, 0, n_bootstrap=0) for one in (graph.T, graph))
    for found, said in ((turned, True), (right, False)):
        assert said == (REVERSED in found.verdict.text)
        screen, latex = shown(audit_document(found, "data"), citable_table(found))
        assert said == (REVERSED in screen)
        assert said == (REVERSED in latex)


def test_transposed_graphs_are_said_with_the_verdict_over_files():
    sets = [drawn("scm", [6, seed], 15, 1000) for seed in range(3)]
    turned = pooled((values, graph.T) for values, graph in sets)
    numbers = turned.findings[-1].numbers
    assert numbers["n_refuted"] >= 2
    assert 0 == numbers["n_refuted_transposed"]
    assert "when transposed: the graphs are probably reversed" in turned.verdict.advice
    assert REVERSED in shown(pooled_document(turned), turned.document().tables()[0])[0]
    assert REVERSED not in pooled(sets).verdict.text


def test_raw_data_are_gameable_by_variance_and_r2_wherever_the_verdict_is():
    values, graph = drawn("scm", 0, 40, 1000)
    found = audit(values, graph, 0, n_bootstrap=0)
    assert {"variance", "R2"} <= set(statistics_of(found.verdict))
    plain = found.to_dict()["verdict"]
    assert {"variance", "R2"} <= set(plain["numbers"]["by_statistic"])
    screen, latex = shown(audit_document(found, "data"), citable_table(found))
    for text in (plain["sentence"], screen, latex):
        assert "Gameable by variance and R²" in text


def test_too_small_says_how_many_data_sets_would_do_and_they_do():
    """Chains of 4 raw columns: a true order alone has a p-value of 1/24."""

    def small(seed):
        rng = np.random.default_rng([7, seed])
        label = rng.permutation(4)
        graph = ca.graphs.chain(4)
        values = np.zeros((1000, 4))
        values[:, 0] = rng.normal(size=1000)
        for node in range(1, 4):
            values[:, node] = 2 * values[:, node - 1] + rng.normal(size=1000)
        return values[:, label], graph[np.ix_(label, label)]

    alone = audit(*small(0), 0, n_bootstrap=0)
    assert "too-small" == alone.verdict.kind
    assert pytest.approx(1) == alone.sorted_by("variance", "rising").f1
    assert "There is signal" in alone.verdict.advice
    needed = alone.verdict.numbers["n_sets"]
    assert f"about {needed} such data sets" in alone.verdict.advice
    sets, seen, seed = [], set(), 0
    while len(sets) < needed:  # files on one graph are one instance
        values, graph = small(seed)
        seed += 1
        if graph.tobytes() not in seen:
            seen.add(graph.tobytes())
            sets.append((values, graph))
    assert ("variance", False) in won(pooled(sets))


@pytest.mark.parametrize(
    ("kind", "noise", "statistic"),
    [("iscm", "laplace", "kurtosis"), ("uumc", "exponential", "skewness")],
)
def test_noise_that_is_not_gaussian_is_gameable_backwards(kind, noise, statistic):
    sets = [drawn(kind, [8, seed], n_samples=2000, noise=noise) for seed in range(10)]
    assert (statistic, True) in won(pooled(sets))
