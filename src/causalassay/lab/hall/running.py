"""Fills the hall, entry by entry, and writes its draws as files for `causalassay audit`."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from causalassay.common.files import filled_folder
from causalassay.data.files import write
from causalassay.graphs import LaggedGraph, write_graph
from causalassay.lab.hall.catalogue import Entry
from causalassay.lab.hall.measuring import UNDER_WAY, KeptAudits, draw_names, key_of, measure
from causalassay.lab.hall.row import Row, keep, kept
from causalassay.lab.hall.sources import Settings

KEY = "key.txt"
"""The file that says of what the draws are: those of the same entry and settings are kept."""

COMMAND = "audit.txt"
"""The file with the command that audits them."""

OnProgress = Callable[[str, int, int], None]
"""Called with the name of an entry, and how many data sets are audited, of all."""


def fill(
    entries: Sequence[Entry],
    settings: Settings,
    folder: Path,
    *,
    again: bool = False,
    on_progress: OnProgress = lambda *_: None,
) -> list[Row]:
    """Return the rows of some entries; a row that is kept is not measured again.

    Parameters
    ----------
    entries : sequence of Entry
    settings : Settings
    folder : Path
        Of the results.
    again : bool
        Measure what is kept as well.
    on_progress : callable, optional

    Examples
    --------
    >>> import tempfile
    >>> from causalassay.lab.hall.catalogue import entries
    >>> settings = Settings(draws=2, nodes=5, samples=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     only = [entries(settings)["linear-uumc"]]
    ...     [row.status for row in fill(only, settings, Path(folder))]
    ['ok']
    """
    totals = [1 if entry.is_one_data_set else settings.draws for entry in entries]
    before, rows = 0, []
    for entry, total in zip(entries, totals, strict=True):
        key = key_of(entry, settings)
        row = None if again else kept(folder, entry.name, key)
        if row is None:
            step = _Step(on_progress, entry.name, before, sum(totals))
            audits = KeptAudits(folder / UNDER_WAY / f"{entry.name}.jsonl", key)
            if again:
                audits.clear()
            row = measure(entry, settings, step, audits)
            keep(folder, row)
            audits.clear()
        elif (retold := _retold(row, entry, settings)) != row:
            row = retold
            keep(folder, row)
        rows.append(row)
        before += total
        on_progress(entry.name, before, sum(totals))
    return rows


@dataclasses.dataclass(frozen=True)
class _Step:
    """Counts data sets over all entries."""

    on_progress: OnProgress
    name: str
    before: int
    total: int

    def __call__(self, done: int, _: int) -> None:
        self.on_progress(self.name, self.before + done, self.total)


def _retold(row: Row, entry: Entry, settings: Settings) -> Row:
    """Return a kept row with the texts that its entry has now: no number depends on them."""
    texts = {name: getattr(entry, name) for name in ("what", "call", "note", "reference")}
    return dataclasses.replace(row, **texts, command=entry.command(settings))


def check_places(entries: Iterable[Entry], settings: Settings, folder: Path) -> None:
    """Raise before the work begins if draws cannot be written: nothing is ever overwritten.

    Raises
    ------
    FileExistsError
        Something else is there.
    """
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"--keep {folder} is a file; name a folder")
    for entry in entries:
        own = folder / entry.name
        if own.exists() and not _has_draws(own, entry, settings):
            raise FileExistsError(
                f"{own} is there already, with other files than these draws; name another folder "
                "for --keep, or move it away"
            )


def _has_draws(own: Path, entry: Entry, settings: Settings) -> bool:
    file = own / KEY
    return file.is_file() and file.read_text(encoding="utf-8").strip() == key_of(entry, settings)


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
        Then nothing is written.
    FileExistsError
        Something else is there.
    """
    own = folder / entry.name
    check_places([entry], settings, folder)
    folder.mkdir(parents=True, exist_ok=True)
    if own.exists():
        return (own / COMMAND).read_text(encoding="utf-8").strip()
    with filled_folder(own) as partial:
        for part in ("data", "graphs"):
            (partial / part).mkdir()
        max_lag = 0
        for number, name in enumerate(draw_names(entry, settings)):
            data, graph = entry.source.draw(settings, number)
            truth = graph.summary if isinstance(graph, LaggedGraph) else graph
            if isinstance(graph, LaggedGraph):
                max_lag = graph.max_lag
            write(data, partial / "data" / f"{name}.csv")
            target = partial / "graphs" / f"{name}.csv"
            write_graph(target, truth, data.columns, feedback=max_lag > 0)
        command = _command(entry, settings, own, max_lag)
        (partial / COMMAND).write_text(f"{command}\n", encoding="utf-8")
        (partial / KEY).write_text(f"{key_of(entry, settings)}\n", encoding="utf-8")
    return command


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
