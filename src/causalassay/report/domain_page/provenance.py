"""Where an evaluation comes from, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version

from causalassay.factorial import Evaluation
from causalassay.report.page.elements import section, table
from causalassay.report.page.markup import Html


def provenance_section(result: Evaluation, command: str, date: str) -> Html:
    """Return how the numbers came about, and how the experiment did.

    Parameters
    ----------
    result : Evaluation
    command : str
        The command line that made it.
    date : str
    """
    own, settings = result.truth.experiment, result.truth.settings
    stated: dict[str, object] = {
        "version": f"causalassay {version('causalassay')}",
        "command": command,
        "date": date,
        "seed": result.seed,
        "repeats": result.repeats,
        **vars(settings),
    }
    stated |= {f"levels of {name}": scale.names for name, scale in result.truth.scales.items()}
    if own.left_out:
        stated["left out"] = f"{len(own.left_out)} subjects that lack a combination"
    parts = [_table("evaluation-made", "The evaluation", stated)]
    if own.provenance:
        records = {key: value for key, value in own.provenance.items() if _is_records(value)}
        rest = {key: value for key, value in own.provenance.items() if key not in records}
        parts.append(_table("experiment-made", "The experiment", rest))
        for place, (name, value) in enumerate(records.items()):
            parts.append(_record_table(f"experiment-part-{place}", name, value))
    return section("provenance", "Provenance", *parts)


def _table(identity: str, caption: str, values: Mapping[str, object]) -> Html:
    rows = [row for name, value in values.items() for row in _rows(str(name), value)]
    return table(identity, caption, ("what", "value"), rows)


def _rows(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield a row for a value, or one for each part of a table of values."""
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from _rows(f"{name}: {key}", one)
    else:
        yield name, plain(value)


def plain(value: object) -> str:
    """Return a value as a reader expects it: no brackets, no quotes.

    Examples
    --------
    >>> plain(["none", "all"]), plain({}), plain({"cpus": 2, "system": "Linux"}), plain(None)
    ('none, all', '–', 'cpus 2, system Linux', '–')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {plain(one)}" for key, one in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "–"
    return "–" if value is None or value == "" else str(value)


def _is_records(value: object) -> bool:
    """Tell whether a value is a list of tables, such as sessions."""
    return isinstance(value, list | tuple) and bool(value) and _all_tables(value)


def _all_tables(values: list[object] | tuple[object, ...]) -> bool:
    return all(isinstance(one, Mapping) for one in values)


def _record_table(identity: str, name: str, records: object) -> Html:
    assert isinstance(records, list | tuple)
    heads = list(dict.fromkeys(key for one in records for key in one))
    rows = [[plain(one.get(head)) for head in heads] for one in records]
    return table(identity, f"The experiment: {name}", [str(head) for head in heads], rows)
