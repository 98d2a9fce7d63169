"""The web servers of the experiment on HTTP, the pages that they serve, and how they are run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from typing import Literal

from numpy.random import Generator

from causalassay.common.seeding import stream
from causalassay.lab.domains import http_serving as serving
from causalassay.lab.domains.watched_servers import Start, as_it_is, watched

_PLACES = "/usr/sbin:/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin"

_TOP = """daemon off;
worker_processes 1;
error_log stderr warn;
pid nginx.pid;
events { worker_connections 64; }
http {
    access_log off;
    types { text/html html; }
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    map $http_user_agent $variant { default desktop; ~Mobile mobile; }
"""

_SERVER = """    server {{
        listen @{name}@;
        root pages/$variant;
        gzip {gzip};
        gzip_comp_level {level};
        gzip_proxied {proxied};
    }}
"""


def find_nginx(stated: str | None = None) -> str | None:
    """Return the path of the nginx program: the stated one, that on the PATH, a usual one; or None.

    Examples
    --------
    >>> find_nginx("/nowhere/nginx")
    Traceback (most recent call last):
    FileNotFoundError: nginx: there is no program '/nowhere/nginx'; ...
    """
    if stated is None:
        return shutil.which("nginx") or shutil.which("nginx", path=_PLACES)
    program = shutil.which(stated)
    if program is None:
        raise FileNotFoundError(
            f"nginx: there is no program {stated!r}; install it (Debian: apt-get install nginx), "
            "or leave it out to use Python's server alone"
        )
    return program


def nginx_version(program: str) -> str:
    """Return the version that nginx states."""
    answer = subprocess.run([program, "-v"], capture_output=True, text=True, check=False).stderr
    match = re.search(r"nginx/(\S+)", answer)
    if match is None:
        raise ValueError(f"nginx: {program} is not nginx; it says {answer.strip()[:80]!r}")
    return match.group(1)


def config_text(classes: Mapping[str, ServerClass]) -> str:
    """Return the configuration; ``@name@`` stands where the address of a class is put in.

    Examples
    --------
    >>> from causalassay.lab.domains.http_servers import SERVER_CLASSES
    >>> "listen @nginx@;" in config_text({"nginx": SERVER_CLASSES["nginx"]})
    True
    """
    servers = [
        _SERVER.format(
            name=name,
            gzip="on" if server.level else "off",
            level=server.level or 1,
            proxied="any" if server.compresses_for_proxies else "off",
        )
        for name, server in classes.items()
    ]
    return _TOP + "".join(servers) + "}\n"


# The classes of web servers: what serves a page is known before any treatment.


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
    return {name: server for name, server in SERVER_CLASSES.items() if server.program in programs}


# Seeded web pages, each in a variant for desktop and one for mobile.

_SPREAD = 0.6
"""Standard deviation of the log number of blocks of a page, within a server class."""
_MOST_BLOCKS = 1000
_MOBILE_SHARE = 0.6
"""What share of the blocks the mobile variant keeps."""
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo")
_KINDS = ("paragraph", "links", "table", "picture")


@dataclass(frozen=True)
class Page:
    """One subject of the experiment.

    Parameters
    ----------
    name : str
        As in its address.
    server_class : str
        Who serves it.
    desktop, mobile : bytes
        The two variants.
    """

    name: str
    server_class: str
    desktop: bytes
    mobile: bytes


def draw_pages(n_pages: int, classes: Mapping[str, ServerClass], seed: int) -> tuple[Page, ...]:
    """Return pages whose classes take turns, and whose sizes depend on the class.

    Examples
    --------
    >>> from causalassay.lab.domains.http_servers import classes_of
    >>> pages = draw_pages(4, classes_of(("python",)), seed=1)
    >>> [page.server_class for page in pages]
    ['python', 'python-gzip', 'python', 'python-gzip']
    >>> all(len(page.mobile) < len(page.desktop) for page in pages)
    True
    """
    names = list(classes)
    return tuple(
        _draw_page(f"page-{number:04d}", names[number % len(names)], classes, seed)
        for number in range(n_pages)
    )


def _draw_page(name: str, server_class: str, classes: Mapping[str, ServerClass], seed: int) -> Page:
    rng = stream(seed, "page", name)
    n_blocks = min(_MOST_BLOCKS, 2 + int(rng.lognormal(log(classes[server_class].blocks), _SPREAD)))
    weights = rng.dirichlet([2.0, 1.0, 0.7, 0.3])
    desktop, mobile = [], []
    for number in range(n_blocks):
        kind = _KINDS[rng.choice(len(_KINDS), p=weights)]
        content = _content(kind, rng)
        desktop.append(_block(kind, number, content, rich=True))
        if number == 0 or rng.random() < _MOBILE_SHARE:
            mobile.append(_block(kind, number, content, rich=False))
    return Page(
        name, server_class, _document(name, desktop, rich=True), _document(name, mobile, rich=False)
    )


def _content(kind: str, rng: Generator) -> list[str]:
    """Return what a block says: texts of its parts; a picture's is its bytes as text."""
    if kind == "picture":
        return [b64encode(rng.bytes(int(rng.integers(200, 2000)))).decode()]
    n_parts = {"paragraph": 1, "links": 8, "table": 16}[kind]
    n_words = {"paragraph": 60, "links": 3, "table": 1}[kind]
    words = _vocabulary()
    drawn = rng.zipf(1.3, size=(n_parts, n_words)) % len(words)
    return [" ".join(words[number] for number in part) for part in drawn.tolist()]


@cache
def _vocabulary() -> list[str]:
    """Return 2744 words, the same for all seeds."""
    return [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]


def _block(kind: str, number: int, content: list[str], rich: bool) -> str:
    """Return a block as HTML; the rich one carries more attributes."""
    style = f' class="block {kind}" id="b{number}" data-place="{number}"' if rich else ""
    title = ' title="more on this" rel="nofollow"' if rich else ""
    match kind:
        case "paragraph":
            return f"<p{style}>{content[0]}</p>"
        case "links":
            items = [
                f'<li><a href="/{number}-{i}"{title}>{x}</a></li>' for i, x in enumerate(content)
            ]
            return f"<ul{style}>{''.join(items)}</ul>"
        case "table":
            cells = [f"<td>{x}</td>" for x in content]
            rows = ["<tr>" + "".join(cells[k : k + 4]) + "</tr>" for k in range(0, 16, 4)]
            return f"<table{style}>{''.join(rows)}</table>"
        case _:
            data = content[0] if rich else content[0][: len(content[0]) // 8 * 4]
            return f'<img{style} alt="picture {number}" src="data:image/png;base64,{data}">'


def _document(name: str, blocks: list[str], rich: bool) -> bytes:
    head = f'<meta charset="utf-8"><title>{name}</title>'
    if not rich:
        head += '<meta name="viewport" content="width=device-width">'
    body = "\n".join(blocks)
    text = f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'
    return text.encode()


def write_pages(folder: Path, pages: tuple[Page, ...]) -> None:
    """Write the two variants of each page, readable for the user as whom servers run."""
    for variant in ("desktop", "mobile"):
        (folder / variant).mkdir(parents=True)
        for page in pages:
            file = folder / variant / f"{page.name}.html"
            file.write_bytes(getattr(page, variant))
            file.chmod(0o644)
        (folder / variant).chmod(0o755)
    folder.chmod(0o755)


# The running servers of the experiment on HTTP.

USERS = ("nobody",)
_PORTS = {"pages": "pages.json", "nginx": "nginx.json", "proxy": "proxy.json"}


@dataclass(frozen=True)
class Addresses:
    """Where the servers listen on loopback.

    Parameters
    ----------
    ports : mapping of str to int
        By server class.
    proxy : int
        The port of the proxy.
    """

    ports: Mapping[str, int]
    proxy: int


@contextmanager
def running(
    classes: Mapping[str, ServerClass], pages: tuple[Page, ...], nginx: str | None
) -> Iterator[Addresses]:
    """Serve the pages until the end of the block, in a temporary folder that is then removed.

    The servers never outlive this process, however it ends: see `watched_servers`. Called by root,
    they run as the user nobody.

    Parameters
    ----------
    classes : mapping of str to ServerClass
    pages : tuple of Page
    nginx : str, or None
        The program, where a class needs it.
    """
    with watched("HTTP", _steps(classes, nginx), USERS) as folder:
        write_pages(folder / "pages", pages)
        ports = {
            name: port
            for kind, file in _PORTS.items()
            if kind != "proxy" and (folder / file).exists()
            for name, port in json.loads((folder / file).read_text()).items()
        }
        proxy = json.loads((folder / _PORTS["proxy"]).read_text())["proxy"]
        yield Addresses(ports, proxy)


def _steps(classes: Mapping[str, ServerClass], nginx: str | None) -> list[Start]:
    by_python = {
        name: server.level for name, server in classes.items() if server.program == "python"
    }
    by_nginx = {name: server for name, server in classes.items() if server.program == "nginx"}
    steps = []
    orders: dict[str, object]
    if by_python:
        orders = {"classes": by_python, "ready": _PORTS["pages"]}
        steps.append(_start("Python's server", "pages", orders, _PORTS["pages"]))
    if by_nginx:
        orders = {
            "classes": list(by_nginx),
            "config": config_text(by_nginx),
            "nginx": nginx,
            "ports": _PORTS["nginx"],
        }
        steps.append(_start("nginx", "nginx", orders, "nginx.pid"))
    used = [_PORTS[kind] for kind, some in (("pages", by_python), ("nginx", by_nginx)) if some]
    orders = {"ports": used, "ready": _PORTS["proxy"]}
    return [*steps, _start("the proxy", "proxy", orders, _PORTS["proxy"])]


def _start(what: str, kind: str, orders: Mapping[str, object], ready: str) -> Start:
    words = (sys.executable, "-I", str(Path(serving.__file__)), kind, json.dumps(orders))
    return Start(what, (*map(as_it_is, words), "{user}", "{group}"), ready, starts_as_caller=True)
