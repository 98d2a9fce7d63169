"""What the assay asks of gcastle besides the algorithms that studies have."""

import os

os.environ["CASTLE_BACKEND"] = "pytorch"

import castle.algorithms
import numpy as np
import torch
from castle.algorithms.ges.score.local_scores import BDeuScore, BICScore
from castle.common.independence_tests import CITest
from castle.metrics import MetricsDAG

torch.set_num_threads(int(os.environ.get("CAUSALASSAY_THREADS", "1")))


def pc(request):
    """Run PC-stable with Fisher's z."""
    return _learned(castle.algorithms.PC(variant="stable", alpha=0.05), request)


def ges(request):
    """Run GES with the BIC from the scatter matrix, as by default."""
    return _learned(castle.algorithms.GES(), request)


def ges_r2(request):
    """Run GES with the BIC from regressions, its other choice."""
    return _learned(castle.algorithms.GES(method="r2"), request)


def direct_lingam(request):
    """Run DirectLiNGAM with its default threshold."""
    return _learned(castle.algorithms.DirectLiNGAM(), request)


def ica_lingam(request):
    """Run ICA-LiNGAM with its default threshold."""
    return _learned(castle.algorithms.ICALiNGAM(random_state=request.seed), request)


def _learned(model, request):
    model.learn(request.values)
    return {"graph": np.asarray(model.causal_matrix) != 0}


def bic(request):
    """Return local scores; its BIC is twice the usual."""
    score = BICScore(request.values, method="scatter")
    return _scores(lambda node, parents: score.local_score(node, parents) / 2, request)


def bdeu(request):
    """Return local scores with an equivalent sample size of 10, and no prior of structures."""
    return _scores(BDeuScore(request.values, k=1.0, N=10).local_score, request)


def _scores(score, request):
    lines = [[int(node) for node in line if node >= 0] for line in request.arrays["families"]]
    numbers = [float(np.ravel(score(line[0], line[1:]))[0]) for line in lines]
    return {"values": np.array(numbers)}


def test(name):
    """Return a function that gives the p-value of each line of "families": x, y and the rest."""

    def p_values(request):
        lines = [[int(node) for node in line if node >= 0] for line in request.arrays["families"]]
        ask = getattr(CITest, name)
        return {
            "values": np.array([float(ask(request.values, x, y, rest)[2]) for x, y, *rest in lines])
        }

    return p_values


def shd(request):
    """Return SHD of pairs of graphs: the truth first."""
    pairs = request.arrays["pairs"].astype(int)
    numbers = [MetricsDAG(b.copy(), a.copy()).metrics["shd"] for a, b in pairs]
    return {"values": np.array(numbers, dtype=float)}


ALGORITHMS = {
    "gcastle-pc": pc,
    "gcastle-ges": ges,
    "gcastle-ges-r2": ges_r2,
    "bic": bic,
    "bdeu": bdeu,
    "gcastle-direct-lingam": direct_lingam,
    "gcastle-ica-lingam": ica_lingam,
    "fisher-z": test("fisherz_test"),
    "g": test("g2_test"),
    "shd": shd,
}
