"""Simulators of environments: what comes of a draw, and what is no draw."""

import numpy as np
import pytest

from announced_environments import FAKE, installed_fake, read_again, write_package
from causalassay.environments import catalogue, installing, process
from causalassay.environments.catalogue import (
    DefinitionMistake,
    environment_generators,
    read_definition,
)
from causalassay.environments.generating import LARGEST_SEED, draw
from causalassay.environments.process import EnvironmentAbsent, EnvironmentFailed, PackageRefused


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with installed_fake(tmp_path_factory) as folder:
        yield folder


def drawn(name, seed=0, n_nodes=3, n_samples=4):
    return draw(environment_generators()[name], n_nodes, n_samples, seed)


def test_the_same_seed_is_the_same_draw_and_another_seed_another(site):
    first, again, other = drawn("fake-chain", 7), drawn("fake-chain", 7), drawn("fake-chain", 8)
    np.testing.assert_array_equal(first.values, again.values)
    assert (first.values != other.values).all()
    np.testing.assert_array_equal(np.eye(3, k=1, dtype=bool), first.graph)
    assert bool == first.graph.dtype
    assert ((4, 3), None, None) == (first.values.shape, first.levels, first.links)
    assert "fake" == first.info["package"]


def test_discrete_columns_have_levels(site):
    found = drawn("fake-levels")
    assert (2, 2, 2) == found.levels
    assert {0.0, 1.0} == set(found.values.ravel())


def test_a_series_has_links_and_a_summary_that_may_have_cycles(site):
    found = drawn("fake-series")
    assert (2, 3, 3) == found.links.shape
    expected = np.eye(3, k=1, dtype=bool)
    expected[1, 0] = True
    np.testing.assert_array_equal(expected, found.graph)


@pytest.mark.parametrize(
    ("name", "seed", "reason"),
    [
        ("fake-chain", 100, r"its graph has shape \(2, 3\) for 3 columns"),
        ("fake-chain", 101, "its graph has a cycle"),
        ("fake-chain", 102, "its graph has entries that are neither 0 nor 1"),
        ("fake-chain", 103, "its values are not all finite"),
        ("fake-chain", 104, r"its values have shape \(4, 2\), expected \(4, 3\)"),
        ("fake-chain", 105, "its values are of type <U1"),
        ("fake-chain", 106, "its answer has no graph"),
        ("fake-levels", 107, "its values are not the numbers of levels"),
        ("fake-series", 108, "its answer has no links"),
    ],
)
def test_what_is_no_draw_is_told_and_the_next_one_has_a_new_process(site, name, seed, reason):
    with pytest.raises(EnvironmentFailed, match=f"^invalid: {reason}$"):
        drawn(name, seed)
    assert drawn("fake-chain").graph.any()


def test_a_package_may_refuse(site):
    with pytest.raises(PackageRefused, match="three nodes are too few"):
        drawn("fake-chain", 109)


def test_large_draws_are_no_mistake(site, monkeypatch):
    monkeypatch.setattr(process, "LONGEST_ANSWER", 1000)
    assert (5000, 3) == drawn("fake-chain", n_samples=5000).values.shape


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_nodes": 1}, "n_nodes: expected at least 2, got 1"),
        ({"n_samples": 0}, "n_samples: expected at least 2, got 0"),
        ({"seed": LARGEST_SEED + 1}, f"seed: expected 0 to {LARGEST_SEED}, got"),
    ],
)
def test_wrong_numbers_are_told(site, wrong, message):
    with pytest.raises(ValueError, match=message):
        drawn("fake-chain", **wrong)


def test_without_the_environment_the_command_is_named(site, tmp_path, monkeypatch):
    process.end_process("fake")
    monkeypatch.setenv(installing.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(EnvironmentAbsent, match="causalassay env install fake"):
        drawn("fake-chain")


def test_generators_alone_make_an_environment_but_nothing_does_not(tmp_path):
    text = (FAKE / "environment.toml").read_text()
    head, first_generator = text[: text.index("[[algo")], text[text.index("[[generators]]") :]
    (tmp_path / "adapter.py").touch()
    (tmp_path / "environment.toml").write_text(head + first_generator)
    found = read_definition(tmp_path)
    assert ((), 3) == (found.algorithms, len(found.generators))
    assert "The length is our choice." == found.generators[0].note
    (tmp_path / "environment.toml").write_text(head)
    with pytest.raises(DefinitionMistake, match="expected .*algorithms.* or .*generators.*neither"):
        read_definition(tmp_path)


def test_a_generator_is_in_one_environment_only(site, tmp_path, monkeypatch):
    folder = tmp_path / "thief"
    folder.mkdir()
    text = (FAKE / "environment.toml").read_text().replace('"fake"', '"thief"', 1)
    text = text.replace("fake-deed", "thief-deed").replace("fake-unseeded", "thief-unseeded")
    (folder / "environment.toml").write_text(text)
    (folder / "adapter.py").touch()
    write_package(tmp_path / "site", folder, "thief")
    monkeypatch.syspath_prepend(tmp_path / "site")
    read_again()
    (mistake,) = catalogue.broken_environments().values()
    assert mistake.startswith("the generator 'fake-chain' is in two environments: ")
    monkeypatch.undo()
    read_again()
