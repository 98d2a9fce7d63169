"""From timings to the figures of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.measuring import Result, Timing
from bench.rows import Recorded, Row


@dataclass(frozen=True)
class Line:
    """A line of the table: one contestant in one row; times are for one unit.

    Parameters
    ----------
    least, middle : float, optional
        The minimum and the median over the calls on a seed; of several seeds the median.
    first : float, optional
        The first call.
    ratio, low, high : float, optional
        Minimum of the peer over that of ours, seed by seed: the median and the range.
    at_least : bool
        Whether the ratio is a lower bound, since the peer was stopped.
    met : bool, optional
        Whether the target is met; None if there is none or nothing was measured.
    """

    row: Row
    name: str
    version: str = ""
    least: float | None = None
    middle: float | None = None
    first: float | None = None
    n_seeds: int = 0
    n_calls: int = 0
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    at_least: bool = False
    target: str = ""
    met: bool | None = None
    quality: str = ""
    note: str = ""


def best(timing: Timing) -> float:
    """Return the quickest call; the first counts only where there is no other."""
    return min(calls(timing))


def calls(timing: Timing) -> Sequence[float]:
    """Return the calls that count."""
    return timing.times or ([] if timing.first is None else [timing.first])


def lines(row: Row, results: Sequence[Result], versions: dict[str, str]) -> list[Line]:
    """Return the lines of a row, ours first."""
    ours = results[0]
    found = [_line(row, ours, ours, versions.get(ours.name, ""))]
    found += [_line(row, ours, peer, versions.get(peer.name, "")) for peer in results[1:]]
    return found + [_recorded_line(row, ours, one) for one in row.recorded]


def _line(row: Row, ours: Result, one: Result, version: str) -> Line:
    scale = row.units * one.share
    times = [calls(timing) for timing in one.timings.values()]
    figures: dict[str, float] = {}
    if times:
        figures = {
            "least": median(min(some) for some in times) / scale,
            "middle": median(median(some) for some in times) / scale,
            "first": next(iter(one.timings.values())).first / scale,
        }
    ratio = {} if one is ours else _ratios(ours, one)
    target, met = _verdict(row, one is ours, one.target, ratio, figures)
    return Line(
        row,
        one.name,
        version,
        **figures,
        n_seeds=len(times),
        n_calls=sum(map(len, times)),
        **ratio,
        target=target,
        met=met,
        quality=_quality(one),
        note=_note(one),
    )


def _ratios(ours: Result, peer: Result) -> dict[str, float]:
    shared = [seed for seed in peer.timings if seed in ours.timings]
    if peer.beyond:
        slowest = max((best(timing) for timing in ours.timings.values()), default=None)
        bound = peer.beyond / peer.share / slowest if slowest else None
        return {} if bound is None else {"ratio": bound, "at_least": True}
    found = [best(peer.timings[seed]) / peer.share / best(ours.timings[seed]) for seed in shared]
    return {"ratio": median(found), "low": min(found), "high": max(found)} if found else {}


def _verdict(
    row: Row,
    is_ours: bool,
    least_ratio: float | None,
    ratio: dict[str, float],
    figures: dict[str, float],
) -> tuple[str, bool | None]:
    if is_ours and row.ceiling is not None:
        return f"≤ {row.ceiling:g} s", figures["least"] <= row.ceiling if figures else None
    if is_ours or least_ratio is None:
        return "", None
    if not ratio:
        return f"{least_ratio:g}×", None
    met = ratio["ratio"] >= least_ratio
    # A peer that was stopped may still be slow enough: then nothing is known.
    return f"{least_ratio:g}×", None if ratio.get("at_least") and not met else met


def _recorded_line(row: Row, ours: Result, one: Recorded) -> Line:
    times = [best(timing) for timing in ours.timings.values()]
    if not times:
        return Line(row, one.name, note=one.why)
    ratio = one.seconds * row.units / median(times)
    note = f"not measured here: {one.why}"
    return Line(
        row,
        one.name,
        least=one.seconds,
        ratio=ratio,
        target=f"{one.target:g}×",
        met=ratio >= one.target,
        note=note,
    )


def _quality(one: Result) -> str:
    timings = list(one.timings.values())
    parts = []
    for name in timings[0].quality if timings else ():
        mean = sum(timing.quality[name] for timing in timings) / len(timings)
        parts.append(f"{name} {_figure(mean)}")
    compared = [timing.same for timing in timings if timing.same is not None]
    if compared:
        parts.append(f"same result on {sum(compared)} of {len(compared)}")
    return ", ".join(parts)


def _figure(x: float) -> str:
    return f"{x:.1f}" if abs(x) >= 100 else f"{x:.3g}"


def _note(one: Result) -> str:
    parts = [one.trouble] if one.trouble else []
    if one.share != 1 and one.timings:
        parts.append(f"extrapolated from 1/{1 / one.share:.0f} of the work")
    return "; ".join(parts)
