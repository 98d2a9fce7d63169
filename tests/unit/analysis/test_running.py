"""A study run from Python: from a file, a text or dictionaries, with the same rows."""

import subprocess
import sys

import pandas as pd
import pytest

import causalassay as ca
from causalassay.study.language import StudyMistakes
from causalassay.study.language.study_file import as_study

STUDY = {
    "name": "tiny",
    "seed": 1,
    "replicates": 1,
    "controls": False,
    "baselines": False,
    "metrics": ["shd"],
    "algorithms": ["empty"],
    "problems": [
        {
            "samples": 20,
            "graph": {"kind": "chain", "n_nodes": 3},
            "model": {"kind": "scm", "weights": [0.5, 2.0]},
        }
    ],
}


def test_a_file_and_dictionaries_give_the_same_rows(tmp_path):
    (tmp_path / "s.toml").write_text(as_study(STUDY).text)
    from_file = ca.run(str(tmp_path / "s.toml"), workers=1)
    given = ca.run(STUDY, workers=1, out=tmp_path / "out")
    timing = ["seconds", "load_seconds", "host"]
    assert (tmp_path / "tiny-results" / "study.sqlite").exists()
    pd.testing.assert_frame_equal(
        from_file.frame.drop(columns=timing), given.frame.drop(columns=timing)
    )
    assert 1 == ca.study.export(str(tmp_path / "out"), str(tmp_path / "r.csv"))
    assert 1 == ca.study.export(tmp_path / "out" / "study.sqlite", tmp_path / "r.parquet")


def test_a_text_and_dictionaries_are_the_same_study():
    from_text, given = as_study(as_study(STUDY).text), as_study(STUDY)
    assert from_text == given
    assert as_study(given) is given


def test_the_mistakes_of_dictionaries_have_their_path():
    with pytest.raises(StudyMistakes) as caught:
        ca.run({**STUDY, "seeds": 1, "replicates": 0})
    assert {"replicates", "seeds"} == {line.split(":")[0] for line in caught.value.mistakes}
    with pytest.raises(TypeError, match="seed: expected numbers, texts"):
        ca.run({**STUDY, "seed": object()})


def test_programs_run_only_if_they_are_allowed():
    command = {"use": "command", "program": ["no-such-program"]}
    with pytest.raises(ValueError, match="no-such-program; pass allow_programs=True"):
        ca.run({**STUDY, "algorithms": [command]})


FREQUENCIES = """
values = [[0.1, 0.4], [0.2, 0.1], [0.7, 0.9], [0.3, 0.5], [0.8, 0.2]]
ca.resampling.edge_frequencies("empty", values, 0, n_bootstrap=2, processes=2)
"""


@pytest.mark.parametrize("call", [f"ca.run({STUDY!r}, workers=1)", FREQUENCIES])
def test_a_script_without_a_guard_is_told_so_before_any_process_starts(tmp_path, call):
    script = tmp_path / "script.py"
    script.write_text(f"import causalassay as ca\n{call}\n")
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert 1 == ended.returncode
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: causalassay starts processes that import")
    assert last.endswith('put the call below `if __name__ == "__main__":`')
