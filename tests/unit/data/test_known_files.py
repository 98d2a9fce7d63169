import hashlib

import pytest

from causalassay.data.problem import CHAMBER, CHAMBER_GRAPH, SACHS, KnownFile, locate

CONTENT = b"a,b\n1,2\n2,3\n"
KNOWN = KnownFile("tiny", "tiny.csv", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """The folder of the cache, and no folder in the environment."""
    monkeypatch.delenv("CAUSALASSAY_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "causalassay"
    folder.mkdir(parents=True)
    return folder


def test_a_folder_or_the_file_itself_can_be_named(tmp_path):
    file = tmp_path / "tiny.csv"
    file.write_bytes(CONTENT)
    assert file == locate(KNOWN, tmp_path)
    assert file == locate(KNOWN, str(file))


def test_the_environment_comes_before_the_cache(cache, monkeypatch, tmp_path):
    (cache / "tiny.csv").write_bytes(CONTENT)
    assert cache / "tiny.csv" == locate(KNOWN)
    (tmp_path / "tiny.csv").write_bytes(CONTENT)
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path))
    assert tmp_path / "tiny.csv" == locate(KNOWN)


def test_only_what_can_be_downloaded_is_told_to_be(cache):
    with pytest.raises(FileNotFoundError, match=r"tiny: tiny\.csv was not found.*`path`") as told:
        locate(KNOWN)
    assert "download" not in str(told.value)
    with pytest.raises(FileNotFoundError, match="`download`"):
        locate(SACHS)


def test_other_content_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "tiny.csv"
    file.write_bytes(CONTENT + b"3,4\n")
    with pytest.raises(ValueError, match=f"^tiny: .*expected {KNOWN.sha256}; get tiny.csv again"):
        locate(KNOWN, tmp_path)
    assert file.read_bytes().endswith(b"3,4\n")


def test_every_known_file_has_a_name_and_a_checksum_of_its_own():
    known = [SACHS, CHAMBER, CHAMBER_GRAPH]
    assert len(known) == len({one.name for one in known}) == len({one.sha256 for one in known})
    assert all(len(one.sha256) == 64 for one in known)
