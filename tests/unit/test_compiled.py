"""Kernels find a place although the install is read-only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from causalassay import kernel_cache

KERNEL = """
import causalassay
from causalassay.graphs import chain, topological_order
assert causalassay.__path__[0].startswith({root!r})
print(topological_order(chain(3)).tolist())
"""


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """A package whose folder of caches cannot be made: a file stands in its place."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__pycache__").touch()
    return package


def test_the_users_own_folder_stays(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "chosen")
    assert kernel_cache.ensure_folder(sealed) is None
    assert os.environ["NUMBA_CACHE_DIR"] == "chosen"


def test_a_read_only_install_keeps_kernels_under_the_home(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setitem(sys.modules, "numba", _Numba())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert kernel_cache.ensure_folder(sealed) == tmp_path / "cache" / "causalassay" / "kernels"
    assert _Numba.config.reloaded


def test_a_strangers_temporary_folder_is_not_read(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setitem(sys.modules, "numba", _Numba())
    monkeypatch.setenv("XDG_CACHE_HOME", str(sealed / "__pycache__" / "nowhere"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = kernel_cache.ensure_folder(sealed)
    assert first is not None
    assert first.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert kernel_cache.ensure_folder(sealed) == first
    first.chmod(0o777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert kernel_cache.ensure_folder(sealed) not in (None, first)


def test_a_read_only_install_without_a_home_computes(tmp_path: Path) -> None:
    source = Path(next(iter(__import__("causalassay").__path__)))
    root = tmp_path / "lib"
    for path in source.rglob("*.py"):
        copy = root / "causalassay" / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    for folder in [path for path in root.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    environment = os.environ | {
        "PYTHONPATH": str(root),
        "HOME": os.devnull + "/home",
        "XDG_CACHE_HOME": os.devnull + "/cache",
        "TMPDIR": str(tmp_path),
        "NUMBA_CACHE_DIR": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", KERNEL.format(root=str(root))],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[0, 1, 2]", done.stderr


class _Config:
    reloaded = False

    def reload_config(self) -> None:
        self.reloaded = True


class _Numba:
    config = _Config()
