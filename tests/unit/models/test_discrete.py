import numpy as np
import pytest

import causalassay as ca
from causalassay.graphs import chain, complete, erdos_renyi, from_edges
from causalassay.metrics import Quantile, tv_dag, tv_matrix
from causalassay.models import (
    Dirichlet,
    DiscreteSCM,
    Do,
    LinearSCM,
    Logistic,
    Randomize,
    RandomizeLevels,
    Shift,
    TooWide,
    draw,
    fit,
)


@pytest.fixture
def pair():
    return DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]])


def test_actions_that_levels_do_not_have_are_errors(pair):
    rng = np.random.default_rng(0)
    with pytest.raises(TypeError, match="nothing can be added to a level; write Do"):
        pair.sample(5, rng, (Shift(0, 1.0),))
    with pytest.raises(TypeError, match=r"no mean or variance; write RandomizeLevels\(1\)"):
        pair.marginals((Randomize(1, 0.0, 1.0),))
    for code in (2, -1, 0.5):
        with pytest.raises(ValueError, match="a code from 0 to 1 on the observed scale"):
            pair.marginals((Do(0, code),))
    with pytest.raises(ValueError, match="observed scale"):
        pair.marginals((Do(0, 1, "latent"),))
    with pytest.raises(ValueError, match="as many probabilities with a sum of 1"):
        pair.marginals((RandomizeLevels(0, (0.5, 0.2)),))
    with pytest.raises(ValueError, match="at most one action per node"):
        pair.marginals((Do(0, 1), RandomizeLevels(0)))
    with pytest.raises(TypeError, match="expected a tuple"):
        pair.marginals([Do(0, 1)])
    with pytest.raises(TypeError, match="got RandomizeLevels"):
        LinearSCM([[0, 1], [0, 0]], 1.0).sample(5, rng, (RandomizeLevels(0),))


@pytest.mark.parametrize(
    ("tables", "levels", "told"),
    [
        ([[0.5, 0.5]], None, "expected one per node, 2 in all, got 1"),
        ([[0.5, 0.5], [0.5, 0.5]], None, r"shape \(2, 2\).* got \(2,\)"),
        ([[0.5, 0.6], [[1, 0], [0, 1]]], None, "sum to 1.1 where they should sum to 1"),
        ([[1.5, -0.5], [[1, 0], [0, 1]]], None, "probabilities of at least 0"),
        ([[0.5, 0.5], [[1, 0], [0, 1]]], [2, ("a", "a")], "each once"),
        ([[0.5, 0.5], [[1, 0], [0, 1]]], [2], "those of 2 nodes, got 1"),
    ],
)
def test_wrong_tables_are_refused(tables, levels, told):
    with pytest.raises(ValueError, match=told):
        DiscreteSCM(chain(2), tables, levels)


def test_samples_have_the_exact_marginals():
    """40 000 rows: no share is more than five standard errors off (error rate below 1e-4)."""
    rng = np.random.default_rng(4)
    model = draw("dirichlet", erdos_renyi(8, 1.5, rng), rng, levels=(2, 4))
    for intervention in ((), (Do(3, 1), RandomizeLevels(5))):
        exact = model.marginals(intervention)
        values = model.sample(40_000, rng, intervention)
        for node, law in enumerate(exact.probabilities):
            shares = np.bincount(values[:, node].astype(int), minlength=len(law)) / len(values)
            assert (np.abs(shares - law) <= 5 * np.sqrt(law * (1 - law) / 40_000) + 1e-12).all()


def test_dense_networks_are_sampled_with_a_standard_error_or_refused():
    rng = np.random.default_rng(0)
    model = draw("logistic", complete(8, rng), rng)
    exact = model.marginals()
    with pytest.raises(TooWide, match="need a table of 2.6e\\+02 cells, more than 100; sample"):
        model.marginals(most_cells=100)
    found = model.marginals(rng=rng, most_cells=100)
    assert not found.exact
    for law, share, error in zip(
        exact.probabilities, found.probabilities, found.standard_errors, strict=True
    ):
        assert (error > 0).all()
        assert (np.abs(law - share) < 5 * error).all()
    assert all((error == 0).all() for error in exact.standard_errors)


def test_tables_too_large_to_hold_are_refused():
    with pytest.raises(ValueError, match="node .* has 2[0-9] parents, so its table would have"):
        Logistic().draw(complete(30, np.random.default_rng(0)), np.random.default_rng(0))


def test_dirichlet_tables_have_the_moments_of_the_paper():
    """2000 draws: mean S α μ_a / S and variance m (1 - m) / (S + 1), within 5 standard errors."""
    rng = np.random.default_rng(1)
    source = Dirichlet(levels=3, equivalent_sample_size=10)
    graph = from_edges([(0, 2), (1, 2)], 3)
    drawn = np.array([source.draw(graph, rng).tables[2].reshape(9, 3) for _ in range(2000)])
    mean = np.array([1, 1 / 2, 1 / 3]) / (1 + 1 / 2 + 1 / 3)
    for a in range(9):
        # The paper: mu_1 = (1/k, 1, ..., 1/(k-1)), one rotation; then two, and so on.
        expected = np.roll(mean, a + 1)
        variance = expected * (1 - expected) / 11
        np.testing.assert_allclose(expected, drawn[:, a].mean(axis=0), atol=5 * 0.15 / 2000**0.5)
        np.testing.assert_allclose(variance, drawn[:, a].var(axis=0), rtol=0.25)


def test_logistic_tables_are_equation_7():
    rng = np.random.default_rng(2)
    graph = from_edges([(0, 3), (1, 3), (2, 3), (0, 2)], 4)
    model = Logistic(weight=0.375).draw(graph, rng)
    log_odds = np.log(model.tables[3][..., 1] / model.tables[3][..., 0])
    weights = [log_odds[1, 0, 0], log_odds[0, 1, 0], log_odds[0, 0, 1]]
    np.testing.assert_allclose(0.375, np.abs(weights))
    assert sum(weights) == pytest.approx(log_odds[1, 1, 1])
    assert 0 == log_odds[0, 0, 0]
    # One weight a vertex, not an edge.
    of_zero = np.log(model.tables[2][1, 1] / model.tables[2][1, 0])
    assert weights[0] == pytest.approx(of_zero)


def test_kinds_find_their_mechanism():
    graph, rng = chain(3), np.random.default_rng(0)
    assert isinstance(draw("logistic", graph, rng), DiscreteSCM)
    assert isinstance(draw("dirichlet", graph, rng, mechanism="discrete"), DiscreteSCM)
    with pytest.raises(
        ValueError, match="'dirichlet' is for discrete models; mechanism 'linear' has"
    ):
        draw("dirichlet", graph, rng, mechanism="linear")
    with pytest.raises(ValueError, match="did you mean 'dirichlet'"):
        draw("dirichlt", graph, rng)
    with pytest.raises(TypeError, match="'noise' does not apply"):
        draw("dirichlet", graph, rng, noise="gaussian")
    for wrong in (1, (3, 2)):
        with pytest.raises(ValueError, match="levels: expected 2 or more"):
            Dirichlet(levels=wrong)


def test_configurations_never_seen_are_uniform_and_smoothing_adds_to_every_cell():
    values = np.array([[0, 0], [0, 1], [0, 1], [0, 1]])
    plain = fit(chain(2), values, levels=[2, 3])
    np.testing.assert_allclose([[1 / 4, 3 / 4, 0], [1 / 3] * 3], plain.tables[1])
    smooth = fit(chain(2), values, levels=[2, 3], smoothing=1.0)
    np.testing.assert_allclose([[2 / 7, 4 / 7, 1 / 7], [1 / 3] * 3], smooth.tables[1])
    np.testing.assert_allclose([5 / 6, 1 / 6], smooth.tables[0])
    with pytest.raises(ValueError, match="column 1 has 2 levels, so its values are the codes 0"):
        fit(chain(2), values + 1, levels=[2, 2])
    with pytest.raises(ValueError, match="only tables are smoothed"):
        fit(chain(2), values, smoothing=1.0)


def test_wrong_questions_of_total_variation_are_refused(pair):
    with pytest.raises(ValueError, match="levels have no quantiles"):
        tv_dag(pair, pair, Quantile(0.9))
    with pytest.raises(ValueError, match="a code from 0 to 1, got 2"):
        tv_dag(pair, pair, at=2)
    with pytest.raises(ValueError, match="held only in linear models"):
        tv_dag(pair, pair, held=0)
    with pytest.raises(TypeError, match="pass two LinearSCM or two DiscreteSCM models"):
        tv_dag(pair, LinearSCM([[0, 1], [0, 0]], 1.0))
    other = DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1, 0], [0.3, 0.7, 0]]])
    with pytest.raises(ValueError, match="levels but the fitted one has"):
        tv_dag(pair, other)
    assert np.isnan(tv_matrix(pair, pair, at={0: 1})[1]).all()


def test_a_model_is_shown_with_its_laws(pair):
    (laws,) = pair.document().tables()
    assert {"node": "x1", "level": "0.0", "probability": pytest.approx(0.6)} in laws.records()
    assert "<svg" in pair._repr_html_()
    assert "DiscreteSCM(2 nodes, 1 edge, 2 to 2 levels)" == repr(pair)
    assert ca.models.DiscreteSCM is DiscreteSCM


def test_total_variation_of_too_dense_networks_is_sampled_within_the_stated_error(monkeypatch):
    rng = np.random.default_rng(5)
    graph = erdos_renyi(6, 1.5, rng)
    truth, other = (Dirichlet(levels=3).draw(graph, rng) for _ in range(2))
    exact = tv_matrix(truth, other)

    def refuse(*_arguments):
        raise TooWide("too dense")

    monkeypatch.setattr(DiscreteSCM, "laws", refuse)
    with pytest.raises(TooWide, match="too dense"):
        tv_matrix(truth, other)
    found = tv_matrix(truth, other, rng=np.random.default_rng(0))
    # A mean of 30 distances, each off by at most 0.0045 on average; no chance to exceed it.
    assert np.abs(found - exact).sum() / 30 < np.sqrt(2 / 100_000)
    assert 0 < np.abs(found - exact).max()
