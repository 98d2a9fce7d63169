"""Algorithms whose searches run together, many data sets of one size in one call of torch.

What they have in common are three steps: from the data to moments, from the moments to solved
numbers, from these to an estimate. The second is the slow one, and can be done elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from causalassay.contracts import Estimate
from causalassay.data.dataset import Dataset
from causalassay.discovery.continuous.moments import Device, Moments, solver_on, torch_device

Search = dict[str, Any]
"""The settings of a search: "solver" names it, and the others are what it takes; plain values."""


class SolvedTogether:
    """What an algorithm is whose searches `batch_solver` has; a base of frozen dataclasses."""

    device: Device

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from one data set."""
        raise NotImplementedError

    def moments(self, data: Dataset) -> Moments:
        """Return what the searches need of the data; `NotApplicable` says what they lack."""
        raise NotImplementedError

    def searches(self) -> list[Search]:
        """Return the settings of each search; a later one starts where the one before ended."""
        raise NotImplementedError

    def estimate(self, moments: Moments, solved: Mapping[str, Any]) -> Estimate:
        """Return the estimate that the solved numbers of one data set make."""
        raise NotImplementedError

    @property
    def batched(self) -> bool:
        """Whether many data sets are computed in one call: by torch, and not by kernels."""
        return self.device != "cpu"

    def discover_many(
        self, datasets: Sequence[Dataset], rngs: Sequence[Generator]
    ) -> list[Estimate | Exception]:
        """Return an estimate for each data set, or the exception that `discover` would raise.

        Parameters
        ----------
        datasets : sequence of Dataset
            Of as many columns each.
        rngs : sequence of Generator
        """
        if not self.batched:
            pairs = zip(datasets, rngs, strict=True)
            return [_outcome(self.discover, data, rng) for data, rng in pairs]
        solver_on(self.device)  # raises where there is none
        from causalassay.discovery.continuous import batch_program  # noqa: PLC0415  torch is optional

        outcomes = [_outcome(self.moments, data) for data in datasets]
        moments = [each for each in outcomes if isinstance(each, Moments)]
        if not moments:
            return outcomes
        solved = batch_program.solve_searches(
            self.searches(),
            np.array([each.covariance for each in moments]),
            [each.n_samples for each in moments],
            torch_device(self.device),
        )
        rows = (dict(zip(solved, row, strict=True)) for row in zip(*solved.values(), strict=True))
        return [
            _outcome(self.estimate, each, next(rows)) if isinstance(each, Moments) else each
            for each in outcomes
        ]

    def discover_by_torch(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from one data set, as one of many."""
        (outcome,) = self.discover_many([data], [rng])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def _outcome(step: Any, *given: Any) -> Any:
    """Return what a step returns, or the exception that it raises: of one data set alone."""
    try:
        return step(*given)
    except Exception as error:  # the others are not to be lost with it
        return error
