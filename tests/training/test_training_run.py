"""The commands of training: budgets, checkpoints, weights, and what they refuse."""

import doctest
import importlib
import itertools
import json
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from causalassay.discovery import amortized_weights
from training_twins import torch

if torch:
    from training.__main__ import main
    from training.loop import Machine, Plan
    from training.network import Size
    from training.priors import PRIORS

    from training import audit, card, checkpoint, curve, feed, loop

pytestmark = pytest.mark.needs("package:torch")

TINY = ["--device", "cpu", "--width", "4", "--channels", "2", "--blocks", "1"]
FEW = ["--batch", "0.005", "--tests", "2"]


def run(folder, *words):
    return main([*TINY, *FEW, "--out", str(folder), *words])


def machine():
    return Machine(torch.device("cpu"), torch.float32)


def test_the_help_says_how_to_train_in_pieces_and_what_each_prior_is(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert 0 == ended.value.code
    told = capsys.readouterr().out
    assert "--stop-after 480 --resume" in told
    assert "python -m training.audit" in told
    lines = {line.split()[0]: line for line in told.partition("priors:\n")[2].splitlines()}
    assert PRIORS.keys() == lines.keys()
    assert "50% nonlinear; 3 to 50 nodes, 50 to 10000 rows; blind to units" in lines["broad"]
    assert "sees variances" in lines["raw"]


class Stopped(Exception):
    pass


def trained(folder, plan, state, stop_at=None):
    """Train and return the losses; a run that is stopped has raised in the middle of a step."""
    losses = {}

    def log(record):
        if record["step"] == stop_at:
            raise Stopped
        losses[record["step"]] = record["loss"], record["systems"], record["rate"]

    try:
        loop.train(state, plan, machine(), folder, log)
    except Stopped:
        assert stop_at is not None
    return losses


@pytest.mark.parametrize("prior", ["uumc", "broad"])
def test_a_resumed_run_is_the_run_that_was_never_stopped(prior, tmp_path, monkeypatch):
    monkeypatch.setattr(feed, "ROUND", 5)  # it stops within a round and goes on into the next
    plan = Plan(steps=8, batch=0.005, every_steps=1, checkpoint_seconds=0.0)
    own, size = PRIORS[prior], Size(4, 2, 1)
    whole = loop.begin(own, size, plan, machine())
    (tmp_path / "whole").mkdir()
    losses = trained(tmp_path / "whole", plan, whole)
    first = trained(tmp_path, plan, loop.begin(own, size, plan, machine()), stop_at=5)
    resumed = loop.resume(own, size, plan, machine(), tmp_path)
    assert resumed.step == 4
    assert first | trained(tmp_path, plan, resumed) == losses
    assert list(losses) == list(range(1, 9))
    for name, value in whole.average.items():
        assert torch.equal(value, resumed.average[name])
        assert torch.equal(whole.parameters[name], resumed.parameters[name])


def test_a_network_learns():
    plan = Plan(steps=60, batch=0.02, rate=3e-3, warm_up=5, every_steps=20)
    state = loop.begin(PRIORS["standardized"], Size(8, 4, 2), plan, machine())
    losses = []
    _, batch = feed.Feed(state.prior, 1, plan.batch, torch.device("cpu")).batch(0)
    for step in range(60):
        losses.append(float(loop.learn(state, batch, plan.rate_at(step, 0.0), plan, machine())))
    assert losses[-1] < 0.8 * losses[0]


def test_the_command_writes_weights_that_the_package_reads(tmp_path, capsys):
    assert run(tmp_path, "--prior", "uumc", "--steps", "3", "--seed", "4") == 0
    arrays, facts = amortized_weights.read(tmp_path / "uumc.npz")
    assert {"prior": "uumc", "steps": 3, "seed": 4, "finished": True, "blocks": 1}.items() <= (
        facts.items()
    )
    assert facts["command"].startswith("python -m training --device cpu")
    assert set(facts["f1"]) == set(loop.TESTS)
    state = loop.resume(PRIORS["uumc"], Size(4, 2, 1), Plan(steps=3, seed=4), machine(), tmp_path)
    for name, value in state.average.items():
        np.testing.assert_array_equal(arrays[name], value.numpy().astype(np.float16))
    last = json.loads((tmp_path / "uumc.log.jsonl").read_text().splitlines()[-1])
    assert last["finished"]
    assert last["step"] == 3
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == last


def test_a_larger_budget_goes_on(tmp_path):
    assert run(tmp_path, "--prior", "uumc", "--steps", "2") == 0
    assert run(tmp_path, "--prior", "uumc", "--steps", "5", "--resume") == 0
    lines = (tmp_path / "uumc.log.jsonl").read_text().splitlines()
    steps = [json.loads(line)["step"] for line in lines]
    assert steps == [2, 2, 5, 5]
    assert len(list(tmp_path.glob("uumc.checkpoint-*"))) == 2


def test_a_run_stops_in_time_with_checkpoint_and_weights(tmp_path, monkeypatch):
    ticks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks), perf_counter=time.perf_counter)
    monkeypatch.setattr(loop, "time", clock)
    plan = Plan(steps=1000, batch=0.005)
    state = loop.begin(PRIORS["raw"], Size(4, 2, 1), plan, machine())
    assert not loop.train(state, plan, machine(), tmp_path, lambda _: None, until=4)
    assert 0 < state.step < 5
    assert loop.resume(PRIORS["raw"], Size(4, 2, 1), plan, machine(), tmp_path).step == state.step


def test_a_run_without_time_trains_nothing(tmp_path, capsys):
    assert run(tmp_path, "--prior", "uumc", "--steps", "2", "--stop-after", "0") == 0
    assert "uumc: no time is left to train it" in capsys.readouterr().out
    assert not list(tmp_path.glob("uumc*"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prior", "uum", "--steps", "2"], "there is no prior 'uum'; there are raw, standard"),
        (["--prior", "uumc"], "expected --minutes or --steps, one of the two"),
        (["--prior", "uumc", "--steps", "2", "--minutes", "1"], "one of the two"),
        (["--prior", "uumc", "--steps", "0"], "--steps: expected a positive number, got 0"),
        (["--prior", "uumc", "--minutes", "nan"], "--minutes: expected a positive number, got nan"),
        (["--prior", "uumc", "--steps", "2", "--rate", "-1"], "--rate: expected a positive"),
        (["--prior", "uumc", "--steps", "2", "--seed", "-1"], "--seed: expected 0 or more, got -1"),
        (["--prior", "uumc", "--steps", "2", "--tests", "0"], "--tests: expected at least 1"),
        (["--prior", "uumc", "--steps", "2", "--width", "0"], "width: expected at least 1, got 0"),
        (["--prior", "uumc", "--steps", "2", "--device", "tpu"], "--device: expected cuda, cpu"),
        (["--prior", "uumc", "--steps", "2", "--resume"], "there is no checkpoint"),
    ],
)
def test_bad_arguments_are_refused_in_words(words, message, tmp_path, capsys):
    assert run(tmp_path, *words) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    assert run(folder, "--prior", "uumc", "--steps", "2") == 0
    return folder


def copied(finished, folder):
    for path in finished.glob("uumc.*"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder / "uumc.checkpoint.json"


def refused(folder, capsys, *words):
    assert run(folder, "--prior", "uumc", "--steps", "4", "--resume", *words) == 2
    return capsys.readouterr().err


def test_a_checkpoint_of_other_settings_is_refused(finished, tmp_path, capsys):
    copied(finished, tmp_path)
    assert "has seed 1, not 2" in refused(tmp_path, capsys, "--seed", "2")
    assert "has size {'width': 4," in refused(tmp_path, capsys, "--width", "6")


def test_a_checkpoint_of_another_prior_is_refused(finished, tmp_path, capsys):
    path = copied(finished, tmp_path)
    path.replace(tmp_path / "iscm.checkpoint.json")
    assert run(tmp_path, "--prior", "iscm", "--steps", "4", "--resume") == 2
    assert "is of the prior 'uumc', not of 'iscm'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-30], "is damaged"),
        (lambda text: "[]", "is no checkpoint of format 1"),
        (lambda text: text.replace('"format": 1', '"format": 9'), "is no checkpoint of format 1"),
        (lambda text: text.replace('"step"', '"stop"'), "does not say its step"),
        (lambda text: text.replace('"files"', '"fills"'), "its weights cannot be read"),
    ],
)
def test_a_damaged_list_of_a_checkpoint_is_refused(change, message, finished, tmp_path, capsys):
    path = copied(finished, tmp_path)
    path.write_text(change(path.read_text()))
    assert message in refused(tmp_path, capsys)


@pytest.mark.parametrize("piece", ["weights", "moments"])
def test_damaged_arrays_of_a_checkpoint_are_refused(piece, finished, tmp_path, capsys):
    copied(finished, tmp_path)
    path = tmp_path / f"uumc.checkpoint-2-{piece}.npz"
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 3] ^= 255
    for broken in (whole[:-200], b"", b"\x80\x04.", bytes(changed)):
        path.write_bytes(broken)
        assert f"its {piece} cannot be read" in refused(tmp_path, capsys)
    kinds = checkpoint.PIECES[piece]
    np.savez(path, **{f"{kind}/head.bias": np.zeros(1) for kind in kinds})
    assert "has other arrays" in refused(tmp_path, capsys)
    path.unlink()
    assert f"its {piece} cannot be read" in refused(tmp_path, capsys)


# What is said of a network, and drawn


@pytest.fixture
def small_audits(monkeypatch):
    monkeypatch.setattr(audit, "N_NODES", 8)
    monkeypatch.setattr(audit, "N_ROWS", 300)


@pytest.mark.usefixtures("small_audits")
def test_the_audit_goes_into_the_card_and_changes_no_weights(finished, tmp_path, capsys):
    copied(finished, tmp_path)
    path = tmp_path / "uumc.npz"
    arrays, before = amortized_weights.read(path)
    assert audit.main([str(path), "--systems", "2"]) == 0
    again, after = amortized_weights.read(path)
    assert all(np.array_equal(arrays[name], again[name]) for name in arrays)
    found = after.pop("audit")
    assert after == before
    assert list(found["parts"]) == list(audit.parts(PRIORS["uumc"]))
    whole = found["parts"]["all"]
    assert whole["systems"] == 2
    assert 0 <= whole["sortability"]["R2"] <= 1
    assert whole["sentence"] in capsys.readouterr().out


def test_the_judge_is_shown_columns_as_the_network_sees_them():
    for name, blind in (("standardized", True), ("raw", False)):
        pairs = audit.drawn(PRIORS[name], "gaussian", 4, 1)
        assert len(pairs) == 4
        for columns, graph in pairs:
            assert columns.shape == (audit.N_ROWS, audit.N_NODES)
            assert graph.shape == (audit.N_NODES, audit.N_NODES)
            assert np.allclose(columns.double().std(0, correction=0), 1, atol=1e-6) == blind


@pytest.mark.usefixtures("small_audits")
def test_the_judge_finds_variance_in_raw_systems():
    pooled = audit.judged(audit.drawn(PRIORS["raw"], "gaussian", 4, 1), 1)
    assert pooled.verdict.kind.value == "gameable"
    assert pooled.verdict.statistic == "variance"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected --prior, or files of weights"),
        (["--prior", "uum"], "there is no prior 'uum'"),
        (["--prior", "uumc", "--systems", "0"], "--systems: expected at least 1, got 0"),
        (["nothing.npz"], "nothing.npz"),
    ],
)
def test_an_audit_of_nothing_is_refused(words, message, capsys):
    assert audit.main(words) == 2
    assert message in capsys.readouterr().err


def test_cards_say_what_a_prior_draws():
    said = " ".join(card.schemes(PRIORS["broad"]) + card.laws(PRIORS["broad"]))
    assert "linear, uumc 15.0%" in said
    assert "nonlinear, standardised inside 50.0%" in said
    assert "each node its own (gaussian 60%" in said


def test_logs_are_drawn(tmp_path, capsys):
    for name in ("uumc", "iscm"):
        lines = [
            {"prior": name, "step": k, "systems": 512 * k, "loss_by_nodes": {"20": k / 1000}}
            for k in (20, 40, 60, 40)
        ]
        text = "".join(json.dumps(line) + "\n" for line in [*lines, {"prior": name, "f1": {}}])
        (tmp_path / f"{name}.log.jsonl").write_text(text)
    files = [str(tmp_path / f"{name}.log.jsonl") for name in ("uumc", "iscm")]
    picture = tmp_path / "training.svg"
    assert curve.main([*files, "--out", str(picture)]) == 0
    drawn = picture.read_text()
    assert "uumc 0.030, iscm 0.030" in drawn  # of steps 20 and 40, the second time
    (tmp_path / "piece").write_text(
        json.dumps({"prior": "uumc", "step": 60, "systems": 10**5, "loss_by_nodes": {"20": 0.09}})
    )
    assert curve.main([*files, str(tmp_path / "piece"), "--out", str(picture)]) == 0
    assert "uumc 0.050, iscm 0.030" in picture.read_text()
    (tmp_path / "empty").write_text("")
    assert curve.main([str(tmp_path / "empty"), "--out", str(picture)]) == 2
    assert "has no record with a loss at 20 nodes" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["priors", "generators", "audit", "curve"])
def test_examples_in_docstrings(name):
    found = doctest.testmod(importlib.import_module(f"training.{name}"))
    assert found.attempted > 0
    assert found.failed == 0


def test_training_is_not_in_the_wheel():
    text = Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["src/causalassay"]' in text
