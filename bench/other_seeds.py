"""The command other-seeds: whether the ranking of searches holds on other data.

GRaSP's five starts and the rule for barred arrows in XGES were chosen with the benchmark's five
seeds in sight, and BOSS' three starts with these twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from bench import problems, quality
from bench.kept_rows import KeptRow, keep_row, kept_rows
from bench.machine import facts
from bench.markdown_table import duration
from bench.measurement import measure
from bench.rows.contestants import tetrad, xges
from bench.rows.row import Contestant, Row
from bench.runtime import cache_folder
from bench.session import Session
from bench.table_lines import calls, difference, duels
from bench.timings import Effort, Result

EFFORT = Effort(tuple(range(101, 121)), 0.0, 600.0, 0.0, True, "cpu", once=600.0)
"""One call on each of twenty seeds."""
SIZES = (20, 50)


def _ours(title: str, function: str) -> Contestant:
    return Contestant(title, "ours", f"bench.our_jobs:{function}")


OURS = (
    _ours("XGES", "xges"),
    _ours("XGES-0", "xges_0"),
    _ours("BOSS, 3 starts", "boss"),
    _ours("BOSS, 1 start", "boss_1"),
    _ours("GRaSP, 5 starts", "grasp"),
    _ours("GRaSP, 1 start", "grasp_1"),
    _ours("GES", "ges"),
)
PEERS = (xges("search"), tetrad("BOSS", "boss"))


def rows() -> list[Row]:
    """Return a row for each size."""
    first, others = OURS[0], (*OURS[1:], *PEERS)
    return [
        Row("other-seeds", "", size, problems.linear, first, others, judge=quality.class_score)
        for size in SIZES
    ]


def compare(only: Sequence[str], tell: Callable[[str], None]) -> str:
    """Run the rows, or those named; return the tables of all that is kept."""
    with TemporaryDirectory() as folder, Session(cache_folder(), EFFORT.clock) as session:
        for row in rows():
            if not only or {row.name, row.job} & set(only):
                results = measure(row, session, EFFORT, Path(folder), tell)
                keep_row(KeptRow(row, results, facts()["date"], session.versions()))
    return "\n".join(_table(one.row, one.results) for one in kept_rows(rows()))


def _table(row: Row, results: Sequence[Result]) -> str:
    ours = [one for one in results if one.environment == "ours"]
    peers = [one for one in results if one.environment != "ours"]
    beside = [f"beside {one.name}" for one in peers]
    lines = [
        f"d = {row.size}, {len(results[0].timings)} seeds",
        "",
        f"| {' | '.join(['program', 'CPU time', 'BIC', 'SHD', *beside])} |",
        "|" + "---|" * (4 + len(peers)),
    ]
    for one in results:
        cells = [_beside(one, peer) if one in ours else "" for peer in peers]
        lines.append(f"| {' | '.join([*_figures(one), *cells])} |")
    return "\n".join([*lines, ""])


def _figures(one: Result) -> list[str]:
    timings = list(one.timings.values())
    means = [f"{mean(timing.quality[name] for timing in timings):.1f}" for name in ("BIC", "SHD")]
    return [one.name, duration(median(min(calls(timing)) for timing in timings)), *means]


def _beside(one: Result, peer: Result) -> str:
    pairs = [(one.timings[seed], timing) for seed, timing in peer.timings.items()]
    scores = [(a.quality["BIC"], b.quality["BIC"]) for a, b in pairs]
    alike = sum(abs(a - b) <= 1e-6 * abs(b) for a, b in scores)
    counts = duels("BIC", one, peer).removeprefix("ours has ")
    return f"{counts}, the same on {alike}; {difference('SHD', one, peer)}"
