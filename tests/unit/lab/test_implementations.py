"""The assay of implementations: its references against ours, and what planted faults get."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest

from causalassay.cli.lab import implementations_command
from causalassay.graphs import d_separated, to_cpdag, to_interventional_cpdag
from causalassay.lab.hall.document import results_from
from causalassay.lab.hall.implementations import METHODS, assay, checks, chosen, kept_rows, numbers
from causalassay.lab.hall.implementations.assay import row_of
from causalassay.lab.hall.implementations.document import (
    NUMBERS,
    PICTURE,
    assay_csv,
    assay_document,
    matrix,
)
from causalassay.lab.hall.implementations.exact import (
    LEAST,
    cases,
    class_of,
    dags_up_to_names,
    dependent_sets,
    separated,
    weakest,
)
from causalassay.lab.hall.implementations.hidden import hidden_cases
from causalassay.lab.hall.implementations.methods import FUNCTIONS, Asker, Method, Reply
from causalassay.present.markdown import document_markdown
from command_line import run_here

ROOT = Path(__file__).parents[3]
CHECKS = {check.name: check for check in checks.CHECKS}
TRUTHFUL = Method("truthful", "causalassay", "import mine", "mine(x)", truth="class", order="graph")

# The references


def test_there_are_6_and_31_dags_of_3_and_4_nodes_up_to_names():
    assert [1, 2, 6, 31] == [len(dags_up_to_names(d)) for d in (1, 2, 3, 4)]


def test_classes_by_trying_all_directions_are_those_of_our_rules():
    for case in cases():
        np.testing.assert_array_equal(to_cpdag(case.dag), class_of(case.dag))


def test_interventional_classes_by_trying_all_directions_are_those_of_our_rules():
    for case in cases()[:43]:
        for target in range(len(case.dag)):
            family = [(), (target,)]
            expected = to_interventional_cpdag(case.dag, family)
            np.testing.assert_array_equal(expected, class_of(case.dag, family))


def test_separation_on_moral_graphs_is_that_by_walks():
    for case in cases()[6:37]:
        d = len(case.dag)
        for i, j in itertools.combinations(range(d), 2):
            rest = [node for node in range(d) if node not in {i, j}]
            for size in range(len(rest) + 1):
                for given in itertools.combinations(rest, size):
                    ours = d_separated(case.dag, {i}, {j}, set(given))
                    assert ours == separated(case.dag, i, j, given)


def test_samples_have_the_covariance_of_their_model_and_no_weak_dependence():
    for case in cases()[:43]:
        covariance = np.cov(case.values(1000), rowvar=False, ddof=0)
        np.testing.assert_allclose(covariance, case.covariance, atol=1e-12)
        assert weakest(case, dependent_sets(case.dag)) >= LEAST


def test_the_lines_that_are_shown_make_the_values_that_were_asked():
    for case in (cases()[0], cases()[20]):
        scope = {"np": np}
        exec("\n".join(case.code(500)), scope)
        np.testing.assert_allclose(case.values(500), scope["x"], atol=1e-12)


@pytest.mark.parametrize("name", list(numbers.FUNCTIONS))
def test_our_scores_tests_and_metrics_are_their_definitions(name):
    function = numbers.FUNCTIONS[name]
    arrays = function.arrays()
    definition, ours, right = numbers.compared(function, function.ours(arrays), arrays)
    assert not definition
    assert not numbers.differs(ours, right).any()


def test_a_pag_has_the_arrows_of_a_collider_and_circles_where_graphs_differ():
    for case in hidden_cases():
        covariance = np.cov(case.values(1000), rowvar=False, ddof=0)
        np.testing.assert_allclose(covariance, case.covariance, atol=1e-12)
        assert ((case.pag == 0) == (case.pag.T == 0)).all()
    of_three = [case.pag for case in hidden_cases() if len(case.pag) == 3]
    assert 5 == len(of_three)
    collider = [pag for pag in of_three if (pag == 1).any()]
    assert 1 == len(collider)  # two arrowheads at the middle, circles at the ends
    assert {0: 5, 1: 2, 2: 2} == dict(zip(*np.unique(collider, return_counts=True), strict=True))


# Planted faults


class Planted(Asker):
    """Answers by a function of the values and the seed instead of a method."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def ask(self, method, values, seed=0, levels=None, seconds=0.0, arrays=None):
        return self.answer(np.array(values), seed, **(arrays or {}))


def truth(values, *_, **__):
    """The class of the case whose covariance this is."""
    for case in cases():
        if case.covariance.shape[0] == values.shape[1]:
            here = np.cov(values[:1000], rowvar=False, ddof=0)
            if np.allclose(here, case.covariance, atol=1e-6):
                return Reply(class_of(case.dag))
    return Reply(np.zeros((values.shape[1],) * 2, dtype=bool))


def found(check, answer, method=TRUTHFUL):
    return CHECKS[check].run(Planted(answer), method)


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(checks, "ROWS", 1000)
    exact = type(cases()[0]).values
    monkeypatch.setattr(type(cases()[0]), "values", lambda case, rows=1000: exact(case, 1000))


@pytest.mark.usefixtures("few_rows")
def test_the_right_class_is_right_and_its_transpose_is_shown_in_five_lines():
    assert "as its paper says" == found("class", truth).verdict
    wrong = found("class", lambda *given: Reply(truth(*given).graph.T))
    assert "differs" == wrong.verdict
    assert 5 == len(wrong.lines)
    assert "# right: " in wrong.lines[-1]
    assert "right on" in wrong.text


@pytest.mark.usefixtures("few_rows")
def test_a_member_of_the_class_is_right_of_a_search_over_dags():
    def member(values, *_):
        graph = truth(values).graph
        dags = [case.dag for case in cases() if np.array_equal(class_of(case.dag), graph)]
        return Reply(dags[0] if dags else graph)

    assert "as its paper says" == found("class", member).verdict


@pytest.mark.usefixtures("few_rows")
def test_an_error_on_data_is_a_crash():
    result = found("class", lambda *_: Reply(error="ValueError: no"))
    assert "crashes" == result.verdict
    assert "raised ValueError: no" in result.text


def sorted_by(key):
    """A graph that follows an order of the columns: each points to the next."""

    def answer(values, *_):
        order = np.argsort(key(values))
        graph = np.zeros((len(order),) * 2, dtype=bool)
        graph[order[:-1], order[1:]] = True
        return Reply(graph)

    return answer


def test_an_order_by_position_depends_on_the_order_of_columns():
    by_position = sorted_by(lambda values: np.arange(values.shape[1]))
    assert "differs" == found("order", by_position).verdict
    assert "as its paper says" == found("order", sorted_by(lambda v: v.var(axis=0))).verdict


def test_an_order_by_variance_depends_on_units_and_one_that_says_so_is_not_blamed():
    by_variance = sorted_by(lambda values: values.var(axis=0))
    assert "differs" == found("units", by_variance).verdict
    honest = dataclasses.replace(TRUTHFUL, unit_free=False)
    assert "no promise" == found("units", by_variance, honest).verdict


def test_what_depends_on_earlier_calls_is_not_repeatable():
    calls = itertools.count()
    turning = sorted_by(lambda values: np.roll(np.arange(values.shape[1]), next(calls)))
    assert "differs" == found("repeated", turning).verdict


def test_what_a_call_changes_is_named():
    still = np.zeros((8, 8), dtype=bool)
    assert "as its paper says" == found("state", lambda *_: Reply(still)).verdict
    changed = found("state", lambda *_: Reply(still, changed=("its input",)))
    assert "it changes its input" == changed.text
    seeded = found("state", lambda _, seed: Reply(still, drawn_from=seed, left_at=5))
    assert "it seeds the global generator of numpy" == seeded.text


def test_silence_on_nan_is_worse_than_an_error():
    names = "nan, constant column, too few rows, one variable"
    assert "as its paper says" == found("polite", lambda *_: Reply(error=names)).verdict
    assert "crashes" == found("polite", lambda *_: Reply(error="LinAlgError")).verdict
    silent = found("polite", lambda v, _: Reply(np.triu(np.ones((v.shape[1],) * 2), 1) > 0))
    assert "differs" == silent.verdict
    assert "constant column: answers all the same" in silent.text


def test_a_search_that_ignores_its_targets_is_found():
    blind = Method("blind", "causalassay", "", "mine(x, y, {target})", truth="targets")

    def ignores(values, *_, condition, **__):
        half = values[condition == 0]
        return truth(half[: len(half)])

    result = found("targets", ignores, blind)
    assert "differs" == result.verdict


# Rows, and what is shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("hall")
    assay(chosen(["var-sortnregress", "causalassay-shd"]), target)
    return target


def test_rows_are_kept_and_not_made_again(folder, monkeypatch):
    rows = kept_rows(folder)
    assert 6 == len(rows)
    assert rows == [row_of(row.to_dict()) for row in rows]

    def never(*_):
        raise AssertionError

    monkeypatch.setattr(Asker, "ask", never)
    methods = chosen(["var-sortnregress", "causalassay-shd"])
    assert rows == sorted(assay(methods, folder), key=rows.index)


def test_a_package_that_is_absent_is_skipped_and_said(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_ENVIRONMENTS", str(tmp_path / "none"))
    rows = assay(chosen(["lingam-direct"]), tmp_path)
    assert {"skipped"} == {row.status for row in rows}
    assert "causalassay env install lingam" in rows[0].reason
    assert "skipped: lingam-direct" in document_markdown(assay_document(rows))
    assert not kept_rows(tmp_path)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'lingam-direct'"):
        chosen(["lingam-dirct"])


def test_the_command_prints_the_table_and_writes_page_and_picture(tmp_path):
    words = ["--only", "var-sortnregress", "--out", str(tmp_path)]
    result = run_here("hall", "implementations", *words)
    assert 0 == result.returncode, result.stderr
    assert "var-sortnregress" in result.stdout
    for name in ("implementations.md", PICTURE, NUMBERS):
        assert (tmp_path / name).is_file()


def test_the_page_of_the_documentation_is_that_of_its_rows():
    folder, target = Path("docs/hall-results"), Path("docs/hall-implementations.md")
    rows = kept_rows(ROOT / folder)
    assert {method.name for method in (*METHODS, *FUNCTIONS)} == {row.method for row in rows}
    command = implementations_command(folder, target)
    document = assay_document(rows, command, results_from(target, folder))
    assert document_markdown(document) == (ROOT / target).read_text(encoding="utf-8")
    assert assay_csv(rows) == (ROOT / folder / NUMBERS).read_text(encoding="utf-8")
    assert matrix(rows)


def test_each_difference_in_what_is_computed_has_lines_that_show_it():
    rows = kept_rows(ROOT / "docs" / "hall-results")
    for row in rows:
        if row.result is not None and row.result.verdict == "differs" and row.check != "state":
            assert 3 <= len(row.result.lines) <= 6, (row.method, row.check)
            compile("\n".join(row.result.lines), row.method, "exec")
