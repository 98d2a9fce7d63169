"""All entries of the hall, in the order of its table."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from causalassay.common.spelling import did_you_mean
from causalassay.data import chamber, sachs
from causalassay.data.dataset import World
from causalassay.data.known_files import CHAMBER, CHAMBER_GRAPH, SACHS
from causalassay.environments.catalogue import environment, environment_generators
from causalassay.lab.hall.sources import (
    BayesianNetwork,
    PackageGenerator,
    RealData,
    Scheme,
    Settings,
    Source,
    first_pin,
    link_probability,
)
from causalassay.listing import short_lines
from causalassay.models import read_bif
from causalassay.models.draws import source
from causalassay.models.registry import MODELS
from causalassay.study.keys import file_sha256

Group = Literal["package", "ours", "data set", "network"]
"""Generators of other packages, ours, real data, and networks that users name."""

WORLDS: Mapping[str, World] = {"var": "series", "discrete": "discrete"}
"""By mechanism; the others make independent rows of numbers."""

_GRAPHS: Mapping[World, str] = {
    "continuous": "ca.graphs.erdos_renyi({nodes}, 2, rng, exact=False)",
    "discrete": "ca.graphs.erdos_renyi({nodes}, 2, rng, exact=False)",
    "series": "ca.graphs.lagged_erdos_renyi({nodes}, {share:.3g}, 2, rng, feedback=False)",
}
_NOTES: Mapping[World, str] = {
    "continuous": "Erdős–Rényi graphs, 2 edges per node expected.",
    "discrete": "Erdős–Rényi graphs, 2 edges per node expected.",
    "series": "2 links per node to others expected, at lags 0 to 2, without feedback.",
}
_FUNCTIONS: Mapping[str, str] = {
    "gp": "Functions: one Gaussian process over all parents.",
    "gp-additive": "Functions: a sum of Gaussian processes, one for each parent.",
    "mlp": "Functions: random networks.",
    "multi-index": "Functions: tanh, cos and sin of random sums of the parents.",
    "rff": "Functions: Gaussian processes by random Fourier features.",
    "sigmoid": "Functions: sums of sigmoids, one for each parent.",
}


@dataclass(frozen=True, eq=False)
class Entry:
    """A row of the hall before it is measured.

    Parameters
    ----------
    name : str
    group : Group
    package : str
        Whose it is.
    world : {"continuous", "discrete", "series"}
    what : str
        One sentence.
    call : str
        As code: what is called, with what is left at its defaults.
    source : Source
    note : str
        What had to be chosen because the package has no default; often empty.
    reference : str
    option : str
        What the command needs besides the name, such as ``--data FOLDER``.
    """

    name: str
    group: Group
    package: str
    world: World
    what: str
    call: str
    source: Source
    note: str = ""
    reference: str = ""
    option: str = ""

    @property
    def is_one_data_set(self) -> bool:
        """Whether there is one data set, and nothing is drawn."""
        return self.group == "data set"

    def command(self, settings: Settings) -> str:
        """Return the command that makes its row."""
        words = ["causalassay hall --only", self.name, self.option]
        return " ".join(word for word in words if word) + settings.options


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


def package_generators() -> Iterator[Entry]:
    """Yield the generators of all environments, by package.

    Examples
    --------
    >>> {entry.group for entry in package_generators()} <= {"package"}
    True
    """
    found = environment_generators().values()
    for one in sorted(found, key=lambda one: (one.environment, one.name)):
        yield Entry(
            one.name,
            "package",
            first_pin(environment(one.environment)).partition("==")[0] or one.environment,
            cast(World, one.world),  # checked when the definition was read
            one.what,
            one.call,
            PackageGenerator(one),
            one.note,
            one.reference,
            "--install",
        )


def own_schemes(settings: Settings) -> Iterator[Entry]:
    """Yield an entry for each model source; the raw scheme is called so.

    Examples
    --------
    >>> [entry.name for entry in own_schemes(Settings())][:3]
    ['linear-raw', 'linear-standardized', 'linear-iscm']
    """
    told = short_lines("models")
    for found in MODELS.entries():
        mechanism, _, kind = found.name.partition(".")
        if found.value is None or found.name not in told:
            continue  # it is not built in
        world = WORLDS.get(mechanism, "continuous")
        share = link_probability(settings.nodes)
        graph = _GRAPHS[world].format(nodes=settings.nodes, share=share)
        yield Entry(
            f"{mechanism}-{'raw' if kind == 'scm' else kind}",
            "ours",
            "causalassay",
            world,
            told[found.name],
            f'ca.models.draw("{kind}", {graph}, rng, mechanism="{mechanism}")',
            Scheme(source(kind, mechanism=mechanism), world),
            f"{_FUNCTIONS.get(mechanism, '')} {_NOTES[world]}".strip(),
        )


def real_data(folder: Path | None) -> Iterator[Entry]:
    """Yield the data sets that are known by their checksums.

    Examples
    --------
    >>> [entry.name for entry in real_data(None)]
    ['sachs', 'chamber']
    """
    yield Entry(
        "sachs",
        "data set",
        "",
        "continuous",
        "853 single-cell measurements of 11 proteins, with the usual 17-edge graph.",
        'ca.data.sachs("FOLDER")',
        RealData(sachs, (SACHS,), folder),
        "The observational condition alone.",
        "Sachs, Perez, Pe'er, Lauffenburger, Nolan (2005), doi:10.1126/science.1105809",
        "--data FOLDER",
    )
    yield Entry(
        "chamber",
        "data set",
        "",
        "continuous",
        "10 000 measurements of a light tunnel, a machine whose causes are known.",
        'ca.data.chamber("FOLDER")',
        RealData(chamber, (CHAMBER, CHAMBER_GRAPH), folder),
        "The reference condition alone.",
        "Gamella, Peters, Bühlmann (2025), arXiv:2404.11341",
        "--data FOLDER",
    )


def networks(files: Sequence[Path]) -> Iterator[Entry]:
    """Yield an entry for each BIF file; its name is the file's without the ending.

    Raises
    ------
    ValueError
        If a file is no network.
    """
    for file in files:
        model = read_bif(file)
        yield Entry(
            re.sub(r"[^\w.-]+", "-", file.stem),
            "network",
            "",
            "discrete",
            f"A discrete network of {len(model.names)} nodes.",
            f'ca.models.read_bif("{file.name}").sample(n, rng)',
            BayesianNetwork(file, file_sha256(file)),
            "All draws have the network's own graph, so that they are one unit.",
            "",
            f"--bif {shlex.quote(file.name)}",
        )
