"""The evaluation card: claims, assumptions, limits and compute of a study on one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from causalassay.analysis import Analysis
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.bundling.file_names import MEANINGS, NOT_INCLUDED, STUDY, meaning
from causalassay.bundling.lock_file import environment_text
from causalassay.bundling.markdown import escaped, table
from causalassay.bundling.named_files import NamedFile
from causalassay.judging.rules import RULES
from causalassay.present.formatting import digits, in_words
from causalassay.spelling import cut
from causalassay.study.language.labels import value_text
from causalassay.study.needed_environments import needed_environments
from causalassay.study.plan import Study
from causalassay.study.programs import programs_of
from causalassay.study.storage.reader import Session
from causalassay.study.storage.status import StudyStatus, span

MOST_ALGORITHMS = 20
"""Rows of the table of claims; the report has the others."""
MOST_REASONS, LONGEST_REASON = 3, 160
MOST_VALUES = 6
"""Values of a setting that are named."""


@dataclass(frozen=True)
class CardContent:
    """What a card is about.

    Parameters
    ----------
    study : Study
    status : StudyStatus
    sessions : sequence of Session
    analysis : Analysis
    code : sequence of NamedFile
    included, left_out : sequence of NamedFile
        Data files that are in the bundle, and those that are not.
    files : sequence of str
        What the bundle holds.
    licence : str, optional
    authors : str, optional
    """

    study: Study
    status: StudyStatus
    sessions: Sequence[Session]
    analysis: Analysis
    code: Sequence[NamedFile]
    included: Sequence[NamedFile]
    left_out: Sequence[NamedFile]
    files: Sequence[str]
    licence: str | None
    authors: str | None


def card_text(content: CardContent) -> str:
    """Return the card as Markdown; nothing from a study can be more than text in it."""
    sections = {
        "Claims": _claims(content.analysis),
        "Assumptions": _assumptions(content.study, content.analysis.table.frame),
        "Limits": _limits(content),
        "Compute": _compute(content),
        "Check and replay": _replay(content),
        "Files": _files(content),
        "Licence": [_licence(content.licence)],
    }
    lines = [f"# Evaluation card: {escaped(content.status.name)}", "", _about(content)]
    for title, parts in sections.items():
        lines += ["", f"## {title}", *parts]
    return "\n".join(lines) + "\n"


def _about(content: CardContent) -> str:
    study = content.study
    roles = [study.algorithms[index].role for index in study.listed]
    baselines = roles.count("baseline")
    by = f" Authors: {escaped(content.authors)}." if content.authors else ""
    return (
        f"{_counted(len(roles) - baselines, 'algorithm')} and "
        f"{_counted(baselines, 'baseline')} on "
        f"{_counted(len(study.problems), 'problem')}, "
        f"{_counted(study.replicates, 'data set')} each; seed {study.seed}.{by}"
    )


def _claims(analysis: Analysis) -> Iterator[str]:
    yield f"**{escaped(analysis.headline)}**"
    yield ""
    yield from (
        f"- {escaped(each.text)} (rule: {each.rule})"
        for each in analysis.verdict.statements
        if each.algorithm is None
    )
    yield ""
    matrix = analysis.matrix
    score = f"mean {metric_name(matrix.metric)}, no artefact found"
    rows = [[row.algorithm, row.role, digits(row.key), row.finding] for row in matrix.rows]
    yield from table(["algorithm", "role", score, "finding"], rows[:MOST_ALGORITHMS])
    if len(rows) > MOST_ALGORITHMS:
        yield f"\n{len(rows) - MOST_ALGORITHMS} more algorithms are in report.html."
    yield ""
    yield f"{escaped(matrix.order)} How often the rules were wrong when that was measured:"
    yield ""
    yield from _error_rates(list(analysis.verdict.rules))
    yield ""
    yield "Each rule in full, and the numbers behind each sentence: report.html."


def _error_rates(used: Sequence[str]) -> Iterator[str]:
    """Yield the measured error rate of each rule, or of those that it rests on."""
    unstated = []
    for name in used:
        beneath = [one for one in RULES[name].rests_on if RULES[one].rate]
        if RULES[name].rate:
            yield f"- {name}: {RULES[name].rate}."
        elif beneath:
            yield f"- {name}: none of its own; it rests on {beneath[0]}: {RULES[beneath[0]].rate}."
        else:
            unstated.append(name)
    if unstated:
        yield f"- None is stated for: {', '.join(unstated)}."


def _assumptions(study: Study, frame: pd.DataFrame) -> Iterator[str]:
    settings = {
        "schemes": "scheme",
        "graphs": "graph.kind",
        "nodes": "graph.n_nodes",
        "mechanisms": "model.mechanism",
        "noise": "model.noise",
        "rows of data": "samples",
        "files": "data.file",
    }
    drawn = [f"{what}: {_values(frame[name])}" for what, name in settings.items() if name in frame]
    if drawn:
        yield f"- Problems. {'; '.join(drawn)}. All settings: {STUDY}."
    by_text: dict[str, list[str]] = {}
    for entry in (study.algorithms[index] for index in study.listed):
        stated = getattr(entry.algorithm, "assumptions", "") or "not stated by its authors"
        by_text.setdefault(str(stated), []).append(entry.name)
    for text, names in by_text.items():
        yield f"- {escaped(', '.join(names))}: {escaped(text)}."


def _values(column: pd.Series) -> str:
    kept = column.dropna().unique()
    name = scheme_name if column.name == "scheme" else value_text
    values = [name(value.item() if hasattr(value, "item") else value) for value in kept]
    rest = len(values) - MOST_VALUES
    more = f" and {rest} more" if rest > 0 else ""
    return escaped(", ".join(values[:MOST_VALUES])) + more


def _limits(content: CardContent) -> Iterator[str]:
    status = content.status
    if status.left:
        total = sum(status.totals.values())
        yield f"- **Not complete: {status.left} of {total} tasks are missing; numbers may change.**"
    lost = _not_ok(status)
    if lost:
        yield f"- Scores are means over runs that ended: {lost} did not (see Compute)."
    yield "- No evidence of an artefact is not evidence that there is none."
    yield "- An algorithm is judged on these problems only, with these hyperparameters."
    if not {"f1", "random_f1"} <= set(content.analysis.table.frame.columns):
        yield "- No finding on algorithms: the study has no F1, or its controls are off."
    if len({_versions(session) for session in content.sessions}) > 1:
        yield "- Rows come from runs with different versions or machines: requirements.txt."
    imported = [file.place for file in content.code if not file.in_keys]
    if imported:
        yield (
            f"- Not covered by the keys of rows: {escaped(', '.join(imported))}, which the code "
            "imports. They are as they were when this was bundled, not when the study ran."
        )
    yield "- Times depend on the machine. On another one, scores may differ in their last digits."
    yield from _about_data(content)


def _about_data(content: CardContent) -> Iterator[str]:
    for file in content.included:
        yield (
            f"- Data file in the bundle, on the authors' word that they may share it: "
            f"{escaped(file.place)} ({_size(file.size)})."
        )
    for file in content.left_out:
        yield (
            f"- **Data file not in the bundle**: put it at {escaped(file.place)} "
            f"({_size(file.size)}, SHA-256 {file.sha256})."
        )


def _versions(session: Session) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(session.versions.items()))


def _compute(content: CardContent) -> Iterator[str]:
    status, frame = content.status, content.analysis.table.frame
    for purpose in ("main", "tuning"):
        counts = status.counts[purpose]
        if status.totals[purpose]:
            ended = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
            title = "Tasks" if purpose == "main" else "Tasks for tuning"
            yield (
                f"- {title}: {sum(counts.values())} of {status.totals[purpose]} "
                f"({ended or 'none yet'})."
            )
    reasons = sorted(status.reasons["main"].items(), key=lambda item: -item[1])
    for reason, count in reasons[:MOST_REASONS]:
        shown = cut(reason or "no reason is stored", LONGEST_REASON).rstrip(".")
        yield f"- {count} not ok: {escaped(shown)}."
    timed = frame["seconds"].notna()
    seconds = frame["seconds"][timed].sum()
    tuning = ", tuning not counted" if status.totals["tuning"] else ""
    yield (
        f"- Discovery: {seconds:.3g} seconds of wall time in {int(timed.sum())} runs{tuning}, one "
        "thread each unless an algorithm starts more. CPU seconds were not measured."
    )
    slowest = frame[timed].groupby("algorithm", observed=True)["seconds"].sum().nlargest(3)
    if len(slowest):
        parts = (f"{escaped(str(name))} {value:.3g} s" for name, value in slowest.items())
        yield f"- Most of it: {', '.join(parts)}."
    yield f"- {_machines(content.sessions)}"
    for home in needed_environments(content.study.algorithms):
        yield f"- Package in an environment of its own: {escaped(environment_text(home))}."


def _machines(sessions: Sequence[Session]) -> str:
    elapsed = sum(map(_elapsed, sessions))
    named = list(dict.fromkeys(session.cpu for session in sessions if session.cpu))
    processors = f"; processor of the driver: {escaped(in_words(named))}" if named else ""
    python = sessions[-1].versions.get("python", "of an unknown version")
    version = sessions[-1].versions.get("causalassay", "of an unknown version")
    return (
        f"{_counted(len(sessions), 'session')}, {span(elapsed)} in all{processors}; "
        f"Python {python}, causalassay {version}."
    )


def _elapsed(session: Session) -> float:
    if session.last_write is None:
        return 0.0
    began, last = map(datetime.fromisoformat, (session.started, session.last_write))
    return max(0.0, (last - began).total_seconds())


def _not_ok(status: StudyStatus) -> int:
    return sum(count for name, count in status.counts["main"].items() if name != "ok")


def _replay(content: CardContent) -> Iterator[str]:
    allow = " --allow-programs" if _runs_own_code(content.study) else ""
    yield (
        "In this folder, in a new virtual environment. The wheel is code of those who made the "
        "bundle: with a causalassay of your own, check the bundle before you install it."
    )
    yield "```console"
    yield "$ sha256sum -c checksums.sha256          # each file is as it was bundled"
    if content.left_out:
        yield f"$ sha256sum -c {NOT_INCLUDED}       # the data files that you put there"
    yield "$ pip install -r requirements.txt        # the same versions, causalassay from the wheel"
    yield "$ causalassay bundle --check .           # each row belongs to this study"
    homes = needed_environments(content.study.algorithms)
    install = " --install" if homes else ""
    yield f"$ causalassay run {STUDY}{install}{allow}"
    yield "```"
    if homes:
        size = sum(home.download_mb for home in homes)
        names = ", ".join(home.name for home in homes)
        yield f"The last command downloads packages (about {size} MB): {escaped(names)}."
    if allow:
        yield "The last command runs the authors' code: read it first."


def _runs_own_code(study: Study) -> bool:
    return bool(programs_of(study.algorithms))


def _files(content: CardContent) -> Iterable[str]:
    named = {file: meaning(file) for file in content.files}
    order = {name: place for place, name in enumerate(MEANINGS)}
    listed = sorted(named, key=lambda name: (order.get(name, len(order)), name))
    return table(["file", "what it is"], [[name, named[name]] for name in listed])


def _licence(licence: str | None) -> str:
    if licence is None:
        return "None is stated: ask the authors before you use more than the law allows."
    return f"{escaped(licence)}, stated by the authors; LICENSE.txt says for what."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def _size(size: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size = size / 1000  # type: ignore[assignment]
    return f"{size:.3g} GB"
