"""The small, correct files that mutants are made of."""

import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from discrete_twins import ASIA, DOG

STUDIES = Path(__file__).parents[2] / "examples" / "studies"

TABLE = """raf,mek,erk,what,how
1.5,2.25,0.5,base,
1,3,0.25,base,
0.5,-1,4,drug,raf
-2.5,1e-3,8,drug,raf
7,0.125,-3,base,
2,2,2.5,base,
"""

NUMBERS = """x,y,z
1.5,2.25,0.5
1,3,0.25
0.5,-1,4
-2.5,1e-3,8
7,0.125,-3
2,2,2.5
"""

MATRIX = ",x,y,z\nx,0,1,1\ny,0,0,1\nz,0,0,0\n"

EDGES = 'from,to,type\nx,y,->\n"y",z,->\nx,z,--\n'

STUDY_OF_FILES = """name = "files"
seed = 1
replicates = 2
metrics = ["shd", {name = "sid", resolution = "favourable"}]
algorithms = ["pc", {use = "ges", name = "größer", penalty_discount = 2, seconds = 5}]

[limits]
seconds = 60
memory = "2 GB"

[[problems]]
name = "file"
data = {file = "table.csv", graph = "graph.csv", bootstrap = 100}
transform = ["standardize"]

[[problems]]
network = "dog.bif"
samples = 50

[[problems]]
samples = 100
settings = 3
graph = {kind = "erdos-renyi", edges_per_node = 2}
model = {kind = "scm", noise = {family = "student-t", df = 5}}
interventions = {action = "do", samples = 10, targets = [0, [1, 2]], value = 1.5}

[problems.random]
graph.n_nodes = [10, 20, 30]
model.noise_sd = {low = 0.5, high = 2, log = true}
"""


BARE = "0.000e+00 1.000e+00 1.000e+00\n0.000e+00 0.000e+00 1.000e+00\n" + "0.000e+00 " * 3 + "\n"

WEIGHTED = "Source;Target;Weight;note\nx;y;0.5;a\ny;z;-2;b\nx;z;0;c\n"

GRAPHML = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string" />
  <graph edgedefault="directed">
    <node id="x"><data key="d0">größe</data></node>
    <node id="y" /><node id="z" />
    <edge source="x" target="y" /><edge source="y" target="z" />
  </graph>
</graphml>
"""

GML = """graph [
  directed 1
  node [ id 0 label "x" ]
  node [ id 1 label "y" value 1.5 ]
  node [ id 2 label "z" ]
  edge [ source 0 target 1 ]
  edge [ source 1 target 2 weight 2 ]
]
"""

DOT = """/* a graph */
digraph "g" {
  rankdir = LR; node [shape=box]
  x [label="first"]; subgraph cluster_0 { y; z }
  x -> {y z} [color=red]; "y" -> z:n [dir=none]  // end
}
"""

JSON = """{"nodes": ["x", {"id": "y"}, "z"], "directed": true,
 "edges": [{"from": "x", "to": "y", "type": "->", "weight": 0.5}, {"from": "y", "to": "z"}]}
"""


def arrays(**named):
    """Return an .npz file as bytes."""
    content = io.BytesIO()
    np.savez_compressed(content, **named)
    return content.getvalue()


def array(values):
    """Return an .npy file as bytes."""
    content = io.BytesIO()
    np.save(content, values)
    return content.getvalue()


def write_neighbours(folder):
    """Write the files that `STUDY_OF_FILES` and the examples name."""
    (folder / "table.csv").write_text(NUMBERS)
    (folder / "graph.csv").write_text(MATRIX)
    (folder / "dog.bif").write_text(DOG)


def corpus():
    """By kind: the name of a file and what it holds."""
    table = pa.table({"x": [1.5, 2.0, -1.0], "y": [1, 2, 4], "z": ["a", "b", "a"]})
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(table, parquet)
    feather = io.BytesIO()
    pyarrow.feather.write_feather(table, feather)
    examples = [(one.name, one.read_bytes()) for one in sorted(STUDIES.glob("*.toml"))]
    return {
        "study": [("files.toml", STUDY_OF_FILES.encode())] * 4 + examples,
        "table": [
            ("numbers.csv", NUMBERS.encode()),
            ("table.csv", TABLE.encode()),
            ("numbers.tsv", NUMBERS.replace(",", "\t").encode()),
            ("numbers.csv.gz", gzip.compress(NUMBERS.encode(), mtime=0)),
            ("table.parquet", parquet.getvalue()),
            ("table.feather", feather.getvalue()),
            ("commas.csv", NUMBERS.replace(",", ";").replace(".", ",").encode()),
            ("blanks.txt", NUMBERS.replace(",", "  ").encode()),
            ("bare.csv", NUMBERS.partition("\n")[2].encode()),
            ("numbers.npy", array(np.arange(12.0).reshape(4, 3) ** 2)),
            ("numbers.npz", arrays(X=np.arange(12.0).reshape(4, 3) ** 2, columns=["x", "y", "z"])),
        ],
        "graph": [
            ("matrix.csv", MATRIX.encode()),
            ("edges.csv", EDGES.encode()),
            ("bare.txt", BARE.encode()),
            ("weighted.csv", WEIGHTED.encode()),
            ("graph.graphml", GRAPHML.encode()),
            ("graph.gml", GML.encode()),
            ("graph.dot", DOT.encode()),
            ("graph.json", JSON.encode()),
            ("graph.npy", array(np.eye(3, k=1))),
            ("graph.npz", arrays(graph=np.eye(3, k=1), columns=["x", "y", "z"])),
        ],
        "audit": [("numbers.csv", NUMBERS.encode())],
        "network": [("dog.bif", DOG.encode()), ("asia.bif", ASIA.encode())],
    }
