"""A plug-in that hangs at its import in any process but that of the tests."""

import sys
import time

if "pytest" not in sys.modules:
    time.sleep(10_000)

from hostile.algorithms import Hostile


class Plugin(Hostile):
    """Nothing but its import is special."""
