"""The package pgmpy."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from pgmpy.base import DAG
from pgmpy.estimators import MmhcEstimator

from bench.worker import Arrays, Call, Read


def cpdag(data: Arrays) -> tuple[Call, Read]:
    """Prepare the CPDAG of a DAG that is there already as their graph."""
    dag = DAG()
    dag.add_nodes_from(range(len(data["graph"])))
    dag.add_edges_from([(int(i), int(j)) for i, j in np.argwhere(data["graph"])])

    def read(pdag: Any) -> Arrays:
        return {"graph": nx.to_numpy_array(pdag, nodelist=range(len(data["graph"]))) != 0}

    return dag.to_pdag, read


def mmhc(data: Arrays) -> tuple[Call, Read]:
    """Prepare MMHC on discrete columns, which is all that it takes."""
    d = data["levels"].shape[1]
    table = pd.DataFrame(data["levels"], columns=[f"x{j}" for j in range(d)]).astype("category")

    def call() -> Any:
        return MmhcEstimator(table).estimate(significance_level=0.05)

    def read(dag: Any) -> Arrays:
        return {"graph": nx.to_numpy_array(dag, nodelist=list(table.columns)) != 0}

    return call, read
