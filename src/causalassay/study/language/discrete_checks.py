"""What cannot be done to discrete variables, noted when a study is read."""

from __future__ import annotations

from causalassay.study.language.mistakes import Mistakes, Place
from causalassay.study.problem_specs import Interventions


def check_changes_of_levels(
    interventions: Interventions | None,
    transform: tuple[str, ...],
    place: Place,
    mistakes: Mistakes,
) -> None:
    r"""Note transforms and interventions of a discrete problem that levels do not have.

    Examples
    --------
    >>> mistakes = Mistakes()
    >>> shifts = Interventions("shift", samples=9, probability=1.0)
    >>> check_changes_of_levels(shifts, ("standardize",), Place("problems[0]"), mistakes)
    >>> print("\n".join(mistakes.lines))
    problems[0].transform: levels have no scale, so 'standardize' does not apply; remove it
    problems[0].interventions.action: nothing can be added to a level; expected "do" or "randomize"
    """
    for change in transform:
        if change in ("standardize", "rescale"):
            told = f"levels have no scale, so {change!r} does not apply; remove it"
            mistakes.add(place.at("transform"), told)
    if interventions is None:
        return
    where = place.at("interventions")
    value, variance = interventions.value, interventions.variance
    match interventions.action:
        case "shift":
            told = 'nothing can be added to a level; expected "do" or "randomize"'
            mistakes.add(where.at("action"), told)
        case "randomize" if (value, variance) != (0.0, 1.0):
            told = "levels have no mean or variance: all are alike; leave value and variance out"
            mistakes.add(where, told)
        case "do" if value < 0 or value != int(value):
            told = f"expected the code of a level, 0, 1, …; got {value:g}"
            mistakes.add(where.at("value"), told)
