"""What some tests need beyond the packages of the dev group, and how to get it.

A test says ``@pytest.mark.needs("nginx")`` and is skipped where nginx is absent. No test skips
itself in another way: what was not tested, and what to install, is one table after the tests.
``--hide-programs`` runs the tests near optional programs as if none of these were installed.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HIDDEN = (*BROWSERS, "nginx", "initdb", "postgres", "R", "Rscript", "java")
"""Programs that cannot be found with ``--hide-programs``."""


def browser() -> str | None:
    """Return the path of a browser."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def data_folder(file: str) -> Path | None:
    """Return the folder of a file of data that is not part of the repository."""
    stated = os.environ.get("CAUSALASSAY_DATA")
    beside = Path(__file__).parents[2] / "shared" / "data"
    folders = (Path(stated), beside) if stated else (beside,)
    return next((folder for folder in folders if (folder / file).is_file()), None)


def _nginx(_: str) -> bool:
    from causalassay.lab.domains.http_servers import find_nginx

    return find_nginx() is not None


def _postgres(_: str) -> bool:
    from causalassay.lab.domains.postgres_experiment import find_binaries

    try:
        return find_binaries() is not None
    except FileNotFoundError:
        return False


def _environment(name: str) -> bool:
    from causalassay.environments.catalogue import environment
    from causalassay.environments.installing import state

    return state(environment(name)).python is not None


def _r_package(name: str) -> bool:
    ask = f"if (!requireNamespace('{name}', quietly = TRUE)) quit(status = 1)"
    return (
        bool(shutil.which("Rscript"))
        and not subprocess.run(["Rscript", "-e", ask], capture_output=True, check=False).returncode
    )


def _mount(_: str) -> bool:
    if not shutil.which("mount"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        words = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder]
        mounted = not subprocess.run(words, capture_output=True, check=False).returncode
        if mounted:
            subprocess.run(["umount", folder], check=True)
    return mounted


def _slurm(_: str) -> bool:
    return all(map(shutil.which, ("munged", "slurmctld", "slurmd", "sbatch")))


def _room_in_memory(_: str) -> bool:
    shared = Path("/dev/shm")  # noqa: S108
    return os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 1e9


@dataclass(frozen=True)
class Need:
    """One kind of requirement.

    Parameters
    ----------
    present : callable
        Whether it is here; takes what stands behind the colon of the name.
    cure : str
        What to do where it is absent.
    optional_program : bool
        Whether ``--hide-programs`` hides it.
    """

    present: Callable[[str], bool]
    cure: str
    optional_program: bool = False


NEEDS = {
    "chromium": Need(lambda _: browser() is not None, "apt-get install chromium", True),
    "nginx": Need(_nginx, "apt-get install nginx", True),
    "initdb": Need(_postgres, "apt-get install postgresql", True),
    "Rscript": Need(lambda _: bool(shutil.which("Rscript")), "apt-get install r-base-core", True),
    "r-package": Need(_r_package, "in R: install.packages('{}')", True),
    "environment": Need(_environment, "causalassay env install {}", True),
    "package": Need(lambda name: bool(importlib.util.find_spec(name)), "pip install {}"),
    "data": Need(lambda file: bool(data_folder(file)), "CAUSALASSAY_DATA=<the folder of {}>"),
    "root": Need(lambda _: os.geteuid() == 0, "run the tests as root"),
    "mount": Need(_mount, "run the tests as root where disks may be mounted"),
    "shm": Need(_room_in_memory, "run the tests where /dev/shm has 1 GB"),
    "slurm": Need(_slurm, "apt-get install munge slurmctld slurmd slurm-client"),
    "linux": Need(lambda _: sys.platform == "linux", "run the tests on Linux"),
    "mkfifo": Need(lambda _: hasattr(os, "mkfifo"), "run the tests where there are named pipes"),
}
"""By name; a name such as ``environment:tigramite`` has the part behind the colon put in."""


@cache
def is_present(name: str) -> bool:
    """Return whether a requirement is met here."""
    kind, _, detail = name.partition(":")
    return NEEDS[kind].present(detail)


def require(*names: str) -> None:
    """Skip the test unless all of these are here; for fixtures that hand out what they need."""
    for name in names:
        if not is_present(name):
            kind, _, detail = name.partition(":")
            _skip(f"{name} is absent", NEEDS[kind].cure.format(detail))


def other_data_than_frozen(peer: str, numpy: str) -> None:
    """Skip a comparison with frozen results: this numpy draws other data than theirs."""
    _skip(f"data differ from those frozen with numpy {numpy}", f"freeze {peer}'s results anew")


_TO_CURE = "; to run it: "


def _skip(reason: str, cure: str) -> None:
    pytest.skip(f"{reason}{_TO_CURE}{cure}")


def needed(item: pytest.Item) -> list[str]:
    """Return the names in the markers of a test."""
    return [name for mark in item.iter_markers("needs") for name in mark.args]


# Data that are not part of the repository


@pytest.fixture(scope="session")
def sachs_folder():
    """The folder of sachs.csv."""
    return _folder_of("sachs.csv")


@pytest.fixture(scope="session")
def chamber_folder():
    """The folder of chamber.csv and chamber-graph.csv."""
    return _folder_of("chamber.csv")


@pytest.fixture(scope="session")
def jdk_folder():
    """The folder of jdk-results.csv."""
    return _folder_of("jdk-results.csv")


def _folder_of(name):
    require(f"data:{name}")
    return data_folder(name)


# What pytest calls


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        "--hide-programs",
        action="store_true",
        help="run the files with tests of optional programs as if these were not installed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; hide the programs, also from the processes that xdist starts."""
    config.addinivalue_line("markers", "needs(*names): skipped where one of these is absent")
    if config.getoption("--hide-programs") and not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory()
        config.add_cleanup(folder.cleanup)
        hide_programs(Path(folder.name))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With hidden programs, do not import files without a marker: that would take longest."""
    if not config.getoption("--hide-programs") or collection_path.suffix != ".py":
        return None
    return "mark.needs(" not in collection_path.read_text(encoding="utf-8") or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse unknown names; with hidden programs, leave the files near these alone."""
    for item in items:
        for name in needed(item):
            if name.partition(":")[0] not in NEEDS:
                raise pytest.UsageError(f"{item.nodeid} needs {name!r}: not in tests/needs.py")
    if config.getoption("--hide-programs"):
        near = {item.path for item in items if any(map(_is_program, needed(item)))}
        config.hook.pytest_deselected(items=[item for item in items if item.path not in near])
        items[:] = [item for item in items if item.path in near]
        shown = {name for item in items for name in filter(_is_program, needed(item))}
        if visible := sorted(filter(is_present, shown)):
            raise pytest.UsageError(f"--hide-programs does not hide {', '.join(visible)}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test, before its fixtures, where something that it needs is absent."""
    require(*needed(item))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was skipped, why, and what to do about it."""
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.write_sep("-", f"{skipped.total()} tests skipped")
        for line in table(skipped):
            terminalreporter.write_line(line)


def table(skipped: Counter[str]) -> list[str]:
    """Return the lines of a table of reasons: how many tests, why, what to do."""
    rows = [("tests", "skipped because", "to run them")]
    for reason, number in sorted(skipped.items()):
        why, _, cure = reason.partition(_TO_CURE)
        rows.append((str(number), why, cure))
    left, middle = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{n:>{left}}  {why:<{middle}}  {cure}".rstrip() for n, why, cure in rows]


def _reason(report: pytest.TestReport) -> str:
    """Return the words of a skip; its other parts are a file and a line."""
    return str(report.longrepr[2]).removeprefix("Skipped: ")


def _is_program(name: str) -> bool:
    return NEEDS[name.partition(":")[0]].optional_program


# Hiding

_HIDING = """\
import shutil

hidden = {hidden!r}
which = shutil.which


def which_is_not_hidden(*args, **options):
    path = which(*args, **options)
    return None if path in hidden else path


shutil.which = which_is_not_hidden
"""


def hide_programs(folder: Path) -> None:
    """Let this process and its children find none of the optional programs and environments.

    Of a folder on the PATH with such a program there is a folder of links to its other programs.
    Our code also looks in folders that are not on the PATH, with `shutil.which`; so Python
    imports one, as ``sitecustomize``, that does not see these programs.

    Parameters
    ----------
    folder : Path
        An empty folder for the links.
    """
    on_path = os.get_exec_path()
    hidden = {str(path) for place in _places(on_path) for path in _hidden_in(place)}
    os.environ["PATH"] = os.pathsep.join(
        str(_links(Path(place), folder / f"links{k}")) if _hidden_in(place) else place
        for k, place in enumerate(on_path)
    )
    code = folder / "python" / "sitecustomize.py"
    code.parent.mkdir()
    code.write_text(_HIDING.format(hidden=hidden))
    paths = (str(code.parent), os.environ.get("PYTHONPATH"))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.environ["CAUSALASSAY_ENVIRONMENTS"] = str(folder / "environments")
    runpy.run_path(str(code))


def _places(on_path: list[str]) -> Iterable[str]:
    """Return all folders in which our code looks for programs."""
    from causalassay.lab.domains import http_servers as nginx
    from causalassay.lab.domains import postgres_experiment as experiment

    return [*on_path, *nginx._PLACES.split(":"), *map(str, experiment._default_places())]


def _hidden_in(place: str) -> list[Path]:
    paths = (Path(place) / name for name in HIDDEN)
    return [path for path in paths if path.exists()]


def _links(place: Path, folder: Path) -> Path:
    folder.mkdir()
    for path in place.iterdir():
        if path.name not in HIDDEN:
            (folder / path.name).symlink_to(path)
    return folder
