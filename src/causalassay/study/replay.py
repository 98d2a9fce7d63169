"""Runs one task of a study again, in this process, where a debugger can look at it."""

from __future__ import annotations

from functools import partial

from causalassay.study.plan import MeasureTask, Record, RunTask, Study, Task
from causalassay.study.reasons import reason_text
from causalassay.study.worker.discovering import discover_here
from causalassay.study.worker.problem_making import NoProblem, make
from causalassay.study.worker.task_runner import run_task


def task_at(study: Study, address: RowAddress) -> Task:
    """Return the task of a row.

    Raises
    ------
    ValueError
        If the study no longer has the problem or algorithm, since its file was changed.
    """
    problems = {entry.key: index for index, entry in enumerate(study.problems)}
    algorithms = {entry.key: index for index, entry in enumerate(study.algorithms)}
    missing = [] if address.problem in problems else ["problem"]
    if address.algorithm is not None and address.algorithm not in algorithms:
        missing.append("algorithm")
    if missing:
        raise ValueError(
            f"the study has no such {' and no such '.join(missing)} any more; "
            "its file or a version has changed"
        )
    problem = problems[address.problem]
    if address.algorithm is None:
        diagnostics = tuple(range(len(study.diagnostics)))
        return MeasureTask(address.purpose, problem, address.replicate, diagnostics)
    algorithm = algorithms[address.algorithm]
    run = algorithm if address.chose is None else algorithms[address.chose]
    metrics = tuple(range(len(study.metrics)))
    return RunTask(address.purpose, problem, address.replicate, algorithm, run, metrics)


class TaskRaised(Exception):
    """What a task raised: its text as one line that shows, and its own traceback.

    It is none of the errors of which the command line shows one line alone, and not the
    end of the program either, whatever the task raised.
    """


def replay(study: Study, task: Task) -> Record:
    """Run a task here and now.

    Raises
    ------
    TaskRaised
        If the problem or the algorithm raises an error.
    """
    try:
        made = make(study.seed, study.problems[task.problem].spec, task.purpose, task.replicate)
        return run_task(study, task, made, partial(discover_here, raising=True))
    except NoProblem as reason:
        return run_task(study, task, reason)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise TaskRaised(reason_text(error)).with_traceback(error.__traceback__) from None
