"""What an algorithm loads before its first run, so that loading is no part of its run time."""

from __future__ import annotations

from causalassay.contracts import Algorithm
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
                algorithm.made()
            case EnvironmentAlgorithm():
                algorithm.load()
