"""Every sentence of a report on many made studies: claim first, short, in plain words."""

import re

import pytest

from causalassay.analysis import analyse
from causalassay.analysis.report.terminal import failures_line
from causalassay.judging.findings import ALGORITHM_KINDS, FindingKind
from judged_tables import FREE, NOTHING, RAW, UP, arms, direct, draw_judged
from summary_twins import BASELINES

MOST_WORDS = 30
FORBIDDEN = ("tells nothing", " stands ", "of which", "a row a task")
CLAIMS = {
    "gameable": r"gameable by",
    "gameable-backwards": r"gameable backwards by",
    "sortable-only": r"sortable by .*, no gain in direction found",
    "gain-only": r"sorting by .* helps, no sortability found",
    "no-evidence": r"no evidence",
    "too-small": r"too small",
    "undecided": r"undecided",
    "no-score": r"not judged",
    "robust": r"is robust",
    "skeleton-lead": r"keeps a skeleton lead",
    "variance-order": r"depends on the order of variances",
    "variance-ratios": r"depends on the ratios of variances",
    "units": r"depends on the units",
    "lead-lost": r"loses its lead",
    "no-lead": r"No lead",
    "no-signal": r"no algorithm finds more",
    "no-free-scheme": r"No lead can be called robust",
    "no-rescaling": r"was not measured",
    "failures": r"did not finish",
    "incomplete": r"not complete",
    "metrics-disagree": r"metrics rank different algorithms first",
    "metrics-differ": r"metrics rank different algorithms first",
}
"""What each kind of statement says, in words that come before any number."""


@pytest.fixture(scope="module")
def analyses():
    by_chance = FREE | dict.fromkeys((*BASELINES, "a0"), 0.2)
    lost = arms({"raw": RAW | {"a0": 0.9}, "iscm": FREE | {"a0": 0.3}})
    joins = direct(arms({"iscm": FREE | {"a0": 0.6}, "uumc": FREE | {"a0": 0.6}}), "a0", 0.0, 0.9)
    made = [arms({"raw": by_chance}), lost, joins, *map(draw_judged, range(40))]
    return [analyse(table) for table in made]


def sentences_of(text):
    """The sentences of a text, without what it quotes."""
    plain = re.sub(r"“[^”]*”", "“”", text)
    return [part for part in re.split(r"(?<=\.) ", plain) if part]


def words_of(sentence):
    return [word for word in sentence.split() if re.search(r"[^\W\d_]", word)]


def texts_of(analysis):
    """All that a report says in sentences: the headline, the verdict, the rows, the order."""
    rows = [each.text for row in analysis.matrix.rows for each in row.statements]
    return [
        analysis.headline,
        *(statement.text for statement in analysis.verdict.statements),
        *rows,
        analysis.matrix.order,
    ]


def first_number(text):
    """Where the first number is: not a name such as a3, F1 or R²."""
    found = re.search(r"(?<![\w.])[+-]?\d", text)
    return found.start() if found else len(text)


def test_the_made_studies_have_statements_of_every_kind(analyses):
    kinds = {statement.kind for one in analyses for statement in one.verdict.statements}
    # No made table says what any order could reach, so none is too small to tell; and the other
    # metrics are random numbers, so none clearly disagree.
    assert set(CLAIMS) - {"too-small", "metrics-disagree"} == kinds
    of_algorithms = {kind for one in analyses for row in one.matrix.rows for kind in row.kinds}
    assert {*ALGORITHM_KINDS, FindingKind.NO_SCORE} == of_algorithms


def test_a_sentence_has_at_most_thirty_words(analyses):
    long = {
        sentence
        for analysis in analyses
        for text in texts_of(analysis)
        for sentence in sentences_of(text)
        if len(words_of(sentence)) > MOST_WORDS
    }
    assert set() == long


def test_no_sentence_has_a_phrase_that_readers_stumble_over(analyses):
    for analysis in analyses:
        for text in (*texts_of(analysis), failures_line(analysis.summary)):
            assert not [phrase for phrase in FORBIDDEN if phrase in text], text


def test_the_claim_comes_before_any_number(analyses):
    for analysis in analyses:
        for statement in analysis.verdict.statements:
            found = re.search(CLAIMS[statement.kind], statement.sentence)
            assert found, statement.sentence
            assert found.end() <= first_number(statement.sentence), statement.sentence
        assert re.match(
            r"(Sorting|Whether sorting|No evidence|One of two tests)", analysis.headline
        )
        if findings := analysis.findings.schemes:
            claim, rest = analysis.headline.split("; ", 1)
            assert findings
            assert re.match(
                r"(of|all) \d+ algorithms,? |both algorithms |a0: |the algorithms are not judged",
                rest,
            )
            assert first_number(claim) == len(claim) or " schemes" in claim


def test_the_headline_counts_every_listed_algorithm_once(analyses):
    for analysis in analyses:
        listed = len(analysis.evidence.listed)
        rest = analysis.headline.split("; ", 1)[1]
        if found := re.match(r"of (\d+) algorithms, (.*)\.$", rest):
            assert listed == int(found[1])
            counts = [int(part.split()[0]) for part in found[2].split(", ")]
            assert listed == sum(counts)
            assert 0 not in counts
        elif found := re.match(r"all (\d+) algorithms ", rest):
            assert listed == int(found[1])
        elif rest.startswith("both algorithms "):
            assert 2 == listed
        else:
            assert listed == 1 or rest.startswith("the algorithms are not judged")


def test_one_scheme_is_named_where_sorting_wins_and_where_it_does_not():
    names = [f"a{index}" for index in range(4)]
    gamed = arms({"raw": RAW | dict.fromkeys(names, 0.9), "iscm": FREE | dict.fromkeys(names, 0.6)})
    assert re.match(
        r"Sorting by variance beats chance on raw; all 4 algorithms still beat chance without it",
        analyse(gamed).headline,
    )
    free = arms({"iscm": FREE | {"pc": 0.6}})
    assert (
        "No evidence that sorting beats chance on any scheme; pc: robust." == analyse(free).headline
    )


ODD_FILES = (
    "{0}.csv",
    "{scheme} {}.csv",
    "100 % of [bold]it[/].csv",
    "a + b + standardize.csv",
    "$(rm) `x` \\n.csv",
    "naïve, 日本; and.csv",
    "“quoted”. And more.csv",
)


CLEAR = {"variance": UP | {"rising_p": 0.001, "up_direction_p": 0.001}, "r2": NOTHING}
"""An artefact that one instance is enough to find."""


@pytest.mark.parametrize("measured", [CLEAR, FREE])
@pytest.mark.parametrize("count", [1, 2, 3, len(ODD_FILES)])
def test_odd_file_names_do_not_break_the_headline(count, measured):
    table = arms({f"data{i}": measured | {"{pc} %s": 0.9, "b": 0.1} for i in range(count)})
    frame = table.frame
    for index in range(count):
        own = frame["scheme"] == f"data{index}"
        frame.loc[own, "data.file"] = ODD_FILES[index]
    frame["scheme"] = "data"
    analysis = analyse(table)
    schemes = [column.scheme for column in analysis.matrix.columns]
    assert (["data"] if count == 1 else sorted(ODD_FILES[:count])) == schemes
    if measured is FREE:
        assert analysis.headline.startswith("No evidence that sorting beats chance on any scheme; ")
    elif count == 1:
        assert analysis.headline.startswith("Sorting by variance beats chance on data file; ")
    elif count > 3:
        assert analysis.headline.startswith(
            f"Sorting by variance beats chance on {count} schemes; "
        )
    else:
        assert all(column.name in analysis.headline for column in analysis.matrix.columns)
    assert analysis.headline.endswith("; both algorithms are undecided.")
