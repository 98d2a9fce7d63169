"""The structural intervention distance of gadjid."""

from __future__ import annotations

from functools import partial

import gadjid
import numpy as np

from bench.worker import Arrays, Call, Read


def sid(data: Arrays) -> tuple[Call, Read]:
    """Prepare SID between two DAGs whose matrices are ready made."""
    truth, guess = (data[name].astype(np.int8) for name in ("graph", "guess"))
    call = partial(gadjid.sid, truth, guess, edge_direction="from row to column")
    return call, lambda result: {"sid": result[1]}
