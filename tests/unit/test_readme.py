import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_audits_print_the_verdict_that_the_readme_quotes(tmp_path):
    quote = re.search(r"^> (Gameable by R².*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "three_audits.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    printed = " ".join(done.stdout.split())
    assert quote[1] in printed
    assert 3 == printed.count("Verdict:")
    assert "Verdict: Gameable by variance" in printed
    assert "Verdict: Not gameable by variance or R²" in printed


@pytest.mark.slow
def test_the_demo_prints_the_sentence_that_the_readme_quotes(tmp_path):
    quote = re.search(r"^> (notears: F1.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    study = ROOT / "examples" / "studies" / "four-schemes.toml"
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", "run", str(study), "--out", str(tmp_path / "demo")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert quote[1] in " ".join(done.stdout.split())
    assert (tmp_path / "demo" / "report.html").stat().st_size < 1_500_000
