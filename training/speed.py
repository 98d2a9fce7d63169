"""Measure what a step takes: drawing the data, describing them, learning; for each frame.

    python -m training.speed --prior uumc --prior broad --seconds 3
    python -m training.speed --prior uumc --no-compile
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from training import loop, options
from training.__main__ import compiled
from training.feed import Feed
from training.loop import Machine, Plan, State
from training.priors import PRIORS, Frame, named


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parsed = argparse.ArgumentParser(
        prog="python -m training.speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parsed.add_argument
    add("--prior", action="append", help="repeatable (default: all)")
    add("--nodes", type=int, action="append", help="frames (default: all of the prior)")
    add("--seconds", type=float, default=2.0, help="of each measurement")
    add("--batch", type=float, default=1.0, help="multiplies the systems of a batch")
    add("--profile", action="store_true", help="print what takes the time of a step")
    options.add_machine(parsed)
    stated = parsed.parse_args(words)
    try:
        machine = options.machine_of(stated, stated.cache or Path("cache"))
        priors = [named(name) for name in stated.prior or PRIORS]
    except ValueError as error:
        print(f"training.speed: {error}", file=sys.stderr)  # noqa: T201
        return 2
    plan = Plan(steps=1_000_000, batch=stated.batch)
    for prior in priors:
        state = loop.begin(prior, options.size_of(stated), plan, machine)
        for frame in prior.frames:
            if stated.nodes is None or frame.nodes in stated.nodes:
                row = measured(state, frame, plan, machine, stated.seconds)
                print(json.dumps({"prior": prior.name, **row}), flush=True)  # noqa: T201
                if stated.profile:
                    profile(state, frame, plan, machine)
    return 0


def measured(
    state: State, frame: Frame, plan: Plan, machine: Machine, seconds: float
) -> dict[str, Any]:
    """Return the milliseconds of each part of a step, and systems a second."""
    begun = time.perf_counter()
    whole_feed = Feed(state.prior, 1, plan.batch, machine.device)
    own_frame = replace(frame, share=1.0)
    feed = Feed(replace(state.prior, frames=(own_frame,)), 1, plan.batch, machine.device)
    n_systems = whole_feed.n_systems(frame)
    compiled(state.parameters, frame.nodes, n_systems, machine)
    compiling = time.perf_counter() - begun
    if machine.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    steps = itertools.count()
    batch = feed.batch(0)[1]

    def step() -> None:
        loop.learn(state, feed.batch(next(steps))[1], 1e-4, plan, machine)

    draw = _milliseconds(lambda: feed.batch(next(steps)), machine, seconds)
    learn = _milliseconds(lambda: loop.learn(state, batch, 1e-4, plan, machine), machine, seconds)
    whole = _milliseconds(step, machine, seconds)
    memory = torch.cuda.max_memory_allocated() / 2**30 if machine.device.type == "cuda" else 0
    return {
        "nodes": frame.nodes,
        "systems": n_systems,
        "draw_ms": round(draw, 2),
        "learn_ms": round(learn, 2),
        "step_ms": round(whole, 2),
        "systems_per_second": round(1000 * n_systems / whole),
        "first_call_s": round(compiling, 1),
        "peak_GiB": round(memory, 2),
    }


def _milliseconds(call: Callable[[], Any], machine: Machine, seconds: float) -> float:
    call()
    machine.wait()
    begun, calls = time.perf_counter(), 0
    while True:
        for _ in range(8):
            call()
        calls += 8
        machine.wait()
        taken = time.perf_counter() - begun
        if taken > seconds:
            return 1000 * taken / calls


def profile(state: State, frame: Frame, plan: Plan, machine: Machine) -> None:
    """Print the kernels that take most of a step."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if machine.device.type == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    feed = Feed(replace(state.prior, frames=(frame,)), 1, plan.batch, machine.device)
    feed.batch(0)
    with torch.profiler.profile(activities=activities) as profiled:
        for _ in range(3):
            loop.learn(state, feed.batch(0)[1], 1e-4, plan, machine)
        machine.wait()
    by = "cuda_time_total" if machine.device.type == "cuda" else "cpu_time_total"
    table = profiled.key_averages().table(
        sort_by=by, row_limit=22, max_name_column_width=60
    )
    print("\n".join(line[:190] for line in table.splitlines()), flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
