"""One order of the columns, whatever order they come in: no finding may depend on it."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.data.dataset import Dataset


def in_fixed_order(data: Dataset, graph: Adjacency) -> tuple[Dataset, Adjacency]:
    """Return data and graph with the columns ordered by what they hold.

    So random draws fall on the same columns if the columns are permuted.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> data = Dataset.from_values([[2.0, 1.0], [3.0, 5.0]], columns=["a", "b"])
    >>> flipped = data.permute_columns([1, 0])
    >>> one, other = in_fixed_order(data, chain(2)), in_fixed_order(flipped, chain(2).T)
    >>> one[0].columns == other[0].columns, bool((one[1] == other[1]).all())
    (True, True)
    """
    values = data.observational_values
    order = sorted(range(data.n_nodes), key=lambda j: values[:, j].tobytes())
    return data.permute_columns(order), graph[np.ix_(order, order)]
