"""One web request and what it gives."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Mapping
from html.parser import HTMLParser
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

from causalassay.domains.collecting import MeasurementFailed
from causalassay.domains.http.servers import Addresses
from causalassay.domains.plan import Setting, Subject

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
