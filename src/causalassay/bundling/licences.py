"""Licences that authors may state for what a bundle holds."""

from __future__ import annotations

from causalassay.spelling import did_you_mean

LICENCES = {
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC-BY-SA-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "CC-BY-NC-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "MIT": "https://spdx.org/licenses/MIT.html",
    "Apache-2.0": "https://spdx.org/licenses/Apache-2.0.html",
    "BSD-3-Clause": "https://spdx.org/licenses/BSD-3-Clause.html",
}
"""By their SPDX names: where the text is."""


def licence_address(stated: str) -> str:
    """Return where the text of a licence is, of a name or of an address itself.

    Examples
    --------
    >>> licence_address("CC-BY-4.0")
    'https://creativecommons.org/licenses/by/4.0/'
    >>> licence_address("CC-BY")
    Traceback (most recent call last):
    ValueError: --licence: 'CC-BY' is neither a known name nor an address; did you mean 'CC-BY-4.0'?
    """
    if stated.startswith(("https://", "http://")) and stated.isprintable() and " " not in stated:
        return stated
    if stated not in LICENCES:
        hint = did_you_mean(stated, list(LICENCES))
        raise ValueError(f"--licence: {stated!r} is neither a known name nor an address; {hint}")
    return LICENCES[stated]


def licence_text(stated: str) -> str:
    """Return the file that says which licence the authors state, and for what."""
    return (
        f"SPDX-License-Identifier: {stated}\n"
        * (stated in LICENCES)
        + f"Text: {licence_address(stated)}\n\n"
        "The authors of this bundle state this licence for what they made: the study file, their\n"
        "code, the rows, the graphs and the report. Data files of others keep their own licences;\n"
        "so does the charting library in report.html, whose notices are at the end of that page.\n"
    )
