"""From what `choose` said to error rates: for the page, and for the output that cites them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from calibration.choice_errors import BATCHES
from calibration.choice_page import filled
from calibration.choice_rules import wilson
from calibration.choice_systems import ALGORITHMS
from calibration.cited_rates import cite
from calibration.rows_on_disk import Row

PART = "choice-rates"
"""What the marks are called between which the table stands."""

SAME = 1e-9
"""Up to which two risks are equal."""

LEVEL = "1.7"
"""Percent: a third of 5 %, what each kind of tested claims may have."""

Said = Row
"""What was said of one kind of candidates on one system."""


class Mistake(NamedTuple):
    """What counts as wrong.

    Parameters
    ----------
    rule : str
    candidates : str
    happened : str
        In words.
    is_wrong : callable
    level : str
        Percent that the rule allows; empty if it promises nothing.
    where_said : bool
        Of the systems where the rule's claim was made; else of all.
    """

    rule: str
    candidates: str
    happened: str
    is_wrong: Callable[[Said], object]
    level: str = ""
    where_said: bool = False


@dataclass(frozen=True)
class Rate:
    """How often a mistake was made.

    Parameters
    ----------
    mistake : Mistake
    count, total : int
    """

    mistake: Mistake
    count: int
    total: int

    @property
    def share(self) -> float:
        """The rate; 0 if the claim was never made."""
        return self.count / self.total if self.total else 0.0

    @property
    def limits(self) -> tuple[float, float]:
        """Wilson's, 95 %."""
        return wilson(self.share, self.total)


def error_rates(rows: Sequence[Row]) -> list[Rate]:
    """Return how often each mistake was made; those that could not be made are left out."""
    rates = []
    for mistake in MISTAKES:
        said = [row["said"][mistake.candidates] for row in rows]
        if mistake.where_said:
            said = [one for one in said if mistake.rule in one["rules"]]
        if said:
            count = sum(bool(mistake.is_wrong(one)) for one in said)
            rates.append(Rate(mistake, count, len(said)))
    return rates


def best_is_out(said: Said) -> bool:
    """Return whether one of the candidates with the least true risk is shown not to be best."""
    return any(name not in said["may_be_best"] for name in truly_best(said))


def named_is_not_best(said: Said) -> bool:
    """Return whether the only one that remains has more true risk than another."""
    return said["may_be_best"][0] not in truly_best(said)


def truly_best(said: Said) -> list[str]:
    """Return the candidates with the least true risk.

    Examples
    --------
    >>> risks = {"a": 0.2, "b": 0.1, "c": 0.1, "empty": 0.0}
    >>> truly_best({"risk": {"a": 0, "b": 0, "c": 0}, "oracle": risks})
    ['b', 'c']
    """
    true = {name: said["oracle"][name] for name in said["risk"]}
    least = min(true.values()) + SAME
    return [name for name, value in true.items() if value <= least]


def turned(said: Said) -> bool:
    """Return whether true risks are ordered by named descendants in the other direction."""
    names = list(said["named"])
    true = [said["oracle"][name] for name in names]
    found = spearmanr([said["named"][name] for name in names], true).statistic
    return not (found < 0 if said["density"] == "more" else found > 0)


def mean_excess(rows: Sequence[Row]) -> float:
    """Return by how much the named best one exceeds the least true risk, where it is not best."""
    said = [row["said"]["algorithms"] for row in rows]
    wrong = [one for one in said if "best" in one["rules"] and named_is_not_best(one)]
    excess = [
        one["oracle"][one["may_be_best"][0]] - one["oracle"][truly_best(one)[0]] for one in wrong
    ]
    return float(np.mean(excess)) if excess else 0.0


def _beats(said: Said) -> object:
    return said["beaten"]


def _follows(said: Said) -> object:
    return said["density"]


def _is_mutual(said: Said) -> object:
    return said["mutual"]


def _is_not_mutual(said: Said) -> object:
    return not said["mutual"]


_N = len(ALGORITHMS)
_BEATS = (f"one of {_N} that ignore the data was said to beat random graphs", _beats, LEVEL)
_OUT = ("a truly best one was said not to be the best", best_is_out, LEVEL)
_FOLLOWS = ("the ranking was said to follow density", _follows)

MISTAKES = (
    *(
        Mistake("random graphs of its density", candidates, *_BEATS)
        for candidates in ("random DAGs", "random classes", "shuffled graphs")
    ),
    Mistake("may be the best", "algorithms", *_OUT),
    Mistake(
        "best", "algorithms", "the named one was not truly the best", named_is_not_best, "", True
    ),
    Mistake("density", "spoilt graphs", *_FOLLOWS, LEVEL),
    Mistake("density", "random DAGs of one density", *_FOLLOWS),
    Mistake("density", "algorithms", "true risks did not follow it so", turned, "", True),
    Mistake("no acyclic graph", "algorithms", "it was said of an acyclic system", _is_mutual, "5"),
    Mistake("no acyclic graph", BATCHES, "it was not said", _is_not_mutual),
)

CANDIDATES = {
    "algorithms": f"the {_N} algorithms of the [proof](#the-systems)",
    BATCHES: "the same systems, where each condition is a batch that shifts every column by a draw "
    "with half of its standard deviation",
    "random DAGs": f"{_N} DAGs with 5 to 30 edges at random places",
    "random classes": "the equivalence classes of such DAGs",
    "shuffled graphs": "the graphs of the algorithms, their columns exchanged at random",
    "random DAGs of one density": f"{_N} DAGs with 20 edges at random places",
    "spoilt graphs": f"{_N} graphs between the true one and random ones, drawn so that their true "
    "risk does not depend on how many descendants they name",
}
"""What was ranked, in words."""


def write(docs: Path, rows: Sequence[Row]) -> None:
    """Write the table between the marks of docs/your-data.md, and the rates that pages cite."""
    rates = error_rates(rows)
    page = docs / "your-data.md"
    text = filled(
        page.read_text(encoding="utf-8"),
        PART,
        [_table(rates, len(rows)), _words(), _coverage(rows)],
    )
    page.write_text(text, encoding="utf-8")
    cite({rule: sentence(rates, rule, rows) for rule in {rate.mistake.rule: 0 for rate in rates}})


def _table(rates: Sequence[Rate], n_systems: int) -> str:
    lines = [
        f"Measured on {n_systems} simulated systems of the kinds [below](#the-systems), drawn "
        "anew, with 1000 random graphs. True risk is the oracle risk. Brackets are 95 % Wilson "
        "intervals.",
        "",
        "| rule | candidates | what went wrong | of | percent | level |",
        "|---|---|---|---|---|---|",
    ]
    for rate in rates:
        rule, candidates, happened, _, level, where_said = rate.mistake
        of = f"{rate.total} systems" + (" where it was said" if where_said else "")
        lines.append(
            f"| {rule} | {candidates} | {happened} | {of} | {_percent(rate)} | {level or '–'} |"
        )
    return "\n".join(lines)


def _words() -> str:
    lines = ["| candidates | meaning |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {words} |" for name, words in CANDIDATES.items())])


def _coverage(rows: Sequence[Row]) -> str:
    """Return how often intervals of risks hold the true risk, with and without batch effects."""
    shares = {
        candidates: [hit for row in rows for hit in row["said"][candidates]["covers"].values()]
        for candidates in ("algorithms", BATCHES)
    }
    without, within = (f"{100 * np.mean(hits):.1f} %" for hits in shares.values())
    return (
        f"The 95 % intervals of weighted risks held the true risk in {without} of "
        f"{len(shares['algorithms'])} cases, and with batch effects in {within} of "
        f"{len(shares[BATCHES])}."
    )


def _percent(rate: Rate) -> str:
    low, high = rate.limits
    return f"{100 * rate.share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def sentence(rates: Sequence[Rate], rule: str, rows: Sequence[Row]) -> str:
    """Return the worst rate of a rule in words, among those with a level if there are any."""
    of_rule = [rate for rate in rates if rate.mistake.rule == rule]
    promised = [rate for rate in of_rule if rate.mistake.level] or of_rule
    worst = max(promised, key=lambda rate: rate.share)
    low, high = (f"{100 * limit:.1f} %" for limit in worst.limits)
    where = "systems where it was said" if worst.mistake.where_said else "simulated systems"
    said = (
        f"{worst.mistake.happened} in {100 * worst.share:.1f} % [{low}, {high}] of {worst.total} "
        f"{where} (candidates: {worst.mistake.candidates})"
    )
    if rule == "best" and worst.count:
        said += f"; its risk was then {mean_excess(rows):.2f} above the least one on average"
    return f"worst case: {said}" if len(promised) > 1 else said
