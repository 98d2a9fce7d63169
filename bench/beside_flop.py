"""The command flop: BOSS and XGES beside FLOP, an iterated local search over orders.

All maximise the same score with the same penalty. FLOP begins once and then perturbs the best
order that it has found; BOSS begins with random orders. More of either costs time, so BOSS also
runs with `MORE_STARTS`, which takes about as long as FLOP with 20 restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median, stdev
from tempfile import TemporaryDirectory

from bench import problems, quality
from bench.kept_rows import KeptRow, keep_row, kept_rows
from bench.machine import facts
from bench.markdown_table import duration
from bench.measurement import measure
from bench.rows.contestants import flopsearch
from bench.rows.row import Contestant, Row
from bench.runtime import cache_folder
from bench.session import Session
from bench.table_lines import calls
from bench.timings import Effort, Result, Timing

EFFORT = Effort((), 0.0, 600.0, 0.0, True, "cpu", once=600.0)
"""One call on each seed."""
SEEDS = {20: 20, 50: 20, 100: 10, 200: 5, 500: 2}
"""How many, by the number of nodes."""
FIRST_SEED = 201
DENSE, EXTENDED = (20, 50), (100, 500)
KINDS = {
    "flop": "ER-2, raw",
    "flop-dense": "ER-4, iSCM",
    "flop-extended": "ER-2, raw, extended BIC",
}
"""The data by the word of the row; the penalty is 2 where nothing else is said."""
BESIDE = "FLOP, 20 restarts"


def _ours(title: str, function: str) -> Contestant:
    return Contestant(title, "ours", f"bench.our_jobs:{function}")


CONTESTANTS = (
    _ours("BOSS, 3 starts", "boss_at_penalty"),
    _ours("BOSS, 12 starts", "boss_at_penalty_12"),
    _ours("XGES", "xges_at_penalty"),
    flopsearch("FLOP, no restart", "search_0"),
    flopsearch(BESIDE, "search_20"),
)


def rows() -> list[Row]:
    """Return a row for each size, of ER-2 graphs, of denser ones, and with our default penalty."""
    kinds = [("flop", size, problems.penalised) for size in SEEDS]
    kinds += [("flop-dense", size, problems.penalised_dense) for size in DENSE]
    kinds += [("flop-extended", size, problems.extended) for size in EXTENDED]
    first, others = CONTESTANTS[0], CONTESTANTS[1:]
    return [
        Row(job, "", size, problem, first, others, judge=quality.penalised_score)
        for job, size, problem in kinds
    ]


def compare(only: Sequence[str], tell: Callable[[str], None]) -> str:
    """Run the rows, or those named; return the table of all that is kept."""
    with TemporaryDirectory() as folder, Session(cache_folder(), EFFORT.clock) as session:
        for row in rows():
            if not only or {row.name, row.job} & set(only):
                seeds = tuple(range(FIRST_SEED, FIRST_SEED + SEEDS[row.size]))
                effort = replace(EFFORT, seeds=seeds)
                results = measure(row, session, effort, Path(folder), tell)
                keep_row(KeptRow(row, results, facts()["date"], session.versions()))
    return table([(one.row, one.results) for one in kept_rows(rows())])


def table(kept: Sequence[tuple[Row, Sequence[Result]]]) -> str:
    """Return the table of rows and what came of them."""
    names = ("data", "program", "CPU time", "SHD", "SHD less FLOP's", "score less FLOP's")
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for row, results in kept:
        (other,) = [one for one in results if one.name == BESIDE]
        label = f"{row.size} nodes, {KINDS[row.job]}, {len(other.timings)} seeds"
        for one in results:
            lines.append(f"| {' | '.join([label, *_figures(one, other)])} |")
            label = ""
    return "\n".join(lines)


def _figures(one: Result, other: Result) -> list[str]:
    if one.trouble or not one.timings:
        return [one.name, one.trouble or f"> {one.beyond:g} s", "", "", ""]
    timings = list(one.timings.values())
    seconds = median(min(calls(timing)) for timing in timings)
    figures = [one.name, duration(seconds), f"{mean(t.quality['SHD'] for t in timings):.1f}"]
    if one is other:
        return [*figures, "", ""]
    pairs = [(timing, other.timings[seed]) for seed, timing in one.timings.items()]
    return [*figures, *(_difference(pairs, name) for name in ("SHD", "score"))]


def _difference(pairs: Sequence[tuple[Timing, Timing]], name: str) -> str:
    """Return the mean difference with its standard error over seeds."""
    differences = [ours.quality[name] - theirs.quality[name] for ours, theirs in pairs]
    error = f" ± {stdev(differences) / len(pairs) ** 0.5:.1f}" if len(pairs) > 1 else ""
    return f"{mean(differences):+.1f}{error}"
