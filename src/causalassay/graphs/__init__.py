"""Graphs as adjacency matrices: families, orders, separation, equivalence classes."""

from typing import TYPE_CHECKING

from causalassay.common.on_demand import names_on_demand

if TYPE_CHECKING:
    from causalassay.common.arrays import as_graph
    from causalassay.graphs.classes import enumerate_dags, mec_size, sample_dag, sample_dags
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
    from causalassay.graphs.cpdag import (
        meek_closure,
        skeleton,
        to_cpdag,
        to_interventional_cpdag,
        v_structures,
    )
    from causalassay.graphs.families import (
        bipartite,
        chain,
        complete,
        erdos_renyi,
        forest,
        scale_free,
    )
    from causalassay.graphs.formats.reading import read_graph
    from causalassay.graphs.formats.writing import write_graph
    from causalassay.graphs.lagged import LaggedGraph, lagged_erdos_renyi, summary_ancestors
    from causalassay.graphs.orders import (
        acyclic_threshold,
        ancestors,
        d_separated,
        descendants,
        is_dag,
        path_counts,
        possible_descendants,
        possible_reachability,
        reachability,
        threshold,
        topological_order,
    )
    from causalassay.graphs.probabilities import edge_probabilities, most_probable_dag
    from causalassay.graphs.validity import NoExtension, as_cpdag, check_cpdag, extend, is_cpdag

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
    "edge_probabilities",
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
    "most_probable_dag",
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

__getattr__, __dir__ = names_on_demand(__name__)
