"""How many instances findings need: as many as it takes until a study of clear rows has them."""

import itertools
import json

import pytest

from causalassay.analysis import analyse
from causalassay.analysis.needed import needed_by, needed_in, needed_line
from causalassay.analysis.verdict.evidence import order_columns
from causalassay.judging.artefacts import ARTEFACTS
from causalassay.judging.findings import GAMEABLE_KINDS, FindingKind
from causalassay.judging.order_measures import N_ASSIGNMENTS, N_ORDERS
from causalassay.study.problem_specs import scheme
from command_line import run_here
from judged_tables import CONTROLS
from report_stores import FAMILIES, SIZES, plan, write_store
from study_texts import parsed
from summary_twins import make_table
from verdict_twins import HEAD, STUDIES

MOST = 15
"""Instances up to which a study is tried."""
RAREST = 1 / (N_ORDERS + 1)
"""The least p-value that random orders can give."""
CLEAR = {
    "f1": 1.0,
    "order_score": 1.0,
    "direction_score": 1.0,
    "direction_p": RAREST,
    "skeleton_f1": 1.0,
    "skeleton_f1_p": RAREST,
    "skeleton_p": RAREST,
    "f1_chance": 0.0,
}
"""An algorithm that is right on every graph, whatever the scheme."""
TELLS_NOTHING = (0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0)
TELLS_ALL = (1.0, 1 / (N_ASSIGNMENTS + 1), 1.0, RAREST, 1.0, 1.0, 0.0)
"""In the order of `order_columns`."""


def as_clear_as_can_be(study, n_instances, gamed=()):
    """The analysis of such a study with so many instances; some schemes have an artefact."""
    keys = [key for key in ARTEFACTS if {*order_columns(key)} <= {*study.diagnostics}]
    first = keys[0]
    rows = []
    for name in dict.fromkeys(scheme(entry.spec) for entry in study.problems):
        measured = {"random_direction": 0.0, "random_skeleton_f1": 0.0, "random_f1": 0.0}
        for key in keys:
            found = TELLS_ALL if key == first and name in gamed else TELLS_NOTHING
            measured |= dict(zip(order_columns(key), found, strict=True))
        for replicate in range(n_instances):
            at = {"scheme": name, "problem": name, "replicate": replicate}
            rows.append({"algorithm": "right"} | at | measured | CLEAR)
    better = {"f1": "high", "order_score": "high"}
    diagnostics = tuple(name for name in rows[0] if name in study.diagnostics)
    return analyse(make_table(rows, tuple(better), better, diagnostics, CONTROLS))


def least(is_found):
    return next(count for count in range(1, MOST + 1) if is_found(count))


def planned(name, tmp_path, replicates=12):
    return parsed(
        HEAD.replace("replicates = 12", f"replicates = {replicates}") + STUDIES[name], tmp_path
    )


@pytest.mark.parametrize("name", ["all", "iscm", "raw", "rescaled"])
def test_what_is_needed_is_the_least_with_which_a_clear_study_has_findings(name, tmp_path):
    study = planned(name, tmp_path)
    (needed,) = needed_by(study)
    schemes = list(dict.fromkeys(scheme(entry.spec) for entry in study.problems))

    def is_gameable(count):
        found = as_clear_as_can_be(study, count, gamed=schemes[:1]).findings.schemes
        return found[schemes[0]].kind in GAMEABLE_KINDS

    def is_robust(count, gamed=()):
        found = as_clear_as_can_be(study, count, gamed=gamed).findings.algorithms
        return found["right"][0].kind == FindingKind.ROBUST

    assert least(is_gameable) == needed.for_schemes
    assert least(is_robust) == needed.for_algorithms
    if len(schemes) > 1:
        assert least(lambda count: is_robust(count, schemes[:1])) == needed.at_most
    else:
        assert needed.for_algorithms == needed.at_most


def test_each_size_counts_its_graphs_and_replicates():
    """Schemes share their graphs, so these are no instances more."""
    study = plan(replicates=3)
    found = needed_by(study)
    by_size = {each.size.to_dict()["graph.n_nodes"]: each.instances for each in found}
    assert {nodes: len(list(itertools.product(FAMILIES, range(3)))) for nodes in SIZES} == by_size


def test_what_a_study_lacks_follows_from_its_replicates(tmp_path):
    (needed,) = needed_by(planned("all", tmp_path))
    for replicates in range(1, MOST + 1):
        (each,) = needed_by(planned("all", tmp_path, replicates))
        assert replicates == each.instances
        assert ("schemes" in each.lacks) == (replicates < needed.for_schemes)
        assert ("algorithms" in each.lacks) == (replicates < needed.for_algorithms)
        line = needed_line([each])
        assert line.startswith(f"instances: {replicates} for each scheme; ")
        assert ("too few" in line) == bool(each.lacks) == ("raise replicates" in line)


def test_a_stored_study_needs_what_its_plan_needs(tmp_path):
    study = plan(replicates=2)
    assert needed_by(study) == needed_in(write_store(tmp_path, study))


SIZED = """
name = "sized"
seed = 1
replicates = 4
algorithms = ["pc"]
[[problems]]
samples = 100
graph = {kind = "erdos-renyi", edges_per_node = 1}
grid.graph.n_nodes = [5, 8]
grid.model.kind = ["scm", "iscm"]
"""


def test_a_dry_run_says_what_is_needed(tmp_path):
    file = tmp_path / "sized.toml"
    file.write_text(SIZED)
    small, large = needed_by(parsed(SIZED, tmp_path))
    assert (4, 4) == (small.instances, large.instances)
    assert small.for_schemes <= 4 < small.for_algorithms
    (line,) = [
        line
        for line in run_here("run", file, "--dry-run").stdout.splitlines()
        if line.startswith("instances: ")
    ]
    more = f" ({small.at_most} if a scheme has an artefact)"
    assert line == (
        "instances: 4 for each scheme and size; "
        f"findings on schemes need at least {small.for_schemes}, "
        f"on algorithms at least {small.for_algorithms}"
        f"{more if small.at_most > small.for_algorithms else ''}: "
        "too few for findings on algorithms at 2 sizes of 2, so raise replicates"
    )
    plain = json.loads(run_here("run", file, "--dry-run", "--json").stdout)["instances"]
    assert [each.to_dict() for each in (small, large)] == plain
    assert [5, 8] == [each["size"]["graph.n_nodes"] for each in plain]
