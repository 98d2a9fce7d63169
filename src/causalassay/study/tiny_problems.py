"""Problems as small as can be, on which kernels are compiled, or loaded, before the first task."""

from __future__ import annotations

from functools import cache

import numpy as np

from causalassay.data import Dataset, Discrete, Problem, Regime
from causalassay.data.dataset import World
from causalassay.graphs import erdos_renyi, lagged_erdos_renyi
from causalassay.models import SCM, Dirichlet, SeriesSCM

_N_ROWS = 60


@cache
def tiny_problem(world: World) -> Problem | None:
    """Return a tiny problem of a world; None for mixed data, for which there is no kernel.

    Examples
    --------
    >>> tiny_problem("continuous").data.n_nodes
    5
    """
    rng = np.random.default_rng(0)
    match world:
        case "continuous":
            graph = erdos_renyi(5, 1.0, rng)
            linear = SCM().draw(graph, rng)
            observed = Regime("o", linear.sample(_N_ROWS, rng))
            regimes = (observed, Regime("i", linear.sample(_N_ROWS, rng), (0,)))
            return Problem(Dataset(tuple("abcde"), regimes, observational="o"), graph, linear)
        case "discrete":
            graph = erdos_renyi(5, 1.0, rng)
            tables = Dirichlet().draw(graph, rng)
            kinds = tuple(Discrete(levels) for levels in tables.levels)
            levels = (Regime("o", tables.sample(_N_ROWS, rng)),)
            return Problem(Dataset(tables.names, levels, "o", kinds), graph, tables)
        case "series":
            lagged = lagged_erdos_renyi(4, 0.5, 1, rng)
            series = SeriesSCM().draw(lagged, rng)
            data = Dataset.from_values(series.sample(_N_ROWS, rng), rows="series")
            return Problem.of_series(data, lagged)
        case "mixed":
            return None
