"""All entries of the hall, in the order of its table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from causalassay.hall.data_sets import networks, real_data
from causalassay.hall.entry import Entry, Settings
from causalassay.hall.own_schemes import own_schemes
from causalassay.hall.package_generators import package_generators
from causalassay.spelling import did_you_mean


def entries(
    settings: Settings, data: Path | None = None, bif: Sequence[Path] = ()
) -> dict[str, Entry]:
    """Return the entries by name: other packages', ours, real data, networks.

    Parameters
    ----------
    settings : Settings
    data : Path, optional
        The folder of the files of real data.
    bif : sequence of Path
        Files of networks.

    Examples
    --------
    >>> entries(Settings())["linear-iscm"].group
    'ours'
    """
    found: dict[str, Entry] = {}
    for own in (package_generators(), own_schemes(settings), real_data(data), networks(bif)):
        for entry in own:
            if entry.name in found:
                raise ValueError(
                    f"two entries of the hall are called {entry.name!r}; rename the file or the "
                    "generator"
                )
            found[entry.name] = entry
    return found


def chosen(known: dict[str, Entry], only: Sequence[str]) -> list[Entry]:
    """Return the entries of some names, without names all of them.

    Examples
    --------
    >>> chosen(entries(Settings()), ["linear-icsm"])
    Traceback (most recent call last):
    ValueError: --only: there is no entry 'linear-icsm'; did you mean 'linear-iscm'?
    """
    for name in only:
        if name not in known:
            raise ValueError(
                f"--only: there is no entry {name!r}; {did_you_mean(name, list(known))}"
            )
    return [entry for name, entry in known.items() if not only or name in only]
