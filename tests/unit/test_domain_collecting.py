"""The runner of factorial experiments, without any server."""

from __future__ import annotations

import json

import pytest

from causalassay.cli.domain import announce
from causalassay.lab.domains.collecting import MeasurementFailed, collect
from causalassay.lab.domains.plan import Plan, Subject

TREATMENTS = {"cache": ("off", "on"), "memory": (1, 2, 4)}


def _plan(**changes):
    subjects = tuple(Subject(name, {"size": size}) for size, name in enumerate("abcde"))
    parts = {"trials": 2, "seed": 1} | changes
    return Plan("demo", subjects, TREATMENTS, ("seconds",), **parts)


def _measure(subject, setting):
    return {"seconds": subject.covariates["size"] * setting["memory"]}


class _StopAfter:
    """Measures so often, then is interrupted."""

    def __init__(self, most):
        self.left = most

    def __call__(self, subject, setting):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return _measure(subject, setting)


def test_every_combination_is_measured_once_per_trial(tmp_path):
    table = collect(_plan(), _measure, tmp_path / "journal").table()
    assert 5 * 6 * 2 == len(table)
    assert not table.duplicated(["subject", "trial", *TREATMENTS]).any()
    assert ["subject", "trial", "cache", "memory", "seconds", "size"] == list(table)


def test_the_order_follows_the_seed_and_differs_between_trials():
    keys = [step.key for step in _plan().steps()]
    assert keys == [step.key for step in _plan().steps()]
    assert keys != [step.key for step in _plan(seed=2).steps()]
    first, second = ([key[3:] for key in half] for half in (keys[:30], keys[30:]))
    assert first != second
    assert sorted(first) == sorted(second)


def test_a_blocked_treatment_changes_once_per_level_and_trial():
    levels = [step.setting["memory"] for step in _plan(blocked=("memory",)).steps()]
    changes = sum(one != other for one, other in zip(levels, levels[1:], strict=False))
    assert changes in (2 * 3 - 2, 2 * 3 - 1)  # the second trial may begin as the first ended


def test_an_interrupted_experiment_resumes_without_gaps_or_duplicates(tmp_path):
    whole = collect(_plan(), _measure, tmp_path / "whole").table()
    journal = tmp_path / "journal"
    for most in (7, 20):
        with pytest.raises(KeyboardInterrupt):
            collect(_plan(), _StopAfter(most), journal)
    resumed = collect(_plan(), _StopAfter(60 - 27), journal)
    assert whole.equals(resumed.table())
    assert 3 == len(resumed.sessions)
    measured = [line for line in journal.read_text().splitlines() if '"trial"' in line]
    assert 60 == len(measured)


def test_a_resumed_experiment_says_what_was_measured_before(tmp_path, capsys):
    journal = tmp_path / "journal"
    announce("Demo 1", _plan(), journal, "things", 1.0)
    assert "(5 things x 6 settings x 2 trials), about 1 min in all\n" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        collect(_plan(), _StopAfter(37), journal)
    before = journal.read_bytes()
    journal.write_bytes(before + b'{"tria')
    announce("Demo 1", _plan(), journal, "things", 1.0)
    assert ", 37 of 60 measured before; about 20 s left\n" in capsys.readouterr().err
    assert journal.read_bytes() == before + b'{"tria'
    with pytest.raises(ValueError, match="journal of another experiment"):
        announce("Demo 1", _plan(seed=2), journal, "things", 1.0)
    collect(_plan(), _measure, journal)
    announce("Demo 1", _plan(), journal, "things", 1.0)
    assert ", all measured before\n" in capsys.readouterr().err


def test_a_torn_last_line_is_measured_again(tmp_path):
    journal = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        collect(_plan(), _StopAfter(5), journal)
    journal.write_bytes(journal.read_bytes()[:-9])
    collected = collect(_plan(), _StopAfter(60 - 4), journal)
    assert 60 == len(collected.table())


@pytest.mark.parametrize(
    ("change", "named"),
    [({"seed": 2}, "seed was 1 there and is 2 here"), ({"trials": 3}, "trials was 2")],
)
def test_a_journal_of_another_plan_is_refused(tmp_path, change, named):
    journal = tmp_path / "journal"
    collect(_plan(), _measure, journal)
    before = journal.read_bytes()
    with pytest.raises(ValueError, match=f"journal of another experiment.*{named}"):
        collect(_plan(**change), _measure, journal)
    assert before == journal.read_bytes()


def test_a_journal_with_other_subjects_is_refused(tmp_path):
    collect(_plan(), _measure, tmp_path / "journal")
    other = Plan("demo", (Subject("a", {"size": 9}),), TREATMENTS, ("seconds",), 2, 1)
    with pytest.raises(ValueError, match="subjects"):
        collect(other, _measure, tmp_path / "journal")


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "{}\n", "[]\n", "a,b", '{"plan": 3}\n'])
def test_a_file_that_is_no_journal_is_refused_and_kept(tmp_path, text):
    journal = tmp_path / "journal"
    journal.write_text(text)
    with pytest.raises(ValueError, match="journal"):
        collect(_plan(), _measure, journal)
    assert text == journal.read_text()


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    journal = tmp_path / "journal"
    collect(_plan(), _measure, journal)
    lines = journal.read_text().splitlines()
    lines[4] = lines[4][:10]
    journal.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="line 5"):
        collect(_plan(), _measure, journal)


def test_two_processes_cannot_share_a_journal(tmp_path):
    journal = tmp_path / "journal"

    def measure(subject, setting):
        collect(_plan(), _measure, journal)

    with pytest.raises(ValueError, match="another process"):
        collect(_plan(), measure, journal)


def test_a_subject_with_a_failed_measurement_is_left_out_and_listed(tmp_path):
    def measure(subject, setting):
        if subject.id == "b" and setting == {"cache": "on", "memory": 2}:
            raise MeasurementFailed("took longer than 5 s")
        return _measure(subject, setting)

    collected = collect(_plan(), measure, tmp_path / "journal")
    assert {"b": "took longer than 5 s"} == collected.left_out
    assert {"took longer than 5 s": 2} == collected.failures
    assert {"a", "c", "d", "e"} == set(collected.table()["subject"])
    assert 2 == collected.provenance()["failed"]["took longer than 5 s"]


def test_an_outcome_that_is_not_finite_is_a_failed_measurement(tmp_path):
    def measure(subject, setting):
        return {"seconds": float("nan") if subject.id == "a" else 1}

    collected = collect(_plan(), measure, tmp_path / "journal")
    assert {"a": "seconds is not a finite number"} == collected.left_out


def test_an_experiment_in_which_all_fails_says_why(tmp_path):
    def measure(subject, setting):
        raise MeasurementFailed("no answer")

    collected = collect(_plan(), measure, tmp_path / "journal")
    with pytest.raises(ValueError, match=r"no subject has every .* 60 failed \(no answer\)"):
        collected.table()


def test_progress_counts_what_earlier_sessions_measured(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        collect(_plan(), _StopAfter(5), tmp_path / "journal")
    seen = []
    collect(_plan(), _measure, tmp_path / "journal", lambda *numbers: seen.append(numbers))
    assert (5, 60, 0) == seen[0]
    assert (60, 60, 0) == seen[-1]


def test_the_provenance_holds_no_name_of_the_machine_or_a_folder(tmp_path):
    import platform

    text = json.dumps(collect(_plan(), _measure, tmp_path / "journal").provenance())
    assert platform.node() not in text
    assert str(tmp_path) not in text


def test_the_experiment_survives_its_files(tmp_path):
    from causalassay.lab.factorial import read_experiment, write_experiment

    made = collect(_plan(), _measure, tmp_path / "journal").experiment("size", {"server": "1.2"})
    read = read_experiment(write_experiment(tmp_path / "demo.toml", made))
    assert (made.n_subjects, made.levels) == (read.n_subjects, read.levels)
    assert "1.2" == read.provenance["server"]
    assert made.frame["seconds"].tolist() == read.frame["seconds"].tolist()


def test_columns_that_never_vary_are_left_out_and_listed(tmp_path):
    subjects = tuple(Subject(name, {"size": size, "kind": 3}) for size, name in enumerate("ab"))
    plan = Plan("demo", subjects, TREATMENTS, ("seconds", "errors"), trials=1, seed=0)
    collected = collect(plan, lambda *given: _measure(*given) | {"errors": 0}, tmp_path / "journal")
    experiment = collected.experiment("size")
    assert (("seconds",), ("size",)) == (experiment.outcomes, experiment.covariates)
    assert {"errors": 0, "kind": 3} == experiment.provenance["constant"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"treatments": {"cache": ("on",)}}, "at least 2 different levels"),
        ({"treatments": {}}, "treatments: expected at least 1"),
        ({"subjects": ()}, "subjects: expected at least 1"),
        ({"subjects": (Subject("a", {}), Subject("a", {}))}, "each id once"),
        ({"subjects": (Subject("a", {"x": 1}), Subject("b", {}))}, "expected the covariates 'x'"),
        ({"trials": 0}, "trials"),
        ({"blocked": ("disk",)}, "'disk' is not a treatment"),
        ({"outcomes": ("cache",)}, "each treatment, outcome and covariate once"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(changes, fault):
    parts = {
        "domain": "demo",
        "subjects": (Subject("a", {}),),
        "treatments": TREATMENTS,
        "outcomes": ("seconds",),
        "trials": 1,
        "seed": 0,
    }
    with pytest.raises(ValueError, match=fault):
        Plan(**parts | changes)
