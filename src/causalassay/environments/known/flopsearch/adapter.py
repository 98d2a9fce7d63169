"""The search of the package flopsearch."""

from flopsearch import flop


def search(request):
    """Run FLOP; its matrix is [cause, effect], with 2 in both entries of an undirected edge."""
    values = request.values - request.values.mean(axis=0)
    values /= values.std(axis=0)
    penalty, restarts = request.parameters["penalty_discount"], request.parameters["restarts"]
    return {"graph": flop(values, float(penalty), restarts=int(restarts)) != 0}


ALGORITHMS = {"flopsearch-flop": search}
