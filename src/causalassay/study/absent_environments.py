"""The environments that a study needs and that are not installed here."""

from __future__ import annotations

from collections.abc import Iterable

from causalassay.discovery.environment_algorithms import EnvironmentAlgorithm
from causalassay.environments.definition import EnvironmentDefinition
from causalassay.study.plan import AlgorithmEntry


def absent_environments(algorithms: Iterable[AlgorithmEntry]) -> list[EnvironmentDefinition]:
    """Return the environments, each once, whose algorithms would be skipped here.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> absent_environments([AlgorithmEntry("pc", "pc", make_algorithm("pc"))])
    []
    """
    named = [entry.algorithm for entry in algorithms]
    absent = [one.home() for one in named if isinstance(one, EnvironmentAlgorithm) and one.absent()]
    return list({home.name: home for home in absent}.values())
