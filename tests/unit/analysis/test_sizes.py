"""The sizes of a study: found from its rows, never averaged over, and chosen one by one."""

import numpy as np
import pandas as pd
import pytest

from causalassay.analysis import analyse
from causalassay.analysis.document import analysis_document
from causalassay.analysis.sizes import DIMENSIONS, DRAWN, SETTING, Size, sizes_of
from causalassay.present import Fold, Table
from report_tables import study_like
from summary_twins import with_frame

NODES, SAMPLES, DENSITY = "graph.n_nodes", "samples", "graph.edges_per_node"
COLUMNS = (NODES, SAMPLES, DENSITY)


@pytest.fixture(scope="module")
def table():
    """Three sizes: 5 nodes with 100 and 500 samples, and 20 nodes with 500."""
    whole = study_like(
        ["pc", "ges"],
        schemes=("raw", "iscm"),
        nodes=(5, 20),
        samples=(100, 500),
        replicates=4,
        better={"f1": "high", "shd": "low"},
    )
    frame = whole.frame
    return with_frame(whole, frame[(frame[NODES] == 5) | (frame[SAMPLES] == 500)])


@pytest.fixture(scope="module")
def analysis(table):
    return analyse(table)


SIZES = ((5, 100), (5, 500), (20, 500))


def rows_of(table, nodes, samples):
    frame = table.frame
    return frame[(frame[NODES] == nodes) & (frame[SAMPLES] == samples)]


@pytest.mark.parametrize("seed", range(10))
def test_sizes_are_the_distinct_values_of_what_varies(seed):
    """By plain loops; a value that is not stated is one of its own."""
    rng = np.random.default_rng(seed)
    values = {NODES: [5, 10, 20], SAMPLES: [100.0, 500.0, np.nan], DENSITY: [2.0]}
    frame = pd.DataFrame({name: rng.choice(of, 30) for name, of in values.items()})
    sizes, of_row = sizes_of(frame)

    def plain(row):
        return tuple(None if np.isnan(row[name]) else row[name] for name in (NODES, SAMPLES))

    rows = [plain(row) for row in frame.to_dict("records")]
    # From small to large, by the nodes first; what is not stated comes last.
    expected = sorted(set(rows), key=lambda row: (row[0], row[1] or np.inf))
    assert expected == [tuple(value for _, value in size.values) for size in sizes]
    assert rows == [tuple(value for _, value in sizes[index].values) for index in of_row]


def test_settings_drawn_at_random_are_one_size_and_say_so():
    frame = pd.DataFrame({NODES: [10, 13, 20, 20], SETTING: [0, 1, np.nan, np.nan]})
    sizes, of_row = sizes_of(frame)
    assert [((NODES, 20.0),), ((NODES, DRAWN),)] == [size.values for size in sizes]
    assert [1, 1, 0, 0] == of_row.tolist()
    assert ["20 nodes", "nodes drawn at random"] == [size.name for size in sizes]


def test_the_size_with_most_rows_is_shown_first_then_the_largest(table, analysis):
    assert [(20, 500), (5, 100), (5, 500)] == [
        (values[NODES], values[SAMPLES]) for values in map(dict, map(Size.to_dict, analysis.sizes))
    ]
    fewer = table.frame[(table.frame[NODES] == 5) | (table.frame["replicate"] > 0)]
    assert "n=500" in analyse(with_frame(table, fewer)).size.option
    assert "d=5" in analyse(with_frame(table, fewer)).size.option


def plain_of(analysis):
    """All that an analysis says but for what names its size."""
    found = analysis.to_dict()
    for name in ("size", "other_sizes"):
        found.pop(name, None)
    name = analysis.size.name
    return found | {"headline": found["headline"].removeprefix(f"{name}: " if name else "")}


def test_each_size_is_summarised_and_judged_as_if_there_were_no_other(table, analysis):
    found = {}
    for each in (analysis, *analysis.others):
        assert each.headline.startswith(f"{each.size.name}: ")
        values = each.size.to_dict()
        found[values[NODES], values[SAMPLES]] = plain_of(each)
    assert set(SIZES) == set(found)
    for size in SIZES:
        alone = analyse(with_frame(table, rows_of(table, *size)))
        assert () == alone.others
        assert repr(plain_of(alone)) == repr(found[size]), size


def test_json_has_every_size(analysis):
    plain = analysis.to_dict()
    assert {NODES: 20, SAMPLES: 500} == plain["size"]
    others = [(other["size"][NODES], other["size"][SAMPLES]) for other in plain["other_sizes"]]
    assert [(5, 100), (5, 500)] == others
    alone = analysis.at("d=20").to_dict()
    assert [] == alone["other_sizes"]


def tables_of(blocks):
    for block in blocks:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Fold):
            yield from tables_of(block.blocks)


def test_every_table_of_scores_says_its_size(table, analysis):
    """Tables of how runs ended and of findings are of all sizes: these average nothing."""
    names = [each.size.name for each in (analysis, *analysis.others)]
    ids, sized = [], dict.fromkeys(names, 0)
    for each in tables_of(analysis_document(analysis).blocks):
        ids.append(each.id)
        found = [name for name in names if each.title.startswith(f"{name}: ")]
        if each.id in ("counts", "reasons", "findings-by-size"):
            assert [] == found
        else:
            assert 1 == len(found), each.id
            sized[found[0]] += 1
    assert len(ids) == len(set(ids))
    assert 1 == len(set(sized.values()))
    assert min(sized.values()) > len(table.metrics)


def test_a_chosen_size_leaves_the_others_out(analysis):
    chosen = analysis.at("d=5,n=100")
    assert ("5 nodes, 100 samples", ()) == (chosen.size.name, chosen.others)
    several = analysis.at("nodes=5")
    assert ["d=5,n=100", "d=5,n=500"] == [size.option for size in several.sizes]
    assert ["d=5,n=500"] == [other.size.option for other in several.others]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("d=7", "no problems have this size; expected one of d=20,n=500; d=5,n=100; d=5,n=500"),
        ("d=20,n=100", "no problems have this size"),
        ("d", "expected such as d=20,n=500"),
        ("node=5", "did you mean 'nodes'"),
        ("d=five", "expected a number, none or drawn after d=, got 'five'"),
    ],
)
def test_a_size_that_there_is_not_is_refused(analysis, option, message):
    with pytest.raises(ValueError, match=message) as caught:
        analysis.at(option)
    assert str(caught.value).startswith(f"--size {option}: ")


def test_without_several_sizes_there_is_none_to_choose(table):
    alone = analyse(with_frame(table, rows_of(table, 5, 100)))
    with pytest.raises(ValueError, match="all problems have one size; leave the option out"):
        alone.at("d=5")
    assert "other_sizes" not in alone.to_dict()


def test_every_dimension_has_a_letter_of_its_own():
    letters = [dimension.letter for dimension in DIMENSIONS.values()]
    assert len(letters) == len(set(letters))
