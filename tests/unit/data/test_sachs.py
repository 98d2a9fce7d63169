import hashlib
import os
import threading
from email.message import Message
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from urllib.error import HTTPError

import numpy as np
import pytest

from causalassay.data import sachs
from causalassay.data.problem import CONSENSUS, SACHS
from causalassay.diagnostics import var_sortability
from causalassay.graphs import is_dag


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


@pytest.fixture
def serve(monkeypatch):
    """Serve a folder on loopback and return the address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers = []

    def start(folder):
        handler = partial(_Quiet, directory=os.fspath(folder))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache, and no folder in the environment."""
    monkeypatch.delenv("CAUSALASSAY_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "causalassay"


def test_sizes_conditions_and_targets(sachs_folder):
    problem = sachs(sachs_folder)
    data = problem.data
    assert ("sachs", None) == (problem.name, problem.model)
    assert (11, 7466) == (data.n_nodes, data.n_samples)
    assert (853, 11) == data.observational_values.shape
    assert data.observational == "cd3_cd28"
    named = {
        regime.condition: None
        if regime.targets is None
        else tuple(data.columns[target] for target in regime.targets)
        for regime in data.regimes
    }
    expected = {
        "cd3_cd28": (),
        "icam2": None,
        "aktinhib": ("akt",),
        "g0076": ("pkc",),
        "psitect": ("pip2",),
        "u0126": ("mek",),
        "ly": None,
        "pma": ("pkc",),
        "b2camp": ("pka",),
    }
    assert expected == named


def test_the_first_row_is_the_file_s(sachs_folder):
    first = dict(zip(*_columns_and_first_row(sachs(sachs_folder).data), strict=True))
    assert (26.4, 13.2, 414.0, 40.0) == (first["raf"], first["mek"], first["pka"], first["jnk"])


def _columns_and_first_row(data):
    return data.columns, data.observational_values[0].tolist()


def test_the_consensus_graph_points_from_cause_to_effect(sachs_folder):
    problem = sachs(sachs_folder / "sachs.csv")
    at = problem.data.index
    assert problem.graph.sum() == 17
    assert is_dag(problem.graph)
    assert problem.graph[at("raf"), at("mek")]
    assert not problem.graph[at("mek"), at("raf")]
    assert {"jnk", "mek", "p38", "pka", "raf"} == {
        problem.data.columns[j] for j in np.flatnonzero(problem.graph[at("pkc")])
    }
    assert sum(map(len, CONSENSUS.values())) == 17


def test_bootstrap_varsortability_is_that_of_an_independent_calculation(sachs_folder):
    problem = sachs(sachs_folder)
    values = problem.data.observational_values
    rng = np.random.default_rng(0)
    drawn = [
        var_sortability(values[rng.integers(len(values), size=len(values))], problem.graph)
        for _ in range(500)
    ]
    assert np.mean(drawn) == pytest.approx(0.64, abs=0.01)
    assert np.std(drawn) == pytest.approx(0.03, abs=0.01)


def test_the_environment_names_the_folder(sachs_folder, cache, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(sachs_folder))
    assert sachs().data.n_samples == 7466
    assert not cache.exists()


def test_a_download_is_kept_and_found_again(sachs_folder, cache, serve):
    assert sachs(download=serve(sachs_folder) + "/sachs.csv").data.n_samples == 7466
    assert ["sachs.csv"] == [path.name for path in cache.iterdir()]
    assert sachs().data.n_samples == 7466
    assert sachs(download="http://127.0.0.1:9/not-asked").data.n_samples == 7466


def test_a_download_of_something_else_is_not_kept(cache, serve, tmp_path):
    (tmp_path / "page.html").write_text("<html>log in</html>")
    digest = hashlib.sha256(b"<html>log in</html>").hexdigest()
    with pytest.raises(ValueError, match=f"19 bytes with sha256 {digest}.*log in.*{SACHS.sha256}"):
        sachs(download=serve(tmp_path) + "/page.html")
    assert not cache.exists()


def test_a_download_that_fails_says_why(cache, serve, tmp_path):
    with pytest.raises(
        ConnectionError, match=r"absent\.csv could not be fetched: the server answered 404"
    ):
        sachs(download=serve(tmp_path) + "/absent.csv")


def test_the_answer_of_a_failed_download_is_closed(cache, monkeypatch):
    """Python 3.14 warns of one that is not."""
    answer = HTTPError("http://127.0.0.1/absent.csv", 404, "no", Message(), BytesIO(b"page"))

    def refuse(*_, **__):
        raise answer

    monkeypatch.setattr("causalassay.data.problem.urlopen", refuse)
    with pytest.raises(ConnectionError, match=r"the server answered 404 \(no\)"):
        sachs(download="http://127.0.0.1/absent.csv")
    assert answer.fp.closed


def test_only_web_addresses_are_downloaded(cache):
    with pytest.raises(ValueError, match="expected an http or https URL, got 'file:///x'"):
        sachs(download="file:///x")


def test_nothing_found_names_the_three_ways(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("CAUSALASSAY_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="`path`.*CAUSALASSAY_DATA.*`download`"):
        sachs()


def test_a_path_is_not_searched_beyond(cache, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*sachs\.csv"):
        sachs(tmp_path)
    with pytest.raises(ValueError, match="not both"):
        sachs(tmp_path, download="http://127.0.0.1:9/")


def test_another_version_of_the_file_is_refused_and_left_alone(cache, tmp_path):
    (tmp_path / "sachs.csv").write_text("raf,mek\n1,2\n2,3\n")
    with pytest.raises(ValueError, match=f"expected {SACHS.sha256}.*causalassay.data.read"):
        sachs(tmp_path)
    assert (tmp_path / "sachs.csv").exists()
