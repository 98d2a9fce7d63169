"""PC, SCORE, NoGAM, GES, XGES, BOSS, GRaSP, GIES and MMHC."""

from __future__ import annotations

from bench import problems, quality
from bench.rows.contestants import causal_learn, formulas, ges, ours, pgmpy, tetrad, xges
from bench.rows.row import Contestant, Recorded, Row

COMPARED = ("greedy", "xges-0", "xges", "boss", "grasp")
"""The rows of the command searches: all search for the graph of the best score."""
OUR_FUNCTIONS = {"greedy": "ges", "xges-0": "xges_0"}
"""Where the word of a row is not that of the function."""


def rows() -> list[Row]:
    """Return the rows of this part."""
    return [
        _pc(50, tetrad("PC", "pc", 10), causal_learn("pc")),
        _pc(100, tetrad("PC", "pc", 30), causal_learn("pc", long=True)),
        _pc(200, tetrad("PC", "pc", 30, long=True)),
        *_nonlinear_pc(),
        *_score_matching(),
        Row(
            "ges",
            "GES with turning",
            20,
            problems.linear,
            ours("ges_turning"),
            (ges("ges", "search"),),
            judge=quality.class_score,
            score="BIC",
        ),
        _ges(50, tetrad("FGES", "fges", 5), xges("search", long=True), _slow_ges()),
        _ges(100, tetrad("FGES", "fges", 5)),
        _ges(200, tetrad("FGES", "fges", 5, long=True)),
        *_over_classes_and_orders(),
        Row(
            "gies",
            "GIES, 10 interventions",
            20,
            problems.experiments,
            ours("gies"),
            (ges("gies", "interventional_search", 150),),
            judge=quality.interventional_score,
            score="BIC",
        ),
        *_mmhc(),
    ]


def _pc(n_nodes: int, *peers: Contestant) -> Row:
    title, judge = "PC-stable, α = 0.01", quality.tested_distance
    return Row("pc", title, n_nodes, problems.linear, ours("pc"), peers, judge=judge)


def _nonlinear_pc() -> list[Row]:
    """Return PC with each nonlinear test, beside the tests that causal-learn has."""
    rcit = causal_learn("pc_rcit", 10, long=True, what="RCIT")
    return [
        _nonlinear("pc-kci", "KCI", "pc_kci", causal_learn("pc_kci", 10, long=True)),
        _nonlinear("pc-fast-kci", "fast KCI", "pc_fast_kci", rcit),
        _nonlinear("pc-gcm", "GCM", "pc_gcm"),
    ]


def _nonlinear(job: str, test: str, function: str, *peers: Contestant) -> Row:
    title = f"PC-stable with {test}, α = 0.01, n = 500, nonlinear"
    judge, score = quality.skeleton_f1, "skeleton F1"
    return Row(job, title, 20, problems.nonlinear, ours(function), peers, judge=judge, score=score)


def _score_matching() -> list[Row]:
    """Return SCORE and NoGAM, pruning included, beside the order alone of others."""
    return [
        _by_score("score", "SCORE", 7.5),
        _by_score("nogam", "NoGAM", 36.0),
    ]


def _by_score(job: str, title: str, seconds: float) -> Row:
    transcribed = formulas("score_matching:" + job, 10)
    dodiscover = Recorded("dodiscover", seconds, 10, "the package index does not have it")
    return Row(
        job,
        f"{title}, n = 1000, nonlinear (others: the order alone)",
        20,
        problems.nonlinear_raw,
        ours(job),
        (transcribed,),
        (dodiscover,),
        judge=quality.reversed_edges,
        score="-reversed share",
    )


def _slow_ges() -> Contestant:
    return causal_learn("ges", long=True)


def _ges(n_nodes: int, *peers: Contestant) -> Row:
    judge = quality.class_score
    return Row("ges", "GES", n_nodes, problems.linear, ours("ges"), peers, judge=judge)


def _over_classes_and_orders() -> list[Row]:
    """Return GES and the searches that end in better optima, each beside its peers."""
    rows = []
    for n_nodes in (20, 50, 100):
        slow = n_nodes > 20
        goal = 20 if slow else None
        rows += [
            _searching("greedy", "GES", n_nodes, tetrad("FGES", "fges")),
            _searching("xges-0", "XGES-0", n_nodes, xges("search_0", long=slow)),
            _searching("xges", "XGES", n_nodes, xges("search", goal, long=slow)),
            _searching(
                "boss",
                "BOSS",
                n_nodes,
                tetrad("BOSS", "boss", 5 if slow else None, long=n_nodes > 50),
                causal_learn("boss", long=True),
            ),
            _searching(
                "grasp",
                "GRaSP",
                n_nodes,
                tetrad("GRaSP", "grasp", long=slow),
                causal_learn("grasp", long=True),
            ),
        ]
    return rows


def _searching(job: str, title: str, n_nodes: int, *peers: Contestant) -> Row:
    judge = quality.class_score
    our_job = ours(OUR_FUNCTIONS.get(job, job))
    return Row(job, title, n_nodes, problems.linear, our_job, peers, judge=judge, counted="BIC")


def _mmhc() -> list[Row]:
    bnlearn = Recorded("bnlearn (R)", 1.6, 3, "the package index has no R packages")
    return [
        Row(
            "mmhc",
            "MMHC (pgmpy: columns cut into thirds)",
            20,
            problems.three_levels,
            ours("mmhc"),
            (pgmpy("mmhc", long=True),),
            judge=quality.dag_score,
        ),
        Row(
            "mmhc",
            "MMHC",
            100,
            problems.linear,
            ours("mmhc"),
            recorded=(bnlearn,),
            judge=quality.dag_score,
        ),
    ]
