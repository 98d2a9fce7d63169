import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from causalassay.data import Continuous, Dataset, Discrete, ReadingNote, Regime, read, write

PLAIN = "a,b\n1,2.5\n2,-1e-3\n4,7\n"
LABELLED = (
    "a,b,where,what\n"
    "1,2,lab,\n2,1,lab,\n"
    "5,1,knock,a\n5,2,knock,a\n"
    "3,3,stim,\n1,4,stim,\n"
    "9,8,both,b;a\n9,7,both,b;a\n"
)


@pytest.fixture
def table(tmp_path):
    """Write text, or bytes, to a file and return its path."""

    def make(content, name="table.csv"):
        path = tmp_path / name
        content = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return make


def summary(data):
    return [(regime.condition, regime.targets, len(regime.values)) for regime in data.regimes]


def test_a_file_read_without_label_columns_is_observational(table):
    data = read(table(PLAIN))
    assert ("a", "b") == data.columns
    assert [("observational", (), 3)] == summary(data)
    assert data.observational == "observational"
    assert [[1.0, 2.5], [2.0, -0.001], [4.0, 7.0]] == data.pooled.tolist()
    assert read(table(PLAIN), observational="wild").observational == "wild"


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz", "t.tsv", "t.tsv.gz"])
def test_text_files_are_told_apart_by_suffix(table, name):
    content = PLAIN.replace(",", "\t") if ".tsv" in name else PLAIN
    assert [1.0, 2.0, 4.0] == read(table(content, name)).pooled[:, 0].tolist()


def test_a_byte_order_mark_windows_lines_and_blanks_do_no_harm(table):
    content = b"\xef\xbb\xbfa,b\r\n1, 2.5\r\n2,3 \r\n\r\n4,+7\r\n"
    data = read(table(content))
    assert ("a", "b") == data.columns
    assert [2.5, 3.0, 7.0] == data.pooled[:, 1].tolist()


def test_condition_and_target_columns(table):
    data = read(table(LABELLED), target="what", condition="where", observational="lab")
    expected = [("lab", (), 2), ("knock", (0,), 2), ("stim", None, 2), ("both", (1, 0), 2)]
    assert expected == summary(data)
    assert ("a", "b") == data.columns
    assert data.observational == "lab"


def test_a_condition_column_alone_leaves_targets_unknown(table):
    content = "a,b,day\n1,2,01\n2,1,01\n5,1,1\n5,2,1\n"
    data = read(table(content), condition="day", observational="01")
    assert [("01", (), 2), ("1", None, 2)] == summary(data)
    assert read(table(content), condition="day").observational is None


def test_a_target_column_alone_names_the_conditions(table):
    content = "a,b,what\n1,2,\n5,1,a\n2,1,\n5,2,a\n"
    data = read(table(content), target="what")
    assert [("untargeted", None, 2), ("a", (0,), 2)] == summary(data)
    assert data.observational is None
    data = read(table(content), target="what", observational="untargeted")
    assert [("untargeted", (), 2), ("a", (0,), 2)] == summary(data)
    assert [[1.0, 2.0], [2.0, 1.0]] == data.observational_values.tolist()


def test_a_lone_semicolon_states_that_there_was_no_target(table):
    content = "a,b,what\n1,2,;\n5,1,;\n2,1,a\n5,2,a\n"
    assert [(";", (), 2), ("a", (0,), 2)] == summary(read(table(content), target="what"))


def test_an_observational_condition_with_a_target_is_refused(table):
    with pytest.raises(ValueError, match=r"'knock' has no targets if it is observational"):
        read(table(LABELLED), target="what", condition="where", observational="knock")


def test_an_absent_observational_condition_lists_the_conditions(table):
    with pytest.raises(ValueError, match="no condition is called 'wild'.*'lab', 'knock'"):
        read(table(LABELLED), target="what", condition="where", observational="wild")


def test_rows_of_a_condition_agree_on_the_target(table):
    content = "a,b,where,what\n1,2,lab,\n2,1,lab,a\n"
    with pytest.raises(ValueError, match="condition 'lab' have different targets, '', 'a'; give"):
        read(table(content), target="what", condition="where")


def test_a_target_called_untargeted_is_not_mixed_with_rows_without_target(table):
    content = "untargeted,b,what\n1,2,\n2,1,untargeted\n3,5,\n4,4,untargeted\n"
    with pytest.raises(ValueError, match="'untargeted' have different targets"):
        read(table(content), target="what")


def test_an_unknown_target_is_named(table):
    content = "raf,mek,what\n1,2,raff\n2,1,raff\n"
    with pytest.raises(ValueError, match=r"target 'raff' is not.*empty.*did you mean 'raf'\?"):
        read(table(content), target="what")


def test_a_row_without_condition_is_refused(table):
    content = "a,b,where\n1,2,lab\n2,1,\n3,5,lab\n"
    with pytest.raises(ValueError, match=r"1 in column 'where' \(first in line 3\)"):
        read(table(content), condition="where")


def test_a_condition_of_one_row_is_refused(table):
    content = "a,b,where\n1,2,lab\n2,1,lab\n3,5,x\n"
    with pytest.raises(ValueError, match="condition 'x': at least 2 rows are needed, got 1"):
        read(table(content), condition="where")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "targt"}, r"no column 'targt'; did you mean 'target'\?"),
        ({"condition": "zzz"}, "no column 'zzz'; there are 'a', 'b', 'target'"),
        ({"discrete": ["zzz"]}, "no column 'zzz'"),
        ({"condition": "target", "target": "target"}, "'target' for two purposes"),
        ({"target": "target", "discrete": ["target"]}, "'target' for two purposes"),
    ],
)
def test_columns_that_the_call_names_exist_and_serve_once(table, options, message):
    with pytest.raises(ValueError, match=message):
        read(table("a,b,target\n1,2,\n2,1,\n"), **options)


def test_a_file_of_labels_only_is_refused(table):
    with pytest.raises(ValueError, match="no data column besides 'target'"):
        read(table("target\na\nb\n"), target="target")


def test_text_columns_must_be_declared(table):
    with pytest.raises(
        ValueError, match=r"column 'b' holds text, first 'x1' in line 3.*discrete=\['b'\]"
    ):
        read(table("a,b\n1,2\n2,x1\n3,NA\n"))


def test_digits_with_underscores_are_text(table):
    with pytest.raises(ValueError, match="first '1_0' in line 3"):
        read(table("a,b\n1,2\n2,1_0\n"))


def test_occurring_levels_are_sorted(table):
    data = read(table("a,b,c\n1,on,10\n2,off,9\n4,on,9.0\n"), discrete=["b", "c"])
    assert (Continuous(), Discrete(("off", "on")), Discrete((9, 10))) == data.kinds
    assert [[1, 1, 1], [2, 0, 0], [4, 1, 0]] == data.pooled.tolist()


def test_stated_levels_keep_their_order_and_their_text(table):
    levels = {"b": ["None", "NA", "1", "unseen"]}
    data = read(table("a,b\n1,1\n2,NA\n4,None\n"), discrete=levels)
    assert Discrete(("None", "NA", "1", "unseen")) == data.kinds[1]
    assert [2, 1, 0] == data.pooled[:, 1].tolist()


def test_stated_numbers_match_any_spelling(table):
    data = read(table("a,b\n1,1.0\n2,01\n4,0\n"), discrete={"b": (1, 0)})
    assert [0, 0, 1] == data.pooled[:, 1].tolist()


@pytest.mark.parametrize(
    ("column", "levels", "named"),
    [("xyx", "xz", "'y'"), ("131", (1, 2), 3.0)],
)
def test_a_value_outside_the_stated_levels_is_named(table, column, levels, named):
    content = "a,b\n" + "".join(f"{row},{entry}\n" for row, entry in enumerate(column))
    with pytest.raises(ValueError, match=f"column 'b': {named} in line 3 is not among the stated"):
        read(table(content), discrete={"b": list(levels)})


def test_text_where_numbers_were_stated_is_named(table):
    with pytest.raises(
        ValueError, match=r"'b': the stated levels \(1.0, 2.0\) are numbers.*'y' in"
    ):
        read(table("a,b\n1,1\n2,y\n4,2\n"), discrete={"b": (1, 2)})


def test_infinite_levels_are_refused(table):
    with pytest.raises(ValueError, match="column 'b': levels: every number must be finite"):
        read(table("a,b\n1,1\n2,inf\n"), discrete=["b"])


def test_discrete_is_a_list_or_a_mapping(table):
    with pytest.raises(TypeError, match="expected a list of names, got 'b'"):
        read(table(PLAIN), discrete="b")
    with pytest.raises(ValueError, match="discrete: column 'b': levels: expected each level once"):
        read(table(PLAIN), discrete={"b": [1, 1]})


@pytest.mark.parametrize("token", ["", "NA", "NaN", " nan ", "NULL", "None"])
def test_missing_values_are_counted_by_column(table, token):
    content = f"a,b,c\n1,{token},x\n2,3,\n{token},{token},y\n"
    expected = (
        r"1 in column 'a' \(first in line 4\), 2 in column 'b' \(first in line 2\), "
        r"1 in column 'c' \(first in line 3\)"
    )
    with pytest.raises(ValueError, match=expected):
        read(table(content), discrete=["c"])


def test_an_empty_cell_is_missing_where_levels_are_stated(table):
    with pytest.raises(ValueError, match=r"1 in column 'b' \(first in line 3\)"):
        read(table("a,b\n1,x\n2,\n4,y\n"), discrete={"b": ["x", "y"]})


def test_a_column_without_any_value_is_missing(table):
    with pytest.raises(ValueError, match=r"3 in column 'b' \(first in line 2\)"):
        read(table("a,b\n1,\n2,\n4,\n"), discrete=["b"])


def test_an_empty_line_in_a_single_column_is_missing(table):
    with pytest.raises(ValueError, match=r"1 in column 'a' \(first in line 3\)"):
        read(table("a\n1\n\n2\n"))


def test_infinite_values_in_a_file_are_named(table):
    with pytest.raises(ValueError, match="infinite values: 1 in column 'b' .first in line 2"):
        read(table("a,b\n1,1e999\n2,3\n"))


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "t.csv", "the file is empty or its first line is; expected column names"),
        ("\na,b\n1,2\n", "t.csv", "its first line is"),
        ("a,b\n", "t.csv", "there is a header but no row"),
        ("a,b\n1,2\n3\n", "t.csv", "line 3 has 1 fields but the header has 2; .*as many fields"),
        ("a,b\n1,2\n3,4,5\n", "t.csv", "line 3 has 3 fields but the header has 2"),
        ("a,a\n1,2\n3,4\n", "t.csv", "'a' appears more than once"),
        (",a\n0,2\n1,4\n", "t.csv", "position 0 is empty.*row index: drop=.*--drop"),
        ("é,b\n1,2\n".encode("latin-1"), "t.csv", "not UTF-8 text.*save it as UTF-8"),
        (PLAIN.encode() + b"1,2\n" * 9999 + b"1,\xe9\n", "t.csv", "invalid UTF8.*in UTF-8"),
        ("a,b\n1,2\n", "t.ods", r"ends in .csv, .csv.gz, .tsv, .tsv.gz, .txt.*.parquet.*.npz"),
        (b"not parquet", "t.parquet", "not a readable .parquet file"),
    ],
)
def test_unreadable_files(table, content, name, message):
    path = table(content, name)
    with pytest.raises(ValueError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"plain text", gzip.compress(PLAIN.encode() * 99, mtime=0)[:-20]]
)
def test_broken_gzip_files(tmp_path, content):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not a readable .csv.gz file"):
        read(path)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.csv: there is no such file"):
        read(tmp_path / "absent.csv")


def test_parquet_columns_keep_their_types(tmp_path):
    frame = pd.DataFrame(
        {
            "count": [1, 2, 4],
            "flag": [True, False, True],
            "group": pd.Categorical(["v", "v", "u"]),
            "digits": ["1", "1", "2"],
            "batch": [7, 7, 7],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet", condition="batch", discrete=["flag", "group", "digits"])
    levels = [kind.levels for kind in data.kinds[1:]]
    assert [("false", "true"), ("u", "v"), ("1", "2")] == levels
    assert [("7", None, 3)] == summary(data)
    with pytest.raises(ValueError, match="column 'flag' holds text, first 'true' in row 1"):
        read(tmp_path / "t.parquet", condition="batch", discrete=["group", "digits"])
    with pytest.raises(ValueError, match="column 'digits' holds text, first '1' in row 1"):
        read(tmp_path / "t.parquet", condition="batch", discrete=["group", "flag"])


def test_parquet_nulls_are_missing(tmp_path):
    pd.DataFrame({"a": [1, 2, 3], "b": [0.5, None, 1.0]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"1 in column 'b' \(first in row 2\)"):
        read(tmp_path / "t.parquet")


def test_a_saved_index_is_refused(tmp_path):
    pd.DataFrame({"a": [1, 2], "b": [2, 5]}, index=[7, 9]).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"saved index of a data frame; .*index=False"):
        read(tmp_path / "t.parquet")


def test_nested_parquet_columns_are_refused(tmp_path):
    pd.DataFrame({"a": [1, 2], "b": [[1], [2, 3]]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"column 'b' holds list.*numbers or text"):
        read(tmp_path / "t.parquet")


def test_plain_data_are_written_without_labels(tmp_path):
    write(Dataset.from_values([[0.1, 2.0], [1e300, 5e-324]]), tmp_path / "t.csv")
    assert '"x0","x1"\n0.1,2\n1e+300,5e-324\n' == (tmp_path / "t.csv").read_text()


def test_labels_are_written_beside_regimes(tmp_path):
    regimes = (
        Regime("lab", [[0.5, 1.0], [1.0, 0.0]]),
        Regime("knock", [[3.0, 1.0], [3.0, 0.0]], targets=(1, 0)),
        Regime("stim", [[4.0, 1.0], [5.0, 0.0]], targets=None),
        Regime("batch", [[4.0, 0.0], [6.0, 0.0]], targets=()),
    )
    kinds = (Continuous(), Discrete(("on", "off")))
    write(Dataset(("a", "b"), regimes, "lab", kinds), tmp_path / "t.csv")
    frame = pd.read_csv(tmp_path / "t.csv", keep_default_na=False)
    assert ["a", "b", "condition", "target"] == list(frame.columns)
    assert [1.0, "on", "lab", ""] == frame.loc[1].tolist()
    assert ["", "", "b;a", "b;a", "", "", ";", ";"] == frame["target"].tolist()
    assert ["off", "on"] * 3 + ["on", "on"] == frame["b"].tolist()


def test_labels_do_not_hide_data_columns(tmp_path):
    data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]], ["condition", "b"], "lab")
    with pytest.raises(ValueError, match="data have a column 'condition' of their own; pass"):
        write(data, tmp_path / "t.csv")
    write(data, tmp_path / "t.csv", condition="where")
    again = read(tmp_path / "t.csv", condition="where", target="target", observational="lab")
    assert data.columns == again.columns
    with pytest.raises(ValueError, match="expected two names, got 'x' for both"):
        write(data, tmp_path / "t.csv", condition="x", target="x")


def test_a_target_with_a_semicolon_cannot_be_written(tmp_path):
    regime = Regime("lab", [[0.0, 1.0], [1.0, 3.0]], targets=(0,))
    with pytest.raises(ValueError, match="'a;b' cannot be in the target column.*rename"):
        write(Dataset(("a;b", "c"), (regime,), None), tmp_path / "t.csv")


def test_writing_needs_a_known_suffix_and_a_folder(tmp_path):
    data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]])
    with pytest.raises(ValueError, match="expected a file name that ends in"):
        write(data, tmp_path / "t.xlsx")
    with pytest.raises(FileNotFoundError, match="does not exist; create it first"):
        write(data, tmp_path / "absent" / "t.csv")


def test_compressed_files_are_compressed(tmp_path):
    write(Dataset.from_values([[0.0, 1.0], [1.0, 3.0]]), tmp_path / "t.csv.gz")
    assert b'"x0","x1"\n0,1\n1,3\n' == gzip.decompress((tmp_path / "t.csv.gz").read_bytes())


def test_the_package_loads_no_table_library_before_a_file_is_read():
    code = "import sys, causalassay.data; print({'pandas', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_reading_is_exact_where_a_fast_parser_is_not(table):
    numbers = np.random.default_rng(0).random(500) * 10.0 ** np.arange(-250, 250)
    content = "a\n" + "\n".join(map(repr, numbers.tolist())) + "\n"
    assert numbers.tolist() == read(table(content)).pooled[:, 0].tolist()


# Files as people have them


def noted(path, *said, **options):
    """Read a file of which something is taken for granted; the notes say what."""
    with pytest.warns(ReadingNote) as caught:
        data = read(path, **options)
    notes = [str(one.message) for one in caught]
    assert len(said) == len(notes), notes
    for expected, text in zip(said, notes, strict=True):
        assert expected in text
        assert str(path) in text
    return data


@pytest.mark.parametrize(
    ("separator", "name", "said"),
    [
        (";", "t.csv", "separated by semicolons"),
        ("\t", "t.csv", "separated by tabs"),
        (" ", "t.txt", "separated by blanks"),
        ("   ", "t.dat", "separated by blanks"),
        (",", "t.tsv", "separated by commas"),
        ("; ", "t.csv.gz", "separated by semicolons"),
    ],
)
def test_separators_are_found_and_said(table, separator, name, said):
    data = noted(table(PLAIN.replace(",", separator), name), said)
    assert ("a", "b") == data.columns
    assert [[1.0, 2.5], [2.0, -0.001], [4.0, 7.0]] == data.pooled.tolist()


def test_a_stated_separator_is_not_said(table):
    for word in (";", "semicolon"):
        assert 2 == read(table(PLAIN.replace(",", ";")), separator=word).n_nodes
    with pytest.raises(ValueError, match="separator: expected one of .*'tab'.*, got 'x'"):
        read(table(PLAIN), separator="x")
    with pytest.raises(ValueError, match=r"separated by semicolons or tabs; state which: separat"):
        read(table("a;b\tc\n1;2\t3\n4;5\t7\n"))


def test_a_file_of_one_column_has_no_separator(table):
    assert ("my column",) == read(table("my column\n1\n2\n")).columns


def test_decimal_commas_are_read_where_they_can_mean_nothing_else(table):
    data = noted(table("a;b\n1,5;2\n-0,25;3\n"), "semicolons", "decimal commas")
    assert [[1.5, 2.0], [-0.25, 3.0]] == data.pooled.tolist()
    with pytest.raises(ValueError, match="'1,500', where the comma may be a decimal one or divide"):
        read(table("a;b\n1,500;2\n2,250;3\n"), separator=";")
    with pytest.raises(ValueError, match="column 'a' holds text, first '1,5x'"):
        read(table("a;b\n1,5x;2\n2,250;3\n"), separator=";")


def test_a_first_line_of_numbers_is_a_row(table, tmp_path):
    np.savetxt(tmp_path / "t.csv", [[1.5, 2.0], [3.5, 1.0], [0.5, 9.0]], delimiter=",")
    data = noted(tmp_path / "t.csv", "first line holds numbers and is read as a row")
    assert ("x0", "x1") == data.columns
    assert [1.5, 3.5, 0.5] == data.pooled[:, 0].tolist()
    assert ("0", "1") == read(table("0,1\n5,6\n7,9\n")).columns
    with pytest.raises(ValueError, match="first in line 1"), pytest.warns(ReadingNote):
        read(table("1.5,inf\n5,6\n7,9\n".replace("inf", "1e999")))


@pytest.mark.parametrize("first", [0, 1])
def test_a_column_that_counts_the_rows_is_warned_about(table, first):
    rows = "".join(f"{row + first},{row % 7 + 0.5}\n" for row in range(12))
    path = table(f"n,b\n{rows}")
    said = "column 'n' looks like a row index, used as data"
    assert ("n", "b") == noted(path, said).columns
    assert ("b",) == read(path, drop=["n"]).columns
    assert ("n", "b") == read(path, drop=[]).columns
    assert (
        "to leave out pass drop=['n'] (--drop n), to keep pass drop=[] (--continuous)"
        in _only_note(path)
    )


def _only_note(path):
    with pytest.warns(ReadingNote) as caught:
        read(path)
    (one,) = caught
    return str(one.message)


def test_a_column_called_id_is_warned_about(table):
    noted(table("ID,b\n7,2\n3,5\n"), "column 'ID' looks like a row index")
    noted(table("Unnamed: 0,b\n7,2\n3,5\n"), "(--drop 'Unnamed: 0')")
    assert ("b",) == read(table(",b\n7,2\n3,5\n"), drop=[""]).columns
    assert ("b",) == read(table(",b\n7,2\n3,5\n"), drop=["Unnamed: 0"]).columns
    with pytest.raises(ValueError, match="there is no column 'c'; did you mean"):
        read(table("cc,b\n7,2\n3,5\n"), drop=["c"])
    with pytest.raises(TypeError, match="drop: expected a list of names, got 'b'"):
        read(table("cc,b\n7,2\n3,5\n"), drop="b")


def test_columns_of_few_whole_numbers_are_warned_about(table):
    rows = "".join(f"{row % 3},{row % 2},{row + 0.5}\n" for row in range(60))
    path = table(f"dose,sex,c\n{rows}")
    said = "columns 'dose', 'sex' look like levels, at most 10 whole numbers each"
    assert "continuous" == noted(path, said).world
    assert "continuous" == read(path, discrete=False).world
    assert "mixed" == read(path, discrete=["dose", "sex"]).world
    rows = "".join(f"{row % 3},{row + 0.5}\n" for row in range(60))
    assert "is it the condition: --condition Regime?" in _only_note(table(f"Regime,c\n{rows}"))


def test_labels_are_recognised_when_a_condition_is_asked_for_and_suggested_when_not(table):
    content = LABELLED.replace("where", "Condition").replace("what", "target")
    data = noted(table(content), "condition='Condition', target='target'", observational="lab")
    assert ["lab", "knock", "stim", "both"] == [regime.condition for regime in data.regimes]
    message = r"'Condition' holds text, first 'lab' in line 2; pass condition='Condition' \(--cond"
    with pytest.raises(ValueError, match=message):
        read(table(content))
    assert read(table(PLAIN), observational="wild").observational == "wild"


def test_lines_in_messages_are_those_of_the_file(table):
    content = '"a\nname",b\n1,2\n\n"3",x\n'
    with pytest.raises(ValueError, match=r"first 'x' in line 5"):
        read(table(content.replace("a\nname", "a name").replace("\n1,2", "\n\n1,2")))
    with pytest.raises(ValueError, match=r"first 'x' in line 3"), pytest.warns(ReadingNote):
        read(table("a  b\n1  2\n3  x\n", "t.txt"))


def test_row_names_of_r_are_explained(table):
    with pytest.raises(ValueError, match=r"line 2 has 3 fields .* row\.names=FALSE"):
        read(table("a,b\n1,5,6\n2,7,8\n"))


def test_feather_files(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.0, 4.0], "b": [2, 1, 7], "c": ["x", "y", "x"]})
    frame.to_feather(tmp_path / "t.feather")
    data = read(tmp_path / "t.feather", discrete=["c"])
    assert [[1.5, 2, 0], [2, 1, 1], [4, 7, 0]] == data.pooled.tolist()
    (tmp_path / "t.feather").write_bytes(b"ARROW1" + b"\x00" * 50)
    with pytest.raises(ValueError, match=r"t\.feather: not a readable \.feather file"):
        read(tmp_path / "t.feather")
    pa.feather.write_feather(pa.table({"a": [1.0, None]}), tmp_path / "t.arrow")
    with pytest.raises(ValueError, match="first in row 2"):
        read(tmp_path / "t.arrow")


def test_numpy_files(tmp_path):
    values = np.random.default_rng(0).normal(size=(20, 3))
    np.save(tmp_path / "t.npy", values)
    assert ("x0", "x1", "x2") == read(tmp_path / "t.npy").columns
    path = tmp_path / "t.npz"
    np.savez(path, X=values, columns=["a", "b", "c"], graph=np.eye(3, k=1))
    data = read(path)
    assert ("a", "b", "c") == data.columns
    np.testing.assert_array_equal(values, data.pooled)
    assert ("a", "c") == read(path, drop=["b"]).columns
    np.savez(path, raf=values[:, 0], mek=values[:, 1])
    assert ("raf", "mek") == read(path).columns
    np.savez(path, first=values, second=values)
    with pytest.raises(ValueError, match="expected one array with the values.*'first', 'second'"):
        read(path)
    np.savez(path, a=values[:3, 0], b=values[:2, 0])
    with pytest.raises(ValueError, match="columns of one length, got 'a' 3, 'b' 2"):
        read(path)
