"""Files of weights: what was written is read, and nothing else is."""

import json
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from causalassay.discovery import amortized_weights
from causalassay.discovery.amortized_weights import checksum_of, read, shapes, write
from random_networks import CARD, random_arrays, random_file

MODULE = Path(amortized_weights.__file__)


def test_what_was_written_is_read(tmp_path):
    arrays = random_arrays()
    card = CARD | {"laws": ["gaussian"], "limits": "d ≤ 30"}
    checksum = write(tmp_path / "a.npz", arrays, card)
    found, found_card = read(tmp_path / "a.npz")
    assert card | {"sha256": checksum} == found_card
    assert arrays.keys() == found.keys()
    for name, array in arrays.items():
        assert found[name].dtype == np.float32
        np.testing.assert_array_equal(array.astype(np.float32), found[name])
    again = tmp_path / "b.npz"
    write(again, found, found_card)
    assert (tmp_path / "a.npz").read_bytes() == again.read_bytes()


def test_a_network_of_the_usual_size_has_the_stated_number_of_parameters():
    count = sum(int(np.prod(shape)) for shape in shapes(96, 48, 10).values())
    assert 1_250_000 < count < 1_350_000


def remade(path, arrays=None, card=None, **others):
    """Write a file as numpy does, without the checks."""
    stored = dict(np.load(path)) | {"card": np.array(json.dumps(card or CARD))} | others
    if arrays is not None:
        stored |= arrays
    np.savez(path, **stored)


def card_with(path, **changes):
    return json.loads(str(np.load(path)["card"])) | changes


def flip_a_weight(path):
    remade(path, {"head.bias": np.array([1], np.float16)}, card_with(path))


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-300])


def flip_a_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


class Bomb:
    def __reduce__(self):
        return sys.exit, ("it was executed",)


def make_pickle(path):
    path.write_bytes(pickle.dumps(Bomb()))


def make_torch_checkpoint(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Bomb()))


def with_objects(path):
    array = np.array([Bomb()], dtype=object)
    remade(path, {"head.bias": array}, card_with(path))


def of_something_else(path):
    np.savez(path, values=np.zeros((3, 3)), names=np.array(["a", "b", "c"]))


def a_bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.npy", b"\0" * 70_000_000)


def with_header(text):
    """Return a damage: the card has this header, of the second version of the format."""

    def damage(path):
        header = text.encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            size = len(header).to_bytes(4, "little")
            archive.writestr("card.npy", b"\x93NUMPY\x02\x00" + size + header)

    return damage


def another_shape(path):
    remade(path, {"head.weight": np.zeros((2, 8), np.float16)}, card_with(path))


def not_finite(path):
    arrays = {"head.bias": np.array([np.nan], np.float16)}
    stored = {k: v for k, v in np.load(path).items() if k != "card"} | arrays
    remade(path, arrays, card_with(path, sha256=checksum_of(stored)))


DAMAGES = [
    (flip_a_weight, "damaged: its arrays are not those of the checksum"),
    (cut_off, "damaged"),
    (flip_a_byte, "mine.npz"),
    (make_pickle, "a pickle, of which nothing was executed"),
    (make_torch_checkpoint, "a checkpoint with a pickle in it, of which nothing was executed"),
    (with_objects, "objects are not read"),
    (of_something_else, "it has no card, so it is no file of weights"),
    (a_bomb, "unpacks to 70000000 bytes"),
    (with_header("{'descr': '<U1', 'shape': ()" + " " * 10**6 + "}"), "a header is damaged or too"),
    (with_header("__import__('sys').exit('it was executed')"), "a header is damaged or too long"),
    (
        with_header("{'descr': '<U1', 'fortran_order': False, 'shape': (10**12,)}\n"),
        "a header is damaged or too long",
    ),
    (
        with_header("{'descr': '<U1', 'fortran_order': False, 'shape': (1000000000000,)}\n"),
        r"shape \(1000000000000,\) does not fit into its 0 bytes",
    ),
    (another_shape, r"head.weight has shape \(2, 8\), expected \(1, 8\)"),
    (not_finite, "head.bias is not finite everywhere"),
    (lambda path: path.write_text("weights"), "not a file of weights but another file"),
    (lambda path: remade(path, card=CARD | {"format": 2}), "format 2, .*install a newer"),
    (lambda path: remade(path, card=CARD | {"format": "x"}), "format 'x', .*train anew"),
    (lambda path: remade(path, card=card_with(path, format=True)), "format True, .*train anew"),
    (lambda path: remade(path, card=CARD | {"width": 10**9}), "1000000000 as 'width'"),
    (lambda path: remade(path, card=CARD | {"nodes": [9, 2]}), "as 'nodes'"),
    (lambda path: remade(path, card=CARD | {"identifies": "all"}), "as 'identifies'"),
    (lambda path: remade(path, card=CARD | {"blind_to_scale": 1}), "as 'blind_to_scale'"),
    (lambda path: remade(path, card=CARD | {"prior": None}), "as 'prior'"),
    (lambda path: remade(path, card=CARD | {"prior": ""}), "'' as 'prior', expected a name of 1"),
    (lambda path: remade(path, card=CARD | {"prior": "x" * 81}), "as 'prior', expected a name of"),
    (
        lambda path: remade(path, card=CARD | {"prior": "\x1b[31mred"}),
        "as 'prior', expected a name",
    ),
    (
        lambda path: remade(path, card=CARD | {"prior": "\ud800"}),
        "as 'prior', expected a name of 1",
    ),
    (
        lambda path: remade(path, card=CARD | {"rows": [9, 10**4000]}),
        "as 'rows', expected the least",
    ),
    (lambda path: remade(path, card=CARD | {"more": "x" * 10**5}), "its card has 1.* letters, exp"),
    (lambda path: remade(path, card=CARD | {"blocks": 3}), "it lacks 'block2"),
    (lambda path: remade(path, more=np.zeros(1)), "it has 'more'"),
    (lambda path: remade(path, {"head.bias": np.zeros(1, int)}), "head.bias holds int64"),
    (lambda path: remade(path, {"head.bias": np.zeros(1, "f4")}), "head.bias holds float32, expec"),
    (lambda path: remade(path, {"card": np.array("{")}), "its card is no JSON object"),
    (lambda path: remade(path, {"card": np.zeros(3)}), "its card is no JSON object"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_anything_else_is_refused_in_one_line(tmp_path, damage, message):
    path = random_file(tmp_path)
    damage(path)
    with pytest.raises(ValueError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read(tmp_path / "none.npz")
    with pytest.raises(IsADirectoryError, match="expected a file of weights"):
        read(tmp_path)
    with pytest.raises(OSError, match="is a device"):
        read("/dev/zero")


def test_what_cannot_be_read_again_is_not_written(tmp_path):
    arrays = random_arrays()
    with pytest.raises(ValueError, match="head.bias is not finite everywhere"):
        write(tmp_path / "a.npz", arrays | {"head.bias": np.array([1e6])}, CARD)
    with pytest.raises(ValueError, match="as 'rows'"):
        write(tmp_path / "a.npz", arrays, CARD | {"rows": 1000})
    assert not list(tmp_path.iterdir())


def test_it_can_be_loaded_where_only_numpy_is_installed(tmp_path):
    """As on the machine that trains: by its path, with nothing but numpy and the library."""
    path = random_file(tmp_path)
    code = f"""
import importlib.util, sys
class Numpy:
    def find_spec(self, name, path=None, target=None):
        known = {{"numpy", "causalassay"}} | set(sys.stdlib_module_names)
        if name.partition(".")[0] not in known:
            raise ImportError(name)
sys.meta_path.insert(0, Numpy())
spec = importlib.util.spec_from_file_location("amortized_weights", {str(MODULE)!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
arrays, card = module.read({str(path)!r})
print(card["prior"], len(arrays))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"mine {len(random_arrays())}\n" == done.stdout, done.stderr


def test_the_wheel_will_have_the_weights(tmp_path):
    """The files of the package's folder are part of the wheel, whatever their ending."""
    import hatchling.builders.wheel

    root = MODULE.parents[3]
    copy = tmp_path / "project"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, copy / name)
    folder = copy / "src" / "causalassay" / "discovery" / "weights"
    folder.mkdir(parents=True)
    (copy / "src" / "causalassay" / "__init__.py").write_text("")
    random_file(folder).rename(folder / "broad.npz")
    builder = hatchling.builders.wheel.WheelBuilder(str(copy))
    (wheel,) = builder.build(directory=str(tmp_path / "dist"), versions=["standard"])
    assert "causalassay/discovery/weights/broad.npz" in zipfile.ZipFile(wheel).namelist()
