import re
import subprocess
import sys
from pathlib import Path

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
