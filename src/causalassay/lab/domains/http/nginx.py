"""nginx: where it is, and how it is set."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
    found = shutil.which(stated)
    if found is None:
        raise FileNotFoundError(
            f"nginx: there is no program {stated!r}; install it (Debian: apt-get install nginx), "
            "or leave it out to use Python's server alone"
        )
    return found


def nginx_version(program: str) -> str:
    """Return the version that nginx states."""
    told = subprocess.run([program, "-v"], capture_output=True, text=True, check=False).stderr
    found = re.search(r"nginx/(\S+)", told)
    if found is None:
        raise ValueError(f"nginx: {program} is not nginx; it says {told.strip()[:80]!r}")
    return found.group(1)


def config_text(classes: Mapping[str, ServerClass]) -> str:
    """Return the configuration; ``@name@`` stands where the address of a class is put in.

    Examples
    --------
    >>> from causalassay.lab.domains.http.nginx import SERVER_CLASSES
    >>> "listen @nginx@;" in config_text({"nginx": SERVER_CLASSES["nginx"]})
    True
    """
    servers = [
        _SERVER.format(
            name=name,
            gzip="on" if one.level else "off",
            level=one.level or 1,
            proxied="any" if one.compresses_for_proxies else "off",
        )
        for name, one in classes.items()
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
    return {name: one for name, one in SERVER_CLASSES.items() if one.program in programs}
