"""What the assay asks of gies besides the algorithm that studies have."""

import gies
import numpy as np


def with_targets(request):
    """Run GIES; "condition" has the number of each row's condition, "targets" a line for each."""
    condition, targets = request.arrays["condition"], request.arrays["targets"]
    samples = [request.values[condition == k] for k in range(len(targets))]
    graph, _ = gies.fit_bic(samples, [np.flatnonzero(line).tolist() for line in targets])
    return {"graph": graph != 0}


ALGORITHMS = {"gies-interventional": with_targets}
