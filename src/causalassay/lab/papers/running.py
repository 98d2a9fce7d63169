"""Runs what some items of a paper need, and compares."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from causalassay.common.files import replacing
from causalassay.common.spelling import did_you_mean
from causalassay.contracts import NotApplicable
from causalassay.discovery.continuous.moments import solver_on
from causalassay.discovery.continuous.together import SolvedTogether
from causalassay.lab.papers.computations import COMPUTATIONS, FIGURES
from causalassay.lab.papers.estimates import (
    DATA_SETS,
    Cases,
    Estimate,
    Extremes,
    NotRun,
    Ours,
    Several,
)
from causalassay.lab.papers.paper import Paper
from causalassay.lab.papers.pictures import OF_STUDIES, Picture, mean_curves, swapped
from causalassay.lab.papers.published import (
    Item,
    PublishedValue,
    Size,
    StudySize,
    outcome_of,
    sized,
)
from causalassay.lab.papers.result import Effort, Line, Reproduction
from causalassay.lab.papers.study_values import IF_THERE, STUDY, study_files, study_value
from causalassay.study.language import parse_study
from causalassay.study.pending import pending_calls
from causalassay.study.plan import Study
from causalassay.study.storage import Store, study_table

RunStudy = Callable[[Study, Path], object]
"""Runs what is left of a study whose results are in a folder."""

Notify = Callable[[str], object]
"""Is told what begins."""

LEAST_MINUTES = 0.02
"""An item that takes less is not announced."""

CARD = "cuda"
"""The device of a study's algorithms that search on a graphics card."""

Frames = dict[str, pd.DataFrame | NotRun]
"""The rows of each study file, or why there are none."""

_REPLICATES = re.compile(r"^replicates = \d+$", re.MULTILINE)


def reproduce(  # noqa: PLR0913, PLR0917  what it works on, and who is told
    paper: Paper,
    items: Sequence[str],
    size: Size,
    folder: Path,
    run: RunStudy,
    notify: Notify = lambda _: None,
) -> Reproduction:
    """Return ours beside every published value of some items.

    Parameters
    ----------
    paper : Paper
        The paper, from `read_paper`.
    items : sequence of str
        Names of items; none means all.
    size : {"fast", "full"}
        "fast" takes fewer replicates of the same studies, so intervals are wider; "full"
        goes on from the rows that are there.
    folder : Path
        Where results are: below it one folder per paper and study.
    run : callable
        Called with each study and the folder of its results.
    notify : callable
        Called with a line when something begins that takes more than a second.
    """
    chosen = checked_items(paper, items)
    began = time.monotonic()
    frames = _frames(paper, chosen, size, folder, run, notify)
    results = KeptResults(folder / paper.slug / FOLDER, package_checksum())
    lines: list[Line] = []
    pictures: list[Picture] = []
    for number, item in enumerate((paper.item(name) for name in chosen), start=1):
        values = paper.values_of(item.name)
        minutes = getattr(item.minutes, size)
        if minutes >= LEAST_MINUTES and not _is_kept(item, values, size, results):
            position = f"item {number} of {len(chosen)}"
            notify(f"{paper.slug}: {item.name}, {position}, about {minutes:.1g} min")
        lines += [_line(value, size, frames, results) for value in values]
        if _can_draw(item, size, frames):
            pictures.append(_picture(item, size, frames, results))
    seconds = time.monotonic() - began
    rows = [frame for frame in frames.values() if isinstance(frame, pd.DataFrame)]
    took = sum(float(frame["seconds"].sum()) for frame in rows)
    effort = Effort(seconds, sum(map(len, rows)), took)
    return Reproduction(paper, size, tuple(lines), tuple(pictures), effort)


def _frames(
    paper: Paper, items: Sequence[str], size: Size, folder: Path, run: RunStudy, notify: Notify
) -> Frames:
    """Run the studies that some items need."""
    frames: Frames = {}
    studies = paper.studies_of(items)
    n_run, number = sum(study.replicates(size) > 0 for study in studies), 0
    for study in studies:
        if study.replicates(size):
            number += 1
            notify(f"{paper.slug}: {study.file}, study {number} of {n_run}")
        frames[study.file] = _rows(paper, study, size, folder, run)
    return frames


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
    text, n_replaced = _REPLICATES.subn(f"replicates = {study.replicates(size)}", text)
    if n_replaced != 1:
        raise ValueError(f"{paper.slug}/{study.file}: expected one line `replicates = NUMBER`")
    if study.data:
        DATA_SETS[study.data](data)
    return parse_study(text, data, f"{paper.slug}/{study.file}")


def _rows(
    paper: Paper, study: StudySize, size: Size, folder: Path, run: RunStudy
) -> pd.DataFrame | NotRun:
    if not study.replicates(size):
        return NotRun(f"runs with --size full only (about {study.minutes.full:.0f} min)")
    if study.card:
        for_card = study.model_copy(update={"file": study.card, "card": ""})
        rows = _rows(paper, for_card, size, folder, run)
        if not isinstance(rows, NotRun):
            return rows
    results = results_folder(paper, study, folder)
    try:
        declared = sized_study(paper, study, size, folder / paper.slug / "data")
    except FileNotFoundError as absent:  # data that are not on this machine
        return NotRun(str(absent))
    if awaits_card(declared, results):
        return NotRun(
            "needs a graphics card: run it where torch finds one, or export, solve and import "
            f"{study.file} as docs/reproduce.md says"
        )
    run(declared, results)
    return study_table(results).frame


def awaits_card(study: Study, results: Path) -> bool:
    """Tell whether runs are left that ask for a card, where torch finds none.

    Parameters
    ----------
    study : Study
    results : Path
        Its folder; rows that were solved elsewhere and imported are in it.
    """
    algorithms = [entry.algorithm for entry in study.algorithms]
    if not any(isinstance(each, SolvedTogether) and each.device == CARD for each in algorithms):
        return False
    try:
        solver_on(CARD)
    except NotApplicable:
        if not results.exists():
            return True
        with Store.open(results, study) as store:
            return any(True for calls in pending_calls(study, store, "main") for _ in calls)
    return False


def _is_kept(
    item: Item, values: Sequence[PublishedValue], size: Size, results: KeptResults
) -> bool:
    """Tell whether nothing of an item is left for functions to compute."""
    compute, parameters = item.picture.get("compute"), _picture_parameters(item, size)
    return (compute not in FIGURES or results.has(str(compute), parameters)) and all(
        results.has(value.ours["compute"], value.parameters(size))
        for value in values
        if value.ours and value.ours["compute"] != STUDY
    )


def _line(value: PublishedValue, size: Size, frames: Frames, results: KeptResults) -> Line:
    if value.reason:
        return Line(value, None, "not computed")
    ours = _ours(value, size, frames, results)
    return Line(value, ours, outcome_of(value, ours))


def _ours(value: PublishedValue, size: Size, frames: Frames, results: KeptResults) -> Ours:
    parameters, compute = value.parameters(size), value.ours["compute"]
    if compute != STUDY:
        computed = results.get(compute, parameters, COMPUTATIONS[compute])
        assert not isinstance(computed, pd.DataFrame)
        return computed
    frame = _together(parameters.pop("study"), frames)
    return frame if isinstance(frame, NotRun) else study_value(frame, **parameters)


def _together(study: str | Sequence[str], frames: Frames) -> pd.DataFrame | NotRun:
    """Return the rows of a study, or of several together."""
    named = [frames[file] for file in study_files({"study": study})]
    absent = [frame for frame in named if isinstance(frame, NotRun)]
    rows = [frame for frame in named if isinstance(frame, pd.DataFrame)]
    return absent[0] if absent else pd.concat(rows, ignore_index=True)


def _can_draw(item: Item, size: Size, frames: Frames) -> bool:
    """Tell whether an item is redrawn, and its studies have run."""
    needed = study_files({"study": sized(item.picture.get("study", []), size)})
    return bool(item.picture) and not any(isinstance(frames[file], NotRun) for file in needed)


def _picture(item: Item, size: Size, frames: Frames, results: KeptResults) -> Picture:
    draw, x, y, compute = (sized(item.picture[key], size) for key in _OF_PICTURES[:4])
    value = sized(item.picture.get("value", ""), size)
    stated = _picture_parameters(item, size)
    if compute in FIGURES:
        data = results.get(compute, stated, FIGURES[compute])
        assert isinstance(data, pd.DataFrame)
        return Picture(item.name, draw, data, x, y, value)
    there = [f for f in stated.pop(IF_THERE, []) if isinstance(frames[f], pd.DataFrame)]
    files = [*study_files({"study": stated.pop("study")}), *there]
    frame, swap = _together(files, frames), stated.pop("swap", False)
    assert isinstance(frame, pd.DataFrame)
    data = OF_STUDIES[compute](frame, **stated)
    data = swapped(data) if swap else data
    if draw != "lines" or compute != STUDY:
        return Picture(item.name, draw, data, x, y, value)
    lost = int(data["y"].isna().sum())
    return Picture(item.name, draw, mean_curves(data), x, y, value, lost)


_OF_PICTURES = ("draw", "x", "y", "compute", "value")


def _picture_parameters(item: Item, size: Size) -> dict[str, Any]:
    return {
        key: sized(parameter, size)
        for key, parameter in item.picture.items()
        if key not in _OF_PICTURES
    }


# What functions computed, kept between calls: after Ctrl-C nothing is computed twice.

FOLDER = "computed"
"""Below the results of a paper."""

Result = Ours | pd.DataFrame

_KINDS = {kind.__name__: kind for kind in (Estimate, Several, Extremes, Cases)}
_PICTURE = "picture"

_ENDINGS = (".py", ".csv", ".csv.gz")
_SHOWING = ("bundling", "cli", "hall", "present", "report")
"""Packages that no number depends on."""
_SHOWN = ("document.py", "charts.py", "recorded.csv")
"""How it is shown, and what came out, is no part of how it is computed."""


@dataclasses.dataclass(frozen=True)
class KeptResults:
    """The results of functions in a folder, a file for each.

    Parameters
    ----------
    folder : Path
    checksum : str
        Of the code that computes them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = KeptResults(Path(folder), "1")
    ...     first = kept.get("cases", {"draws": 2}, lambda draws: Cases(draws, 0))
    ...     kept.get("cases", {"draws": 2}, lambda draws: Cases(draws, 1))
    Cases(checked=2, violated=0)
    """

    folder: Path
    checksum: str

    def get(
        self, name: str, parameters: Mapping[str, Any], compute: Callable[..., Result]
    ) -> Result:
        """Return the result of a function, computed if it is not there.

        A value that could not be computed is not kept: next time its data may be there.
        """
        path = self._path(name, parameters)
        if (stored := _kept(path)) is not None:
            return stored
        computed = compute(**parameters)
        if (plain := _plain(computed)) is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(plain, default=lambda scalar: scalar.item())
            with replacing(path) as partial:
                partial.write_text(f"{_checksum(text)}\n{text}", encoding="utf-8")
        return computed

    def has(self, name: str, parameters: Mapping[str, Any]) -> bool:
        """Tell whether a result is there."""
        return _kept(self._path(name, parameters)) is not None

    def _path(self, name: str, parameters: Mapping[str, Any]) -> Path:
        text = json.dumps([name, parameters, self.checksum], sort_keys=True)
        return self.folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:20]}.json"


@lru_cache(maxsize=1)
def package_checksum() -> str:
    """Return a checksum of the package's code and data, and of the libraries that compute."""
    root = Path(str(resources.files("causalassay")))
    digest = hashlib.sha256()
    for library in ("numpy", "scipy", "pandas"):
        digest.update(version(library).encode())
    for path in sorted(path for ending in _ENDINGS for path in root.rglob(f"*{ending}")):
        inner = path.relative_to(root)
        if not {*_SHOWING} & {*inner.parts} and path.name not in _SHOWN:
            digest.update(str(inner).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _plain(result: Result) -> dict[str, Any] | None:
    """Return what JSON can hold of a result; None if it is not to be kept."""
    if isinstance(result, pd.DataFrame):
        return {"kind": _PICTURE, "columns": {name: result[name].tolist() for name in result}}
    if isinstance(result, NotRun) or type(result).__name__ not in _KINDS:
        return None
    return {"kind": type(result).__name__, **dataclasses.asdict(result)}


def _kept(path: Path) -> Result | None:
    """Return what a file holds; None if there is none, or if it was damaged or edited."""
    try:
        checksum, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return _read(json.loads(text)) if checksum == _checksum(text) else None


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(plain: dict[str, Any]) -> Result:
    kind = plain.pop("kind")
    if kind == _PICTURE:
        return pd.DataFrame(plain["columns"])
    adapter: TypeAdapter[Result] = TypeAdapter(_KINDS[kind])
    return adapter.validate_python(plain)
