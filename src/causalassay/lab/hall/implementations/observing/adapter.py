"""Runs a function of another adapter, and says what it changed besides its answer.

This is an adapter itself: it runs in the environment of a package, beside `environments.host`,
and needs the standard library and numpy. Our own algorithms are watched by the same code.
"""

import importlib.util
import os
import random
import sys
import warnings
from typing import Any

import numpy as np

_adapters: dict[str, Any] = {}


def observed(request: Any) -> dict[str, Any]:
    """Run the function ``name`` of the adapter ``adapter``, both of them parameters."""
    stated = dict(request.parameters)
    path, name, parameters = stated["adapter"], stated["name"], stated["parameters"]
    inner = type(request)(**{**vars(request), "name": name, "parameters": parameters})
    values, before = request.arrays["values"].copy(), state()
    answer = dict(functions(path)[name](inner))
    changed = changes(before, state())
    if not np.array_equal(values, request.arrays["values"], equal_nan=True):
        changed.append("its input")
    info = {**answer.get("info", {}), "changed": changed, "drawn from": before["numpy"]}
    return {**answer, "info": {**info, "left at": state()["numpy"]}}


def functions(path: str) -> Any:
    """Return the table of algorithms of an adapter, imported once."""
    if path not in _adapters:
        spec: Any = importlib.util.spec_from_file_location(f"watched_{len(_adapters)}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _adapters[path] = module.ALGORITHMS
    return _adapters[path]


def state() -> dict[str, Any]:
    """Return what all code of a process shares; of generators a few digits."""
    drawn: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    shared: dict[str, Any] = {
        "numpy": hash((drawn["state"]["key"].tobytes(), drawn["state"]["pos"])),
        "random": hash(random.getstate()),
        "error handling of numpy": str(np.geterr()),
        "filters of warnings": str([entry[:3:2] for entry in warnings.filters]),
        "environment variables": hash(tuple(sorted(os.environ.items()))),
        "recursion limit": sys.getrecursionlimit(),
        "printing of numpy": str(np.get_printoptions()),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        shared["default type of torch"] = str(torch.get_default_dtype())
        shared["threads of torch"] = torch.get_num_threads()
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas 3 has no other way of copying
            shared["copying of pandas"] = str(pandas.options.mode.copy_on_write)
    return shared


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the names of what changed; generators are there to be drawn from.

    Examples
    --------
    >>> changes({"numpy": 1, "recursion limit": 1000}, {"numpy": 2, "recursion limit": 3000})
    ['recursion limit']
    """
    names = before.keys() & after.keys() - {"numpy", "random"}
    return sorted(name for name in names if before[name] != after[name])


ALGORITHMS = {"observed": observed}
