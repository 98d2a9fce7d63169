"""The evaluation card: claims, assumptions, limits and compute of a study on one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from causalassay.analysis import Analysis
from causalassay.analysis.runs import scheme_name
from causalassay.common.spelling import cut
from causalassay.judging.findings import RULES
from causalassay.lab.bundling import contents
from causalassay.lab.bundling.study_files import NamedFile, environment_text
from causalassay.metrics.registry import metric_name
from causalassay.present import (
    Block,
    Code,
    Column,
    Document,
    Facts,
    Findings,
    Prose,
    Section,
    Table,
)
from causalassay.present.formatting import counted, few, in_words
from causalassay.present.markdown import document_markdown
from causalassay.study.language.grids import value_text
from causalassay.study.plan import Purpose, Study
from causalassay.study.programs import needed_environments, programs_of
from causalassay.study.storage.reader import Session, StudyStatus
from causalassay.study.storage.running import span

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
    return document_markdown(card_document(content))


def card_document(content: CardContent) -> Document:
    """Return the card: claims, assumptions, limits and compute."""
    study = content.study
    roles = [study.algorithms[index].role for index in study.listed]
    baselines = roles.count("baseline")
    by = f" Authors: {content.authors}." if content.authors else ""
    about = (
        f"{counted(len(roles) - baselines, 'algorithm')} and {counted(baselines, 'baseline')} on "
        f"{counted(len(study.problems), 'problem')}, {_data_sets(study)}; seed {study.seed}.{by}"
    )
    blocks = [
        Section("claims", "Claims", [*_claims(content.analysis)]),
        Section("assumptions", "Assumptions", [*_assumptions(study, content.analysis)]),
        Section("limits", "Limits", [*map(Prose, _limits(content))]),
        Section("compute", "Compute", [*_compute(content)]),
        Section("replay", "Check and replay", [*replay_blocks(study, bool(content.left_out))]),
        Section("files", "Files", [_files(content.files)]),
        Section("licence", "Licence", [Prose(_licence(content.licence))]),
    ]
    title = f"Evaluation card: {content.status.name}"
    return Document(title, content.analysis.headline, blocks, about=about)


def _data_sets(study: Study) -> str:
    """Return how many data sets a study has: of each problem, or of all if they differ."""
    counts = [study.replicates_of(index) for index in range(len(study.problems))]
    if len({*counts}) == 1:
        return f"{counted(counts[0], 'data set')} each"
    return f"{counted(sum(counts), 'data set')} together"


def _claims(analysis: Analysis) -> Iterator[Block]:
    yield Findings([each for each in analysis.verdict.statements if not each.algorithm])
    matrix = analysis.matrix
    columns = (
        Column("algorithm", "algorithm"),
        Column("role", "role"),
        Column("score", f"mean {metric_name(matrix.metric)}, no artefact found", "digits"),
        Column("finding", "finding"),
    )
    rows = [(row.algorithm, row.role, row.key, row.finding) for row in matrix.rows]
    left = len(rows) - MOST_ALGORITHMS
    more = [f"{counted(left, 'more algorithm')}: in {contents.REPORT}"] if left > 0 else []
    yield Table("scores", columns, rows[:MOST_ALGORITHMS], notes=more)
    yield Prose(f"{matrix.order} How often the rules were wrong when that was measured:")
    yield _error_rates([*analysis.verdict.rules])
    yield Prose(f"Each rule in full, and the numbers behind each sentence: {contents.REPORT}.")


def _error_rates(used: Sequence[str]) -> Facts:
    """Return the measured error rate of each rule, or of the one that it rests on."""
    rates, unstated = {}, []
    for name in used:
        rule = RULES[name]
        beneath = [other for other in rule.rests_on if RULES[other].rate]
        if rule.rate:
            rates[name] = f"{rule.rate}."
        elif beneath:
            rate = RULES[beneath[0]].rate
            rates[name] = f"none of its own; it rests on {beneath[0]}: {rate}."
        else:
            unstated.append(name)
    return Facts(rates | ({"None is stated for": f"{', '.join(unstated)}."} if unstated else {}))


def _assumptions(study: Study, analysis: Analysis) -> Iterator[Facts]:
    frame = analysis.table.frame
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
        yield Facts({"Problems": f"{'; '.join(drawn)}. All settings: {contents.STUDY}."})
    by_text: dict[str, list[str]] = {}
    for entry in (study.algorithms[index] for index in study.listed):
        stated = getattr(entry.algorithm, "assumptions", "") or "not stated by its authors"
        by_text.setdefault(str(stated), []).append(entry.name)
    yield Facts({", ".join(names): f"{text}." for text, names in by_text.items()})


def _values(column: pd.Series) -> str:
    name = scheme_name if column.name == "scheme" else value_text
    known = column.dropna().unique()
    values = [name(value.item() if hasattr(value, "item") else value) for value in known]
    return few(values, MOST_VALUES)


def _limits(content: CardContent) -> Iterator[str]:
    status = content.status
    if status.left:
        total = counted(sum(status.totals.values()), "task")
        yield f"Not complete: {status.left} of {total} missing; numbers may change."
    not_ok = sum(count for name, count in status.counts["main"].items() if name != "ok")
    if not_ok:
        yield f"Scores are means over runs that ended: {not_ok} did not (see Compute)."
    yield "No evidence of an artefact is not evidence that there is none."
    yield "An algorithm is judged on these problems only, with these hyperparameters."
    if not {"f1", "random_f1"} <= set(content.analysis.table.frame.columns):
        yield "No finding on algorithms: the study has no F1, or its controls are off."
    if len({tuple(sorted(session.versions.items())) for session in content.sessions}) > 1:
        yield f"Rows come from runs with different versions or machines: {contents.LOCK}."
    yield "Times depend on the machine. On another one, scores may differ in their last digits."
    for file in content.included:
        yield (
            "Data file in the bundle, on the authors' word that they may share it: "
            f"{file.place} ({_size(file.size)})."
        )
    for file in content.left_out:
        yield (
            f"Data file not in the bundle: put it at {file.place} ({_size(file.size)}, SHA-256 "
            f"{file.sha256})."
        )


def _compute(content: CardContent) -> Iterator[Block]:
    status, frame = content.status, content.analysis.table.frame
    facts = {}
    titles: dict[Purpose, str] = {"main": "Tasks", "tuning": "Tasks for tuning"}
    for purpose, title in titles.items():
        counts, total = status.counts[purpose], status.totals[purpose]
        if total:
            ended = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
            facts[title] = f"{sum(counts.values())} of {total} ({ended or 'none yet'})."
    timed = frame["seconds"].notna()
    tuning = ", tuning not counted" if status.totals["tuning"] else ""
    facts["Discovery"] = (
        f"{frame['seconds'][timed].sum():.3g} seconds of wall time in "
        f"{counted(int(timed.sum()), 'run')}{tuning}, one thread each unless an algorithm "
        "starts more. CPU seconds were not measured."
    )
    slowest = frame[timed].groupby("algorithm", observed=True)["seconds"].sum().nlargest(3)
    if len(slowest):
        facts["Most of it"] = ", ".join(f"{name} {s:.3g} s" for name, s in slowest.items()) + "."
    facts["Machines"] = _machines(content.sessions)
    homes = needed_environments(content.study.algorithms)
    if homes:
        environments = "; ".join(map(environment_text, homes))
        facts["Packages in environments of their own"] = f"{environments}."
    yield Facts(facts)
    reasons = sorted(status.reasons["main"].items(), key=lambda item: -item[1])[:MOST_REASONS]
    if reasons:
        columns = (Column("runs", "runs not ok", "count"), Column("reason", "reason"))
        rows = [
            (count, cut(reason or "no reason is stored", LONGEST_REASON))
            for reason, count in reasons
        ]
        yield Table("reasons", columns, rows)


def _machines(sessions: Sequence[Session]) -> str:
    elapsed = sum(map(_elapsed, sessions))
    named = list(dict.fromkeys(session.cpu for session in sessions if session.cpu))
    processors = f"; processor of the driver: {in_words(named)}" if named else ""
    python = sessions[-1].versions.get("python", "of an unknown version")
    version = sessions[-1].versions.get("causalassay", "of an unknown version")
    return (
        f"{counted(len(sessions), 'session')}, {span(elapsed)} in all{processors}; "
        f"Python {python}, causalassay {version}."
    )


def _elapsed(session: Session) -> float:
    if session.last_write is None:
        return 0.0
    began, last = map(datetime.fromisoformat, (session.started, session.last_write))
    return max(0.0, (last - began).total_seconds())


def replay_blocks(study: Study, needs_data: bool) -> Iterator[Block]:
    """Yield how to check a bundle and to run its study again.

    Parameters
    ----------
    study : Study
    needs_data : bool
        Whether there are data files that the reader puts into the folder.
    """
    runs_code = bool(programs_of(study.algorithms))
    homes = needed_environments(study.algorithms)
    yield Prose(
        "In this folder, in a new virtual environment. The wheel is code of those who made the "
        "bundle: with a causalassay of your own, check the bundle before you install it."
    )
    install, allow = " --install" * bool(homes), " --allow-programs" * runs_code
    lines = [f"$ sha256sum -c {contents.CHECKSUMS}          # each file is as it was bundled"]
    if needs_data:
        lines.append(
            f"$ sha256sum -c {contents.NOT_INCLUDED}       # the data files that you put there"
        )
    lines += [
        f"$ pip install -r {contents.LOCK}        # the same versions, causalassay from the wheel",
        "$ causalassay bundle --check .           # each row belongs to this study",
        f"$ causalassay run {contents.STUDY}{install}{allow}",
    ]
    yield Code("\n".join(lines))
    if homes:
        size = sum(home.download_mb for home in homes)
        names = ", ".join(home.name for home in homes)
        yield Prose(f"The last command downloads packages (about {size} MB): {names}.")
    if runs_code:
        yield Prose("The last command runs the authors' code: read it first.")


def _files(files: Sequence[str]) -> Table:
    order = {name: number for number, name in enumerate(contents.MEANINGS)}
    listed = sorted(files, key=lambda name: (order.get(name, len(order)), name))
    columns = (Column("file", "file"), Column("meaning", "what it is"))
    return Table("files", columns, [(name, contents.meaning(name)) for name in listed])


def _licence(licence: str | None) -> str:
    if licence is None:
        return "None is stated: ask the authors before you use more than the law allows."
    return f"{licence}, stated by the authors; {contents.LICENCE} says for what."


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
