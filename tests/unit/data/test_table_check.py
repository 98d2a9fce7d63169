import json
import shlex
import sys

import numpy as np
import pytest

from causalassay.cli.options import Reading
from causalassay.data import ReadingNote, read
from causalassay.data.column_contents import copies, describe_column, is_id_name
from causalassay.data.document import check_notes
from causalassay.data.table_check import ReadingRequest, check_table
from command_line import run_here
from messy_tables import READS, messy_columns, write_messy

pytestmark = pytest.mark.filterwarnings("ignore::causalassay.data.ReadingNote")


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    return write_messy(tmp_path_factory.mktemp("messy") / "messy.csv")


def test_a_messy_file_is_described_column_by_column(messy):
    check = check_table(messy)
    assert 40 == len(check.columns)
    assert list(messy_columns()) == [column.name for column in check.columns]
    read = {column.name: column.content.content for column in check.columns}
    assert {name: READS.get(name, "amount") for name in read} == read
    assert {"patient_id", "visit", "born", "row", "sample"} == {
        column.name for column in check.left_out
    }
    faults = {column.name: column.faults for column in check.refused}
    assert {
        "m5": ("missing values",),
        "m6": ("missing values",),
        "centre": ("constant",),
        "nothing": ("empty",),
        "sex": ("text",),
        "severity": ("text",),
        "age_group": ("text",),
        "note": ("text",),
        "crp": ("no numbers",),
        "m3_again": ("duplicate",),
    } == faults
    by_name = {column.name: column for column in check.columns}
    assert ("low", "medium", "high") == by_name["severity"].content.levels
    assert ("18-29", "30-44", "45-64", "65+") == by_name["age_group"].content.levels
    assert (1.0, 2.0, 3.0, 4.0) == by_name["stage"].content.levels
    assert "m3" == by_name["m3_again"].content.copy_of
    assert (2, "<0.3", "line 9") == (
        by_name["crp"].content.n_odd,
        by_name["crp"].content.odd,
        by_name["crp"].where_odd,
    )
    assert 12 == by_name["m5"].content.n_missing
    blank = {row for name in ("m5", "m6") for row, x in enumerate(messy_columns()[name]) if not x}
    assert 300 - len(blank) == check.n_complete
    assert "visit" == check.sorted_date


def test_the_suggested_command_takes_the_file(messy, tmp_path):
    check = check_table(messy)
    drop = [word for word, before in zip(check.command[1:], check.command, strict=False)
            if before == "--drop"]  # fmt: skip
    assert [column.name for column in check.refused] == drop
    rest = check_table(messy, ReadingRequest(drop=drop))
    assert () == rest.refused
    assert 26 - 2 + 1 == len(rest.data)  # the amounts without blanks, and stage
    assert "--series" not in check.command  # patients are no series
    columns = {name: texts for name, texts in messy_columns().items()
               if name not in ("patient_id", "sample")}  # fmt: skip
    series = check_table(write_messy(tmp_path / "series.csv", columns))
    assert {"--series", "granger-lasso"} <= set(series.command)


def test_the_command_prints_a_table_a_page_and_json(messy, tmp_path):
    done = run_here("check", messy)
    assert 0 == done.returncode
    assert "Refused as it is: 10 columns of 40 must be corrected" in done.stdout
    assert "3: low < medium < high" in done.stdout
    assert "duplicate of m3" in done.stdout
    values = json.loads(run_here("check", messy, "--json").stdout)
    assert 300 == values["rows"]
    assert shlex.join(check_table(messy).command) == values["command"]
    assert "id" == values["columns"][0]["read_as"]
    page = tmp_path / "check.html"
    assert 0 == run_here("check", messy, "--report", page).returncode
    assert "ordered levels" in page.read_text()


def test_a_clean_file_is_read_as_it_is(tmp_path):
    rng = np.random.default_rng(0)
    texts = {name: [f"{value:.3f}" for value in rng.normal(size=100)] for name in "abc"}
    check = check_table(write_messy(tmp_path / "clean.csv", texts, ","))
    assert (3, (), ()) == (len(check.data), check.refused, check.left_out)
    assert "Read as it is: 3 columns of data." == check.document().headline
    assert ["discover", "--algorithm", "boss"] == [
        word for word in check.command[1:] if not word.endswith(".csv")
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_columns_and_rows_changes_no_reading(tmp_path, seed):
    rng = np.random.default_rng(seed)
    columns = messy_columns(seed)
    del columns["m3_again"]  # which of two copies is the copy depends on their order
    del columns["row"]  # which counts the rows
    plain = check_table(write_messy(tmp_path / "plain.csv", columns))
    rows = rng.permutation(300)
    mixed = {name: [columns[name][row] for row in rows] for name in rng.permutation(list(columns))}
    shuffled = check_table(write_messy(tmp_path / "mixed.csv", mixed))
    for column in plain.columns:
        other = next(each for each in shuffled.columns if each.name == column.name)
        assert column.content.content == other.content.content
        assert (column.treatment, column.faults) == (other.treatment, other.faults)
        assert column.content.n_missing == other.content.n_missing


def test_experiments_lead_to_choose(tmp_path):
    rng = np.random.default_rng(1)
    columns = {name: [f"{x:.3f}" for x in rng.normal(size=90)] for name in ("raf", "mek", "erk")}
    columns["condition"] = [c for c in ("control", "a", "b") for _ in range(30)]
    columns["target"] = [c for c in ("", "raf", "mek") for _ in range(30)]
    path = write_messy(tmp_path / "cells.csv", columns, ",")
    check = check_table(path)
    assert [("condition", ("label",)), ("target", ("label",))] == [
        (column.name, column.faults) for column in check.refused
    ]
    assert {"control": 30, "a": 30, "b": 30} == check.conditions
    assert "choose" == check.command[1]
    asked = ReadingRequest(condition="condition", target="target", observational="control")
    stated = check_table(path, asked)
    assert () == stated.refused
    assert ["label", "label"] == [column.treatment for column in stated.columns[3:]]
    words = " ".join(stated.command)
    assert "--condition condition --target target --observational control" in words


def test_files_of_levels_are_declared_as_such(tmp_path):
    rng = np.random.default_rng(2)
    columns = {name: rng.choice(["lo", "hi"], 100).tolist() for name in "abc"}
    path = write_messy(tmp_path / "levels.csv", columns, ",")
    assert "--discrete" == check_table(path).command[-1]
    check = check_table(path, ReadingRequest(discrete=True))
    assert {"levels"} == {column.treatment for column in check.columns}


def test_amounts_are_no_levels(messy):
    check = check_table(messy, ReadingRequest(discrete=True))
    faults = {column.name: column.faults for column in check.refused}
    assert ("too many levels",) == faults["m0"]
    assert "sex" not in faults


def test_what_is_kept_is_used(messy):
    check = check_table(messy, ReadingRequest(keep=["row"]))
    assert "row" in {column.name for column in check.data}
    with pytest.raises(ValueError, match="there is no column 'rwo'; did you mean 'row'"):
        check_table(messy, ReadingRequest(keep=["rwo"]))


def test_a_first_column_without_a_name_is_an_index(tmp_path):
    rng = np.random.default_rng(3)
    columns = {"": [str(row) for row in range(40)]}
    columns |= {name: [f"{x:.3f}" for x in rng.normal(size=40)] for name in "ab"}
    check = check_table(write_messy(tmp_path / "frame.csv", columns, ","))
    assert ["Unnamed: 0"] == [column.name for column in check.left_out]


@pytest.mark.parametrize(
    ("texts", "content", "is_sorted"),
    [
        (["2024-01-01", "2024-01-02", "2024-02-01"], "date", True),
        (["2024-01-01 9:05", "2024-01-01 10:00"], "date", True),
        (["2024-01-01T10:00:00Z", "2024-01-01T09:00:00Z"], "date", False),
        (["31.1.2024", "1.2.2024"], "date", True),
        (["1/31/2024", "2/1/2024"], "date", True),
        (["1/2/2024", "2/1/2024"], "date", True),  # in order if months come first
        (["2024-01", "2024-02"], "date", True),
        (["2024-13-01", "2024-02-01"], "text", False),
        (["31.31.2024", "1.2.2024"], "text", False),
    ],
)
def test_dates_in_several_forms(texts, content, is_sorted):
    read = describe_column("day", np.array(texts, dtype=object))
    assert (content, is_sorted) == (read.content, read.is_sorted)


def test_names_of_ids():
    ids = ["id", "ID", "patient_id", "PatientID", "sampleId", "subject", "uuid", "Subject", "id_no"]
    assert [] == [name for name in ids if not is_id_name(name)]
    others = ["acid", "Plaid", "ID1", "idle", "thyroid", "humidity", "subjective", "void"]
    assert [] == [name for name in others if is_id_name(name)]


def test_amounts_with_the_name_of_an_id_stay():
    amounts = np.random.default_rng(4).normal(size=50)
    assert "amount" == describe_column("subject", amounts).content


def test_copies_agree_with_comparing_all_pairs():
    rng = np.random.default_rng(5)
    columns = {f"c{j}": rng.integers(0, 2, 3).astype(float) for j in range(12)}
    columns["text"] = np.array(["a", None, "b"], dtype=object)
    columns["text again"] = columns["text"].copy()
    columns["gap"] = np.array([np.nan, 1.0, 2.0])
    columns["gap again"] = columns["gap"].copy()
    names = list(columns)
    slow = {}
    for j, name in enumerate(names):
        for other in names[:j]:
            one, two = columns[name].tolist(), columns[other].tolist()
            if all(a == b or (a != a and b != b) for a, b in zip(one, two, strict=True)):
                slow[name] = other
                break
    assert slow == copies(columns)


def test_notes_of_reading_are_printed_once(messy):
    lines = run_here("check", messy).stderr.splitlines()
    assert 2 == len(lines) == len(set(lines))
    with pytest.warns(ReadingNote):
        check_table(messy)


@pytest.mark.needs("package:openpyxl")
def test_a_workbook_reads_as_the_same_table_as_text(tmp_path):
    import openpyxl

    columns = messy_columns()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        sheet.append([_cell(text) for text in row])
    sheet.append([None] * 40)  # as deleted rows leave behind
    book.create_sheet("notes").append(["nothing"])
    book.save(tmp_path / "messy.xlsx")
    workbook = check_table(tmp_path / "messy.xlsx")
    text = check_table(write_messy(tmp_path / "messy.csv", columns))
    assert [column.content.content for column in text.columns] == [
        column.content.content for column in workbook.columns
    ]
    assert [column.faults for column in text.columns] == [
        column.faults for column in workbook.columns
    ]
    where = {column.name: column.where_missing for column in text.columns if column.where_missing}
    assert {name: line.replace("line", "row") for name, line in where.items()} == {
        column.name: column.where_missing for column in workbook.columns if column.where_missing
    }
    with pytest.warns(ReadingNote, match="its first sheet is read, 'Sheet', not 'notes'"):
        check_table(tmp_path / "messy.xlsx")


def _cell(text):
    """Return what somebody typed as a spreadsheet keeps it."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text or None


def test_workbooks_say_what_they_need(tmp_path, monkeypatch):
    path = tmp_path / "t.xlsx"
    path.write_text("a,b\n1,2\n")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ValueError, match=r"install the extra causalassay\[excel\], or save the"):
        check_table(path)


@pytest.mark.needs("package:openpyxl")
def test_a_broken_workbook_is_refused(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="not a readable workbook: File is not a zip file"):
        check_table(path)


def test_discover_says_what_it_left_out(messy):
    drop = [f"--drop={column.name}" for column in check_table(messy).refused]
    words = ("discover", messy, "--algorithm", "single-edge", "--bootstrap", "0", "--json")
    done = run_here(*words, *drop)
    assert 0 == done.returncode, done.stderr
    first = done.stderr.splitlines()[0]
    assert f"note: {messy}: left out: 'patient_id' (id), 'visit' (date), " in first
    assert "to use it pass --keep row" in first
    settings = json.loads(done.stdout)["settings"]
    assert {"patient_id", "visit", "born", "row", "sample"} <= set(settings["drop"])
    kept = Reading(keep=["row"]).decided(messy)
    assert "row" not in kept.settings["drop"]
    assert not any("'row'" in text for text in check_notes(kept.check))


@pytest.mark.parametrize("command", [("discover", "--algorithm", "boss"), ("choose",), ("audit",)])
def test_all_columns_are_refused_at_once(messy, command):
    name, *words = command
    done = run_here(name, messy, *words)
    assert 2 == done.returncode
    error = done.stderr.splitlines()[-1]
    assert "10 of 40 columns are refused: 'm5' (12 missing values, first in line " in error
    assert "'crp' (2 no numbers, first '<0.3' in line 9)" in error
    assert "The file is read with: --drop m5 --drop m6 " in error
    assert "--discrete" not in error


def test_discrete_is_refused_for_amounts(messy, tmp_path):
    done = run_here("discover", messy, "--algorithm", "pc", "--discrete")
    assert 2 == done.returncode
    n_levels = len(set(messy_columns()["m0"]))
    assert f"'m0' ({n_levels} levels)" in done.stderr
    assert "The file is read with: " in done.stderr
    assert "--discrete" not in done.stderr.rpartition("The file is read with")[2]
    rng = np.random.default_rng(0)
    columns = {name: [f"{x:.2f}" for x in rng.normal(size=200)] for name in "ab"}
    path = write_messy(tmp_path / "two.csv", columns, ",")
    with pytest.raises(ValueError, match="no edge would be found. Leave --discrete out for amou"):
        read(path, discrete=True)
    levels = {name: sorted({float(text) for text in columns[name]}) for name in columns}
    assert 2 == len(read(path, discrete=levels).columns)  # who states them means them


def test_few_rows_are_said(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"v{j}": [f"{x:.3f}" for x in rng.normal(size=60)] for j in range(30)}
    path = write_messy(tmp_path / "few.csv", columns, ",")
    (note,) = check_notes(check_table(path))
    assert "Few rows: 60 for 30 columns, 2.00 for each column" in note
    assert "Few rows: 60 for 30 columns" in run_here("check", path).stdout.replace("\n", " ")
    enough = {name: texts for name, texts in columns.items() if name in ("v0", "v1", "v2")}
    path = write_messy(tmp_path / "enough.csv", enough, ",")
    assert [] == list(check_notes(check_table(path)))


def test_a_series_is_suggested_where_dates_are_sorted(tmp_path):
    rng = np.random.default_rng(0)
    days = [str(np.datetime64("2024-01-01") + day) for day in range(50)]
    columns = {"day": days} | {n: [f"{x:.3f}" for x in rng.normal(size=50)] for n in "ab"}
    path = write_messy(tmp_path / "days.csv", columns, ",")
    assert any("in the order of 'day'" in text for text in check_notes(check_table(path)))
    series = check_table(path, ReadingRequest(rows="series"))
    assert not any("in the order of" in text for text in check_notes(series))
