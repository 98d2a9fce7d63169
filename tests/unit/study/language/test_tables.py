"""From tables to problems and algorithms: types, names, labels, tuning, files."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from causalassay.data import ReadingNote
from causalassay.discovery import make_algorithm
from causalassay.discovery.registry import ALGORITHMS
from causalassay.models import UUMC
from causalassay.models.noise import Noise
from causalassay.study.forecast import describe
from causalassay.study.keys import changed_fields, digest
from causalassay.study.language.mistakes import Location, Mistakes
from causalassay.study.language.tables import construct
from causalassay.study.plan import coordinates
from causalassay.study.worker.problem_making import make
from study_texts import HEAD, PROBLEM, mistakes_of, parsed


def problem(text):
    (entry,) = parsed(HEAD + "[[problems]]\n" + text).problems
    return entry


CHAIN = 'samples = 50\ngraph = {kind = "chain", n_nodes = 4}\n'


def test_integers_become_floats_so_that_the_keys_are_equal():
    whole = problem(
        'samples = 9\nmodel = {kind = "scm", noise_sd = 2, weights = [1, 3]}\n'
        'graph = {kind = "erdos-renyi", n_nodes = 10, edges_per_node = 2}'
    )
    broken = problem(
        'samples = 9\nmodel = {kind = "scm", noise_sd = 2.0, weights = [1.0, 3.0]}\n'
        'graph = {kind = "erdos-renyi", n_nodes = 10, edges_per_node = 2.0}'
    )
    assert whole.key == broken.key
    assert (1.0, 3.0) == whole.spec.model.weights
    assert isinstance(whole.spec.model.noise_sd, float)


def test_stated_defaults_change_no_key():
    short = problem(CHAIN + 'model = {kind = "scm"}')
    long = problem(CHAIN + 'model = {kind = "scm", mechanism = "linear", noise = "gaussian"}')
    table = problem(CHAIN + 'model = {kind = "scm", noise = {family = "gaussian"}}')
    assert short.key == long.key == table.key


def test_noise_may_be_a_name_or_a_table():
    assert (
        "laplace" == problem(CHAIN + 'model = {kind = "uumc", noise = "laplace"}').spec.model.noise
    )
    mixed = problem(CHAIN + 'model = {kind = "uumc", noise = {family = "mixed"}}')
    assert UUMC(noise="mixed") == mixed.spec.model
    student = problem(CHAIN + 'model = {kind = "uumc", noise = {family = "student-t", df = 4}}')
    assert UUMC(noise=Noise("student-t", 4.0)) == student.spec.model


def test_targets_may_be_numbers_or_lists():
    text = CHAIN + 'model = {kind = "iscm"}\ninterventions = {action = "do", samples = 10, '
    spec = problem(text + "targets = [0, [1, 3]]}").spec
    assert ((0,), (1, 3)) == spec.interventions.targets
    expected = "problems[0].interventions.targets: there is no node 4; 4 nodes are called 0 to 3"
    assert [expected] == mistakes_of(HEAD + "[[problems]]\n" + text + "targets = [4]}")


def test_a_truth_value_is_no_number():
    text = HEAD + "[[problems]]\n" + 'samples = true\nmodel = {kind = "snr", snr = true}\n'
    expected = [
        "problems[0].samples: got true, expected an integer from 2 to 1000000000",
        "problems[0].graph.n_nodes: got true, expected an integer",
        "problems[0].model.snr: got true, expected a number",
    ]
    assert expected == mistakes_of(text + 'graph = {kind = "chain", n_nodes = true}')


def test_names_are_made_of_family_size_and_model():
    entry = problem(CHAIN + 'model = {kind = "uumc"}')
    assert "chain-4 uumc" == entry.name
    grid = (
        "[problems.grid]\ngraph.n_nodes = [5, 6]\nsamples = [100, 200]\nmodel.noise = ['laplace']"
    )
    names = [entry.name for entry in parsed(HEAD + PROBLEM + grid).problems]
    assert "erdos-renyi-5-2 iscm samples=100 noise=laplace" == names[0]
    assert 4 == len(set(names))


def test_members_of_a_named_grid_say_what_varies():
    text = PROBLEM.replace("samples", 'name = "er2"\nsamples')
    grid = 'grid.model = [{kind = "scm"}, {kind = "scm", noise_sd = [0.5, 2.0]}, {kind = "uumc"}]'
    names = [entry.name for entry in parsed(HEAD + text + grid).problems]
    assert ["er2 scm", "er2 scm noise_sd=0.5–2", "er2 uumc"] == names


def test_labels_are_flat_and_plain():
    entry = problem(
        CHAIN
        + 'model = {kind = "scm", noise_sd = [0.5, 2.0]}\ntransform = ["rescale", "standardize"]\n'
        + 'accept = {diagnostic = "r2_sortability", bin = [0.3, 0.4]}\n'
        + 'interventions = {action = "shift", samples = 5, probability = 0.5}'
    )
    expected = {
        "samples": 50,
        "graph.kind": "chain",
        "graph.n_nodes": 4,
        "model.kind": "scm",
        "model.noise_sd": "0.5–2",
        "transform": "rescale+standardize",
        "accept.diagnostic": "r2_sortability",
        "accept.bin": "0.3–0.4",
        "interventions.action": "shift",
        "interventions.samples": 5,
        "interventions.probability": 0.5,
    }
    assert expected == entry.labels


def test_equal_problems_are_a_mistake_that_names_both():
    twin = PROBLEM.replace("samples", 'name = "twin"\nsamples')
    expected = (
        "problems[1]: 'twin' is the same as 'erdos-renyi-10-2 iscm' in problems[0]; remove one"
    )
    assert [expected] == mistakes_of(HEAD + PROBLEM + twin)


def test_different_problems_of_one_name_are_a_mistake():
    other = PROBLEM.replace("100", "200")
    expected = "problems[1]: problems[0] is also called 'erdos-renyi-10-2 iscm'; give one a `name`"
    assert [expected] == mistakes_of(HEAD + PROBLEM + other)


def test_equal_algorithms_are_a_mistake_that_names_both():
    listed = 'algorithms = ["pc", {use = "pc", name = "again", alpha = 0.01, seconds = 9}]'
    expected = "algorithms[1]: 'again' is the same as 'pc' in algorithms[0]; remove one"
    assert [expected] == mistakes_of(HEAD + listed + PROBLEM)


def test_baselines_stand_beside_the_algorithms():
    listed = 'algorithms = ["pc", "var-sortnregress", {use = "r2-sortnregress", path_end = 0}]'
    study = parsed(HEAD + listed + PROBLEM)
    expected = [
        ("pc", "listed"),
        ("var-sortnregress", "baseline"),
        ("r2-sortnregress", "listed"),
        ("empty", "baseline"),
        ("random-sortnregress", "baseline"),
        ("r2-sortnregress (baseline)", "baseline"),
        ("relatives-sortnregress", "baseline"),
    ]
    assert expected == [(entry.name, entry.role) for entry in study.algorithms]
    alone = parsed(HEAD + "baselines = false\n" + listed + PROBLEM)
    assert 3 == len(alone.algorithms)
    nothing = mistakes_of(HEAD + "baselines = false\n" + PROBLEM)
    assert ["algorithms: missing; there is nothing to run"] == nothing


def test_what_fits_nothing_is_a_baseline_even_where_it_is_listed():
    listed = 'algorithms = ["pc", "single-edge", "random-sorting", "variance-sorting"]\n'
    study = parsed(HEAD + "baselines = false\n" + listed + PROBLEM)
    assert ["listed", "baseline", "baseline", "baseline"] == [a.role for a in study.algorithms]


def test_a_grid_of_an_algorithm_is_one_entry_each():
    listed = 'algorithms = [{use = "notears", grid = {lambda1 = [0, 0.1], threshold = [0.1, 0.3]}}]'
    study = parsed(HEAD + "baselines = false\n" + listed + PROBLEM)
    assert "notears lambda1=0 threshold=0.1" == study.algorithms[0].name
    assert {"lambda1": 0.1, "threshold": 0.1} == study.algorithms[2].parameters
    assert 4 == len({entry.key for entry in study.algorithms})


TUNED = """
[[algorithms]]
use = "notears"
max_iter = 50
[algorithms.tune]
criterion = {name = "f1", resolution = "favourable"}
systems = 7
[algorithms.tune.grid]
threshold = [0.1, 0.3]
lambda1 = [0.0, 0.1]
"""


def test_a_tuned_algorithm_has_candidates_at_the_end():
    study = parsed(HEAD + PROBLEM + TUNED)
    tuned = study.algorithms[0]
    assert ("notears", {"max_iter": 50}) == (tuned.name, tuned.parameters)
    assert (6, 7, 8, 9) == tuned.tuning.candidates
    assert ("f1 (favourable)", 4) == (study.metrics[4].label, tuned.tuning.criterion)
    assert ("median", 7) == (tuned.tuning.statistic, tuned.tuning.systems)
    candidates = [study.algorithms[index] for index in tuned.tuning.candidates]
    assert {"candidate"} == {entry.role for entry in candidates}
    assert "notears lambda1=0 threshold=0.1 (candidate)" == candidates[0].name
    assert {"lambda1": 0.1, "threshold": 0.1, "max_iter": 50} == candidates[2].parameters
    keys = [entry.key for entry in candidates]
    assert digest(keys, study.metrics[4].key, "median", 7) == tuned.tuned_key
    assert (0, 1, 2, 3, 4, 5) == study.listed


def test_the_order_of_the_keys_of_a_tuning_changes_no_key():
    lines = TUNED.splitlines()
    swapped = "\n".join([*lines[:-2], lines[-1], lines[-2]])
    first, second = parsed(HEAD + PROBLEM + TUNED), parsed(HEAD + PROBLEM + swapped)
    assert [a.key for a in first.algorithms] == [a.key for a in second.algorithms]


def test_tunings_share_candidates():
    again = TUNED.replace("max_iter", 'name = "other"\nmax_iter').replace("f1", "shd")
    study = parsed(HEAD + PROBLEM + TUNED + again)
    first, second = study.algorithms[:2]
    assert first.tuning.candidates == second.tuning.candidates
    assert first.key != second.key
    assert {4} == {len(candidates) for _, _, candidates in coordinates(study, "tuning")}
    assert any("7 held-out systems × 4 candidates = 28" in line for line in describe(study))
    other = again.replace("max_iter", "seconds = 9\nmax_iter")
    (line,) = mistakes_of(HEAD + PROBLEM + TUNED + other)[:1]
    assert "under other limits, threads, gpus or at_most; make them equal" in line


def test_a_hyper_parameter_without_default_can_be_tuned():
    tuned = '{use = "acor", tune = {criterion = "shd", grid = {n_edges = [5, 10]}}}'
    study = parsed(HEAD + f"algorithms = [{tuned}]" + PROBLEM)
    assert 2 == len(study.algorithms[0].tuning.candidates)


def test_a_mistake_in_a_tuning_is_reported_with_its_location():
    text = TUNED.replace("lambda1 = [0.0, 0.1]", 'lambda = [0.0]\nthreshold = [0.1, "x"]')
    text = text.replace("threshold = [0.1, 0.3]\n", "").replace("f1", "f11")
    expected = {
        "algorithms[0].tune.criterion.name: there is no metric 'f11'; did you mean 'f1'?",
        "algorithms[0].tune.grid.lambda: 'notears' has no such parameter; it takes 'lambda1', "
        "'threshold', 'max_iter', 'h_tolerance', 'rho_max', 'solver', 'device'; "
        "did you mean 'lambda1'?",
        'algorithms[0].tune.grid.threshold[1]: got "x", expected a number',
    }
    assert expected == set(mistakes_of(HEAD + PROBLEM + text))


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data.csv").write_text("b,a,when\n1,2,o\n2,1,o\n3,5,o\n4,5,t\n5,7,t\n")
    (tmp_path / "graph.csv").write_text("from,to\na,b\n")
    return tmp_path


DATA = '[[problems]]\n[problems.data]\nfile = "data.csv"\ngraph = "graph.csv"\ncondition = "when"\n'


def test_a_data_file_is_known_by_what_it_holds(files):
    (entry,) = parsed(HEAD + DATA, files).problems
    assert ("data", "data.csv") == (entry.name, entry.labels["data.file"])
    assert None is entry.spec.bootstrap
    (files / "copy.csv").write_bytes((files / "data.csv").read_bytes())
    (copy,) = parsed(HEAD + DATA.replace("data.csv", "copy.csv"), files).problems
    assert entry.key == copy.key
    (files / "data.csv").write_text("b,a,when\n1,2,o\n2,1,o\n3,5,o\n4,5,t\n5,8,t\n")
    (changed,) = parsed(HEAD + DATA, files).problems
    assert entry.key != changed.key


@pytest.mark.parametrize(("stated", "rows"), [("true", 0), ("false", None), ("3", 3)])
def test_a_bootstrap_has_as_many_rows_as_stated(files, stated, rows):
    (entry,) = parsed(HEAD + DATA + f"bootstrap = {stated}\n", files).problems
    assert rows == entry.spec.bootstrap


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("data.csv", "dta.csv", "data.file: there is no file 'dta.csv'; did you mean 'data.csv'?"),
        ("graph.csv", "data.csv", "data.graph: "),
        ('graph = "graph.csv"\n', "", "data.graph: missing; a study scores against a true graph"),
        ('"when"', '"whn"', "data.file: data.csv: there is no column 'whn'; did you mean 'when'?"),
        ('"when"', '"when"\nonly_observational = true', "data.only_observational: say which"),
        ('"when"', '"when"\nbootstrap = 1', "data.bootstrap: got 1, expected true, false or a"),
        (
            "[problems.data]",
            "samples = 5\n[problems.data]",
            "samples: a problem with `data` has no",
        ),
    ],
)
def test_a_data_file_that_does_not_fit_is_reported(files, old, new, expected):
    (line,) = mistakes_of(HEAD + DATA.replace(old, new), files)
    assert line.startswith(f"problems[0].{expected}")


def test_the_true_graph_is_a_dag(files):
    (files / "graph.csv").write_text("from,to\na,b\nb,a\n")
    (line,) = mistakes_of(HEAD + DATA, files)
    assert (
        "graph: graph.csv: expected a DAG, got a CPDAG: 1 of 1 edges have no direction, such as"
        in line
    )


def test_files_as_people_have_them_are_read_as_the_study_says(files):
    frame = pd.read_csv(files / "data.csv")
    frame.insert(0, "id", range(len(frame)))
    frame.to_csv(files / "people.csv", sep=";", index=False)
    np.savetxt(files / "graph.txt", [[0, 1], [0, 0]])
    text = DATA.replace("data.csv", "people.csv").replace("graph.csv", "graph.txt")
    with pytest.warns(ReadingNote) as caught:
        parsed(HEAD + text + 'drop = ["id"]\n', files)
    assert 2 == len(caught)
    keys = 'drop = ["id"]\nseparator = ";"\ntranspose = true\n'
    with pytest.warns(ReadingNote, match="without names"):
        (entry,) = parsed(HEAD + text + keys, files).problems
    made = make(1, entry.spec, "main", 0)  # a worker says nothing
    assert ("b", "a") == made.problem.data.columns
    assert [[0, 0], [1, 0]] == made.problem.graph.astype(int).tolist()
    (plain,) = parsed(HEAD + DATA, files).problems
    assert {"drop", "separator", "transpose"}.isdisjoint(changed_fields(plain.spec))


def test_a_data_file_without_bootstrap_has_no_systems_to_tune_on(files):
    (line,) = mistakes_of(HEAD + DATA + TUNED, files)
    assert line.startswith("problems[0].data: 'notears' is tuned on held-out systems")
    assert [] == mistakes_of(HEAD + DATA + "bootstrap = true\n" + TUNED, files)


def test_an_algorithm_whose_extra_is_missing_says_which(monkeypatch):
    def imported(address):
        raise ImportError('causal-learn is absent: pip install "causal-learn"')

    monkeypatch.setattr("causalassay.common.registry._imported", imported)
    monkeypatch.setattr(ALGORITHMS, "_loaded", {})
    text = HEAD + 'algorithms = ["causal-learn-pc"]' + PROBLEM
    expected = "'causal-learn-pc' cannot run here: causal-learn is absent: pip install"
    with pytest.raises(ImportError):
        make_algorithm("empty")
    monkeypatch.setattr("causalassay.study.language.study_file.BASELINES", ())
    (line,) = mistakes_of(text)
    assert line.startswith(f"algorithms[0]: {expected}")


@dataclass(frozen=True)
class Unresolved:
    """Its annotation cannot be resolved."""

    levels: "Unknown" = ()  # noqa: F821
    version: ClassVar[int] = 1


@dataclass(frozen=True)
class Raising:
    """It raises what nobody expects."""

    depth: int = 1

    def __post_init__(self):
        if self.depth < 0:
            raise KeyError("depth")


def test_the_annotations_of_a_plug_in_may_be_unknown():
    made = construct(Unresolved, {"levels": [1, [2, 3]]}, "unresolved", Location("a"), Mistakes())
    assert Unresolved((1, (2, 3))) == made


def test_whatever_the_class_of_a_plug_in_raises_is_a_mistake():
    mistakes = Mistakes()
    assert None is construct(Raising, {"depth": -1}, "raising", Location("a"), mistakes)
    assert ["a: raised KeyError: 'depth'"] == mistakes.lines


def test_the_description_counts_what_the_plan_counts():
    study = parsed(HEAD + 'algorithms = ["pc", {use = "ges", seconds = 5}]' + PROBLEM)
    lines = describe(study)
    assert "trial: 14 tasks" == lines[0]
    assert "  main: 1 problem × 2 replicates × 7 algorithms = 14" == lines[1]
    assert study.n_tasks["main"] == 14
    assert "limits of each task: 600 s, its share of memory" == lines[-2]
    assert "  ges: 5 s, its share of memory" == lines[-1]


def test_a_long_list_is_named_by_its_beginning():
    grid = f"grid.samples = {list(range(10, 30))}"
    lines = describe(parsed(HEAD + PROBLEM + grid))
    (named,) = [line for line in lines if line.startswith("problems (20)")]
    assert named.endswith("and 14 more")
