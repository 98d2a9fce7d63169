"""Structural causal models of any functions with additive noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, Values, Vector, as_graph
from causalassay.common.seeding import as_generator
from causalassay.graphs.orders import Indices, topological_order
from causalassay.models.interventions import (
    Intervention,
    applied,
    check_intervention,
    on_observed_scale,
)
from causalassay.models.linear.scm import per_node
from causalassay.models.noise import MixedNoise, Noise, noise_of_nodes
from causalassay.models.nonlinear.mechanisms import Function, Functions
from causalassay.present import Document, Shown
from causalassay.present.formatting import counted


@dataclass(frozen=True, eq=False, repr=False, init=False)
class AdditiveNoiseSCM(Shown):
    """X_j = intercept_j + signal_scale_j · f_j(parents) + √noise_variance_j · unit noise.

    The functions are fixed: interventions meet the same ones as observation. The
    moments have no closed form, so there is no method for them; sample instead.

    Parameters
    ----------
    graph : Adjacency
        A DAG.
    functions : sequence of callables
        One for each node; it takes the values of the parents, shape (n, k) by
        increasing node number, and returns n numbers. None for a node without parents.
    noise_variance, intercept, signal_scale : array_like, shape (d,) or scalar
        The three parts of the equation above; a scalar holds for all nodes.
    noise : Noise, MixedNoise or str
        The family of every node's noise, centred, with unit variance; `MixedNoise` has a
        law for each node.
    latent_mean, latent_sd : array_like, shape (d,) or scalar
        How the observed variables came from latent ones: observed =
        (latent - latent_mean) / latent_sd. Only interventions with
        ``scale="latent"`` read them.
    input_mean, input_sd : array_like, shape (d,) or scalar
        Functions see input_mean + input_sd · value of a parent. Where the data were
        standardised after they were complete, that is the value before.

    Examples
    --------
    >>> from causalassay.models import Do
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> square = lambda parents: parents[:, 0] ** 2
    >>> model = AdditiveNoiseSCM(chain(2), [None, square], noise_variance=[1.0, 0.0])
    >>> model
    AdditiveNoiseSCM(2 nodes, 1 edge, gaussian noise)
    >>> model.sample(2, np.random.default_rng(0), (Do(0, 3.0),))
    array([[3., 9.],
           [3., 9.]])
    """

    graph: Adjacency
    functions: Functions
    noise_variance: Vector
    intercept: Vector
    noise: Noise | MixedNoise
    signal_scale: Vector
    latent_mean: Vector
    latent_sd: Vector
    input_mean: Vector
    input_sd: Vector
    _order: Indices = field(init=False)

    def __init__(  # noqa: PLR0913  what a node's equation is made of
        self,
        graph: Adjacency,
        functions: Sequence[Function | None],
        noise_variance: ArrayLike = 1.0,
        intercept: ArrayLike = 0.0,
        noise: Noise | MixedNoise | str = "gaussian",
        *,
        signal_scale: ArrayLike = 1.0,
        latent_mean: ArrayLike = 0.0,
        latent_sd: ArrayLike = 1.0,
        input_mean: ArrayLike = 0.0,
        input_sd: ArrayLike = 1.0,
    ) -> None:
        order = topological_order(graph)
        graph = as_graph(graph).copy()
        graph.setflags(write=False)
        numbers = {
            "noise_variance": noise_variance,
            "intercept": intercept,
            "signal_scale": signal_scale,
            "latent_mean": latent_mean,
            "latent_sd": latent_sd,
            "input_mean": input_mean,
            "input_sd": input_sd,
        }
        checked = {
            "graph": graph,
            "functions": _check_functions(functions, graph),
            "noise": noise_of_nodes(noise, len(graph)),
            "_order": order,
            **{name: per_node(given, len(graph), name) for name, given in numbers.items()},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if (self.noise_variance < 0).any():
            raise ValueError("noise_variance: expected no negative number")
        for name in ("latent_sd", "input_sd"):
            if not (getattr(self, name) > 0).all():
                raise ValueError(f"{name}: expected positive numbers")

    @property
    def size_text(self) -> str:
        """Its nodes, edges and noise, in words."""
        n_edges = int(np.count_nonzero(self.graph))
        nodes, edges = counted(self.n_nodes, "node"), counted(n_edges, "edge")
        return f"{nodes}, {edges}, {self.noise.family} noise"

    def __repr__(self) -> str:
        return f"AdditiveNoiseSCM({self.size_text})"

    def document(self) -> Document:
        """Return what the model shows."""
        from causalassay.models.document import nonlinear_document  # noqa: PLC0415

        return nonlinear_document(self)

    @property
    def n_nodes(self) -> int:
        """The number of nodes d."""
        return len(self.graph)

    @cached_property
    def _parents(self) -> list[Indices]:
        return [np.flatnonzero(column) for column in np.ascontiguousarray(self.graph.T)]

    def under(self, intervention: Intervention) -> AdditiveNoiseSCM:
        """Return the model after an intervention; scales are those of `LinearSCM.under`.

        Examples
        --------
        >>> from causalassay.models import Randomize
        >>> from causalassay.graphs import chain
        >>> model = AdditiveNoiseSCM(chain(2), [None, lambda parents: parents[:, 0] ** 2])
        >>> model.under((Randomize(1, mean=0.0, variance=1.0),)).graph.any()
        np.False_
        """
        if not check_intervention(intervention, self.n_nodes):
            return self
        graph, functions = self.graph.copy(), list(self.functions)
        variance, intercept = self.noise_variance.copy(), self.intercept.copy()
        for action in intervention:
            node = action.node
            observed = on_observed_scale(action, self.latent_mean[node], self.latent_sd[node])
            cut, variance[node], intercept[node] = applied(
                observed, variance[node], intercept[node]
            )
            if cut:
                graph[:, node], functions[node] = False, None
        return replace(
            self,
            graph=graph,
            functions=tuple(functions),
            noise_variance=variance,
            intercept=intercept,
        )

    def sample(
        self, n_samples: int, rng: Generator | int, intervention: Intervention = ()
    ) -> Values:
        """Draw `n_samples` rows.

        The noise of every node is drawn whatever the intervention, so equal
        states of `rng` give equal noise: what an intervention does not reach
        does not change.

        Examples
        --------
        >>> import numpy as np
        >>> from causalassay.graphs import chain
        >>> model = AdditiveNoiseSCM(chain(2), [None, lambda parents: parents[:, 0] ** 2])
        >>> model.sample(3, np.random.default_rng(0)).shape
        (3, 2)
        """
        rng = as_generator(rng)
        if n_samples < 1:
            raise ValueError(f"n_samples: expected at least 1, got {n_samples}")
        noise = self.noise.draw(rng, (n_samples, self.n_nodes))
        return self.under(intervention).respond(noise)

    def respond(self, noise: Values) -> Values:
        """Return the values that unit noise gives: the structural equations, solved in order.

        Examples
        --------
        >>> import numpy as np
        >>> from causalassay.graphs import chain
        >>> model = AdditiveNoiseSCM(chain(2), [None, lambda parents: parents[:, 0] ** 2])
        >>> model.respond(np.array([[2.0, 0.5]]))
        array([[2. , 4.5]])
        """
        columns = np.sqrt(self.noise_variance)[:, None] * noise.T + self.intercept[:, None]
        for node in self._order.tolist():
            if self.functions[node] is not None:
                columns[node] += self.signal_scale[node] * self.signal(node, columns)
        return np.ascontiguousarray(columns.T)

    def signal(self, node: int, columns: Values) -> Vector:
        """Return f_node of its parents, of which `columns` holds a row each."""
        function, parents = self.functions[node], self._parents[node]
        n = columns.shape[1]
        if function is None:
            return np.zeros(n)
        seen = self.input_mean[parents, None] + self.input_sd[parents, None] * columns[parents]
        signal = np.asarray(function(seen.T), dtype=float)
        if signal.shape != (n,):
            raise ValueError(
                f"the function of node {node} returned shape {signal.shape}; expected ({n},), "
                "a number for each row of its parents"
            )
        return signal

    def standardized(self, mean: ArrayLike, sd: ArrayLike) -> AdditiveNoiseSCM:
        """Return the model of (X - mean) / sd: the same functions, seen through other scales.

        Examples
        --------
        >>> import numpy as np
        >>> from causalassay.graphs import chain
        >>> raw = AdditiveNoiseSCM(chain(2), [None, lambda parents: parents[:, 0] ** 2])
        >>> model = raw.standardized(mean=[1.0, 2.0], sd=[2.0, 4.0])
        >>> noise = np.array([[2.0, 0.5]])
        >>> raw.respond(noise), model.respond(noise)
        (array([[2. , 4.5]]), array([[0.5  , 0.625]]))
        """
        mean, sd = per_node(mean, self.n_nodes, "mean"), per_node(sd, self.n_nodes, "sd")
        return replace(
            self,
            noise_variance=self.noise_variance / sd**2,
            intercept=(self.intercept - mean) / sd,
            signal_scale=self.signal_scale / sd,
            latent_mean=mean,
            latent_sd=sd,
            input_mean=self.input_mean + self.input_sd * mean,
            input_sd=self.input_sd * sd,
        )


def _check_functions(functions: Sequence[Function | None], graph: Adjacency) -> Functions:
    if len(functions) != len(graph):
        raise ValueError(f"functions: expected {len(graph)}, one per node; got {len(functions)}")
    for node, (function, n_parents) in enumerate(zip(functions, graph.sum(axis=0), strict=True)):
        if function is None and n_parents:
            raise ValueError(f"functions: node {node} has parents, so it needs a function")
        if function is not None and not n_parents:
            raise ValueError(f"functions: node {node} has no parents; expected None for it")
        if function is not None and not callable(function):
            raise TypeError(
                f"functions: node {node} has a {type(function).__name__}, not a function"
            )
    return tuple(functions)
