"""The card of a network: what it was trained on, for how long, by what; written beside the weights.

`python -m training.audit` adds what the judge says of the prior.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import torch

from training import nonlinear, weights
from training.loop import Machine, State
from training.noise import MIXTURE
from training.priors import ONE_LAW, Prior

LICENCE = "MIT"


def of(state: State, machine: Machine, command: str, finished: bool) -> dict[str, Any]:
    """Return the card of a network.

    Parameters
    ----------
    state : State
        The network.
    machine : Machine
        What it was trained on.
    command : str
        How it was called.
    finished : bool
        Whether the budget was used up.
    """
    prior = state.prior
    device = torch.cuda.get_device_name(machine.device) if machine.device.type == "cuda" else "CPU"
    return {
        "format": weights.format_written(),
        "prior": prior.name,
        "blind_to_scale": prior.blind_to_scale,
        "width": state.size.width,
        "channels": state.size.channels,
        "blocks": state.size.blocks,
        "identifies": "dag",
        "nodes": list(prior.nodes),
        "rows": list(prior.rows),
        "steps": state.step,
        "systems": state.systems,
        "minutes": round(state.seconds / 60, 2),
        "finished": finished,
        "device": device,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": state.seed,
        "command": command,
        "laws": laws(prior),
        "graphs": prior.graphs,
        "schemes": schemes(prior),
        "limits": prior.limits,
        "licence": LICENCE,
    }


def laws(prior: Prior) -> list[str]:
    """Return the laws of noise in words."""
    one = [f"{law}, the same for all nodes ({share:.0%})" for law, share in ONE_LAW.items()]
    if not prior.own_laws:
        return one
    own = ", ".join(f"{law} {share:.0%}" for law, share in MIXTURE.items())
    return [
        *(f"of {1 - prior.own_laws:.0%} of the systems: {law}" for law in one),
        f"of {prior.own_laws:.0%} of the systems: each node its own ({own})",
    ]


def schemes(prior: Prior) -> list[str]:
    """Return the schemes with their shares, in words."""
    linear = 1 - prior.nonlinear
    said = [f"linear, {name} {linear * share:.1%}" for name, share in prior.schemes.items()]
    if prior.nonlinear:
        names = ", ".join(nonlinear.FAMILIES)
        said.append(f"nonlinear, standardised inside {prior.nonlinear:.1%}: {names}")
    return said


def export(state: State, path: Path, card: dict[str, Any]) -> None:
    """Write the averaged weights, as float16, with their card."""
    arrays = {name: value.cpu().numpy() for name, value in state.average.items()}
    weights.write(path, arrays, card)
