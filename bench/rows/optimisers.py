"""DirectLiNGAM, sortnregress, NOTEARS and GOLEM."""

from __future__ import annotations

from bench import problems, quality
from bench.our_jobs import GOLEM_STEPS
from bench.rows.contestants import causaldisco, dagma, gcastle, lingam, ours, plain
from bench.rows.row import Row


def rows() -> list[Row]:
    """Return the rows of this part."""
    return [
        _lingam(20, 5),
        _lingam(50, 10),
        _lingam(100, 15, long=True),
        _sortnregress(100),
        _sortnregress(200),
        _notears(20),
        _notears(50, long=True),
        _notears_fast(20),
        _notears_fast(50),
        _golem(20, 20),
        _golem(100, 15),
    ]


def _lingam(n_nodes: int, target: float, long: bool = False) -> Row:
    return Row(
        "lingam",
        "DirectLiNGAM, exponential noise",
        n_nodes,
        problems.non_gaussian,
        ours("direct_lingam"),
        (lingam("direct_lingam", target, long=long),),
        judge=quality.distance,
    )


def _sortnregress(n_nodes: int) -> Row:
    return Row(
        "sortnregress",
        "var-sortnregress",
        n_nodes,
        problems.linear,
        ours("sortnregress"),
        (causaldisco("sortnregress", 15),),
        judge=quality.distance,
    )


def _notears(n_nodes: int, long: bool = False) -> Row:
    return Row(
        "notears",
        "NOTEARS",
        n_nodes,
        problems.linear,
        ours("notears"),
        (
            plain("the authors' (transcribed)", "notears", 3, long=long),
            gcastle("NOTEARS", "notears", long=True),
        ),
        judge=quality.least_squares,
    )


def _notears_fast(n_nodes: int) -> Row:
    return Row(
        "notears-fast",
        "NOTEARS, fast",
        n_nodes,
        problems.linear,
        ours("notears_fast"),
        (dagma("dagma", 3),),
        judge=quality.least_squares,
        score="-objective",
    )


def _golem(n_nodes: int, target: float) -> Row:
    return Row(
        "golem",
        "GOLEM-EV",
        n_nodes,
        problems.linear,
        ours("golem"),
        (gcastle("GOLEM", "golem", target),),
        judge=quality.golem_objective,
        units=GOLEM_STEPS,
        unit="step",
    )
