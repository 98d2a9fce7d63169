"""The kernels for cards, by Triton's interpreter on the processor, beside the same in torch."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.needs("package:torch"), pytest.mark.needs("package:triton")]

COMPARE = """
import json, sys
import numpy as np
import torch
from causalassay.discovery.continuous import batch_solver as solver, card_kernels as kernels

torch.set_num_threads(1)
rng = np.random.default_rng(3)
values = rng.normal(size=(2, 200, 3)).cumsum(axis=2)
covariances = torch.tensor(np.array([np.cov(each.T, ddof=0) for each in values]))
differences = {}
lengths = torch.full((12,), 1e-3, dtype=torch.float64)
solver.DOUBLE_STEPS = 6
for variant in ("ev", "nv"):
    penalties = solver.Penalties(variant, 0.02, 5.0)
    start = torch.tensor(0.3 * np.triu(np.ones((3, 3)), 1)).expand(2, 3, 3)
    for steps in (6, 12):
        ends = []
        for by_kernel in (False, True):
            descent = solver._Descent(covariances, start, penalties, lengths)
            descent.by_kernel = by_kernel
            ends.append(descent.weights_after(steps))
        differences[f"{variant} {steps}"] = float((ends[0] - ends[1]).abs().max())
kernels.NOTEARS_POINTS = 7  # the state is kept between launches
for lambda1 in ([0.0, 0.0], [0.1, 0.03]):
    expected = solver.solve_notears(covariances.numpy(), lambda1, 2)
    penalty = torch.tensor(lambda1, dtype=torch.float64)
    came = kernels.minimise_notears(covariances, penalty, 2, 1e-8, 1e16, solver._STOPPING)
    for name, array in expected.items():
        off = np.abs(came[name].numpy().astype(float) - array).max()
        differences[f"{name} {lambda1}"] = float(off)
print(json.dumps(differences))
"""


def test_kernels_take_the_steps_of_torch():
    """A machine without a card runs the kernels slowly, but runs them."""
    environment = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", COMPARE],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    differences = json.loads(ran.stdout)
    assert len(differences) == 4 + 2 * 8
    for name, off in differences.items():
        if name.startswith(("evaluations", "iterations", "rho", "converged")):
            assert off == 0, name
        elif name.endswith(" 12"):  # the second half in single precision
            assert off < 1e-5, name
        else:
            assert off < 1e-7, name
