"""A default that changes without a new version would leave old rows under the same key."""

import copy
import json

import pytest

from conformance.frozen_defaults import TABLE, breaches, current


def test_no_version_or_default_changed_unnoticed():
    sentences = breaches(json.loads(TABLE.read_text()), current())
    assert not sentences, "\n".join(sentences)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda pc: pc["defaults"].update(alpha="0.5"), "raise `version` of pc, or restore"),
        (lambda pc: pc["defaults"].pop("alpha"), "raise `version` of pc, or restore"),
        (lambda pc: pc["defaults"].update(more="1"), "it has new parameters; renew the table"),
        (lambda pc: pc.update(version=2), "its version was raised; renew the table"),
    ],
)
def test_a_change_is_told_with_what_to_do(change, message):
    frozen = current()
    present = copy.deepcopy(frozen)
    change(present["algorithms"]["pc"])
    (sentence,) = breaches(frozen, present)
    assert message in sentence


def test_plug_ins_that_come_or_go_renew_the_table():
    frozen = current()
    present = copy.deepcopy(frozen)
    present["metrics"]["new"] = present["metrics"].pop("shd")
    new, gone = breaches(frozen, present)
    assert new.startswith("metrics new: it is new; renew the table with `python ")
    assert gone.startswith("metrics shd is gone: renew the table with `python ")
