"""HTML from plain values, which are escaped unless they are marked as HTML."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable

VOID = frozenset({"input", "meta"})
"""Elements that have no end."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Html(str):
    """Text that is HTML: `tag` takes it as it is, and escapes every other string."""

    __slots__ = ()


def escaped(text: object) -> str:
    r"""Return a text that HTML and SVG show as it is, and never read as markup.

    What cannot be printed (control characters, marks that turn the direction of writing)
    becomes U+FFFD: XML allows few of them, and a page would show something else than is there.

    Examples
    --------
    >>> escaped("<script>"), escaped("a\x00b")
    ('&lt;script&gt;', 'a�b')
    """
    return html.escape(printable(str(text)))


def printable(text: str) -> str:
    """Return a text with U+FFFD in place of what cannot be printed, as `escaped` has it."""
    if text.isprintable():
        return text
    return "".join(letter if _shows(letter) else REPLACEMENT for letter in text)


def _shows(letter: str) -> bool:
    return letter.isprintable() or letter in "\n\t" or unicodedata.category(letter) == "Zs"


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
    return Html("".join(part if isinstance(part, Html) else escaped(part) for part in parts))


def _attribute(name: str, value: object) -> str:
    if value is None:
        return ""
    plain = name.rstrip("_").replace("_", "-")
    return f" {plain}" if value is True else f' {plain}="{escaped(value)}"'
