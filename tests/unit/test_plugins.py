"""The plug-ins of docs/extending.md in a package of their own, used in a study."""

import doctest
import os
import subprocess
import sys
import tomllib
from types import ModuleType

import pytest

import causalassay as ca
from causalassay.catalogue import catalogue
from causalassay.graphs import chain
from causalassay.study import study_table
from causalassay.study.measures import measure_key
from causalassay.study.problem_specs import scheme
from pages import ROOT, blocks_of
from study_texts import mistakes_of, parsed

PAGE = ROOT / "docs" / "extending.md"
STUDY = """\
name = "plugged"
seed = 1
replicates = 2
baselines = false
metrics = ["shd", "roots_found"]
diagnostics = ["r2_sortability", "largest_r2"]
algorithms = ["var-sortnregress"]

[[problems]]
samples = 100
graph = {kind = "star", n_nodes = 6}
model = {kind = "any-units", factor = 10.0}
"""


def package_source():
    """The classes of the page, with the imports they need."""
    examples = doctest.DocTestParser().get_examples(PAGE.read_text())
    words = ("@dataclass", "from dataclasses", "from typing", "import ")
    return "".join(example.source for example in examples if example.source.startswith(words))


def announcements():
    """The entry points of the page, by group."""
    blocks = [block.text for block in blocks_of(PAGE) if block.language == "toml"]
    tables = [tomllib.loads(text)["project"]["entry-points"] for text in blocks]
    return {group: points for table in tables for group, points in table.items()}


@pytest.fixture
def announced(announce, monkeypatch):
    """The package of the page in this process."""
    module = ModuleType("my_package")
    monkeypatch.setitem(sys.modules, "my_package", module)
    exec(package_source(), module.__dict__)
    for group, points in announcements().items():
        announce(group.removeprefix("causalassay."), points)
    return module


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [
        ("metrics", "name", "roots_found"),
        ("diagnostics", "name", "largest_r2"),
        ("models", "kind", "any-units"),
        ("graphs", "kind", "star"),
    ],
)
def test_every_kind_is_listed(announced, kind, key, name):
    rows = {row[key]: row for row in catalogue(kind)}
    assert rows[name]["what"].endswith(".")


def test_a_study_file_knows_them(announced):
    study = parsed(STUDY)
    (entry,) = study.problems
    assert (announced.Star(6), announced.InAnyUnits(10.0)) == (entry.spec.graph, entry.spec.model)
    assert ("any-units", "star-6 any-units") == (scheme(entry.spec), entry.name)
    assert "LinearSCM" == type(ca.models.draw("any-units", chain(3), 0, factor=2.0)).__name__


@pytest.mark.parametrize("name", ["RootsFound", "LargestR2", "InAnyUnits", "Star"])
def test_keys_contain_the_version(announced, announce, monkeypatch, name):
    text = STUDY + 'accept = {diagnostic = "largest_r2", bin = [0.0, 1.0]}\n'

    def keys():
        study = parsed(text)
        metrics = [entry.key for entry in study.metrics]
        return [study.problems[0].key, *metrics, *map(measure_key, study.diagnostics)]

    before = keys()
    monkeypatch.setattr(getattr(announced, name), "version", 2)
    announce("algorithms", {})
    assert before != keys()


def test_a_misspelt_plug_in_is_answered_with_the_nearest(announced):
    text = STUDY.replace("roots_found", "root_found").replace("any-units", "any-unit")
    text = text.replace("largest_r2", "largest_r").replace('"star"', '"stars"')
    lines = " ".join(mistakes_of(text))
    for name in ("roots_found", "largest_r2", "any-units", "star"):
        assert f"did you mean '{name}'?" in lines


def test_what_cannot_be_imported_is_a_mistake_of_the_study(announced, monkeypatch):
    monkeypatch.setitem(sys.modules, "my_package", None)
    lines = " ".join(mistakes_of(STUDY))
    for name in ("roots_found", "largest_r2", "linear.any-units", "star"):
        assert f"'{name}' cannot run here: import of my_package halted" in lines
    assert "halted" in catalogue("metrics")[-1]["cannot_be_loaded"]


@pytest.fixture
def installed(tmp_path):
    """A folder, and a command line that finds the package of the page in it."""
    site = tmp_path / "site"
    info = site / "my_package-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "my_package.py").write_text(package_source())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    lines = []
    for group, points in announcements().items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = os.pathsep.join([str(site), *filter(None, inherited)])
    environment = {**os.environ, "PYTHONPATH": paths}

    def command(*words):
        program = [sys.executable, "-m", "causalassay", *words]
        subprocess.run(program, check=True, capture_output=True, env=environment, cwd=tmp_path)

    return tmp_path, command


def test_a_study_uses_them_and_a_new_version_computes_anew(installed):
    folder, command = installed
    (folder / "study.toml").write_text(STUDY)

    def rows():
        command("run", "study.toml", "--workers", "1", "--out", "results", "--json")
        return study_table(folder / "results").frame

    before = rows()
    assert {"ok"} == set(before["status"])
    assert before["roots_found"].between(0, 1).all()
    assert (before["largest_r2"] > 0).all()
    assert {"any-units"} == set(before["scheme"])
    module = folder / "site" / "my_package.py"
    source = module.read_text().replace("mean())", "mean()) + 10").replace("max())", "max()) + 10")
    for name in ("RootsFound", "LargestR2"):
        head, heading, body = source.partition(f"class {name}")
        source = head + heading + body.replace("ClassVar[int] = 1", "ClassVar[int] = 2", 1)
    module.write_text(source)
    after = rows()
    assert (after["roots_found"] - before["roots_found"]).round(9).eq(10).all()
    assert (after["largest_r2"] - before["largest_r2"]).round(9).eq(10).all()
    assert before["shd"].tolist() == after["shd"].tolist()
    everything = study_table(folder / "results", everything=True).frame
    assert before["largest_r2"].tolist() == everything["largest_r2 [version 1]"].tolist()
    assert after["largest_r2"].tolist() == everything["largest_r2"].tolist()
