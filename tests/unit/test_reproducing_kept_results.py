"""What functions computed is kept between calls; an edit never meets an old number."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from causalassay.lab.papers import Cases, Estimate, Extremes, NotRun, Several, read_paper
from causalassay.lab.papers import running as running_module
from causalassay.lab.papers.running import KeptResults, package_checksum, reproduce
from recorded_outcomes import nothing_runs


@pytest.mark.parametrize(
    "found",
    [
        Estimate(1 / 3, np.float64(0.1), np.int64(7), 2, (-math.inf, 1.0)),
        Several((Estimate(1.0), Estimate(2.0, 0.5, 3, span=(0.0, 3.0)))),
        Extremes((0.1, 0.2), 5, 1),
        Cases(np.int64(3), 0),
    ],
)
def test_a_result_comes_back_as_it_was(found, tmp_path):
    kept = KeptResults(tmp_path / "computed", "1")
    assert found == kept.get("f", {}, lambda: found)
    again = kept.get("f", {}, lambda: pytest.fail("computed twice"))
    assert (type(found), found) == (type(again), again)


def test_a_picture_comes_back_as_it_was(tmp_path):
    data = pd.DataFrame({"x": [1, 2], "y": [0.1, math.nan], "series": "a", "panel": ""})
    kept = KeptResults(tmp_path, "1")
    kept.get("f", {}, lambda: data)
    pd.testing.assert_frame_equal(data, kept.get("f", {}, lambda: pytest.fail("computed twice")))


def test_other_parameters_and_other_code_are_computed_anew(tmp_path):
    calls = Counter()

    def compute(draws):
        calls[draws] += 1
        return Cases(draws, 0)

    kept = KeptResults(tmp_path, "1")
    for _ in range(2):
        kept.get("f", {"draws": 2}, compute)
    kept.get("f", {"draws": 3}, compute)
    dataclasses.replace(kept, checksum="2").get("f", {"draws": 2}, compute)
    assert {2: 2, 3: 1} == calls


def test_what_could_not_be_computed_is_not_kept(tmp_path):
    kept = KeptResults(tmp_path, "1")
    kept.get("f", {}, lambda: NotRun("no data"))
    assert not kept.has("f", {})
    assert Cases(1, 0) == kept.get("f", {}, lambda: Cases(1, 0))


def test_the_checksum_is_of_the_code():
    assert 64 == len(package_checksum())


def test_after_an_interruption_finished_values_are_not_computed_again(tmp_path, monkeypatch):
    calls, stop = Counter(), [True]

    def counted(name):
        def compute(**_):
            if name == "weighted-formula" and stop:
                raise KeyboardInterrupt
            calls[name] += 1
            return Cases(1, 0)

        return compute

    names = ("jaccard-formula", "weighted-formula")
    known = {name: counted(name) for name in names}
    monkeypatch.setattr(running_module, "COMPUTATIONS", known)
    paper = read_paper("eigenmann2020")
    with pytest.raises(KeyboardInterrupt):
        reproduce(paper, ["loss"], "fast", tmp_path, nothing_runs)
    stop.clear()
    found = reproduce(paper, ["loss"], "fast", tmp_path, nothing_runs)
    assert {"holds": 2} == dict(found.counts)
    assert dict.fromkeys(names, 1) == calls


def test_items_that_take_long_are_announced_until_they_are_kept(tmp_path):
    told = []
    for _ in range(2):
        reproduce(
            read_paper("reisach2021"), ["figure-2"], "fast", tmp_path, nothing_runs, told.append
        )
    assert ["reisach2021: figure-2, item 1 of 1"] == [line.rpartition(",")[0] for line in told]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-9],
        lambda text: "nonsense",
        lambda text: text.replace("0.25", "0.75"),
        lambda text: text.partition("\n")[0] + "\n[]",
    ],
)
def test_a_damaged_or_edited_file_is_computed_again(damage, tmp_path):
    kept = KeptResults(tmp_path, "1")
    kept.get("f", {}, lambda: Estimate(0.25))
    (file,) = tmp_path.glob("*.json")
    file.write_text(damage(file.read_text(encoding="utf-8")), encoding="utf-8")
    assert not kept.has("f", {})
    assert Estimate(0.25) == kept.get("f", {}, lambda: Estimate(0.25))
    assert kept.has("f", {})
