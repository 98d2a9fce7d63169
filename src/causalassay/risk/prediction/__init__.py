"""How well graphs predict experiments that they were found without.

A second opinion beside causal risk (`causalassay.risk.compare`), without tests of descendants.
Each experiment is left out; the model that the graph stands for is fitted to the observational
rows, the target is set to its measured values, and every other column is predicted. The score is
the mean total variation between prediction and measurement.

Examples
--------
>>> import numpy as np
>>> from causalassay import data, graphs, models, risk
>>> from causalassay.risk import prediction
>>> rng = np.random.default_rng(0)
>>> model = models.draw("scm", graphs.chain(4), rng, weights=(1, 2))
>>> regimes = [data.Regime("control", model.sample(1000, rng))]
>>> for node in (0, 1):
...     action = (models.Do(node, 5.0),)
...     values = model.sample(200, rng, action)
...     regimes.append(data.Regime(f"do {node}", values, (node,), action))
>>> experiments = data.Dataset(("a", "b", "c", "d"), tuple(regimes), "control")
>>> found = risk.compare(["empty", "var-sortnregress"], experiments, 0)
>>> graphs_without = {name: one.held_out_graphs for name, one in found.risks.items()}
>>> predicted = prediction.compare(graphs_without, experiments, 0)
>>> predicted.ranking()
('var-sortnregress', 'empty')

The score lies between that of a perfect prediction and that of "nothing changes":

>>> score = predicted.score("var-sortnregress")
>>> bool(score.value < 0.1), bool(predicted.floor() < 0.1), predicted.nothing_changes() > 0.5
(True, True, True)
>>> bool(abs(score.skill) < 0.1), round(predicted.score("empty").skill, 2)
(True, 1.0)
>>> predicted.difference("var-sortnregress", "empty").value < -0.5
True
>>> [(one.condition, one.doubt) for one in predicted.experiments]
[('do 0', ''), ('do 1', '')]
>>> predicted.score("empty", undoubted=True).n_experiments
2
"""

from causalassay.risk.prediction.comparing import HeldOutGraphs, compare
from causalassay.risk.prediction.experiments import Experiment
from causalassay.risk.prediction.result import Pair, Prediction, Predictions, Score

__all__ = [
    "Experiment",
    "HeldOutGraphs",
    "Pair",
    "Prediction",
    "Predictions",
    "Score",
    "compare",
]
