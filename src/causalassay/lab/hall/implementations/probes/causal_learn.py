"""What the assay asks of causal-learn besides the algorithms that studies have."""

import numpy as np
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.SHD import SHD
from causallearn.score.LocalScoreFunction import local_score_BDeu, local_score_BIC_from_cov
from causallearn.search.ConstraintBased.FCI import fci as search_fci
from causallearn.search.FCMBased.lingam import DirectLiNGAM, ICALiNGAM
from causallearn.search.ScoreBased.ExactSearch import bic_exact_search
from causallearn.utils.cit import CIT


def direct_lingam(request):
    """Run DirectLiNGAM; its matrix is [effect, cause]."""
    model = DirectLiNGAM()
    model.fit(request.values)
    return {"weights": model.adjacency_matrix_.T}


def ica_lingam(request):
    """Run ICA-LiNGAM."""
    model = ICALiNGAM(random_state=request.seed)
    model.fit(request.values)
    return {"weights": model.adjacency_matrix_.T}


def exact_search(request):
    """Run the exact search by A*, and give the DAG with the best BIC."""
    graph, _ = bic_exact_search(request.values, search_method="astar")
    return {"graph": graph != 0}


def fci(request):
    """Run FCI; [j, i] is the end at j: 1 an arrowhead, 2 a circle, -1 a tail."""
    graph, _ = search_fci(request.values, "fisherz", 0.01, show_progress=False)
    return {"links": graph.graph[None]}


def bic(request):
    """Return local scores; each line of "families" is a node and its parents, filled with -1."""
    data = np.cov(request.values, rowvar=False, ddof=0), len(request.values)
    return _each(request, lambda node, parents: local_score_BIC_from_cov(data, node, parents))


def bdeu(request):
    """Return local scores with an equivalent sample size of 10.

    A prior of half the possible parents makes each edge as probable as not: it cancels.
    """
    levels = {node: int(count) for node, count in enumerate(request.levels)}
    prior = {
        "sample_prior": 10.0,
        "structure_prior": (request.values.shape[1] - 1) / 2,
        "r_i_map": levels,
    }
    return _each(
        request, lambda node, parents: local_score_BDeu(request.values, node, parents, prior)
    )


def _each(request, score):
    families = [[int(node) for node in line if node >= 0] for line in request.arrays["families"]]
    return {"values": np.array([float(score(line[0], line[1:])) for line in families])}


def test(name):
    """Return a function that gives the p-value of each line of "families": x, y and the rest."""

    def p_values(request):
        ask = CIT(request.values, name)
        lines = [[int(node) for node in line if node >= 0] for line in request.arrays["families"]]
        return {"values": np.array([float(ask(x, y, rest)) for x, y, *rest in lines])}

    return p_values


def shd(request):
    """Return SHD of pairs of graphs, shape (pairs, 2, d, d)."""
    pairs = request.arrays["pairs"]
    return {"values": np.array([SHD(_graph(a), _graph(b)).get_shd() for a, b in pairs], float)}


def _graph(matrix):
    graph = GeneralGraph([GraphNode(f"X{k}") for k in range(len(matrix))])
    both = (matrix != 0) & (matrix.T != 0)
    arrow = (matrix != 0) & ~both
    graph.graph = np.where(both, -1, 0) + np.where(arrow.T, 1, 0) - np.where(arrow, 1, 0)
    return graph


ALGORITHMS = {
    "causal-learn-direct-lingam": direct_lingam,
    "causal-learn-ica-lingam": ica_lingam,
    "causal-learn-exact": exact_search,
    "causal-learn-fci": fci,
    "bic": bic,
    "bdeu": bdeu,
    "fisher-z": test("fisherz"),
    "g": test("gsq"),
    "kci": test("kci"),
    "shd": shd,
}
