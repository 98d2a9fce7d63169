"""Runs what some items of a paper need, and compares."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from causalassay.reproducing.agreement import outcome_of
from causalassay.reproducing.computations import COMPUTATIONS
from causalassay.reproducing.data_sets import DATA_SETS
from causalassay.reproducing.estimates import NotRun, Ours
from causalassay.reproducing.paper import Paper
from causalassay.reproducing.pictures import COMPUTED, Picture, mean_curves, study_scores, swapped
from causalassay.reproducing.published import Item, PublishedValue, Size, StudySize, sized
from causalassay.reproducing.result import Line, Reproduction
from causalassay.reproducing.study_values import STUDY, study_files, study_value
from causalassay.spelling import did_you_mean
from causalassay.study.language import parse_study
from causalassay.study.plan import Study
from causalassay.study.storage import study_table

RunStudy = Callable[[Study, Path], object]
"""Runs what is left of a study whose results are in a folder."""

Frames = dict[str, pd.DataFrame | NotRun]
"""The rows of each study file, or why there are none."""

_REPLICATES = re.compile(r"^replicates = \d+$", re.MULTILINE)


def reproduce(
    paper: Paper, items: Sequence[str], size: Size, folder: Path, run: RunStudy
) -> Reproduction:
    """Return ours beside every published value of some items.

    Parameters
    ----------
    paper : Paper
    items : sequence of str
        Names of items; none means all.
    size : {"fast", "full"}
        "fast" takes fewer replicates of the same studies, so intervals are wider; "full"
        goes on from the rows that are there.
    folder : Path
        Where results are: below it one folder per paper and study.
    run : callable
        Called with each study and the folder of its results.
    """
    chosen = checked_items(paper, items)
    began = time.monotonic()
    frames: Frames = {}
    for study in paper.studies_of(chosen):
        frames[study.file] = _rows(paper, study, size, folder, run)
    lines = [_line(value, size, frames) for item in chosen for value in paper.values_of(item)]
    pictures = [
        _picture(item, size, frames)
        for item in paper.items
        if item.name in chosen and _can_draw(item, size, frames)
    ]
    seconds = time.monotonic() - began
    return Reproduction(paper, size, tuple(lines), tuple(pictures), seconds)


def checked_items(paper: Paper, items: Sequence[str]) -> list[str]:
    """Return the items that are asked for, or all, in the order of the paper."""
    known = [item.name for item in paper.items]
    for item in items:
        if item not in known:
            raise ValueError(f"{paper.slug} has no item {item!r}; {did_you_mean(item, known)}")
    return [name for name in known if name in items or not items]


def results_folder(paper: Paper, study: StudySize, folder: Path) -> Path:
    """Return where the rows of a study are kept."""
    return folder / paper.slug / Path(study.file).stem


def sized_study(paper: Paper, study: StudySize, size: Size, data: Path) -> Study:
    """Return a study of a paper with the replicates of a size; its data files are in a folder."""
    text = (paper.folder / study.file).read_text(encoding="utf-8")
    text, found = _REPLICATES.subn(f"replicates = {study.replicates(size)}", text)
    if found != 1:
        raise ValueError(f"{paper.slug}/{study.file}: expected one line `replicates = NUMBER`")
    if study.data:
        DATA_SETS[study.data](data)
    return parse_study(text, data, f"{paper.slug}/{study.file}")


def _rows(
    paper: Paper, study: StudySize, size: Size, folder: Path, run: RunStudy
) -> pd.DataFrame | NotRun:
    if not study.replicates(size):
        return NotRun(f"runs with --full only (about {study.minutes.full:.0f} min)")
    results = results_folder(paper, study, folder)
    try:
        declared = sized_study(paper, study, size, folder / paper.slug / "data")
    except FileNotFoundError as absent:  # data that are not on this machine
        return NotRun(str(absent))
    run(declared, results)
    return study_table(results).frame


def _line(value: PublishedValue, size: Size, frames: Frames) -> Line:
    if value.reason:
        return Line(value, None, "not computed")
    ours = _ours(value, size, frames)
    return Line(value, ours, outcome_of(value, ours))


def _ours(value: PublishedValue, size: Size, frames: Frames) -> Ours:
    parameters = value.parameters(size)
    if value.ours["compute"] != STUDY:
        return COMPUTATIONS[value.ours["compute"]](**parameters)
    frame = _together(parameters.pop("study"), frames)
    return frame if isinstance(frame, NotRun) else study_value(frame, **parameters)


def _together(study: str | Sequence[str], frames: Frames) -> pd.DataFrame | NotRun:
    """Return the rows of a study, or of several together."""
    found = [frames[one] for one in study_files({"study": study})]
    absent = [one for one in found if isinstance(one, NotRun)]
    rows = [one for one in found if isinstance(one, pd.DataFrame)]
    return absent[0] if absent else pd.concat(rows, ignore_index=True)


def _can_draw(item: Item, size: Size, frames: Frames) -> bool:
    """Tell whether an item is redrawn, and its studies have run."""
    needed = study_files({"study": sized(item.picture.get("study", []), size)})
    return bool(item.picture) and not any(isinstance(frames[one], NotRun) for one in needed)


def _picture(item: Item, size: Size, frames: Frames) -> Picture:
    stated = {key: sized(one, size) for key, one in item.picture.items()}
    draw, x, y, compute = (stated.pop(key) for key in ("draw", "x", "y", "compute"))
    value = stated.pop("value", "")
    if compute != STUDY:
        return Picture(item.name, draw, COMPUTED[compute](**stated), x, y, value)
    frame, swap = _together(stated.pop("study"), frames), stated.pop("swap", False)
    assert isinstance(frame, pd.DataFrame)
    data = study_scores(frame, **stated)
    data = swapped(data) if swap else data
    if draw != "lines":
        return Picture(item.name, draw, data, x, y, value)
    lost = int(data["y"].isna().sum())
    return Picture(item.name, draw, mean_curves(data), x, y, value, lost)
