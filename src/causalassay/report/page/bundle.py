"""The scripts and styles that the page carries, and their licences.

Vega, Vega-Lite and Vega-Embed come from vl-convert-python when a report is written: the
repository has none of their code.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

import altair
import vl_convert

SNIPPET = "window.vegaEmbed = vegaEmbed;"


@cache
def asset(name: str) -> str:
    """Return a text file of the folder ``assets``."""
    return (files("causalassay.report.page") / "assets" / name).read_text(encoding="utf-8")


@cache
def vega_bundle() -> str:
    """Return the script that draws charts, of the Vega-Lite version that Altair writes."""
    version = ".".join(altair.SCHEMA_VERSION.split(".")[:2])
    return script_text(vl_convert.javascript_bundle(SNIPPET, vl_version=version))


def script_text(code: str) -> str:
    r"""Return code that cannot end the script element that holds it.

    ``</script`` and ``<!--`` can stand in code within strings and regular expressions only,
    where a backslash before the second character changes nothing.

    Examples
    --------
    >>> script_text("'</script><!--'")
    "'<\\/script><\\!--'"
    """
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def source_hash(text: str) -> str:
    """Return what a Content-Security-Policy calls an inline script or style.

    Examples
    --------
    >>> source_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(scripts: tuple[str, ...], style: str) -> str:
    """Return the page's Content-Security-Policy: these scripts and this style, nothing else.

    Nothing is loaded and no other script runs, not even one that a name in the data might
    smuggle in. Vega's expressions are interpreted, so 'unsafe-eval' is not needed.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(source_hash(text) for text in scripts)}",
            f"style-src {source_hash(style)}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
