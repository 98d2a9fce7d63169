"""One task from beginning to end: whatever happens, it is a record."""

from __future__ import annotations

import re
import socket
import time
from dataclasses import replace

import numpy as np

from causalassay.contracts import Estimate, NotApplicable, check_rows
from causalassay.data import Dataset, Problem
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.seeding import stream
from causalassay.study.estimate_encoding import decode, encode
from causalassay.study.measures import N_DRAWS
from causalassay.study.plan import Study
from causalassay.study.tasks import MeasureTask, Record, RescoreTask, RunTask, Task
from causalassay.study.worker.problem_making import MadeProblem, NoProblem
from causalassay.study.worker.scoring import Scorer
from causalassay.testing import estimate_flaws

LONGEST_REASON = 500
_MEMORY_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def run_task(
    study: Study, task: Task, made: MadeProblem | Exception, *, raising: bool = False
) -> Record:
    """Return what comes of a task on a problem, or on the error that came instead of one.

    Parameters
    ----------
    study : Study
    task : Task
    made : MadeProblem or Exception
        From `problem_making.make`.
    raising : bool
        Let an error of the algorithm through, for a debugger.
    """
    match made, task:
        case NoProblem() as reason, _:
            record = Record.without_scores(task, "skipped", str(reason))
        case Exception() as error, _:
            record = Record.without_scores(task, "failed", f"problem: {reason_text(error)}")
        case MadeProblem(), MeasureTask():
            record = _measure(study, task, made)
        case MadeProblem(problem=problem), RunTask():
            record = _run(study, task, problem, raising)
        case MadeProblem(problem=problem), RescoreTask(estimate=blob):
            record = _scored(study, task, problem, decode(blob))
    return replace(record, host=socket.gethostname())


def reason_text(error: BaseException) -> str:
    """Return an error as a reason that is the same on each run.

    Examples
    --------
    >>> reason_text(ValueError("bad value at 0x7f00"))
    'raised ValueError: bad value at 0x…'
    """
    text = f"raised {type(error).__name__}: {error}".strip().rstrip(":")
    text = _MEMORY_ADDRESS.sub("0x…", text)
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def _measure(study: Study, task: MeasureTask, made: MadeProblem) -> Record:
    notes = {}
    scores = []
    for index in task.diagnostics:
        name = study.diagnostics[index]
        try:
            measured = made.draws if name == N_DRAWS else DIAGNOSTICS[name].measure(made.problem)
            scores.append(float(measured))
        except Exception as error:  # one undefined number leaves the others
            scores.append(np.nan)
            notes[name] = reason_text(error)
    return Record(task, "ok", scores=tuple(scores), notes=notes)


def _run(study: Study, task: RunTask, problem: Problem, raising: bool) -> Record:
    notes = _chosen(study, task)
    try:
        estimate, seconds = _discover(study, task, problem.data)
    except NotApplicable as reason:
        return Record.without_scores(task, "skipped", str(reason), notes=notes)
    except BaseException as error:  # an algorithm may raise anything, SystemExit too
        if raising:
            raise
        return Record.without_scores(task, "failed", reason_text(error), notes=notes)
    flaws = _flaws(estimate, problem.data.n_nodes)
    if flaws:
        invalid = f"invalid: {'; '.join(flaws)}"
        return Record.without_scores(task, "failed", invalid, seconds=seconds, notes=notes)
    record = _scored(study, task, problem, estimate)
    return replace(record, seconds=seconds, estimate=encode(estimate))


def _chosen(study: Study, task: RunTask | RescoreTask) -> dict[str, str]:
    """Return the note of which candidate a tuned algorithm runs; empty for the others."""
    return {} if task.run == task.algorithm else {"chose": study.algorithms[task.run].name}


def _discover(study: Study, task: RunTask, data: Dataset) -> tuple[Estimate, float]:
    """Run the algorithm on permuted columns; return its estimate in their order, and seconds.

    All algorithms get the same permutation.
    """
    address = (task.purpose, study.problems[task.problem].key, task.replicate)
    entry = study.algorithms[task.run]
    permutation = stream(study.seed, "columns", *address).permutation(data.n_nodes)
    permuted = data.permute_columns(permutation)
    rng = stream(study.seed, "discover", *address, entry.key)
    check_rows(data, getattr(entry.algorithm, "rows", "independent"))
    began = time.perf_counter()
    estimate = entry.algorithm.discover(permuted, rng)
    seconds = time.perf_counter() - began
    return _in_original_order(estimate, permutation), seconds


def _in_original_order(estimate: Estimate, permutation: np.ndarray) -> Estimate:
    """Return the estimate in the order before the permutation; an invalid one as it is."""
    if not isinstance(estimate, Estimate) or np.shape(estimate.graph) != (len(permutation),) * 2:
        return estimate
    position = np.argsort(permutation)
    both = np.ix_(position, position)
    weights, order = estimate.weights, estimate.order
    if weights is not None and np.shape(weights) == np.shape(estimate.graph):
        weights = np.asarray(weights)[both]
    if order is not None and sorted(order) == list(range(len(permutation))):
        order = tuple(int(permutation[node]) for node in order)
    lagged = None if estimate.lagged is None else estimate.lagged.relabel(position)
    graph = np.asarray(estimate.graph)[both]
    return replace(estimate, graph=graph, weights=weights, order=order, lagged=lagged)


def _flaws(estimate: Estimate, n_nodes: int) -> list[str]:
    if not isinstance(estimate, Estimate):
        return [f"it returned {type(estimate).__name__}, not an Estimate"]
    return list(estimate_flaws(estimate, n_nodes))


def _scored(
    study: Study, task: RunTask | RescoreTask, problem: Problem, estimate: Estimate
) -> Record:
    address = (task.purpose, study.problems[task.problem].key, task.replicate)
    run = study.algorithms[task.run].key
    scorer = Scorer(problem, estimate, lambda: stream(study.seed, "members", *address, run))
    scores, notes = [], _chosen(study, task)
    for metric in task.metrics:
        entry = study.metrics[metric]
        try:
            scores.append(scorer.score(entry))
        except Exception as error:  # one undefined number leaves the others
            scores.append(np.nan)
            notes[entry.label or entry.name] = reason_text(error)
    return Record(task, "ok", scores=tuple(scores), notes=notes)
