"""What an algorithm loads before its first run, and what it is given: loading is no run time."""

from __future__ import annotations

from dataclasses import replace

from causalassay.contracts import Algorithm
from causalassay.data.dataset import Dataset
from causalassay.discovery.environment_algorithms import EnvironmentAlgorithm
from causalassay.discovery.python_files import PythonFile
from causalassay.processes.stages import loading


def load_code(algorithm: Algorithm) -> None:
    """Load the code that an algorithm would otherwise load at its first run.

    A class of a file is made once, so that one that cannot be made is told before any task. The
    process of an environment is started. All others were imported with their class.
    """
    with loading():
        match algorithm:
            case PythonFile():
                algorithm.make_first()
            case EnvironmentAlgorithm():
                algorithm.load()


def data_for(algorithm: Algorithm, data: Dataset) -> Dataset:
    """Return the data for one run of an algorithm, which nobody else reads if it is not ours.

    Arrays are read-only, but torch and other code in C can write into them all the same.

    Examples
    --------
    >>> from causalassay.discovery import PC
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5], [1.0, 2.5]])
    >>> data_for(PC(), data) is data
    True
    """
    if is_own_code(algorithm):
        return data
    return replace(data, regimes=tuple(replace(regime) for regime in data.regimes))


def is_own_code(algorithm: Algorithm) -> bool:
    """Return whether no code but causalassay's runs in the process of an algorithm.

    Examples
    --------
    >>> from causalassay.discovery import PC
    >>> is_own_code(PC())
    True
    """
    inner = getattr(algorithm, "algorithm", None)  # of one that refits another
    if inner is not None:
        return is_own_code(inner)
    return type(algorithm).__module__.startswith("causalassay.") and not isinstance(
        algorithm, PythonFile
    )
