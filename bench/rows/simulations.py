"""Sampling, and whole sweeps and studies."""

from __future__ import annotations

from bench import problems, quality
from bench.rows.contestants import causaldisco, gcastle, ges, ours, plain
from bench.rows.row import Recorded, Row


def rows() -> list[Row]:
    """Return the rows of this part."""
    return [_sampling(), _iscm(), _sweep(), _study()]


def _sampling() -> Row:
    return Row(
        "sampling",
        "linear sampling, n = 1000",
        1000,
        problems.linear,
        ours("sampling"),
        (
            plain("the normals alone", "normals", 0.4),
            gcastle("(data only)", "sampling"),
            ges("sempler", "sampling"),
        ),
        judge=quality.mean_variance,
    )


def _iscm() -> Row:
    known = Recorded("an earlier record", 0.014, 5, "the record does not name the program")
    return Row(
        "iscm",
        "iSCM systems: graph, weights, data",
        100,
        problems.seed_only,
        ours("iscm"),
        (plain("a numpy loop", "iscm"),),
        (known,),
        judge=quality.mean_variance,
    )


def _sweep() -> Row:
    return Row(
        "sweep",
        "sortability sweep of S3 figure 4, 3600 systems on 2 cores",
        220,
        problems.sweep_sample,
        ours("sweep"),
        (causaldisco("sweep", share=1 / 300),),
        ceiling=60.0,
        once=True,
    )


def _study() -> Row:
    return Row(
        "study",
        "a study of 10 000 trivial tasks on 2 workers",
        3,
        problems.seed_only,
        ours("study"),
        (plain("pebble's pool", "pool"),),
        units=10_000,
        unit="task",
        ceiling=0.002,
        once=True,
    )
