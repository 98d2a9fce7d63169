"""The loop that trains one network on one prior."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from training import checkpoint, features, generators, network
from training.feed import Batch, Feed
from training.generators import Part, Setting
from training.network import Parameters, Size
from training.priors import Prior

Log = Callable[[dict[str, Any]], None]

AVERAGED = 0.998
"""What the running average of the weights keeps of itself at a step; less at the beginning."""


@dataclass(frozen=True)
class Plan:
    """How long and how to train.

    Parameters
    ----------
    minutes, steps : float or int, optional
        The budget, counted from the first step of all: one of them. Time for compiling, tests and
        checkpoints is not counted.
    seed : int
        Of the first weights and of all data.
    rate : float
        The highest rate of learning; it rises over the first steps and falls along a cosine.
    warm_up : int
        Steps over which it rises.
    decay : float
        Weight decay of matrices.
    clip : float
        The largest norm of a gradient.
    batch : float
        Multiplies the systems of a batch.
    every_steps : int
        How often the device is waited for, and a record is logged.
    checkpoint_seconds : float
        How often a checkpoint is written.
    """

    minutes: float | None = None
    steps: int | None = None
    seed: int = 1
    rate: float = 1e-3
    warm_up: int = 200
    decay: float = 0.01
    clip: float = 1.0
    batch: float = 1.0
    every_steps: int = 20
    checkpoint_seconds: float = 60.0

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise ValueError("expected --minutes or --steps, one of the two")
        if self.seed < 0:
            raise ValueError(f"--seed: expected 0 or more, got {self.seed}")
        for name in ("minutes", "steps", "rate", "clip", "batch"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"--{name}: expected a positive number, got {value}")

    def progress(self, step: int, seconds: float) -> float:
        """Return the share of the budget that is used up."""
        if self.steps is not None:
            return step / self.steps
        assert self.minutes is not None
        return seconds / (60 * self.minutes)

    def rate_at(self, step: int, progress: float) -> float:
        """Return the rate of learning."""
        rising = min(1.0, (step + 1) / self.warm_up) if self.warm_up else 1.0
        return self.rate * rising * (1 + math.cos(math.pi * min(progress, 1.0))) / 2


@dataclass
class Machine:
    """What runs the network: a device, the type of its products and maybe a compiler."""

    device: torch.device
    dtype: torch.dtype
    run_block: network.Block = network.block

    def wait(self) -> None:
        """Wait until the device has done what it was told."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


@dataclass
class State:
    """A network in training."""

    prior: Prior
    size: Size
    parameters: Parameters
    average: Parameters
    optimizer: torch.optim.Optimizer
    step: int = 0
    seconds: float = 0.0
    systems: int = 0
    seed: int = 1
    losses: list[tuple[int, Tensor]] = field(default_factory=list)


def begin(prior: Prior, size: Size, plan: Plan, machine: Machine) -> State:
    """Return a network that has learned nothing."""
    parameters = network.initial(size, plan.seed, machine.device)
    average = {name: value.detach().clone() for name, value in parameters.items()}
    optimizer = _optimizer(parameters, plan, machine)
    return State(prior, size, parameters, average, optimizer, seed=plan.seed)


def resume(prior: Prior, size: Size, plan: Plan, machine: Machine, folder: Path) -> State:
    """Return the network of a checkpoint."""
    tensors, facts = checkpoint.load(folder, prior.name, machine.device)
    where = f"--resume: the checkpoint of {prior.name} in {folder}"
    missing = [name for name in ("size", "seed", "step", "seconds", "systems") if name not in facts]
    if missing:
        raise ValueError(f"{where} does not say its {missing[0]}; leave --resume out")
    for name, stated in (("size", asdict(size)), ("seed", plan.seed)):
        if facts[name] != stated:
            raise ValueError(f"{where} has {name} {facts[name]}, not {stated}")
    for kind, found in tensors.items():
        if {name: tuple(value.shape) for name, value in found.items()} != size.shapes():
            raise ValueError(f"{where} has other arrays ({kind}); leave --resume out")
    state = begin(prior, size, plan, machine)
    for name, value in state.parameters.items():
        value.data.copy_(tensors["parameters"][name])
        state.average[name].copy_(tensors["average"][name])
        state.optimizer.state[value] = {
            "step": torch.tensor(float(facts["step"]), device=_device_of_steps(machine)),
            "exp_avg": tensors["exp_avg"][name],
            "exp_avg_sq": tensors["exp_avg_sq"][name],
        }
    state.step, state.seconds, state.systems = facts["step"], facts["seconds"], facts["systems"]
    return state


def save(state: State, folder: Path) -> None:
    """Write a checkpoint."""
    moments = {
        kind: {name: state.optimizer.state[value][kind] for name, value in state.parameters.items()}
        for kind in checkpoint.PIECES["moments"]
    }
    facts = {
        "prior": state.prior.name,
        "size": asdict(state.size),
        "seed": state.seed,
        "step": state.step,
        "seconds": state.seconds,
        "systems": state.systems,
    }
    tensors = {"parameters": state.parameters, "average": state.average, **moments}
    checkpoint.save(folder, state.prior.name, tensors, facts)


def _optimizer(parameters: Parameters, plan: Plan, machine: Machine) -> torch.optim.Optimizer:
    matrices = [value for value in parameters.values() if value.dim() == 2]
    vectors = [value for value in parameters.values() if value.dim() < 2]
    return torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": plan.decay},
            {"params": vectors, "weight_decay": 0.0},
        ],
        lr=plan.rate,
        betas=(0.9, 0.98),
        fused=machine.device.type == "cuda",
    )


def _device_of_steps(machine: Machine) -> torch.device:
    return machine.device if machine.device.type == "cuda" else torch.device("cpu")


def learn(state: State, batch: Batch, rate: float, plan: Plan, machine: Machine) -> Tensor:
    """Make one step and return the loss, still on the device."""
    score = network.scores(
        batch.features, batch.graph.shape[1], state.parameters, machine.dtype, machine.run_block
    )
    loss = network.loss(score, batch.graph, batch.counted)
    loss.backward()
    values = list(state.parameters.values())
    torch.nn.utils.clip_grad_norm_(values, plan.clip)
    for group in state.optimizer.param_groups:
        group["lr"] = rate
    state.optimizer.step()
    state.optimizer.zero_grad(set_to_none=True)
    state.step += 1
    kept = min(AVERAGED, state.step / (state.step + 10))
    with torch.no_grad():
        torch._foreach_lerp_(list(state.average.values()), values, 1 - kept)
    return loss.detach()


def train(
    state: State,
    plan: Plan,
    machine: Machine,
    folder: Path,
    log: Log,
    *,
    until: float = math.inf,
) -> bool:
    """Train until the budget is used up, and return whether it is.

    Parameters
    ----------
    state : State
        Of `begin` or `resume`; it is changed.
    plan : Plan
        The budget.
    machine : Machine
        What runs the network.
    folder : Path
        For checkpoints.
    log : callable
        Is given the records.
    until : float
        When to stop in any case, by `time.monotonic`.
    """
    feed = Feed(state.prior, plan.seed, plan.batch, machine.device)
    saved = time.monotonic()
    started, seconds, logged = time.perf_counter(), state.seconds, state.seconds
    pending: list[tuple[int, int, Tensor]] = []
    progress = plan.progress(state.step, state.seconds)
    while progress < 1 and time.monotonic() < until:
        frame, batch = feed.batch(state.step)
        rate = plan.rate_at(state.step, progress)
        value = learn(state, batch, rate, plan, machine)
        n_systems = len(batch.graph)
        state.systems += n_systems
        pending.append((frame.nodes, n_systems, value))
        state.seconds = seconds + time.perf_counter() - started
        progress = plan.progress(state.step, state.seconds)
        if state.step % plan.every_steps == 0 or progress >= 1:
            machine.wait()
            state.seconds = seconds + time.perf_counter() - started
            log(_record(state, pending, rate, state.seconds - logged))
            pending, logged = [], state.seconds
            if time.monotonic() - saved > plan.checkpoint_seconds:
                save(state, folder)
                saved = time.monotonic()
                started, seconds = time.perf_counter(), state.seconds
    machine.wait()
    save(state, folder)
    return progress >= 1


def _record(
    state: State, pending: list[tuple[int, int, Tensor]], rate: float, seconds: float
) -> dict[str, Any]:
    losses = [float(value) for _, _, value in pending]
    if not all(map(math.isfinite, losses)):
        raise FloatingPointError(
            f"{state.prior.name}: the loss is not finite at step {state.step}; "
            "continue from the last checkpoint with another --seed or a lower --rate"
        )
    frames = sorted({nodes for nodes, _, _ in pending})
    pairs = list(zip((nodes for nodes, _, _ in pending), losses, strict=True))
    by_frame = {
        frame: float(np.mean([loss for nodes, loss in pairs if nodes == frame])) for frame in frames
    }
    return {
        "prior": state.prior.name,
        "step": state.step,
        "seconds": round(state.seconds, 3),
        "loss": round(float(np.mean(losses)), 5),
        "loss_by_nodes": {nodes: round(value, 5) for nodes, value in by_frame.items()},
        "systems": state.systems,
        "systems_per_second": round(sum(n for _, n, _ in pending) / max(seconds, 1e-9)),
        "rate": rate,
    }


TESTS = {
    f"{law} {name}": Setting(scheme, law)
    for name, scheme in (("standardized", "scm"), ("iscm", "iscm"), ("uumc", "uumc"))
    for law in ("gaussian", "uniform")
}
"""What a finished network is tested on, as the trials were: 20 nodes, 40 edges, 1000 rows."""


@torch.no_grad()
def directed_f1(
    parameters: Parameters, part: Part, blind_to_scale: bool, dtype: torch.dtype = torch.float32
) -> float:
    """Return the mean F1 of edges, an edge being the most probable of the three answers of a pair.

    Graphs are taken as they are, cycles included.
    """
    n_nodes = part.graph.shape[1]
    pairs = features.of_columns(part.columns, blind_to_scale)
    score = network.scores(pairs, n_nodes, parameters, dtype)
    off_diagonal = ~torch.eye(n_nodes, dtype=torch.bool, device=score.device)
    guess = (score > 0) & (score > score.mT) & off_diagonal
    hits = (guess & part.graph).sum((1, 2))
    total = guess.sum((1, 2)) + part.graph.sum((1, 2))
    return float((2 * hits / total.clamp(min=1)).mean())


@torch.no_grad()
def tested(
    parameters: Parameters, blind_to_scale: bool, machine: Machine, n_systems: int
) -> dict[str, float]:
    """Return directed F1 of a network on each of `TESTS`, from systems not used in training."""
    results = {}
    for number, (name, setting) in enumerate(TESTS.items()):
        generator = torch.Generator(machine.device).manual_seed(2**62 + number)
        part = generators.draw_setting(setting, n_systems, generator)
        if name.endswith("standardized"):
            part = part._replace(columns=generators.standardized(part.columns))
        results[name] = round(directed_f1(parameters, part, blind_to_scale), 4)
    return results


def write_line(path: Path, record: dict[str, Any]) -> None:
    """Append a record to a log of JSON lines."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
