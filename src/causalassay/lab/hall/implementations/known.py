"""Which differences the authors of a package know of: threads that were read, and no others."""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: Mapping[tuple[str, str], str] = {
    ("causal-learn-pc", "order"): "py-why/causal-learn#82, open",
    ("pgmpy-ges", "class"): "pgmpy/pgmpy#2015, closed: GES is a search over DAGs",
}
"""By method and check."""


def known_to(method: str, check: str) -> str:
    """Return the thread in which a difference is discussed; empty if none was read.

    Examples
    --------
    >>> known_to("pgmpy-ges", "class")
    'pgmpy/pgmpy#2015, closed: GES is a search over DAGs'
    """
    return KNOWN.get((method, check), "")
