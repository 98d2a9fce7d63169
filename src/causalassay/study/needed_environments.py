"""The environments that a study needs, and which of them are not installed here."""

from __future__ import annotations

from collections.abc import Iterable

from causalassay.discovery.environment_algorithms import EnvironmentAlgorithm
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.environments.installing import state
from causalassay.study.plan import AlgorithmEntry


def needed_environments(algorithms: Iterable[AlgorithmEntry]) -> list[EnvironmentDefinition]:
    """Return the environments that algorithms run in, each once.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> named = [AlgorithmEntry(name, name, make_algorithm(name)) for name in ("pc", "lingam-ica")]
    >>> [home.name for home in needed_environments(named)]
    ['lingam']
    """
    named = [entry.algorithm for entry in algorithms]
    homes = [one.home() for one in named if isinstance(one, EnvironmentAlgorithm)]
    return list({home.name: home for home in homes}.values())


def absent_environments(algorithms: Iterable[AlgorithmEntry]) -> list[EnvironmentDefinition]:
    """Return the environments, each once, whose algorithms would be skipped here.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> absent_environments([AlgorithmEntry("pc", "pc", make_algorithm("pc"))])
    []
    """
    return [home for home in needed_environments(algorithms) if state(home).reason]
