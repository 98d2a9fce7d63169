"""A study as workers get it: they hold the truth, so no code of an algorithm is read there."""

from __future__ import annotations

import pickle
from dataclasses import replace
from multiprocessing import spawn
from typing import Any

from causalassay.contracts import Algorithm
from causalassay.discovery.environment_algorithms import EnvironmentAlgorithm
from causalassay.risk.fits import Refitted
from causalassay.study.plan import AlgorithmEntry, PickledAlgorithm, Study

_OURS = "causalassay.discovery."
_STRANGERS = (
    "causalassay.discovery.causal_learn",
    "causalassay.discovery.command",
    "causalassay.discovery.environment_algorithms",
    "causalassay.discovery.python_files",
)
"""Modules of ours that run other people's code."""


def for_workers(study: Study) -> Study:
    """Return the study with its algorithms as bytes."""
    return replace(study, algorithms=tuple(_pickled(entry) for entry in study.algorithms))


def main_module() -> dict[str, Any]:
    """Return how another process imports the script that this one runs, if it runs one."""
    whole = spawn.get_preparation_data("causalassay")
    kept = ("sys_path", "dir", "orig_dir", "init_main_from_name", "init_main_from_path")
    return {name: whole[name] for name in kept if name in whole}


def _pickled(entry: AlgorithmEntry) -> AlgorithmEntry:
    if isinstance(entry.algorithm, PickledAlgorithm):
        return entry
    payload = pickle.dumps(entry.algorithm, protocol=5)
    algorithm = entry.algorithm
    home = algorithm.definition.environment if isinstance(algorithm, EnvironmentAlgorithm) else ""
    pickled = PickledAlgorithm(payload, entry.key, is_ours(algorithm), home)
    return replace(entry, algorithm=pickled)


def is_ours(algorithm: Algorithm | PickledAlgorithm) -> bool:
    """Return whether an algorithm runs no code but causalassay's.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> is_ours(make_algorithm("pc")), is_ours(make_algorithm("command", program="true"))
    (True, False)
    """
    if isinstance(algorithm, PickledAlgorithm):
        return algorithm.ours
    if isinstance(algorithm, Refitted):
        return is_ours(algorithm.algorithm)
    module = type(algorithm).__module__
    return module.startswith(_OURS) and module not in _STRANGERS
