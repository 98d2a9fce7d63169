"""How an experiment is made observational, and how graphs found on it are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from causalassay.common.spelling import check_choice
from causalassay.lab.factorial.biasing import BINS, check_strength

Fit = Literal["tables", "linear-gaussian"]
Covariates = Literal["biasing", "all"]


@dataclass(frozen=True)
class Settings:
    """What an evaluation is made with.

    Parameters
    ----------
    beta : float
        The strength of the bias; see `bias`.
    bins : int
        Into how many levels the biasing covariate is cut, by quantiles.
    levels : int
        Into how many levels outcomes and other covariates are cut, by quantiles over all rows
        of the experiment. Laws of outcomes are compared on these levels.
    fit : {"tables", "linear-gaussian"}
        "tables": algorithms see levels, and the model is a table per node. "linear-gaussian":
        they see normal scores, with treatments and the biasing covariate as codes, and the
        model is linear with Gaussian noise.
    smoothing : float
        Of tables: what is added to every count. 0 is maximum likelihood; then a configuration
        of parents that never occurs has equally probable levels.
    covariates : {"biasing", "all"}
        Which covariates algorithms see.

    Examples
    --------
    >>> Settings(beta=-1)
    Traceback (most recent call last):
    ValueError: beta: expected a number of at least 0, got -1
    """

    beta: float = 1.0
    bins: int = BINS
    levels: int = 3
    fit: Fit = "tables"
    smoothing: float = 0.0
    covariates: Covariates = "biasing"

    def __post_init__(self) -> None:
        check_strength(self.beta)
        for name in ("bins", "levels"):
            if getattr(self, name) < 2:  # noqa: PLR2004
                raise ValueError(f"{name}: expected 2 or more, got {getattr(self, name)}")
        if not 0 <= self.smoothing < float("inf"):
            raise ValueError(f"smoothing: expected a number of at least 0, got {self.smoothing}")
        check_choice("fit", self.fit, ("tables", "linear-gaussian"))
        check_choice("covariates", self.covariates, ("biasing", "all"))
