"""Graphs as adjacency matrices: families, orders, separation, equivalence classes."""

from causalassay.common.arrays import as_graph
from causalassay.graphs.classes import enumerate_dags, mec_size, sample_dag, sample_dags
from causalassay.graphs.consistent_extension import NoExtension, extend
from causalassay.graphs.conversions import (
    from_edges,
    from_gadjid,
    from_lingam,
    from_networkx,
    from_pandas,
    to_edges,
    to_gadjid,
    to_lingam,
    to_networkx,
    to_pandas,
)
from causalassay.graphs.cpdag import skeleton, to_cpdag, v_structures
from causalassay.graphs.families import (
    bipartite,
    chain,
    complete,
    erdos_renyi,
    forest,
    scale_free,
)
from causalassay.graphs.files import read_graph
from causalassay.graphs.interventional import to_interventional_cpdag
from causalassay.graphs.lagged import LaggedGraph, lagged_erdos_renyi, summary_ancestors
from causalassay.graphs.meek import meek_closure
from causalassay.graphs.orders import (
    ancestors,
    descendants,
    is_dag,
    path_counts,
    reachability,
    topological_order,
)
from causalassay.graphs.separation import d_separated
from causalassay.graphs.thresholds import acyclic_threshold, threshold
from causalassay.graphs.validity import as_cpdag, check_cpdag, is_cpdag
from causalassay.graphs.walks import possible_descendants, possible_reachability
from causalassay.graphs.writing import write_graph

__all__ = [
    "LaggedGraph",
    "NoExtension",
    "acyclic_threshold",
    "ancestors",
    "as_cpdag",
    "as_graph",
    "bipartite",
    "chain",
    "check_cpdag",
    "complete",
    "d_separated",
    "descendants",
    "enumerate_dags",
    "erdos_renyi",
    "extend",
    "forest",
    "from_edges",
    "from_gadjid",
    "from_lingam",
    "from_networkx",
    "from_pandas",
    "is_cpdag",
    "is_dag",
    "lagged_erdos_renyi",
    "mec_size",
    "meek_closure",
    "path_counts",
    "possible_descendants",
    "possible_reachability",
    "reachability",
    "read_graph",
    "sample_dag",
    "sample_dags",
    "scale_free",
    "skeleton",
    "summary_ancestors",
    "threshold",
    "to_cpdag",
    "to_edges",
    "to_gadjid",
    "to_interventional_cpdag",
    "to_lingam",
    "to_networkx",
    "to_pandas",
    "topological_order",
    "v_structures",
    "write_graph",
]
