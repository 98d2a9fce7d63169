"""The algorithms and simulators of gcastle, on torch; its matrices are [cause, effect]."""

import os
from functools import partial

os.environ["CASTLE_BACKEND"] = "pytorch"

import castle.algorithms
import numpy as np
import torch
from castle.datasets import DAG, IIDSimulation

torch.set_num_threads(int(os.environ.get("CAUSALASSAY_THREADS", "1")))


def dag_gnn(request):
    """Run DAG-GNN."""
    parameters = request.parameters
    model = castle.algorithms.DAG_GNN(
        epochs=parameters["epochs"], graph_threshold=parameters["threshold"], seed=request.seed
    )
    return _learned(model, request)


def golem(request):
    """Run GOLEM; the weights are those before the threshold."""
    parameters = request.parameters
    model = castle.algorithms.GOLEM(
        equal_variances=parameters["equal_variances"],
        lambda_1=parameters["lambda1"],
        lambda_2=parameters["lambda2"],
        num_iter=parameters["steps"],
        graph_thres=parameters["threshold"],
        checkpoint_iter=None,
        seed=request.seed,
    )
    return _learned(model, request)


def gran_dag(request):
    """Run GraN-DAG."""
    model = castle.algorithms.GraNDAG(
        input_dim=len(request.columns), random_seed=request.seed, **request.parameters
    )
    return _learned(model, request)


def notears_mlp(request):
    """Run NOTEARS-MLP."""
    parameters = request.parameters
    model = castle.algorithms.NotearsNonlinear(
        lambda1=parameters["lambda1"],
        lambda2=parameters["lambda2"],
        w_threshold=parameters["threshold"],
    )
    return _learned(model, request)


def _learned(model, request):
    kind = torch.get_default_dtype()
    try:
        model.learn(request.values)
    finally:
        torch.set_default_dtype(kind)  # some of them change it for all
    found = {"graph": np.asarray(model.causal_matrix) != 0}
    weights = getattr(model, "weight_causal_matrix", None)
    if weights is not None:
        found["weights"] = np.asarray(weights, dtype=float)
    return found


def simulate(method, sem_type, request):
    """Simulate; the graph is the one that the package gives out as the truth."""
    d = request.parameters["nodes"]
    weights = {"weight_range": (0.5, 2.0)} if method == "linear" else {}
    made = IIDSimulation(
        DAG.erdos_renyi(d, 2 * d, seed=request.seed, **weights),
        request.parameters["samples"],
        method=method,
        sem_type=sem_type,
    )
    drawn = {"values": made.X, "graph": made.B}
    return drawn | ({"levels": np.full(d, 2)} if sem_type == "logistic" else {})


ALGORITHMS = {
    "gcastle-dag-gnn": dag_gnn,
    "gcastle-golem": golem,
    "gcastle-gran-dag": gran_dag,
    "gcastle-notears-mlp": notears_mlp,
}
GENERATORS = {
    "gcastle-linear-gaussian": partial(simulate, "linear", "gauss"),
    "gcastle-linear-exponential": partial(simulate, "linear", "exp"),
    "gcastle-linear-gumbel": partial(simulate, "linear", "gumbel"),
    "gcastle-linear-uniform": partial(simulate, "linear", "uniform"),
    "gcastle-logistic": partial(simulate, "linear", "logistic"),
    "gcastle-nonlinear-mlp": partial(simulate, "nonlinear", "mlp"),
    "gcastle-nonlinear-mim": partial(simulate, "nonlinear", "mim"),
    "gcastle-nonlinear-quadratic": partial(simulate, "nonlinear", "quadratic"),
    "gcastle-nonlinear-gp": partial(simulate, "nonlinear", "gp"),
    "gcastle-nonlinear-gp-add": partial(simulate, "nonlinear", "gp-add"),
}
