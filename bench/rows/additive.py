"""CAM and RESIT, which regress on smooth functions."""

from __future__ import annotations

from bench import problems, quality
from bench.rows.contestants import lingam, ours
from bench.rows.row import Contestant, Recorded, Row

DODISCOVER = 169.0
"""CPU seconds of CAM of dodiscover (commit 6e644561, alpha = 0.001) on this row's data of seeds 0
to 2, the median: 0.20 to 0.25 s for ours in that run, and no SHD above its."""


def rows() -> list[Row]:
    """Return the rows of this part."""
    dodiscover = Recorded("dodiscover", DODISCOVER, 10, "the package index does not have it")
    return [
        _row("cam", "CAM", recorded=(dodiscover,)),
        _row(
            "resit",
            "RESIT, α = 0.01",
            lingam("resit_splines", 10, long=True, what="with splines"),
            lingam("resit_boosting", 10, long=True, what="with boosting"),
        ),
    ]


def _row(job: str, title: str, *peers: Contestant, recorded: tuple[Recorded, ...] = ()) -> Row:
    return Row(
        job,
        f"{title}, n = 500, nonlinear",
        20,
        problems.nonlinear,
        ours(job),
        peers,
        recorded,
        judge=quality.edge_f1,
        score="F1",
    )
