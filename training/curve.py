"""Draw the logs of training, the loss of each prior against the systems it has seen.

    python -m training.curve weights/*.log.jsonl --out docs/images/training.svg

Logs of pieces of one run are given in their order.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from causalassay.present.charts import COLOURS, static_svg

NODES = "20"
"""The frame whose loss is drawn: all priors have it."""

WINDOW = 10
"""Records of a running mean."""

WIDTH, HEIGHT = 520, 280


def points(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the points of one prior's log: name, millions of systems, running mean of the loss.

    A run that ended between two checkpoints makes some steps once more: the later ones count.

    Examples
    --------
    >>> line = '{"prior": "uumc", "step": 20, "systems": 9000, "loss_by_nodes": {"20": 0.5}}'
    >>> points([line, '{"prior": "uumc", "step": 20, "finished": true}'])
    [{'prior': 'uumc', 'systems': 0.009, 'loss': 0.5}]
    """
    records: dict[int, dict[str, Any]] = {}
    for line in lines:
        record = json.loads(line)
        if NODES in record.get("loss_by_nodes", ()):
            later = [step for step in records if step >= record["step"]]
            for step in later:
                del records[step]
            records[record["step"]] = record
    recent: deque[float] = deque(maxlen=WINDOW)
    found = []
    for record in records.values():
        recent.append(record["loss_by_nodes"][NODES])
        loss = sum(recent) / len(recent)
        found.append({"prior": record["prior"], "systems": record["systems"] / 1e6, "loss": loss})
    return found


def picture(drawn: Sequence[dict[str, Any]]) -> str:
    """Return the picture of points as SVG."""
    import altair as alt  # noqa: PLC0415  # takes a while

    priors = list(dict.fromkeys(point["prior"] for point in drawn))
    last = {point["prior"]: point for point in drawn}
    colour = alt.Scale(domain=priors, range=list(COLOURS[: len(priors)]))
    scale = alt.Scale(type="log", nice=False, padding=8)
    million = alt.Axis(values=[0.01, 0.1, 1, 10, 100], format="~r")
    losses = alt.Axis(values=[0.02, 0.05, 0.1, 0.2, 0.5, 1], format="~r")
    x = alt.X("systems:Q", title="systems seen (millions, log scale)", scale=scale, axis=million)
    title = f"cross-entropy of a pair at {NODES} nodes (log scale)"
    y = alt.Y("loss:Q", title=title, scale=scale, axis=losses)
    base = alt.Chart().encode(x=x, y=y, color=alt.Color("prior:N", scale=colour, legend=None))
    lines = base.mark_line(strokeWidth=1.5).properties(data={"values": list(drawn)})
    names = base.mark_text(align="left", dx=5).encode(text="prior:N")
    ends = names.properties(data={"values": list(last.values())})
    chart = alt.layer(lines, ends).properties(width=WIDTH, height=HEIGHT)
    said = ", ".join(f"{name} {point['loss']:.3f}" for name, point in last.items())
    return static_svg(
        chart.to_dict(), f"Loss against systems seen; at the end: {said}", on_paper=True
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.curve",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, help="logs, PRIOR.log.jsonl")
    parser.add_argument("--out", type=Path, required=True, help="the picture, .svg")
    stated = parser.parse_args(words)
    try:
        logs: dict[str, list[str]] = {}
        for path in stated.files:
            lines = path.read_text(encoding="utf-8").splitlines()
            if not points(lines):
                raise ValueError(f"{path} has no record with a loss at {NODES} nodes")
            logs.setdefault(json.loads(lines[0])["prior"], []).extend(lines)
        drawn = [point for lines in logs.values() for point in points(lines)]
        stated.out.write_text(picture(drawn) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"training.curve: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
