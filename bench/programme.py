"""The rows of the benchmark: ER-2 graphs, weights ±(0.5, 2), 1000 rows unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from bench import problems, quality
from bench.rows import Contestant, Recorded, Row


def _ours(function: str) -> Contestant:
    return Contestant("causalassay", "ours", f"bench.ours:{function}")


def _causaldisco(
    function: str, target: float | None = None, share: float = 1.0, long: bool = False
) -> Contestant:
    job = f"bench.peers.causaldisco:{function}"
    return Contestant("CausalDisco", "causaldisco", job, target, long, share)


def _causal_learn(
    function: str, target: float | None = None, long: bool = False
) -> Contestant:
    job = f"bench.peers.causal_learn_peer:{function}"
    return Contestant("causal-learn", "causal-learn", job, target, long)


def _ges(name: str, function: str, target: float | None = None) -> Contestant:
    return Contestant(name, "ges", f"bench.peers.ges_peer:{function}", target)


def _tetrad(name: str, function: str, target: float, long: bool = False) -> Contestant:
    return Contestant(name, "tetrad", f"bench.peers.tetrad:{function}", target, long)


def _torch(
    name: str, function: str, target: float | None = None, long: bool = False
) -> Contestant:
    return Contestant(name, "torch", f"bench.peers.torch_peers:{function}", target, long)


def _pgmpy(function: str, target: float | None = None, long: bool = False) -> Contestant:
    return Contestant("pgmpy", "pgmpy", f"bench.peers.pgmpy_peer:{function}", target, long)


def _plain(
    name: str, function: str, target: float | None = None, long: bool = False
) -> Contestant:
    return Contestant(name, "plain", f"bench.peers.plain:{function}", target, long)


def _measures() -> list[Row]:
    """Diagnostics, metrics and graphs."""
    rows = [
        Row(
            "sortability",
            "var- and R²-sortability",
            d,
            problems.linear,
            _ours("sortability"),
            (_causaldisco("sortability", target),),
        )
        for d, target in ((100, 60), (220, 300))
    ]
    gadjid = Contestant("gadjid", "gadjid", "bench.peers.gadjid_peer:sid", 4)
    rows += [
        Row("sid", "SID with validation", d, problems.two_graphs, _ours("sid"), (gadjid,))
        for d in (100, 1000)
    ]
    peers = (_pgmpy("cpdag", 20), _ges("ges", "cpdag", 20), _causal_learn("cpdag", 20))
    rows.append(Row("cpdag", "DAG to CPDAG", 200, problems.two_graphs, _ours("cpdag"), peers))
    rows.append(
        Row(
            "tv",
            "total variation over all ordered pairs",
            100,
            problems.two_models,
            _ours("variation"),
            (_plain("numpy loop", "variation", 100),),
        )
    )
    return rows


def _constraints_and_scores() -> list[Row]:
    """PC, GES, GIES and MMHC."""
    rows = [
        Row(
            "pc",
            "PC-stable, α = 0.01",
            d,
            problems.linear,
            _ours("pc"),
            (_tetrad("Tetrad PC", "pc", target, d == 200), *causal_learn),
            judge=quality.class_distance,
        )
        for d, target, causal_learn in (
            (50, 10, [_causal_learn("pc")]),
            (100, 30, [_causal_learn("pc", long=True)]),
            (200, 30, []),
        )
    ]
    turning = _ours("ges_turning")
    rows.append(
        Row(
            "ges",
            "GES with turning",
            20,
            problems.linear,
            turning,
            (_ges("ges", "search"),),
            judge=quality.class_score,
        )
    )
    xges = Contestant("xges", "xges", "bench.peers.xges_peer:search")
    rows += [
        Row(
            "ges",
            "GES",
            d,
            problems.linear,
            _ours("ges"),
            (_tetrad("Tetrad FGES", "fges", 5, d == 200), xges, *causal_learn),
            judge=quality.class_score,
        )
        for d, causal_learn in ((50, [_causal_learn("ges", long=True)]), (100, []), (200, []))
    ]
    rows.append(
        Row(
            "gies",
            "GIES, 10 interventions",
            20,
            problems.experiments,
            _ours("gies"),
            (_ges("gies", "interventional_search", 150),),
            judge=quality.interventional_score,
        )
    )
    bnlearn = Recorded("bnlearn (R)", 1.6, 3, "R packages are not on the package index")
    rows.append(
        Row(
            "mmhc",
            "MMHC (pgmpy on the columns cut into thirds)",
            20,
            problems.three_levels,
            _ours("mmhc"),
            (_pgmpy("mmhc", long=True),),
            judge=quality.dag_score,
        )
    )
    rows.append(
        Row(
            "mmhc",
            "MMHC",
            100,
            problems.linear,
            _ours("mmhc"),
            recorded=(bnlearn,),
            judge=quality.dag_score,
        )
    )
    return rows


def _orders_and_gradients() -> list[Row]:
    """DirectLiNGAM, sortnregress, NOTEARS and GOLEM."""
    lingam = "bench.peers.lingam_peer:direct_lingam"
    rows = [
        Row(
            "lingam",
            "DirectLiNGAM, exponential noise",
            d,
            problems.non_gaussian,
            _ours("direct_lingam"),
            (Contestant("lingam", "lingam", lingam, target, d == 100),),
            judge=quality.distance,
        )
        for d, target in ((20, 5), (50, 10), (100, 15))
    ]
    rows += [
        Row(
            "sortnregress",
            "var-sortnregress",
            d,
            problems.linear,
            _ours("sortnregress"),
            (_causaldisco("sortnregress", 15),),
            judge=quality.distance,
        )
        for d in (100, 200)
    ]
    rows += [
        Row(
            "notears",
            "NOTEARS, faithful",
            d,
            problems.linear,
            _ours("notears"),
            (
                _plain("the authors' (transcribed)", "notears", 3, d == 50),
                _torch("gcastle NOTEARS", "notears", long=True),
            ),
            judge=quality.least_squares,
        )
        for d in (20, 50)
    ]
    rows += [
        Row(
            "notears-fast",
            "NOTEARS, fast",
            d,
            problems.linear,
            _ours("notears_fast"),
            (_torch("DAGMA", "dagma", 3),),
            judge=quality.least_squares,
        )
        for d in (20, 50)
    ]
    rows += [
        Row(
            "golem",
            "GOLEM-EV",
            d,
            problems.linear,
            _ours("golem"),
            (_torch("gcastle GOLEM", "golem", target),),
            judge=quality.golem_objective,
            units=200,
            unit="step",
        )
        for d, target in ((20, 20), (100, 15))
    ]
    return rows


def _drawing() -> list[Row]:
    """Sampling and whole studies."""
    return [
        Row(
            "sampling",
            "linear sampling, n = 1000",
            1000,
            problems.linear,
            _ours("sampling"),
            (
                _plain("the normals alone", "normals", 0.4),
                _torch("gcastle (data only)", "sampling"),
                _ges("sempler", "sampling"),
            ),
            judge=quality.mean_variance,
        ),
        Row(
            "iscm",
            "iSCM systems: graph, weights, data",
            100,
            problems.seed_only,
            _ours("iscm"),
            (_plain("numpy loop", "iscm"),),
            (Recorded("as recorded in the issue", 0.014, 5, "which program it was is not said"),),
            judge=quality.mean_variance,
        ),
        Row(
            "sweep",
            "sortability sweep of S3 figure 4, 3600 systems on 2 cores",
            220,
            problems.sweep_sample,
            _ours("sweep"),
            (_causaldisco("sweep", share=1 / 300),),
            ceiling=60.0,
            once=True,
        ),
        Row(
            "study",
            "a study of 10 000 trivial tasks on 2 workers",
            3,
            problems.seed_only,
            _ours("study"),
            (_plain("pebble's pool", "pool"),),
            units=10_000,
            unit="task",
            ceiling=0.002,
            once=True,
        ),
    ]


def rows() -> Sequence[Row]:
    """Return all rows, in the order of the table."""
    return [*_measures(), *_constraints_and_scores(), *_orders_and_gradients(), *_drawing()]
