"""The classes of web servers: what serves a page is known before any treatment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ServerClass:
    """A program that serves pages, and how it is set.

    Parameters
    ----------
    program : {"nginx", "python"}
    level : int
        Of gzip, 1 to 9; 0: it never compresses.
    compresses_for_proxies : bool
        Whether also a request that came through a proxy is answered with compression. By its
        defaults nginx does not.
    blocks : float
        The median number of blocks of the pages that it serves.
    """

    program: Literal["nginx", "python"]
    level: int
    compresses_for_proxies: bool
    blocks: float


SERVER_CLASSES = {
    "nginx": ServerClass("nginx", level=1, compresses_for_proxies=False, blocks=40),
    "nginx-gzip9": ServerClass("nginx", level=9, compresses_for_proxies=True, blocks=160),
    "python": ServerClass("python", level=0, compresses_for_proxies=False, blocks=20),
    "python-gzip": ServerClass("python", level=6, compresses_for_proxies=True, blocks=80),
}
"""Who serves what differs on the web as well: the class is a cause of size and structure."""


def classes_of(programs: tuple[str, ...]) -> dict[str, ServerClass]:
    """Return the classes that these programs can serve.

    Examples
    --------
    >>> list(classes_of(("python",)))
    ['python', 'python-gzip']
    """
    return {name: one for name, one in SERVER_CLASSES.items() if one.program in programs}
