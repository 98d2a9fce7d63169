"""What a study file may say, and the mistakes it can have."""

import pickle
from pathlib import Path

import pytest

import causalassay as ca
from causalassay.processes.limits import Limits
from causalassay.study.language.mistakes import Location, Mistake, Mistakes, Origin, StudyMistakes
from causalassay.study.language.study_file import parse_study, read_study
from causalassay.study.plan import DEFAULT_DIAGNOSTICS
from study_texts import HEAD, PROBLEM, mistakes_of, parsed


def test_the_least_study_has_the_defaults():
    study = parsed(HEAD + PROBLEM)
    assert ("trial", 1, 2) == (study.name, study.seed, study.replicates)
    assert ["shd", "f1", "sid", "mec_shd"] == [entry.label for entry in study.metrics][:4]
    assert DEFAULT_DIAGNOSTICS == study.diagnostics[: len(DEFAULT_DIAGNOSTICS)]
    assert {"baseline"} == {entry.role for entry in study.algorithms}
    assert {Limits(600.0, None)} == {entry.limits for entry in study.algorithms}
    assert HEAD + PROBLEM == study.text


def test_a_study_can_be_sent_to_workers():
    study = parsed(HEAD + 'algorithms = ["pc"]' + PROBLEM)
    assert study == pickle.loads(pickle.dumps(study))


def test_mistakes_everywhere_are_reported_at_once():
    text = """
name = "a b"
sed = 1
replicates = 0
metrics = ["sidd", {name = "sid", resolution = "as-is"}, {name = "f1", resolution = "favorable"}]
diagnostics = ["var_sortabilty"]
algorithms = ["pcc", 7, {use = "notears", lambda = 0.1, max_iter = 0, rho_max = -1.0}]
[limits]
second = 3
memory = 2
[[problems]]
name = "er2"
samples = "x"
transform = ["standardise"]
graph = {kind = "erdos-reny"}
model = {kind = "scm", noise = "gausian", weights = [3, 1], noise_sd = -1, signs = "randm"}
interventions = {action = "doo", samples = 1, probability = 2}
accept = {diagnostic = "r2_sortabilty", bin = [0.5, 0.3]}
[[problems]]
samples = 100
graph = {kind = "erdos-renyi", n_nodes = 3, edges_per_node = 3, exat = true}
model = {kind = "uumc", noise = {family = "student-t", df = 1}, noise_sd = 2}
"""
    expected = [
        'name: got "a b", expected text of at most 100 letters, digits, - and _ '
        "(it names a folder)",
        "seed: missing; expected an integer from 0 to 2^63 - 1",
        "replicates: got 0, expected an integer from 1 to 1000000",
        "sed: there is no such key; did you mean 'seed'?",
        "metrics[0]: there is no metric 'sidd'; did you mean 'sid'?",
        "metrics[1].resolution: 'sid' is scored 'mean' or 'favourable', not 'as-is'",
        "metrics[2].resolution: there is no 'favorable'; did you mean 'favourable'?",
        "diagnostics[0]: there is no diagnostic 'var_sortabilty'; did you mean 'var_sortability'?",
        'limits.memory: got 2, too little for any worker; did you mean "2 GB"?',
        "limits.second: there is no such key; did you mean 'seconds'?",
        'problems[0].samples (er2): got "x", expected an integer from 2 to 1000000000',
        "problems[0].transform (er2): there is no transform 'standardise'; "
        "did you mean 'standardize'?",
        "problems[0].graph.kind (er2): there is no graph family 'erdos-reny'; "
        "did you mean 'erdos-renyi'?",
        "problems[0].model.noise (er2): there is no noise 'gausian'; did you mean 'gaussian'?",
        "problems[0].model.signs (er2): there is no 'randm'; did you mean 'random'?",
        "problems[0].model.weights (er2): expected (low, high) with 0 < low <= high, "
        "got (3.0, 1.0)",
        "problems[0].model.noise_sd (er2): expected a positive number, got -1.0",
        "problems[0].interventions.action (er2): there is no 'doo'; did you mean 'do'?",
        "problems[0].interventions.probability (er2): expected 0 to 1, got 2.0",
        "problems[0].interventions.samples (er2): expected at least 2, got 1",
        "problems[0].accept.diagnostic (er2): there is no diagnostic 'r2_sortabilty'; "
        "did you mean 'r2_sortability'?",
        "problems[0].accept.bin (er2): expected [low, high] with low < high, got [0.5, 0.3]",
        "problems[1].graph.exat: 'erdos-renyi' has no such parameter; "
        "it takes 'n_nodes', 'edges_per_node', 'exact'; did you mean 'exact'?",
        "problems[1].graph.edges_per_node: 3 nodes can have 0 to 1.0 edges per node, got 3.0",
        "problems[1].model.noise: Student's t has a variance for df > 2, got df=1.0",
        "problems[1].model.noise_sd: 'uumc' has no such parameter; "
        "it takes 'noise', 'sample_size', 'ddof'; did you mean 'noise'?",
        "algorithms[0]: there is no algorithm 'pcc'; did you mean 'pc'?",
        "algorithms[1]: got 7, expected a name or a table",
        "algorithms[2].lambda: 'notears' has no such parameter; it takes 'lambda1', 'threshold', "
        "'max_iter', 'h_tolerance', 'rho_max', 'solver', 'device'; did you mean 'lambda1'?",
        "algorithms[2].max_iter: expected at least 1, got 0",
        "algorithms[2].rho_max: expected a finite number > 1, got -1.0",
    ]
    assert sorted(expected) == sorted(mistakes_of(text))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("replicates = true", "replicates: got true, expected an integer from 1 to 1000000"),
        ("replicates = 2.0", "replicates: got 2.0, expected an integer from 1 to 1000000"),
        ("seed = -1", "seed: got -1, expected an integer from 0 to 2^63 - 1"),
        ("baselines = 1", "baselines: got 1, expected true or false"),
        ('metrics = "shd"', 'metrics: got "shd", expected a list of metrics'),
        ('metrics = ["shd", "shd"]', "metrics[1]: 'shd' is listed twice"),
        ("limits = 3", "limits: got 3, expected a table with seconds, load_seconds and memory"),
        ("limits.seconds = 0", "limits.seconds: got 0, expected a positive number of seconds"),
        ('limits.memory = "2 gigs"', 'limits.memory: got "2 gigs", expected bytes or text'),
        ("problems = []", "problems: got [], expected one or more tables [[problems]]"),
        ("problems = [3]", "problems[0]: got 3, expected a table"),
        ('algorithms = "pc"', 'algorithms: got "pc", expected a list of names and tables'),
        ("algorithms = [{}]", "algorithms[0].use: missing; expected the name of an algorithm"),
        (
            'algorithms = [{use = "pc", alpha = [0.1, 0.2]}]',
            "algorithms[0].alpha: got [0.1, 0.2], expected a number; "
            "a list varies only under `grid`: grid.alpha = [...]",
        ),
    ],
)
def test_a_wrong_value_is_reported_with_what_was_expected(line, expected):
    key = line.partition(" ")[0]
    kept = [one for one in HEAD.splitlines() if not one.startswith(key)]
    text = "\n".join([*kept, line]) + ("" if line.startswith("problems") else PROBLEM)
    (line,) = mistakes_of(text)
    assert line.startswith(expected)


def test_no_mistake_speaks_of_values_that_the_file_does_not_state():
    """How many edges fit depends on n_nodes, so of the two only that is reported."""
    text = PROBLEM.replace("n_nodes = 10, edges_per_node = 2", 'n_nodes = "x", edges_per_node = -1')
    expected = 'problems[0].graph.n_nodes: got "x", expected an integer'
    assert [expected] == mistakes_of(HEAD + text)
    acts = "interventions = {samples = 1, probability = 2, start = 30}\n"
    expected = [
        "problems[0].interventions.action: missing; 'interventions' takes "
        'one of "do", "shift", "randomize"',
        "problems[0].interventions.probability: expected 0 to 1, got 2.0",
        "problems[0].interventions.samples: expected at least 2, got 1",
    ]
    assert expected == mistakes_of(HEAD + PROBLEM + acts)


def test_a_mistake_of_a_grid_is_reported_once_with_its_location():
    text = (
        HEAD
        + PROBLEM
        + """
[problems.grid]
graph.n_nodes = [10, "x"]
samples = [100, 200, 300]
model.nois = ["laplace", "gaussian"]
"""
    )
    expected = [
        "problems[0].grid.model.nois: 'iscm' has no such parameter; it takes 'weights', 'signs', "
        "'noise', 'noise_sd', 'sample_size', 'ddof'; did you mean 'noise'?",
        'problems[0].grid.graph.n_nodes[1]: got "x", expected an integer',
    ]
    assert expected == mistakes_of(text)


def test_a_mistake_of_a_drawn_value_is_reported_once():
    text = (
        HEAD
        + PROBLEM
        + """
[problems.random]
graph.n_nodes = {low = 10, high = 100}
[[problems]]
settings = 3
"""
    )
    text = text.replace("samples = 100\n", "samples = 100\nsettings = 50\n")
    lines = mistakes_of(text)
    assert 1 == sum("random.graph.n_nodes" in line for line in lines)
    assert any(line.endswith("expected an integer; state integer = true") for line in lines)
    assert any("problems[1].settings: it needs a table `random`" in line for line in lines)


def test_limits_of_an_algorithm_are_its_own():
    text = HEAD + 'algorithms = ["pc", {use = "ges", seconds = 5, memory = "1.5 GiB"}]\n'
    study = parsed(text + 'limits = {seconds = 60, memory = "500 MB"}\n' + PROBLEM)
    assert Limits(60.0, 500_000_000) == study.algorithms[0].limits
    assert Limits(5.0, 1_610_612_736) == study.algorithms[1].limits
    assert Limits(60.0, 500_000_000) == study.algorithms[2].limits


def test_no_time_limit_is_written_as_inf():
    study = parsed(HEAD + "limits.seconds = inf\n" + PROBLEM)
    assert Limits(None, None) == study.algorithms[0].limits


def test_a_metric_has_its_resolution_in_its_label_if_it_is_not_the_usual_one():
    text = 'metrics = ["shd", {name = "shd", resolution = "favourable"}, {name = "sid"}]\n'
    study = parsed(HEAD + text + PROBLEM)
    assert ["shd", "shd (favourable)", "sid"] == [entry.label for entry in study.metrics]
    assert ["as-is", "favourable", "mean"] == [entry.resolution for entry in study.metrics]


def test_a_syntax_error_has_file_line_and_column():
    with pytest.raises(StudyMistakes, match=r"trial.toml(.|\n)*not TOML.*at line 2, column 6"):
        parsed("a = 1\nseed 1\n")
    with pytest.raises(StudyMistakes, match="at line 1, column 6"):
        parsed("a = '")


def test_files_that_are_no_study_are_named(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder, expected a study file"):
        read_study(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no file.*causalassay new study"):
        read_study(tmp_path / "absent.toml")
    (tmp_path / "empty.toml").write_text("# nothing\n")
    with pytest.raises(StudyMistakes, match="the file is empty"):
        read_study(tmp_path / "empty.toml")
    with pytest.raises(FileNotFoundError, match="did you mean 'empty.toml'"):
        read_study(tmp_path / "emty.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(StudyMistakes, match="not a text in UTF-8: byte 8 is 0xe9"):
        read_study(tmp_path / "latin.toml")


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    (tmp_path / "marked.toml").write_text(HEAD + PROBLEM, encoding="utf-8-sig")
    assert "trial" == read_study(tmp_path / "marked.toml").name


def test_the_mistakes_survive_a_pickle():
    lines = [Mistake("seed", "missing"), Mistake("problems[0].samples", "missing")]
    error = StudyMistakes("a.toml", lines)
    assert str(error) == str(pickle.loads(pickle.dumps(error)))
    assert "a.toml: 2 mistakes; tables count from 0\n  seed: missing\n" in str(error)


def test_a_location_is_where_the_file_states_the_value():
    origins = {("model", "noise"): Origin("grid.together", "[1].model.noise")}
    location = Location("problems[0]", ("model",), origins)
    assert "problems[0].grid.together[1].model.noise.df" == str(location.at("noise", "df"))
    assert "problems[0].model.kind" == str(location.at("kind"))


def test_a_long_list_of_mistakes_is_cut_only_in_print():
    mistakes = Mistakes()
    for number in range(150):
        mistakes.add("", f"mistake {number}")
    error = StudyMistakes("a.toml", mistakes.lines)
    assert 150 == len(error.mistakes)
    assert str(error).endswith("and 50 more")


def test_the_text_may_be_parsed_without_a_file():
    assert "trial" == parse_study(HEAD + PROBLEM, Path()).name


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('algorithms = ["pc"]', 'algorithms = ["PC"]', "did you mean 'pc'?"),
        ('algorithms = ["pc"]', 'algorithms = ["LiNGAM"]', "did you mean 'direct-lingam'?"),
        ('algorithms = ["pc"]', 'algorithms = ["GRaSP"]', "did you mean 'grasp'?"),
        ('algorithms = ["pc"]', 'algorithms = ["DAGMA"]', "did you mean 'dagma-linear'?"),
        ('algorithms = ["pc"]', 'algorithms = ["my-own"]', "`causalassay list algorithms` has all"),
        ('algorithms = ["pc"]', 'algorithms = ["pc"]\nmetrics = ["F1"]', "did you mean 'f1'?"),
        ('algorithms = ["pc"]', 'algorithms = ["pc"]\nmetrics = ["TPR"]', "did you mean 'recall'?"),
        ('"erdos-renyi"', '"ER"', "did you mean 'erdos-renyi'?"),
        ('"erdos-renyi"', '"Erdős–Rényi"', "did you mean 'erdos-renyi'?"),
        ('"iscm"', '"raw"', "did you mean 'scm'?"),
        ('"iscm"', '"iscm", noise = "normal"', "did you mean 'gaussian'?"),
    ],
)
def test_other_letters_and_synonyms_are_understood_in_mistakes(old, new, expected):
    text = f'algorithms = ["pc"]\n{HEAD}{PROBLEM}'
    assert old in text
    (line,) = mistakes_of(text.replace(old, new))
    assert expected in line
    assert "acor" not in line  # no list from the beginning of the alphabet


def test_functions_understand_other_letters_and_synonyms_in_errors():
    with pytest.raises(ValueError, match="did you mean 'gaussian'"):
        ca.models.Noise("normal")
    with pytest.raises(ValueError, match="did you mean 'notears'"):
        ca.discover("NOTEARS", [[0.0, 1.0], [1.0, 3.0]], 0)
    with pytest.raises(ValueError, match="no algorithm 'FCI'; the package 'causal-learn' has it"):
        ca.discover("FCI", [[0.0, 1.0], [1.0, 3.0]], 0)


MINE = {
    "plain": '[[algorithms]]\nuse = "pc"\nmine = true\n',
    "grid": '[[algorithms]]\nuse = "pc"\nmine = true\ngrid.alpha = [0.01, 0.05]\n',
    "tuned": '[[algorithms]]\nuse = "pc"\nmine = true\n[algorithms.tune]\ncriterion = "f1"\n'
    "grid = {alpha = [0.01, 0.05]}\n",
    "baseline": '[[algorithms]]\nuse = "var-sortnregress"\nmine = true\n',
}


@pytest.mark.parametrize("kind", MINE)
def test_your_own_algorithm_is_marked_and_its_rows_keep_their_keys(kind):
    study = parsed(HEAD + PROBLEM + MINE[kind])
    plain = parsed(HEAD + PROBLEM + MINE[kind].replace("mine = true\n", ""))
    own = [entry for entry in study.algorithms if entry.role == "mine"]
    assert (2 if kind == "grid" else 1) == len(own)
    assert {"var-sortnregress" if kind == "baseline" else "pc"} == {entry.use for entry in own}
    others = {entry.role for entry in plain.algorithms}
    assert "mine" not in others
    assert (kind == "tuned") == ("candidate" in {entry.role for entry in study.algorithms})

    def keys(study):
        return [(entry.name, entry.key, entry.tuned_key) for entry in study.algorithms]

    assert sorted(keys(plain)) == sorted(keys(study))
    # A baseline that is yours is not added a second time.
    assert len({entry.key for entry in study.algorithms}) == len(study.algorithms)


@pytest.mark.parametrize("value", ["1", '"yes"', "[true]"])
def test_mine_is_true_or_false(value):
    text = MINE["plain"].replace("true", value)
    (line,) = mistakes_of(HEAD + PROBLEM + text)
    assert line.startswith("algorithms[0].mine: got ")
    assert "true for the algorithm that reports compare with all" in line


def test_a_list_stated_in_both_forms_is_told():
    (line,) = mistakes_of(
        HEAD + 'algorithms = ["pc"]\n' + PROBLEM + '[[algorithms]]\nuse = "ges"\n'
    )
    assert line.startswith("not TOML: ")
    assert line.endswith(
        "; the file has both `algorithms = […]` and `[[algorithms]]`: it can have one"
    )
