"""DirectLiNGAM and RESIT of the package lingam."""

from __future__ import annotations

from typing import Any

import lingam
import numpy as np
from pygam import LinearGAM
from sklearn.ensemble import GradientBoostingRegressor

from bench.worker import Arrays, Call, Read


def direct_lingam(data: Arrays) -> tuple[Call, Read]:
    """Prepare DirectLiNGAM with its defaults."""

    def call() -> Any:
        return lingam.DirectLiNGAM().fit(data["values"])

    return call, _read


class Splines:
    """A sum of splines of each regressor, as CAM has, in the form that lingam asks for."""

    def fit(self, regressors: Any, target: Any) -> Splines:
        """Fit, each spline with ten functions."""
        self.model = LinearGAM(n_splines=10).fit(regressors, target)
        return self

    def predict(self, regressors: Any) -> Any:
        """Return the fitted values."""
        return self.model.predict(regressors)


def resit_splines(data: Arrays) -> tuple[Call, Read]:
    """Prepare RESIT at its default level, regressing on splines."""
    return _resit(data, Splines())


def resit_boosting(data: Arrays) -> tuple[Call, Read]:
    """Prepare RESIT at its default level, regressing by boosted trees."""
    return _resit(data, GradientBoostingRegressor(random_state=0))


def _resit(data: Arrays, regressor: Any) -> tuple[Call, Read]:
    def call() -> Any:
        return lingam.RESIT(regressor=regressor).fit(data["values"])

    return call, _read


def _read(model: Any) -> Arrays:
    # Their matrix is [effect, cause].
    weights = model.adjacency_matrix_.T
    return {"graph": weights != 0, "order": np.array(model.causal_order_)}
