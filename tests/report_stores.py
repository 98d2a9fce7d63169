"""Stores and tables with the rows of whole studies, to write reports of; nothing is run."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd

from causalassay.discovery import make_algorithm
from causalassay.graphs.sources import ErdosRenyi, ScaleFree
from causalassay.models import ISCM, SCM, UUMC, Standardized
from causalassay.study.plan import (
    AlgorithmEntry,
    MeasureTask,
    MetricEntry,
    ProblemEntry,
    Record,
    RunTask,
    Study,
    coordinates,
)
from causalassay.study.problem_specs import Generated
from causalassay.study.storage import Store, StudyTable

SCHEMES = {"raw": SCM, "standardized": Standardized, "iscm": ISCM, "uumc": UUMC}
FAMILIES = {"erdos-renyi": ErdosRenyi, "scale-free": ScaleFree}
SIZES = (10, 20)
LISTED = ("notears", "pc", "ges")
BASELINES = ("empty", "random-sortnregress", "var-sortnregress", "r2-sortnregress")
METRICS = ("shd", "f1", "sid", "mec_shd", "skeleton_f1", "tv_dag")
HIGH = ("f1", "skeleton_f1")
DIAGNOSTICS = ("var_sortability", "r2_sortability")
SORTABLE = {"raw": (0.95, 0.8), "standardized": (0.5, 0.8), "iscm": (0.5, 0.5), "uumc": (0.5, 0.6)}

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script><!--",
)
"""Names that a page must show as they are; the last would end a script that holds it."""


def plan(replicates=3, names=LISTED, title="trial", text='name = "trial"', sizes=SIZES):
    """A study of every scheme on two families and some sizes, with the usual baselines."""
    problems = tuple(
        ProblemEntry(
            f"{scheme} {family} {size} {title}",
            Generated(FAMILIES[family](size, 2), SCHEMES[scheme](), 100),
            {"samples": 100, "graph.kind": family, "graph.n_nodes": size, "model.kind": scheme},
        )
        for family, size, scheme in itertools.product(FAMILIES, sizes, SCHEMES)
    )
    listed = [
        AlgorithmEntry(name, use, make_algorithm(use))
        for name, use in zip(names, LISTED, strict=False)
    ]
    added = [AlgorithmEntry(name, name, make_algorithm(name), "baseline") for name in BASELINES]
    metrics = tuple(MetricEntry(name, "as-is", label=name) for name in METRICS)
    return Study(title, 1, replicates, problems, (*listed, *added), metrics, DIAGNOSTICS, text)


def scored(use, scheme, size, rng):
    """Scores in the order of `METRICS`, as artefacts would have them, with some noise."""
    skill = {"empty": 0.0, "random-sortnregress": 0.3, "pc": 0.5, "ges": 0.55}.get(use, 0.3)
    if scheme == "raw" and use in ("notears", "var-sortnregress"):
        skill = 0.9
    f1 = float(np.clip(skill + rng.normal(0, 0.08), 0, 1)) if use != "empty" else 0.0
    wrong = (1 - f1) * 2 * size
    return (round(wrong), f1, round(3 * wrong), round(0.9 * wrong), min(1.0, f1 + 0.2), wrong / 2)


def records(study, reason="timeout: more than 1 s", left_out=0):
    """A record for each task, one in forty of the listed algorithms' not ok."""
    rng = np.random.default_rng(7)
    tasks = list(coordinates(study, "main"))
    for problem, replicate, algorithms in tasks[: len(tasks) - left_out]:
        labels = study.problems[problem].labels
        sortabilities = SORTABLE[labels["model.kind"]] + rng.normal(0, 0.04, 2)
        task = MeasureTask("main", problem, replicate, (0, 1))
        yield Record(task, "ok", scores=tuple(np.clip(sortabilities, 0, 1)))
        for algorithm in algorithms:
            entry = study.algorithms[algorithm]
            task = RunTask("main", problem, replicate, algorithm, algorithm, (0, 1, 2, 3, 4, 5))
            if entry.role == "listed" and rng.random() < 0.025:
                yield Record(task, "timeout", reason, scores=(math.nan,) * 6)
            else:
                scores = scored(entry.use, labels["model.kind"], labels["graph.n_nodes"], rng)
                seconds = 0.001 * labels["graph.n_nodes"] ** 2 * rng.random()
                yield Record(task, "ok", seconds=seconds, scores=scores)


def write_store(folder, study=None, **of_records):
    """Fill the store of a study and return its folder."""
    study = plan() if study is None else study
    with Store.open(folder, study) as store:
        store.save(records(study, **of_records))
    return folder


def write_attacked(folder):
    """Fill a store whose names, reasons and text are all attacks."""
    title = ATTACKS[2]
    study = plan(names=ATTACKS, title=title, text="\n".join(ATTACKS))
    return write_store(folder, study, reason=f"raised ValueError: {ATTACKS[1]}{ATTACKS[2]}")


def large_table(n_rows, sizes=(10, 20, 30, 50), samples=(100, 1000), extra_algorithms=8):
    """A table of so many rows or a few more, without a store."""
    rng = np.random.default_rng(3)
    listed = [*LISTED, *(f"other-{i}" for i in range(extra_algorithms))]
    names = [*listed, *BASELINES]
    problems = list(itertools.product(FAMILIES, sizes, samples, SCHEMES))
    replicates = math.ceil(n_rows / len(problems) / len(names))
    cells = itertools.product(range(replicates), problems, names)
    columns = ["replicate", "problem", "algorithm"]
    frame = pd.DataFrame(cells, columns=columns)
    family, size, n, scheme = zip(*frame.pop("problem"), strict=True)
    frame = frame.assign(
        **{
            "graph.kind": family,
            "graph.n_nodes": size,
            "samples": n,
            "scheme": scheme,
            "use": frame["algorithm"],
            "role": np.where(frame["algorithm"].isin(BASELINES), "baseline", "listed"),
            "status": np.where(rng.random(len(frame)) < 0.01, "failed", "ok"),
            "host": "here",
        }
    )
    frame["problem"] = [
        f"{f} {d} {m} {s}" for f, d, m, s in zip(family, size, n, scheme, strict=True)
    ]
    frame["graph_key"] = [f"{f} {d}" for f, d in zip(family, size, strict=True)]
    bad = frame["status"] == "failed"
    frame["reason"] = np.where(bad, "raised ValueError: no", "")
    frame["seconds"] = np.where(bad, np.nan, rng.random(len(frame)))
    for metric in METRICS:
        frame[metric] = np.where(bad, np.nan, rng.random(len(frame)))
    cell = frame.groupby(["problem", "replicate"]).ngroup()
    for name in DIAGNOSTICS:
        frame[name] = rng.random(cell.max() + 1)[cell]
    frame["key"] = [f"{i:032x}" for i in range(len(frame))]
    for name in ("problem", "algorithm", "role", "use", "status", "reason", "host", "scheme"):
        frame[name] = frame[name].astype("category")
    better = {metric: "high" if metric in HIGH else "low" for metric in METRICS}
    labels = ("samples", "graph.kind", "graph.n_nodes")
    return StudyTable(frame, METRICS, DIAGNOSTICS, labels, better)
