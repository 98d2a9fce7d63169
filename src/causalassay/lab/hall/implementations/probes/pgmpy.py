"""What the assay asks of pgmpy besides the algorithms that studies have."""

import networkx as nx
import numpy as np
import pandas as pd
from pgmpy.base import DAG
from pgmpy.ci_tests import FisherZ, GSq
from pgmpy.metrics import SHD
from pgmpy.structure_score import BDeu, BICGauss


def bic(request):
    """Return local Gaussian BIC scores."""
    return _scores(BICGauss(_table(request)), request)


def bdeu(request):
    """Return local BDeu scores with an equivalent sample size of 10."""
    states = {f"x{k}": list(range(int(count))) for k, count in enumerate(request.levels)}
    return _scores(BDeu(_table(request), equivalent_sample_size=10, state_names=states), request)


def _table(request):
    table = pd.DataFrame(request.values, columns=[f"x{k}" for k in range(request.values.shape[1])])
    if request.levels is None:
        return table
    kinds = [pd.CategoricalDtype(range(int(count))) for count in request.levels]
    return table.astype(int).astype(dict(zip(table.columns, kinds, strict=True)))


def _lines(request):
    return [[f"x{int(node)}" for node in line if node >= 0] for line in request.arrays["families"]]


def _scores(score, request):
    numbers = [float(score.local_score(node, tuple(rest))) for node, *rest in _lines(request)]
    return {"values": np.array(numbers)}


def test(kind):
    """Return a function that gives the p-value of each line of "families": x, y and the rest."""

    def p_values(request):
        ask = kind(data=_table(request))
        numbers = []
        for x, y, *rest in _lines(request):
            ask(X=x, Y=y, Z=rest, significance_level=0.05)
            numbers.append(float(ask.p_value_))
        return {"values": np.array(numbers)}

    return p_values


def shd(request):
    """Return SHD of pairs of DAGs: the truth first."""
    numbers = [
        SHD()(true_causal_graph=_dag(a), est_causal_graph=_dag(b))
        for a, b in request.arrays["pairs"]
    ]
    return {"values": np.array(numbers, dtype=float)}


def _dag(matrix):
    dag = DAG()
    dag.add_nodes_from(range(len(matrix)))
    dag.add_edges_from(nx.from_numpy_array(matrix, create_using=nx.DiGraph).edges())
    return dag


ALGORITHMS = {
    "bic": bic,
    "bdeu": bdeu,
    "fisher-z": test(FisherZ),
    "g": test(GSq),
    "shd": shd,
}
