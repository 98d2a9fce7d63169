"""Every colour of charts, drawings and pages, declared once; stylesheets are made from it.

Series have the colours of Okabe and Ito (2008, "Color Universal Design"), which people with the
common kinds of colour blindness tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# What several roles share.
VERMILLION, ORANGE, BLUE, GREEN = "#D55E00", "#E69F00", "#0072B2", "#009E73"
PURPLE, SKY = "#CC79A7", "#56B4E9"
AZURE, SLATE = "#1a85c9", "#7d8894"
"""Seen on white and on dark."""
MIDDLE = "#888888"
"""Between white and black: with little opacity it is seen on either."""


@dataclass(frozen=True)
class Colour:
    """A colour, and what takes its place on a dark page.

    Parameters
    ----------
    light : str
        On white paper.
    dark : str, optional
        On a dark page; without it, the same.
    on_page : str
        The page's colour that a chart's mark takes on a page, light or dark: the part of its name
        in `TABLE` after ``page``. Empty for a colour that stays.
    """

    light: str
    dark: str | None = None
    on_page: str = ""


TABLE: dict[str, Colour] = {
    # Charts.
    "ink": Colour("#222222", on_page="ink"),
    "quiet": Colour("#767676", on_page="soft"),
    "paper": Colour("white", on_page="paper"),
    "grid": Colour("#e6e6e6", "#2c333a"),
    "frame": Colour("#cccccc", on_page="line"),
    "vermillion": Colour(VERMILLION),
    "orange": Colour(ORANGE),
    "blue": Colour(BLUE, "#4aa3df"),
    "green": Colour(GREEN),
    "purple": Colour(PURPLE),
    "sky": Colour(SKY),
    "rising": Colour(VERMILLION),
    "falling": Colour(AZURE),
    "undecided": Colour("#999999"),
    "open": Colour("#BBBBBB"),
    "faint": Colour("#DDDDDD"),
    "faintest": Colour("#EEEEEE"),
    # Charts whose page may be light or dark: seen through.
    "grid anywhere": Colour(f"{MIDDLE}40"),
    "band": Colour(f"{MIDDLE}28"),
    # Drawings of graphs, and the matrix of edge frequencies.
    "drawn ink": Colour("#1f2933"),
    "drawn line": Colour("#7b8794"),
    "drawn ground": Colour("#e8eef4"),
    "drawn rim": Colour("#52606d"),
    "cell fill": Colour("#2f6f9f"),
    "cell frame": Colour("#cbd2d9"),
    "cell edge": Colour("#c2410c"),
    # Pages: each is a variable of the stylesheet.
    "page paper": Colour("#fff", "#14171a"),
    "page ink": Colour("#1b1f24", "#e6e8ea"),
    "page soft": Colour("#57606a", "#a3adb8"),
    "page line": Colour("#d0d7de", "#3a424b"),
    "page wash": Colour("#f4f6f8", "#1f2429"),
    "page accent": Colour("#0a5a9c", "#7ab8f0"),
    "page warn": Colour("#8a3a00", "#f0a868"),
    "page notice": Colour("#fff6ee", "#2b2118"),
    "page baseline": Colour("#f1f5fa", "#1b222a"),
    "page control": Colour("#6e7781", SLATE),
    "page shade": Colour(BLUE, SKY),
    # Notebooks, whose page may be light or dark.
    "notebook ink": Colour("currentColor"),
    "notebook soft": Colour(SLATE),
    "notebook line": Colour(f"{MIDDLE}5c"),
    "notebook wash": Colour(f"{MIDDLE}18"),
    "notebook accent": Colour(AZURE),
    "notebook warn": Colour(VERMILLION),
    "notebook notice": Colour(f"{MIDDLE}18"),
}
"""By role."""

SERIES = ("vermillion", "orange", "blue", "green", "purple", "sky", "ink")
"""Roles of a chart's series: Okabe–Ito without its yellow, which does not show on white."""
GROWING = ("#A9A5E3", "#8F8AD3", "#7570B3", "#56519B", "#3A3578", "#1F1B4D")
"""Light to dark, for sizes: their order is seen in grey as well."""


def light(*roles: str) -> tuple[str, ...]:
    """Return the colours of roles on white paper.

    Examples
    --------
    >>> light("paper", "ink")
    ('white', '#222222')
    """
    return tuple(TABLE[role].light for role in roles)


def page_style() -> str:
    """Return the rules of a page that have colours: its variables, and the marks of its charts."""
    day = {name: colour.light for name, colour in _starting("page")}
    night = {name: colour.dark or colour.light for name, colour in _starting("page")}
    marks = [
        rule
        for colour in TABLE.values()
        if colour.on_page
        for rule in _mark_rules(colour.light, f"var(--{colour.on_page})")
    ]
    # Pages have variables of their own, so a chart's colour with a dark value is no variable.
    at_night = [
        rule
        for role, colour in TABLE.items()
        if colour.dark and not role.startswith("page ")
        for rule in _mark_rules(colour.light, colour.dark)
    ]
    lines = [
        f":root {{ color-scheme: light; {_declared(day)} }}",
        *marks,
        "@media screen and (prefers-color-scheme: dark) {",
        f"  :root {{ color-scheme: dark; {_declared(night)} }}",
        *(f"  {rule}" for rule in at_night),
        "}",
    ]
    return "\n".join(lines) + "\n"


def notebook_style() -> str:
    """Return the declarations of the colours in a notebook."""
    return _declared({name: colour.light for name, colour in _starting("notebook")}) + "\n"


def _starting(place: str) -> Iterable[tuple[str, Colour]]:
    """Yield the colours of one place, by the names of their variables."""
    for role, colour in TABLE.items():
        if role.startswith(f"{place} "):
            yield role.removeprefix(f"{place} "), colour


def _declared(variables: dict[str, str]) -> str:
    # The shade of a cell has an opacity of its own, which needs the colour as three numbers.
    return " ".join(
        f"--{name}: {_channels(value) if name == 'shade' else value};"
        for name, value in variables.items()
    )


def _channels(colour: str) -> str:
    return " ".join(str(channel) for channel in bytes.fromhex(colour.removeprefix("#")))


def _mark_rules(drawn: str, shown: str) -> Iterable[str]:
    """Yield the rules that show another colour than the one a chart's marks were drawn in."""
    for attribute in ("fill", "stroke"):
        selectors = ", ".join(f'.chart svg [{attribute}="{one}"]' for one in _spellings(drawn))
        yield f"{selectors} {{ {attribute}: {shown}; }}"


def _spellings(colour: str) -> list[str]:
    """Return a colour as Vega may write it: also by three digits where those say the same."""
    digits = colour.removeprefix("#")
    doubled = colour.startswith("#") and len(digits) == 6 and digits[::2] == digits[1::2]
    return [colour, f"#{digits[::2]}"] if doubled else [colour]
