"""A factorial experiment on web requests: compression, proxy and user agent."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

from causalassay.domains.collecting import Collected, collect
from causalassay.domains.http.nginx import nginx_version
from causalassay.domains.http.pages import draw_pages
from causalassay.domains.http.requests import OUTCOMES, TREATMENTS, measure
from causalassay.domains.http.server_classes import ServerClass, classes_of
from causalassay.domains.http.servers import running
from causalassay.domains.plan import Level, Plan, Setting, Subject
from causalassay.factorial import FactorialExperiment

BIASING = "server_class"
PAGES_VERSION = 1
"""Raised when the same seed gives other pages or the same class another server."""


def run_experiment(
    n_pages: int,
    trials: int,
    seed: int,
    journal: Path,
    *,
    nginx: str | None = None,
    on_progress: Callable[[int, int, int], None] = lambda *_: None,
) -> tuple[FactorialExperiment, Collected]:
    """Request every page under every setting, and return the factorial experiment.

    Parameters
    ----------
    n_pages : int
        Subjects; the server classes take turns.
    trials : int
        How often each page is requested under each setting.
    seed : int
        Of the pages and of the order.
    journal : Path
        File to append to; an interrupted experiment goes on from it.
    nginx : str, optional
        The program nginx. Without it Python's server alone serves, in two classes.
    on_progress : callable
        Takes the numbers of measurements that are made, planned and failed.
    """
    classes = classes_of(("python",) if nginx is None else ("nginx", "python"))
    if n_pages < 2 * len(classes):
        raise ValueError(
            f"pages: expected at least {2 * len(classes)}, 2 for each server class; got {n_pages}"
        )
    pages = draw_pages(n_pages, classes, seed)
    subjects = tuple(Subject(page.name, {BIASING: page.server_class}) for page in pages)
    settings: dict[str, Level] = {
        "server_classes": ", ".join(classes),
        "pages_version": PAGES_VERSION,
    }
    plan = Plan("http", subjects, TREATMENTS, OUTCOMES, trials, seed, settings=settings)
    with running(classes, pages, nginx) as addresses:

        def measured(subject: Subject, setting: Setting) -> dict[str, float]:
            return dict(measure(addresses, subject, setting))

        for subject in subjects:  # so that no file is read from the disk for the first time
            measured(subject, {name: levels[0] for name, levels in TREATMENTS.items()})
        collected = collect(plan, measured, journal, on_progress)
    return collected.experiment(BIASING, _versions(classes, nginx)), collected


def _versions(classes: dict[str, ServerClass], nginx: str | None) -> dict[str, object]:
    programs = {"python": platform.python_version()}
    if nginx is not None:
        programs["nginx"] = nginx_version(nginx)
    described = {name: _described(one) for name, one in classes.items()}
    return {"programs": programs, "classes": described, "network": "loopback"}


def _described(one: ServerClass) -> str:
    if not one.level:
        return f"{one.program}, never compresses"
    proxies = "also" if one.compresses_for_proxies else "not"
    return f"{one.program}, gzip level {one.level}, {proxies} for requests through a proxy"
