"""Publication figures and LaTeX tables: files of the right size, names that no command reads."""

import re
import struct

import numpy as np
import pytest
from scipy.stats import t

from causalassay.analysis import analyse
from causalassay.analysis.comparison import best_marks
from causalassay.analysis.report.figures import gallery
from causalassay.analysis.report.files import write_figures, write_tables
from causalassay.analysis.tables import attribution_table
from causalassay.present.latex import escape
from report_tables import study_like
from summary_twins import with_frame

HOSTILE = "a_b%{}$ & #1 ~ ^ \\input{x} [y] --"


@pytest.fixture(scope="module")
def table():
    return study_like(["pc", HOSTILE], replicates=4, better={"f1": "high", "shd": "low"})


@pytest.fixture(scope="module")
def analysis(table):
    return analyse(table)


SIZES = (20, 10)
"""Numbers of nodes: of as many rows, the larger first."""


def only(table, nodes):
    """The analysis of the rows of one size, as if the study had no other."""
    return analyse(with_frame(table, table.frame[table.frame["graph.n_nodes"] == nodes]))


@pytest.fixture(scope="module", params=SIZES)
def size(request, table):
    """A number of nodes, and the analysis of its rows alone."""
    return request.param, only(table, request.param)


@pytest.fixture(scope="module")
def figures(analysis):
    return gallery(analysis).figures


@pytest.fixture(scope="module")
def written(figures, tmp_path_factory):
    return write_figures(figures, tmp_path_factory.mktemp("study") / "made" / "figures")


def test_every_figure_is_written_in_every_format(figures, written):
    ids = [figure.id for figure in figures]
    expected = [f"{name}.{ending}" for name in ids for ending in ("pdf", "svg", "png")]
    assert expected == [path.name for path in written]
    assert all(path.stat().st_size > 1000 for path in written)


def inches_of(path):
    content = path.read_bytes()
    match path.suffix:
        case ".pdf":
            return float(re.search(rb"MediaBox \[0 0 ([\d.]+)", content)[1]) / 72
        case ".svg":
            return float(re.search(rb'width="([\d.]+)in"', content)[1])
        case ".png":
            start = content.index(b"pHYs") + 4
            per_metre = struct.unpack(">I", content[start : start + 4])[0]
            return struct.unpack(">I", content[16:20])[0] / (per_metre * 0.0254)
    raise ValueError(path)


def test_figures_have_the_width_of_a_column_or_of_a_page(written):
    for path in written:
        room = 6.9 if path.stem.startswith(("boxes", "against")) else 3.3
        # Panels of whole pixels may leave a little of it.
        assert 0.85 * room < inches_of(path) < room + 0.01, path.name


def test_a_png_has_300_dots_per_inch(written):
    content = next(path for path in written if path.suffix == ".png").read_bytes()
    start = content.index(b"pHYs") + 4
    assert 300 == pytest.approx(
        struct.unpack(">I", content[start : start + 4])[0] * 0.0254, abs=0.1
    )


def test_a_drawing_names_nothing_to_fetch(written):
    for path in written:
        if path.suffix == ".svg":
            addresses = set(re.findall(r"https?://[^\"'\s)]+", path.read_text()))
            assert {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"} >= addresses


def test_only_the_formats_asked_for_are_written(figures, tmp_path):
    paths = write_figures(figures, tmp_path, ("svg",))
    assert {".svg"} == {path.suffix for path in paths}
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_an_unknown_format_is_refused_before_anything_is_written(figures, tmp_path):
    with pytest.raises(ValueError, match=r"one of \['pdf', 'svg', 'png'\], got \['gif'\]"):
        write_figures(figures, tmp_path / "new", ("svg", "gif"))
    assert not (tmp_path / "new").exists()


@pytest.fixture(scope="module")
def tables(analysis, tmp_path_factory):
    paths = write_tables(analysis, tmp_path_factory.mktemp("tables") / "made")
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture(scope="module")
def of_size(size, tables):
    """The tables of a size, by their names without it."""
    end = f"-{size[0]}-nodes.tex"
    return {name.removesuffix(end): text for name, text in tables.items() if name.endswith(end)}


KINDS = {"matrix"} | {
    f"{kind}-{metric}" for kind in ("leaderboard", "schemes") for metric in ("f1", "shd")
}


def test_each_size_and_metric_has_its_tables(tables):
    """Only how the runs ended is counted over all sizes."""
    expected = {f"{kind}-{nodes}-nodes.tex" for kind in KINDS for nodes in SIZES}
    assert expected | {"counts.tex"} == set(tables)


def test_a_study_of_one_size_has_files_without_it(table, tmp_path):
    names = {path.name for path in write_tables(only(table, 20), tmp_path)}
    assert {f"{kind}.tex" for kind in KINDS} | {"counts.tex"} == names


def test_a_chosen_size_has_its_tables_only(analysis, tables, tmp_path):
    written = {path.name: path.read_text() for path in write_tables(analysis.at("d=10"), tmp_path)}
    assert {f"{kind}-10-nodes.tex" for kind in KINDS} | {"counts.tex"} == set(written)
    assert written.items() <= tables.items()


def test_each_table_says_its_size(tables):
    for name, text in tables.items():
        about = text[: text.index(r"\begin{tabular}")]
        for nodes in SIZES:
            assert (f"{nodes} nodes: " in about) == name.endswith(f"-{nodes}-nodes.tex"), name


def test_the_tables_of_a_size_are_those_of_a_study_of_its_rows(size, of_size, tmp_path):
    """But for the comments above them: no number of a table is over two sizes."""
    alone = {path.stem: path.read_text() for path in write_tables(size[1], tmp_path)}
    assert KINDS == set(of_size)
    for kind, text in of_size.items():
        assert alone[kind][alone[kind].index(r"\begin") :] == text[text.index(r"\begin") :], kind


def rows_of(text):
    """The rows of a table as lists of cells, the heading first."""
    lines = [line.removesuffix(r" \\") for line in text.splitlines() if line.endswith(r"\\")]
    return [re.split(r"(?<!\\)&", line) for line in lines]


def test_tables_have_as_many_cells_in_each_row_as_columns(tables):
    for text in tables.values():
        columns = re.search(r"\\begin\{tabular\}\{(lr+l?)\}", text)[1]
        assert {len(columns)} == {len(row) for row in rows_of(text)}
        for command in (r"\toprule", r"\bottomrule", r"\end{tabular}"):
            assert 1 == text.count(command)


def test_braces_balance_and_no_name_is_a_command(tables):
    for text in tables.values():
        bare = re.sub(r"\\[\\{}$&#_%]", "", text)
        assert bare.count("{") == bare.count("}")
        assert r"\input" not in text
        assert escape(HOSTILE) in text


def test_escaping_covers_every_special_sign():
    assert r"a\_b\%\{\}\$ \& \#1" == escape("a_b%{}$ & #1")
    assert r"\textasciitilde{}\textasciicircum{}\textbackslash{}" == escape("~^\\")
    assert r"\textless{}script\textgreater{}" == escape("<script>")
    assert "{[}x{]} {*} -{}- one two" == escape("[x] * -- one\ntwo")
    assert "direct-lingam é 日" == escape("direct-lingam é 日")


def test_the_leaderboard_has_the_numbers_of_the_rows(table, size, of_size):
    nodes, analysis = size
    heading, *rows = rows_of(of_size["leaderboard-f1"])
    assert ["algorithm", "raw", "standardized", "iSCM", "UUMC", "not ok"] == [
        cell.strip() for cell in heading
    ]
    by_name = {row[0].strip(): row for row in rows}
    frame = table.frame
    chosen = (frame["algorithm"] == "pc") & (frame["scheme"] == "iscm")
    f1 = frame.loc[chosen & (frame["graph.n_nodes"] == nodes), "f1"]
    assert "pc" not in best_marks(analysis.runs)["f1", "iscm"]
    # Each family and replicate is an instance of its own.
    low, high = t.interval(0.95, len(f1) - 1, f1.mean(), f1.sem())
    expected = rf"{f1.mean():.2f} {{\scriptsize [{low:.2f}, {high:.2f}]}}"
    assert expected == by_name["pc"][3].strip()


@pytest.mark.parametrize("metric", ["f1", "shd"])
def test_bold_is_who_is_not_distinguishable_from_the_best(size, of_size, metric):
    marks = best_marks(size[1].runs)
    _, *rows = rows_of(of_size[f"leaderboard-{metric}"])
    for column, scheme in enumerate(("raw", "standardized", "iscm", "uumc"), 1):
        bold = {row[0].strip() for row in rows if r"\textbf" in row[column]}
        assert {escape(name) for name in marks[metric, scheme]} == bold


def test_the_matrix_has_its_scores_its_marks_and_its_findings(size, of_size):
    _, analysis = size
    heading, *rows = rows_of(of_size["matrix"])
    columns = analysis.matrix.columns
    heads = [*(column.name for column in columns), "not ok", "finding"]
    assert heads == [cell.strip() for cell in heading[1:]]
    by_name = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}
    assert len(analysis.matrix.rows) == len(by_name)
    for row in analysis.matrix.rows:
        *cells, lost, finding = by_name[escape(row.algorithm)]
        assert escape(row.finding) == finding
        assert str(sum(cell.n - cell.n_ok for cell in row.cells)) == lost
        for cell, text in zip(row.cells, cells, strict=True):
            bold = re.fullmatch(r"\\textbf\{([\d.]+)\} .*", text)
            assert cell.best == bool(bold)
            assert f"{cell.mean:.2f}" == (bold[1] if bold else text.split()[0])


def test_the_margin_over_sorting_has_its_sign(size, of_size):
    summary = size[1].summary
    _, *rows = rows_of(of_size["schemes-f1"])
    margins = summary.attribution.margins
    chosen = (margins["reference"] == "sorting") & (margins["metric"] == "f1")
    raw = margins[chosen & (margins["algorithm"] == "pc") & (margins["scheme"] == "raw")]
    expected = raw[["mean", "low", "high"]].iloc[0].tolist()
    assert expected == records(attribution_table(summary, "f1"))["pc"]["raw_margin"]
    value, low, high = (
        f"{'$-$' if number < 0 else sign}{abs(number):.2f}"
        for number, sign in zip(expected, ("$+$", "", ""), strict=True)
    )
    (pc,) = [row for row in rows if row[0].strip() == "pc"]
    assert rf"{value} {{\scriptsize [{low}, {high}]}}" == pc[2].strip()


def records(table):
    return {record["algorithm"]: record for record in table.records()}


def test_the_tables_of_a_paper_have_baselines_below_a_line(analysis, tables):
    baselines = {row.algorithm for row in analysis.matrix.rows if row.role == "baseline"}
    for name, text in tables.items():
        above, below = text.split("\\midrule")[1:]
        assert baselines == {row[0].strip() for row in rows_of(below)}, name
        assert {"pc", escape(HOSTILE)} == {row[0].strip() for row in rows_of(above)}, name


def test_undefined_scores_are_dashes_and_failures_are_counted(table, tmp_path):
    frame = table.frame.copy()
    lost = (frame["algorithm"] == "pc") & (frame["scheme"] == "uumc")
    frame.loc[lost, ["status", "reason"]] = ["failed", "raised ValueError: no"]
    frame.loc[lost, ["f1", "shd"]] = np.nan
    write_tables(analyse(with_frame(table, frame)), tmp_path)
    for nodes in SIZES:
        path = tmp_path / f"leaderboard-f1-{nodes}-nodes.tex"
        _, *rows = rows_of(path.read_text(encoding="utf-8"))
        (pc,) = [row for row in rows if row[0].strip() == "pc"]
        n_lost = (lost & (frame["graph.n_nodes"] == nodes)).sum()
        assert ["--", str(n_lost)] == [cell.strip() for cell in pc[4:]]
