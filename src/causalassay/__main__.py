"""``python -m causalassay`` is the command ``causalassay``."""

from causalassay.cli import main

main()
