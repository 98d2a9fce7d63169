"""HTML from plain values, which are escaped unless they are marked as HTML."""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Iterable
from typing import Any

VOID = frozenset({"input", "meta"})
"""Elements that have no end."""


class Html(str):
    """Text that is HTML: `tag` takes it as it is, and escapes every other string."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """Return an element; what is not `Html` is escaped, in its children and its attributes.

    Parameters
    ----------
    name : str
    *children : object
        Put one after the other.
    **attributes : object
        A trailing underscore is dropped and others become hyphens. None leaves the
        attribute out, True gives one without a value.

    Examples
    --------
    >>> tag("td", "<script>", class_="name", data_value='"1"')
    '<td class="name" data-value="&quot;1&quot;">&lt;script&gt;</td>'
    >>> tag("p", tag("b", "a & b"), hidden=True, title=None)
    '<p hidden><b>a &amp; b</b></p>'
    """
    stated = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{stated}>")
    return Html(f"<{name}{stated}>{join(children)}</{name}>")


def join(parts: Iterable[object]) -> Html:
    """Return parts one after the other, escaped unless they are HTML."""
    return Html("".join(part if isinstance(part, Html) else _escaped(part) for part in parts))


def _attribute(name: str, value: object) -> str:
    if value is None:
        return ""
    plain = name.rstrip("_").replace("_", "-")
    return f" {plain}" if value is True else f' {plain}="{_escaped(value)}"'


def _escaped(value: object) -> str:
    # What no text may hold would end the page's parsing or change the hash of a script.
    return html.escape(str(value).replace("\0", "\ufffd"))


def packed_script(identity: str, value: Any) -> Html:
    """Return a script element that holds data: JSON, compressed, in letters and digits.

    Whatever strings are in the data, they can neither end the element nor open a comment.

    Examples
    --------
    >>> text = packed_script("names", ["</script>"])
    >>> text[:41], text.count("<")
    ('<script type="text/plain" id="names">H4sI', 2)
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Without the time of day, so that the same study gives the same page.
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    return tag("script", packed, type="text/plain", id=identity)
