"""A factorial experiment on web requests: compression, proxy and user agent."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from causalassay.domains.collecting import Collected, Measure, MeasurementFailed, collect
from causalassay.domains.http.nginx import nginx_version
from causalassay.domains.http.pages import draw_pages
from causalassay.domains.http.requests import OUTCOMES, TREATMENTS, measure
from causalassay.domains.http.server_classes import ServerClass, classes_of
from causalassay.domains.http.servers import running
from causalassay.domains.plan import Plan, Setting, Subject
from causalassay.factorial import FactorialExperiment, write_experiment

BIASING = "server_class"
"""The covariate by which treatments are assigned."""
PAGES_VERSION = 1
"""Raised when the same seed gives other pages, or the same class another server."""


@dataclass(frozen=True)
class Options:
    """What a user chooses.

    Parameters
    ----------
    n_pages : int
        Subjects; the server classes take turns.
    trials : int
        How often each page is requested under each setting.
    seed : int
        Of the pages and of the order.
    nginx : str, optional
        The program nginx. Without it Python's server alone serves, in two classes.
    """

    n_pages: int = 300
    trials: int = 3
    seed: int = 0
    nginx: str | None = None

    def __post_init__(self) -> None:
        least = 2 * len(self.classes)
        if self.n_pages < least:
            raise ValueError(
                f"pages: expected at least {least}, 2 for each server class; got {self.n_pages}"
            )
        if self.trials < 1:
            raise ValueError(f"trials: expected at least 1, got {self.trials}")
        if self.seed < 0:
            raise ValueError(f"seed: expected at least 0, got {self.seed}")

    @property
    def classes(self) -> dict[str, ServerClass]:
        """The server classes, by name."""
        return classes_of(("python",) if self.nginx is None else ("nginx", "python"))

    @property
    def programs(self) -> dict[str, str]:
        """The versions of the programs that serve."""
        python = {"python": platform.python_version()}
        return python if self.nginx is None else {"nginx": nginx_version(self.nginx)} | python


@dataclass(frozen=True)
class Prepared:
    """Running servers with their pages, ready to be asked."""

    options: Options
    plan: Plan
    measure: Measure

    def seconds_each(self) -> float:
        """Return how long a request takes here; every page is requested once.

        After that no page is read from the disk for the first time.
        """
        setting: Setting = {name: levels[0] for name, levels in TREATMENTS.items()}
        begin = time.monotonic()
        for subject in self.plan.subjects:
            try:
                self.measure(subject, setting)
            except MeasurementFailed as error:
                name = subject.covariates[BIASING]
                raise ValueError(f"the server {name} does not serve its pages: {error}") from error
        return (time.monotonic() - begin) / len(self.plan.subjects)


@contextmanager
def prepared(options: Options) -> Iterator[Prepared]:
    """Start the servers with the pages; all is removed at the end."""
    classes, programs = options.classes, options.programs
    pages = draw_pages(options.n_pages, classes, options.seed)
    plan = Plan(
        domain="http",
        subjects=tuple(Subject(page.name, {BIASING: page.server_class}) for page in pages),
        treatments=TREATMENTS,
        outcomes=OUTCOMES,
        trials=options.trials,
        seed=options.seed,
        settings={
            "programs": ", ".join(f"{name} {version}" for name, version in programs.items()),
            "pages_version": PAGES_VERSION,
        },
    )
    with running(classes, pages, options.nginx) as addresses:
        yield Prepared(options, plan, partial(measure, addresses))


def run(
    ready: Prepared, folder: Path, on_progress: Callable[[int, int, int], None]
) -> tuple[Collected, Path]:
    """Measure what the folder's journal lacks, and write the experiment.

    Parameters
    ----------
    ready : Prepared
    folder : Path
    on_progress : callable
        Takes the numbers of measurements that are made, planned and failed.
    """
    collected = collect(ready.plan, ready.measure, folder / "journal.jsonl", on_progress)
    return collected, write_experiment(folder / "http.toml", _experiment(ready, collected))


def _experiment(ready: Prepared, collected: Collected) -> FactorialExperiment:
    extra = {
        "system": "web servers on loopback",
        "server_classes": {name: _told(one) for name, one in ready.options.classes.items()},
        "reset": "a new connection for each request; neither servers nor proxy keep anything",
        "outcomes_from": "Python's http.client: milliseconds from connecting to the last byte, "
        "bytes as received and after decompression, opening tags and their attributes",
    }
    return collected.experiment(BIASING, extra)


def _told(one: ServerClass) -> str:
    if not one.level:
        return f"{one.program}, never compresses"
    proxies = "also" if one.compresses_for_proxies else "not"
    return f"{one.program}, gzip level {one.level}, {proxies} for requests through a proxy"
