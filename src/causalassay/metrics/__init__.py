"""Metrics that compare an estimated graph with the true one."""

from causalassay.metrics import (
    adjustment,
    chance_level,
    edges,
    intervention_distance,
    interventional,
    laws,
    ordering,
    resolution,
)
from causalassay.metrics.adjustment import *  # noqa: F403
from causalassay.metrics.chance_level import *  # noqa: F403
from causalassay.metrics.edges import *  # noqa: F403
from causalassay.metrics.intervention_distance import *  # noqa: F403
from causalassay.metrics.interventional import *  # noqa: F403
from causalassay.metrics.laws import *  # noqa: F403
from causalassay.metrics.ordering import *  # noqa: F403
from causalassay.metrics.resolution import *  # noqa: F403

__all__: list[str] = []
__all__ += adjustment.__all__
__all__ += chance_level.__all__
__all__ += edges.__all__
__all__ += interventional.__all__
__all__ += laws.__all__
__all__ += ordering.__all__
__all__ += resolution.__all__
__all__ += intervention_distance.__all__
