"""The running servers of the experiment on HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from causalassay.lab.domains.http import serving
from causalassay.lab.domains.http.nginx import ServerClass, config_text
from causalassay.lab.domains.http.pages import Page, write_pages
from causalassay.lab.domains.watched_servers import Start, as_it_is, watched

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
    by_python = {name: one.level for name, one in classes.items() if one.program == "python"}
    by_nginx = {name: one for name, one in classes.items() if one.program == "nginx"}
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
