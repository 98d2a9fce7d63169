"""The light tunnel of Gamella, Peters and Bühlmann 2025, a machine whose causes are known."""

from __future__ import annotations

from pathlib import Path

from causalassay.data.known_files import CHAMBER, CHAMBER_GRAPH, locate
from causalassay.data.problem import Problem
from causalassay.data.reading import read
from causalassay.graphs import read_graph


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
