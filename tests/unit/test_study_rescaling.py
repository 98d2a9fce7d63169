"""Data with other variances, in the old order or at random, and the same correlations."""

import numpy as np
import pytest

from causalassay.analysis.runs import SCHEMES, scheme_name
from causalassay.data import Dataset, Problem, Regime, write
from causalassay.graphs import chain, erdos_renyi, write_graph
from causalassay.graphs.sources import ErdosRenyi, LaggedErdosRenyi
from causalassay.judging.order_measures import order_measures
from causalassay.models import (
    ISCM,
    SCM,
    ISCMWithRawNoise,
    NonlinearSCM,
    RawWithISCMNoise,
    RawWithStandardizedNoise,
    SeriesSCM,
    Standardized,
)
from causalassay.study.keys import digest, file_sha256
from causalassay.study.language.study_file import read_study
from causalassay.study.problem_specs import FromFile, Generated, Interventions, scheme
from causalassay.study.worker.problem_making import make, transformed
from pages import ROOT
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

IN_ORDER, AT_RANDOM = ("rescale-in-order",), ("rescale-at-random",)


def values_of(spec, replicate=0):
    return make(3, spec, "main", replicate).problem.data.observational_values


def file_spec(folder):
    problem = make(1, Generated(ErdosRenyi(9, 1.5), SCM(), 200), "main", 0).problem
    data, graph = folder / "data.csv", folder / "graph.csv"
    write(problem.data, data)
    write_graph(graph, problem.graph, problem.data.columns)
    return lambda transform, **others: FromFile(
        file_sha256(data), file_sha256(graph), data, graph, transform=transform, **others
    )


def generated(graph, model):
    return lambda transform: Generated(graph, model, 200, transform=transform)


@pytest.fixture(params=["linear", "nonlinear", "series", "file", "bootstrapped file"])
def spec(request, tmp_path):
    """From a transform to a specification, in each continuous world."""
    match request.param:
        case "linear":
            return generated(ErdosRenyi(9, 1.5), SCM())
        case "nonlinear":
            return generated(ErdosRenyi(9, 1.5), NonlinearSCM())
        case "series":
            return generated(LaggedErdosRenyi(5, 0.4, 1), SeriesSCM())
        case "file":
            return file_spec(tmp_path)
        case _:
            return lambda transform: file_spec(tmp_path)(transform, bootstrap=0)


def test_other_variances_keep_correlations_and_the_order_or_break_it(spec):
    raw, ordered, random = (values_of(spec(one)) for one in ((), IN_ORDER, AT_RANDOM))
    correlations = np.corrcoef(raw, rowvar=False)
    for other in (ordered, random):
        np.testing.assert_allclose(correlations, np.corrcoef(other, rowvar=False), atol=1e-10)
    sds = [values.std(axis=0) for values in (raw, ordered, random)]
    assert np.argsort(sds[0]).tolist() == np.argsort(sds[1]).tolist()
    assert np.argsort(sds[0]).tolist() != np.argsort(sds[2]).tolist()
    np.testing.assert_allclose(np.sort(sds[1]), np.sort(sds[2]))
    assert sds[0].min() * (1 - 1e-9) <= sds[1].min()
    assert sds[1].max() <= sds[0].max() * (1 + 1e-9)
    assert not np.allclose(sds[0], sds[1])


def test_each_replicate_has_its_own_variances(spec):
    first, second = (values_of(spec(IN_ORDER), replicate).std(axis=0) for replicate in (0, 1))
    assert not np.allclose(first, second)


def test_the_order_of_variances_decides_what_sorting_reaches():
    def measured(transform):
        spec = Generated(ErdosRenyi(12, 2.0), SCM(), 500, transform=transform)
        return order_measures(make(3, spec, "main", 0).problem).numbers

    raw, ordered, random = map(measured, ((), IN_ORDER, AT_RANDOM))
    assert raw["variance_up_f1"] == pytest.approx(ordered["variance_up_f1"])
    assert raw["variance_rising_p"] == ordered["variance_rising_p"] == 1 / 201
    assert random["variance_rising_p"] > 0.05
    assert raw["r2_up_f1"] == pytest.approx(random["r2_up_f1"])


def test_log_uniform_between_the_least_and_the_largest_standard_deviation():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 400))
    values *= np.exp(rng.uniform(0, 3, 400)) / values.std(axis=0)
    problem = Problem(Dataset.from_values(values), np.zeros((400, 400), dtype=bool))
    new = transformed(problem, AT_RANDOM, rng).data.observational_values.std(axis=0)
    quantiles = np.quantile(np.log(new), [0.25, 0.5, 0.75])
    assert [0.75, 1.5, 2.25] == pytest.approx(quantiles, abs=0.3)


def test_interventional_rows_have_the_same_scale():
    interventions = Interventions("do", samples=50, targets=((0,),), value=1.0)
    spec = Generated(ErdosRenyi(5, 1.0), SCM(), 200, interventions)
    raw = make(3, spec, "main", 0).problem
    spec = Generated(ErdosRenyi(5, 1.0), SCM(), 200, interventions, transform=IN_ORDER)
    changed = make(3, spec, "main", 0).problem
    factor = changed.data.regimes[0].values[0] / raw.data.regimes[0].values[0]
    np.testing.assert_allclose(
        raw.data.regimes[1].values * factor, changed.data.regimes[1].values, rtol=1e-9
    )
    sd = np.sqrt(np.diag(changed.model.covariance()))
    np.testing.assert_allclose(sd, np.sqrt(np.diag(raw.model.covariance())) * np.abs(factor))


def test_a_constant_column_has_no_scale_to_change():
    observed = Regime("o", np.column_stack([np.arange(5.0), np.ones(5)]))
    acted = Regime("i", np.column_stack([np.arange(5.0), np.arange(5.0) ** 2]), (1,))
    data = Dataset(("a", "b"), (observed, acted), "o")
    with pytest.raises(ValueError, match="a column is constant"):
        transformed(Problem(data, chain(2)), IN_ORDER, np.random.default_rng(0))


def test_levels_have_no_scale():
    text = HEAD + PROBLEM.replace("iscm", "dirichlet") + 'transform = ["rescale-in-order"]'
    (line,) = mistakes_of(text)
    assert "levels have no scale, so 'rescale-in-order' does not apply" in line


def test_a_grid_of_transforms_has_a_scheme_for_each():
    grid = 'grid.transform = [[], ["rescale-in-order"], ["rescale-at-random"], ["standardize"]]'
    study = parsed(HEAD + PROBLEM.replace("iscm", "scm") + grid)
    schemes = [scheme(entry.spec) for entry in study.problems]
    assert list(SCHEMES[:4]) == schemes
    assert 4 == len({entry.name for entry in study.problems})
    assert "raw rescaled in order" == scheme_name(schemes[1])
    assert "raw rescaled at random" == scheme_name(schemes[2])


def test_schemes_of_other_worlds_name_the_change(tmp_path):
    nonlinear = Generated(ErdosRenyi(9, 1.5), NonlinearSCM(), 200, transform=IN_ORDER)
    assert "gp raw + rescale-in-order" == scheme(nonlinear)
    assert "data + rescale-at-random" == scheme(file_spec(tmp_path)(AT_RANDOM))
    assert "data file rescaled at random" == scheme_name("data + rescale-at-random")


def test_old_problems_have_their_old_keys():
    spec = Generated(ErdosRenyi(20, 2.0), SCM(), 1000, transform=("standardize",))
    assert digest(spec) == digest(
        {
            "is": "Generated",
            "version": 1,
            "graph": spec.graph,
            "model": spec.model,
            "samples": 1000,
            "transform": ["standardize"],
        }
    )


def test_the_example_has_all_schemes_of_the_attribution():
    study = read_study(ROOT / "examples" / "studies" / "attribution.toml")
    assert list(SCHEMES) == [scheme(entry.spec) for entry in study.problems]
    uses = {entry.use for entry in study.algorithms}
    assert {"ges", "pc", "golem-ev", "notears", "var-sortnregress"} <= uses


def drawn(source, graph):
    return source.draw(graph, np.random.default_rng(5))


@pytest.mark.parametrize(
    ("source_of_noise", "transferred"),
    [(ISCM(), RawWithISCMNoise()), (Standardized(), RawWithStandardizedNoise())],
)
def test_transferred_noise_keeps_the_variances_of_raw_data_and_explains_more(
    source_of_noise, transferred
):
    graph = erdos_renyi(15, 2.0, np.random.default_rng(1))
    raw, scaled, both = (drawn(each, graph) for each in (SCM(), source_of_noise, transferred))
    np.testing.assert_array_equal(graph, both.graph)
    np.testing.assert_allclose(np.diag(raw.covariance()), np.diag(both.covariance()))
    np.testing.assert_allclose(scaled.noise_variance, both.noise_variance)
    explained, before = both.cause_explained_variance(), raw.cause_explained_variance()
    assert (explained >= before - 1e-12).all()
    assert r2(both.covariance()).mean() > r2(raw.covariance()).mean()


def test_the_reverse_keeps_the_weights_of_the_iscm_and_explains_less():
    graph = erdos_renyi(15, 2.0, np.random.default_rng(1))
    raw, iscm, both = (drawn(one, graph) for one in (SCM(), ISCM(), ISCMWithRawNoise()))
    np.testing.assert_allclose(iscm.weights, both.weights)
    np.testing.assert_array_equal(raw.noise_variance, both.noise_variance)
    has_parents = graph.any(axis=0)
    assert (np.diag(both.covariance())[has_parents] > 1).all()
    explained, before = both.cause_explained_variance(), iscm.cause_explained_variance()
    assert explained[has_parents].mean() < before[has_parents].mean()
    assert r2(both.covariance()).mean() < r2(iscm.covariance()).mean()


def r2(covariance):
    return 1 - 1 / (np.diag(covariance) * np.diag(np.linalg.inv(covariance)))


@pytest.mark.parametrize("kind", ["raw-iscm-noise", "raw-standardized-noise", "iscm-raw-noise"])
def test_studies_name_the_transfer_as_a_scheme(kind):
    study = parsed(HEAD + PROBLEM.replace('"iscm"', f'"{kind}"'))
    assert kind == scheme(study.problems[0].spec)
    (line,) = mistakes_of(HEAD + PROBLEM.replace('"iscm"', f'"{kind}", weights = [2.0, 1.0]'))
    assert "0 < low <= high" in line
