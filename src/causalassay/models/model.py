"""What every model can do."""

from __future__ import annotations

from typing import Protocol

from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values
from causalassay.models.interventions import Intervention


class Model(Protocol):
    """A structural causal model: a graph that can be sampled and intervened upon."""

    @property
    def graph(self) -> Adjacency:
        """The causal DAG."""
        ...

    def sample(self, n_samples: int, rng: Generator, intervention: Intervention = ()) -> Values:
        """Draw rows from the observational or an interventional law."""
        ...
