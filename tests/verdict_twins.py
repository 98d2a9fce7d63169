"""Small studies to judge, and a verdict's numbers from the exported table by plain code."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd

from causalassay.analysis.bootstrap import resamples
from causalassay.analysis.verdict.statements import COUNTS
from causalassay.study.language import parse_study
from causalassay.study.pending_tasks import pending_tasks
from causalassay.study.storage import Store
from causalassay.study.worker.batch_runner import attempt_problem
from causalassay.study.worker.task_runner import run_task

HEAD = """
name = "small"
seed = 3
replicates = 12
metrics = ["shd", "f1", "sid"]
algorithms = ["pc", "ges", "notears", "direct-lingam"]
[[problems]]
samples = 300
graph = {kind = "erdos-renyi", n_nodes = 10, edges_per_node = 1.5}
"""
STUDIES = {
    "all": 'grid.model.kind = ["scm", "standardized", "iscm", "uumc"]',
    "iscm": 'model = {kind = "iscm"}',
    "raw": 'model = {kind = "scm"}',
    "shuffled": 'model = {kind = "scm"}\ntransform = ["shuffle-labels"]',
    "rescaled": 'model = {kind = "scm"}\ntransform = ["rescale"]',
}


def run_here(text, results):
    """Run a study in this process and store its rows in a folder."""
    study = parse_study(text, results.parent)
    current, made = None, None
    with Store.open(results, study) as store, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = []
        for task in pending_tasks(study, store, "main"):
            if current != (task.problem, task.replicate):
                current, made = (task.problem, task.replicate), attempt_problem(study, task)
            records.append(run_task(study, task, made))
        store.save(records)
        store.finish("completed")
    return results


class Exported:
    """The rows of an exported table, to compute a verdict's numbers from."""

    def __init__(self, file, better):
        self.rows = pd.read_csv(file)
        self.better = better
        self._kept = {}

    def value(self, number):
        """Return the value of a verdict's number."""
        name, column = number.statistic, number.column
        if name.endswith((" low", " high")):
            return self._limit(number)
        if name in COUNTS:
            return self._count(number)
        if name == "share":
            return self._adjusted(number)
        if name == "chance":
            cells = self._measured(number)
            edges, nodes = cells["n_edges"], cells["graph.n_nodes"]
            return (edges / (edges + nodes * (nodes - 1) / 2)).mean()
        if name.startswith("sortability"):
            measured = self._measured(number)[column].dropna()
            return measured.std() if name.endswith("sd") else measured.mean()
        takes = self._leads if name in ("lead", "fall") else self._scores
        means = [takes(part).mean() for part in self._sides(number)]
        return means[0] - means[1] if len(means) > 1 else means[0]

    def _sides(self, number):
        """The number on its scheme, and on the other if there is one."""
        schemes = [number.scheme] + [number.other_scheme] * (number.other_scheme is not None)
        return [replace(number, scheme=scheme, other_scheme=None) for scheme in schemes]

    def _cells(self, number):
        """The problems and replicates of a scheme that count, one row of any algorithm each."""
        rows = self.rows
        cells = rows[rows["scheme"] == number.scheme].drop_duplicates(["problem", "replicate"])
        if not number.paired:
            return cells
        own = rows[(rows["algorithm"] == number.algorithm) & (rows["status"] == "ok")]
        own = own[own[number.column].notna() & (own["scheme"] != "data")]
        common = set.intersection(*(set(_units(part)) for _, part in own.groupby("scheme")))
        return cells[[unit in common for unit in _units(cells)]]

    def _scores(self, number, algorithm=None):
        """The scores of an algorithm in the cells that count, by cell; nan where there is none."""
        own = self.rows[self.rows["algorithm"] == (algorithm or number.algorithm)]
        own = own[own["status"] == "ok"].set_index(["problem", "replicate"])[number.column]
        return own.reindex(pd.MultiIndex.from_frame(self._cells(number)[["problem", "replicate"]]))

    def _leads(self, number):
        """The lead in each cell, nan where one of the two has no score."""
        key = (number.column, number.scheme, number.algorithm, number.opponent, number.paired)
        if key not in self._kept:
            sign = 1 if self.better[number.column] == "high" else -1
            apart = self._scores(number) - self._scores(number, number.opponent)
            self._kept[key] = sign * apart
        return self._kept[key]

    def _measured(self, number):
        cells = self._cells(replace(number, paired=False))
        if number.detail:
            label, value = number.detail.split("=")
            cells = cells[cells[label] == value]
        return cells

    def _count(self, number):
        if number.statistic == "units":
            cells = self._cells(number)
            if number.opponent:
                cells = cells[self._leads(number).notna().to_numpy()]
            return len(set(_units(cells)))
        own = self.rows[self.rows["algorithm"] == number.algorithm]
        if number.statistic == "to come":
            return len(self.rows.drop_duplicates(["problem", "replicate"])) - len(own)
        if number.scheme:
            own = own[own["scheme"] == number.scheme]
        if number.statistic == "runs":
            return len(own)
        if number.statistic == "reason":
            return int((own["reason"] == number.detail).sum())
        lost = own["status"] != "ok" if number.detail is None else own["status"] == number.detail
        return int(lost.sum())

    def _adjusted(self, number):
        own = self.rows[self.rows["algorithm"] == number.algorithm]
        own = own[own["status"] == "ok"].dropna(subset=[number.column, number.opponent])
        fit = np.polynomial.Polynomial.fit(own[number.opponent], own[number.column], 1)
        left = ((own[number.column] - fit(own[number.opponent])) ** 2).sum()
        whole = ((own[number.column] - own[number.column].mean()) ** 2).sum()
        units = len(set(_units(own)))
        return 1 - left / whole * (units - 1) / (units - 2)

    def _limit(self, number):
        """Percentiles of a mean, or of a difference of means, over samples of whole units."""
        statistic, end = number.statistic.rsplit(" ", 1)
        sides = self._sides(number)
        if statistic == "sortability":
            cells = [self._measured(side) for side in sides]
            values = [part[number.column] for part in cells]
        else:
            cells = [self._cells(side) for side in sides]
            values = [self._leads(side) for side in sides]
        units = [_units(part) for part in cells]
        names = sorted(set().union(*units))
        weights = resamples(len(names))
        drawn = 0.0
        for sign, unit, value in zip((1, -1), units, values, strict=False):
            rows = [names.index(name) for name in unit]
            summed, counted = np.zeros(len(names)), np.zeros(len(names))
            np.add.at(summed, rows, np.nan_to_num(value.to_numpy()))
            np.add.at(counted, rows, value.notna().to_numpy())
            drawn = drawn + sign * (weights @ summed) / (weights @ counted)
        return np.quantile(drawn, 0.025 if end == "low" else 0.975)


def _units(rows):
    return list(zip(rows["graph_key"].fillna(rows["problem"]), rows["replicate"], strict=True))
