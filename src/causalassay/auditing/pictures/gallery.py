"""All pictures of an audit, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causalassay.auditing.order_evidence import measured_of
from causalassay.auditing.pictures.along_order import along_order
from causalassay.auditing.pictures.beside_random import beside_random
from causalassay.auditing.pictures.over_files import reached_by_file, sortability_by_file
from causalassay.drawing import show
from causalassay.judging.artefacts import artefacts_of

if TYPE_CHECKING:
    from causalassay.auditing.pooled import PooledAudit
    from causalassay.auditing.result import Audit


@dataclass(frozen=True)
class Picture:
    """A picture and what it is.

    Parameters
    ----------
    name : str
        Of letters and hyphens.
    svg : str
    caption : str
        What the picture does not say itself; may be empty.
    """

    name: str
    svg: str
    caption: str = ""


def audit_pictures(audit: Audit) -> tuple[Picture, ...]:
    """Return the statistics along the order, the baselines beside random orders, and the graph."""
    return tuple(_pictures(audit)) if audit.columns else ()


def _pictures(audit: Audit) -> Iterator[Picture]:
    for place, artefact in enumerate(artefacts_of(audit.world)):
        drawn = along_order(audit.columns, audit.edges, artefact.statistic, artefact.word)
        if drawn:
            yield Picture(f"along-order-{place + 1}", drawn)
    beside = beside_random(audit.baselines, audit.random_f1_counts)
    if beside:
        yield Picture("beside-random", beside)
    yield graph_picture(audit)


def graph_picture(audit: Audit) -> Picture:
    """Return the graph that is held to be true, with its causes at the left."""
    names = [one.name for one in audit.columns]
    place = {name: k for k, name in enumerate(names)}
    graph = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in audit.edges:
        graph[place[cause], place[effect]] = True
    drawing = show(graph, names)
    return Picture("graph", drawing._repr_svg_(), f"The graph taken as true: {drawing.caption}.")


def pooled_pictures(pooled: PooledAudit) -> tuple[Picture, ...]:
    """Return what sorting reaches on each file by each statistic, and how sortable they are."""
    tested = {name: one for name, one in pooled.audits.items() if one.random_f1_counts}
    if not tested:
        return ()
    world = next(iter(tested.values())).world
    measured = {
        artefact.word: {
            name: numbers
            for name, one in tested.items()
            if not np.isnan((numbers := measured_of(artefact, one))[0])
        }
        for artefact in artefacts_of(world)
    }
    reached = [
        Picture(f"reached-{place + 1}", reached_by_file(tested, files, word))
        for place, (word, files) in enumerate(measured.items())
        if files
    ]
    return (*reached, Picture("sortability", sortability_by_file(measured)))
