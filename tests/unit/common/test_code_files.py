"""What a Python file imports from its own folder: found without running it, and carried along."""

import pickle
import shutil
import sys

import pytest

from causalassay.common import code_files
from causalassay.common.code_files import code_file


@pytest.fixture(autouse=True)
def _imports_as_before(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def written(folder, **texts):
    """Write modules; two underscores in a name are a folder."""
    for name, text in texts.items():
        path = folder.joinpath(*name.replace("init", "__init__").split("_in_")[::-1])
        path = path.with_name(path.name + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def read(folder, text, name="main"):
    path = folder / f"{name}.py"
    path.write_text(text)
    return code_file(str(path), text.encode())


def names(code):
    return [module.name for module in code.modules]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy, os, json", []),
        ("import helper", ["helper"]),
        ("import helper as h, os", ["helper"]),
        ("from helper import x", ["helper"]),
        ("def f():\n    from helper import x", ["helper"]),
        ("if False:\n    import helper", ["helper"]),
        ("import package", ["package"]),
        ("import package.inner", ["package", "package.inner"]),
        ("from package import inner", ["package", "package.inner"]),
        ("from package import value", ["package"]),
        ("from package.deep import leaf", ["package", "package.deep", "package.deep.leaf"]),
        ("import first", ["first", "helper"]),
        ("from package import climbing", ["package", "package.climbing", "package.inner"]),
        ("from importlib import import_module\nimport_module('helper')", ["helper"]),
        ("from . import helper", ["helper"]),
        ("import spaced.inside", ["spaced", "spaced.inside"]),
        ("import main", []),
        ("import loop", ["loop", "loop2"]),
        ("import broken", ["broken"]),
        ("import absent", []),
    ],
)
def test_imports_of_the_folder_are_found(text, expected, tmp_path):
    written(
        tmp_path,
        helper="x = 1",
        first="import helper",
        loop="import loop2",
        loop2="import loop",
        broken="class (:",
        init_in_package="value = 1",
        inner_in_package="",
        climbing_in_package="from .inner import *",
        init_in_deep_in_package="",
        leaf_in_deep_in_package="from ... import x",
        inside_in_spaced="",
    )
    (tmp_path / "numpy.py").write_text("")  # an installed package wins
    assert expected == names(read(tmp_path, text))


def test_an_edited_module_changes_the_digests_and_nothing_else_does(tmp_path):
    written(tmp_path, helper="import far", far="x = 1", other="")
    before = read(tmp_path, "import helper")
    (tmp_path / "other.py").write_text("y = 2")
    assert before == read(tmp_path, "import helper")
    (tmp_path / "far.py").write_text("x = 2")
    after = read(tmp_path, "import helper")
    assert before.sha256 == after.sha256
    assert dict(before.digests)["helper"] == dict(after.digests)["helper"]
    assert dict(before.digests)["far"] != dict(after.digests)["far"]


def test_what_lies_elsewhere_is_named(tmp_path, monkeypatch):
    elsewhere = written(tmp_path / "elsewhere", far_away="")
    monkeypatch.syspath_prepend(str(elsewhere))
    (tmp_path / "here").mkdir()
    text = (
        "import far_away, not_there\ntry:\n    import cupy_not_there\nexcept ImportError:\n    pass"
    )
    code = read(tmp_path / "here", text)
    assert {"far_away": str(elsewhere / "far_away.py"), "not_there": ""} == dict(code.elsewhere)


def test_what_runs_is_what_was_read_also_where_the_files_are_not(tmp_path):
    folder = written(
        tmp_path / "code",
        helper="from pack.inner import VALUE\nPLACE = __file__",
        init_in_pack="",
        inner_in_pack="from .more import VALUE",
        more_in_pack="VALUE = 1",
        later="LATE = 2",
    )
    text = "import helper\ndef late():\n    import later\n    return later.LATE\n"
    code = pickle.loads(pickle.dumps(read(folder, text)))
    place = str(folder / "helper.py")
    shutil.rmtree(folder)
    module = code.module()
    assert (1, 2, place) == (module.helper.VALUE, module.late(), module.helper.PLACE)
    assert module is code.module()


def test_a_module_that_was_edited_is_another_in_the_same_process(tmp_path):
    written(tmp_path, helper="VALUE = 1")
    assert 1 == read(tmp_path, "from helper import VALUE").module().VALUE
    written(tmp_path, helper="VALUE = 2")
    assert 2 == read(tmp_path, "from helper import VALUE").module().VALUE


def test_a_traceback_shows_the_line_of_a_module(tmp_path):
    written(tmp_path, helper="def fail():\n    raise KeyError('in helper')\n")
    module = read(tmp_path, "from helper import fail").module()
    with pytest.raises(KeyError) as error:
        module.fail()
    assert str(tmp_path / "helper.py") == str(error.traceback[-1].path)
    assert 2 == error.traceback[-1].lineno + 1


def test_too_many_modules_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(code_files, "MOST_MODULES", 2)
    written(tmp_path, a="", b="", c="")
    with pytest.raises(ValueError, match=r"main\.py imports more than 2 files of its folder"):
        read(tmp_path, "import a, b, c")


def test_a_finder_that_raises_is_passed_over(tmp_path, monkeypatch):
    class Broken:
        def find_spec(self, name, path, target=None):
            raise RuntimeError(name)

    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    written(tmp_path, helper="")
    assert ["helper"] == names(read(tmp_path, "import helper"))
