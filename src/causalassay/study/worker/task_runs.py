"""One task from beginning to end: whatever happens, it is a record."""

from __future__ import annotations

import re
import socket
import time
from dataclasses import replace

import numpy as np

from causalassay.contracts import Algorithm, Estimate, NotApplicable, check_rows
from causalassay.data import Dataset, Problem
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.seeding import stream
from causalassay.study.estimate_bytes import decode, encode
from causalassay.study.measures import N_DRAWS
from causalassay.study.plan import Record, Status, Study, Task, sent_back
from causalassay.study.worker.problem_making import Made, NoProblem
from causalassay.study.worker.scoring import Scorer
from causalassay.testing import estimate_flaws

LONGEST_REASON = 500
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

Found = tuple[Estimate, float]
"""An estimate and the seconds it took."""


def run_task(study: Study, task: Task, made: Made | Exception, *, raising: bool = False) -> Record:
    """Return what comes of a task on a problem, or on the error that came instead of one.

    Parameters
    ----------
    study : Study
    task : Task
    made : Made or Exception
        From `making.make`.
    raising : bool
        Let an error of the algorithm through, for a debugger.
    """
    plain = sent_back(task)
    if isinstance(made, Exception):
        status: Status = "skipped" if isinstance(made, NoProblem) else "failed"
        reason = str(made) if status == "skipped" else f"problem: {told(made)}"
        return Record(plain, status, reason, scores=(np.nan,) * len(task.metrics), host=_host())
    if task.algorithm is None:
        return _measured(study, plain, made)
    found = _discovered(study, task, made.problem, raising)
    return replace(found, task=plain, host=_host())


def told(error: BaseException) -> str:
    """Return an error as a reason that is the same on each run.

    Examples
    --------
    >>> told(ValueError("bad thing at 0x7f00"))
    'raised ValueError: bad thing at 0x…'
    """
    text = _ADDRESS.sub("0x…", f"raised {type(error).__name__}: {error}".strip().rstrip(":"))
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def _measured(study: Study, task: Task, made: Made) -> Record:
    notes = {}
    scores = []
    for place in task.metrics:
        name = study.diagnostics[place]
        try:
            measured = made.draws if name == N_DRAWS else DIAGNOSTICS[name].measure(made.problem)
            scores.append(float(measured))
        except Exception as error:  # one undefined number leaves the others
            scores.append(np.nan)
            notes[name] = told(error)
    return Record(task, "ok", scores=tuple(scores), notes=notes, host=_host())


def _discovered(study: Study, task: Task, problem: Problem, raising: bool) -> Record:
    if task.run is None:
        raise ValueError("a task with an algorithm states which to run")
    undefined = (np.nan,) * len(task.metrics)
    notes = {} if task.run == task.algorithm else {"chose": study.algorithms[task.run].name}
    if task.estimate is not None:
        estimate, seconds, blob = decode(task.estimate), np.nan, None
    else:
        try:
            estimate, seconds = _discover(study, task, problem.data)
        except NotApplicable as reason:
            return Record(task, "skipped", str(reason), scores=undefined, notes=notes)
        except BaseException as error:  # an algorithm may raise anything, SystemExit too
            if raising:
                raise
            return Record(task, "failed", told(error), scores=undefined, notes=notes)
        flaws = _flaws(estimate, problem.data.n_nodes)
        if flaws:
            told_flaws = f"invalid: {'; '.join(flaws)}"
            return Record(task, "failed", told_flaws, seconds, scores=undefined, notes=notes)
        blob = encode(estimate)
    scores, undefined_notes = _score(study, task, problem, estimate)
    return Record(task, "ok", "", seconds, scores, blob, notes={**notes, **undefined_notes})


def _discover(study: Study, task: Task, data: Dataset) -> Found:
    """Run the algorithm on permuted columns (one permutation for all algorithms) and turn back."""
    problem, run = study.problems[task.problem].key, study.algorithms[task.run or 0]
    place = (task.purpose, problem, task.replicate)
    permutation = stream(study.seed, "columns", *place).permutation(data.n_nodes)
    permuted = data.permute_columns(permutation)
    rng = stream(study.seed, "discover", *place, run.key)
    algorithm: Algorithm = run.algorithm
    check_rows(data, getattr(algorithm, "rows", "independent"))
    began = time.perf_counter()
    found = algorithm.discover(permuted, rng)
    seconds = time.perf_counter() - began
    return _put_back(found, permutation), seconds


def _put_back(found: Estimate, permutation: np.ndarray) -> Estimate:
    """Return the estimate in the order the columns had before; nonsense is left as it is."""
    if not isinstance(found, Estimate) or np.shape(found.graph) != (len(permutation),) * 2:
        return found
    place = np.argsort(permutation)
    both = np.ix_(place, place)
    weights, order = found.weights, found.order
    if weights is not None and np.shape(weights) == np.shape(found.graph):
        weights = np.asarray(weights)[both]
    if order is not None and sorted(order) == list(range(len(permutation))):
        order = tuple(int(permutation[node]) for node in order)
    lagged = None if found.lagged is None else found.lagged.relabel(place)
    graph = np.asarray(found.graph)[both]
    return replace(found, graph=graph, weights=weights, order=order, lagged=lagged)


def _flaws(estimate: Estimate, n_nodes: int) -> list[str]:
    if not isinstance(estimate, Estimate):
        return [f"it returned {type(estimate).__name__}, not an Estimate"]
    return list(estimate_flaws(estimate, n_nodes))


def _score(
    study: Study, task: Task, problem: Problem, estimate: Estimate
) -> tuple[tuple[float, ...], dict[str, str]]:
    if task.run is None:
        raise ValueError("a task with an algorithm states which to run")
    place = (task.purpose, study.problems[task.problem].key, task.replicate)
    run = study.algorithms[task.run].key
    scorer = Scorer(problem, estimate, lambda: stream(study.seed, "members", *place, run))
    scores, notes = [], {}
    for metric in task.metrics:
        entry = study.metrics[metric]
        try:
            scores.append(scorer.score(entry))
        except Exception as error:  # one undefined number leaves the others
            scores.append(np.nan)
            notes[entry.label or entry.name] = told(error)
    return tuple(scores), notes


def _host() -> str:
    return socket.gethostname()
