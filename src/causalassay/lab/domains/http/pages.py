"""Seeded web pages, each in a variant for desktop and one for mobile."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path

from numpy.random import Generator

from causalassay.common.seeding import stream
from causalassay.lab.domains.http.nginx import ServerClass

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
    >>> from causalassay.lab.domains.http.nginx import classes_of
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


def _draw_page(name: str, own: str, classes: Mapping[str, ServerClass], seed: int) -> Page:
    rng = stream(seed, "page", name)
    n_blocks = min(_MOST_BLOCKS, 2 + int(rng.lognormal(log(classes[own].blocks), _SPREAD)))
    weights = rng.dirichlet([2.0, 1.0, 0.7, 0.3])
    desktop, mobile = [], []
    for number in range(n_blocks):
        kind = _KINDS[rng.choice(len(_KINDS), p=weights)]
        content = _content(kind, rng)
        desktop.append(_block(kind, number, content, rich=True))
        if number == 0 or rng.random() < _MOBILE_SHARE:
            mobile.append(_block(kind, number, content, rich=False))
    return Page(name, own, _document(name, desktop, rich=True), _document(name, mobile, rich=False))


def _content(kind: str, rng: Generator) -> list[str]:
    """Return what a block says: texts of its parts; a picture's is its bytes as text."""
    if kind == "picture":
        return [b64encode(rng.bytes(int(rng.integers(200, 2000)))).decode()]
    n_parts = {"paragraph": 1, "links": 8, "table": 16}[kind]
    n_words = {"paragraph": 60, "links": 3, "table": 1}[kind]
    words = _vocabulary()
    drawn = rng.zipf(1.3, size=(n_parts, n_words)) % len(words)
    return [" ".join(words[place] for place in part) for part in drawn.tolist()]


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
