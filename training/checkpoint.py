"""Checkpoints: two files of arrays and a small one that names them, written last.

So a checkpoint is there as a whole or not at all. Each file of arrays holds two copies of the
parameters in single precision, about 10 MB: small enough for machines that hand back no file above
16 MiB, and exact, so a resumed run is the run that was never stopped. No random state is kept: what
is drawn at a step depends on the seed, the prior and the number of the step.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

FORMAT = 1
PIECES = {"weights": ("parameters", "average"), "moments": ("exp_avg", "exp_avg_sq")}
"""Which tensors stand in which file."""

_UNREADABLE = (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error)

Tensors = dict[str, dict[str, Tensor]]


def save(folder: Path, name: str, tensors: Tensors, facts: dict[str, Any]) -> None:
    """Write a checkpoint and remove the one before.

    Parameters
    ----------
    folder : Path
        Where to.
    name : str
        Of the prior.
    tensors : dict
        "parameters", "average", "exp_avg" and "exp_avg_sq", each by the names of parameters.
    facts : dict
        Numbers and words, ready for JSON; "step" is among them.
    """
    files = {}
    for piece, kinds in PIECES.items():
        files[piece] = f"{name}.checkpoint-{facts['step']}-{piece}.npz"
        arrays = {
            f"{kind}/{key}": value.detach().cpu().numpy()
            for kind in kinds
            for key, value in tensors[kind].items()
        }
        partial = folder / (files[piece] + ".partial")
        with partial.open("wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(folder / files[piece])
    text = json.dumps({"format": FORMAT, **facts, "files": files}, indent=1)
    partial = folder / f"{name}.checkpoint.json.partial"
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(folder / f"{name}.checkpoint.json")
    for old in folder.glob(f"{name}.checkpoint-*"):
        if old.name not in files.values():
            old.unlink()


def load(folder: Path, name: str, device: torch.device) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors and the facts of a checkpoint.

    Raises
    ------
    ValueError
        If there is none, or it is damaged, or of another prior.
    """
    path = folder / f"{name}.checkpoint.json"
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"--resume: there is no checkpoint {path}; leave --resume out") from None
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}); leave --resume out") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ValueError(f"{path} is no checkpoint of format {FORMAT}; leave --resume out")
    if facts.get("prior") != name:
        raise ValueError(f"{path} is of the prior {facts.get('prior')!r}, not of {name!r}")
    tensors: Tensors = {}
    for piece, kinds in PIECES.items():
        try:
            # NumPy leaves a file open that it cannot read, if it has opened it.
            with (
                (folder / facts["files"][piece]).open("rb") as file,
                np.load(file, allow_pickle=False) as arrays,
            ):
                for kind in kinds:
                    tensors[kind] = {
                        key.partition("/")[2]: torch.from_numpy(arrays[key]).to(device)
                        for key in arrays.files
                        if key.startswith(f"{kind}/")
                    }
        except _UNREADABLE as error:
            raise ValueError(
                f"{path}: its {piece} cannot be read ({error}); leave --resume out"
            ) from None
    return tensors, facts
