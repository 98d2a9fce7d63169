"""The weights of pretrained networks: one file of plain arrays and a card, never a pickle.

Only numpy and the standard library are imported here, so that a machine that trains a network can
load this file by its path, without the rest of what `causalassay.discovery` needs.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.file_formats import load_arrays
from causalassay.common.files import check_regular, replacing
from causalassay.common.spelling import cut, listed, visible

FORMAT = 1
N_FEATURES = 13
"""Numbers that describe an ordered pair of columns."""

MOST_BYTES = 64_000_000
"""Of a file, packed and unpacked: twenty times as many as one of ours has."""

LARGEST = {"width": 1024, "channels": 512, "blocks": 100}
"""What a card may say of the size of its network."""

MOST_CARD, MOST_NAME = 100_000, 80
"""Letters of a card, and of the name of its prior, which goes into rows and onto pages."""

MOST_COUNT = 10**9
"""Nodes or rows that a card may tell of."""

IDENTIFIES = ("dag", "cpdag")
"""What the graphs of a prior's systems can be told by: every direction, or a class."""

Arrays = Mapping[str, NDArray[Any]]

_AGAIN = "copy it again from where it came from, or train anew (docs/amortized.md)"


def shapes(width: int, channels: int, blocks: int) -> dict[str, tuple[int, ...]]:
    """Return the names of a network's arrays with their shapes.

    Parameters
    ----------
    width : int
        Numbers that the network keeps for each pair.
    channels : int
        Matrices that are multiplied in each block, of each of the two kinds.
    blocks : int

    Examples
    --------
    >>> sizes = shapes(96, 48, 10)
    >>> sizes["block9.maps.weight"], len(sizes)
    ((384, 96), 166)
    """
    linear: dict[str, tuple[int, ...]] = {"embed": (width, N_FEATURES), "head": (1, width)}
    norms = {"head_norm": width}
    for k in range(blocks):
        linear |= {
            f"block{k}.maps": (8 * channels, width),
            f"block{k}.gate": (width, width),
            f"block{k}.out": (width, 2 * channels),
            f"block{k}.up": (4 * width, width),
            f"block{k}.down": (width, 4 * width),
        }
        norms |= {f"block{k}.norm{i}": 2 * channels if i == 2 else width for i in (1, 2, 3)}
    return (
        {f"{name}.weight": shape for name, shape in linear.items()}
        | {f"{name}.bias": shape[:1] for name, shape in linear.items()}
        | {f"{name}.{part}": (size,) for name, size in norms.items() for part in ("weight", "bias")}
    )


def write(path: str | Path, arrays: Arrays, card: Mapping[str, Any]) -> str:
    """Write a file of weights, whole or not at all, and return the checksum of its arrays.

    Parameters
    ----------
    path : str or Path
    arrays : mapping
        The names of `shapes` with numbers, which are kept as float16.
    card : mapping
        What is to be known of the network, ready for JSON. The checksum is added.

    Examples
    --------
    >>> import tempfile
    >>> card = {"format": 1, "prior": "mine", "blind_to_scale": True, "identifies": "dag",
    ...         "width": 4, "channels": 2, "blocks": 1, "nodes": [2, 9], "rows": [10, 99]}
    >>> arrays = {name: np.ones(shape) for name, shape in shapes(4, 2, 1).items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checksum = write(Path(folder, "mine.npz"), arrays, card)
    ...     read_arrays, read_card = read(Path(folder, "mine.npz"))
    >>> read_card["prior"], read_card["sha256"] == checksum, read_arrays["embed.bias"].dtype
    ('mine', True, dtype('float32'))
    """
    path = Path(path)
    with np.errstate(over="ignore"):  # what is too large is refused below
        halves = {name: np.asarray(array).astype("<f2") for name, array in arrays.items()}
    _check_card(card)
    _check_arrays(halves, card)
    checksum = checksum_of(halves)
    text = json.dumps({**card, "sha256": checksum}, ensure_ascii=False)
    _check_length(text)
    members: dict[str, Any] = {**halves, "card": np.array(text)}
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **members)
    return checksum


def read(path: str | Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Return the arrays of a file of weights, as float32, and its card.

    Raises
    ------
    OSError
        If there is no such file.
    ValueError
        If it is none of weights, of another format, or damaged; nothing in it is executed.
    """
    path = Path(path)
    size = check_regular(path, "a file of weights (.npz)")
    if size > MOST_BYTES:
        raise ValueError(f"{path} has {size} bytes, expected weights of at most {MOST_BYTES}")
    try:
        _check_members(path)
        arrays = load_arrays(path, "a file of weights (.npz)")
        card = _card(arrays.pop("card"))
        _check_card(card)
        _check_arrays(arrays, card)
        if checksum_of(arrays) != card.get("sha256"):
            raise ValueError(
                f"damaged: its arrays are not those of the checksum in its card; {_AGAIN}"
            )
    except ValueError as reason:
        text = str(reason).removeprefix(f"{path}: ")
        raise ValueError(f"{path}: {text}") from None
    return {name: array.astype(np.float32) for name, array in arrays.items()}, card


def checksum_of(arrays: Arrays) -> str:
    """Return the SHA-256 of names, types, shapes and bytes, in the order of names.

    Examples
    --------
    >>> one = {"a": np.zeros(2, "<f2"), "b": np.ones(1, "<f2")}
    >>> checksum_of(one) == checksum_of(dict(reversed(one.items())))
    True
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        array = array.astype(array.dtype.newbyteorder("<"), order="C")
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _check_members(path: Path) -> None:
    """Raise unless a file is an archive of arrays that fit into memory."""
    with path.open("rb") as file:
        begin = file.read(4)
    if not zipfile.is_zipfile(path):
        what = "a pickle" if begin[:1] == b"\x80" else "another file"
        raise ValueError(
            f"not a file of weights but {what}, of which nothing was executed; expected .npz from "
            f"`python -m training`; if it is one, it is damaged: {_AGAIN}"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except Exception:  # a broken archive raises whatever its decoder does
        raise ValueError(f"damaged: its list of arrays cannot be read; {_AGAIN}") from None
    names = [info.filename for info in infos]
    if any(name.endswith(".pkl") for name in names):
        raise ValueError(
            "a checkpoint with a pickle in it, of which nothing was executed; expected the .npz "
            "that `python -m training` writes beside it"
        )
    if "card.npy" not in names:
        held = listed([cut(visible(name), 40) for name in names]) if names else "nothing"
        raise ValueError(
            f"it has no card, so it is no file of weights (it holds {held}); expected .npz from "
            "`python -m training`"
        )
    unpacked = sum(info.file_size for info in infos)
    if unpacked > MOST_BYTES:
        raise ValueError(
            f"it unpacks to {unpacked} bytes, expected weights of at most {MOST_BYTES}"
        )


def _card(array: NDArray[Any]) -> dict[str, Any]:
    text = str(array) if array.dtype.kind == "U" and array.shape == () else ""
    _check_length(text)
    try:
        card = json.loads(text)
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, dict):
        raise ValueError(f"its card is no JSON object; {_AGAIN}")
    return card


def _check_length(card: str) -> None:
    if len(card) > MOST_CARD:
        raise ValueError(f"its card has {len(card)} letters, expected at most {MOST_CARD}")


def _check_card(card: Mapping[str, Any]) -> None:
    """Raise unless a card says what is needed to run its network."""
    came: Any = card.get("format")
    if not _is_whole(came) or came != FORMAT:
        newer = _is_whole(came) and came > FORMAT
        todo = "install a newer causalassay" if newer else "train anew (docs/amortized.md)"
        raise ValueError(
            f"its weights are of format {cut(visible(repr(came)), 40)}, this version reads format "
            f"{FORMAT}; {todo}"
        )
    for name, most in LARGEST.items():
        size: Any = card.get(name)
        if not _is_whole(size) or not 1 <= size <= most:
            raise _refused(card, name, f"a whole number from 1 to {most}")
    prior: Any = card.get("prior")
    if not isinstance(prior, str) or not prior.isprintable() or not 1 <= len(prior) <= MOST_NAME:
        raise _refused(card, "prior", f"a name of 1 to {MOST_NAME} letters")
    if not isinstance(card.get("blind_to_scale"), bool):
        raise _refused(card, "blind_to_scale", "true or false")
    if card.get("identifies") not in IDENTIFIES:
        raise _refused(card, "identifies", '"dag" or "cpdag"')
    for name in ("nodes", "rows"):
        span: Any = card.get(name)
        is_pair = isinstance(span, list | tuple) and len(span) == 2 and all(map(_is_whole, span))
        if not is_pair or not 1 <= span[0] <= span[1] <= MOST_COUNT:
            raise _refused(card, name, "the least and the largest number in training")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refused(card: Mapping[str, Any], name: str, expected: str) -> ValueError:
    came = cut(visible(repr(card[name])), 40) if name in card else "nothing"
    return ValueError(f"its card says {came} as {name!r}, expected {expected}; {_AGAIN}")


def _check_arrays(arrays: Arrays, card: Mapping[str, Any]) -> None:
    """Raise unless the arrays are those of the network that the card describes."""
    expected = shapes(card["width"], card["channels"], card["blocks"])
    missing, more = expected.keys() - arrays.keys(), arrays.keys() - expected.keys()
    if missing or more:
        what = f"lacks {min(missing)!r}" if missing else f"has {cut(visible(min(more)), 40)!r}"
        raise ValueError(f"it {what}, unlike the network of its card; {_AGAIN}")
    for name, shape in expected.items():
        array = arrays[name]
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}; {_AGAIN}")
        if array.dtype.kind != "f" or array.dtype.itemsize != 2:
            raise ValueError(f"{name} holds {array.dtype}, expected float16; {_AGAIN}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite everywhere; {_AGAIN}")
