"""The page of the hall in Markdown: claim, picture, tables, how it is made, each entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from causalassay.hall import Row, Settings
from causalassay.judging.measured_rates import measured_rates, with_rate
from causalassay.judging.rules import RULES
from causalassay.judging.scheme_findings import CLEAR, MATTERS
from causalassay.notebook import number
from causalassay.report.hall.picture import shown
from causalassay.report.hall.texts import (
    HEADINGS,
    claims,
    package,
    reached,
    slug,
    sortabilities,
    verdict,
)

HEADS = (
    "generator or data set",
    "verdict",
    "var-sortability",
    "R²- or entropy-sortability",
    "F1: best sorting / random",
    "edges",
    "world",
    "package",
    "date",
)


MOST_NAMED = 20


def hall_page(  # noqa: PLR0913  what it shows, and where it is
    rows: Sequence[Row],
    settings: Settings,
    command: str,
    results: str,
    *,
    missing: Sequence[str] = (),
    linked: bool = False,
) -> str:
    """Return the page.

    Parameters
    ----------
    rows : sequence of Row
        In the order of the tables.
    settings : Settings
    command : str
        What made the page.
    results : str
        Where the picture and the table are, as seen from the page, with a slash at its end;
        empty if they are beside it.
    missing : sequence of str
        The names of entries that have no row.
    linked : bool
        Whether the pages of the documentation are beside it.
    """
    lines = [*_lines(rows, settings, command, results), *_missing(missing)]
    found = "\n".join(lines) + "\n"
    return found if linked else re.sub(r"\[([^\]]*)\]\(\w+\.md\)", r"\1", found)


def _lines(rows: Sequence[Row], settings: Settings, command: str, results: str) -> Iterator[str]:
    yield "# Hall of audits\n"
    yield (
        "Can a benchmark be won by sorting its columns? Here is the verdict on each generator and "
        "data set that is used often."
    )
    yield f"\n**{' '.join(claims(rows))}** {_size(rows, settings)}\n"
    drawn = shown(rows)
    if drawn:
        yield f"![{_alt(drawn)}]({results}hall.svg)\n"
        yield (
            "Right of the vertical dashed line, variance rises along the causal order; above the "
            "horizontal one, R² does. "
            "Discrete columns and series have other statistics: they are in the tables only."
        )
    for group, heading in HEADINGS.items():
        own = [row for row in rows if row.group == group]
        if own:
            yield f"\n## {heading}\n"
            yield from _table(own)
    yield from _how(rows, settings, command, results)
    for group, heading in HEADINGS.items():
        own = [row for row in rows if row.group == group]
        if own:
            yield f"\n## {heading}, one by one"
            for row in own:
                yield from _entry(row)


def _size(rows: Sequence[Row], settings: Settings) -> str:
    groups = {row.group for row in rows}
    told = ["*Gameable* means: sorting beats random orders, and the statistic follows the order."]
    if groups & {"package", "ours"}:
        told.append(
            f"Each generator gave {settings.draws} data sets with {settings.nodes} columns and "
            f"{settings.samples} rows, each on a graph of its own; constant columns were left out."
        )
    if "network" in groups:
        told.append(
            f"Each network gave {settings.draws} data sets with {settings.samples} rows, all on "
            "its one graph."
        )
    told.append(
        f"*No evidence* does not mean that nothing is there: a sortability from {1 - CLEAR:g} to "
        f"{CLEAR:g}, or a gain in F1 below {MATTERS:g}, does not count."
    )
    return " ".join(told)


def _alt(drawn: Sequence[Row]) -> str:
    return (
        f"{len(drawn)} generators and data sets, placed by their mean sortability by variance and "
        "by R²; colours show the verdict"
    )


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"| {' | '.join(HEADS)} |"
    yield "|---" * len(HEADS) + "|"
    for row in rows:
        found = (verdict(row), *sortabilities(row), reached(row))
        cells = (*found, number(row.n_edges, 0), row.world, package(row), row.date)
        told = [f"[`{in_cell(row.name)}`](#{slug(row.name)})", *map(in_cell, cells)]
        yield f"| {' | '.join(told)} |"


def _how(rows: Sequence[Row], settings: Settings, command: str, results: str) -> Iterator[str]:
    yield "\n## How it is made\n"
    yield "<!-- not run: it takes long -->"
    yield f"```sh\n{command}\n```\n"
    yield (
        f"- **Draws.** {settings.draws} of each generator, with the defaults of its package and "
        f"the seed {settings.seed}. Each draw has a seed and a graph of its own. A data set is "
        "audited as it is."
    )
    yield (
        "- **Sortability.** The mean over the draws and their standard deviation. At 0.5 the "
        "statistic says nothing of the causal order; at 1 it rises along every path, at 0 it "
        "falls. Series are counted by pairs. Both depend on the number of edges."
    )
    yield (
        "- **F1.** Lasso regression along the order by a statistic, rising or falling; the best "
        "of these means, against random orders."
    )
    yield (
        "- **Verdict.** The same as that of [`causalassay audit`](audit.md) on the files of the "
        "draws: `--keep FOLDER` writes them, and prints the command that audits them. *Leaning* "
        "means that one of the two tests passes, not both: a study with fewer data sets may then "
        "find no artefact. *Borderline* means that a sortability or a gain in F1 that decides is "
        "within two standard errors of a limit of the rule: another seed may give another verdict."
    )
    yield (
        f"- **Numbers.** [hall.csv]({results}hall.csv) has all of them, with the p-values of both "
        "tests in both directions."
    )
    first = rows[0]
    yield (
        "- **To cite a row**, name its generator, its versions, the seed and the date, such as: "
        f"hall of audits of causalassay {first.measured_with}, `{in_cell(first.name)}` "
        f"({in_cell(package(first))}), seed {settings.seed}, {first.date}. The same command gives "
        "the same row.\n"
    )
    yield "The [rules](rules.md), with how often they were wrong where that was measured:\n"
    for name in dict.fromkeys(name for row in rows for name in row.rules):
        yield f"- **{name}**: {in_cell(_with_rate(name))}"


def _with_rate(name: str) -> str:
    """Return how a rule decides, and how often that was wrong, or that this is not known."""
    rule, rates = RULES[name], measured_rates()
    if name in rates:
        return with_rate(name, rule.decides)
    beneath = [f"{one} ({rates[one]})" for one in rule.rests_on if one in rates]
    rests = f" It rests on {', '.join(beneath)}." if beneath else ""
    return f"{rule.decides} Its own error rate was not measured.{rests}"


def _entry(row: Row) -> Iterator[str]:
    yield f"\n### {in_cell(row.name)}\n"
    yield f"{in_cell(row.what)}{f' {in_cell(row.note)}' if row.note else ''}\n"
    yield f"- Call: {_code(row.call)}"
    if row.status == "ok":
        yield f"- Verdict: {in_cell(f'{row.sentence} {row.advice}'.strip())}"
        yield from _also(row)
        yield f"- Graphs: {in_cell(row.graphs)} {row.n_edges:.1f} edges on average."
        if row.group == "package" and row.n_nodes < row.settings.nodes:
            yield f"- Columns: {row.n_nodes:.1f} on average; constant ones are left out."
        if row.n_units < row.n_draws:
            yield f"- Units: {row.n_units}, for draws on one graph are one ({row.n_draws} draws)."
    else:
        yield f"- {row.status.capitalize()}: {in_cell(row.reason)}"
    if row.reference:
        yield f"- Reference: {in_cell(row.reference)}"
    yield f"- Command: {_code(row.command)}"


def _also(row: Row) -> Iterator[str]:
    """Yield what else the entry is gameable by, beside its main finding."""
    for one in row.won_by:
        if one.statistic != row.statistic:
            falling = one.kind != "gameable"
            f1 = one.f1_falling if falling else one.f1_rising
            yield (
                f"- Also {one.kind} by {one.word} (mean F1 {number(f1)} against "
                f"{number(row.random_f1)}; sortability {number(one.sortability)})."
            )


def _missing(names: Sequence[str]) -> Iterator[str]:
    """Yield what is not measured: some by name, many as a number."""
    if names:
        named = ", ".join(f"`{in_cell(name)}`" for name in names)
        told = named if len(names) <= MOST_NAMED else f"{len(names)} entries"
        yield f"\n## Not measured yet\n\n{told}: the command above measures what is missing."


def _code(text: str) -> str:
    """Return a text as code in a line; what holds backticks is fenced by more of them."""
    line = " ".join(text.split())
    return f"`` {line} ``" if "`" in line else f"`{line}`"


def in_cell(text: str) -> str:
    """Return a text that stays one cell of a table and is no markup.

    Examples
    --------
    >>> in_cell("one <b>")
    'one &lt;b>'
    """
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
