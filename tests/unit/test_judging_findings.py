"""One table of kinds, labels and sentences: complete, and every template can be filled."""

import re
from string import Formatter

import pytest

from causalassay.judging.findings import (
    GAMEABLE_KINDS,
    ORDER_KINDS,
    RULES,
    WORDING,
    Finding,
    FindingKind,
    Subject,
    main_finding,
    rules_of,
)


def templates(kind):
    """Yield the variant and the text of each sentence and each advice."""
    wording = WORDING[kind]
    for texts in (wording.sentences, wording.advice):
        yield from [("", texts)] if isinstance(texts, str) else texts.items()


def test_every_kind_has_a_label_and_a_sentence():
    assert set(FindingKind) == set(WORDING)
    for kind in FindingKind:
        assert kind.label
        assert any(text for _, text in templates(kind))


def test_ids_are_words_with_hyphens_and_labels_are_for_people():
    for kind in FindingKind:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.value)
        assert "-" not in kind.label.replace("cut-off", "")
    labels = [kind.label for kind in FindingKind]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("kind", list(FindingKind), ids=lambda kind: kind.value)
def test_every_template_can_be_filled(kind):
    every = list(templates(kind))
    named = [
        (name, spec)
        for _, text in every
        for _, name, spec, _ in Formatter().parse(text)
        if name is not None
    ]
    assert all(name.isidentifier() for name, _ in named)
    values = {name: "words" for name, _ in named} | {name: 0.5 for name, spec in named if spec}
    for variant, _ in every:
        finding = Finding(kind, Subject("variance"), numbers=values, variant=variant)
        assert not set("{}") & set(finding.text)
        assert "  " not in finding.text


def test_the_advice_of_a_variant_belongs_to_a_sentence():
    for kind, wording in WORDING.items():
        if not isinstance(wording.advice, str):
            known = {""} if isinstance(wording.sentences, str) else set(wording.sentences)
            assert set(wording.advice) <= known | {"all"}, kind


def test_a_finding_that_lacks_a_word_says_which():
    with pytest.raises(KeyError, match="why"):
        _ = Finding(FindingKind.UNDECIDED).sentence


def test_the_gravest_finding_on_the_order_is_the_verdict():
    undecided = Finding(FindingKind.UNDECIDED)
    refuted = Finding(FindingKind.GRAPH_REFUTED)
    for kind in GAMEABLE_KINDS:
        assert kind == main_finding((undecided, refuted, Finding(kind))).kind
    assert list(ORDER_KINDS) == sorted(ORDER_KINDS, key=ORDER_KINDS.index)


def test_rules_come_with_those_they_rest_on_each_once():
    names = list(rules_of((Finding(FindingKind.NO_EVIDENCE, rule="no evidence"),) * 2))
    assert ["two tests", "no evidence"] == names
    for rule in RULES.values():
        assert {*rule.rests_on, *filter(None, [rule.rate_of])} <= set(RULES)


def test_a_kind_is_its_id_to_whoever_compares_or_prints_it():
    assert "gameable-backwards" == FindingKind.GAMEABLE_BACKWARDS
    assert "'gameable-backwards'" == repr(FindingKind.GAMEABLE_BACKWARDS)
    assert FindingKind.GAMEABLE is FindingKind("gameable")
