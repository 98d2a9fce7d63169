"""The algorithms of the package causal-learn."""

from causallearn.search.ConstraintBased.PC import pc as search_pc
from causallearn.search.PermutationBased.BOSS import boss as search_boss
from causallearn.search.PermutationBased.GRaSP import grasp as search_grasp
from causallearn.search.ScoreBased.GES import ges as search_ges

BIC = "local_score_BIC_from_cov"


def pc(request):
    """Run PC-stable with Fisher's z."""
    alpha = request.parameters["alpha"]
    return _found(search_pc(request.values, alpha, "fisherz", show_progress=False).G)


def ges(request):
    """Run GES with the Gaussian BIC."""
    return _found(search_ges(request.values, score_func=BIC)["G"])


def boss(request):
    """Run BOSS with the Gaussian BIC."""
    return _found(search_boss(request.values, score_func=BIC, verbose=False))


def grasp(request):
    """Run GRaSP with the Gaussian BIC."""
    depth = request.parameters["depth"]
    return _found(search_grasp(request.values, score_func=BIC, depth=depth, verbose=False))


def _found(graph):
    """Return the graph of a matrix of end points: [j, i] == 1 is an arrowhead at j."""
    endpoints = graph.graph
    head_at_row_only = (endpoints == 1) & (endpoints.T == -1)
    return {"graph": (endpoints != 0) & ~head_at_row_only}


ALGORITHMS = {
    "causal-learn-boss": boss,
    "causal-learn-ges": ges,
    "causal-learn-grasp": grasp,
    "causal-learn-pc": pc,
}
