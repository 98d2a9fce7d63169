"""The names and calls that other people's scripts use run as they are documented."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import causalassay as ca
from causalassay.data import Regime
from causalassay.discovery import PC
from causalassay.risk import Risk

DAG = ca.graphs.erdos_renyi(5, 1.2, 1)
MODEL = ca.models.LinearSCM(DAG * 0.8, np.ones(5), intercept=0.0, noise="gaussian")
X = MODEL.sample(200, np.random.default_rng(0))
CPDAG = ca.graphs.to_cpdag(DAG)
OTHER = ca.graphs.erdos_renyi(5, 1.2, 2)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def experiments(rng):
    """Return observations, and experiments on three nodes."""
    regimes = [Regime("control", MODEL.sample(80, rng), targets=())]
    for node in range(3):
        done = (ca.models.Randomize(node, 3.0, 1.0),)
        regimes.append(Regime(f"on {node}", MODEL.sample(80, rng, done), targets=(node,)))
    return ca.Dataset(tuple("abcde"), tuple(regimes), observational="control")


def test_graphs(rng):
    assert round(0.6 * 5) == ca.graphs.erdos_renyi(5, 0.6, rng, exact=True).sum()
    assert ca.graphs.is_dag(ca.graphs.erdos_renyi(5, 0.6, rng, exact=False))
    for hubs in ("in", "any"):
        assert ca.graphs.is_dag(ca.graphs.scale_free(6, 2, rng, hubs=hubs))
    assert ca.graphs.d_separated(ca.graphs.chain(3), 0, 2, [1])
    size = ca.graphs.mec_size(CPDAG)
    assert size == len(list(ca.graphs.enumerate_dags(CPDAG)))
    assert np.array_equal(CPDAG, ca.graphs.to_cpdag(ca.graphs.sample_dag(CPDAG, rng)))


@pytest.mark.parametrize(
    "kind",
    ["scm", "standardized", "iscm", "uumc", "harmonized", "half-explained", "snr", "dao"],
)
def test_kinds_of_models(kind, rng):
    model = ca.models.draw(kind, DAG, rng)
    assert (3, 5) == model.sample(3, rng).shape
    assert np.array_equal(DAG, model.graph)
    with pytest.raises(TypeError, match="'nonsense' does not apply"):
        ca.models.draw(kind, DAG, rng, nonsense=1)


def test_models(rng):
    stated = {"weights": (0.5, 2.0), "noise": "gaussian", "noise_sd": 1.0}
    ca.models.draw("scm", DAG, rng, mechanism="linear", **stated)
    ca.models.draw("scm", DAG, rng, noise_sd=(0.5, 2.0))
    assert isinstance(ca.models.iscm_implied(DAG * 1.0, np.ones(5)), ca.models.LinearSCM)
    done = (ca.models.Do(0, 1.0), ca.models.Shift(1, 2.0), ca.models.Randomize(2, 0.0, 1.0))
    assert (4, 5) == MODEL.sample(4, rng, intervention=done).shape
    assert 1.0 == MODEL.mean(intervention=done[:1])[0]
    assert (5, 5) == MODEL.covariance(intervention=done).shape
    assert np.array_equal(DAG, ca.models.fit(DAG, X, levels=None).graph)
    assert np.array_equal(DAG, ca.models.fit(DAG, (X > 0).astype(int), levels=[2] * 5).graph)


def test_diagnostics():
    for convention in ("paths", "pairs"):
        score = ca.diagnostics.var_sortability(X, DAG, convention=convention, tolerance=1e-9)
        assert 0 <= score <= 1
    for name in ("r2_sortability", "snr_sortability", "relatives_sortability"):
        assert 0 <= getattr(ca.diagnostics, name)(X, DAG) <= 1
    assert (5,) == ca.diagnostics.cause_explained_variance(X, DAG).shape
    assert (5,) == ca.diagnostics.r2(X).shape


@dataclass(frozen=True)
class Mine:
    """Join all nodes in the order of the columns."""

    threshold: float = 0.0
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Look at nothing."""
        return ca.Estimate(np.triu(np.ones((data.n_nodes,) * 2, dtype=bool), 1), "dag")


@pytest.mark.parametrize("algorithm", ["pc", PC(), PC, Mine(), Mine])
def test_algorithms_by_name_instance_and_class(algorithm):
    assert (5, 5) == ca.discover(algorithm, X, 0).graph.shape


@pytest.mark.parametrize(
    ("name", "hyperparameters"),
    [
        ("pc", {"alpha": 0.05}),
        ("notears", {"lambda1": 0.05, "threshold": 0.2}),
        ("ges", {"penalty_discount": 2.0}),
        (Mine(), {"threshold": 0.5}),
    ],
)
def test_common_names_of_hyperparameters(name, hyperparameters):
    assert (5, 5) == ca.discover(name, X, rng=0, **hyperparameters).graph.shape


@pytest.mark.parametrize(
    "data", [X.tolist(), pd.DataFrame(X), pd.DataFrame(X, columns=list("abcde"))], ids=str
)
def test_data_in_any_form(data):
    expected = ca.discover("pc", ca.Dataset.from_values(X), 0)
    assert np.array_equal(expected.graph, ca.discover("pc", data, 0).graph)
    frequencies = ca.resampling.edge_frequencies("pc", data, 0, n_bootstrap=2)
    assert np.array_equal(expected.graph, frequencies.estimate.graph)


def test_audit_and_algorithms():
    audit = ca.audit(X, DAG, 0)
    assert audit.verdict.kind in {finding.kind for finding in audit.findings}
    assert audit.verdict.sentence
    assert "pc" in str(ca.algorithms())


def test_metrics():
    for name in ("shd", "sid", "mec_shd", "parent_aid", "ancestor_aid", "oset_aid"):
        assert 0 == getattr(ca.metrics, name)(DAG, DAG) <= getattr(ca.metrics, name)(DAG, OTHER)
    for name in ("f1", "precision", "recall"):
        assert 1 == getattr(ca.metrics, name)(DAG, DAG) >= getattr(ca.metrics, name)(DAG, OTHER)
    lower, upper, *_ = ca.metrics.sid_bounds(DAG, CPDAG)
    assert 0 == lower <= upper
    normal, table, rows = ca.metrics.Normal, ca.metrics.Categorical, ca.metrics.Samples
    plain = ca.metrics.total_variation((0, 1), (1, 1))
    assert plain == ca.metrics.total_variation(normal(0, 1), normal(1, 1))
    assert 0.3 == pytest.approx(ca.metrics.total_variation(table([0.5, 0.5]), table([0.2, 0.8])))
    assert 0 == ca.metrics.total_variation(rows(X[:, 0]), rows(X[:, 0]))
    assert 0 < ca.metrics.tv_dag(MODEL, ca.models.fit(DAG, X), at="quantile")


FORMS = [np.ndarray.tolist, lambda a: a.astype(float), lambda a: a.astype(int).tolist()]


@pytest.mark.parametrize("form", FORMS)
def test_graphs_as_lists_and_numbers(form):
    graph, guess = form(DAG), form(OTHER)
    assert ca.metrics.shd(DAG, OTHER) == ca.metrics.shd(graph, guess)
    assert ca.metrics.sid(DAG, OTHER) == ca.metrics.sid(graph, guess)
    assert ca.risk.oracle(DAG, OTHER) == ca.risk.oracle(graph, guess)
    assert np.array_equal(CPDAG, ca.graphs.to_cpdag(graph))
    assert ca.diagnostics.var_sortability(X, DAG) == ca.diagnostics.var_sortability(X, graph)
    assert ca.audit(X, DAG, 0).verdict.kind == ca.audit(X, graph, 0).verdict.kind
    assert str(ca.drawing.show(DAG)) == str(ca.drawing.show(graph))


def test_risk(rng, tmp_path):
    data = experiments(rng)
    risk = ca.risk.estimate("pc", data, 0)
    assert isinstance(risk, Risk)
    assert all(0 <= part <= 1 for part in (risk.naive, risk.cross_validated, risk.weighted))
    ca.data.write(data, tmp_path / "data.csv")
    read = ca.data.read(tmp_path / "data.csv", target="target", condition="condition")
    assert data.columns == read.columns
    with pytest.raises(TypeError, match="do not say in which experiment they were measured"):
        ca.choose(X, 0)


def test_results_have_the_seed_they_were_asked_for_with(rng):
    data = experiments(rng)
    values, truth = data.observational_values, ca.graphs.chain(data.n_nodes)
    named = ["var-sortnregress"]

    def results(seed):
        yield ca.audit(values, truth, seed, n_bootstrap=0)
        yield ca.auditing.audit_many({"one": (values, truth)}, seed, n_bootstrap=0)
        yield ca.resampling.edge_frequencies("var-sortnregress", values, seed, 2)
        yield ca.risk.estimate("var-sortnregress", data, seed)
        yield from ca.risk.compare(named, data, seed).risks.values()
        yield ca.choose(data, seed, named, n_random=20)

    for seeded, drawn in zip(results(7), results(rng), strict=True):
        assert (7, None) == (seeded.seed, drawn.seed)
        assert (7, None) == (seeded.to_dict()["seed"], drawn.to_dict()["seed"])
    assert 7 == ca.discover("var-sortnregress", values, 7).info["seed"]


@pytest.mark.parametrize("search", ["GES", "XGES", "BOSS", "GRaSP", "MMHC", "GIES"])
def test_hyperparameters_that_searches_share_are_checked_and_must_be_named(search):
    kind = getattr(ca.discovery, search)
    with pytest.raises(ValueError, match="penalty_discount"):
        kind(penalty_discount=-1.0)
    assert all(
        field.kw_only
        for field in fields(kind)
        if field.name in ("penalty_discount", "score", "equivalent_sample_size")
    )
