"""Small studies to judge, and a verdict's numbers from the exported table by plain code."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from causalassay.study.language import parse_study
from causalassay.study.pending import pending
from causalassay.study.storage import Store
from causalassay.study.summary.intervals import resamples
from causalassay.study.tasks.work import run_task
from causalassay.study.tasks.worker import attempt

HEAD = """
name = "small"
seed = 3
replicates = 12
metrics = ["shd", "f1", "sid"]
algorithms = ["pc", "ges", "notears", "direct-lingam"]
[[problems]]
samples = 300
graph = {kind = "erdos-renyi", n_nodes = 8, edges_per_node = 1.5}
"""
STUDIES = {
    "all": 'grid.model.kind = ["scm", "standardized", "iscm", "uumc"]',
    "iscm": 'model = {kind = "iscm"}',
    "raw": 'model = {kind = "scm"}',
    "shuffled": 'model = {kind = "scm"}\ntransform = ["shuffle-labels"]',
    "rescaled": 'model = {kind = "scm"}\ntransform = ["rescale"]',
}


def run_small_study(name, folder):
    """Run a small study in this process and return its results folder."""
    study = parse_study(HEAD + STUDIES[name], folder)
    made = {}
    with Store.open(folder / name, study) as store:
        records = []
        for task in pending(study, store, "main"):
            place = task.problem, task.replicate
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made.setdefault(place, attempt(study, task))
                records.append(run_task(study, task, made[place]))
        store.save(records)
        store.finish("completed")
    return folder / name


def recomputed(number, rows, better):
    """Return the value of a verdict's number from the rows of an exported table."""
    name = number.statistic
    if name.endswith((" low", " high")):
        return _limit(number, rows, better)
    if name == "mean":
        return _scored(number, rows)[number.column].mean()
    if name == "lead":
        return _leads(number, rows, better)["lead"].mean()
    if name == "fall":
        leads = [_leads(part, rows, better)["lead"].mean() for part in _both(number)]
        return leads[0] - leads[1]
    if name == "change":
        means = [_scored(part, rows)[number.column].mean() for part in _both(number)]
        return means[0] - means[1]
    if name == "share":
        return _adjusted(number, rows)
    if name.startswith("sortability"):
        column = _measured(number, rows)[number.column].dropna()
        return column.std() if name.endswith("sd") else column.mean()
    return _count(number, rows, better)


def _count(number, rows, better):
    if number.statistic == "units":
        chosen = rows[rows["scheme"] == number.scheme]
        if number.opponent:
            chosen = _leads(number, rows, better).dropna(subset="lead")
        return len(set(_units(chosen)))
    own = rows[rows["algorithm"] == number.algorithm]
    if number.statistic == "to come":
        return len(rows.drop_duplicates(["problem", "replicate"])) - len(own)
    if number.scheme:
        own = own[own["scheme"] == number.scheme]
    if number.statistic == "runs":
        return len(own)
    if number.statistic == "reason":
        return int((own["reason"] == number.detail).sum())
    lost = own["status"] != "ok" if number.detail is None else own["status"] == number.detail
    return int(lost.sum())


class _Place:
    """A number that stands on another scheme."""

    def __init__(self, number, scheme):
        self.__dict__ |= vars(number) | {"scheme": scheme}


def _both(number):
    return _Place(number, number.scheme), _Place(number, number.other_scheme)


def _units(rows):
    return list(zip(rows["graph_key"].fillna(rows["problem"]), rows["replicate"], strict=True))


def _cells(number, rows):
    """The problems and replicates of a scheme that count, one row of any algorithm each."""
    cells = rows[rows["scheme"] == number.scheme].drop_duplicates(["problem", "replicate"])
    if not number.paired:
        return cells
    own = rows[(rows["algorithm"] == number.algorithm) & (rows["status"] == "ok")]
    own = own[own[number.column].notna() & (own["scheme"] != "data")]
    common = set.intersection(*(set(_units(part)) for _, part in own.groupby("scheme")))
    return cells[[unit in common for unit in _units(cells)]]


def _scored(number, rows, algorithm=None):
    own = rows[(rows["algorithm"] == (algorithm or number.algorithm)) & (rows["status"] == "ok")]
    places = _cells(number, rows)[["problem", "replicate"]]
    return places.merge(own, on=["problem", "replicate"])


def _leads(number, rows, better):
    """The lead in each cell, nan where one of the two has no score."""
    leads = _cells(number, rows)[["problem", "replicate", "graph_key"]]
    for side, algorithm in (("own", number.algorithm), ("other", number.opponent)):
        scored = _scored(number, rows, algorithm)[["problem", "replicate", number.column]]
        scored = scored.rename(columns={number.column: side})
        leads = leads.merge(scored, on=["problem", "replicate"], how="left")
    sign = 1 if better[number.column] == "high" else -1
    return leads.assign(lead=sign * (leads["own"] - leads["other"]))


def _measured(number, rows):
    cells = rows[rows["scheme"] == number.scheme].drop_duplicates(["problem", "replicate"])
    if number.detail:
        label, value = number.detail.split("=")
        cells = cells[cells[label] == value]
    return cells


def _adjusted(number, rows):
    own = rows[(rows["algorithm"] == number.algorithm) & (rows["status"] == "ok")]
    own = own.dropna(subset=[number.column, number.opponent])
    fit = np.polynomial.Polynomial.fit(own[number.opponent], own[number.column], 1)
    left = ((own[number.column] - fit(own[number.opponent])) ** 2).sum()
    whole = ((own[number.column] - own[number.column].mean()) ** 2).sum()
    units = len(set(_units(own)))
    return 1 - left / whole * (units - 1) / (units - 2)


def _limit(number, rows, better):
    """Percentiles over samples of whole units."""
    if number.statistic.startswith("sortability"):
        sides = [_measured(number, rows).rename(columns={number.column: "value"})]
    elif number.statistic.startswith("lead"):
        sides = [_leads(number, rows, better).rename(columns={"lead": "value"})]
    else:
        parts = [_leads(part, rows, better) for part in _both(number)]
        sides = [part.rename(columns={"lead": "value"}) for part in parts]
    names = sorted({unit for side in sides for unit in _units(side)})
    drawn = 0.0
    for sign, side in zip((1, -1), sides, strict=False):
        by_unit = pd.Series(side["value"].to_numpy(), pd.Index(_units(side), tupleize_cols=False))
        grouped = by_unit.groupby(level=0).agg(["sum", "count"]).reindex(names, fill_value=0)
        weights = resamples(len(names))
        drawn = drawn + sign * (weights @ grouped["sum"].to_numpy()) / (
            weights @ grouped["count"].to_numpy()
        )
    return np.quantile(drawn, 0.025 if number.statistic.endswith("low") else 0.975)
