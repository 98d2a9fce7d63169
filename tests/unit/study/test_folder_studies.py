"""A folder of data files with their graphs: each file is one instance of one scheme."""

import shutil
import warnings

import numpy as np
import pytest

import causalassay as ca
from causalassay.analysis.runs import arrange
from causalassay.analysis.summary import attribute
from causalassay.common.files import ReadingNote, unsaid
from causalassay.data import write
from causalassay.graphs import write_graph
from causalassay.graphs.sources import ErdosRenyi
from causalassay.models import SCM
from causalassay.study.plan import coordinates
from causalassay.study.problem_specs import Generated, graph_address, scheme
from causalassay.study.storage import read_store
from causalassay.study.worker.problem_making import make
from command_line import run_here
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

FOLDER = """
[[problems]]
data = {files = "sets", graphs = "graphs"}
"""
N_FILES = 10
RUN = """
seed = 1
replicates = 10
metrics = ["f1", "shd"]
algorithms = ["ges", "mse-gds"]
"""
GRID = 'grid.transform = [[], ["rescale-in-order"], ["rescale-at-random"], ["standardize"]]\n'
DRAWN = """
[[problems]]
samples = 200
graph = {kind = "erdos-renyi", n_nodes = 8, edges_per_node = 1.5}
model = {kind = "scm"}
"""


def write_files(folder, names, spec=None):
    """Write the replicates of a generated problem as files."""
    spec = spec or Generated(ErdosRenyi(8, 1.5), SCM(), 200)
    for kind in ("sets", "graphs"):
        (folder / kind).mkdir()
    for replicate, name in enumerate(names):
        problem = make(1, spec, "main", replicate).problem
        write(problem.data, folder / "sets" / f"{name}.csv")
        write_graph(folder / "graphs" / f"{name}.csv", problem.graph, problem.data.columns)


@pytest.fixture
def folder(tmp_path):
    write_files(tmp_path, ["s2", "s10", "s1"], Generated(ErdosRenyi(4, 1.0), SCM(), 30))
    return tmp_path


def lines(text, folder):
    return mistakes_of(HEAD + 'algorithms = ["pc"]\n' + text, folder)


def study_of(text, folder):
    return parsed(HEAD + 'algorithms = ["pc"]\n' + text, folder)


def test_each_file_is_a_problem_with_one_data_set(folder):
    study = study_of(FOLDER + PROBLEM, folder)
    names = [entry.name for entry in study.problems]
    assert ["sets s1", "sets s2", "sets s10", "erdos-renyi-10-2 iscm"] == names
    assert {"sets"} == {scheme(entry.spec) for entry in study.problems[:3]}
    labels = study.problems[2].labels
    assert ("sets", "s10.csv") == (labels["data.files"], labels["data.file"])
    assert [1, 1, 1, 2] == [study.replicates_of(index) for index in range(4)]
    runs = [(problem, replicate) for problem, replicate, _ in coordinates(study, "main")]
    assert [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1)] == runs
    assert study.n_tasks["main"] == len(runs) * len(study.listed)


def test_a_folder_changes_no_other_key(folder):
    file = '[[problems]]\ndata = {file = "sets/s1.csv", graph = "graphs/s1.csv"}\n'
    alone = study_of(file + PROBLEM, folder)
    beside = study_of(file + PROBLEM + FOLDER, folder)
    assert [each.key for each in alone.problems] == [each.key for each in beside.problems[:2]]
    # The file of a folder has its own rows: fewer of them.
    assert len({each.key for each in beside.problems}) == len(beside.problems)


def test_another_file_name_or_scheme_changes_no_row(folder):
    before = {each.key for each in study_of(FOLDER, folder).problems}
    for kind in ("sets", "graphs"):
        (folder / kind / "s1.csv").rename(folder / kind / "t7.csv")
    named = FOLDER.replace("data =", 'name = "mine"\ndata =')
    after = study_of(named, folder)
    assert before == {each.key for each in after.problems}
    assert {"mine"} == {scheme(entry.spec) for entry in after.problems}


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ('files = "sets/*.csv", graphs = "graphs/*.csv"', ["s1", "s2", "s10"]),
        ('files = "sets/s1*", graph = "graphs/s1.csv"', ["s1", "s10"]),
        ('files = "sets", graph = "graphs/s1.csv", bootstrap = true', ["s1", "s2", "s10"]),
    ],
)
def test_patterns_and_one_graph_for_all(folder, stated, names):
    study = study_of(FOLDER.replace('files = "sets", graphs = "graphs"', stated), folder)
    assert [f"sets {name}" for name in names] == [entry.name for entry in study.problems]
    resampled = "bootstrap" in stated
    assert {2 if resampled else 1} == {study.replicates_of(i) for i in range(len(names))}


def test_files_on_one_graph_are_one_instance(folder):
    """As in audits: nothing says that data on one graph were drawn independently."""
    text = FOLDER.replace('graphs = "graphs"', 'graph = "graphs/s1.csv"')
    analysis = ca.run(study_of('controls = false\nmetrics = ["f1"]\n' + text, folder), workers=1)
    assert 1 == len(np.unique(arrange(analysis.table).instances))
    assert 1 == analysis.table.frame["graph_key"].nunique()


def test_one_graph_written_in_two_ways_is_one_graph(folder):
    graph, names = ca.graphs.read_graph(folder / "graphs" / "s1.csv")
    (folder / "graphs" / "s2.csv").unlink()
    mirrored = graph[::-1, ::-1]
    write_graph(folder / "graphs" / "s2.csv", mirrored, names[::-1], layout="edges")
    keys = [graph_address(entry.spec) for entry in study_of(FOLDER, folder).problems]
    assert keys[0] == keys[1] != keys[2]


def test_a_graph_for_all_may_lie_among_the_data(folder):
    shutil.copy(folder / "graphs" / "s1.csv", folder / "sets" / "graph.csv")
    text = FOLDER.replace('graphs = "graphs"', 'graph = "sets/graph.csv"')
    assert ["sets s1", "sets s2", "sets s10"] == [p.name for p in study_of(text, folder).problems]


def test_files_that_hold_their_graphs(tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "npz").mkdir()
    for name in ("a", "b"):
        graph = ca.graphs.chain(3)
        np.savez(tmp_path / "npz" / f"{name}.npz", X=rng.normal(size=(20, 3)), graph=graph)
    with unsaid():
        study = study_of('[[problems]]\ndata = {files = "npz"}\n', tmp_path)
    made = make(1, study.problems[1].spec, "main", 0)
    np.testing.assert_array_equal(ca.graphs.chain(3), made.problem.graph)
    assert made.whole is None


def test_every_mistake_in_a_folder_is_told_at_once(folder):
    (folder / "graphs" / "s1.csv").rename(folder / "graphs" / "s3.csv")
    (folder / "sets" / "s2.tsv").write_text("x0\tx1\n1\t2\n")
    assert [
        "problems[0].data.files: two data files have the name 's2': ",
        "problems[0].data.graphs: sets/s1.csv: no graph called 's1' in graphs; add it",
        "problems[0].data.files: graphs/s3.csv: no data file called 's3'; add it, or remove the "
        "graph from its folder",
    ] == [line.split("sets/s2")[0] for line in lines(FOLDER, folder)]


def test_every_file_that_does_not_fit_is_told(folder):
    (folder / "sets" / "s1.csv").write_text("a,b,c,d\n1,2,3,4\n2,1,4,4\n7,8,1,0\n")
    (folder / "sets" / "s2.csv").write_text("x0,x1,x2,x3\n1,2,3,nan\n")
    found = lines(FOLDER, folder)
    assert 2 == len(found)
    assert found[0].startswith("problems[0].data.graphs: s1.csv: the graph's nodes and the data's")
    assert found[1].startswith("problems[0].data.files: sets/s2.csv: ")


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ('files = "stes", graphs = "graphs"', "files: there is no folder 'stes'; did you mean 'se"),
        ('files = "sets", graphs = "none"', "graphs: there is no folder 'none'"),
        ('files = "sets/*.tsv", graphs = "graphs"', "files: sets/*.tsv: there is no file in it"),
        ('files = "sets/s1.csv", graphs = "graphs"', "files: sets/s1.csv is a file, expected a fo"),
        ('files = "*/s1.csv", graphs = "graphs"', "files: got '*/s1.csv'; only the names of files"),
        ('files = "sets"', "graphs: missing; each file needs its true graph"),
        ('files = "sets", graphs = "sets"', "graphs: sets/s1.csv is named as data and as a graph"),
        ('files = "sets", graph = "graphs/s1.csv", graphs = "graphs"', "graph: state `graphs`, or"),
        ('file = "sets/s1.csv", graphs = "graphs"', "graphs: it goes with `files`, a folder"),
        (
            'file = "sets/s1.csv", files = "sets", graph = "graphs/s1.csv"',
            "files: a problem has `f",
        ),
        ('graph = "graphs/s1.csv"', "file: missing; expected the path of a text"),
    ],
)
def test_a_folder_that_does_not_fit_is_reported(folder, stated, expected):
    found = lines(f"[[problems]]\ndata = {{{stated}}}\n", folder)
    assert found[0].startswith(f"problems[0].data.{expected}"), found


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["raw"], "a folder cannot be a scheme of the name 'raw': another scheme has it"),
        (["iscm"], "a folder cannot be a scheme of the name 'iscm': another scheme has it"),
        (["a + b"], "the scheme would be called 'a + b', and ' + ' stands before transforms"),
        (["mine", "mine"], "the scheme would be called 'mine', as that of another folder"),
    ],
)
def test_the_scheme_of_a_folder_has_a_name_of_its_own(folder, names, reason):
    shutil.copytree(folder / "sets", folder / "more")
    for path in (folder / "more").iterdir():
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:20]))
    text = "".join(
        f'[[problems]]\nname = "{name}"\ndata = {{files = "{files}", graphs = "graphs"}}\n'
        for name, files in zip(names, ("sets", "more"), strict=False)
    )
    found = [line for line in lines(text, folder) if "scheme" in line]
    expected = f"problems[{len(names) - 1}]: {reason}; give the problem another `name`"
    assert [expected] == found


def test_tuning_needs_resampled_files_and_says_so_once(folder):
    tuned = 'algorithms = [{use = "pc", tune = {criterion = "f1", grid = {alpha = [0.1, 0.2]}}}]\n'
    found = mistakes_of(HEAD + tuned + FOLDER, folder)
    assert 1 == len(found)
    assert "state `bootstrap`" in found[0]


def test_what_is_taken_for_granted_of_many_files_is_said_once(folder):
    for path in (folder / "sets").iterdir():
        path.write_text(path.read_text().replace(",", ";"))
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        study_of(FOLDER, folder)
    assert ["sets (3 of 3 files): its fields are separated by semicolons"] == [
        str(note.message) for note in notes if issubclass(note.category, ReadingNote)
    ]


@pytest.mark.parametrize("change", ["standardize", "rescale-in-order", "shuffle-labels"])
def test_a_transform_changes_each_file(folder, change):
    text = FOLDER + f'transform = ["{change}"]\n'
    plain, changed = study_of(FOLDER, folder), study_of(text, folder)
    assert f"sets + {change}" == scheme(changed.problems[0].spec)
    made = [make(1, each.spec, "main", 0).problem for each in (*plain.problems, *changed.problems)]
    for before, after in zip(made[:3], made[3:], strict=True):
        same_graph = (before.graph == after.graph).all()
        same_data = np.allclose(before.data.pooled, after.data.pooled)
        assert not (same_graph and same_data)
    # Each file has draws of its own.
    spread = [problem.data.pooled.std(axis=0) for problem in made[3:]]
    assert change == "standardize" or not np.allclose(spread[0], spread[1])


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """The same ten data sets, generated and as files, with their transforms."""
    place = tmp_path_factory.mktemp("folder")
    write_files(place, [f"s{number}" for number in range(N_FILES)])
    files = FOLDER.replace("data =", 'name = "mine"\ndata =')
    texts = {"drawn": DRAWN + GRID, "files": files + GRID}
    analyses = {}
    for name, problems in texts.items():
        (place / f"{name}.toml").write_text(f'name = "{name}"\n' + RUN + problems)
        analyses[name] = ca.run(place / f"{name}.toml", workers=1)
    return place, analyses


def named(finding):
    """A finding as the generated study would have it: kind, scheme and algorithm."""
    scheme_of = finding.subject.scheme.replace("mine + standardize", "standardized")
    return finding.kind, scheme_of.replace("mine", "raw"), finding.subject.algorithm


def test_ten_files_are_judged_as_ten_replicates_of_a_generated_scheme(studies):
    _, analyses = studies
    drawn, files = (analyses[name].verdict.statements for name in ("drawn", "files"))
    # The advice to add iSCM is for schemes that one can generate.
    expected = {named(each) for each in drawn if each.kind != "no-free-scheme"}
    assert expected == {named(each) for each in files}
    assert ("variance-order", "", "mse-gds") in expected
    assert ("gameable", "raw", "") in expected


def test_each_file_is_one_instance_whatever_is_done_to_it(studies):
    for analysis in studies[1].values():
        runs = arrange(analysis.table)
        assert N_FILES == len(np.unique(runs.instances))
        of_schemes = [runs.instances[group.cells] for group in runs.groups(("scheme",))]
        assert 4 == len(of_schemes)
        assert all(N_FILES == len(np.unique(instances)) for instances in of_schemes)
        f1 = (schemes := attribute(runs).schemes)[schemes["metric"] == "f1"]
        assert {N_FILES} == set(f1["n_units"])
        assert f1["paired"].all()


def test_scores_on_the_files_are_those_on_the_drawn_data(studies):
    frames = [studies[1][name].table.frame for name in ("drawn", "files")]
    frames = [frame[frame["scheme"].isin(["raw", "mine"])] for frame in frames]
    for algorithm in ("ges", "mse-gds", "var-sortnregress"):
        drawn, files = (frame[frame["algorithm"] == algorithm]["f1"] for frame in frames)
        np.testing.assert_allclose(np.sort(drawn), np.sort(files))
    for name in ("var_sortability", "random_f1", "variance_up_direction", "attainable_direction_p"):
        drawn, files = (frame.drop_duplicates(["problem", "replicate"])[name] for frame in frames)
        np.testing.assert_allclose(np.sort(drawn), np.sort(files))


def test_the_commands_count_the_files(studies):
    place, _ = studies
    planned = run_here("run", place / "files.toml", "--dry-run")
    assert "main: 40 problems × 1 file of a folder × 7 algorithms = 280" in planned.stdout
    assert "rows: 280 of 280 are stored already, 0 are missing" in planned.stdout
    status = run_here("status", place / "files-results")
    assert "main: 280 of 280 rows (280 ok)" in status.stdout
    with read_store(place / "files-results") as store:
        assert 280 == store.totals()["main"]


def test_a_bundle_keeps_folders_and_can_be_checked(studies, tmp_path):
    place, _ = studies
    bundle = tmp_path / "b"
    made = run_here("bundle", place / "files-results", "--out", bundle, "--include-data")
    assert 0 == made.returncode, made.stderr
    text = (bundle / "study.toml").read_text()
    assert 'files = "data/sets", graphs = "data/graphs"' in text
    checked = run_here("check-bundle", bundle)
    assert "280 rows of the study" in checked.stdout
