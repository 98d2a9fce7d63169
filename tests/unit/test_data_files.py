import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from causalassay.data import Continuous, Dataset, Discrete, Regime, read, write

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
    with pytest.raises(ValueError, match="no regime is called 'wild'; there are 'lab', 'knock'"):
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
    with pytest.raises(ValueError, match=r"1 in column 'where' \(first in row 2\)"):
        read(table(content), condition="where")


def test_a_condition_of_one_row_is_refused(table):
    content = "a,b,where\n1,2,lab\n2,1,lab\n3,5,x\n"
    with pytest.raises(ValueError, match="regime 'x': at least 2 rows are needed, got 1"):
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
    with pytest.raises(ValueError, match="no column of data beside 'target'"):
        read(table("target\na\nb\n"), target="target")


def test_text_columns_must_be_declared(table):
    with pytest.raises(
        ValueError, match=r"column 'b' holds text, first 'x1' in row 2.*discrete=\['b'\]"
    ):
        read(table("a,b\n1,2\n2,x1\n3,NA\n"))


def test_digits_with_underscores_are_text(table):
    with pytest.raises(ValueError, match="first '1_0' in row 2"):
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
    with pytest.raises(ValueError, match=f"column 'b': {named} in row 2 is not among the stated"):
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
    with pytest.raises(ValueError, match="discrete: column 'b': levels: each level"):
        read(table(PLAIN), discrete={"b": [1, 1]})


@pytest.mark.parametrize("token", ["", "NA", "NaN", " nan ", "NULL", "None"])
def test_missing_values_are_counted_by_column(table, token):
    content = f"a,b,c\n1,{token},x\n2,3,\n{token},{token},y\n"
    expected = (
        r"1 in column 'a' \(first in row 3\), 2 in column 'b' \(first in row 1\), "
        r"1 in column 'c' \(first in row 2\)"
    )
    with pytest.raises(ValueError, match=expected):
        read(table(content), discrete=["c"])


def test_an_empty_cell_is_missing_where_levels_are_stated(table):
    with pytest.raises(ValueError, match=r"1 in column 'b' \(first in row 2\)"):
        read(table("a,b\n1,x\n2,\n4,y\n"), discrete={"b": ["x", "y"]})


def test_a_column_without_any_value_is_missing(table):
    with pytest.raises(ValueError, match=r"3 in column 'b' \(first in row 1\)"):
        read(table("a,b\n1,\n2,\n4,\n"), discrete=["b"])


def test_an_empty_line_in_a_single_column_is_missing(table):
    with pytest.raises(ValueError, match=r"1 in column 'a' \(first in row 2\)"):
        read(table("a\n1\n\n2\n"))


def test_infinite_values_in_a_file_are_named(table):
    with pytest.raises(ValueError, match="infinite values: 1 in column 'b'"):
        read(table("a,b\n1,1e999\n2,3\n"))


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "t.csv", "the file is empty or its first line is; expected column names"),
        ("\na,b\n1,2\n", "t.csv", "its first line is"),
        ("a,b\n", "t.csv", "there is a header but no row"),
        ("a,b\n1,2\n3\n", "t.csv", r"Row #3: Expected 2 columns, got 1.*as many fields"),
        ("a,b\n1,2\n3,4,5\n", "t.csv", r"Row #3: Expected 2 columns, got 3"),
        ("a,a\n1,2\n3,4\n", "t.csv", "'a' appears more than once"),
        (",a\n0,2\n1,4\n", "t.csv", "position 0 is empty.*row index"),
        ("é,b\n1,2\n".encode("latin-1"), "t.csv", "not UTF-8 text.*save it as UTF-8"),
        (PLAIN.encode() + b"1,2\n" * 9999 + b"1,\xe9\n", "t.csv", "invalid UTF8.*in UTF-8"),
        ("a,b\n1,2\n", "t.txt", r"ends in .csv, .csv.gz, .tsv, .tsv.gz, .parquet"),
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
    with pytest.raises(ValueError, match="'a;b' cannot stand in the target column.*rename"):
        write(Dataset(("a;b", "c"), (regime,), None), tmp_path / "t.csv")


def test_writing_needs_a_known_suffix_and_a_folder(tmp_path):
    data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]])
    with pytest.raises(ValueError, match="expected a file name that ends in"):
        write(data, tmp_path / "t.xlsx")
    with pytest.raises(FileNotFoundError, match="does not exist; make it first"):
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
