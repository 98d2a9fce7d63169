"""What no study can compute: exact numbers, identities and chains, a module for each paper."""

from causalassay.lab.papers.computations import (  # noqa: F401  each declares its functions
    eigenmann2020,
    garant2016,
    herman2025,
    ormaniec2024,
    reisach2021,
)
from causalassay.lab.papers.estimates import COMPUTATIONS, FIGURES

__all__ = ["COMPUTATIONS", "FIGURES"]
