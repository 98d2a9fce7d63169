"""Every public name teaches by an example that is run."""

import importlib
import inspect

import pytest

PACKAGES = ["graphs", "models", "data", "diagnostics", "discovery", "metrics", "risk", "audit"]


def public_names():
    for package in PACKAGES:
        module = importlib.import_module(f"causalassay.{package}")
        for name in module.__all__:
            yield package, name


@pytest.mark.parametrize(("package", "name"), list(public_names()))
def test_public_functions_and_classes_have_a_doctest(package, name):
    value = getattr(importlib.import_module(f"causalassay.{package}"), name)
    if inspect.isfunction(value):
        assert ">>>" in (value.__doc__ or "")
    elif inspect.isclass(value):
        assert value.__doc__


def test_the_package_lists_its_parts_without_importing_them():
    import causalassay

    assert {"graphs", "models", "discover"} <= set(dir(causalassay))
    with pytest.raises(AttributeError, match="no attribute 'grahps'"):
        _ = causalassay.grahps
