"""The short answer in the terminal: one screen, no line too wide, names that are inert."""

import dataclasses
import io
import math
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from causalassay.analysis import analyse
from causalassay.analysis.report.terminal import MOST_ROWS, _matrix, failures_line, print_overview
from causalassay.judging.findings import PARTIAL_KINDS
from judged_tables import AT_RANDOM, FREE, IN_ORDER, OF_SCORES, RAW, arms, draw_judged
from summary_twins import BASELINES, with_frame

MOST_LINES = 25
ADDED_BY_RUN = 1
"""Lines that `run` prints after it: where the report is."""
WIDTHS = (80, 120)


def printed(analysis, width, **settings):
    console = Console(width=width, file=io.StringIO(), **settings)
    print_overview(analysis, console)
    return console.file.getvalue()


def rows_of(text):
    """The first words of the matrix' rows."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("algorithm "))
    end = next(i for i, line in enumerate(lines) if line.startswith("Mean "))
    return lines[head + 1 : end]


def check(analysis):
    for width in WIDTHS:
        text = printed(analysis, width)
        lines = text.splitlines()
        assert len(lines) + ADDED_BY_RUN <= MOST_LINES, text
        assert max(map(cell_len, lines)) <= width, text
        assert min(MOST_ROWS, len(analysis.matrix.rows)) >= len(rows_of(text))
        rest = len(analysis.matrix.rows) - len(rows_of(text))
        counted = re.search(r"(\d+) more algorithms?", " ".join(text.split()))
        assert rest == (int(counted[1]) if counted else 0), text


@pytest.mark.parametrize("seed", range(20))
def test_any_study_fits_a_screen(seed):
    check(analyse(draw_judged(seed)))


def many(names, schemes=("raw", "iscm"), n_units=8):
    gamed = {name: RAW if name == "raw" else FREE for name in schemes}
    return arms(
        {
            scheme: measured | {name: 0.9 - 0.01 * place for place, name in enumerate(names)}
            for scheme, measured in gamed.items()
        },
        n_units,
    )


def with_failures(table, reason):
    frame = table.frame
    lost = frame["replicate"] == 0
    frame.loc[lost, ["status", "reason"]] = ["failed", reason]
    frame.loc[lost, ["f1", *OF_SCORES, "order_score"]] = math.nan
    return with_frame(table, frame)


def as_mine(table, *names):
    table.frame.loc[table.frame["algorithm"].isin(names), "role"] = "mine"
    return table


LONG = "a-name-of-an-algorithm-that-is-much-longer-than-a-line-of-a-terminal-has-room-for"


def test_forty_algorithms_of_long_names_that_fail_for_long_reasons_fit_a_screen():
    names = [f"{LONG}-{place}" for place in range(36)]
    schemes = ("raw", IN_ORDER, AT_RANDOM, "standardized", "iscm", "uumc", "gp raw")
    table = with_failures(many(names, schemes, n_units=3), f"raised ValueError: {'no ' * 200}")
    analysis = analyse(table)
    check(analysis)
    assert MOST_ROWS == len(rows_of(printed(analysis, 120)))


def test_long_and_wide_file_names_fit_a_screen():
    files = [f"{'a-folder-name-of-some-length/' * 4}{i}.csv" for i in range(2)] + ["日本語" * 20]
    table = many([f"算法{i}" * 9 for i in range(20)], ("data0", "data1", "data2"), n_units=2)
    frame = table.frame
    for index, file in enumerate(files):
        frame.loc[frame["scheme"] == f"data{index}", "data.file"] = file
    for column in ("variance_up_direction_p", "variance_rising_p"):
        frame[column] = 0.001
    frame["scheme"] = "data"
    check(analyse(with_failures(table, "日本語 " * 60)))


@pytest.mark.parametrize("width", WIDTHS)
def test_your_own_algorithms_are_always_shown(width):
    names = [f"a{place:02}" for place in range(30)]
    analysis = analyse(as_mine(many(names), "a28", "a29"))
    shown = [line.split()[0] for line in rows_of(printed(analysis, width))]
    assert MOST_ROWS == len(shown)
    assert {"a28", "a29"} < set(shown)
    assert ["a00", "a01"] == shown[:2]
    check(analysis)


def test_the_order_and_the_scores_are_those_of_the_matrix():
    analysis = analyse(many(["pc", "ges"]))
    lines = rows_of(printed(analysis, 80))
    for row, line in zip(analysis.matrix.rows, lines, strict=True):
        name, *scores = line.split()[:3]
        assert name == (f"({row.algorithm})" if row.role == "baseline" else row.algorithm)
        for cell, score in zip(row.cells, scores, strict=True):
            assert f"{cell.mean:.2f}{'*' * cell.best}" == score
        assert line.endswith(row.finding) or line.endswith("…")
    head = printed(analysis, 80)
    assert re.search(r"^algorithm +raw! +iSCM finding$", head, re.MULTILINE)
    assert analysis.headline in " ".join(head.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_markup_and_escapes_in_names_and_reasons_are_inert(width):
    names = ["[red]x[/red]", "[/]", "\x1b[31mred\x1b[0m", "a\nb", "{x}", ":smile:"]
    table = with_failures(many(names), "[bold]\x1b[2Jgone\x07\nand on")
    analysis = analyse(table)
    plain = printed(analysis, width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", plain)
    shown = [line.split()[0] for line in rows_of(plain)]
    for name in ("[red]x[/red]", "[/]", r"\x1b[31mred\x1b[0m", r"a\nb", "{x}", ":smile:"):
        assert name in shown
    assert r"[bold]\x1b[2Jgone\x07\nand on" in " ".join(plain.split())
    check(analysis)
    coloured = printed(analysis, width, force_terminal=True, color_system="standard")
    assert plain == re.sub(r"\x1b\[[\d;]*m", "", coloured)


def test_failures_are_counted_with_their_most_frequent_reason():
    table = many(["pc", "ges"])
    assert f"All {len(table.frame)} runs succeeded." == failures_line(analyse(table).summary)
    lost = (table.frame["algorithm"] == "pc") & (table.frame["replicate"] < 3)
    table.frame.loc[lost, ["status", "reason"]] = ["timeout", "more than 5 s"]
    one = (table.frame["algorithm"] == "ges") & (table.frame["replicate"] == 0)
    table.frame.loc[one, ["status", "reason"]] = ["failed", "no"]
    table.frame.loc[lost | one, "f1"] = math.nan
    line = failures_line(analyse(with_frame(table, table.frame.iloc[:-1])).summary)
    total = len(table.frame) - 1
    assert line.startswith(f"8 of {total} runs are not ok, most often 6 × pc: timeout: more than 5")
    interrupted = failures_line(analyse(with_frame(table, table.frame.iloc[:-1])).summary, 500)
    assert interrupted == f"{total} of 500 planned runs so far. {line}"


@pytest.mark.parametrize("kind", PARTIAL_KINDS)
def test_a_scheme_where_one_test_passed_has_another_sign_than_one_with_an_artefact(kind):
    """The headline says `one of two tests`: the table must not say that an artefact was found."""
    analysis = analyse(many(["pc", "ges"]))
    first, *others = analysis.matrix.columns
    assert "raw!" in printed(analysis, 80)
    partly = dataclasses.replace(first, kind=kind)
    matrix = dataclasses.replace(analysis.matrix, columns=(partly, *others))
    shown = "\n".join(line.plain for line in _matrix(matrix, 80, 15))
    assert "raw?" in shown
    assert "? one of two tests passed" in shown
    assert "artefact found" not in shown


def test_no_rows_are_said_and_baselines_alone_are_shown():
    table = many(["pc"])
    empty = analyse(with_frame(table, table.frame.iloc[:0]))
    assert "No rows yet.\n" == printed(empty, 80)
    alone = table.frame[table.frame["role"] == "baseline"]
    shown = rows_of(printed(analyse(with_frame(table, alone)), 80))
    assert {f"({name})" for name in BASELINES} == {line.split()[0] for line in shown}
