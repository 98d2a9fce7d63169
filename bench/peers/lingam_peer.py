"""DirectLiNGAM of the package lingam."""

from __future__ import annotations

from typing import Any

import lingam
import numpy as np

from bench.worker import Arrays, Call, Read


def direct_lingam(data: Arrays) -> tuple[Call, Read]:
    """Prepare DirectLiNGAM with its defaults."""

    def call() -> Any:
        return lingam.DirectLiNGAM().fit(data["values"])

    return call, _read


def _read(model: Any) -> Arrays:
    # Their matrix is [effect, cause].
    weights = model.adjacency_matrix_.T
    return {"graph": weights != 0, "order": np.array(model.causal_order_)}
