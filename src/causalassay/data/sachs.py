"""The protein-signalling experiments of Sachs et al. 2005."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.data.dataset import Dataset
from causalassay.data.known_files import CHAMBER, CHAMBER_GRAPH, SACHS, locate
from causalassay.data.problem import Problem
from causalassay.data.reading import read
from causalassay.graphs import read_graph

CONSENSUS = {
    "erk": ("akt",),
    "mek": ("erk",),
    "pip3": ("pip2",),
    "pka": ("akt", "erk", "jnk", "mek", "p38", "raf"),
    "pkc": ("jnk", "mek", "p38", "pka", "raf"),
    "plc": ("pip2", "pip3"),
    "raf": ("mek",),
}
"""The effects of each cause in the usual 17-edge graph."""


def sachs(path: str | Path | None = None, download: str | None = None) -> Problem:
    """Return the 7466 single-cell measurements of Sachs et al. 2005 with the consensus graph.

    There are 11 proteins under 9 conditions, of which "cd3_cd28" (853 rows) is
    observational. "icam2" and "ly" act on nothing that was measured, so their
    targets are unknown; "g0076" and "pma" both act on pkc.

    Parameters
    ----------
    path : str or Path, optional
        The file sachs.csv or its folder. By default it is looked for in the
        folder that the environment variable CAUSALASSAY_DATA names, then among
        earlier downloads.
    download : str, optional
        Where to fetch it from (http or https) if it is not found. It is kept
        in ``$XDG_CACHE_HOME/causalassay``, by default ``~/.cache/causalassay``.

    Raises
    ------
    FileNotFoundError
        If it is nowhere.
    ValueError
        If a file's sha256 is not the one that this package knows: "sachs" in a
        report always means the same numbers.

    References
    ----------
    Sachs, Perez, Pe'er, Lauffenburger, Nolan 2005, doi:10.1126/science.1105809.

    Examples
    --------
    >>> problem = sachs("data/sachs.csv")  # doctest: +SKIP
    >>> problem.data.observational_values.shape, int(problem.graph.sum())  # doctest: +SKIP
    ((853, 11), 17)
    >>> sachs("no/such/folder")
    Traceback (most recent call last):
    FileNotFoundError: sachs: there is no file no/such/folder...
    """
    file = locate(SACHS, path, download)
    data = read(file, target="target", condition="condition", observational="cd3_cd28")
    return Problem(data, _consensus_graph(data), name="sachs")


def _consensus_graph(data: Dataset) -> Adjacency:
    graph = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
    for cause, effects in CONSENSUS.items():
        for effect in effects:
            graph[data.index(cause), data.index(effect)] = True
    return graph


# The light tunnel of Gamella, Peters and Bühlmann 2025, a machine whose causes are known.


def chamber(path: str | Path | None = None) -> Problem:
    """Return the 30 000 measurements of a light tunnel with the graph of its causes.

    There are 20 variables under 21 conditions. "reference" (10 000 rows) is observational; each
    of the others (1000 rows) acts on one variable. Those called "t_..." and "v_..." change the
    exposure time or reference voltage of a sensor, so their target is that sensor. Under
    "v_angle_1_strong" and "v_angle_2_strong" the target is constant.

    Parameters
    ----------
    path : str or Path, optional
        The file chamber.csv or its folder; chamber-graph.csv stands beside it. By default they
        are looked for in the folder that the environment variable CAUSALASSAY_DATA names, then in
        ``$XDG_CACHE_HOME/causalassay``.

    Raises
    ------
    FileNotFoundError
        If a file is nowhere.
    ValueError
        If a file's sha256 is not the one that this package knows.

    References
    ----------
    Gamella, Peters, Bühlmann 2025, Causal chambers as a real-world physical testbed for AI
    methodology, arXiv:2404.11341. Data set lt_interventions_standard_v1, CC BY 4.0, without the
    columns that never vary.

    Examples
    --------
    >>> problem = chamber("data/chamber.csv")  # doctest: +SKIP
    >>> problem.data.observational_values.shape, int(problem.graph.sum())  # doctest: +SKIP
    ((10000, 20), 39)
    >>> chamber("no/such/folder")
    Traceback (most recent call last):
    FileNotFoundError: chamber: there is no file no/such/folder...
    """
    file = locate(CHAMBER, path)
    data = read(file, "target", "condition", "reference", discrete=False)
    graph, _ = read_graph(locate(CHAMBER_GRAPH, file.parent), columns=data.columns)
    return Problem(data, graph, name="chamber")
