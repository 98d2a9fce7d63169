import numpy as np
import pytest

from causalassay.models import read_bif
from discrete_twins import ASIA, DOG


def written(tmp_path, text):
    path = tmp_path / "net.bif"
    path.write_text(text)
    return path


def test_odd_spacing_defaults_comments_and_properties_are_read(tmp_path):
    model = read_bif(written(tmp_path, DOG))
    assert ("family-out", "bowel", "dog-out") == model.names
    assert ("<5", "5-12", "12+") == model.levels[2]
    # Axes are the parents in ascending order: family-out, then bowel.
    np.testing.assert_allclose([0.9, 0.1, 0], model.tables[2][0, 0])
    np.testing.assert_allclose([1 / 3] * 3, model.tables[2][0, 1])
    np.testing.assert_allclose([0.2, 0.3, 0.5], model.tables[2][1, 0])
    np.testing.assert_allclose([0.15, 0.85], model.tables[0])


def test_in_a_table_the_nodes_own_level_changes_slowest(tmp_path):
    """The dog problem of the format's own page: p(out | bowel, family) row by row."""
    text = """network d {}
    variable b { type discrete [2] { t f }; }
    variable f { type discrete [2] { t f }; }
    variable o { type discrete [2] { t f }; }
    probability ( b ) { table 0.01 0.99; }
    probability ( f ) { table 0.15 0.85; }
    probability ( o | f b ) { table 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7; }
    """
    model = read_bif(written(tmp_path, text))
    # Parents as the file has them: f slower than b.
    assert 0.97 == pytest.approx(model.tables[2][1, 0, 0])
    assert 0.9 == pytest.approx(model.tables[2][0, 1, 0])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "type discrete [ 2 ] { yes, no };\n}\nvariable b",
            "type continuous;\n}\nvariable b",
            "line 4: expected 'discrete', got 'continuous'",
        ),
        ("[ 2 ] { yes, no }", "[ 3 ] { yes, no }", "line 4: 'a' is said to have 3 levels, got 2"),
        ("0.01, 0.99;", "0.01, 0.99", "line 11: expected a probability or ';', got '}'"),
        ("0.01, 0.99;", "0.01;", "line 10: 'b': expected 2 probabilities, got 1"),
        ("0.01, 0.99;", "0.01, o.99;", "line 10: expected a probability, got 'o.99'"),
        ("0.01, 0.99;", "0.5, 0.9;", "line 9: 'b': probabilities sum to 1.4, not to 1"),
        ("0.01, 0.99;", "1.5, -0.5;", "line 10: a probability is 0 to 1, got 1.5"),
        ("  (no) 0.3, 0.7;\n", "", r"line 12: 'a' has no probabilities where .* \['no'\]"),
        ("(no) 0.3", "(yes) 0.3", "line 14: 'a' has this configuration twice"),
        ("(no) 0.3", "(nope) 0.3", "line 14: 'b' has no level 'nope'"),
        ("(no) 0.3", "(no, no) 0.3", "line 14: 'a' has 1 parents, got 2 levels"),
        ("( a | b )", "( a | c )", "line 12: there is no variable 'c' above"),
        ("( a | b )", "( a | a )", "line 12: 'a' has a parent twice, or is one of its own"),
        ("probability ( b )", "probabilty ( b )", "line 9: expected 'network', 'variable'"),
        ("(yes) 0.6", "table 0.6, 0.4, 0.5, 0.5; (yes) 0.6", "line 12: 'a' has a table, so"),
        ("variable b", "variable a", "line 6: the variable 'a' is there twice"),
    ],
)
def test_mistakes_name_their_line(tmp_path, old, new, told):
    assert old in ASIA
    with pytest.raises(ValueError, match=told):
        read_bif(written(tmp_path, ASIA.replace(old, new, 1)))


def test_files_that_are_no_network_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no block 'variable'"):
        read_bif(written(tmp_path, ""))
    with pytest.raises(ValueError, match="'a' has no block 'probability'"):
        read_bif(written(tmp_path, "variable a { type discrete [1] { x }; }"))
    with pytest.raises(ValueError, match="line 1: expected .* but the file ends"):
        read_bif(written(tmp_path, "variable a { type discrete"))
    with pytest.raises(ValueError, match="quotation mark"):
        read_bif(written(tmp_path, 'variable "a {'))
    with pytest.raises(FileNotFoundError):
        read_bif(tmp_path / "absent.bif")
    cyclic = ASIA.replace("( b ) {\n  table 0.01, 0.99;", "( b | a ) {\n  default 0.01, 0.99;")
    with pytest.raises(ValueError, match="there is the cycle"):
        read_bif(written(tmp_path, cyclic))
