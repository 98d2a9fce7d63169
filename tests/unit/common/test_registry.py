"""The engine of the registries."""

import sys
from types import ModuleType

import pytest

from causalassay.common.registry import Registry, UnknownName
from causalassay.metrics.registry import METRICS
from causalassay.models.registry import MODELS

OWN = {"half": "fractions:Fraction", "whole": "decimal:Decimal"}


def registry(**options):
    return Registry("number", "example.numbers", OWN, **options)


def test_it_is_a_mapping_that_imports_on_first_use(monkeypatch):
    imported = []
    monkeypatch.setattr(
        "causalassay.common.registry._imported", lambda address: imported.append(address) or address
    )
    numbers = registry()
    assert ["half", "whole"] == list(numbers)
    assert "half" in numbers
    assert [] == imported
    assert numbers["half"] is numbers["half"]
    assert ["fractions:Fraction"] == imported


def test_an_unknown_name_is_a_key_error_and_a_value_error():
    with pytest.raises(UnknownName, match="there is no number 'hlaf'; did you mean 'half'"):
        registry()["hlaf"]
    assert issubclass(UnknownName, KeyError)
    assert issubclass(UnknownName, ValueError)
    assert None is registry().get("third")


def test_two_other_packages_of_one_name_collide(announce):
    announce("metrics", {"mine": "one:Mine"})
    announce("metrics", {"mine": "two:Mine"})
    with pytest.raises(
        ValueError, match="metric 'mine' is registered twice: one:Mine and two:Mine"
    ):
        list(METRICS)


@pytest.fixture
def broken_module(monkeypatch):
    """A module that has nothing, and one whose attributes raise."""
    module = ModuleType("broken_module")
    monkeypatch.setitem(sys.modules, "broken_module", module)
    return module


def test_a_broken_entry_is_listed_with_the_reason_beside_the_others(announce, broken_module):
    broken_module.crash = lambda: 1 / 0
    broken_module.Crash = type("Crash", (), {"__init__": lambda self: 1 / 0})
    broken_module.Unversioned = type("Unversioned", (), {"better": "high"})
    broken_module.Directionless = type("Directionless", (), {"version": 1})
    broken_module.Greedy = type("Greedy", (), {"version": 1, "better": "low", "takes": "all"})
    announce(
        "metrics",
        {
            "absent": "no_such_package:Absent",
            "nameless": "broken_module:Nowhere",
            "crash": "broken_module:Crash",
            "unversioned": "broken_module:Unversioned",
            "directionless": "broken_module:Directionless",
            "greedy": "broken_module:Greedy",
        },
    )
    missing = {entry.name: entry.missing for entry in METRICS.entries() if entry.missing}
    assert "No module named 'no_such_package'" == missing.pop("absent")
    assert "'broken_module' has no 'Nowhere'" == missing.pop("nameless")
    assert "ZeroDivisionError: division by zero" == missing.pop("crash")
    assert "has no `version: ClassVar[int] = 1`" in missing.pop("unversioned")
    assert '`better` is "high", "low" or "none", got None' in missing.pop("directionless")
    assert '`takes` is "any", "class", "dag" or "estimate", got \'all\'' in missing.pop("greedy")
    assert {} == missing
    assert METRICS["shd"].better == "low"


def test_a_model_is_registered_with_its_mechanism(announce):
    announce("models", {"alone": "causalassay.models:SCM", "linear.own": "causalassay.models:SCM"})
    missing = {entry.name: entry.missing for entry in MODELS.entries() if entry.missing}
    assert {"alone": "TypeError: a model is registered as mechanism.kind, got 'alone'"} == missing
