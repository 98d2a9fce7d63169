"""A slow and obvious twin of NOTEARS, written after the authors' schedule."""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import minimize


def transcription(values, lambda1=0.0, max_iter=100, h_tolerance=1e-8, rho_max=1e16):
    """NOTEARS as published, on the data, with SciPy's exponential and optimiser.

    Sums and products are taken in the order of the authors' program, since another order rounds
    otherwise and ends at another graph on about half of standardised data sets.
    """
    n, d = values.shape
    x = values - values.mean(axis=0)

    def join(w):
        return (w[: d * d] - w[d * d :]).reshape(d, d)

    def squared_error(weights):
        residual = x - x @ weights
        return 0.5 / n * np.square(residual).sum(), (-1 / n * x.T) @ residual

    def constraint(weights):
        exponential = expm(weights * weights)
        return np.trace(exponential) - d, exponential.T * weights * 2

    def lagrangian(w):
        loss, gradient = squared_error(join(w))
        h, slope = constraint(join(w))
        value = loss + rho / 2 * h * h + alpha * h + lambda1 * w.sum()
        gradient = gradient + (rho * h + alpha) * slope
        return value, np.r_[gradient.ravel() + lambda1, lambda1 - gradient.ravel()]

    bounds = [(0, 0 if i == j else None) for _ in "+-" for i in range(d) for j in range(d)]
    found, rho, alpha, h = np.zeros(2 * d * d), 1.0, 0.0, np.inf
    for _ in range(max_iter):
        while rho < rho_max:
            new = minimize(lagrangian, found, jac=True, method="L-BFGS-B", bounds=bounds).x
            h_new = constraint(join(new))[0]
            if h_new <= 0.25 * h:
                break
            rho *= 10
        found, h = new, h_new
        alpha += rho * h
        if h <= h_tolerance or rho >= rho_max:
            break
    weights = join(found)
    return weights, squared_error(weights)[0] + lambda1 * np.abs(weights).sum()
