"""The algorithms of the package gcastle, on torch; its matrices are [cause, effect]."""

import os

os.environ["CASTLE_BACKEND"] = "pytorch"

import castle.algorithms
import numpy as np
import torch

torch.set_num_threads(1)


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


ALGORITHMS = {
    "gcastle-dag-gnn": dag_gnn,
    "gcastle-golem": golem,
    "gcastle-gran-dag": gran_dag,
    "gcastle-notears-mlp": notears_mlp,
}
