"""Compiled kernels have a folder of their own for each state of their sources."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import causalassay
from causalassay.common import kernel_cache
from causalassay.common.kernel_cache import N_KEPT, PREFIX, checksum, ensure_folder

SOURCE = Path(causalassay.__file__).parent
KERNEL = """
import causalassay
from causalassay.graphs import chain, topological_order
assert causalassay.__path__[0].startswith({root!r})
print(topological_order(chain(3)).tolist())
"""
PAIRS = """
from typing import NamedTuple
from causalassay.common.kernels import kernel

class {name}(NamedTuple):
    left: int
    right: int

@kernel
def add(pair):
    return pair.left + pair.right
"""
LINKED = """
import sys
sys.path.insert(0, {package!r})
import linked
print(linked.outer(3), linked.outer.stats.cache_hits.total(), len(linked.inner.signatures))
try:
    linked.outer(-1)
except ValueError as problem:
    print(problem)
print(linked.inner(3))
"""
KERNELS = """
from causalassay.common.kernels import kernel

@kernel
def inner(x):
    if x < 0:
        raise ValueError("negative")
    return 0.1 * x + 0.2

@kernel
def outer(x):
    total = 0.0
    for k in range(5):
        total += inner(x) / (k + 1)
    return total
"""
SLOW_TO_COMPILE = """
import numpy as np
from causalassay.common.kernels import kernel

@kernel
def slow(values):
    order = np.argsort(values)
    return np.sort(values[order]), np.median(values)

slow(np.arange(5.0))
print(slow.stats.cache_misses.total())
"""
ADD = """
import sys
from pathlib import Path
sys.path.insert(0, {package!r})
from causalassay.common.kernel_cache import ensure_folder
ensure_folder(Path({package!r}))
import pairs
print(pairs.add(pairs.{name}(1, 2)))
"""


class _Config:
    reloaded = False

    def reload_config(self) -> None:
        self.reloaded = True


class _Numba:
    config = _Config()


@pytest.fixture(autouse=True)
def no_folder_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test names the folder anew, without a change for the tests that follow."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setitem(sys.modules, "numba", _Numba())


@pytest.fixture(autouse=True)
def no_stated_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "kernels.py").write_text("@kernel")
    return folder


@pytest.fixture
def sealed(package: Path) -> Path:
    """A package that cannot hold caches: a file is where their folder would be."""
    (package / "__pycache__").touch()
    return package


def test_the_users_own_folder_stays(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "chosen")
    assert ensure_folder(package) is None
    assert os.environ["NUMBA_CACHE_DIR"] == "chosen"


def test_kernels_are_kept_in_the_package_by_the_checksum_of_their_sources(package: Path) -> None:
    folder = ensure_folder(package)
    assert folder == package / "__pycache__" / (PREFIX + checksum(package))
    assert folder.is_dir()
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder)
    assert _Numba.config.reloaded


def test_a_child_process_shares_the_folder_unless_the_kernels_changed(package: Path) -> None:
    inherited = ensure_folder(package)
    assert ensure_folder(package) == inherited
    (package / "kernels.py").write_text("@kernel(boundscheck=True)")
    assert ensure_folder(package) not in (None, inherited)


def test_old_folders_do_not_pile_up(package: Path) -> None:
    for version in range(N_KEPT + 3):
        (package / "kernels.py").write_text(f"@kernel  # {version}")
        newest = ensure_folder(package)
        assert newest is not None
        os.utime(newest, (version, version))
    left = sorted((package / "__pycache__").iterdir(), key=lambda folder: folder.stat().st_mtime)
    assert N_KEPT == len(left)
    assert newest == left[-1]


def test_a_read_only_install_keeps_kernels_under_the_home(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = ensure_folder(sealed)
    assert folder == tmp_path / "cache" / "causalassay" / (PREFIX + checksum(sealed))


def test_a_stated_cache_folder_comes_before_the_package(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = ensure_folder(package)
    assert folder == tmp_path / "cache" / "causalassay" / (PREFIX + checksum(package))


def test_a_temporary_folder_that_others_can_write_to_is_not_read(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(sealed / "__pycache__" / "nowhere"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = ensure_folder(sealed)
    assert first is not None
    assert first.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert ensure_folder(sealed) == first
    first.parent.chmod(0o777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert ensure_folder(sealed) not in (None, first)


def run(code: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": ""} | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout.strip()


def test_a_read_only_install_without_a_home_computes(tmp_path: Path) -> None:
    root = tmp_path / "lib"
    shutil.copytree(SOURCE, root / "causalassay", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [path for path in root.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    printed = run(
        KERNEL.format(root=str(root)),
        tmp_path,
        PYTHONPATH=str(root),
        HOME=os.devnull + "/home",
        XDG_CACHE_HOME=os.devnull + "/cache",
        TMPDIR=str(tmp_path),
    )
    assert "[0, 1, 2]" == printed


def test_the_cache_of_another_version_is_not_read(tmp_path: Path) -> None:
    # Numba unpickles an index before it compares dates, and fails on a name that is gone: with
    # one folder for both versions an upgrade would raise.
    package = tmp_path / "installed"
    package.mkdir()
    path = os.pathsep.join([str(SOURCE.parent), os.environ.get("PYTHONPATH", "")])

    def add(name: str, **environment: str) -> str:
        (package / "pairs.py").write_text(PAIRS.format(name=name))
        code = ADD.format(package=str(package), name=name)
        return run(code, tmp_path, PYTHONPATH=path, **environment)

    assert ["3", "3"] == [add("Pair"), add("Couple")]
    shared = {"NUMBA_CACHE_DIR": str(tmp_path / "shared")}
    add("Pair", **shared)
    with pytest.raises(AssertionError, match=r"has no attribute|Can't get attribute"):
        add("Couple", **shared)


def test_the_checksum_covers_whatever_a_kernel_is_compiled_from() -> None:
    """A name that a kernel takes from another file of the package is in a file that counts."""
    counted = {path for path in kernel_cache._sources(SOURCE) if counts(path)}
    assert 40 < len(counted)
    for path in counted:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        origin = {
            alias.asname or alias.name: node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("causalassay.")
            for alias in node.names
        }
        for kernel in filter(is_kernel, ast.walk(tree)):
            for name in names_in_body(kernel) & set(origin):
                assert file_of(origin[name]) in counted, (path, kernel.name, name)


def counts(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return "@kernel" in text or "NamedTuple" in text


def is_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        "kernel" in ast.unparse(decorator) for decorator in node.decorator_list
    )


def names_in_body(kernel: ast.FunctionDef) -> set[str]:
    return {
        node.id
        for statement in kernel.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
    }


def file_of(module: str) -> Path:
    path = SOURCE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@pytest.fixture
def linked(tmp_path: Path) -> str:
    (tmp_path / "linked.py").write_text(KERNELS)
    return LINKED.format(package=str(tmp_path))


EXPECTED = sum((0.1 * 3 + 0.2) / (k + 1) for k in range(5))


def test_a_kernel_that_a_kernel_calls_is_compiled_inside_it(linked: str, tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first = run(linked, tmp_path, **cache).splitlines()
    assert [f"{EXPECTED} 0 0", "negative", "0.5"] == first
    assert f"{EXPECTED} 1 0" == run(linked, tmp_path, **cache).splitlines()[0]
    index = sorted(path.name.partition("-")[0] for path in (tmp_path / "cache").rglob("*.nbi"))
    assert ["linked.inner", "linked.outer"] == index


def test_a_cache_that_cannot_be_written_costs_time_and_no_error(
    linked: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "__pycache__").touch()
    nowhere = str(tmp_path / "file" / "cache")
    printed = run(linked, tmp_path, NUMBA_CACHE_DIR=nowhere, HOME=nowhere, XDG_CACHE_HOME=nowhere)
    assert f"{EXPECTED} 0 0" == printed.splitlines()[0]


def test_a_cache_that_vanishes_costs_time_and_no_error(linked: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    vanish = f"import shutil; shutil.rmtree({str(cache)!r}); open({str(cache)!r}, 'w').close()\n"
    code = linked.replace("import linked\n", "import linked\n" + vanish)
    printed = run(code, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert f"{EXPECTED} 0 0" == printed.splitlines()[0]


def test_without_linking_the_results_are_the_same(linked: str, tmp_path: Path) -> None:
    code = "from causalassay.common import kernels\nkernels.CAN_LINK = False\n" + linked
    printed = run(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")).splitlines()
    assert [f"{EXPECTED} 0 1", "negative", "0.5"] == printed


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 64, 1000])
def test_the_sorting_order_is_numpys_stable_one(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    from causalassay.common.kernels import sorting_order

    keys = np.random.default_rng(n).integers(0, max(1, n // 3), n).astype(float)
    assert np.argsort(keys, kind="stable").tolist() == sorting_order(keys).tolist()


def test_a_kernel_that_several_processes_need_at_once_is_compiled_once(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SLOW_TO_COMPILE, encoding="utf-8")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    together = [
        subprocess.Popen(
            [sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [0, 0, 1] == sorted(int(process.communicate()[0]) for process in together)


def test_every_kernel_of_the_list_of_kernels_exists() -> None:
    """`python -m bench startup` writes the list; progress is shown by it."""
    listed = json.loads(kernel_cache.NAMES.read_text(encoding="utf-8"))
    assert {"audit", "choose", "discover ges"} <= set(listed)
    kernels = {
        f"{path.parent.name}/{path.stem}.{node.name}"
        for path in kernel_cache._sources(SOURCE)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_kernel(node)
    }
    assert set() == {name for names in listed.values() for name in names} - kernels
    assert frozenset() == kernel_cache.kernels_of("discover something-else")
