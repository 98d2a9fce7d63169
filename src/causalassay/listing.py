"""What is built in, from one generated file, so that listing the parts imports none of them.

``python -m causalassay.catalogue`` writes ``listing.json`` from the declarations beside the code.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from typing import NamedTuple

from causalassay.environments.catalogue import environment_algorithms

PARTS = ("algorithms", "graphs", "models", "metrics", "diagnostics")
"""What can be named in studies; each has a registry of its own."""


class Listed(NamedTuple):
    """What the file has of one part.

    Parameters
    ----------
    what : str
        The first line of its docstring; of metrics and diagnostics without its verb.
    address : str
        ``module:attribute``; empty for what other registries list.
    better : str
        Of a metric: "high", "low" or, for a control beside the scores, "none".
    display_name : str
        Of a metric: what tables, figures and sentences call it; empty: its name.
    """

    what: str
    address: str = ""
    better: str = ""
    display_name: str = ""


def addresses(part: str) -> dict[str, str]:
    """Return where each built-in thing of a part is declared, ``module:attribute``.

    Examples
    --------
    >>> addresses("algorithms")["pc"]
    'causalassay.discovery.pc:PC'
    """
    return {name: listed.address for name, listed in _listing()[part].items()}


def display_names(part: str) -> dict[str, str]:
    """Return what each built-in thing of a part is called where it is shown, if not by its name.

    Examples
    --------
    >>> display_names("metrics")["shd"], display_names("metrics")["recall"]
    ('SHD', '')
    """
    return {name: listed.display_name for name, listed in _listing()[part].items()}


def short_lines(part: str) -> dict[str, str]:
    """Return the line of each built-in thing of a part, by name, and of what environments have.

    Parameters
    ----------
    part : str
        One of `PARTS`, or "controls": the metrics that are numbers beside the scores, and no
        scores themselves.

    Examples
    --------
    >>> short_lines("algorithms")["empty"]
    'Claim no edge at all.'
    """
    controls = part == "controls"
    entries = _listing()["metrics" if controls else part]
    lines = {
        name: listed.what
        for name, listed in entries.items()
        if (listed.better == "none") == controls
    }
    if part == "algorithms":
        lines |= {name: known.what for name, known in environment_algorithms().items()}
        lines = dict(sorted(lines.items()))
    return lines


def known_names() -> dict[str, str]:
    """Return the part of each name that can be listed; nothing of it is imported.

    Examples
    --------
    >>> known_names()["notears"], known_names()["n_guessed"]
    ('algorithms', 'metrics')
    """
    names: dict[str, str] = {}
    for part in PARTS:
        names |= dict.fromkeys([*_listing()[part], *announced(part)], part)
    names |= dict.fromkeys(environment_algorithms(), "algorithms")
    return names


def announced(part: str) -> list[str]:
    """Return the names of what other packages announce.

    Examples
    --------
    >>> isinstance(announced("metrics"), list)
    True
    """
    return [point.name for point in entry_points(group=f"causalassay.{part}")]


@cache
def _listing() -> dict[str, dict[str, Listed]]:
    text = files(__package__).joinpath("listing.json").read_text(encoding="utf-8")
    return {
        part: {name: Listed(**entry) for name, entry in entries.items()}
        for part, entries in json.loads(text).items()
    }
