"""Small studies to judge, and a verdict's numbers from the exported table by plain code."""

from __future__ import annotations

import math
import warnings
from itertools import product

import numpy as np
import pandas as pd

from causalassay.analysis.verdict.statements import COUNTS
from causalassay.study.language import parse_study
from causalassay.study.pending import pending_tasks
from causalassay.study.storage import Store
from causalassay.study.worker.batch_runner import attempt_problem
from causalassay.study.worker.task_runner import run_task
from summary_twins import interval_twin

RANDOM_OF = {"direction_score": "random_direction", "skeleton_f1": "random_skeleton_f1"}
"""What random orders reach of a column."""
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
    "all": 'grid.model.kind = ["scm", "standardized", "iscm", "uumc"]\n'
    + "".join(
        f'[[problems]]\nname = "{change}"\nsamples = 300\nmodel = {{kind = "scm"}}\n'
        f'transform = ["{change}"]\n'
        'graph = {kind = "erdos-renyi", n_nodes = 10, edges_per_node = 1.5}\n'
        for change in ("rescale-in-order", "rescale-at-random")
    ),
    "iscm": 'model = {kind = "iscm"}',
    "raw": 'model = {kind = "scm"}',
    "shuffled": 'model = {kind = "scm"}\ntransform = ["shuffle-labels"]',
    "rescaled": 'model = {kind = "scm"}\ntransform = ["rescale"]',
}


def run_study(text, results):
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
        self.claims = {}
        """By algorithm: the p-value of each claim, by kind and scheme."""

    def value(self, number):
        """Return the value of a verdict's number."""
        name = number.statistic
        if name in COUNTS:
            return self._count(number)
        if name == "skeleton fit p":
            return sum_p(self._by_unit(number.algorithm, number.scheme, number.column).tolist())
        if name == "p":
            return self._p_value(number)
        if name == "corrected p":
            return self._corrected(number)
        if name == "measured":
            cells = self._cells(number).dropna(subset=[number.column])
            return cells.groupby(["graph_key", "replicate"])[number.column].mean().mean()
        if name == "mean":
            return self._rows(number)[number.column].mean()
        leads, units = self._leads(number)
        if name == "lead":
            return leads.mean()
        return interval_twin(leads.tolist(), units)[name == "lead high"]

    def _rows(self, number, algorithm=None):
        rows = self.rows[self.rows["algorithm"] == (algorithm or number.algorithm)]
        return rows[(rows["scheme"] == number.scheme) & (rows["status"] == "ok")]

    def _cells(self, number):
        """The problems and replicates of a scheme, one row of any algorithm each."""
        rows = self.rows[self.rows["scheme"] == number.scheme]
        return rows.drop_duplicates(["problem", "replicate"])

    def _leads(self, number):
        """How far ahead of the opponent, or of the mean of random orders; and the instances."""
        own = self._rows(number).set_index(["problem", "replicate"])
        column = number.column
        if number.opponent:
            other = self._rows(number, number.opponent).set_index(["problem", "replicate"])
            apart = own[column] - other[column].reindex(own.index)
        else:
            apart = own[column] - own[RANDOM_OF[column]]
        sign = -1 if self.better.get(column) == "low" else 1
        return sign * apart, _units(own.reset_index())

    def _count(self, number):
        if number.statistic == "measured units":
            return len(set(_units(self._cells(number).dropna(subset=["random_direction"]))))
        if number.statistic == "units":
            if number.algorithm is None:
                return len(set(_units(self._cells(number))))
            leads, units = self._leads(number)
            return len({unit for unit, lead in zip(units, leads, strict=True) if lead == lead})
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

    def _by_unit(self, algorithm, scheme, column):
        rows = self.rows[(self.rows["algorithm"] == algorithm) & (self.rows["scheme"] == scheme)]
        rows = rows[rows["status"] == "ok"]
        return rows.groupby(["graph_key", "replicate"])[column].mean()

    def _p_value(self, number):
        """The p-value of a claim, by enumeration of all sign flips."""

        def scores(scheme, column="f1"):
            return self._by_unit(number.algorithm, scheme, column)

        base = number.scheme
        in_order, at_random = f"{base} + rescale-in-order", f"{base} + rescale-at-random"
        match number.column:
            case "lead":
                directions = scores(base, "direction_score")
                return max(sum_p(scores(base, "direction_p").tolist()), flips(directions.tolist()))
            case "skeleton":
                reached, fit = scores(base, "skeleton_f1_p"), scores(base, "skeleton_p")
                return max(sum_p(reached.tolist()), sum_p(fit.tolist()))
            case "fall":
                first = "raw"
                own, other = (
                    scores(scheme, "direction_score") - scores(scheme, "random_direction")
                    for scheme in (base, first)
                )
                return flips((other - own).dropna().tolist())
            case "variance ratios":
                return both_sides((scores(base) - scores(in_order)).dropna().tolist())
            case "random variances":
                return both_sides((scores(in_order) - scores(at_random)).dropna().tolist())
            case "standardized":
                return both_sides((scores(base) - scores("standardized")).dropna().tolist())
            case "variance order":
                orders = scores(in_order, "order_score") - scores(at_random, "order_score")
                return max(
                    flips((scores(in_order) - scores(at_random)).dropna().tolist()),
                    flips(orders.dropna().tolist()),
                )

    def _corrected(self, number):
        """The p-value times the number of claims that are not smaller, and not below those."""
        claims = self.claims[number.algorithm]
        own = claims[number.column, number.scheme]
        below = [p for p in claims.values() if p <= own]
        return max(min(1.0, p * sum(other >= p for other in claims.values())) for p in below)


def flips(differences):
    """The share of all sign flips whose sum is at least that of the differences."""
    differences = [d for d in differences if d == d and d != 0]
    if not differences:
        return 1.0
    own = sum(differences)
    signs = product((1, -1), repeat=len(differences))
    sums = [sum(s * d for s, d in zip(sign, differences, strict=True)) for sign in signs]
    return float(np.mean([total >= own - 1e-9 for total in sums]))


def both_sides(differences):
    return min(1.0, 2 * min(flips(differences), flips([-d for d in differences])))


def sum_p(p_values):
    """How often as many uniform numbers have at most this sum."""
    n, total = len(p_values), sum(p_values)
    terms = [(-1) ** k * math.comb(n, k) * (total - k) ** n for k in range(math.floor(total) + 1)]
    return min(1.0, max(0.0, sum(terms) / math.factorial(n)))


def _units(rows):
    return list(zip(rows["graph_key"].fillna(rows["problem"]), rows["replicate"], strict=True))
