"""Factorial experiments made observational, with the truth from all their rows.

>>> import numpy as np
>>> from causalassay.lab.factorial import signs
>>> signs([1, 2], n_treatments=2).astype(int)
array([[-1,  1],
       [ 1,  1]])
"""

from causalassay.lab.factorial.biasing import (
    Settings,
    at_extremes,
    bias,
    level_probabilities,
    signs,
)
from causalassay.lab.factorial.experiment import FactorialExperiment, complete_rows
from causalassay.lab.factorial.experiment_files import read_experiment, read_jdk, write_experiment
from causalassay.lab.factorial.lookalikes import (
    LookAlike,
    LookAlikeRow,
    Sizes,
    draw_look_alike,
    score_look_alikes,
)
from causalassay.lab.factorial.prediction import (
    GraphScore,
    SpecificationRow,
    predicted_laws,
    score_graph,
    score_specifications,
)
from causalassay.lab.factorial.result import Evaluation, evaluate
from causalassay.lab.factorial.scores import ScoreRow, score_algorithms
from causalassay.lab.factorial.truth import Mean, Truth

__all__ = [
    "Evaluation",
    "FactorialExperiment",
    "GraphScore",
    "LookAlike",
    "LookAlikeRow",
    "Mean",
    "ScoreRow",
    "Settings",
    "Sizes",
    "SpecificationRow",
    "Truth",
    "at_extremes",
    "bias",
    "complete_rows",
    "draw_look_alike",
    "evaluate",
    "level_probabilities",
    "predicted_laws",
    "read_experiment",
    "read_jdk",
    "score_algorithms",
    "score_graph",
    "score_look_alikes",
    "score_specifications",
    "signs",
    "write_experiment",
]
