"""Problems of a study: same address, same bits; schemes have the same graphs."""

from __future__ import annotations

import numpy as np
import pytest

from causalassay.data import Dataset, write
from causalassay.diagnostics import var_sortability
from causalassay.graphs.sources import GRAPHS, Bipartite, Chain, ErdosRenyi
from causalassay.models import ISCM, SCM, UUMC, Do, Randomize, Shift, Standardized
from causalassay.study.keys import file_sha256
from causalassay.study.plan import ProblemEntry
from causalassay.study.problem_specs import Accept, FromFile, Generated, Interventions, scheme
from causalassay.study.worker.problem_making import NoProblem, make, transformed

GRAPH = ErdosRenyi(6, 1.5)


def generated(**changes):
    return Generated(**({"graph": GRAPH, "model": SCM(), "samples": 200} | changes))


def test_the_same_address_gives_the_same_bits():
    first, second = (make(1, generated(), "main", 3).problem for _ in range(2))
    np.testing.assert_array_equal(first.data.pooled, second.data.pooled)
    np.testing.assert_array_equal(first.graph, second.graph)


@pytest.mark.parametrize(
    ("seed", "purpose", "replicate"), [(2, "main", 0), (1, "tuning", 0), (1, "main", 1)]
)
def test_another_seed_purpose_or_replicate_gives_other_data(seed, purpose, replicate):
    here = make(1, generated(), "main", 0).problem.data.pooled
    there = make(seed, generated(), purpose, replicate).problem.data.pooled
    assert not np.isclose(here, there).any()


@pytest.mark.parametrize("model", [Standardized(), ISCM(), UUMC()])
def test_schemes_have_the_same_graphs(model):
    for replicate in range(5):
        raw = make(1, generated(), "main", replicate).problem
        other = make(1, generated(model=model), "main", replicate).problem
        np.testing.assert_array_equal(raw.graph, other.graph)


def test_standardized_data_are_the_raw_data_in_other_units():
    raw = make(1, generated(), "main", 0).problem.data.pooled
    standardized = make(1, generated(model=Standardized()), "main", 0).problem.data.pooled
    correlations = [np.corrcoef(raw[:, j], standardized[:, j])[0, 1] for j in range(6)]
    np.testing.assert_allclose(correlations, 1, atol=1e-12)


def test_a_sample_whose_statistics_were_frozen_is_the_data():
    spec = generated(model=ISCM(sample_size=200))
    values = make(1, spec, "main", 0).problem.data.observational_values
    np.testing.assert_allclose(values.std(axis=0, ddof=1), 1)


@pytest.mark.parametrize("bin_", [(0.0, 0.4), (0.4, 0.7), (0.9, 1.0)])
def test_problems_are_drawn_until_the_diagnostic_is_in_the_bin(bin_):
    spec = generated(
        model=SCM(weights=(0.1, 0.5), noise="gumbel", noise_sd=(0.5, 2.0)),
        accept=Accept("var_sortability", bin_, 500),
    )
    for replicate in range(3):
        made = make(1, spec, "main", replicate)
        value = var_sortability(made.problem.data.observational_values, made.problem.graph)
        assert bin_[0] <= value <= bin_[1]
        assert value < bin_[1] or bin_[1] == 1


def test_draws_count_the_rejected_problems():
    spec = generated(accept=Accept("var_sortability", (0.0, 0.8), 1000))
    draws = [make(1, spec, "main", replicate).draws for replicate in range(5)]
    assert max(draws) > 1


def test_a_bin_that_stays_empty_is_no_problem():
    spec = generated(accept=Accept("var_sortability", (2.0, 3.0), 4))
    with pytest.raises(NoProblem, match=r"var_sortability from 2 to 3 in 4 draws"):
        make(1, spec, "main", 0)


def test_each_node_is_intervened_upon_with_the_stated_probability():
    def n_targets(probability):
        doing = Interventions("shift", 10, probability=probability, value=5.0)
        made = [make(1, generated(interventions=doing), "main", r) for r in range(50)]
        return sum(len(one.problem.data.regimes) - 1 for one in made)

    assert n_targets(0.0) == 0
    assert n_targets(1.0) == 300
    # 300 draws with probability .3: 90 on average, four standard deviations are 32.
    assert 58 <= n_targets(0.3) <= 122


@pytest.mark.parametrize(
    ("action", "expected"),
    [("do", Do(2, 5.0)), ("shift", Shift(2, 5.0)), ("randomize", Randomize(2, 5.0, 0.5))],
)
def test_listed_targets_have_regimes_of_their_own(action, expected):
    doing = Interventions(action, 300, targets=((2,), (0, 1)), value=5.0, variance=0.5)
    data = make(1, generated(interventions=doing), "main", 0).problem.data
    assert ("observational", f"{action} x2", f"{action} x0, x1") == data.conditions
    assert (expected,) == data.regimes[1].intervention
    assert len(data.regimes[1].values) == 300
    if action == "do":
        assert {5.0} == set(data.regimes[1].values[:, 2])


def test_a_data_file_is_a_problem(tmp_path):
    spec = file_spec(tmp_path)
    problem = make(1, spec, "main", 0).problem
    assert 1 == problem.graph.sum()
    np.testing.assert_array_equal(problem.data.pooled, make(1, spec, "main", 7).problem.data.pooled)


def test_a_bootstrap_draws_rows_of_the_file(tmp_path):
    spec = file_spec(tmp_path, bootstrap=50)
    original = {tuple(row) for row in make(1, file_spec(tmp_path), "main", 0).problem.data.pooled}
    one, two = (make(1, spec, "main", r).problem.data.pooled for r in (0, 1))
    assert (50, 2) == one.shape
    assert {tuple(row) for row in one} <= original
    assert not np.array_equal(one, two)


def test_transforms_of_a_file_share_the_bootstrap(tmp_path):
    plain, standardized = (
        make(
            1, file_spec(tmp_path, bootstrap=0, transform=transform), "main", 0
        ).problem.data.pooled
        for transform in ((), ("standardize",))
    )
    expected = (plain - plain.mean(axis=0)) / plain.std(axis=0)
    np.testing.assert_allclose(expected, standardized)


def test_a_bootstrap_of_no_stated_size_has_as_many_rows(tmp_path):
    assert 30 == make(1, file_spec(tmp_path, bootstrap=0), "main", 0).problem.data.n_samples


def test_a_file_that_changed_is_no_problem(tmp_path):
    spec = file_spec(tmp_path, edge="b,a")  # not among those that were read before
    (tmp_path / "graph.csv").write_text("from,to\na,b\n")
    with pytest.raises(NoProblem, match=r"graph.csv is not the file it was"):
        make(1, spec, "main", 0)


def test_where_a_file_lies_is_no_part_of_the_key(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    keys = {ProblemEntry("p", file_spec(tmp_path / name)).key for name in ("one", "two")}
    assert 1 == len(keys)


def file_spec(folder, edge="a,b", **changes):
    data, graph = folder / "data.csv", folder / "graph.csv"
    values = np.random.default_rng(0).normal(size=(30, 2))
    write(Dataset.from_values(values, columns=["a", "b"]), data)
    graph.write_text(f"from,to\n{edge}\n")
    return FromFile(file_sha256(data), file_sha256(graph), data, graph, **changes)


def test_standardizing_moves_the_model_with_the_data():
    problem = make(1, generated(samples=20_000, transform=("standardize",)), "main", 0).problem
    np.testing.assert_allclose(problem.data.pooled.std(axis=0), 1)
    # Standard error of a correlation of 20 000 rows: .007; five of them.
    np.testing.assert_allclose(problem.model.covariance(), np.cov(problem.data.pooled.T), atol=0.04)


def test_rescaling_leaves_the_correlations():
    plain = make(1, generated(), "main", 0).problem
    rescaled = make(1, generated(transform=("rescale",)), "main", 0).problem
    np.testing.assert_allclose(
        np.corrcoef(plain.data.pooled.T), np.corrcoef(rescaled.data.pooled.T)
    )
    factor = plain.data.pooled.std(axis=0) / rescaled.data.pooled.std(axis=0)
    assert ((factor > 0.01) & (factor < 100)).all()
    assert np.ptp(factor) > 0.5


def test_shuffled_labels_keep_the_shape_of_the_graph():
    rng = np.random.default_rng(0)
    plain = make(1, generated(), "main", 0).problem
    shuffled = transformed(plain, ("shuffle-labels",), rng)
    assert plain.graph.sum() == shuffled.graph.sum()
    assert not np.array_equal(plain.graph, shuffled.graph)
    assert shuffled.model is None


def test_schemes_have_names():
    assert "raw" == scheme(generated())
    assert "standardized" == scheme(generated(transform=("standardize",)))
    assert "standardized" == scheme(generated(model=Standardized()))
    assert "iscm + rescale" == scheme(generated(model=ISCM(), transform=("rescale",)))


def test_every_graph_source_draws_a_dag_of_its_size():
    from causalassay.graphs import is_dag

    sizes = {"erdos-renyi": (7, 1.5), "scale-free": (7, 2), "bipartite": (3, 4, 0.5)}
    for name, source in GRAPHS.items():
        if name == "lagged-erdos-renyi":  # of series: no DAG
            continue
        graph = source(*sizes.get(name, (7,))).draw(np.random.default_rng(0))
        assert (7, 7) == graph.shape
        assert is_dag(graph)
    assert 12 == Bipartite(3, 4, 1.0).draw(np.random.default_rng(0)).sum()
    assert 6 == Chain(7).draw(np.random.default_rng(0)).sum()
