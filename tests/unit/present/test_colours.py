"""A colour is declared once, and reaches all that shows it."""

import re
import subprocess
import sys
from pathlib import Path

import causalassay

ROOT = Path(causalassay.__file__).parent
HEX = re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b")

CHANGED = """
from causalassay.present import colours

colours.TABLE["blue"] = colours.Colour("#010203", "#040506")
colours.TABLE["ink"] = colours.Colour("#334455", on_page="ink")
colours.TABLE["page ink"] = colours.Colour("#0a0b0c", "#0d0e0f")

from causalassay.present import charts
from causalassay.present.html import whole_page

print(charts.COLOURS[2], charts.config()["axis"]["labelColor"])
print(whole_page("a page"))
"""


def test_no_colour_stands_outside_the_table():
    files = [path for ending in ("py", "css", "js") for path in ROOT.rglob(f"*.{ending}")]
    table = ROOT / "present" / "colours.py"
    assert table in files
    found = [
        f"{path.relative_to(ROOT)}: {colour}"
        for path in files
        if path != table
        for colour in HEX.findall(path.read_text(encoding="utf-8"))
    ]
    assert [] == found


def test_a_changed_colour_reaches_charts_and_the_rules_for_their_marks():
    # Modules read the table once, when they are imported: hence a process of its own.
    ran = subprocess.run(
        [sys.executable, "-c", CHANGED], capture_output=True, text=True, check=True
    )
    spec, page = ran.stdout.split("\n", 1)
    assert "#010203 #334455" == spec
    day, night = page.split("@media screen and (prefers-color-scheme: dark)", 1)
    assert '.chart svg [fill="#334455"], .chart svg [fill="#345"] { fill: var(--ink); }' in day
    assert "--ink: #0a0b0c;" in day
    assert "--ink: #0d0e0f;" in night
    assert '.chart svg [fill="#010203"] { fill: #040506; }' in night
    assert '.chart svg [stroke="#010203"] { stroke: #040506; }' in night


def test_every_variable_of_a_stylesheet_is_declared():
    from causalassay.present.colours import notebook_style, page_style
    from causalassay.present.html import asset

    def used(*names):
        return {one for name in names for one in re.findall(r"var\((--[\w-]+)\)", asset(name))}

    declared = [set(re.findall(r"(--[\w-]+):", style())) for style in (page_style, notebook_style)]
    assert used("page.css", "blocks.css") <= declared[0]
    assert used("notebook.css", "blocks.css") <= declared[1]
