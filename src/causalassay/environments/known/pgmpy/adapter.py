"""The algorithms of the package pgmpy; its matrices are [cause, effect], by name."""

import pandas as pd
from pgmpy.causal_discovery import GES, PC, HillClimbSearch


def pc(request):
    """Run PC-stable; its tests condition on at most so many columns."""
    test = "pearsonr" if request.levels is None else "chi_square"
    parameters = request.parameters
    search = PC(
        variant="stable",
        ci_test=test,
        significance_level=parameters["alpha"],
        max_cond_vars=parameters["max_conditions"],
        n_jobs=1,
        show_progress=False,
    )
    return _found(search, request)


def ges(request):
    """Run GES."""
    return _found(GES(scoring_method=_score(request)), request)


def hill_climb(request):
    """Run hill climbing."""
    search = HillClimbSearch(scoring_method=_score(request), return_type="dag", show_progress=False)
    return _found(search, request)


def _score(request):
    return "bic-g" if request.levels is None else "bic-d"


def _found(search, request):
    names = [f"x{j}" for j in range(len(request.columns))]
    table = pd.DataFrame(request.values, columns=names)
    if request.levels is not None:
        kinds = [pd.CategoricalDtype(range(count)) for count in request.levels]
        table = table.astype(int).astype(dict(zip(names, kinds, strict=True)))
    search.fit(table)
    return {"graph": search.adjacency_matrix_.loc[names, names].to_numpy() != 0}


ALGORITHMS = {"pgmpy-ges": ges, "pgmpy-hill-climb": hill_climb, "pgmpy-pc": pc}
