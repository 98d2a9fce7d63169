"""The table in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.statistics import Line

HEAD = (
    "| job | d | who | minimum | median | first call | ours is faster by | target | met | result |"
)

EXPLANATION = """\
Each row ran ours and its peers on the same data in the same run, in turns (ours, peer, ours, \
peer, …), one thread each, each peer in a process and an environment of its own. Minimum and \
median are over the calls on one data set, and of several data sets (seeds) the table has the \
median; the first call, with what it compiles or loads, is apart. *Ours is faster by* is the \
ratio of minima on the same data: the median over seeds, in brackets the range. A peer whose \
call took longer than {slow:g} s was run once, on the first seed; one that took longer than \
{limit:g} s was stopped and is shown as > {limit:g} s. Results are means over seeds: SHD is to \
the truth (the lower the better), BIC the Gaussian score (the higher the better), objective \
NOTEARS' squared error at the best weights on the DAG (the lower the better).
"""


def page(
    lines: Sequence[Line], machine: Mapping[str, str], explanation: str, absent: Sequence[str]
) -> str:
    """Return the whole page."""
    facts = "\n".join(f"| {name} | {value} |" for name, value in machine.items())
    missing = [f"- {text}" for text in absent] or ["- none"]
    return "\n".join(
        [
            "# Speed",
            "",
            "Written by `python -m bench`; do not edit by hand.",
            "",
            "![How many times as fast as each peer](images/speed.svg)",
            "",
            explanation,
            table(lines),
            "",
            "## Absent or failed",
            *missing,
            "",
            "## Machine",
            "| what | |",
            "|---|---|",
            facts,
            "",
        ]
    )


def table(lines: Sequence[Line]) -> str:
    """Return the table of all lines."""
    rule = "|" + "---|" * (HEAD.count("|") - 1)
    return "\n".join([HEAD, rule, *(_text(line, lines, k) for k, line in enumerate(lines))])


def _text(line: Line, lines: Sequence[Line], k: int) -> str:
    opens = k == 0 or lines[k - 1].row is not line.row
    cells = [
        line.row.title + (f", per {line.row.unit}" if line.row.unit else "") if opens else "",
        str(line.row.size) if opens else "",
        f"{line.name} {line.version}".strip(),
        duration(line.least),
        duration(line.middle),
        duration(line.first),
        _ratio(line),
        line.target,
        {None: "", True: "yes", False: "**no**"}[line.met],
        "; ".join(text for text in (line.quality, line.note) if text),
    ]
    return "| " + " | ".join(cells) + " |"


def _ratio(line: Line) -> str:
    if line.ratio is None:
        return ""
    sign = "> " if line.at_least else ""
    several = line.n_seeds > 1 and line.low is not None and line.high is not None
    spread = f" ({_times(line.low)}–{_times(line.high)})" if several else ""
    return f"{sign}{_times(line.ratio)}×{spread}"


def _times(x: float | None) -> str:
    if x is None:
        return ""
    return f"{x:,.0f}".replace(",", " ") if x >= 100 else f"{x:.2g}"


def duration(seconds: float | None) -> str:
    """Return a time in the unit that suits it.

    Examples
    --------
    >>> duration(0.0000123), duration(0.0123), duration(12.3), duration(3600.0)
    ('12 µs', '12 ms', '12 s', '60 min')
    """
    if seconds is None:
        return ""
    for size, unit in ((1e-3, "µs"), (1.0, "ms"), (600.0, "s")):
        if seconds < size:
            scaled = seconds * {"µs": 1e6, "ms": 1e3, "s": 1.0}[unit]
            return f"{scaled:.0f} {unit}" if scaled >= 10 else f"{scaled:.1f} {unit}"
    return f"{seconds / 60:.0f} min"
