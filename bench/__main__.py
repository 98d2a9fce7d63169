"""Times causalassay beside its peers, and how its own cost grows.

The peers' environments are made on first use, under ~/.cache/causalassay-bench or the folder
that CAUSALASSAY_BENCH_CACHE names; that takes some minutes and is no part of any timing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import machine, searches_page, speed_page
from bench.peer_environments import ENVIRONMENTS
from bench.runtime import cache_folder
from bench.timings import FULL, QUICK

COMMANDS = {
    "quick": "the quick rows on three seeds, in at most ten minutes",
    "full": "all rows on five seeds, with the long peers; about an hour",
    "searches": "searches for the best score, with the long peers, in CPU seconds; about an hour",
    "other-seeds": "searches for the best score on twenty other seeds",
    "penalties": "penalties of searches by a stated rule, for searches.md; about an hour",
    "flop": "our searches beside FLOP at equal CPU time, for searches.md",
    "growth": "time and memory of each algorithm against nodes and rows",
    "startup": "imports, first calls, a fresh machine, a read-only install",
    "redraw": "the picture of speed.md anew, from the table that --out has; nothing is run",
    "install": "make the peers' environments, and say which cannot be made",
}


def tell(text: str) -> None:
    """Write a line about the progress at once."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and run the command."""
    options = _parser().parse_args(arguments)
    if options.command == "install":
        _install()
        return
    if options.command == "redraw":
        _redraw(options.out or Path("docs"))
        return
    text = _run(options.command, options.only)
    sys.stdout.write(text + "\n")
    if options.out is not None and options.command in searches_page.TABLES:
        searches_page.publish(options.out, options.command, text)
    elif options.out is not None:
        speed_page.publish(options.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command, text in COMMANDS.items():
        one = commands.add_parser(command, help=text, description=text)
        one.add_argument(
            "--only", action="append", default=[], metavar="ROW", help="a row or an algorithm"
        )
        one.add_argument(
            "--out",
            type=Path,
            help="the folder of the pages: speed.md with its images, or searches.md",
        )
    return parser


def _run(command: str, only: Sequence[str]) -> str:
    """Run a command, and return the section of the page."""
    if command in ("quick", "full"):
        from bench.comparison import compare  # noqa: PLC0415 (each command needs other modules)

        return compare(QUICK if command == "quick" else FULL, only, tell)
    if command == "growth":
        return _grow(only)
    return _start_up() if command == "startup" else _search(command, only)


def _search(command: str, only: Sequence[str]) -> str:
    """Run a command about searches for the best score."""
    from bench import beside_flop, other_seeds, penalties  # noqa: PLC0415
    from bench.comparison import compare_searches  # noqa: PLC0415

    if command == "penalties":
        return penalties.compare(tell)
    commands = {
        "searches": compare_searches,
        "other-seeds": other_seeds.compare,
        "flop": beside_flop.compare,
    }
    return commands[command](only, tell)


def _grow(only: Sequence[str]) -> str:
    from bench import growth  # noqa: PLC0415
    from bench.growth_picture import picture  # noqa: PLC0415

    about = machine.sentence()
    curves = growth.grow(only, tell)
    text = growth.section(curves, about)
    speed_page.keep("growth", text, picture(curves))
    return text


def _start_up() -> str:
    from bench import startup  # noqa: PLC0415

    about = machine.sentence()
    text = startup.section(startup.waits(tell), about)
    speed_page.keep("startup", text)
    return text


def _redraw(folder: Path) -> None:
    from bench.ratio_picture import ratios_of_page  # noqa: PLC0415 (Altair is slow to import)

    picture = ratios_of_page((folder / "speed.md").read_text())
    (folder / "images" / "speed.svg").write_text(picture)


def _install() -> None:
    from bench.session import Session  # noqa: PLC0415

    with Session(cache_folder()) as session:
        for name in ENVIRONMENTS:
            tell(f"{name}: {session.find(name).reason or 'ready'}")


if __name__ == "__main__":
    main()
