"""Write three benchmarks on one graph and audit each, as a user would on the command line."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import causalassay as ca

FOLDER = Path("three-audits")
BENCHMARKS = {
    "raw.csv": ca.models.SCM(),
    "standardised.csv": ca.models.Standardized(sample_size=1000),
    "iscm.csv": ca.models.ISCM(sample_size=1000),
}


def main() -> None:
    """Write the files under three-audits/ and run ``causalassay audit`` on each."""
    FOLDER.mkdir(exist_ok=True)
    graph = ca.graphs.erdos_renyi(40, 2, np.random.default_rng(1))
    names = [f"x{node}" for node in range(len(graph))]
    ca.graphs.write_graph(FOLDER / "graph.csv", graph, names)
    for name, source in BENCHMARKS.items():
        # The same stream for each: the weights agree and only the scaling differs.
        rng = np.random.default_rng(2)
        if isinstance(source, ca.models.SCM):
            values = source.draw(graph, rng).sample(1000, rng)
        else:
            values = source.calibrate(graph, rng)[1]
        ca.data.write(ca.data.Dataset.from_values(values, names), FOLDER / name)
    for name in BENCHMARKS:
        words = ["audit", str(FOLDER / name), "--graph", str(FOLDER / "graph.csv")]
        print("$ causalassay", *words, "\n", flush=True)
        subprocess.run([sys.executable, "-m", "causalassay", *words], check=True)
    print(f"The three data files and their graph are in {FOLDER}/.")


if __name__ == "__main__":
    main()
