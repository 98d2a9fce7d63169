"""A package that announces an environment, as a stranger's would, in a folder of site packages."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from causalassay.discovery.registry import ALGORITHMS
from causalassay.environments import catalogue, installing, process

FAKE = Path(__file__).with_name("fake_environment")


def write_package(site, folder=FAKE, package="fakery"):
    """Write a package whose entry point names a folder with an environment."""
    shutil.copytree(folder, site / package / "environment")
    (site / package / "__init__.py").touch()
    metadata = site / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    points = f"[causalassay.environments]\n{package} = {package}.environment\n"
    (metadata / "entry_points.txt").write_text(points)


def read_again():
    """Look for environments again, in the files and the entry points there are now."""
    catalogue.refresh()
    ALGORITHMS.refresh()


@contextmanager
def installed_fake(folders):
    """Yield a folder of site packages that announces the environment `fake`, installed."""
    site = folders.mktemp("site")
    write_package(site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setenv(installing.FOLDER_VARIABLE, str(folders.mktemp("environments")))
        read_again()
        installing.install(catalogue.environment("fake"))
        yield site
        process.end_process("fake")
    read_again()
