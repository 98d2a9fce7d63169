"""The servers of the experiment on HTTP, each a process of its own.

Run by `servers.running` as a script, without the package. The servers listen on loopback only, on
ports that the system chooses; a file tells the ports once they listen. Root is given up first.
"""

from __future__ import annotations

import ctypes
import encodings.idna  # noqa: F401  the user nobody may not be allowed to read it later
import gzip
import json
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
_PAGE = re.compile(r"/[a-z0-9-]+\.html")
_ASKED = re.compile(r"http://127\.0\.0\.1:(?P<port>\d{1,5})(?P<path>/.*)")
_SECONDS = 30
_PR_SET_PDEATHSIG = 1
_FORWARDED = ("Accept-Encoding", "User-Agent")
_RELAYED = ("Content-Type", "Content-Encoding", "Vary", "Server")


def main() -> None:
    """Serve as the first argument says: "pages", "proxy" or "nginx"."""
    kind, orders = sys.argv[1], json.loads(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end without a word
    give_up_root(sys.argv[3], sys.argv[4])
    {"pages": serve_pages, "proxy": serve_proxy, "nginx": become_nginx}[kind](orders)


def give_up_root(user: str, group: str) -> None:
    """Become that user, if one is named, and end when the parent ends."""
    if user:
        os.setgroups([])
        os.setgid(int(group))
        os.setuid(int(user))
    if sys.platform == "linux":  # a change of user has undone the parent's wish
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGINT))


def write_whole(path: Path, text: str) -> None:
    """Write a file that appears only once it is complete."""
    partial = path.with_suffix(".partial")
    partial.write_text(text)
    partial.replace(path)


class PageHandler(BaseHTTPRequestHandler):
    """Answers with a page: the variant for the user agent, compressed if that is accepted."""

    disable_nagle_algorithm = True
    timeout = _SECONDS
    pages: Path
    level: int

    def do_GET(self) -> None:
        """Send the page, or 404."""
        variant = "mobile" if "Mobile" in self.headers.get("User-Agent", "") else "desktop"
        file = self.pages / variant / self.path[1:]
        if not _PAGE.fullmatch(self.path) or not file.is_file():
            self.send_error(404)
            return
        body = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.level and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, self.level)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Say nothing."""


class ProxyHandler(BaseHTTPRequestHandler):
    """Fetches the page that a request names in full, and passes it on as it came."""

    disable_nagle_algorithm = True
    timeout = _SECONDS
    ports: frozenset[int]

    def do_GET(self) -> None:
        """Pass the request on to one of our servers; any other is refused."""
        asked = _ASKED.fullmatch(self.path)
        if asked is None or int(asked["port"]) not in self.ports:
            self.send_error(403)
            return
        headers = {name: self.headers[name] for name in _FORWARDED if name in self.headers}
        upstream = HTTPConnection(HOST, int(asked["port"]), timeout=_SECONDS)
        try:
            upstream.request("GET", asked["path"], headers=headers | {"Via": "1.1 causalassay"})
            reply = upstream.getresponse()
            body = reply.read()
        except (OSError, HTTPException):
            self.send_error(502)
            return
        finally:
            upstream.close()
        self.send_response_only(reply.status, reply.reason)
        for name in _RELAYED:
            if (value := reply.getheader(name)) is not None:
                self.send_header(name, value)
        self.send_header("Via", "1.1 causalassay")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Say nothing."""


def serve_pages(orders: Mapping[str, Any]) -> None:
    """Serve each class on a port of its own: ``{"classes": {name: level of compression}}``."""
    handlers = {
        name: type("Handler", (PageHandler,), {"pages": Path("pages"), "level": level})
        for name, level in orders["classes"].items()
    }
    _serve(handlers, Path(orders["ready"]))


def serve_proxy(orders: Mapping[str, Any]) -> None:
    """Pass requests on to the ports that the other servers have written down."""
    ports = [
        port for file in orders["ports"] for port in json.loads(Path(file).read_text()).values()
    ]
    handler = type("Handler", (ProxyHandler,), {"ports": frozenset(ports)})
    _serve({"proxy": handler}, Path(orders["ready"]))


def _serve(handlers: Mapping[str, type[BaseHTTPRequestHandler]], ready: Path) -> None:
    servers = {name: ThreadingHTTPServer((HOST, 0), handler) for name, handler in handlers.items()}
    for server in servers.values():
        threading.Thread(target=server.serve_forever, daemon=True).start()
    write_whole(ready, json.dumps({name: server.server_port for name, server in servers.items()}))
    signal.pause()  # the watchdog's signal ends it


def become_nginx(orders: Mapping[str, Any]) -> None:
    """Become nginx, which inherits sockets of ours: it cannot let the system choose a port."""
    sockets = {name: socket.create_server((HOST, 0)) for name in orders["classes"]}
    ports = {name: listening.getsockname()[1] for name, listening in sockets.items()}
    config = orders["config"]
    for name, port in ports.items():
        config = config.replace(f"@{name}@", f"{HOST}:{port}")
    Path("nginx.conf").write_text(config)
    write_whole(Path(orders["ports"]), json.dumps(ports))
    for listening in sockets.values():
        listening.set_inheritable(True)
    numbers = "".join(f"{listening.fileno()};" for listening in sockets.values())
    here = str(Path.cwd())
    command = [orders["nginx"], "-e", "stderr", "-p", here, "-c", f"{here}/nginx.conf"]
    os.execve(command[0], command, dict(os.environ) | {"NGINX": numbers})


if __name__ == "__main__":
    main()
