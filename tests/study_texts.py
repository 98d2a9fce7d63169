"""Study files as texts, for the tests of the language."""

import tempfile
from pathlib import Path

from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.language.study_file import parse_study

HEAD = """\
name = "trial"
seed = 1
replicates = 2
"""

PROBLEM = """
[[problems]]
samples = 100
graph = {kind = "erdos-renyi", n_nodes = 10, edges_per_node = 2}
model = {kind = "iscm"}
"""


def parsed(text, folder=None):
    """The study of a text."""
    return parse_study(text, Path(folder or tempfile.gettempdir()), "trial.toml")


def mistakes_of(text, folder=None):
    """The lines of all mistakes of a text."""
    try:
        parsed(text, folder)
    except StudyMistakes as error:
        return list(error.mistakes)
    return []
