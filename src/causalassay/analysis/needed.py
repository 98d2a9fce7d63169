"""How many instances a study has, and how many its findings need: said before it runs.

The judge itself is asked, with evidence as clear as can be: what it does not find then, it finds in
no data of as many instances.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from causalassay.analysis.runs import FILE, SCHEME, arrange
from causalassay.analysis.sizes import DIMENSIONS, SETTING, Size, sizes_of
from causalassay.analysis.verdict.evidence import (
    LEAD_CONTROLS,
    MAIN,
    WITHOUT_SIGNAL,
    order_columns,
    rescalings,
)
from causalassay.data.dataset import World
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.order_measures import RANDOM_DIRECTION
from causalassay.judging.over_instances import algorithms_need, orders_need
from causalassay.present.formatting import counted
from causalassay.study.plan import Study
from causalassay.study.problem_specs import graph_address, scheme
from causalassay.study.storage import StudyTable, read_store
from causalassay.study.storage.table import problem_table


@dataclass(frozen=True)
class NeededInstances:
    """What a study has at one size, and what its findings need there.

    Parameters
    ----------
    size : Size
    instances : int
        Of the scheme that has most: graphs and replicates.
    for_schemes : int
        From which an artefact could be found; 0 where none is looked for.
    for_algorithms : int
        From which an algorithm could be called robust; 0 where algorithms are not judged.
    at_most : int
        The same, where an artefact is found on a scheme: more is then claimed of each algorithm.
    """

    size: Size
    instances: int
    for_schemes: int
    for_algorithms: int
    at_most: int

    @property
    def lacks(self) -> tuple[str, ...]:
        """What cannot be found with so few instances."""
        short = {
            "schemes": self.instances < self.for_schemes,
            "algorithms": self.instances < self.for_algorithms,
        }
        return tuple(what for what, is_short in short.items() if is_short)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self) | {"size": self.size.to_dict()}


def needed_by(study: Study) -> tuple[NeededInstances, ...]:
    """Return what the findings of a study need, by size."""
    problems = pd.DataFrame(
        [
            {
                "problem": entry.name,
                SCHEME: scheme(entry.spec),
                "graph_key": graph_address(entry.spec),
                "data_sets": study.replicates_of(index),
                **entry.labels,
            }
            for index, entry in enumerate(study.problems)
        ]
    )
    metrics = [entry.label or entry.name for entry in study.metrics]
    return needed(problems, study.diagnostics, metrics)


def needed_in(folder: Path | str) -> tuple[NeededInstances, ...]:
    """Return the same of the study in a results folder, as it was last run."""
    with read_store(folder) as reader:
        return needed(*problem_table(reader))


def needed(
    problems: pd.DataFrame, diagnostics: Collection[str], metrics: Collection[str]
) -> tuple[NeededInstances, ...]:
    """Return what findings need, by size.

    Parameters
    ----------
    problems : DataFrame
        A row for each problem: ``problem``, ``scheme``, ``graph_key``, ``data_sets`` and labels.
    diagnostics, metrics : collection of str
        What is measured of each data set and of each estimate, controls among them.
    """
    labels = [name for name in (*DIMENSIONS, SETTING) if name in problems]
    rows = problems.assign(algorithm="any", role="listed", status="ok", reason="", replicate=0)
    table = StudyTable(rows, (), (), (), {}, ())
    runs = arrange(table, (SCHEME, "data_sets", *labels))
    cells = runs.cells.assign(instance=runs.instances)
    # All replicates on a data file are one instance; those of a generator are one each.
    cells["n"] = cells["data_sets"].where(cells[FILE] == "", 1)
    artefacts = _artefacts_by_world(diagnostics)
    judged = RANDOM_DIRECTION in diagnostics and {MAIN, *LEAD_CONTROLS} <= {*metrics}
    needs = []
    sizes, of_cell = sizes_of(cells)
    for index, size in enumerate(sizes):
        part = cells[of_cell == index].drop_duplicates([SCHEME, "instance"])
        by_scheme = part.groupby(SCHEME, sort=False)["n"].sum()
        least, most = _for_algorithms([*by_scheme.index]) if judged else (0, 0)
        on_orders = max(map(orders_need, artefacts.values()), default=0)
        needs.append(NeededInstances(size, int(by_scheme.max()), on_orders, least, most))
    return tuple(needs)


def _artefacts_by_world(diagnostics: Collection[str]) -> Mapping[World, Sequence[Artefact]]:
    """Return the statistics that are looked at, by kind of data."""
    by_world: dict[World, list[Artefact]] = {}
    for key, artefact in ARTEFACTS.items():
        if all(name in diagnostics for name in order_columns(key)):
            by_world.setdefault(artefact.world, []).append(artefact)
    return by_world


def _for_algorithms(schemes: Sequence[str]) -> tuple[int, int]:
    """Return from how many instances an algorithm could be robust, without and with an artefact."""
    rescaled = {
        base: (in_order is not None, at_random is not None, standardized is not None)
        for base, (in_order, at_random, standardized) in rescalings(schemes).items()
    }
    with_signal = [name for name in schemes if WITHOUT_SIGNAL not in name]
    if not with_signal:
        return 0, 0
    least = algorithms_need(schemes, schemes, rescaled)
    if len(with_signal) < 2:
        return least, least
    return least, algorithms_need(schemes, with_signal[1:], rescaled)


def needed_line(by_size: Sequence[NeededInstances]) -> str:
    """Return in one line what a study has and needs; empty without problems.

    Examples
    --------
    >>> needed_line([NeededInstances(Size(), 3, 2, 7, 8)])
    'instances: 3 for each scheme; findings on schemes need at least 2, on algorithms at least 7 \
(8 if a scheme has an artefact): too few for findings on algorithms, so raise replicates'
    >>> needed_line([NeededInstances(Size(), 10, 2, 7, 7)])
    'instances: 10 for each scheme; findings on schemes need at least 2, on algorithms at least 7'
    """
    if not by_size:
        return ""
    fewest = min(by_size, key=lambda each: each.instances - each.at_most)
    sized = " and size" if len(by_size) > 1 else ""
    parts = []
    if fewest.for_schemes:
        parts.append(f"findings on schemes need at least {fewest.for_schemes}")
    if fewest.for_algorithms:
        more = fewest.at_most > fewest.for_algorithms
        on = f"on algorithms at least {fewest.for_algorithms}" + (
            f" ({fewest.at_most} if a scheme has an artefact)" if more else ""
        )
        parts.append(on if parts else f"findings {on}")
    else:
        parts.append("no findings on algorithms, because chance is not measured")
    text = f"instances: {fewest.instances} for each scheme{sized}; {', '.join(parts)}"
    short = [each for each in by_size if each.lacks]
    if not short:
        return text
    what = " and ".join(dict.fromkeys(name for each in short for name in each.lacks))
    some = f" at {counted(len(short), 'size')} of {len(by_size)}" if sized else ""
    return f"{text}: too few for findings on {what}{some}, so raise replicates"
