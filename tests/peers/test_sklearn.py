"""The lasso path and its BIC against scikit-learn's LassoLarsIC."""

import numpy as np
from sklearn import linear_model

from causalassay.discovery.regression.bic_lasso import lasso_bic
from causalassay.discovery.regression.lasso_along_order import PATH_END


def regression(seed):
    """Correlated regressors, a sparse target, and any scale."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 25))
    n = int(rng.integers(p + 3, 200))
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) * 10.0 ** rng.uniform(-1, 1)
    y = x @ (rng.normal(size=p) * (rng.random(p) < 0.4))
    y += rng.normal(size=n) * 10.0 ** rng.uniform(-1, 1)
    return x - x.mean(axis=0), y - y.mean()


def test_coefficients_equal_those_of_lasso_lars_ic():
    n_with_drops = 0
    for seed in range(100):
        x, y = regression(seed)
        n = len(y)
        theirs = linear_model.LassoLarsIC(criterion="bic").fit(x, y)
        n_with_drops += theirs.n_iter_ > x.shape[1]
        ols = np.linalg.lstsq(x, y)[0]
        residual = np.mean((y - x @ ols) ** 2)
        ours = lasso_bic(x.T @ x / n, x.T @ y / n, ols, residual, n, PATH_END)
        np.testing.assert_array_equal(theirs.coef_ != 0, ours != 0, err_msg=f"seed {seed}")
        scale = max(np.abs(theirs.coef_).max(), 1e-300)
        np.testing.assert_allclose(ours / scale, theirs.coef_ / scale, atol=1e-8)
    assert n_with_drops >= 50  # so that the paths leave regressors as well as take them
