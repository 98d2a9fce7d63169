import json
from pathlib import Path

import numpy as np
import pytest

import causalassay as ca
from causalassay.data import Dataset, Discrete, Problem, Regime, read, write
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery.statistics import level_statistics
from causalassay.graphs import erdos_renyi
from causalassay.graphs.sources import ErdosRenyi
from causalassay.metrics.registry import METRICS
from causalassay.models import Dirichlet, Logistic, RandomizeLevels
from causalassay.risk.descendants import without
from causalassay.study.keys import digest, file_sha256
from causalassay.study.problem_specs import Generated, Interventions, Network, scheme
from causalassay.study.worker.problem_making import NoProblem, make
from discrete_twins import ASIA, as_dataset
from study_texts import HEAD, mistakes_of, parsed

PROBLEM = """
[[problems]]
samples = 200
graph = {kind = "erdos-renyi", n_nodes = 6, edges_per_node = 1}
model = {kind = "dirichlet", levels = 3}
"""


def generated(model, **more):
    return Generated(ErdosRenyi(6, 1.0), model, 400, **more)


def test_generated_data_are_discrete_with_all_levels():
    problem = make(1, generated(Dirichlet(levels=4)), "main", 0).problem
    assert {Discrete((0, 1, 2, 3))} == set(problem.data.kinds)
    assert {Discrete((0, 1))} == set(make(1, generated(Logistic()), "main", 0).problem.data.kinds)
    assert "dirichlet" == scheme(generated(Dirichlet()))


def test_the_same_coordinates_give_the_same_bits():
    first, again = (make(1, generated(Dirichlet()), "main", 3).problem for _ in range(2))
    np.testing.assert_array_equal(first.data.pooled, again.data.pooled)


def test_where_a_file_lies_and_stated_defaults_are_no_part_of_the_key():
    assert digest(Dirichlet()) == digest(Dirichlet(levels=3, equivalent_sample_size=10.0))
    assert digest(Network("a", Path("x"), 10)) == digest(Network("a", Path("y"), 10))
    assert digest(Network("a", Path("x"), 10)) != digest(Network("b", Path("x"), 10))


def test_interventions_on_levels():
    do = Interventions("do", 50, targets=((2,),), value=1)
    randomize = Interventions("randomize", 50, targets=((2, 3),))
    problem = make(1, generated(Dirichlet(), interventions=do), "main", 0).problem
    assert (problem.data.regime("do x2").values[:, 2] == 1).all()
    problem = make(1, generated(Dirichlet(), interventions=randomize), "main", 0).problem
    regime = problem.data.regime("randomize x2, x3")
    assert (RandomizeLevels(2), RandomizeLevels(3)) == regime.intervention
    moved = problem.data.permute_columns([5, 4, 3, 2, 1, 0]).regime("randomize x2, x3")
    assert {2, 3} == {action.node for action in moved.intervention}


def test_total_variation_is_a_metric_of_discrete_problems():
    problem = make(1, generated(Dirichlet()), "main", 0).problem
    rule = METRICS["tv_dag"]
    right, wrong = (rule.score(problem, g) for g in (problem.graph, problem.graph & False))
    assert 0 < right < wrong
    fitted = ca.models.fit(problem.graph, problem.data.observational_values, problem.model.levels)
    assert right == ca.metrics.tv_dag(problem.model, fitted)


def test_codes_have_no_variance_but_an_entropy():
    problem = make(1, generated(Dirichlet()), "main", 0).problem
    for name in ("var_sortability", "r2_sortability_pairs", "relatives_sortability"):
        with pytest.raises(ValueError, match="codes of levels have no meaningful variance"):
            DIAGNOSTICS[name].measure(problem)
    assert 0 <= DIAGNOSTICS["entropy_sortability"].measure(problem) <= 1
    with pytest.raises(ValueError, match="these are continuous"):
        DIAGNOSTICS["entropy_sortability"].measure(
            make(1, generated(ca.models.SCM()), "main", 0).problem
        )


def test_a_network_in_a_file_is_a_problem(tmp_path):
    (tmp_path / "asia.bif").write_text(ASIA)
    text = HEAD + '[[problems]]\nnetwork = "asia.bif"\nsamples = 500\n'
    study = parsed(text, tmp_path)
    (entry,) = study.problems
    assert ("asia", {"network": "asia.bif", "samples": 500}) == (entry.name, dict(entry.labels))
    assert file_sha256(tmp_path / "asia.bif") == entry.spec.sha256
    assert "network" == scheme(entry.spec)
    problem = make(1, entry.spec, "main", 0).problem
    assert ("a", "b") == problem.data.columns
    assert Discrete(("yes", "no")) == problem.data.kinds[0]
    assert problem.graph[1, 0]
    (tmp_path / "asia.bif").write_text(ASIA + "\n")
    from causalassay.study.worker import problem_making as making

    making._network.cache_clear()
    with pytest.raises(NoProblem, match=r"asia.bif is not the file it was"):
        make(1, entry.spec, "main", 0)


def test_a_sample_that_misses_levels_is_no_problem(tmp_path):
    (tmp_path / "rare.bif").write_text(ASIA.replace("0.01, 0.99", "0, 1"))
    (entry,) = parsed(
        HEAD + '[[problems]]\nnetwork = "rare.bif"\nsamples = 50\n', tmp_path
    ).problems
    with pytest.raises(NoProblem, match="constant over all 50 rows: 'b'"):
        make(1, entry.spec, "main", 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('transform = ["standardize"]', "levels have no scale"),
        ('interventions = {action = "shift", samples = 9, probability = 1.0}', "nothing can be"),
        (
            'interventions = {action = "randomize", samples = 9, probability = 1.0, value = 2.0}',
            "levels have no mean",
        ),
        ('interventions = {action = "do", samples = 9, probability = 1.0, value = 0.5}', "code"),
    ],
)
def test_what_levels_do_not_have_is_a_mistake(tmp_path, change, message):
    (line,) = mistakes_of(HEAD + PROBLEM + change + "\n")
    assert message in line
    (tmp_path / "asia.bif").write_text(ASIA)
    network = HEAD + f'[[problems]]\nnetwork = "asia.bif"\nsamples = 500\n{change}\n'
    (line,) = mistakes_of(network, tmp_path)
    assert message in line


def test_mistakes_of_networks_are_reported(tmp_path):
    (tmp_path / "bad.bif").write_text(ASIA.replace("0.01,", "0.5,"))
    text = '[[problems]]\nnetwork = "{}"\ngraph = {{kind = "chain", n_nodes = 3}}\n'
    lines = mistakes_of(HEAD + text.format("bad.bif"), tmp_path)
    assert any("has no `graph`" in line for line in lines)
    assert any("samples: missing" in line for line in lines)
    assert any("bad.bif, line 9: 'b': probabilities sum to 1.49" in line for line in lines)
    lines = mistakes_of(HEAD + text.format("absent.bif"), tmp_path)
    assert any("there is no file 'absent.bif'; there are 'bad.bif'" in line for line in lines)


def coded_files(tmp_path):
    rng = np.random.default_rng(0)
    model = ca.models.draw("dirichlet", erdos_renyi(4, 1, rng), rng)
    data = as_dataset(model.sample(60, rng), model.n_levels)
    write(data, tmp_path / "codes.csv")
    names, edges = data.columns, np.argwhere(model.graph).tolist()
    rows = ["from,to", *(f"{names[i]},{names[j]}" for i, j in edges)]
    (tmp_path / "graph.csv").write_text("\n".join(rows) + "\n")
    return data


@pytest.mark.parametrize(
    "stated",
    [
        "true",
        '["x0", "x1", "x2", "x3"]',
        "{x0 = [0, 1, 2, 9], x1 = [0, 1, 2], x2 = [0, 1, 2], x3 = [0, 1, 2]}",
    ],
)
def test_data_files_of_discrete_columns(tmp_path, stated):
    coded_files(tmp_path)
    text = '[[problems]]\n[problems.data]\nfile = "codes.csv"\ngraph = "graph.csv"\n'
    (entry,) = parsed(HEAD + text + f"bootstrap = true\ndiscrete = {stated}\n", tmp_path).problems
    drawn = make(1, entry.spec, "main", 0).problem.data
    assert all(isinstance(kind, Discrete) for kind in drawn.kinds)
    assert (4 if "9" in stated else 3) == len(drawn.kinds[0].levels)
    assert isinstance(ca.discover("pc", drawn, np.random.default_rng(0)).graph, np.ndarray)
    json.dumps(digest(entry.spec))


def test_levels_stay_in_folds_permutations_and_files(tmp_path):
    kinds = (Discrete(("a", "b", "c")), Discrete((0, 1)), Discrete((0, 1)))
    rest = Regime("rest", [[0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0.0]])
    drug = Regime("drug", [[2, 0, 0], [2, 1, 1.0]], (1,))
    data = Dataset(("x", "y", "z"), (rest, drug), "rest", kinds)
    fold = without(data, {1})  # the rows with level c are gone
    assert kinds == fold.kinds
    assert kinds[::-1] == fold.permute_columns([2, 1, 0]).kinds
    assert [3, 2, 2] == level_statistics(fold).n_levels.tolist()
    fitted = ca.models.fit(np.zeros((3, 3), dtype=bool), fold.pooled, [k.levels for k in kinds])
    assert (3,) == fitted.tables[0].shape
    write(fold, tmp_path / "fold.csv")
    levels = {name: kind.levels for name, kind in zip(data.columns, kinds, strict=True)}
    again = read(tmp_path / "fold.csv", "target", "condition", "rest", levels)
    assert kinds == again.kinds
    np.testing.assert_array_equal(fold.pooled, again.pooled)
    text = read(tmp_path / "fold.csv", "target", "condition", "rest", True)
    assert Discrete(("a", "b")) == text.kinds[0]


def test_the_audit_of_codes_is_by_entropy():
    rng = np.random.default_rng(0)
    graph = erdos_renyi(12, 1.5, rng)
    model = ca.models.draw("dirichlet", graph, rng)
    data = as_dataset(model.sample(2000, rng), model.n_levels)
    result = ca.audit(data, graph, rng, n_bootstrap=10)
    assert ["entropy", "position"] * 2 == [row.statistic for row in result.sortabilities]
    assert result.spread is None
    assert "entropy" in result.verdict.sentence
    assert "graph-not-refuted" == result.findings[-1].kind
    json.dumps(result.to_dict(), allow_nan=False)
    assert "entropy" in result._repr_html_()
    recoded = as_dataset((data.observational_values + 1) % 3, model.n_levels)
    again = ca.audit(recoded, graph, np.random.default_rng(5), n_bootstrap=10)
    assert result.sortabilities[0].value == again.sortabilities[0].value
    alone = ca.audit(data, None, rng)
    assert "entropies from" in alone.verdict.sentence
    shuffled = ca.graphs.families.shuffle_labels(graph, np.random.default_rng(1))
    other = ca.audit(data, shuffled, rng, n_bootstrap=10)
    assert "graph-refuted" == other.findings[-1].kind


def test_a_problem_holds_its_model():
    problem = make(1, generated(Logistic()), "main", 0).problem
    assert isinstance(problem, Problem)
    assert isinstance(problem.model, ca.models.DiscreteSCM)
