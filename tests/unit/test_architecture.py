"""The page on the layout of the code says what is there."""

import importlib.util
import re

import pytest

from pages import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "causalassay"
MODULES = sorted(set(re.findall(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.py)`", PAGE)))
FOLDERS = sorted(set(re.findall(r"`([a-z_/]+/)`", PAGE)))


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location(
        "architecture_picture", ROOT / "docs" / "architecture_picture.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", [path for path in MODULES if "/" in path])
def test_every_module_on_the_page_exists(path):
    assert (SOURCE / path).is_file()


@pytest.mark.parametrize("path", FOLDERS)
def test_every_room_on_the_page_exists(path):
    assert any(folder.is_dir() for folder in SOURCE.glob(f"**/{path.rstrip('/')}"))


def test_the_picture_shows_every_room_of_the_import_contract(script):
    layers = {name for layer in script.layers() for name in layer}
    packages = {folder.parent.name for folder in SOURCE.glob("*/__init__.py")}
    assert packages | {"contracts"} == set(script.ROOMS)
    assert set(script.ROOMS) <= layers


def test_the_rule_for_contributors_is_the_import_contract(script):
    rule = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("Data flow one way: `")[2]
    )
    stated = [layer.split(" | ") for layer in rule.partition("`")[0].split(" → ")]
    assert [layer for layer in script.layers() if layer != ["__main__"]] == stated


def test_every_file_that_contributors_are_sent_to_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+\.[a-z]+)?)`", text))
    assert {"metrics/registry.py", "tests/laws/test_metrics_laws.py"} <= paths
    assert [] == [path for path in paths if not any((r / path).exists() for r in (ROOT, SOURCE))]


def test_the_picture_is_what_the_script_draws(script):
    assert script.PICTURE.read_text(encoding="utf-8") == script.picture()


def test_a_task_has_at_most_twelve_stops_and_ten_changes_have_a_file():
    way = PAGE.partition("## The way of a task")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\d+\. ", way, re.MULTILINE)) <= 12
    changes = PAGE.partition("## Where to put a change")[2]
    assert len(re.findall(r"^\| .* \| .*`", changes, re.MULTILINE)) >= 10
