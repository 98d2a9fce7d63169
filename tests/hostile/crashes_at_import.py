"""A plug-in that crashes at its import in any process but that of the tests."""

import os
import sys

if "pytest" not in sys.modules:
    os._exit(4)

from hostile.algorithms import Hostile


class Plugin(Hostile):
    """Nothing but its import is special."""
