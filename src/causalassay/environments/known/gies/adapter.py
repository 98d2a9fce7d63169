"""The search of the package gies; its matrices are [cause, effect], both entries of a line."""

import gies


def search(request):
    """Run GIES on one observational sample."""
    graph, _ = gies.fit_bic([request.values], [[]])
    return {"graph": graph != 0}


ALGORITHMS = {"gies-gies": search}
