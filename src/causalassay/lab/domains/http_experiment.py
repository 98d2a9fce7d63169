"""A factorial experiment on web requests: compression, proxy and user agent."""

from __future__ import annotations

import gzip
import platform
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from causalassay.lab.domains.collecting import Collected, Measure, MeasurementFailed, collect
from causalassay.lab.domains.http_servers import (
    Addresses,
    ServerClass,
    classes_of,
    draw_pages,
    nginx_version,
    running,
)
from causalassay.lab.domains.plan import Plan, Setting, Subject, check_at_least
from causalassay.lab.factorial import FactorialExperiment, write_experiment

BIASING = "server_class"
"""The covariate by which treatments are assigned."""
PAGES_VERSION = 1
"""Raised when the same seed gives other pages, or the same class another server."""


@dataclass(frozen=True)
class Options:
    """The options of the experiment.

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
        check_at_least(trials=(self.trials, 1), seed=(self.seed, 0))

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
        "server_classes": {
            name: _told(served_by) for name, served_by in ready.options.classes.items()
        },
        "reset": "a new connection for each request; neither servers nor proxy keep anything",
        "outcomes_from": "Python's http.client: milliseconds from connecting to the last byte, "
        "bytes as received and after decompression, opening tags and their attributes",
    }
    return collected.experiment(BIASING, extra)


def _told(server: ServerClass) -> str:
    if not server.level:
        return f"{server.program}, never compresses"
    proxies = "also" if server.compresses_for_proxies else "not"
    return f"{server.program}, gzip level {server.level}, {proxies} for requests through a proxy"


# One web request and what it gives.

HOST = "127.0.0.1"
TREATMENTS: Mapping[str, tuple[str, ...]] = {
    "compression": ("identity", "gzip"),
    "proxy": ("direct", "proxy"),
    "user_agent": ("desktop", "mobile"),
}
OUTCOMES = (
    "elapsed_ms",
    "raw_content_length",
    "decompressed_content_length",
    "html_tags",
    "html_attrs",
)
AGENTS = {
    "desktop": "Mozilla/5.0 (X11; Linux x86_64) causalassay",
    "mobile": "Mozilla/5.0 (Linux; Android 14; Mobile) causalassay",
}
_SECONDS = 30
_GONE = "the server of {} is gone; give the same command again to go on"


def measure(addresses: Addresses, subject: Subject, setting: Setting) -> Mapping[str, float]:
    """Request a page under a setting, and return the outcomes.

    The time is from before the connection is made until the last byte has arrived; a connection
    serves one request. Reading the page is not part of it.

    Parameters
    ----------
    addresses : Addresses
    subject : Subject
        A page; its covariate `server_class` says who serves it.
    setting : dict
        A level of each of `TREATMENTS`.

    Raises
    ------
    ConnectionError
        If nobody serves any more: that is the end of a session, not a failed measurement.
    """
    port = addresses.ports[str(subject.covariates["server_class"])]
    path = f"/{subject.id}.html"
    by_proxy = setting["proxy"] == "proxy"
    headers = {
        "User-Agent": AGENTS[str(setting["user_agent"])],
        "Accept-Encoding": str(setting["compression"]),
        "Connection": "close",
    }
    start = time.perf_counter()
    connection = HTTPConnection(HOST, addresses.proxy if by_proxy else port, timeout=_SECONDS)
    try:
        asked = f"http://{HOST}:{port}{path}" if by_proxy else path
        connection.request("GET", asked, headers=headers)
        reply = connection.getresponse()
        body = reply.read()
        elapsed = time.perf_counter() - start
    except ConnectionError as error:
        raise ConnectionError(_GONE.format(subject.id)) from error
    except (OSError, HTTPException) as error:
        raise MeasurementFailed(f"no answer ({type(error).__name__})") from error
    finally:
        connection.close()
    if reply.status == HTTPStatus.BAD_GATEWAY:
        raise ConnectionError(_GONE.format(subject.id))
    if reply.status != HTTPStatus.OK:
        raise MeasurementFailed(f"status {reply.status}")
    page = _decompressed(body, reply.getheader("Content-Encoding"))
    n_tags, n_attributes = count_markup(page.decode())
    values = (1000 * elapsed, len(body), len(page), n_tags, n_attributes)
    return dict(zip(OUTCOMES, values, strict=True))


def _decompressed(body: bytes, encoding: str | None) -> bytes:
    if encoding in (None, "identity"):
        return body
    if encoding != "gzip":
        raise MeasurementFailed(f"content encoding {encoding}")
    try:
        return gzip.decompress(body)
    except (OSError, EOFError, zlib.error) as error:
        raise MeasurementFailed("compressed content is damaged") from error


def count_markup(page: str) -> tuple[int, int]:
    """Return the numbers of tags that open and of attributes.

    Examples
    --------
    >>> count_markup('<p class="a" id="b">one<br>two</p>')
    (2, 2)
    """
    counter = _Counter()
    counter.feed(page)
    counter.close()
    return counter.n_tags, counter.n_attributes


class _Counter(HTMLParser):
    n_tags = 0
    n_attributes = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.n_tags += 1
        self.n_attributes += len(attrs)
