"""Verdicts: every rule and its borders on made tables; five studies, recomputed from CSV."""

import dataclasses
import json
import math
import re
from collections import Counter

import numpy as np
import pytest

from causalassay.analysis import analyse, summarize
from causalassay.analysis.bootstrap import difference_of_means
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval
from causalassay.analysis.verdict.judgement import judge_study
from causalassay.analysis.verdict.lead_attribution import contrasts, find
from causalassay.analysis.verdict.scheme_assessment import ARTEFACTS, assess, is_clear
from causalassay.analysis.verdict.statements import STATISTICS, Number, StudyVerdict
from causalassay.study.storage import export, study_table
from summary_twins import BASELINES, SORTABILITIES, draw_table, make_table, with_frame
from verdict_twins import HEAD, STUDIES, Exported, run_here

NOISE = (0.02, -0.02, 0.01, -0.01)
RAW = {"var": 0.95, "r2": 0.85, "var-sortnregress": 0.9, "r2-sortnregress": 0.6}
FREE = {"var": 0.5, "r2": 0.5}


def arms(schemes, n_units=12, better="high", metric="f1"):
    """A study of some schemes on the same graphs: what each algorithm reaches, give or take.

    Baselines that are not stated are random order at 0.3, sorters the same, empty at 0;
    graphs drawn at random reach an F1 of 0.25.
    """
    rows = []
    for scheme, stated in schemes.items():
        levels = {**dict.fromkeys(BASELINES, 0.3), "empty": 0.0, **stated}
        sortability = {"var_sortability": levels.pop("var"), "r2_sortability": levels.pop("r2")}
        for index, (name, level) in enumerate(levels.items()):
            for unit in range(n_units):
                jitter = NOISE[(unit + index) % 4]
                rows.append(
                    {
                        "algorithm": name,
                        "role": "baseline" if name in BASELINES else "listed",
                        "scheme": scheme,
                        "problem": scheme,
                        "replicate": unit,
                        "graph.n_nodes": 10,
                        "n_edges": 15.0,
                        metric: level + jitter
                        if metric == "shd"
                        else min(1.0, max(0.0, level + jitter)),
                        **{k: v + NOISE[unit % 4] for k, v in sortability.items()},
                    }
                )
    diagnostics = (*SORTABILITIES, "n_edges")
    return make_table(rows, (metric,), {metric: better}, diagnostics)


def verdict(table):
    return analyse(table).verdict


def kinds(table, algorithm=None):
    statements = verdict(table).statements
    return [s.kind for s in statements if algorithm is None or s.algorithm == algorithm]


def of_scheme(table, scheme="raw"):
    return next(s for s in verdict(table).statements if s.scheme == scheme)


def of_algorithm(table, algorithm):
    return next(s for s in verdict(table).statements if s.algorithm == algorithm)


def interval(value, low=None, high=None, n_units=12):
    low, high = value - 0.1 if low is None else low, value + 0.1 if high is None else high
    return Interval(Number(value, "lead", "f1"), low, high, n_units)


# ----------------------------------------------------------------- the benchmark


def test_sorted_variances_and_a_winning_sorter_make_a_scheme_gameable():
    statement = of_scheme(arms({"raw": RAW | {"pc": 0.5}}))
    assert "study-gameable" == statement.kind
    assert "Gameable by variance and R² on raw data" in statement.sentence
    assert "reaches F1 0.90, random order 0.30" in statement.sentence
    assert "12 units" in statement.sentence


def test_a_sortability_is_clear_from_its_threshold_on_and_above_one_half():
    assert is_clear(interval(0.6, 0.51))
    assert not is_clear(interval(0.5999, 0.51))
    assert not is_clear(interval(0.6, 0.5))
    assert not is_clear(interval(0.9, 0.8, n_units=9))
    assert is_clear(interval(0.4, 0.3, 0.49), falling=True)
    assert not is_clear(interval(0.4, 0.3, 0.5), falling=True)


def test_one_of_sortability_and_winning_sorter_is_leaning():
    pc = {"pc": 0.5}
    assert (
        "study-leaning"
        == of_scheme(
            arms({"raw": RAW | pc | {"var-sortnregress": 0.3, "r2": 0.5, "r2-sortnregress": 0.3}})
        ).kind
    )
    assert "study-leaning" == of_scheme(arms({"raw": FREE | pc | {"r2-sortnregress": 0.5}})).kind


def test_a_scheme_without_either_is_not_gameable_and_has_nothing_to_compare_with():
    table = arms({"iscm": FREE | {"pc": 0.5}})
    assert ["study-not-gameable", "no-contrast", "algorithm-ahead"] == kinds(table)
    assert "nothing to compare with" in verdict(table).statements[1].sentence


def test_a_falling_statistic_is_named_and_is_no_contrast():
    statement = of_scheme(arms({"iscm": {"var": 0.5, "r2": 0.2, "pc": 0.5}}), "iscm")
    assert "R² falls along the causal order" in statement.sentence
    table = arms({"raw": RAW | {"pc": 0.8}, "iscm": {"var": 0.5, "r2": 0.2, "pc": 0.5}})
    assert "Any lead here may be due to R²-sortability" in verdict(table).statements[2].sentence


def test_fewer_than_ten_units_decide_nothing_but_tell_their_numbers():
    few, enough = (arms({"raw": RAW | {"pc": 0.5}}, n_units=n) for n in (9, 10))
    assert ["too-few-units", "too-few-units"] == kinds(few)
    assert "Too few units (9)" in of_scheme(few).sentence
    assert "0.95" in of_scheme(few).sentence
    assert ["study-gameable", "no-contrast", "algorithm-within-sorting"] == kinds(enough)


SHUFFLED = "raw + shuffle-labels"
SILENT = FREE | {name: 0.2 for name in BASELINES if name != "empty"}


def test_no_signal_is_told_by_numbers_and_not_by_the_name_of_the_scheme():
    statement = of_scheme(arms({"raw": SILENT | {"pc": 0.2, "ges": 0.15}}))
    assert "no-signal" == statement.kind
    assert "graphs drawn at random reach up to 0.25" in statement.sentence
    assert "study-not-gameable" == of_scheme(arms({SHUFFLED: FREE | {"pc": 0.5}}), SHUFFLED).kind


@pytest.mark.parametrize(("level", "kind"), [(0.25, "no-signal"), (0.27, "study-not-gameable")])
def test_a_lead_over_random_order_that_many_edges_may_give_is_no_signal(level, kind):
    statement = of_scheme(arms({"iscm": SILENT | {"dense": level}}), "iscm")
    assert kind == statement.kind


def test_where_chance_is_not_known_a_lead_over_random_order_is_a_signal():
    table = arms({"iscm": SILENT | {"dense": 0.24}})
    table = with_frame(table, table.frame.drop(columns="graph.n_nodes"))
    assert "study-not-gameable" == of_scheme(table, "iscm").kind


def test_a_sorter_that_does_no_better_than_chance_makes_nothing_gameable():
    levels = SILENT | {"var": 0.9, "var-sortnregress": 0.24, "pc": 0.5}
    assert "study-leaning" == of_scheme(arms({"raw": levels})).kind


def test_a_signal_must_beat_the_empty_graph_too():
    levels = FREE | dict.fromkeys(BASELINES, 50.0) | {"empty": 20.0}
    kinds_of = [
        of_scheme(arms({"raw": levels | {"pc": shd}}, better="low", metric="shd")).kind
        for shd in (30.0, 10.0)
    ]
    assert ["no-signal", "study-not-gameable"] == kinds_of


def test_without_random_order_there_is_no_talk_of_chance():
    table = arms({"iscm": FREE | {"pc": 0.3}})
    table = with_frame(table, table.frame[table.frame["role"] == "listed"])
    assert ["study-not-gameable", "no-contrast", "algorithm-scores"] == kinds(table)
    table = arms({"raw": RAW | {"pc": 0.3}})
    table = with_frame(table, table.frame[table.frame["role"] == "listed"])
    assert "no sorting baseline has a score" in of_scheme(table).sentence


def test_sortabilities_that_were_not_measured_are_called_so():
    table = arms({"raw": RAW | {"pc": 0.3}})
    table = with_frame(table, table.frame, diagnostics=())
    assert "study-unmeasured" == of_scheme(table).kind
    assert "+0.60" in of_scheme(table).sentence
    assert "algorithm-no-lead" == of_algorithm(table, "pc").kind


def test_units_that_tell_less_than_r2_are_called_arbitrary():
    by_r2 = RAW | {"var": 0.7, "var-sortnregress": 0.4, "r2-sortnregress": 0.6, "pc": 0.5}
    assert "tell less than R² (-0.20" in of_scheme(arms({"raw": by_r2})).sentence
    in_part = RAW | {"var": 0.7, "r2": 0.5, "r2-sortnregress": 0.3, "pc": 0.5}
    assert "tell only part of the order" in of_scheme(arms({"raw": in_part})).sentence
    only_r2 = RAW | {"var": 0.5, "var-sortnregress": 0.3, "pc": 0.5}
    sentence = of_scheme(arms({"raw": only_r2})).sentence
    assert (
        "variance shows no artefact (sortability 0.50); rescaling the columns would not" in sentence
    )


def test_graph_families_are_named_where_they_are_far_apart():
    table = arms({"iscm": {"var": 0.5, "r2": 0.7, "r2-sortnregress": 0.6, "pc": 0.5}})
    frame = table.frame.assign(**{"graph.kind": np.where(table.frame["replicate"] < 6, "a", "b")})
    assert " on a" not in of_scheme(with_frame(table, frame), "iscm").sentence
    frame["r2_sortability"] += np.where(frame["graph.kind"] == "a", -0.2, 0.2)
    assert "0.50 on a and 0.90 on b" in of_scheme(with_frame(table, frame), "iscm").sentence


# ----------------------------------------------------------------- the algorithms


def test_findings_follow_from_leads_and_falls():
    lead = interval(0.6)
    gone, some, same = interval(0.02), interval(0.3), interval(0.55)
    fall, none = interval(0.3), interval(0.05)
    assert "explained" == find(lead, [gone], [fall])
    assert "partly" == find(lead, [gone, some], [fall, fall])
    assert "robust" == find(lead, [same, some], [none, none])
    assert "mixed" == find(lead, [gone, some], [fall, none])
    assert "mixed" == find(lead, [gone], [none])
    assert "no lead" == find(gone, [gone], [none])
    assert "unaided" == find(gone, [gone, some], [none, none])


def test_findings_at_their_borders():
    lead, fall = interval(0.6), interval(0.3)
    assert "partly" == find(lead, [interval(0.15, 0.1)], [fall])
    assert "explained" == find(lead, [interval(0.1499, 0.1)], [fall])
    assert "explained" == find(lead, [interval(0.3, 0.0)], [fall])
    assert "robust" == find(lead, [interval(0.5)], [interval(0.1, 0.0)])
    assert "no lead" == find(interval(0.1, 0.0), [interval(0.1, 0.0)], [fall])
    assert "too few" == find(lead, [interval(0.1, n_units=9)], [fall])
    assert "explained" == find(lead, [interval(0.1, 0.0, n_units=10)], [fall])


CONTRAST = {
    "raw": RAW | {"notears": 0.94, "ges": 0.6, "both": 0.9, "lost": 0.3, "late": 0.3, "odd": 0.6},
    "standardized": FREE
    | {"notears": 0.2, "ges": 0.6, "both": 0.6, "lost": 0.3, "late": 0.5, "odd": 0.6},
    "iscm": FREE | {"notears": 0.31, "ges": 0.6, "both": 0.6, "lost": 0.3, "late": 0.3, "odd": 0.3},
}


@pytest.mark.parametrize(
    ("algorithm", "kind"),
    [
        ("notears", "algorithm-explained"),
        ("ges", "algorithm-robust"),
        ("both", "algorithm-partly-explained"),
        ("lost", "algorithm-no-lead"),
        ("late", "algorithm-unaided"),
        ("odd", "algorithm-mixed"),
    ],
)
def test_an_algorithm_is_judged_by_what_is_left_of_its_lead(algorithm, kind):
    assert [kind] == kinds(arms(CONTRAST), algorithm)


def test_an_explained_lead_is_told_with_the_scores_of_all_schemes_and_of_sorting():
    statement = of_algorithm(arms(CONTRAST), "notears")
    assert statement.sentence.startswith(
        "notears: F1 0.94 on raw data, 0.20 on standardized data, 0.31 on iSCM "
        "(on the same graphs, 12 units); sorting by variance alone reaches 0.90 on raw data. "
        "Its lead over random order is explained by var-sortability: +0.64 ["
    )
    assert {"raw", "standardized", "iscm", None} == {n.scheme for n in statement.numbers.values()}
    assert any("fall low" == number.statistic for number in statement.numbers.values())


def test_a_score_that_standardising_leaves_alone_is_called_so():
    assert (
        "Standardising the columns changes nothing." in of_algorithm(arms(CONTRAST), "ges").sentence
    )
    assert "changes nothing" not in of_algorithm(arms(CONTRAST), "both").sentence


def test_a_lead_can_be_explained_by_r2_where_standardising_does_not_touch_it():
    by_r2 = RAW | {"var": 0.5, "var-sortnregress": 0.3}
    table = arms(
        {"raw": RAW | {"pc": 0.6}, "standardized": by_r2 | {"pc": 0.6}, "iscm": FREE | {"pc": 0.3}}
        | {"uumc": FREE | {"pc": 0.31, "other": 0.6}}
    )
    table.frame = table.frame[table.frame["algorithm"] != "other"]
    statement = of_algorithm(table, "pc")
    assert "algorithm-explained" == statement.kind
    assert "explained by R²-sortability: +0.30" in statement.sentence
    assert (
        "on standardized data; without that artefact the lead shrinks to at most"
        in statement.sentence
    )


def assessments(schemes):
    table = arms(schemes)
    evidence = analyse(table).evidence
    return [assess(evidence, scheme) for scheme in evidence.cells]


def test_compared_are_the_most_sortable_scheme_and_those_free_of_the_artefact():
    by_r2 = RAW | {"var": 0.5, "var-sortnregress": 0.3}
    schemes = {"raw": RAW, "standardized": by_r2, "iscm": FREE, "data": FREE}
    pairs = contrasts(assessments({k: v | {"pc": 0.6} for k, v in schemes.items()}))
    assert [
        ("variance", "raw", ("standardized", "iscm")),
        ("R²", "standardized", ("iscm",)),
    ] == [(pair.artefact.word, pair.gameable, pair.free) for pair in pairs]


def test_a_scheme_without_signal_is_no_contrast():
    both = assessments({"raw": RAW | {"pc": 0.6}, "raw + shuffle-labels": FREE | {"pc": 0.3}})
    assert () == contrasts(both)
    assert [False, True] == [assessment.silent for assessment in both]
    assert not both[1].free_of(ARTEFACTS[0])


@pytest.mark.parametrize(
    ("level", "kind", "words"),
    [
        (0.3, "algorithm-no-lead", "not distinguishable from random order"),
        (0.1, "algorithm-no-lead", "behind random order"),
        (0.5, "algorithm-within-sorting", "behind sorting by variance alone"),
        (0.9, "algorithm-within-sorting", "not distinguishable from sorting by variance alone"),
        (1.0, "algorithm-beyond-sorting", "ahead of sorting by variance alone"),
    ],
)
def test_without_a_contrast_an_algorithm_stands_beside_random_order_and_sorting(level, kind, words):
    table = arms({"raw": RAW | {"pc": level}})
    assert kind == of_algorithm(table, "pc").kind
    assert words in of_algorithm(table, "pc").sentence
    contrast = next(s for s in verdict(table).statements if s.kind == "no-contrast")
    assert "whose model is iscm or uumc" in contrast.sentence


def test_an_algorithm_without_scores_is_not_judged():
    table = arms({"raw": RAW | {"pc": 0.5}})
    table.frame.loc[table.frame["algorithm"] == "pc", ["status", "f1"]] = ["timeout", math.nan]
    assert ["algorithm-no-score", "failures"] == kinds(table, "pc")


def test_units_count_by_what_is_left_of_an_algorithm():
    table = arms(CONTRAST)
    frame = table.frame
    lost = (frame["algorithm"] == "ges") & (frame["scheme"] == "iscm") & (frame["replicate"] > 8)
    frame.loc[lost, ["status", "reason", "f1"]] = ["timeout", "timeout: more than 5 s", math.nan]
    statement = of_algorithm(table, "ges")
    assert "too-few-units" == statement.kind
    assert "9 units, over the runs that ended" in statement.sentence
    assert ["algorithm-explained"] == kinds(table, "notears")


def test_the_main_metric_is_f1_or_the_first():
    table = arms({"raw": RAW | {"pc": 0.5}})
    table.frame["shd"] = 100 * (1 - table.frame["f1"])
    better = {"shd": "low", "f1": "high"}
    both = with_frame(table, table.frame, metrics=("shd", "f1"), better=better)
    assert of_algorithm(both, "pc").sentence.startswith("pc: F1 0.50")
    alone = with_frame(table, table.frame, metrics=("shd",), better={"shd": "low"})
    statement = of_algorithm(alone, "pc")
    assert statement.sentence.startswith("pc: SHD 50.0 on raw data; ahead of random order (+20.0 [")
    assert "algorithm-within-sorting" == statement.kind


# ----------------------------------------------------------------- what is amiss


def test_failures_are_told_with_places_counts_and_the_most_frequent_reason():
    table = arms({"raw": RAW | {"pc": 0.5}, "iscm": FREE | {"pc": 0.5}})
    own = table.frame["algorithm"] == "pc"
    for scheme, units, status, reason in (
        ("raw", [0, 1], "timeout", "timeout: more than 5 s"),
        ("iscm", [0], "failed", "raised ValueError: no"),
    ):
        rows = own & (table.frame["scheme"] == scheme) & table.frame["replicate"].isin(units)
        table.frame.loc[rows, ["status", "reason", "f1"]] = [status, reason, math.nan]
    statement = next(s for s in verdict(table).statements if s.kind == "failures")
    assert (
        "pc: 3 of 24 runs did not finish (1 failed and 2 timeout; 2 on raw data, 1 on iSCM), "
        "most often “timeout: more than 5 s” (2 of them). Its means are over survivors."
    ) == statement.sentence


def test_runs_still_to_come_are_counted():
    table = arms({"raw": RAW | {"pc": 0.5}})
    first = table.frame.index[table.frame["algorithm"] == "pc"][:2]
    statement = next(
        s
        for s in verdict(with_frame(table, table.frame.drop(first))).statements
        if s.kind == "incomplete"
    )
    assert "2 of pc" in statement.sentence


def disagreeing(gap, coverage=12):
    """Two algorithms, one first in SHD, the other in SID."""
    table = arms({"raw": RAW | {"a": 0.5, "b": 0.5}})
    frame = table.frame
    first = frame["algorithm"] == "a"
    jitter = frame["replicate"] % 3
    frame["shd"] = np.where(first, 10.0, 14.0) + jitter * first
    frame["sid"] = np.where(first, 30.0 + gap, 30.0) + jitter * 3 * first
    frame.loc[first & (frame["replicate"] >= coverage), ["status", "f1", "shd", "sid"]] = [
        "failed",
        *[math.nan] * 3,
    ]
    better = {"shd": "low", "f1": "high", "sid": "low"}
    return with_frame(table, frame, metrics=("shd", "f1", "sid"), better=better)


def test_metrics_with_different_firsts_disagree_where_both_are_distinguishable():
    statement = verdict(disagreeing(5.0)).statements[-1]
    assert "metrics-disagree" == statement.kind
    assert "SHD a (11.0) and SID b (30.0)" in statement.sentence
    assert "a is +3.00 [" in statement.sentence
    statement = verdict(disagreeing(-2.9)).statements[-1]
    assert "metrics-differ" == statement.kind
    assert "only the first is distinguishable" in statement.sentence
    assert "metrics" not in verdict(disagreeing(-9.0)).statements[-1].kind


def test_survivors_do_not_come_first():
    assert "metrics" not in verdict(disagreeing(5.0, coverage=11)).statements[-1].kind


# ----------------------------------------------------------------- laws


def test_names_stay_as_they_are():
    name = "<script>alert(1)</script> & [bold]"
    statement = of_algorithm(arms({"raw": RAW | {name: 0.5}}), name)
    assert statement.sentence.startswith(f"{name}: F1")


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_changes_nothing(seed):
    table = draw_table(seed, n_graphs=3)
    mixed = with_frame(table, table.frame.sample(frac=1, random_state=seed))
    assert verdict(table).to_dict() == verdict(mixed).to_dict()


def test_a_summary_by_other_columns_gives_the_same_verdict():
    table = arms(CONTRAST)
    evidence = Evidence(table.frame, analyse(table).runs, summarize(table, by=()))
    assert verdict(table) == judge_study(evidence)


def test_a_table_without_rows_has_nothing_to_say():
    table = arms({"raw": RAW})
    empty = with_frame(table, table.frame.iloc[:0])
    assert StudyVerdict(()) == verdict(empty)
    assert ["There is nothing to say yet."] == verdict(empty).lines()


def test_lines_are_the_sentences_and_each_rule_once():
    judged = verdict(arms(CONTRAST))
    lines = judged.lines()
    rules = {statement.rule for statement in judged.statements}
    assert len(judged.statements) + len(rules) == len(lines)
    assert f"- {judged.statements[0].sentence} (rule 1)" == lines[0]
    assert lines[-1].startswith(f"Rule {len(rules)}: ")


def test_unpaired_schemes_are_set_beside_each_other_with_a_word_of_warning():
    table = arms(CONTRAST)
    statement = of_algorithm(
        with_frame(table, table.frame.assign(graph_key=table.frame["scheme"])), "notears"
    )
    assert "algorithm-explained" == statement.kind
    assert "not all on the same graphs" in statement.sentence


def test_differences_of_means_resample_whole_units():
    values = np.array([1.0, 2.0, 0.0, 0.0, math.nan])
    units = np.array([0, 1, 0, 1, 2])
    mean, n_units = difference_of_means(values, units, np.array([1, 1, 0, 0, 1], dtype=bool))
    assert (1.5, 1.0, 2.0, 2) == (mean.value, mean.low, mean.high, n_units)
    mean, n_units = difference_of_means(values[[0, 2]], units[[0, 2]], np.array([True, False]))
    assert 1 == n_units
    assert math.isnan(mean.low)


# ----------------------------------------------------------------- five studies


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Of each small study the table, the verdict and the exported rows."""
    folder = tmp_path_factory.mktemp("studies")
    studies = {}
    for name in STUDIES:
        results = run_here(HEAD + STUDIES[name], folder / name)
        export(results, folder / f"{name}.csv")
        table = study_table(results)
        studies[name] = table, verdict(table), Exported(folder / f"{name}.csv", table.better)
    return studies


def of_study(judged, name, algorithm=None):
    return [s for s in judged[name][1].statements if algorithm is None or s.algorithm == algorithm]


@pytest.mark.parametrize("name", STUDIES)
def test_every_number_is_recomputed_from_the_exported_table(judged, name):
    _, judgement, exported = judged[name]
    numbers = {n for statement in judgement.statements for n in statement.numbers.values()}
    assert len(numbers) > 25
    for number in numbers:
        assert number.statistic in STATISTICS
        assert pytest.approx(exported.value(number), rel=1e-9, abs=1e-9) == number.value, (
            number.name
        )


@pytest.mark.parametrize("name", STUDIES)
def test_leads_and_shares_are_those_of_the_summary(judged, name):
    table, judgement, _ = judged[name]
    summary = summarize(table)
    margins = summary.attribution.margins
    for statement in judgement.statements:
        for number in statement.numbers.values():
            if number.statistic == "lead low" and number.column == "f1":
                same = (
                    (margins["algorithm"] == number.algorithm)
                    & (margins["opponent"] == number.opponent)
                    & (margins["scheme"] == number.scheme)
                    & (margins["metric"] == "f1")
                )
                assert {number.value} == set(margins[same]["low"])


@pytest.mark.parametrize("name", STUDIES)
def test_a_sentence_has_no_number_that_its_mapping_lacks(judged, name):
    _, judgement, _ = judged[name]
    for statement in judgement.statements:
        cited = {number.text for number in statement.numbers.values()}
        plain = re.sub(r"F1|R²|95 %|1/2", "", statement.sentence)
        assert set(re.findall(r"[+-]?\d+(?:\.\d+)?", plain)) <= cited


@pytest.mark.parametrize("name", STUDIES)
def test_a_verdict_is_plain_json(judged, name):
    plain = judged[name][1].to_dict()
    assert plain == json.loads(json.dumps(plain, allow_nan=False))


def test_five_studies_get_five_verdicts(judged):
    texts = {tuple(s.sentence for s in judgement.statements) for _, judgement, _ in judged.values()}
    assert len(STUDIES) == len(texts)


def test_on_all_schemes_notears_is_explained_and_pc_is_not(judged):
    raw = of_study(judged, "all")[0]
    assert ("study-gameable", "raw") == (raw.kind, raw.scheme)
    (notears,) = of_study(judged, "all", "notears")
    assert "algorithm-explained" == notears.kind
    assert "explained by var-sortability" in notears.sentence
    (pc,) = of_study(judged, "all", "pc")
    # Robust or mixed: that hangs on the one random order of each data set that it is compared with.
    assert pc.kind in {"algorithm-robust", "algorithm-mixed"}
    assert "explained" not in pc.sentence
    assert "Standardising the columns changes nothing." in pc.sentence


def test_on_iscm_only_nothing_is_gameable_by_variance_and_raw_is_missed(judged):
    first, second, *_ = of_study(judged, "iscm")
    assert ["study-not-gameable", "no-contrast"] == [first.kind, second.kind]
    assert "No evidence that iSCM can be gamed by variance or R²" in first.sentence
    assert "gain on raw data" in second.sentence


def test_on_raw_only_every_lead_is_in_doubt(judged):
    first, second, *_ = of_study(judged, "raw")
    assert ["study-gameable", "no-contrast"] == [first.kind, second.kind]
    assert "sorting by variance alone" in first.sentence
    assert "Any lead here may be due to var-sortability" in second.sentence
    assert "iscm or uumc" in second.sentence
    (notears,) = of_study(judged, "raw", "notears")
    assert "may still rest on" in notears.sentence


def test_shuffled_labels_leave_no_signal(judged):
    first, *others = of_study(judged, "shuffled")
    assert "no-signal" == first.kind
    assert "Check that this graph belongs to these data." in first.sentence
    assert {"algorithm-no-lead"} == {s.kind for s in others if s.algorithm}


@pytest.mark.slow
def test_of_a_hundred_studies_with_shuffled_labels_few_show_a_signal_and_none_is_gameable(tmp_path):
    # The rule was made looking at studies of another seed.
    text = HEAD.replace("seed = 3", "seed = 7").replace("replicates = 12", "replicates = 1200")
    text = text.replace('"notears"', '"mmhc", "mse-gds", "variance-sorting"')
    table = study_table(run_here(text + STUDIES["shuffled"], tmp_path / "shuffled"))
    study = table.frame["replicate"] // 12
    kinds_of = [of_scheme(with_frame_of(table, study == k), SHUFFLED).kind for k in range(100)]
    counts = Counter(kinds_of)
    assert {"no-signal", "study-leaning"} >= set(counts)
    assert counts["no-signal"] >= 95


def with_frame_of(table, rows):
    return dataclasses.replace(table, frame=table.frame[rows])


def test_rescaled_columns_leave_r2_and_make_units_doubtful(judged):
    first, *_ = of_study(judged, "rescaled")
    assert "study-gameable" == first.kind
    assert "R²" in first.sentence
    assert "arbitrary" in first.sentence
    (notears,) = of_study(judged, "rescaled", "notears")
    assert notears.kind in ("algorithm-within-sorting", "algorithm-no-lead")
