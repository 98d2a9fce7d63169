"""The search of the package xges."""

from xges import XGES


def search(request):
    """Run XGES; its matrix is [cause, effect], an edge without direction has both entries."""
    found = XGES(alpha=request.parameters["alpha"]).fit(request.values, verbose=0)
    return {"graph": found.to_adjacency_matrix() != 0}


ALGORITHMS = {"xges-py": search}
