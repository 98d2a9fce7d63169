"""The draws of an entry as files, for `causalassay audit` and for everybody else."""

from __future__ import annotations

import shlex
from pathlib import Path

from causalassay.data.writing import write
from causalassay.graphs import LaggedGraph, write_graph
from causalassay.hall.entry import Entry, Settings
from causalassay.hall.measuring import draw_names


def keep_draws(entry: Entry, settings: Settings, folder: Path) -> str:
    """Write the draws of an entry and return the command that audits them.

    Parameters
    ----------
    entry : Entry
    settings : Settings
    folder : Path
        Gets a folder for the entry, with the folders ``data`` and ``graphs``.

    Raises
    ------
    SourceAbsent, SourceFailed
    """
    own = folder / entry.name
    for part in ("data", "graphs"):
        (own / part).mkdir(parents=True, exist_ok=True)
        for old in (own / part).glob("*.csv"):
            old.unlink()
    max_lag = 0
    for number, name in enumerate(draw_names(entry, settings)):
        data, graph = entry.source.draw(settings, number)
        truth = graph.summary if isinstance(graph, LaggedGraph) else graph
        if isinstance(graph, LaggedGraph):
            max_lag = graph.max_lag
        write(data, own / "data" / f"{name}.csv")
        write_graph(own / "graphs" / f"{name}.csv", truth, data.columns, feedback=max_lag > 0)
    return _command(entry, settings, own, max_lag)


def _command(entry: Entry, settings: Settings, own: Path, max_lag: int) -> str:
    words = ["causalassay", "audit", str(own / "data"), "--graphs", str(own / "graphs")]
    match entry.world:
        case "series":
            words += ["--series", "--max-lag", str(max(max_lag, 1))]
        case "discrete":
            words += ["--discrete"]
        case _:
            words += []
    return shlex.join([*words, "--bootstrap", "0", "--seed", str(settings.seed)])
