"""Factorial experiments made observational, with the truth from all their rows."""

from causalassay.factorial.experiment import (
    FactorialExperiment,
    read_experiment,
    write_experiment,
)

__all__ = ["FactorialExperiment", "read_experiment", "write_experiment"]
