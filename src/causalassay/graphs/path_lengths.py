"""At how many lengths a directed path joins two nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Adjacency
from causalassay.graphs.orders import Indices, check_dag, neighbour_lists
from causalassay.kernels import kernel


@kernel
def _count_lengths(start: Indices, child: Indices) -> NDArray[np.int32]:
    """Row i of the k-th boolean power is a bit set: the union of its children's (k-1)-th rows."""
    d = len(start) - 1
    n_words = (d + 63) // 64
    counts = np.zeros((d, d), np.int32)
    rows = np.zeros((d, n_words), np.uint64)
    for i in range(d):
        for position in range(start[i], start[i + 1]):
            j = child[position]
            rows[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
            counts[i, j] = 1
    longer = np.zeros((d, n_words), np.uint64)
    grew = True
    while grew:
        grew = False
        for i in range(d):
            for word in range(n_words):
                bits = np.uint64(0)
                for position in range(start[i], start[i + 1]):
                    bits |= rows[child[position], word]
                longer[i, word] = bits
                j = word << 6
                while bits:
                    if bits & np.uint64(1):
                        counts[i, j] += 1
                        grew = True
                    bits >>= np.uint64(1)
                    j += 1
        rows, longer = longer, rows
    return counts


def path_counts(dag: Adjacency) -> NDArray[np.int32]:
    """Return for each ordered pair the number of lengths at which some directed path exists.

    Two paths of the same length count once (Reisach et al. 2021, section 3.1:
    the boolean powers of the adjacency matrix, summed).

    Examples
    --------
    The diamond 0→1→3, 0→2→3 has four edges and one pair joined at length two.

    >>> import numpy as np
    >>> diamond = np.zeros((4, 4), dtype=bool)
    >>> diamond[[0, 0, 1, 2], [1, 2, 3, 3]] = True
    >>> int(path_counts(diamond).sum())
    5
    """
    return _count_lengths(*neighbour_lists(check_dag(dag)))
