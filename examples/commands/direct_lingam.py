"""DirectLiNGAM of the package lingam, for `command`, in an environment of its own.

python -m venv lingam-env && lingam-env/bin/pip install lingam
ca.discover("command", values, rng, promises="dag",
            program="lingam-env/bin/python examples/commands/direct_lingam.py")
"""

import csv
import sys

import lingam
import numpy as np


def main(data_file: str, graph_file: str) -> None:
    """Read observational data, fit, and write an edge list."""
    with open(data_file, newline="") as file:  # noqa: PTH123
        header, *rows = csv.reader(file)
    model = lingam.DirectLiNGAM()
    model.fit(np.array(rows, dtype=float))
    with open(graph_file, "w", newline="") as file:  # noqa: PTH123
        writer = csv.writer(file)
        writer.writerow(["from", "to"])
        # lingam's matrix is [effect, cause].
        for effect, cause in np.argwhere(model.adjacency_matrix_ != 0):
            writer.writerow([header[cause], header[effect]])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
