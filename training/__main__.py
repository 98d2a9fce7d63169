"""Train small networks that tell causal graphs from moments of pairs of columns.

    python -m training --prior uumc --minutes 4 --out weights
    python -m training --prior raw --prior standardized --steps 2500 --out weights

Several priors are trained one after another, each with the whole budget; the network is compiled
once for all. Into the folder go PRIOR.npz (weights and card), PRIOR.log.jsonl and the checkpoint.

Where a command may run for no more than 9 minutes, train in pieces; repeat the second command
until its last line says "finished": true.

    python -m training --prior broad --minutes 16 --out weights --stop-after 480
    python -m training --prior broad --minutes 16 --out weights --stop-after 480 --resume

The budget counts from a network's first step: with --resume and a larger budget a finished network
is trained on. With --steps, the pieces together are the run without a stop.

Afterwards:

    python -m training.audit weights/uumc.npz     # what the judge says of the prior, into the card
    python -m training.curve weights/uumc.log.jsonl --out uumc.svg
    {use = "amortized", weights = "weights/uumc.npz"}                # in a study, or in `discover`
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from training import card, loop, network, options
from training.feed import Feed
from training.loop import Machine, Plan
from training.network import Parameters
from training.priors import PRIORS, in_words, named


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parsed = argparse.ArgumentParser(
        prog="python -m training",
        description=__doc__,
        epilog="priors:\n" + "\n".join(f"  {name:14}{in_words(PRIORS[name])}" for name in PRIORS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parsed.add_argument
    add("--prior", action="append", required=True, help=f"one of {', '.join(PRIORS)}; repeatable")
    add("--out", type=Path, required=True, help="folder of weights, logs and checkpoints")
    add("--minutes", type=float, help="budget of each prior in minutes of training")
    add("--steps", type=int, help="budget of each prior in steps, instead")
    add(
        "--seed",
        type=int,
        default=Plan.seed,
        help="of the first weights and of all data (%(default)s)",
    )
    add("--rate", type=float, default=Plan.rate, help="highest rate of learning (%(default)s)")
    add(
        "--batch",
        type=float,
        default=Plan.batch,
        help="multiplies the systems of a batch (%(default)s)",
    )
    add(
        "--tests",
        type=int,
        default=128,
        help="systems of each kind to test the network on (%(default)s)",
    )
    add("--resume", action="store_true", help="continue from the checkpoints in OUT")
    add("--from", dest="checkpoints", type=Path, help="folder of these checkpoints, if not OUT")
    add(
        "--stop-after",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="stop, with checkpoint and weights, this long after the start of the command",
    )
    options.add_machine(parsed)
    return parsed


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    started = time.monotonic()
    stated = parser().parse_args(words)
    said = ["python", "-m", "training", *(sys.argv[1:] if words is None else words)]
    try:
        run(stated, shlex.join(said), started)
    except (ArithmeticError, OSError, ValueError) as error:
        print(f"training: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


def run(stated: argparse.Namespace, command: str, started: float) -> None:
    """Train the stated priors one after another."""
    priors = [named(name) for name in dict.fromkeys(stated.prior)]
    if stated.tests < 1:
        raise ValueError(f"--tests: expected at least 1, got {stated.tests}")
    plan = Plan(
        minutes=stated.minutes,
        steps=stated.steps,
        seed=stated.seed,
        rate=stated.rate,
        batch=stated.batch,
    )
    size = options.size_of(stated)
    machine = options.machine_of(stated, stated.cache or stated.out / "cache")
    stated.out.mkdir(parents=True, exist_ok=True)
    print(f"{size.n_parameters()} parameters, {machine.device.type}", flush=True)  # noqa: T201
    states = [
        loop.resume(prior, size, plan, machine, stated.checkpoints or stated.out)
        if stated.resume
        else loop.begin(prior, size, plan, machine)
        for prior in priors
    ]
    if machine.run_block is not network.block:
        begun = time.monotonic()
        feed = Feed(priors[0], plan.seed, plan.batch, machine.device)
        frames = dict.fromkeys(frame for prior in priors for frame in prior.frames)
        for nodes, systems in dict.fromkeys(
            (frame.nodes, feed.n_systems(frame)) for frame in frames
        ):
            compiled(states[0].parameters, nodes, systems, machine)
        print(f"compiled in {time.monotonic() - begun:.1f} s", flush=True)  # noqa: T201
    for state in states:
        log_file = stated.out / f"{state.prior.name}.log.jsonl"
        if not stated.resume or stated.checkpoints:
            log_file.unlink(missing_ok=True)

        def log(record: dict[str, Any], path: Path = log_file) -> None:
            loop.write_line(path, record)
            if record["step"] % 200 == 0:
                print(json.dumps(record), flush=True)  # noqa: T201

        until = started + stated.stop_after
        if time.monotonic() > until:
            print(f"{state.prior.name}: no time is left to train it", flush=True)  # noqa: T201
            continue
        # What is tested and written afterwards takes seconds.
        finished = loop.train(state, plan, machine, stated.out, log, until=until)
        results = loop.tested(state.average, state.prior.blind_to_scale, machine, stated.tests)
        facts = card.of(state, machine, command, finished)
        card.export(state, stated.out / f"{state.prior.name}.npz", {**facts, "f1": results})
        end = {
            "prior": state.prior.name,
            "finished": finished,
            "step": state.step,
            "minutes": facts["minutes"],
            "systems": state.systems,
            "f1": results,
        }
        loop.write_line(log_file, end)
        print(json.dumps(end), flush=True)  # noqa: T201


def compiled(parameters: Parameters, nodes: int, systems: int, machine: Machine) -> None:
    """Let the compiler see a shape, so that no step waits for it."""
    shape = (systems, nodes, nodes, 13)
    pairs = torch.zeros(shape, device=machine.device)
    score = network.scores(pairs, nodes, parameters, machine.dtype, machine.run_block)
    score.sum().backward()
    for value in parameters.values():
        value.grad = None
    machine.wait()


if __name__ == "__main__":
    sys.exit(main())
