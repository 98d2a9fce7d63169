"""The table in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.speed_page import HEADINGS
from bench.table_lines import Line, Ratio
from bench.timings import Effort

HEAD = "| job | d | program | minimum | median | first call | speed-up | target | met | result |"

EXPLANATION = """\
Each job runs causalassay and its peers on the same data in the same run, in turns (ours, peer, \
ours, peer, …), with one thread each and each peer in its own process and environment. *Minimum* \
and *median* are over the calls on one data set; with several data sets (seeds), the table shows \
the median over them. *First call* includes compiling and loading. *Speed-up* is the peer's \
minimum divided by ours on the same data: the median over seeds, with the range in brackets. \
After a first call that took longer than {slow:g} s, a peer is not called again. A call that took \
longer than {limit:g} s was stopped and is shown as > {limit:g} s. Results are means over seeds: \
SHD to the truth (lower is better), BIC is the Gaussian score (higher is better; all searches \
have its penalty, `penalty_discount = 1`), and *objective* is NOTEARS' squared error at the best \
weights on the DAG (lower is better).
"""

SEARCHES_EXPLANATION = """\
All programs search for the graph of the best Gaussian BIC, ours with `penalty_discount = 1` as \
the others, on the data of the GES rows above: ER-2 graphs, 1000 rows, five seeds. Written by \
`python -m bench searches --out docs`; [Which search to use when](searches.md) draws conclusions.

Times are CPU seconds, with one thread each; *speed-up* is the peer's minimum divided by ours on \
the same data, the median over seeds, with the range in brackets. A program whose first call took \
longer than {slow:g} s is called once per seed; longer than {once:g} s, on one seed. Single calls \
include what a program compiles first: about 10 s of xges, some seconds of Java. A call of \
more than {limit:g} s was stopped and is shown as > {limit:g} s. BIC (higher is better) and SHD \
to the true CPDAG (lower is better) are means over seeds, SHD with its range. *Same result* is \
the same CPDAG. *More* and *less* BIC count the seeds with other scores. \
*SHD of ours minus theirs* has its standard error over seeds. Hollow points of the picture ran on \
one seed.
"""


@dataclass(frozen=True)
class Words:
    """The words of a section around its table.

    Parameters
    ----------
    heading : str
    picture : str
        What it shows, and its file.
    explanation : str
        With gaps for the settings of the run.
    busy : str
        What a busy machine does to the table.
    """

    heading: str
    picture: tuple[str, str]
    explanation: str
    busy: str


BUSY = """\
**The machine was busy with other work.** Short calls find a quiet moment and long ones do not, so \
these ratios favour causalassay; treat them as provisional.
"""

PACKAGES = Words(
    HEADINGS["speed"],
    ("Speed-up of causalassay over each peer", "speed.svg"),
    EXPLANATION,
    BUSY,
)
SEARCHES = Words(
    HEADINGS["searches"],
    ("Score against time of every search", "searches.svg"),
    SEARCHES_EXPLANATION,
    "The machine was busy with other work, which CPU seconds feel little.\n",
)


def section(
    lines: Sequence[Line],
    machine: Mapping[str, str],
    effort: Effort,
    absent: Sequence[str],
    words: Words = PACKAGES,
) -> str:
    """Return the part of the page that compares."""
    facts = [f"| {name} | {value} |" for name, value in machine.items() if name != "busy"]
    return "\n".join(
        [
            words.heading,
            "",
            "![{}](images/{})".format(*words.picture),
            "",
            words.explanation.format(slow=effort.slow, limit=effort.limit, once=effort.once),
            *([words.busy, ""] if machine.get("busy") else []),
            table(lines),
            "",
            "### Absent or failed",
            "",
            *([f"- {text}" for text in absent] or ["- none"]),
            "",
            "### Machine",
            "",
            "| what | |",
            "|---|---|",
            *facts,
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
        duration(line.times.least) if line.times else _stopped(line),
        duration(line.times.middle) if line.times else "",
        duration(line.times.first) if line.times else "",
        _ratio(line.ratio),
        line.target,
        {None: "", True: "yes", False: "**no**"}[line.met],
        "; ".join(text for text in (line.quality, line.note, _shortfall(line)) if text),
    ]
    return "| " + " | ".join(cells) + " |"


def _stopped(line: Line) -> str:
    return "" if line.beyond is None else f"> {duration(line.beyond)}"


def _shortfall(line: Line) -> str:
    return "**ours is worse**" if line.worse else ""


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return ""
    spread = f" ({_times(ratio.low)}–{_times(ratio.high)})" if ratio.low < ratio.high else ""
    return f"{'> ' if ratio.at_least else ''}{_times(ratio.middle)}×{spread}"


def _times(x: float) -> str:
    return f"{x:,.0f}".replace(",", " ") if x >= 99.5 else f"{x:.2g}"


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
