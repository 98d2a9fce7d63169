"""The benchmark's harness, with jobs that only pretend to work."""

import io
import json
import os
import signal
import sys
import time

import numpy as np
import pytest
from bench import (
    beside_flop,
    comparison,
    other_seeds,
    peer_environments,
    penalties,
    runtime,
    searches_page,
    speed_page,
    startup,
)
from bench.growth import Curve, trace
from bench.growth import section as growth_section
from bench.kept_rows import KeptRow, keep_row, kept_rows
from bench.markdown_table import _times, duration, section, table
from bench.measurement import measure
from bench.quality import same, same_skeleton
from bench.ratio_picture import ratios, ratios_of_page
from bench.rows import all_rows
from bench.rows.row import Contestant, Recorded, Row
from bench.rows.searches import COMPARED
from bench.search_picture import picture, points
from bench.session import Absent, Connection, Ended, Failure, Overtime
from bench.table_lines import (
    Ratio,
    comparisons,
    duels,
    is_met,
    is_worse,
    lines,
    quality_of,
    ratio_of,
    times_of,
)
from bench.timings import FULL, QUICK, Effort, Result, Timing
from bench.worker import serve

import causalassay as ca
from causalassay.environments import installing as building

EFFORT = Effort(seeds=(1, 2), seconds=0.5, limit=10.0, slow=5.0, long=False)
OURS = Contestant("ours", "ours", "fake:ours")
PEER = Contestant("peer", "there", "fake:peer", target=3)


class FakeRunner:
    """Takes the times it is given and writes down who was called."""

    def __init__(self, seconds):
        self.seconds, self.log = seconds, []

    def turn(self, environment, job, data, calls, burst, limit):
        self.log.append(job.removeprefix("fake:"))
        taken = self.seconds[self.log[-1]]
        if isinstance(taken, Exception):
            raise taken
        return [taken] * (1 if burst == 0 else min(calls, max(1, round(burst / taken))))

    def answer(self, environment, path):
        np.savez(path, graph=np.eye(2))


def row(*peers, **changes):
    def problem(size, seed):
        return {"values": np.full(2, seed)}

    return Row("job", "A job", 20, problem, OURS, peers, **changes)


def run(chosen, seconds, tmp_path, effort=EFFORT):
    runner = FakeRunner(seconds)
    return measure(chosen, runner, effort, tmp_path, lambda _: None), runner.log


def test_ours_and_the_peer_take_turns(tmp_path):
    _, log = run(row(PEER), {"ours": 0.2, "peer": 0.2}, tmp_path, Effort((1,), 0.5, 10, 5, False))
    assert ["ours", "peer"] * 4 == log


def test_every_peer_has_ours_beside_it(tmp_path):
    other = Contestant("other", "elsewhere", "fake:other")
    _, log = run(row(PEER, other), {"ours": 0.3, "peer": 0.3, "other": 0.3}, tmp_path)
    for before, name in zip(log[3:], log[4:], strict=False):
        assert name == "ours" or before == "ours" or before == "peer"
    assert log.index("other") < len(log) - 1


def test_the_first_call_is_kept_apart(tmp_path):
    results, _ = run(row(PEER), {"ours": 0.1, "peer": 0.3}, tmp_path)
    timing = results[1].timings[1]
    assert 0.3 == timing.first
    assert [0.3, 0.3] == timing.times
    assert timing.same is True


def test_a_slow_peer_is_called_once_and_ours_on_every_seed(tmp_path):
    results, log = run(row(PEER), {"ours": 0.1, "peer": 6.0}, tmp_path)
    assert 1 == log.count("peer")
    assert [1, 2] == list(results[0].timings)
    assert [1] == list(results[1].timings)
    assert "one call" in table(lines(row(PEER), results, {}))


def test_a_slow_peer_is_called_on_every_seed_where_results_are_compared(tmp_path):
    effort = Effort((1, 2), 0.5, 10.0, 5.0, False, once=7.0)
    results, log = run(row(PEER), {"ours": 0.1, "peer": 6.0}, tmp_path, effort)
    assert 2 == log.count("peer")
    assert [1, 2] == list(results[1].timings)
    results, _ = run(row(PEER), {"ours": 0.1, "peer": 8.0}, tmp_path, effort)
    assert [1] == list(results[1].timings)


def test_a_peer_beyond_the_limit_is_not_asked_again(tmp_path):
    results, log = run(row(PEER), {"ours": 0.1, "peer": Overtime()}, tmp_path)
    assert 1 == log.count("peer")
    assert 10.0 == results[1].beyond
    text = table(lines(row(PEER), results, {}))
    assert "| > 10 s |" in text
    assert "> 100×" in text


def test_an_absent_peer_is_reported_with_its_reason(tmp_path):
    results, _ = run(row(PEER), {"ours": 0.1, "peer": Absent("no Java")}, tmp_path)
    assert "absent: no Java" == results[1].trouble
    assert ["peer (A job, d = 20): absent: no Java"] == comparison.absences([(row(PEER), results)])
    assert "absent: no Java" in table(lines(row(PEER), results, {}))


def test_a_peer_that_fails_costs_nobody_else_anything(tmp_path):
    results, _ = run(row(PEER), {"ours": 0.1, "peer": Failure("KeyError: 'x'")}, tmp_path)
    assert "failed: KeyError: 'x'" == results[1].trouble
    assert [1, 2] == list(results[0].timings)


def test_a_row_that_runs_once_makes_one_call_each(tmp_path):
    _, log = run(row(PEER, once=True), {"ours": 0.1, "peer": 0.1}, tmp_path)
    assert ["ours", "peer"] == log


def test_long_peers_run_in_full_only(tmp_path):
    long = Contestant("peer", "there", "fake:peer", long=True)
    _, log = run(row(long), {"ours": 0.1, "peer": 0.1}, tmp_path)
    assert "peer" not in log
    assert row(long).long
    assert not row(PEER, long).long


def result(name, times, target=None, share=1.0, **changes):
    timings = {seed: Timing(first=9.0, times=list(some)) for seed, some in times.items()}
    return Result(name, name, target, share, timings=timings, **changes)


def test_times_are_medians_over_seeds_of_minimum_and_median():
    times = times_of(result("ours", {1: [2, 4, 9], 2: [3, 5, 6], 3: [1, 8, 8]}), units=2)
    assert (1.0, 2.5, 4.5) == (times.least, times.middle, times.first)


def test_a_peer_with_fewer_seeds_is_compared_on_those():
    ours, peer = result("ours", {1: [1], 2: [1]}), result("peer", {2: [1]})
    for one, figures in ((ours, (4, 8)), (peer, (0, 7))):
        for seed, timing in one.timings.items():
            timing.quality = {"SHD": figures[seed - 1]}
    text = table(lines(row(PEER), [ours, peer], {}))
    assert "| SHD 6 (4–8) |" in text
    assert "| SHD 7; 1 of 2 seeds, where ours has SHD 8 |" in text


def test_ratios_are_of_minima_on_the_same_seed():
    ours = result("ours", {1: [1.0, 2.0], 2: [2.0], 3: [1.0]})
    peer = result("peer", {1: [10.0], 2: [60.0], 3: [20.0]})
    assert Ratio(20.0, 10.0, 30.0) == ratio_of(ours, peer)


def test_a_share_of_the_work_is_extrapolated_and_labelled():
    ours, peer = result("ours", {1: [1.0]}), result("peer", {1: [2.0]}, share=0.1)
    assert 20 == ratio_of(ours, peer).middle
    assert "extrapolated from 1/10 of the work" in table(lines(row(PEER), [ours, peer], {}))


@pytest.mark.parametrize(
    ("target", "ratio", "expected"),
    [
        (3, Ratio(4, 4, 4), True),
        (3, Ratio(2, 2, 2), False),
        (3, Ratio(2, 2, 2, at_least=True), None),
        (3, Ratio(4, 4, 4, at_least=True), True),
        (None, Ratio(4, 4, 4), None),
        (3, None, None),
    ],
)
def test_targets(target, ratio, expected):
    assert expected is is_met(target, ratio)


def test_a_ceiling_is_for_a_unit_of_ours():
    chosen = row(ceiling=0.002, units=1000)
    (line,) = lines(chosen, [result("ours", {1: [3.0]})], {})
    assert ("≤ 0.002 s", False) == (line.target, line.met)


def test_a_recorded_time_is_labelled():
    chosen = row(recorded=(Recorded("R", 2.0, 3, "it is not here"),))
    line = lines(chosen, [result("ours", {1: [0.5]})], {})[1]
    assert (4.0, True) == (line.ratio.middle, line.met)
    assert "recorded, not measured here: it is not here" == line.note


@pytest.mark.parametrize(("score", "own", "expected"), [("s", 1, True), ("-s", 1, False)])
def test_a_worse_result_is_told(score, own, expected):
    ours, peer = result("ours", {1: [1]}), result("peer", {1: [1]})
    ours.timings[1].quality, peer.timings[1].quality = {"s": own}, {"s": 2}
    assert expected is is_worse(score, ours, peer)
    if expected:
        assert "**ours is worse**" in table(lines(row(PEER, score=score), [ours, peer], {}))


def test_scores_are_counted_seed_by_seed():
    ours = result("ours", dict.fromkeys((1, 2, 3), [1.0]))
    peer = result("peer", dict.fromkeys((1, 2), [1.0]))
    for one, scores in ((ours, (-5.0, -7.0, 0.0)), (peer, (-6.0, -7.0))):
        for timing, score in zip(one.timings.values(), scores, strict=True):
            timing.quality["BIC"] = score
    assert duels("BIC", ours, peer) == "ours has more BIC on 1 of 2, less on 0"
    assert duels("", ours, peer) == ""


def test_the_spread_of_distances_and_their_difference_are_told():
    ours, peer = result("ours", {1: [1], 2: [1]}), result("peer", {1: [9], 2: [9]})
    for one, distances in ((ours, (4, 9)), (peer, (5, 8))):
        for timing, distance in zip(one.timings.values(), distances, strict=True):
            timing.quality = {"BIC": -1.0, "SHD": distance}
    assert quality_of(ours) == "BIC -1, SHD 6.5 (4–9)"
    assert comparisons("", ours, peer) == ()
    assert comparisons("BIC", ours, peer) == (
        "ours has more BIC on 0 of 2, less on 0",
        "SHD of ours minus theirs +0.0 ± 1.0",
    )


def test_the_table_has_a_line_for_each_contestant():
    ours, peer = result("ours", {1: [0.001]}), result("peer", {1: [0.5]}, 3, package="peer")
    assert table(lines(row(PEER), [ours, peer], {"peer": "1.2"})).splitlines()[2:] == [
        "| A job | 20 | ours | 1.0 ms | 1.0 ms | 9.0 s |  |  |  |  |",
        "|  |  | peer 1.2 | 500 ms | 500 ms | 9.0 s | 500× | 3× | yes |  |",
    ]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(None, ""), (2e-6, "2.0 µs"), (0.25, "250 ms"), (59.6, "60 s"), (7200, "120 min")],
)
def test_durations(seconds, expected):
    assert expected == duration(seconds)


def test_the_page_names_machine_and_absences():
    text = section([], {"processor": "fast"}, QUICK, ["peer: absent: no Java"])
    assert "| processor | fast |" in text
    assert "- peer: absent: no Java" in text
    assert "busy" not in text
    assert "**The machine was busy" in section([], {"busy": "yes"}, QUICK, [])


def test_the_picture_has_every_ratio():
    actual = lines(row(PEER), [result("ours", {1: [1]}), result("peer", {1: [5]}, 3)], {})
    text = ratios(actual)
    assert text.startswith("<svg")
    assert "A job, 20 · peer" in text


def test_the_picture_of_a_page_is_that_of_its_lines():
    peer = result("peer", {1: [4e3], 2: [5e3]}, 3)
    actual = lines(row(PEER), [result("ours", {1: [1], 2: [1]}), peer], {"peer": "1.2.3"})
    assert ratios(actual) == ratios_of_page(f"# Speed\n\n{table(actual)}\n\n## Searches\n| x |")


def test_a_page_is_put_together_from_the_last_sections(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_BENCH_CACHE", str(tmp_path / "cache"))
    speed_page.keep("startup", "## Start-up\n")
    speed_page.keep("speed", "## Beside the peers\n", "<svg/>")
    speed_page.publish(tmp_path / "docs")
    text = (tmp_path / "docs" / "speed.md").read_text()
    assert text.index("Beside the peers") < text.index("Start-up")
    assert "<svg/>" == (tmp_path / "docs" / "images" / "speed.svg").read_text()


def test_a_page_keeps_the_sections_that_no_command_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_BENCH_CACHE", str(tmp_path / "cache"))
    headings = speed_page.HEADINGS
    old = [f"{headings[name]}\n\nold\n" for name in ("speed", "growth", "startup")]
    (tmp_path / "speed.md").write_text(speed_page.HEAD + "\n".join(old))
    speed_page.publish(tmp_path)
    assert (tmp_path / "speed.md").read_text() == speed_page.HEAD + "\n".join(old)
    new = f"{headings['searches']}\n\nnew\n"
    speed_page.keep("searches", new)
    speed_page.publish(tmp_path)
    old.insert(1, new)
    assert (tmp_path / "speed.md").read_text() == speed_page.HEAD + "\n".join(old)


def test_rows_are_kept_and_replaced_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_BENCH_CACHE", str(tmp_path))
    chosen = row(PEER)
    for seconds in (1.0, 2.0):
        results = [result("ours", {1: [seconds], 2: [seconds]}), result("peer", {1: [9.0]}, 3)]
        keep_row(KeptRow(chosen, results, "today", {"peer": "1.2"}))
    assert [KeptRow(chosen, results, "today", {"peer": "1.2"})] == kept_rows([chosen])


def test_searches_run_in_their_own_command():
    assert not {one.job for one in comparison.chosen([], FULL)} & set(COMPARED)
    assert {one.size for one in comparison.chosen(["xges"], QUICK)} == {20, 50, 100}


def test_the_picture_of_searches_has_every_program_and_says_who_ran_on_fewer_seeds():
    names = ("causalassay", "Tetrad 7.6.3 BOSS", "causal-learn")
    some = [result(name, {1: [1], 2: [3]}) for name in names]
    for one, scores in zip(some, [(-5, -9), (-6, -8), (-4, 0)], strict=True):
        for timing, score in zip(one.timings.values(), scores, strict=True):
            timing.quality = {"BIC": score}
    del some[2].timings[2]
    assert points({"boss-50": some}).to_numpy().tolist() == [
        ["50 nodes", "causalassay", "BOSS", "on all seeds", 2, 1.0],
        ["50 nodes", "another package", "Tetrad BOSS", "on all seeds", 2, 1.0],
        ["50 nodes", "another package", "causal-learn BOSS", "on one seed", 1, 0.0],
    ]
    assert "Tetrad BOSS" in picture({"boss-50": some})


def test_other_seeds_compare_each_search_of_ours_with_each_peer():
    names = [one.name for one in (*other_seeds.OURS, *other_seeds.PEERS)]
    some = [result(name, {101: [0.5], 102: [1.5]}) for name in names]
    for one in some[: len(other_seeds.OURS)]:
        one.environment = "ours"
    for k, one in enumerate(some):
        for timing, score in zip(one.timings.values(), (-5 - k, -7), strict=True):
            timing.quality = {"BIC": score, "SHD": 3 + k}
    lines = other_seeds._table(other_seeds.rows()[0], some).splitlines()
    assert lines[2].endswith("| beside xges | beside Tetrad 7.6.3 BOSS |")
    expected = "more BIC on 1 of 2, less on 0, the same on 1; SHD of ours minus theirs -7.0 ± 0.0"
    assert lines[4].startswith(f"| XGES | 1.0 s | -6.0 | 3.0 | {expected} |")
    assert lines[-1] == "| Tetrad 7.6.3 BOSS | 1.0 s | -10.0 | 11.0 |  |  |"


def test_the_table_beside_flop_has_differences_seed_by_seed():
    some = [result(one.name, {201: [0.5], 202: [1.5]}) for one in beside_flop.CONTESTANTS]
    for k, one in enumerate(some):
        for timing, score in zip(one.timings.values(), (-5 - k, -7), strict=True):
            timing.quality = {"score": score, "SHD": 3 + k}
    some[2].timings.clear()
    some[2].trouble = "failed: reason"
    row = next(one for one in beside_flop.rows() if (one.job, one.size) == ("flop", 50))
    lines = beside_flop.table([(row, some)]).splitlines()
    assert len(lines) == 2 + len(some)
    assert lines[2] == (
        "| 50 nodes, ER-2, raw, 2 seeds | BOSS, 3 starts | 1.0 s | 3.0 | -4.0 ± 0.0 | +2.0 ± 2.0 |"
    )
    assert lines[4] == "|  | XGES | failed: reason |  |  |  |"
    assert lines[6] == "|  | FLOP, 20 restarts | 1.0 s | 7.0 |  |  |"


def test_every_row_beside_flop_has_a_kept_place_of_its_own():
    names = [one.name for one in beside_flop.rows()]
    assert len(set(names)) == len(names)


def penalty_run(cell, penalty, shd, sid, replicate=0, search="boss"):
    return penalties.Run(search, cell, replicate, penalty, shd, sid, 0.1, False)


def test_regrets_are_those_of_a_loop_over_cells():
    rng = np.random.default_rng(0)
    some = penalties.cells()[:7]
    runs = [
        penalty_run(cell, penalty, *rng.random(2), replicate)
        for cell in some
        for replicate in range(3)
        for penalty in penalties.PENALTIES
    ]
    averages = penalties.average(penalties.cell_regrets(runs))
    totals = {penalty: [] for penalty in penalties.PENALTIES}
    for cell in some:
        lost = dict.fromkeys(penalties.PENALTIES, 0.0)
        for name in ("shd", "sid"):
            means = {}
            for penalty in penalties.PENALTIES:
                chosen = [one for one in runs if (one.cell, one.penalty) == (cell, penalty)]
                means[penalty] = np.mean([getattr(one, name) for one in chosen])
            for penalty in penalties.PENALTIES:
                lost[penalty] += means[penalty] - min(means.values())
        for penalty, own in lost.items():
            totals[penalty].append(own)
    best = min(totals, key=lambda penalty: np.mean(totals[penalty]))
    for penalty, own in totals.items():
        differences = np.array(own) - np.array(totals[best])
        found = averages[penalty]
        assert found.total == pytest.approx(np.mean(own))
        assert found.beyond == pytest.approx(differences.mean())
        assert found.error == pytest.approx(differences.std(ddof=1) / np.sqrt(len(some)))
    within = [penalty for penalty in totals if averages[penalty].beyond <= averages[penalty].error]
    assert penalties.choose(averages) == within[0]


def test_a_run_counts_what_the_empty_graph_has():
    cell = penalties.Cell(10, 300, "SF-2", "discrete")
    data, truth = penalties.draw(cell, 0)
    assert data.world == "discrete"
    assert truth.sum(axis=0).max() <= 2  # hubs are causes
    found = penalties.run("boss", cell, 0, "3")
    estimate = ca.discover("boss", data, np.random.default_rng(0), penalty_discount=3.0).graph
    expected = ca.metrics.shd(ca.graphs.to_cpdag(truth), estimate) / truth.sum()
    assert found.shd == pytest.approx(expected)
    lower, upper = ca.metrics.sid_bounds(truth, estimate)
    empty = ca.metrics.sid(truth, np.zeros_like(truth))
    assert found.sid == pytest.approx((lower + upper) / 2 / empty)


def test_a_refused_search_counts_as_empty_and_runs_are_read_again(tmp_path):
    cell = penalties.Cell(50, 20, "ER-4", "raw")  # more columns than rows
    found = penalties.run("ges", cell, 0, "1")
    assert (found.refused, found.shd, found.sid) == (True, 1.0, 1.0)
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps(found) + "\n")
    assert penalties.read_runs(path) == [found]
    assert penalties.read_runs(tmp_path / "none.jsonl") == []


def test_the_page_of_penalties_names_the_choice_and_each_level():
    runs = [
        penalty_run(cell, penalty, 0.1 * k, 0.2 * k, search=search)
        for search in ("boss", "xges", "ges")
        for cell in penalties.cells()
        for k, penalty in enumerate(penalties.PENALTIES)
    ]
    text = penalties.tables(runs)
    assert "By the rule the default is **1**." in text
    assert "| **sum** | **0.000** | **0.300** | **0.600** | **0.900** | **1.200** |" in text
    for label in ("200 nodes", "10000 rows", "SF-2", "UUMC data", "`ges`, at most 50 nodes"):
        assert f"| {label} | " in text
    page = searches_page.filled(
        "<!-- penalties: begin --><!-- penalties: end -->", "penalties", text
    )
    assert text in page
    with pytest.raises(ValueError, match="expected the marks"):
        searches_page.filled("nothing", "penalties", text)


def test_rows_have_names_of_their_own_and_known_environments():
    names = [one.name for one in all_rows()]
    assert len(set(names)) == len(names)
    known = {*peer_environments.ENVIRONMENTS, "plain"}
    assert all(peer.environment in known for one in all_rows() for peer in one.peers)


def test_an_unknown_row_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match="there is no row pcc; there are boss, boss-100"):
        comparison.chosen(["pcc"], QUICK)
    assert [50, 100, 200] == [one.size for one in comparison.chosen(["pc"], QUICK)]


def test_every_environment_is_pinned():
    for wanted in peer_environments.ENVIRONMENTS.values():
        assert all("==" in requirement for requirement in wanted.requirements)


def test_an_environment_without_its_program_is_absent(monkeypatch):
    monkeypatch.setattr(building.shutil, "which", lambda _: None)
    assert "the program java is not on the path" == peer_environments.install("tetrad").reason


def test_a_failed_installation_says_why_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSALASSAY_BENCH_CACHE", str(tmp_path))

    def fail(command, on_line=None):
        raise building.NotBuilt("the installation failed: ERROR: no wheel")

    monkeypatch.setattr(building, "_run", fail)
    assert "the installation failed: ERROR: no wheel" == peer_environments.install("gadjid").reason
    assert {".lock"} == {path.suffix for path in (tmp_path / "environments").iterdir()}


def test_processes_have_one_thread_and_bytecode(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    actual = runtime.process_environment()
    assert "1" == actual["OMP_NUM_THREADS"]
    assert "PYTHONDONTWRITEBYTECODE" not in actual


def test_answers_agree_or_not_or_cannot_be_compared():
    graph = np.eye(3)
    assert same({"graph": graph}, {"graph": graph + 1e-12, "order": 1})
    assert same({"graph": graph}, {"graph": 2 * graph}) is False
    assert same({"graph": graph}, {"graph": np.eye(2)}) is False
    assert same({"weights": graph}, {"weights": graph}) is None


def fake_job(data):
    def call():
        return data["values"].sum()

    return call, lambda total: {"total": total}


def failing_job(data):
    def call():
        raise KeyError("x")

    return call, lambda result: {}


def ask(*requests):
    replies = io.StringIO()
    serve(io.StringIO("".join(json.dumps(request) + "\n" for request in requests)), replies)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def test_a_worker_prepares_times_and_answers(tmp_path):
    np.savez(tmp_path / "data.npz", values=np.arange(4))
    job = {"do": "prepare", "job": f"{__name__}:fake_job", "data": str(tmp_path / "data.npz")}
    replies = ask(
        job,
        {"do": "turn", "calls": 3, "seconds": 60.0},
        {"do": "answer", "path": str(tmp_path / "answer.npz")},
    )
    assert [3, 3] == [len(replies[1][clock]) for clock in ("wall", "cpu")]
    with np.load(tmp_path / "answer.npz") as answer:
        assert 6 == answer["total"]


def test_a_worker_outlives_what_a_job_raises(tmp_path):
    np.savez(tmp_path / "data.npz", values=np.arange(4))
    job = {"do": "prepare", "job": f"{__name__}:failing_job", "data": str(tmp_path / "data.npz")}
    turn = {"do": "turn", "calls": 1, "seconds": 0.0}
    assert [{}, {"error": "KeyError: 'x'"}, {}] == ask(job, turn, job)


def test_a_connection_ends_a_job_that_takes_too_long(tmp_path):
    connection = Connection(sys.executable, tmp_path / "log")
    try:
        with pytest.raises(Failure, match="no job is prepared"):
            connection.ask({"do": "turn", "calls": 1, "seconds": 1.0}, 60)
        os.kill(connection._process.pid, signal.SIGSTOP)  # it will not answer
        with pytest.raises(Overtime):
            connection.ask({"do": "turn", "calls": 1, "seconds": 1.0}, 0.2)
        with pytest.raises(Ended):
            connection.ask({"do": "turn", "calls": 1, "seconds": 1.0}, 60)
    finally:
        connection.close()


def test_a_limit_on_cpu_seconds_does_not_count_time_asleep(tmp_path):
    connection = Connection(sys.executable, tmp_path / "log", "cpu")
    nap = {"do": "prepare", "job": f"{__name__}:napping_job", "data": str(tmp_path / "data.npz")}
    np.savez(tmp_path / "data.npz", values=np.arange(4))
    try:
        connection.ask(nap, 60)
        reply = connection.ask({"do": "turn", "calls": 1, "seconds": 0.0}, 1.0)
        assert reply["wall"][0] > 1.0
        assert reply["cpu"][0] < 1.0
    finally:
        connection.close()


def napping_job(data):
    return lambda: time.sleep(1.5), lambda _: {}


def test_a_curve_has_the_exponent_of_its_end():
    curve = trace("a", "d", (10, 20, 40), lambda _, d, n: {"seconds": d**3 / 1e9, "bytes": 0})
    assert 3.0 == pytest.approx(curve.exponent)


def test_a_curve_ends_at_the_limit_or_with_a_reason():
    slow = trace("a", "n", (10, 20, 40), lambda _, d, n: {"seconds": 5.0 * n, "bytes": 0})
    assert [10, 20] == slow.sizes
    refused = trace("a", "d", (10, 20), lambda *_: {"refused": "too few rows"})
    assert "d = 10: too few rows" == refused.ended
    assert np.isnan(refused.exponent)


def test_the_section_on_growth_has_a_line_for_each_algorithm():
    curves = [Curve("a", along, [10, 20], [1.0, 4.0], [0, 2**20]) for along in "dn"]
    assert "| a | 2.0 | 20 | 4.0 s | 1 MiB | 2.0 | 20 | 4.0 s | 1 MiB |  |" in growth_section(
        curves, ""
    )


def test_the_section_on_starting_judges_the_minimum():
    text = startup.section([startup.Wait("an import", 0.4, 0.6, 0.5)], "")
    assert "| an import | 400 ms | 600 ms | ≤ 0.5 s | yes |  |" in text


def test_skeletons_agree_whatever_the_directions():
    arrow, undirected = np.array([[0, 1], [0, 0]]), np.array([[0, 1], [1, 0]])
    assert same_skeleton({"graph": arrow}, {"graph": undirected}) is True
    assert same_skeleton({"graph": arrow}, {"graph": np.zeros((2, 2))}) is False
    assert same_skeleton({"graph": arrow}, {"order": 1}) is None


def test_skeletons_are_told_where_some_result_differs():
    def of(*agreements):
        timings = {k: Timing(same=a, same_skeleton=b) for k, (a, b) in enumerate(agreements)}
        return quality_of(Result("peer", "", None, 1.0, timings=timings))

    assert of((True, True), (False, True)) == "same result on 1 of 2, same skeleton on 2 of 2"
    assert of((True, True)) == "same result on 1 of 1"


@pytest.mark.parametrize(("times", "text"), [(1234.5, "1 234"), (99.7, "100"), (28.4, "28")])
def test_speed_ups_are_written_without_exponents(times, text):
    assert text == _times(times)
