"""What a study will run, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from causalassay.metrics.registry import METRICS
from causalassay.processes.limits import Limits
from causalassay.study.plan import AlgorithmEntry, Study

_MOST_NAMED = 6


def describe(study: Study) -> list[str]:
    """Return lines that say how many tasks there are, and what they are.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from causalassay.cli.beginning import new_study
    >>> from causalassay.study.language.study_file import read_study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = read_study(new_study("first-look", Path(folder)))
    >>> print(describe(study)[0])
    first-look: ... tasks
    """
    listed = [study.algorithms[index] for index in study.listed]
    main = len(study.problems) * study.replicates * len(listed)
    tuning = _tuning(study)
    total = main + sum(count for count, _ in tuning)
    controls = _metrics(study, controls=True)
    return [
        f"{study.name}: {_counted(total, 'task')}",
        f"  main: {_counted(len(study.problems), 'problem')} × "
        f"{_counted(study.replicates, 'replicate')} × {_counted(len(listed), 'algorithm')} "
        f"= {main}",
        *(line for _, line in tuning),
        _group("problems", [entry.name for entry in study.problems]),
        _group("algorithms", [one.name for one in listed if one.role != "baseline"]),
        _group("baselines", [one.name for one in listed if one.role == "baseline"]),
        _group("metrics", _metrics(study, controls=False)),
        *([_group("controls of each estimate", controls)] if controls else []),
        _group("diagnostics of each data set", study.diagnostics),
        *_limits(listed),
    ]


def _metrics(study: Study, *, controls: bool) -> list[str]:
    """Return what each estimate is scored by, or the numbers beside the scores."""
    return [
        entry.label or entry.name
        for entry in study.metrics
        if (METRICS[entry.name].better == "none") == controls
    ]


def _tuning(study: Study) -> list[tuple[int, str]]:
    """Return the number of tasks for each size of tuning; a candidate that two share runs once."""
    sizes: dict[int, int] = {}
    tuned = {entry.name: entry.tuning for entry in study.algorithms if entry.tuning}
    for tuning in tuned.values():
        for index in tuning.candidates:
            sizes[index] = max(sizes.get(index, 0), tuning.systems)
    lines = []
    for size in sorted(set(sizes.values())):
        candidates = {index for index, most in sizes.items() if most == size}
        count = len(study.problems) * size * len(candidates)
        names = [name for name, one in tuned.items() if candidates & set(one.candidates)]
        line = (
            f"  tuning of {', '.join(names)}: {_counted(len(study.problems), 'problem')} × "
            f"{_counted(size, 'held-out system')} × {_counted(len(candidates), 'candidate')} "
            f"= {count}"
        )
        lines.append((count, line))
    return lines


def _limits(listed: Sequence[AlgorithmEntry]) -> list[str]:
    """Return the limits that most algorithms have, then those that differ."""
    groups: dict[Limits, list[str]] = {}
    for entry in listed:
        groups.setdefault(entry.limits, []).append(entry.name)
    most = max(groups, key=lambda limits: len(groups[limits]))
    rest = {limits: names for limits, names in groups.items() if limits != most}
    return [
        f"limits of each task: {_limit(most)}",
        *(f"  {_names(names)}: {_limit(limits)}" for limits, names in rest.items()),
    ]


def _limit(limits: Limits) -> str:
    seconds = "any time" if limits.seconds is None else f"{limits.seconds:g} s"
    memory = "its share of memory" if limits.memory is None else f"{limits.memory / 1e9:g} GB"
    return f"{seconds}, {memory}"


def _group(what: str, names: Sequence[str]) -> str:
    return f"{what} ({len(names)}): {_names(names) or 'none'}"


def _names(names: Sequence[str]) -> str:
    left = len(names) - _MOST_NAMED
    beginning = ", ".join(names[:_MOST_NAMED])
    return f"{beginning} and {left} more" if left > 0 else beginning


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
