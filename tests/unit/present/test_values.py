"""Plain values of results, and the few lines that `repr` gives of them."""

import dataclasses
import enum
import importlib
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalassay as ca
from causalassay.data import Problem
from causalassay.present import (
    Column,
    Document,
    Facts,
    Findings,
    Fold,
    Interval,
    Marked,
    Prose,
    PValue,
    Section,
    Shown,
    Table,
)
from causalassay.present.json_values import document_values, plain_values


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    ONE = "one-word"


@dataclasses.dataclass(frozen=True)
class Inner:
    value: float
    kind: Colour


@dataclasses.dataclass(frozen=True)
class Outer:
    inner: Inner
    names: tuple[str, ...]


class WithDict:
    def to_dict(self):
        return {"limits": (0.0, math.inf)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        (-math.inf, None),
        (np.float64("nan"), None),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        (Colour.RED, "red"),
        ({Word.ONE: Word.ONE}, {"one-word": "one-word"}),
        ({1: (2, None, True)}, {"1": [2, None, True]}),
        (Interval(1.0, math.nan, 2.0), [1.0, None, 2.0]),
        (PValue(0.25, is_bound=True), 0.25),
        (Marked(Interval(1, 0, 2), bold=True), [1, 0, 2]),
        (Outer(Inner(math.nan, Colour.RED), ("a",)), None),
        (WithDict(), {"limits": [0.0, None]}),
        (frozenset({"a"}), ["a"]),
    ],
)
def test_values_become_what_json_has(value, expected):
    plain = plain_values(value)
    if isinstance(value, Outer):
        expected = {"inner": {"value": None, "kind": "red"}, "names": ["a"]}
    assert expected == plain
    assert expected == json.loads(json.dumps(plain, allow_nan=False))


def test_what_json_cannot_have_is_refused():
    with pytest.raises(TypeError, match="JSON has no object"):
        plain_values({"a": object()})


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
)


@given(nested)
def test_plain_values_stay_as_they_are(value):
    once = plain_values(value)
    assert once == plain_values(once)
    json.dumps(once, allow_nan=False)


def test_a_document_has_its_tables_and_texts_as_values():
    table = Table("t", [Column("a", "A"), Column("b", "B", "fixed")], [["x", Interval(1, 0, 2)]])
    document = Document("T", "H", [Section("s", "S", [Fold("F", [table, Prose("text")])])])
    values = document_values(document)
    assert "H" == values["headline"]
    assert [{"a": "x", "b": [1, 0, 2]}] == values["blocks"][0]["rows"]
    assert {"a": "A", "b": "B"} == values["blocks"][0]["columns"]
    assert {"text": "text"} == values["blocks"][1]
    more = Document("T", "H", [Facts({"n": math.nan}), Findings([])])
    assert [{"facts": {"n": None}}, {"findings": []}] == document_values(more)["blocks"]


@dataclasses.dataclass(frozen=True, repr=False)
class Large(Shown):
    """A result with more tables, and longer names, than anybody wants to see."""

    def document(self):
        table = Table("t", [Column("a", "a")], [["x"]] * 3, "a title\n\x1b[2J " * 100)
        return Document("T\n\n", "first\nsecond " * 500, [table] * 50, about="many\n" * 20)


def benchmark():
    rng = np.random.default_rng(0)
    graph = ca.graphs.erdos_renyi(8, 2, rng)
    return ca.models.draw("scm", graph, rng).sample(200, rng), graph


def results():
    values, graph = benchmark()
    yield Large()
    yield ca.audit(values, graph, 0, n_bootstrap=0)
    yield ca.audit(values, None, 0)
    yield ca.auditing.audit_many({f"set{k}": (values, graph) for k in range(30)}, 0, n_bootstrap=0)
    yield ca.Dataset.from_values(values)
    yield ca.discover("pc", values, 0)
    yield ca.models.draw("scm", graph, 0)


def test_a_result_shows_itself_in_at_most_ten_lines():
    for result in results():
        lines = repr(result).splitlines()
        assert 1 <= len(lines) <= 10, type(result)
        assert lines[0].startswith(type(result).__name__)
        assert all(len(line) <= 200 and line.isprintable() for line in lines)


def test_no_result_lets_dataclasses_write_all_its_fields():
    """They would, unless they are told not to; what they write is a wrapped function."""
    seen = [Shown]
    for module in (
        "risk.choosing",
        "lab.factorial",
        "lab.hall",
        "lab.papers",
        "resampling",
        "study",
    ):
        importlib.import_module(f"causalassay.{module}")
    for kind in seen:
        seen += kind.__subclasses__()
        wrapped = hasattr(kind.__repr__, "__wrapped__")
        assert not wrapped or kind is Problem, kind  # which says only its data and its name
        assert kind._repr_html_ is Shown._repr_html_, kind
    assert len(seen) > 12


def test_a_result_that_is_a_table_is_a_frame():
    values, graph = benchmark()
    frame = ca.audit(values, graph, 0, n_bootstrap=0).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert 8 * 2 == len(frame)  # statistics, and the ways to count
    assert 2 == frame["convention"].nunique()
