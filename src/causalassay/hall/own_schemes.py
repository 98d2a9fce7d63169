"""Our own schemes as entries: every model source of the registry, with its defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from causalassay.data.dataset import World
from causalassay.graphs.sources import ErdosRenyi, GraphSource, LaggedErdosRenyi
from causalassay.hall.entry import Draw, Entry, Settings, SourceFailed
from causalassay.models.draws import source
from causalassay.models.registry import MODELS, ModelSource
from causalassay.short_lines import short_lines
from causalassay.study.keys import canonical
from causalassay.study.problem_specs import Generated
from causalassay.study.worker.problem_making import NoProblem, make

EDGES_PER_NODE = 2
MAX_LAG = 2

WORLDS: Mapping[str, World] = {"var": "series", "discrete": "discrete"}
"""By mechanism; the others make independent rows of numbers."""

_GRAPHS: Mapping[World, str] = {
    "continuous": "ca.graphs.erdos_renyi({nodes}, 2, rng, exact=False)",
    "discrete": "ca.graphs.erdos_renyi({nodes}, 2, rng, exact=False)",
    "series": "ca.graphs.lagged_erdos_renyi({nodes}, {share:.3g}, 2, rng, feedback=False)",
}
_NOTES: Mapping[World, str] = {
    "continuous": "Erdős–Rényi graphs, 2 edges per node expected.",
    "discrete": "Erdős–Rényi graphs, 2 edges per node expected.",
    "series": "2 links per node to others expected, at lags 0 to 2, without feedback.",
}


_FUNCTIONS: Mapping[str, str] = {
    "gp": "Functions: one Gaussian process over all parents.",
    "gp-additive": "Functions: a sum of Gaussian processes, one for each parent.",
    "mlp": "Functions: random networks.",
    "multi-index": "Functions: tanh, cos and sin of random sums of the parents.",
    "rff": "Functions: Gaussian processes by random Fourier features.",
    "sigmoid": "Functions: sums of sigmoids, one for each parent.",
}


@dataclass(frozen=True)
class Scheme:
    """A model source with its defaults, on random graphs of its world.

    Parameters
    ----------
    model : ModelSource
    world : {"continuous", "discrete", "series"}

    Examples
    --------
    >>> from causalassay.models import ISCM
    >>> data, graph = Scheme(ISCM(), "continuous").draw(Settings(nodes=5, samples=50), 0)
    >>> data.observational_values.shape, graph.shape
    ((50, 5), (5, 5))
    """

    model: ModelSource
    world: World

    @property
    def identity(self) -> Mapping[str, Any]:
        """What the model source is, with its version."""
        return {"model": canonical(self.model), "graph": canonical(_graphs(self.world, 10))}

    @property
    def version(self) -> str:
        """Of causalassay."""
        return version("causalassay")

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return what a study with this seed has as its replicate of that number."""
        spec = Generated(_graphs(self.world, settings.nodes), self.model, settings.samples)
        try:
            problem = make(settings.seed, spec, "main", number).problem
        except NoProblem as reason:
            raise SourceFailed(str(reason)) from reason
        return problem.data, problem.graph if problem.lagged is None else problem.lagged


def own_schemes(settings: Settings) -> Iterator[Entry]:
    """Yield an entry for each model source; the raw scheme is called so.

    Examples
    --------
    >>> [entry.name for entry in own_schemes(Settings())][:3]
    ['linear-raw', 'linear-standardized', 'linear-iscm']
    """
    told = short_lines("models")
    for found in MODELS.entries():
        mechanism, _, kind = found.name.partition(".")
        if found.value is None or found.name not in told:
            continue  # it is not built in
        world = WORLDS.get(mechanism, "continuous")
        share = _share(settings.nodes)
        graph = _GRAPHS[world].format(nodes=settings.nodes, share=share)
        yield Entry(
            f"{mechanism}-{'raw' if kind == 'scm' else kind}",
            "ours",
            "causalassay",
            world,
            told[found.name],
            f'ca.models.draw("{kind}", {graph}, rng, mechanism="{mechanism}")',
            Scheme(source(kind, mechanism=mechanism), world),
            f"{_FUNCTIONS.get(mechanism, '')} {_NOTES[world]}".strip(),
        )


def _graphs(world: World, nodes: int) -> GraphSource:
    if world == "series":
        return LaggedErdosRenyi(nodes, _share(nodes), MAX_LAG, feedback=False)
    return ErdosRenyi(nodes, EDGES_PER_NODE, exact=False)


def _share(nodes: int) -> float:
    """Return the probability of a link between two nodes that gives the expected number."""
    return min(1.0, 2 * EDGES_PER_NODE / (nodes - 1))
