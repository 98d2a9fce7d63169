"""The lines of the table of results, from timings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median, stdev

from bench.rows.row import Recorded, Row
from bench.timings import Result, Timing


@dataclass(frozen=True)
class Times:
    """Seconds of a unit of work.

    Parameters
    ----------
    least, middle : float
        The minimum and the median over the calls on a seed; of several seeds the median.
    first : float, optional
        The first call on the first seed.
    """

    least: float
    middle: float | None = None
    first: float | None = None


@dataclass(frozen=True)
class Ratio:
    """How many times as fast ours is: the peer's minimum over ours, seed by seed.

    Parameters
    ----------
    middle, low, high : float
        The median and the range over seeds.
    at_least : bool
        Whether it is a lower bound, since the peer was stopped.
    """

    middle: float
    low: float
    high: float
    at_least: bool = False


@dataclass(frozen=True)
class Line:
    """A line of the table: one contestant in one row.

    Parameters
    ----------
    beyond : float, optional
        The time after which the peer was stopped.
    target : str
        What is expected, in words.
    met : bool, optional
        Whether it is so; None if nothing is expected or nothing was measured.
    worse : bool
        Whether the result of ours is worse than that of the peer in the row's score.
    """

    row: Row
    name: str
    version: str = ""
    times: Times | None = None
    beyond: float | None = None
    ratio: Ratio | None = None
    target: str = ""
    met: bool | None = None
    quality: str = ""
    note: str = ""
    worse: bool = False


def lines(row: Row, results: Sequence[Result], versions: Mapping[str, str]) -> list[Line]:
    """Return the lines of a row, ours first; versions are by package."""
    ours = results[0]
    table = [_our_line(row, ours)]
    table += [_line(row, ours, peer, versions.get(peer.package, "")) for peer in results[1:]]
    return table + [_recorded_line(row, ours, one) for one in row.recorded]


def calls(timing: Timing) -> Sequence[float]:
    """Return the calls that count: the first only where there is no other."""
    return timing.times or ([] if timing.first is None else [timing.first])


def times_of(result: Result, units: int) -> Times | None:
    """Return the times of a unit of work, if there are any."""
    timings = list(result.timings.values())
    if not timings:
        return None
    scale = units * result.share
    first = timings[0].first
    return Times(
        median(min(calls(timing)) for timing in timings) / scale,
        median(median(calls(timing)) for timing in timings) / scale,
        None if first is None else first / scale,
    )


def ratio_of(ours: Result, peer: Result) -> Ratio | None:
    """Return how many times as fast ours is, if both were measured."""
    own = {seed: min(calls(timing)) for seed, timing in ours.timings.items()}
    if peer.beyond is not None and own:
        bound = peer.beyond / peer.share / max(own.values())
        return Ratio(bound, bound, bound, at_least=True)
    ratios = [
        min(calls(timing)) / peer.share / own[seed]
        for seed, timing in peer.timings.items()
        if seed in own
    ]
    return Ratio(median(ratios), min(ratios), max(ratios)) if ratios else None


def _our_line(row: Row, ours: Result) -> Line:
    times = times_of(ours, row.units)
    known = row.ceiling is not None and times is not None
    return Line(
        row,
        ours.name,
        times=times,
        target="" if row.ceiling is None else f"≤ {row.ceiling:g} s",
        met=times.least <= row.ceiling if known and times and row.ceiling else None,
        quality=quality_of(ours),
        note=ours.trouble,
    )


def _line(row: Row, ours: Result, peer: Result, version: str) -> Line:
    ratio = ratio_of(ours, peer)
    return Line(
        row,
        peer.name,
        version,
        times_of(peer, row.units),
        None if peer.beyond is None else peer.beyond / row.units / peer.share,
        ratio,
        "" if peer.target is None else f"{peer.target:g}×",
        is_met(peer.target, ratio),
        quality_of(peer),
        "; ".join(filter(None, (_note(ours, peer), *comparisons(row.counted, ours, peer)))),
        is_worse(row.score, ours, peer),
    )


def is_met(target: float | None, ratio: Ratio | None) -> bool | None:
    """Whether the target is met; a peer that was stopped too early leaves that open."""
    if target is None or ratio is None:
        return None
    met = ratio.middle >= target
    return None if ratio.at_least and not met else met


def _recorded_line(row: Row, ours: Result, one: Recorded) -> Line:
    times = times_of(ours, row.units)
    ratio = None
    if times is not None:
        share = one.seconds / times.least
        ratio = Ratio(share, share, share)
    return Line(
        row,
        one.name,
        times=Times(one.seconds),
        ratio=ratio,
        target=f"{one.target:g}×",
        met=is_met(one.target, ratio),
        note=f"recorded, not measured here: {one.why}",
    )


def is_worse(score: str, ours: Result, peer: Result) -> bool:
    """Whether on some seed ours falls below the peer by more than rounding."""
    sign, name = (-1, score[1:]) if score.startswith("-") else (1, score)
    for seed, timing in peer.timings.items():
        theirs = timing.quality.get(name)
        if theirs is not None and seed in ours.timings:
            own = ours.timings[seed].quality[name]
            if sign * (own - theirs) < -1e-6 * abs(theirs):
                return True
    return False


def duels(figure: str, ours: Result, peer: Result) -> str:
    """Return on how many seeds a figure of ours is above that of the peer, and below it."""
    pairs = [
        (ours.timings[seed].quality[figure], timing.quality[figure])
        for seed, timing in peer.timings.items()
        if figure in timing.quality and seed in ours.timings
    ]
    if not pairs:
        return ""
    rounding = [1e-6 * abs(theirs) for _, theirs in pairs]
    above = sum(own > theirs + r for (own, theirs), r in zip(pairs, rounding, strict=True))
    below = sum(own < theirs - r for (own, theirs), r in zip(pairs, rounding, strict=True))
    return f"ours has more {figure} on {above} of {len(pairs)}, less on {below}"


def comparisons(figure: str, ours: Result, peer: Result) -> tuple[str, ...]:
    """Return who has more of a figure how often, and how the SHDs differ; nothing for no figure."""
    return (duels(figure, ours, peer), difference("SHD", ours, peer)) if figure else ()


def difference(figure: str, ours: Result, peer: Result) -> str:
    """Return the mean difference of a figure on the same seeds, with its standard error."""
    gaps = [
        ours.timings[seed].quality[figure] - timing.quality[figure]
        for seed, timing in peer.timings.items()
        if figure in timing.quality and seed in ours.timings
    ]
    if not gaps:
        return ""
    error = f" ± {stdev(gaps) / len(gaps) ** 0.5:.1f}" if len(gaps) > 1 else ""
    return f"{figure} of ours minus theirs {mean(gaps):+.1f}{error}"


def quality_of(one: Result) -> str:
    """Return the means of the figures over seeds, and on how many the result is ours.

    Where some are not, it also says on how many the adjacent pairs are ours.
    """
    timings = list(one.timings.values())
    compared = [timing.same for timing in timings if timing.same is not None]
    parts = [f"same result on {sum(compared)} of {len(compared)}"] if compared else []
    pairs = [timing.same_skeleton for timing in timings if timing.same_skeleton is not None]
    if pairs and not all(compared):
        parts.append(f"same skeleton on {sum(pairs)} of {len(pairs)}")
    return ", ".join([*_means(timings), *parts])


def _means(timings: Sequence[Timing]) -> list[str]:
    parts = []
    for name in timings[0].quality if timings else ():
        figures = [timing.quality[name] for timing in timings]
        middle, spread = mean(figures), ""
        if name == "SHD" and min(figures) < max(figures):
            spread = f" ({min(figures):g}–{max(figures):g})"
        text = f"{middle:.1f}" if abs(middle) >= 100 else f"{middle:.3g}"
        parts.append(f"{name} {text}{spread}")
    return parts


def _note(ours: Result, peer: Result) -> str:
    """Return what a reader must know: fewer seeds than ours, a share of the work, one call."""
    parts = [peer.trouble] if peer.trouble else []
    shared = [timing for seed, timing in ours.timings.items() if seed in peer.timings]
    if 0 < len(shared) < len(ours.timings):
        figures = ", ".join(_means(shared))
        fewer = f"{len(shared)} of {len(ours.timings)} seeds"
        parts.append(f"{fewer}, where ours has {figures}" if figures else fewer)
    if peer.share != 1 and peer.timings:
        parts.append(f"extrapolated from 1/{1 / peer.share:.0f} of the work")
    if any(not timing.times for timing in peer.timings.values()):
        parts.append("one call")
    return "; ".join(parts)
