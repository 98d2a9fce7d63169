"""Additive regression against mgcv, frozen and live: residual variances and p-values of terms.

To freeze anew: ``python tests/peers/test_mgcv_peers.py`` where ``Rscript`` and mgcv are.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

FROZEN = Path(__file__).parent / "frozen" / "mgcv.json"
N_CASES = 20

SCRIPT = """
suppressMessages(library(mgcv))
cat(as.character(packageVersion("mgcv")), "\\n")
for (file in commandArgs(trailingOnly = TRUE)) {
  data <- read.csv(file, header = FALSE)
  terms <- paste0("s(", names(data)[-1], ", k = 10)", collapse = " + ")
  fit <- gam(as.formula(paste(names(data)[1], "~", terms)), data = data, method = "REML")
  cat(mean(residuals(fit)^2), summary(fit)$s.pv, "\\n")
}
"""


def case(seed):
    """A target and 2 to 6 predictors, half of them without effect; standardised and rounded."""
    rng = np.random.default_rng([2013, seed])
    n, p = (200, 300, 500)[seed % 3], 2 + seed % 5
    predictors = rng.normal(size=(n, p)) + 0.6 * rng.normal(size=(n, 1))
    weights = rng.uniform(0.1, 0.8, size=p) * (np.arange(p) % 2 == 0)
    bends = [np.sin, np.square, np.asarray][seed % 3]
    target = bends(1.5 * predictors) @ weights + rng.normal(size=n)
    values = np.column_stack([target, predictors])
    return np.round((values - values.mean(axis=0)) / values.std(axis=0), 6)


def ours():
    from causalassay.discovery.regression.additive_model import fit_additive
    from causalassay.discovery.regression.spline_columns import spline_columns

    columns = [spline_columns(case(seed)) for seed in range(N_CASES)]
    return [fit_additive(one, 0, np.arange(1, one.n_columns)) for one in columns]


def test_residual_variances_are_near_those_of_mgcv():
    """Its basis is another one of ten functions, so they differ by up to 2 %."""
    frozen = json.loads(FROZEN.read_text())["variances"]
    np.testing.assert_allclose([fit.residual_variance for fit in ours()], frozen, rtol=0.02)


def test_p_values_are_near_those_of_mgcv():
    """All 80 terms on the same side of 0.001; above 1e-6 nine of ten within a factor of 1.25."""
    frozen = np.concatenate(json.loads(FROZEN.read_text())["p"])
    got = np.concatenate([fit.p_values() for fit in ours()])
    np.testing.assert_array_equal(frozen <= 0.001, got <= 0.001)
    moderate = (got > 1e-6) & (frozen > 1e-6)
    ratio = np.abs(np.log(got[moderate] / frozen[moderate]))
    assert moderate.sum() >= 30
    assert np.median(ratio) < np.log(1.1)
    assert np.quantile(ratio, 0.9) < np.log(1.25)


@pytest.mark.needs("r-package:mgcv")
def test_frozen_mgcv_is_the_live_one():
    frozen = json.loads(FROZEN.read_text())
    _, live = mgcvs(range(4))
    np.testing.assert_allclose([line[0] for line in live], frozen["variances"][:4], rtol=1e-3)


def mgcvs(seeds):
    """Return the version, and of each case the residual variance and then the p-values."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "fit.R")
        script.write_text(SCRIPT)
        files = [Path(folder, f"{seed}.csv") for seed in seeds]
        for seed, file in zip(seeds, files, strict=True):
            np.savetxt(file, case(seed), delimiter=",", fmt="%.6f")
        command = ["Rscript", script, *files]
        version, *lines = subprocess.check_output(command, text=True).splitlines()
    return version.strip(), [[float(word) for word in line.split()] for line in lines]


def freeze():
    version, numbers = mgcvs(range(N_CASES))
    frozen = {
        "peer": "mgcv",
        "version": version,
        "method": "REML",
        "seeds": f"[2013, k] for k from 0 to {N_CASES - 1}",
        "variances": [line[0] for line in numbers],
        "p": [line[1:] for line in numbers],
    }
    FROZEN.write_text(json.dumps(frozen, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
