"""The options of the device and of the size, and what is made of them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch

from training import network
from training.loop import Machine
from training.network import Size


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add the options of the device and of the network."""
    parser.add_argument("--device", default="auto", help="cuda, cpu or auto (cuda where there is)")
    parser.add_argument(
        "--no-compile", action="store_true", help="run the network as it is written"
    )
    parser.add_argument(
        "--cache", type=Path, help="where compiled code is kept (default: OUT/cache)"
    )
    for name, what in (
        ("width", "numbers that are kept for each pair"),
        ("channels", "matrices that a block multiplies, of each of its two kinds"),
        ("blocks", "how many follow one another"),
    ):
        default = getattr(Size(), name)
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{what} (%(default)s)")


def size_of(stated: argparse.Namespace) -> Size:
    """Return the size of the network."""
    return Size(stated.width, stated.channels, stated.blocks)


def machine_of(stated: argparse.Namespace, cache: Path | None) -> Machine:
    """Return the device, set up.

    Parameters
    ----------
    stated : argparse.Namespace
        With the options of `add_machine`.
    cache : Path, optional
        Where compiled code is kept.

    Raises
    ------
    ValueError
        If there is no such device.
    """
    name = stated.device
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cuda", "cpu"):
        raise ValueError(f"--device: expected cuda, cpu or auto, got {name!r}")
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device: torch finds no GPU here; take --device cpu")
    device = torch.device(name)
    if name == "cpu":
        return Machine(device, torch.float32)
    # Correlations need all digits of single precision; products of the network are bfloat16.
    torch.backends.cuda.matmul.allow_tf32 = False
    if stated.no_compile:
        return Machine(device, torch.bfloat16)
    if cache is not None:
        folder = cache.resolve()
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(folder / "inductor"))
        os.environ.setdefault("TRITON_CACHE_DIR", str(folder / "triton"))
    torch._dynamo.config.recompile_limit = 64
    return Machine(device, torch.bfloat16, torch.compile(network.block, dynamic=False))
