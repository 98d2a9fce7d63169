"""Algorithms that see data and never the truth."""

from causalassay.discovery.registry import (
    AlgorithmRecord,
    algorithms,
    discover,
    make_algorithm,
)

__all__ = ["AlgorithmRecord", "algorithms", "discover", "make_algorithm"]
