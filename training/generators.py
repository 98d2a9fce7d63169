"""Systems of a prior and their data, in batches on one device.

Nodes stand in a causal order: the network is blind to labels. `shuffled` renames them, for those
who look at the data in another way.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from training import graphs, linear, nonlinear
from training.noise import LAWS, draw_laws, draw_noise
from training.priors import ONE_LAW, Prior

MOST_AT_ONCE = 500_000_000
"""Numbers in the largest tensor of a draw, 2 GB; larger draws are made in pieces."""


class Part(NamedTuple):
    """Data of systems with the same number of rows."""

    columns: Tensor
    """Shape (systems, nodes, rows)."""
    graph: Tensor


class LinearSystems(NamedTuple):
    """Linear models; all tensors begin with the axis of systems."""

    graph: Tensor
    weights: Tensor
    variance: Tensor
    laws: Tensor

    def sampled(self, n_rows: int, generator: torch.Generator) -> Part:
        """Draw data."""
        columns = linear.sampled(self.weights, self.variance, self.laws, n_rows, generator)
        return Part(columns, self.graph)


class NonlinearSystems(NamedTuple):
    """Nonlinear models, standardised inside."""

    graph: Tensor
    explained: Tensor
    laws: Tensor
    inward: Tensor
    phase: Tensor
    outward: Tensor
    is_cosine: Tensor

    def sampled(self, n_rows: int, generator: torch.Generator) -> Part:
        """Draw data."""
        functions = nonlinear.Functions(self.inward, self.phase, self.outward, self.is_cosine)
        noise = draw_noise(self.laws, n_rows, generator)
        return Part(nonlinear.sampled(self.graph, functions, noise, self.explained), self.graph)


Systems = LinearSystems | NonlinearSystems


def every(systems: Systems, first: int, step: int) -> Systems:
    """Return every so many of the systems, beginning with one: all kinds in their shares."""
    return type(systems)(*(part[first::step].contiguous() for part in systems))


def draw_systems(
    prior: Prior, n_nodes: int, n_systems: int, generator: torch.Generator
) -> list[Systems]:
    """Draw systems of a prior: the linear ones, then the nonlinear ones, if it has both.

    Along the causal order one small operation follows another, whatever the number of systems;
    so many are drawn at once.

    Parameters
    ----------
    prior : Prior
        What kinds of systems.
    n_nodes, n_systems : int
        Nodes of each system, systems in all.
    generator : torch.Generator
        The source of randomness, on the device of the results.
    """
    graph = draw_graphs(prior, n_nodes, n_systems, generator)
    chance = torch.rand(n_systems, generator=generator, device=generator.device)
    laws = draw_laws(ONE_LAW, (n_systems, n_nodes), chance < prior.own_laws, generator)
    n_linear = n_systems - round(prior.nonlinear * n_systems)
    systems: list[Systems] = []
    if n_linear:
        systems.append(draw_linear(prior, graph[:n_linear], laws[:n_linear], generator))
    if n_linear < n_systems:
        systems.append(draw_nonlinear(graph[n_linear:], laws[n_linear:], generator))
    return systems


def draw(
    prior: Prior, n_nodes: int, n_systems: int, n_rows: int, generator: torch.Generator
) -> list[Part]:
    """Draw systems of a prior, and data with so many rows; see `draw_systems`."""
    systems = draw_systems(prior, n_nodes, n_systems, generator)
    return [part for some in systems for part in sampled(some, n_rows, generator)]


def sampled(systems: Systems, n_rows: int, generator: torch.Generator) -> list[Part]:
    """Draw data, in as many pieces as memory asks for."""
    n_systems, n_nodes, _ = systems.graph.shape
    widest = nonlinear.N_UNITS if isinstance(systems, NonlinearSystems) else n_nodes
    n_pieces = math.ceil(n_systems * widest * n_rows / MOST_AT_ONCE)
    return [every(systems, first, n_pieces).sampled(n_rows, generator) for first in range(n_pieces)]


def draw_rows(prior: Prior, rng: np.random.Generator) -> int:
    """Draw a number of rows, its logarithm uniform."""
    low, high = prior.rows
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


_EVENLY = ("explained-evenly", "onion")


def draw_linear(
    prior: Prior, graph: Tensor, laws: Tensor, generator: torch.Generator
) -> LinearSystems:
    """Draw linear models of all schemes of a prior on given graphs.

    "scm", "iscm" and "uumc" are `SCM`, `ISCM` and `UUMC` of the package; "harmonized" scales the
    noise or not; "explained" gives each node a drawn share of variance that its parents explain,
    as `SNR` and `HalfExplained` do with one share for all; "explained-evenly" does so with DaO's
    even directions; "onion" is `DaO` on complete graphs.
    """
    sizes = shared_out(prior.schemes, len(graph))
    onions = sizes.get("onion", 0)
    if onions:  # the last of the schemes
        complete = torch.ones_like(graph[:onions]).triu(1)
        graph = torch.cat((graph[: len(graph) - onions], complete))
    n_evenly = sum(sizes.get(scheme, 0) for scheme in _EVENLY)
    own, evenly = graph[: len(graph) - n_evenly], graph[len(graph) - n_evenly :]
    weights, variances, rules, first = [], [], [], 0
    for scheme, size in sizes.items():
        if scheme not in _EVENLY:
            weight, variance = draw_model(scheme, own[first : first + size], prior.wide, generator)
            weights.append(weight)
            variances.append(variance)
            rules.append(torch.full((size,), _RULES[scheme], device=graph.device))
            first += size
    if any(_RULES[scheme] for scheme in sizes if scheme not in _EVENLY):
        shares = draw_shares(own, generator)
        scaled = linear.rescaled(torch.cat(weights), torch.cat(variances), torch.cat(rules), shares)
        weights, variances = [scaled[0]], [scaled[1]]
    if n_evenly:
        shares = draw_shares(evenly, generator)
        if onions:
            onion = linear.onion_shares(evenly[n_evenly - onions :], generator)
            shares = torch.cat((shares[: n_evenly - onions], onion))
        weight, variance = linear.dao_weights(evenly, shares, generator)
        weights.append(weight)
        variances.append(variance)
    return LinearSystems(graph, torch.cat(weights), torch.cat(variances), laws)


_RULES = {
    "scm": linear.UNCHANGED,
    "harmonized": linear.UNCHANGED,
    "iscm": linear.STANDARDIZED,
    "uumc": linear.STANDARDIZED,
    "explained": linear.EXPLAINED,
}


def draw_nonlinear(graph: Tensor, laws: Tensor, generator: torch.Generator) -> NonlinearSystems:
    """Draw nonlinear models on given graphs; in a quarter the noise before scaling is 1."""
    n_systems, device = len(graph), generator.device
    family = torch.randint(
        len(nonlinear.FAMILIES), (n_systems,), generator=generator, device=device
    )
    functions = nonlinear.draw_functions(graph, family, generator)
    as_drawn = torch.rand((n_systems, 1), generator=generator, device=device) < 0.25
    explained = torch.where(as_drawn, -1.0, draw_shares(graph, generator))
    return NonlinearSystems(graph, explained, laws, *functions)


def shuffled(part: Part, generator: torch.Generator) -> Part:
    """Return the systems with their nodes renamed at random."""
    size = part.graph.shape[:2]
    order = torch.rand(size, generator=generator, device=part.graph.device).argsort(1)
    columns = part.columns.gather(1, order[:, :, None].expand_as(part.columns))
    return Part(columns, graphs.permuted(part.graph, order))


def standardized(columns: Tensor) -> Tensor:
    """Return the columns with mean 0 and variance 1 over the rows."""
    variance, mean = torch.var_mean(columns, 2, correction=0, keepdim=True)
    return (columns - mean) * variance.rsqrt()


def shared_out(shares: dict[str, float], total: int) -> dict[str, int]:
    """Divide a total by shares into whole numbers, leaving out what gets none.

    Examples
    --------
    >>> shared_out({"a": 0.5, "b": 0.25, "c": 0.25}, 7)
    {'a': 4, 'b': 1, 'c': 2}
    """
    names, bounds = list(shares), np.cumsum(list(shares.values()))
    ends = [round(total * bound / bounds[-1]) for bound in bounds]
    starts = [0, *ends[:-1]]
    sizes = zip(names, starts, ends, strict=True)
    return {name: end - start for name, start, end in sizes if end > start}


_NARROW_GRAPHS = {"er": 0.5, "sf": 0.5}
_WIDE_GRAPHS = {
    "er": 0.45,
    "sf": 0.3,
    "chain": 0.1,
    "hub": 0.1,
    "complete": 0.05,
}


def draw_graphs(prior: Prior, n_nodes: int, n_systems: int, generator: torch.Generator) -> Tensor:
    """Draw the graphs of a prior."""
    sizes = shared_out(_WIDE_GRAPHS if prior.wide else _NARROW_GRAPHS, n_systems)
    drawn = [_family(name, n_nodes, size, prior.wide, generator) for name, size in sizes.items()]
    order = torch.rand(n_systems, generator=generator, device=generator.device).argsort()
    return torch.cat(drawn)[order]  # so that no scheme goes with a family


def _family(
    name: str, n_nodes: int, n_systems: int, wide: bool, generator: torch.Generator
) -> Tensor:
    device, most = generator.device, (n_nodes - 1) / 2

    def uniform(low: float, high: float) -> Tensor:
        drawn = torch.rand(n_systems, generator=generator, device=device)
        return low + (high - low) * drawn

    def edges(per_node: Tensor) -> Tensor:
        return (per_node.clamp(max=most) * n_nodes).round().long()

    match name:
        case "er" if wide:  # from 0.3 to 6 edges per node, most of them few
            per_node = torch.exp(uniform(math.log(0.3), math.log(6)))
            return graphs.erdos_renyi(n_nodes, edges(per_node), generator)
        case "er":
            return graphs.erdos_renyi(n_nodes, edges(uniform(1, 4)), generator)
        case "sf":
            per_node = uniform(1, 5).long().clamp(max=4)
            return graphs.scale_free(n_nodes, per_node, uniform(0, 1) < 0.5, generator)
        case "chain":
            return graphs.chains(n_nodes, uniform(0.6, 1.2), edges(uniform(0, 1)), generator)
        case "hub":
            return graphs.hubs(n_nodes, uniform(0.2, 1), edges(uniform(0, 1.5)), generator)
        case _:
            upper = torch.ones((n_nodes, n_nodes), dtype=torch.bool, device=device).triu(1)
            return upper.expand(n_systems, n_nodes, n_nodes)


_RANGES = ((0.5, 2.0), (0.5, 2.0), (0.5, 2.0), (0.25, 1.0), (0.5, 1.5), (1.0, 3.0))
"""Of the magnitudes of weights: three of the narrow priors' systems in six have the first."""


def draw_model(
    scheme: str, graph: Tensor, wide: bool, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw the weights and the noise variances of a scheme, before models are rescaled.

    Parameters
    ----------
    scheme : str
        A key of `_RULES`.
    graph : Tensor
        Adjacency matrices.
    wide : bool
        Whether weights and noise vary as in the broad prior.
    generator : torch.Generator
        The source of randomness.
    """
    if scheme == "uumc":
        return linear.uumc_weights(graph, generator)
    n_systems, n_nodes, _ = graph.shape
    low, high = _ranges(n_systems, wide, generator)
    chance = torch.rand(n_systems, generator=generator, device=graph.device)
    signs = (chance > 0.8).long() + (chance > 0.9).long()
    weights = linear.raw_weights(graph, low, high, signs, generator)
    if scheme == "explained":
        return weights, torch.ones((n_systems, n_nodes), device=graph.device)
    variance = _noise_variance((n_systems, n_nodes), wide, generator)
    if scheme == "harmonized":
        half = torch.rand(n_systems, generator=generator, device=graph.device) < 0.5
        return linear.harmonized(weights, variance, half)
    return weights, variance


def draw_shares(graph: Tensor, generator: torch.Generator) -> Tensor:
    """Draw the share of each node's variance that its parents explain, from weak to nearly all.

    The ratio of signal to noise is a level of the system, from 0.15 to 50, times the number of
    parents. It varies from node to node, in half of the systems not at all. With the same ratio
    for any number of parents R² would fall along the causal order: in an Erdős–Rényi graph early
    nodes have many children, which tell of them, and late ones many parents.
    """
    device, n_systems, n_nodes = generator.device, len(graph), graph.shape[1]

    def uniform() -> Tensor:
        return torch.rand((n_systems, 1), generator=generator, device=device)

    level = math.log(0.15) + uniform() * math.log(50 / 0.15)
    spread = (3 * uniform() - 1.5).clamp(min=0)
    varied = torch.randn((n_systems, n_nodes), generator=generator, device=device)
    ratio = level + spread * varied + graph.sum(1).clamp(min=1).log()
    return torch.sigmoid(ratio).clamp(max=0.9995)


def _ranges(n_systems: int, wide: bool, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    device = generator.device
    if wide:
        drawn = torch.rand((2, n_systems), generator=generator, device=device)
        low = torch.exp(math.log(0.1) + math.log(15) * drawn[0])
        return low, low + torch.exp(math.log(0.3) + math.log(15) * drawn[1])
    number = torch.randint(len(_RANGES), (n_systems,), generator=generator, device=device)
    low, high = torch.tensor(_RANGES, device=device).T
    return low[number], high[number]


def _noise_variance(size: tuple[int, int], wide: bool, generator: torch.Generator) -> Tensor:
    """Draw noise variances: in half of the systems all are 1."""
    device = generator.device
    equal = torch.rand((size[0], 1), generator=generator, device=device) < 0.5
    if wide:
        sd = torch.exp(0.7 * torch.randn(size, generator=generator, device=device))
    else:
        sd = 0.5 + 1.5 * torch.rand(size, generator=generator, device=device)
    return torch.where(equal, 1.0, sd.square())


class Setting(NamedTuple):
    """A kind of system to test on: Erdős–Rényi graphs with exactly so many edges per node."""

    scheme: str
    law: str
    n_nodes: int = 20
    n_rows: int = 1000
    edges_per_node: float = 2.0


def draw_setting(setting: Setting, n_systems: int, generator: torch.Generator) -> Part:
    """Draw systems with the package's defaults: weights of ±0.5 to 2, noise of variance 1."""
    device, n_nodes = generator.device, setting.n_nodes
    n_edges = torch.full((n_systems,), round(setting.edges_per_node * n_nodes), device=device)
    graph = graphs.erdos_renyi(n_nodes, n_edges, generator)
    ones = torch.ones((n_systems, n_nodes), device=device)
    rule = torch.full((n_systems,), linear.STANDARDIZED, device=device)
    if setting.scheme == "uumc":
        weights, variance = linear.uumc_weights(graph, generator)
    else:
        low = torch.full((n_systems,), 0.5, device=device)
        signs = torch.zeros_like(n_edges)
        weights, variance = linear.raw_weights(graph, low, 4 * low, signs, generator), ones
        if setting.scheme == "scm":
            rule = torch.zeros_like(rule)
    weights, variance = linear.rescaled(weights, variance, rule, ones)
    laws = torch.full((n_systems, n_nodes), LAWS.index(setting.law), device=device)
    return Part(linear.sampled(weights, variance, laws, setting.n_rows, generator), graph)
