"""One task from beginning to end: whatever happens, it is a record."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from causalassay import metrics
from causalassay.common.seeding import entropy_without_seed, stream
from causalassay.contracts import WARNING, Estimate
from causalassay.data import Problem
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery.environment_algorithms import NOT_SEEDED
from causalassay.graphs import is_dag
from causalassay.metrics.edges import Guess, graph_of
from causalassay.metrics.probabilities import RELIABILITY, sums_in_bins
from causalassay.metrics.registry import GraphMetric, Undefined, as_number
from causalassay.metrics.resolution import Members, Repair
from causalassay.study.estimate_encoding import decode, encode, unpack
from causalassay.study.plan import (
    N_DRAWS,
    MeasureTask,
    MetricEntry,
    Record,
    RescoreTask,
    RunTask,
    Study,
    Task,
)
from causalassay.study.reasons import is_about_room, message_text, readable, reason_text
from causalassay.study.worker.discovering import (
    Discovered,
    Discovery,
    ShownData,
    discover_here,
    until_mended,
)
from causalassay.study.worker.problem_making import MadeProblem, NoProblem
from causalassay.testing import estimate_flaws

SHOWN_BY = "its output is kept: causalassay log RESULTS --failed"
"""The note of a row that is not ok and whose algorithm printed something."""

# How an estimate becomes what each metric can score.


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores one estimate; what several metrics need is made once.

    Parameters
    ----------
    problem : Problem
    estimate : Estimate
    members_rng : callable
        Returns a new generator of the same stream each time, so that what one
        metric draws does not depend on which others are asked for.
    """

    problem: Problem
    estimate: Estimate
    members_rng: Callable[[], Generator]

    @cached_property
    def repaired(self) -> Repair:
        """The estimate as a DAG or CPDAG."""
        return metrics.repair(self.estimate.graph, self.members_rng())

    @cached_property
    def members(self) -> Members:
        """The DAGs of the estimated class, or a uniform draw of them."""
        return metrics.members(self.repaired.graph, self.members_rng())

    def score(self, entry: MetricEntry) -> float:
        """Return the number; raises a ValueError where there is none."""
        metric = entry.metric
        if metric.takes == "estimate":
            if self.problem.data.world == "series":
                self._check_kind()
            return self._number(metric, self.estimate)
        if self.problem.data.world == "series":
            self._check_summary(entry, metric)
            return self._number(metric, self.estimate.graph)
        if is_dag(self.estimate.graph):
            return self._number(metric, self.estimate.graph)
        match entry.resolution:
            case "as-is":
                guess = self.estimate.graph if metric.takes == "any" else self.repaired.graph
                return self._number(metric, guess)
            case "mean":
                return float(np.mean([self._number(metric, dag) for dag in self.members.dags]))
            case "favourable":
                guess = metrics.favourable_resolution(self.problem.graph, self.estimate.graph)
                return self._number(metric, guess)

    def _number(self, metric: GraphMetric, guess: Guess) -> float:
        """Return a metric's number of a graph that it cannot change: others score it too."""
        read_only = graph_of(guess).view()
        read_only.flags.writeable = False
        shown = replace(guess, graph=read_only) if isinstance(guess, Estimate) else read_only
        number = metric.score(self.problem, shown)
        return as_number(number)

    def _check_summary(self, entry: MetricEntry, metric: GraphMetric) -> None:
        """Raise where a number of DAGs or classes would be taken of a summary graph."""
        if metric.takes != "any" or entry.resolution != "as-is":
            raise Undefined(
                f"{entry.label or entry.name} is of DAGs and their classes; a series is scored on "
                "its summary graph, link by link, by f1, precision, recall, shd and their like"
            )
        self._check_kind()

    def _check_kind(self) -> None:
        if self.estimate.kind not in ("summary", "dag"):
            raise Undefined("an undirected edge is not a link of a summary graph")


def run_task(
    study: Study,
    task: Task,
    made: MadeProblem | Exception,
    discover: Discovery = discover_here,
) -> Record:
    """Return what comes of a task on a problem, or on the error that came instead of one.

    Parameters
    ----------
    study : Study
    task : Task
    made : MadeProblem or Exception
        From `problem_making.make`.
    discover : Discovery
        How an algorithm is run: in this process, or in one that knows nothing but the data.
    """
    match made, task:
        case NoProblem() as reason, _:
            record = Record.without_scores(task, "skipped", message_text(reason))
        case Exception() as error, _:
            record = Record.without_scores(task, "failed", f"problem: {reason_here(error)}")
        case MadeProblem(), MeasureTask():
            record = _measure(study, task, made)
        case MadeProblem(), RunTask():
            record = _run(study, task, made, discover)
        case MadeProblem(problem=problem), RescoreTask(estimate=blob):
            record = _scored(study, task, problem, decode(blob))
    return replace(record, host=socket.gethostname())


def reason_here(error: Exception) -> str:
    """Return the reason of an error in a worker.

    Raises
    ------
    NoWorkers
        If a disk is full: that is to stop the run, not to be stored.
    """
    reason = reason_text(error)
    if is_about_room(reason):
        raise until_mended(reason)
    return reason


def _measure(study: Study, task: MeasureTask, made: MadeProblem) -> Record:
    notes = {}
    scores = []
    for index in task.diagnostics:
        name = study.diagnostics[index]
        try:
            scores.append(as_number(_number(study, name, made)))
        except Exception as error:  # one undefined number leaves the others
            scores.append(np.nan)
            notes[name] = reason_here(error)
    return Record(task, "ok", scores=tuple(scores), notes=notes)


def _number(study: Study, name: str, made: MadeProblem) -> Any:
    if name == N_DRAWS:
        return made.draws
    for own in study.own_diagnostics:
        if own.name == name:
            return own.measure(made.problem)
    if name in DIAGNOSTICS:
        return DIAGNOSTICS[name].measure(made.problem)
    from causalassay.judging.order_measures import (  # noqa: PLC0415 (not for every study)
        order_measures,
    )

    return order_measures(made.problem, made.whole).number(name)


def _run(study: Study, task: RunTask, made: MadeProblem, discover: Discovery) -> Record:
    problem, entry = made.problem, study.algorithms[task.run]
    shown = shown_data(study, task, made)
    came = discover(entry, shown, discovery_entropy(study, task))
    record = _discovered(study, task, problem, shown, came)
    if record.status != "ok" and came.output.size:
        record = replace(record, notes={**record.notes, "printed": SHOWN_BY})
    return replace(record, seconds=came.seconds, cells=came.cells, output=came.output)


def _discovered(
    study: Study,
    task: RunTask,
    problem: Problem,
    shown: ShownData,
    came: Discovered,
) -> Record:
    """Return the record of what came of an algorithm, without its times."""
    notes = _chosen(study, task)
    if came.status != "ok":
        return Record.without_scores(task, came.status, came.reason, notes=notes)
    try:
        estimate = unpack(came.packed, problem.data.n_nodes)
        flaws = list(estimate_flaws(estimate, problem.data.n_nodes))
        if estimate.kind == "summary" and problem.data.world != "series":
            flaws.append('its kind is "summary", which is of a series')
        estimate = _in_original_order(estimate, shown.permutation)
        encoded = encode(estimate)
    except Exception as error:  # it comes from a process that is not to be trusted
        flaws = [f"its estimate cannot be read: {message_text(error)}"]
    if flaws:
        invalid = readable(f"invalid: {'; '.join(flaws)}")
        return Record.without_scores(task, "failed", invalid, notes=notes)
    return replace(_scored(study, task, problem, estimate), estimate=encoded)


def _chosen(study: Study, task: RunTask | RescoreTask) -> dict[str, str]:
    """Return the note of which candidate a tuned algorithm runs; empty for the others."""
    return {} if task.run == task.algorithm else {"chose": study.algorithms[task.run].name}


def _remarks(estimate: Estimate) -> dict[str, str]:
    """Return what an algorithm says that readers should know, such as that it is not seeded."""
    # Of an estimate that was sent, remarks that are no plain dictionary are a text.
    info = estimate.info if isinstance(estimate.info, Mapping) else {}
    stated = {name: info.get(name) for name in (NOT_SEEDED, WARNING)}
    return {name: readable(text) for name, text in stated.items() if isinstance(text, str)}


def shown_data(study: Study, task: RunTask, made: MadeProblem) -> ShownData:
    """Return the data of a problem with permuted columns: the same for all algorithms."""
    if made.shown is None:
        data = made.problem.data
        permutation = stream(study.seed, "columns", *_address(study, task)).permutation(
            data.n_nodes
        )
        made.shown = ShownData(permutation, data.permute_columns(permutation))
    return made.shown


def discovery_entropy(study: Study, task: RunTask) -> int:
    """Return what begins the stream of an algorithm's generator.

    It is no stream of the study: the state of one gives the study's seed away.
    """
    key = study.algorithms[task.run].key
    return entropy_without_seed(study.seed, "discover", *_address(study, task), key)


def _address(study: Study, task: RunTask | RescoreTask) -> tuple[str, str, int]:
    return task.purpose, study.problems[task.problem].key, task.replicate


def _in_original_order(estimate: Estimate, permutation: np.ndarray) -> Estimate:
    """Return a valid estimate in the order of the columns before the permutation."""
    position = np.argsort(permutation)
    both = np.ix_(position, position)
    weights, order = estimate.weights, estimate.order
    if weights is not None:
        weights = weights[both]
    if order is not None and sorted(order) == list(range(len(permutation))):
        order = tuple(int(permutation[node]) for node in order)
    lagged = None if estimate.lagged is None else estimate.lagged.relabel(position)
    probabilities = estimate.probabilities
    return replace(
        estimate,
        graph=estimate.graph[both],
        weights=weights,
        order=order,
        lagged=lagged,
        probabilities=None if probabilities is None else probabilities[both],
    )


def _scored(
    study: Study, task: RunTask | RescoreTask, problem: Problem, estimate: Estimate
) -> Record:
    address = (*_address(study, task), study.algorithms[task.run].key)
    scorer = Scorer(problem, estimate, lambda: stream(study.seed, "members", *address))
    scores: list[float] = []
    notes: dict[str, Any] = {**_chosen(study, task), **_remarks(estimate)}
    if estimate.probabilities is not None:
        notes[RELIABILITY] = sums_in_bins(problem.graph, estimate)
    for metric in task.metrics:
        entry = study.metrics[metric]
        try:
            scores.append(scorer.score(entry))
        except Exception as error:  # one undefined number leaves the others
            scores.append(np.nan)
            notes[entry.label or entry.name] = reason_here(error)
    return Record(task, "ok", scores=tuple(scores), notes=notes)
