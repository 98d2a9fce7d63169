import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from causalassay.analysis import read
from causalassay.analysis.report.terminal import print_overview

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
    assert "Verdict: No evidence that R" in printed


@pytest.mark.slow
def test_the_demo_ends_with_the_answer_that_the_readme_quotes(tmp_path):
    readme = (ROOT / "README.md").read_text()
    quote = re.search(r"ends with this answer.*?\n\n<!--.*\n((?: {4}.*\n)+)", readme)
    study = ROOT / "examples" / "studies" / "four-schemes.toml"
    subprocess.run(
        [sys.executable, "-m", "causalassay", "run", str(study), "--out", str(tmp_path / "demo")],
        capture_output=True,
        check=True,
    )
    console = Console(width=80, file=io.StringIO())
    print_overview(read(tmp_path / "demo"), console)
    printed = " ".join(console.file.getvalue().split())
    # The path of NOTEARS is chaotic: on another CPU a mean may differ in the second decimal.
    assert_same_but_for_rounding(" ".join(quote[1].split()), printed, within=0.03)
    assert (tmp_path / "demo" / "report.html").stat().st_size < 1_500_000


NUMBER = re.compile(r"[+-]?\d+\.\d+")


def assert_same_but_for_rounding(quote, text, within):
    """Raise unless the text has the quoted words, with decimals that are near the quoted ones."""
    words = r"([+-]?\d+\.\d+)".join(re.escape(part) for part in NUMBER.split(quote))
    match = re.search(words, text)
    assert match, f"the words have changed: {quote}"
    quoted = [float(number) for number in NUMBER.findall(quote)]
    assert [float(number) for number in match.groups()] == pytest.approx(quoted, abs=within)
