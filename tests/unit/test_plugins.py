"""The plug-ins of docs/extending.md in a package of their own, used in a study."""

import doctest
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from types import ModuleType
from typing import ClassVar

import numpy as np
import pytest

import causalassay as ca
from causalassay.catalogue import catalogue
from causalassay.graphs import chain
from causalassay.metrics.registry import metric_name
from causalassay.models import SCM
from causalassay.models.registry import MODELS, named
from causalassay.study import study_table
from causalassay.study.plan import measure_key
from causalassay.study.problem_specs import scheme
from command_line import run_here
from conftest import read_entry_points_again
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
WITHOUT_PLUG_INS = """\
name = "plain"
seed = 1
replicates = 2
baselines = false
metrics = ["shd"]
diagnostics = ["r2_sortability"]
algorithms = ["var-sortnregress"]

[[problems]]
samples = 100
graph = {kind = "chain", n_nodes = 4}
model = {kind = "scm"}
"""


def package_source():
    """The classes of the page, with the imports they need."""
    examples = doctest.DocTestParser().get_examples(PAGE.read_text())
    words = ("@dataclass", "from dataclasses", "from typing", "import ")
    return "".join(example.source for example in examples if example.source.startswith(words))


def announcements():
    """The entry points of the page, by group."""
    blocks = [block.text for block in blocks_of(PAGE) if block.language == "toml"]
    packages = [table for text in blocks if "project" in (table := tomllib.loads(text))]
    tables = [package["project"]["entry-points"] for package in packages]
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


def install(site, package, source, groups):
    """Write into a folder what pip would write for a package of one module."""
    module = package.replace("-", "_")
    info = site / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{module}.py").write_text(source)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def command(tmp_path):
    """A command line that finds the packages of the folder `site`."""
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = os.pathsep.join([str(tmp_path / "site"), *filter(None, inherited)])
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "60"}

    def command(*words, code=0):
        program = [sys.executable, "-m", "causalassay", *words]
        done = subprocess.run(
            program, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
        )
        assert code == done.returncode, done.stderr
        return done

    return command


@pytest.fixture
def command_here(tmp_path, monkeypatch):
    """The same in this process, for packages that no process but this one imports."""
    monkeypatch.syspath_prepend(tmp_path / "site")

    def command_here(*words, code=0):
        read_entry_points_again()
        done = run_here(*words, cwd=tmp_path, COLUMNS="60")
        assert code == done.returncode, done.stderr
        return done

    yield command_here
    monkeypatch.undo()
    read_entry_points_again()


@pytest.fixture
def installed(tmp_path, command):
    """A folder, and a command line that finds the package of the page in it."""
    install(tmp_path / "site", "my-package", package_source(), announcements())
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


KINDS = ("algorithms", "diagnostics", "graphs", "metrics", "models")
BROKEN = {
    "raises": ("raise RuntimeError('two\\nlines' + 'x' * 5000)", "RuntimeError: two linesxx"),
    "unreadable": ("def f(:", "SyntaxError: invalid syntax"),
    "leaves": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "mute": (
        "print('hello')\nclass Mute(Exception):\n  __str__ = lambda self: 1 / 0\nraise Mute",
        "Mute: its message cannot be shown",
    ),
    "ends": ("class End(BaseException): pass\nraise End('of it')", "End: of it"),
}


@pytest.fixture
def broken(tmp_path):
    """Installed packages that cannot be imported, each with a plug-in of every kind."""
    for name, (source, _) in BROKEN.items():
        groups = {
            f"causalassay.{kind}": {
                f"linear.{name}" if kind == "models" else name: f"{name}_package:It"
            }
            for kind in KINDS
        }
        install(tmp_path / "site", f"{name}-package", source, groups)


@pytest.mark.parametrize("kind", KINDS)
def test_a_plug_in_that_cannot_be_imported_is_one_line_of_the_list(kind, broken, command_here):
    lines = [" ".join(line.split()) for line in command_here("list", kind).stdout.splitlines()]
    rows = {
        row["name"]: row
        for row in json.loads(command_here("list", kind, "--json").stdout)
        if "cannot_be_loaded" in row
    }
    for name, (_, reason) in BROKEN.items():
        listed = f"linear.{name}" if kind == "models" else name
        (line,) = [line for line in lines if line.startswith(listed)]
        assert line.startswith(f"{listed} ({name}-package) cannot run here: {reason}")
        assert len(line) < 300
        row = rows.pop(listed)
        assert (False, f"{name}-package") == (row["runs_here"], row["package"])
        assert row["cannot_be_loaded"].startswith(reason)
    assert not [name for name in rows if not name.startswith("causal-learn")]
    assert len(lines) > 10 or kind == "graphs"


def test_a_plug_in_that_cannot_be_imported_breaks_no_study_of_others(broken, command, tmp_path):
    (tmp_path / "study.toml").write_text(WITHOUT_PLUG_INS)
    done = command("run", "study.toml", "--workers", "1", "--json")
    assert {"ok": 2} == {k: n for k, n in json.loads(done.stdout)["rows"].items() if n}


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_study_that_names_it_gets_one_line(name, broken, command_here, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY.replace("var-sortnregress", name))
    done = command_here("run", "study.toml", code=2)
    (line,) = [line for line in done.stderr.splitlines() if f"'{name}' cannot" in line]
    assert BROKEN[name][1] in line
    assert line.endswith(f"(package '{name}-package')")
    assert "Traceback" not in done.stderr


def test_a_bin_of_a_diagnostic_that_cannot_be_imported_is_one_line(announce, monkeypatch):
    monkeypatch.setitem(sys.modules, "their_package", None)
    announce("diagnostics", {"theirs": "their_package:Theirs"})
    (line,) = mistakes_of(WITHOUT_PLUG_INS + 'accept = {diagnostic = "theirs", bin = [0.0, 1.0]}\n')
    assert "'theirs' cannot run here" in line


def test_a_metric_is_shown_by_the_name_it_declares(announced, announce):
    announce("metrics", {"gone": "no_such_package_anywhere:Gone"})
    assert "roots found (mean)" == metric_name("roots_found (mean)")
    assert "gone" == metric_name("gone")
    assert "never_heard_of" == metric_name("never_heard_of")


def test_no_other_package_is_imported_to_name_a_model(announced, announce):
    announce("models", {"linear.other": "no_such_package_anywhere:Other"})
    tried = []
    entry = MODELS.entry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODELS, "entry", lambda name: tried.append(name) or entry(name))
        assert ("linear", "any-units") == named(announced.InAnyUnits(10.0))
        assert ("linear", "scm") == named(SCM())
    assert ["linear.any-units", "linear.scm"] == tried


def test_ctrl_c_during_an_import_is_not_swallowed(announce, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    announce("metrics", {"mine": "mine:Mine"})
    monkeypatch.setattr("causalassay.common.registry._imported", interrupted)
    with pytest.raises(KeyboardInterrupt):
        catalogue("metrics")


@dataclass(frozen=True)
class Unshowable:
    """Its default cannot be made, and nothing it says of itself has the right type."""

    parts: tuple = field(default_factory=lambda: 1 / 0)
    version: ClassVar[int] = 1


@dataclass(frozen=True)
class Careless:
    """Returns nothing, and says nothing of the right type about itself."""

    version: ClassVar[int] = 1
    output: ClassVar[list] = ["dag"]
    scale_sensitive: ClassVar[str] = "yes"
    reference: ClassVar[int] = 3

    def discover(self, data, rng):
        pass

    def draw(self, graph, rng):
        pass


def test_nothing_that_a_class_says_of_itself_breaks_the_list(announce):
    here = __name__
    announce("algorithms", {"unshowable": f"{here}:Unshowable", "careless": f"{here}:Careless"})
    rows = {row["name"]: row for row in catalogue("algorithms")}
    assert "ZeroDivisionError: division by zero" == rows["unshowable"]["cannot_be_loaded"]
    assert ("", None, "") == tuple(
        rows["careless"][key] for key in ("output", "scale_sensitive", "reference")
    )
    assert "careless" in repr(ca.algorithms())


def test_booleans_are_booleans_in_json():
    rows = {row["name"]: row for row in catalogue("algorithms")}
    pc, by_variance = rows["pc"], rows["var-sortnregress"]
    assert (True, True) == (pc["runs_here"], by_variance["scale_sensitive"])


def test_no_two_models_have_the_same_heading():
    names = [row["name"] for row in catalogue("models")]
    assert len(names) == len(set(names))
    assert {"linear.scm", "gp.scm"} <= set(names)


def test_nothing_is_handed_on_from_a_plug_in_that_returns_nothing(announce):
    announce("algorithms", {"careless": f"{__name__}:Careless"})
    announce("models", {"linear.careless": f"{__name__}:Careless"})
    package = __name__.partition(".")[0]
    with pytest.raises(TypeError, match=rf"algorithm 'careless' of package '{package}'.* Estimate"):
        ca.discover("careless", np.eye(3), 0)
    with pytest.raises(TypeError, match=rf"'linear.careless' of package '{package}'.* NoneType"):
        ca.models.draw("careless", chain(3), 0)
