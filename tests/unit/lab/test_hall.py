"""The hall of audits: its entries, rows that are kept, and what it writes."""

import dataclasses
import itertools
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from announced_environments import installed_fake
from causalassay.cli import app, environments
from causalassay.cli.lab import _command
from causalassay.environments import installing, process
from causalassay.environments.process import EnvironmentFailed
from causalassay.judging.findings import FindingKind
from causalassay.lab.hall import Settings, entries, fill, kept_rows, measure, measuring
from causalassay.lab.hall import catalogue as theirs
from causalassay.lab.hall.charts import by_variance_and_r2, drawn_rows, label_boxes
from causalassay.lab.hall.document import hall_csv, hall_document, hall_frame, results_from
from causalassay.lab.hall.measuring import KeptAudits, without_verdict
from causalassay.lab.hall.reality_document import is_reality, reality_document
from causalassay.lab.hall.row import Cell, all_rows, row_of
from causalassay.present import Figure
from causalassay.present.charts import static_svg
from causalassay.present.html import page
from causalassay.present.markdown import document_markdown
from pages import ROOT

SMALL = Settings(draws=3, nodes=6, samples=100)
OPTIONS = ["--draws", "3", "--nodes", "6", "--samples", "100"]
RAIN = """network rain { }
variable Rain { type discrete [ 2 ] { yes, no }; }
variable Wet { type discrete [ 2 ] { yes, no }; }
variable Slip { type discrete [ 2 ] { yes, no }; }
probability ( Rain ) { table 0.3, 0.7; }
probability ( Wet | Rain ) { (yes) 0.9, 0.1; (no) 0.05, 0.95; }
probability ( Slip | Wet ) { (yes) 0.6, 0.4; (no) 0.1, 0.9; }
"""


def hall(out, *arguments):
    return CliRunner().invoke(app, ["hall", "--out", str(out), *OPTIONS, *arguments])


def markdown(rows, command="", **options):
    return document_markdown(hall_document(rows, SMALL, command, **options))


def picture(rows):
    return static_svg(by_variance_and_r2(rows), "", on_paper=True)


def numbers(row):
    """What a row says without when it was said."""
    return json.dumps(row.to_dict() | {"date": ""})


@pytest.fixture(scope="module")
def raw():
    """The row of the raw scheme."""
    return measure(entries(SMALL)["linear-raw"], SMALL)


@pytest.fixture
def counted(monkeypatch):
    """The names of the files whose audits are made."""
    made = []
    audit = measuring.audit

    def counting(data, graph, rng, **options):
        made.append(graph)
        return audit(data, graph, rng, **options)

    monkeypatch.setattr(measuring, "audit", counting)
    return made


# Entries


def test_every_scheme_of_ours_is_an_entry_and_draws_data_with_a_graph_of_its_own():
    ours = [one for one in entries(SMALL).values() if one.group == "ours"]
    assert {"linear-raw", "linear-uumc", "gp-iscm", "var-iscm", "discrete-logistic"} <= {
        one.name for one in ours
    }
    assert not any("scm" in one.name.split("-") for one in ours)  # it is called raw
    for entry in ours:
        first, second = (entry.source.draw(SMALL, k) for k in (0, 1))
        assert entry.world == first[0].world
        assert SMALL.nodes == first[0].n_nodes
        graphs = [getattr(one, "summary", one) for _, one in (first, second)]
        assert (graphs[0] != graphs[1]).any()


def test_an_unknown_name_is_one_line_with_the_nearest(tmp_path):
    result = hall(tmp_path, "--only", "linear-icsm")
    assert "--only: there is no entry 'linear-icsm'; did you mean 'linear-iscm'?" == str(
        result.exception
    )


def test_the_list_names_every_entry(tmp_path):
    result = hall(tmp_path, "--list", "--json")
    assert list(entries(SMALL)) == [one["name"] for one in json.loads(result.stdout)]
    assert "linear-iscm" in hall(tmp_path, "--list").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draws", "0"], "draws: expected at least 1, got 0"),
        (["--data", "nowhere"], "--data nowhere is no folder; name the folder of sachs.csv"),
        (["--report", "no/such/page.md"], "the folder no/such does not exist"),
    ],
)
def test_bad_options_are_told_before_the_work_begins(tmp_path, arguments, message):
    assert message in str(hall(tmp_path, *arguments).exception)


# Verdicts


@pytest.mark.parametrize("name", ["linear-raw", "var-raw", "discrete-dirichlet"])
def test_the_verdict_is_that_of_an_audit_of_the_files(tmp_path, name):
    result = hall(tmp_path, "--only", name, "--keep", str(tmp_path / "kept"), "--json")
    (row,) = json.loads(result.stdout)
    words = result.stderr.strip().splitlines()[-1].removeprefix(f"{name}: causalassay ").split()
    audited = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert audited["verdict"]["sentence"] == row["sentence"]
    assert audited["random_direction"] == row["random_direction"]
    assert [one["sortability"] for one in audited["claims"][::2]] == [
        one["sortability"] for one in row["cells"]
    ]
    for test, keys in {
        "sortable_p": ("p_rising", "p_falling"),
        "winning_p": ("direction_p_rising", "direction_p_falling"),
    }.items():
        assert [one[test] for one in audited["claims"]] == [
            one[key] for one in row["cells"] for key in keys
        ]


def test_draws_are_kept_once_and_nothing_of_the_user_is_touched(tmp_path, sachs_folder):
    kept = tmp_path / "kept"
    words = ["--only", "linear-raw", "--keep", str(kept)]
    first = hall(tmp_path / "out", *words).stderr
    table = (kept / "linear-raw" / "data" / "draw-01.csv").read_bytes()
    assert first.splitlines()[-1] == hall(tmp_path / "out", *words).stderr.splitlines()[-1]
    assert table == (kept / "linear-raw" / "data" / "draw-01.csv").read_bytes()
    other = hall(tmp_path / "out", *words, "--seed", "9")
    assert "is there already, with other files than these draws" in str(other.exception)
    (kept / "sachs" / "data").mkdir(parents=True)
    mine = kept / "sachs" / "data" / "sachs.csv"
    mine.write_bytes((sachs_folder / "sachs.csv").read_bytes())
    words = ["--only", "sachs", "--data", str(mine.parent), "--keep", str(kept)]
    assert "name another folder for --keep" in str(hall(tmp_path / "out", *words).exception)
    assert mine.is_file()


def test_a_data_set_is_one_unit_and_its_verdict_is_that_of_an_audit(tmp_path, sachs_folder):
    (row,) = fill([entries(SMALL, sachs_folder)["sachs"]], SMALL, tmp_path)
    options = ["--condition", "condition", "--target", "target", "--observational", "cd3_cd28"]
    hall(tmp_path, "--only", "sachs", "--data", str(sachs_folder), "--keep", str(tmp_path / "kept"))
    graph = tmp_path / "kept" / "sachs" / "graphs" / "sachs.csv"
    words = ["audit", str(sachs_folder / "sachs.csv"), "--graph", str(graph), *options]
    result = CliRunner().invoke(app, [*words, "--bootstrap", "0", "--json"])
    assert json.loads(result.stdout)["verdict"]["sentence"] == row.sentence
    assert (1, 1) == (row.n_draws, row.n_units)


def test_a_data_set_that_is_not_there_is_a_row_that_says_so(tmp_path):
    (row,) = fill([entries(SMALL, tmp_path)["chamber"]], SMALL, tmp_path)
    assert ("skipped", None) == (row.status, row.verdict)
    assert "chamber.csv and chamber-graph.csv not found: name the folder" in row.reason
    nothing = hall(tmp_path, "--only", "chamber", "--data", str(tmp_path))
    assert 1 == nothing.exit_code  # no row has a verdict
    assert 0 == hall(tmp_path, "--only", "linear-raw", "--only", "chamber").exit_code


def test_samples_of_a_network_are_one_unit(tmp_path):
    (tmp_path / "rain 1.bif").write_text(RAIN)
    found = entries(SMALL, bif=[tmp_path / "rain 1.bif"])["rain-1"]
    row = measure(found, SMALL)
    assert ("ok", "discrete", 3, 1) == (row.status, row.world, row.n_draws, row.n_units)
    assert ["entropy", "position"] == [cell.statistic for cell in row.cells]
    assert "--bif 'rain 1.bif'" in row.command
    document = hall_document([row], SMALL)
    assert "3 data sets of each network with 100 rows, all on its one graph" == document.about
    assert not any(isinstance(block, Figure) for block in document.blocks)  # no row has a place
    result = hall(tmp_path / "out", "--bif", str(tmp_path / "rain 1.bif"), "--only", "rain-1")
    assert "Picture" not in result.stdout


# Generators of other packages


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with installed_fake(tmp_path_factory) as folder:
        yield folder


def test_generators_run_in_their_environments(site, tmp_path):
    known = entries(SMALL)
    found = fill([known[f"fake-{one}"] for one in ("chain", "levels", "series")], SMALL, tmp_path)
    assert [("ok", "continuous"), ("ok", "discrete"), ("ok", "series")] == [
        (row.status, row.world) for row in found
    ]
    assert [6, 2, 4] == [len(row.cells) for row in found]
    data = [known["fake-chain"].source.draw(SMALL, number)[0] for number in (0, 1)]
    assert (data[0].pooled != data[1].pooled).all()
    assert known["fake-series"].source.draw(SMALL, 0)[1].max_lag == 1


def test_constant_columns_are_left_out_with_their_nodes(site, monkeypatch):
    whole = theirs.draw

    def with_a_constant(*arguments):
        drawn = whole(*arguments)
        drawn.values[:, 2] = 1.0
        return drawn

    monkeypatch.setattr(theirs, "draw", with_a_constant)
    entry = entries(SMALL)["fake-chain"]
    data, graph = entry.source.draw(SMALL, 0)
    assert ("x0", "x1", "x3", "x4", "x5") == data.columns
    assert 3 == graph.sum()
    row = measure(entry, SMALL)
    assert 5 == row.n_nodes
    assert "columns: 5.0 on average; constant ones" in markdown([row])


def test_a_generator_that_fails_is_a_row_with_its_reason(site, tmp_path, monkeypatch):
    def fail(*_):
        raise EnvironmentFailed("crashed: killed by signal 6 (SIGABRT)")

    monkeypatch.setattr(theirs, "draw", fail)
    result = hall(tmp_path, "--only", "fake-chain", "--only", "linear-raw")
    assert 0 == result.exit_code
    assert "fake-chain: failed: crashed: killed by signal 6 (SIGABRT)" in result.stdout
    assert ["failed", "ok"] == [row.status for row in kept_rows(tmp_path)]


def test_an_absent_environment_is_skipped_with_the_command_that_installs_it(
    site, tmp_path, monkeypatch
):
    process.end_process("fake")
    monkeypatch.setenv(installing.FOLDER_VARIABLE, str(tmp_path / "none"))
    result = hall(tmp_path, "--only", "fake-chain")
    assert "fake-chain: skipped: the environment fake is not installed" in result.stdout
    assert "causalassay env install fake" in (tmp_path / "hall.md").read_text()
    asked = []
    monkeypatch.setattr(environments, "install_all", asked.extend)
    hall(tmp_path, "--only", "fake-chain", "--install")
    assert ["fake"] == [home.name for home in asked]


# Rows that are kept


def test_after_ctrl_c_no_draw_is_audited_twice(tmp_path, raw, counted):
    entry = entries(SMALL)["linear-raw"]

    def stop(_, done, __):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill([entry], SMALL, tmp_path, on_progress=stop)
    (row,) = fill([entry], SMALL, tmp_path)
    assert 3 == len(counted)
    assert numbers(raw) == numbers(row)
    assert not (tmp_path / "under-way").exists()


def test_ctrl_c_is_one_line(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "audit", stop)
    result = hall(tmp_path, "--only", "linear-raw")
    assert 130 == result.exit_code
    assert f"interrupted: what is finished is in {tmp_path}; run the same" in result.stderr


def test_a_row_is_measured_again_only_if_something_changed(tmp_path, counted, monkeypatch):
    entry = entries(SMALL)["linear-uumc"]

    def measured(settings=SMALL, **options):
        counted.clear()
        fill([entry], settings, tmp_path, **options)
        return bool(counted)

    assert measured()
    assert not measured()
    assert measured(again=True)
    assert measured(dataclasses.replace(SMALL, seed=1))
    assert measured()
    monkeypatch.setattr(measuring, "TESTS", measuring.TESTS + 1)
    assert measured()
    (tmp_path / "rows" / "linear-uumc.json").write_text('{"name": "cut')
    assert measured()


def test_the_key_changes_with_the_pins(site, monkeypatch):
    entry = entries(SMALL)["fake-chain"]
    before = measuring.key_of(entry, SMALL)
    home = dataclasses.replace(entry.source.home, pins=("a==2",))
    monkeypatch.setattr(theirs, "environment", lambda _: home)
    assert before != measuring.key_of(entry, SMALL)


def test_the_page_has_earlier_rows_of_the_same_settings_and_no_others(tmp_path, raw):
    hall(tmp_path, "--only", "linear-raw")
    hall(tmp_path, "--only", "linear-uumc")
    text = (tmp_path / "hall.md").read_text()
    assert text.index("[linear-raw]") < text.index("[linear-uumc]")
    assert re.search(r"## Not measured yet\n\n\d+ entries", text)
    result = hall(tmp_path, "--only", "linear-uumc", "--seed", "1")
    assert "for they were measured with other settings: linear-raw" in result.stderr
    assert "[linear-raw]" not in (tmp_path / "hall.md").read_text()


def test_a_row_reads_back_as_it_was(raw):
    assert raw == row_of(json.loads(json.dumps(raw.to_dict())))
    assert raw.verdict is FindingKind.GAMEABLE


def test_rows_and_audits_of_the_time_when_kinds_were_words_are_read(tmp_path, raw):
    plain = raw.to_dict() | {"verdict": "gameable backwards"}
    plain["cells"] = [one | {"kind": "no evidence"} for one in plain["cells"]]
    row = row_of(json.loads(json.dumps(plain)))
    assert FindingKind.GAMEABLE_BACKWARDS is row.verdict
    assert {FindingKind.NO_EVIDENCE} == {one.kind for one in row.cells}
    assert raw.key == row.key
    audits = KeptAudits(tmp_path / "a.jsonl", "key")
    data, graph = entries(SMALL)["linear-raw"].source.draw(SMALL, 0)
    audits.add("draw-01", measuring.audit(data, graph, 0, n_bootstrap=0, pooled=True))
    text = (tmp_path / "a.jsonl").read_text()
    assert '"graph-' in text
    for kind in FindingKind:
        text = text.replace(f'"{kind}"', f'"{kind.replace("-", " ")}"')
    (tmp_path / "old.jsonl").write_text(text)
    kinds = [
        [finding.kind for finding in KeptAudits(tmp_path / name, "key").read()["draw-01"].findings]
        for name in ("a.jsonl", "old.jsonl")
    ]
    assert kinds[0]
    assert kinds[0] == kinds[1]


def test_a_row_shows_itself_in_a_few_lines(raw):
    assert 10 >= len(repr(raw).splitlines())
    assert repr(raw).startswith("Row: linear-raw, gameable by variance")
    assert "Gameable by variance" in raw._repr_html_()


# What is written


def test_labels_do_not_overlap():
    points = [(200 + 7 * (k % 4), 200 + 5 * (k // 4)) for k in range(16)]
    boxes = label_boxes(points, [f"generator-{k}" for k in range(16)], (0, 0, 500, 400))
    assert all(boxes)
    for (left, top, right, bottom), other in itertools.combinations(boxes, 2):
        apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
        assert apart


def test_the_picture_has_the_generators_of_continuous_columns_alone(raw):
    series = dataclasses.replace(raw, name="a series", world="series")
    untested = dataclasses.replace(raw, name="nothing", cells=())
    rows = [raw, series, untested]
    assert [raw] == drawn_rows(rows)
    assert picture(rows).count('aria-label="linear-raw: gameable by variance') == 1


def test_names_of_strangers_are_no_markup(raw):
    bad = dataclasses.replace(raw, name="<script>|x", what="<b>", call="a `b` | c")
    assert "<script>" not in markdown([bad], "causalassay hall")
    assert "<script>" not in picture([bad])
    assert "<script>" not in page(hall_document([bad], SMALL, "causalassay hall"))


def test_a_page_away_from_the_documentation_links_no_page_of_it(raw):
    assert "](rules.md)" in markdown([raw], linked=True)
    assert ".md)" not in markdown([raw])


def test_a_page_can_be_html_with_the_picture_and_an_anchor_for_each_name(tmp_path):
    result = hall(tmp_path, "--only", "linear-raw", "--report", str(tmp_path / "hall.html"))
    text = (tmp_path / "hall.html").read_text()
    assert f"Page: {tmp_path / 'hall.html'}" in result.stdout
    assert text.startswith("<!doctype html>")
    assert 'href="#linear-raw"' in text
    assert '<details id="linear-raw">' in text
    assert 1 == text.count("<svg")


def test_the_table_has_every_number(raw):
    head, line = (text.split(",") for text in hall_csv([raw]).splitlines())
    row = dict(zip(head, line, strict=True))
    assert f"{raw.cell('R2').p_falling:.6g}" == row["R2_p_falling"]
    assert math.isclose(raw.best_direction, float(row["best_direction"]), rel_tol=1e-5)
    assert "" == row["entropy_kind"]
    assert "gameable" == row["verdict"] == row["variance_kind"]
    assert raw.cell("R2").p_falling == hall_frame([raw])["R2_p_falling"][0]


def documented():
    """The rows behind the pages of the documentation, and all names."""
    settings = Settings()
    known = [name for name in entries(settings) if not name.startswith("fake-")]
    rows, left_out = all_rows(ROOT / RESULTS, (), settings, known)
    assert rows
    assert not left_out
    return rows, known


RESULTS = Path("docs/hall-results")


def test_the_page_of_the_documentation_is_that_of_its_rows():
    target, settings = Path("docs/hall.md"), Settings()
    rows, known = documented()
    simulators = [row for row in rows if not is_reality(row)]
    document = hall_document(
        simulators,
        settings,
        _command(simulators, known, settings, RESULTS, target),
        results=results_from(target, RESULTS),
        missing=[name for name in known if name not in {row.name for row in rows}],
        linked=True,
    )
    assert document_markdown(document) == (ROOT / target).read_text(encoding="utf-8")
    assert hall_csv(rows) == (ROOT / RESULTS / "hall.csv").read_text(encoding="utf-8")
    drawn = (ROOT / RESULTS / "hall.svg").read_text(encoding="utf-8")
    assert marks_of(picture(simulators)) == marks_of(drawn)


def test_the_page_of_real_data_is_that_of_its_rows():
    target, settings = Path("docs/hall.md"), Settings()
    rows, known = documented()
    real = [row for row in rows if is_reality(row)]
    command = _command(real, known, settings, RESULTS, target)
    results = results_from(target, RESULTS)
    document = reality_document(rows, settings, command, results=results)
    text = (ROOT / "docs/hall-reality.md").read_text(encoding="utf-8")
    assert document_markdown(document) == text
    assert len(text.partition("## Provenance")[0].splitlines()) <= 80
    drawn = (ROOT / RESULTS / "hall-reality.svg").read_text(encoding="utf-8")
    figure = next(block for block in document.blocks if isinstance(block, Figure))
    assert marks_of(static_svg(figure.spec(), "", on_paper=True)) == marks_of(drawn)


@pytest.mark.parametrize(("groups", "install"), [(["ours"], False), (["ours", "package"], True)])
def test_the_command_of_a_page_installs_only_what_it_needs(groups, install):
    rows = [SimpleNamespace(name=group, group=group) for group in groups]
    every = ["ours", "package", "another"]
    command = _command(rows, every, SMALL, Path("hall"), None)
    assert install == ("--install" in command)
    assert "--install" in _command(rows, groups, SMALL, Path("hall"), None)


def marks_of(svg):
    """What a picture says: its texts and marks, without where fonts put them."""
    return sorted(
        re.findall(r"<text[^>]*>([^<]*)<", svg) + re.findall(r'aria-label="([^"]*)"', svg)
    )


def test_the_page_says_how_to_cite_a_row_and_which_error_rates_are_known(raw):
    text = markdown([raw])
    version, date = raw.measured_with, raw.date
    assert f"hall of audits of causalassay {version}, linear-raw" in text
    assert f"seed 0, {date}" in text
    for name in ("two tests over instances", "two tests"):
        line = next(line for line in text.splitlines() if line.startswith(f"- {name}: "))
        assert "Measured: worst case" in line


def label(row):
    return row.label + (" (borderline)" if row.is_borderline else "")


def cell(statistic, kind, sortability, spread=0.1, **more):
    word = statistic.replace("R2", "R²")
    numbers = {"p_rising": 0.5, "p_falling": 0.5, "direction_rising": 0.5, "direction_falling": 0.4}
    return Cell(statistic, word, FindingKind(kind), sortability, spread, **numbers | more)


NEAR = {"direction_falling": 0.36, "direction_p_falling": 0.001, "gain_spread_falling": 0.1}
"""A gain of 0.06 over random orders, with a standard error of 0.02."""


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([cell("variance", "gameable", 0.9), cell("R2", "gameable", 0.8)], "variance and R²"),
        (
            [cell("variance", "gameable", 0.9), cell("R2", "gameable-backwards", 0.1)],
            "gameable by variance, backwards by R²",
        ),
        ([cell("R2", "gameable-backwards", 0.39)], "gameable backwards by R² (borderline)"),
        ([cell("variance", "gameable", 0.9), cell("R2", "gameable", 0.61)], "variance and R²"),
        ([cell("variance", "no-evidence", 0.42)], "no evidence (borderline)"),
        ([cell("variance", "no-evidence", 0.5)], "no evidence"),
        ([cell("R2", "gameable-backwards", 0.2, **NEAR)], "backwards by R² (borderline)"),
        ([cell("R2", "no-evidence", 0.5, **NEAR | {"direction_p_falling": 0.4})], "no evidence"),
    ],
)
def test_a_verdict_names_every_artefact_and_says_where_a_seed_decides(cells, told):
    settings = Settings(draws=20)
    entry = entries(settings)["linear-raw"]
    row = dataclasses.replace(
        without_verdict(entry, settings, "failed", ""),
        **{"status": "ok", "verdict": FindingKind.NO_EVIDENCE, "cells": tuple(cells)},
        **{"n_units": 20, "random_direction": 0.3},
    )
    assert label(row).endswith(told)


def test_a_verdict_by_one_test_names_the_direction(raw):
    falling = {"p_falling": 0.001, "direction_p_rising": 0.9, "direction_p_falling": 0.2}
    leaning = {
        "verdict": FindingKind.SORTABLE_ONLY,
        "statistic": "R2",
        "cells": (cell("R2", "sortable-only", 0.1),),
    }
    assert "sortable by R², no gain found" == label(dataclasses.replace(raw, **leaning))
    leaning["cells"] = (cell("R2", "sortable-only", 0.1, **falling),)
    assert "sortable by falling R², no gain found" == label(dataclasses.replace(raw, **leaning))
