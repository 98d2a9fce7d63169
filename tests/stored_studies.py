"""Small studies and records, to fill stores with."""

from __future__ import annotations

import math
from dataclasses import replace

from causalassay.contracts import Estimate
from causalassay.discovery import make_algorithm
from causalassay.graphs import chain
from causalassay.graphs.sources import Chain, ErdosRenyi
from causalassay.models import ISCM, SCM
from causalassay.study.estimate_encoding import encode
from causalassay.study.plan import (
    AlgorithmEntry,
    MeasureTask,
    MetricEntry,
    ProblemEntry,
    Record,
    RescoreTask,
    RunTask,
    Study,
    Tuning,
    coordinates,
)
from causalassay.study.problem_specs import Generated

ESTIMATE = encode(Estimate(chain(3), "dag"))

PROBLEMS = (
    ProblemEntry(
        "raw",
        Generated(ErdosRenyi(5, 1), SCM(), 100),
        {"graph.kind": "erdos-renyi", "graph.n_nodes": 5, "model.noise_sd": 1.0},
    ),
    ProblemEntry(
        "iscm", Generated(Chain(3), ISCM(), 100), {"graph.kind": "chain", "graph.n_nodes": 3}
    ),
)
EMPTY = AlgorithmEntry("empty", "empty", make_algorithm("empty"), "baseline")
PC = AlgorithmEntry("pc", "pc", make_algorithm("pc", alpha=0.05))
GES = AlgorithmEntry("ges", "ges", make_algorithm("ges"))
STRICT = AlgorithmEntry("strict", "pc", make_algorithm("pc", alpha=0.001), "candidate")
LOOSE = AlgorithmEntry("loose", "pc", make_algorithm("pc", alpha=0.1), "candidate")
SHD = MetricEntry("shd", "as-is", label="shd")
F1 = MetricEntry("f1", "as-is", label="f1")
SID = MetricEntry("sid", "mean", label="sid")


def study(**changes: object) -> Study:
    """Return a study of two problems, two algorithms, two metrics and two diagnostics."""
    plain = Study(
        "small",
        1,
        3,
        PROBLEMS,
        (PC, EMPTY),
        (SHD, F1),
        ("var_sortability", "n_edges"),
        "name = 'small'",
    )
    return replace(plain, **changes)


def tuned_study() -> Study:
    """Return a study whose third algorithm is chosen among the first two."""
    tuned = AlgorithmEntry(
        "tuned", "pc", make_algorithm("pc"), tuning=Tuning((0, 1), 1, systems=4), tuned_key="t"
    )
    return study(algorithms=(STRICT, LOOSE, tuned))


def task(problem=0, replicate=0, algorithm=0, metrics=(0, 1), purpose="main"):
    """Return a task that runs the algorithm of its row."""
    return RunTask(purpose, problem, replicate, algorithm, algorithm, metrics)


def rescored(record: Record) -> Record:
    """Return the record as if its task had scored the stored estimate only."""
    task = record.task
    again = RescoreTask(
        task.purpose, task.problem, task.replicate, task.algorithm, task.run, task.metrics, ESTIMATE
    )
    return replace(record, task=again, estimate=None)


def record(*indices, status="ok", scores=(2.0, 0.5), seconds=0.25, **others) -> Record:
    """Return what came of a task, by the indices of problem, replicate, algorithm."""
    fields = {"reason": "", "estimate": ESTIMATE, "notes": {}, "host": "here"}
    if status != "ok":
        fields |= {"reason": "raised ValueError: no", "estimate": None}
        scores = (math.nan,) * len(scores)
    of_record = {name: others.pop(name) for name in list(others) if name in fields}
    return Record(
        task(*indices, **others), status, seconds=seconds, scores=scores, **(fields | of_record)
    )


def measured(problem=0, replicate=0, diagnostics=(0, 1), scores=(0.75, 4.0), **others) -> Record:
    """Return the diagnostics of a problem."""
    task = MeasureTask("main", problem, replicate, diagnostics)
    return Record(task, "ok", scores=scores, **others)


def all_records(plan: Study) -> list[Record]:
    """Return a record for each task of the main part, no two with the same scores."""
    records = []
    for problem, replicate, algorithms in coordinates(plan, "main"):
        records.append(measured(problem, replicate, scores=(problem + replicate / 8, 4.0)))
        for algorithm in algorithms:
            scores = (100.0 * problem + 10 * replicate + algorithm, replicate / 7)
            records.append(record(problem, replicate, algorithm, scores=scores))
    return records
