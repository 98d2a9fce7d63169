"""Cores and graphics cards: never given twice, and everybody gets them in the end."""

import os
import stat
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.processes import resources
from causalassay.processes.resources import NO_NEEDS, VISIBLE, Machine, Needs, cards
from causalassay.processes.supervisor import Supervisor
from hostile import functions as hostile
from waiting import LIMIT

PARTS = (0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 1.0)


@st.composite
def needs(draw):
    at_most = draw(st.sampled_from((None, 1, 2)))
    owner = "" if at_most is None else draw(st.sampled_from("ab"))
    return Needs(draw(st.integers(1, 6)), draw(st.sampled_from(PARTS)), at_most, owner)


@given(
    workers=st.integers(1, 5),
    named=st.lists(st.sampled_from("012"), unique=True),
    kinds=st.lists(needs(), min_size=1, max_size=4),
    data=st.data(),
)
def test_calls_never_have_more_than_there_is_and_all_of_them_end(workers, named, kinds, data):
    """Processes are simulated: calls come and end in any order, the rest is the supervisor's."""
    supervisor = Supervisor(workers, hostile.nothing, cards=named)
    for slot in supervisor._slots:
        slot.process = SimpleNamespace(ready=True)
    supervisor._wake = supervisor._send = hostile.nothing
    wanted = data.draw(st.lists(st.sampled_from((NO_NEEDS, *kinds)), max_size=25))
    waiting, ended = list(wanted), []
    while len(ended) < len(wanted):
        running = [slot for slot in supervisor._slots if slot.call is not None]
        if waiting and (not running or data.draw(st.booleans())):
            supervisor.submit(hostile.same, None, needs=waiting.pop(0))
        elif running:
            ended.append(supervisor._release(data.draw(st.sampled_from(running))).needs)
        supervisor._begin_calls()
        check_allocation([slot for slot in supervisor._slots if slot.call], workers, named)
        assert waiting or supervisor._n_waiting() == 0 or any(s.call for s in supervisor._slots)
    assert Counter(wanted) == Counter(ended)
    assert workers == supervisor._machine.free_cores
    assert {Fraction(1)} >= set(supervisor._machine.free_parts.values())


def check_allocation(running, workers, named):
    """Count anew what those that run have."""
    cores = sum(min(slot.call.needs.threads, workers) for slot in running)
    assert cores <= workers
    used = Counter()
    for slot in running:
        wants = bool(slot.call.needs.gpus and named)
        assert wants == bool(slot.grant.card)
        used[slot.grant.card] += Fraction(str(slot.call.needs.gpus)) if wants else 0
    assert set(used) <= {"", *named}
    assert all(part <= 1 for part in used.values())


@given(st.lists(st.sampled_from(PARTS[1:]), max_size=12), st.integers(1, 3))
def test_parts_of_a_card_are_at_most_a_whole(parts, n_cards):
    machine = Machine(100, [str(card) for card in range(n_cards)])
    grants = [grant for part in parts if (grant := machine.reserve(Needs(gpus=part)))]
    used = Counter()
    for grant in grants:
        used[grant.card] += grant.part
    assert all(part <= 1 for part in used.values())
    for grant in grants:
        machine.release(grant)
    assert {Fraction(1)} == set(machine.free_parts.values())


def test_a_call_that_waits_for_cores_is_not_overtaken_for_ever():
    """Two threads are wanted where calls with one thread never stop coming."""
    supervisor = Supervisor(2, hostile.nothing)
    supervisor._wake = supervisor._send = hostile.nothing
    for slot in supervisor._slots:
        slot.process = SimpleNamespace(ready=True)
    supervisor.submit(hostile.same, 0)
    supervisor._begin_calls()
    supervisor.submit(hostile.same, 0, needs=Needs(threads=2))
    for _ in range(10):
        supervisor.submit(hostile.same, 0)
    supervisor._begin_calls()
    (first,) = [slot for slot in supervisor._slots if slot.call]
    supervisor._release(first)
    supervisor._begin_calls()
    assert [Needs(threads=2)] == [s.call.needs for s in supervisor._slots if s.call]


def test_calls_for_a_card_go_where_their_code_is():
    """Elsewhere it would be loaded again, and memory of the card held twice."""
    supervisor = Supervisor(4, hostile.nothing, cards=["0"])
    supervisor._wake = supervisor._send = hostile.nothing
    for slot in supervisor._slots:
        slot.process = SimpleNamespace(ready=True)
    used = set()
    for _ in range(8):
        supervisor.submit(hostile.same, 0, needs=Needs(gpus=1.0))
        supervisor.submit(hostile.same, 0)
        supervisor._begin_calls()
        running = [slot for slot in supervisor._slots if slot.call]
        used |= {supervisor._slots.index(s) for s in running if s.call.needs.gpus}
        for slot in running:
            supervisor._release(slot)
    assert 1 == len(used)


def test_a_call_is_told_its_card():
    with Supervisor(2, hostile.nothing, cards=["7", "9"]) as pool:
        futures = [
            pool.submit(hostile.card_for_a_while, 0.2, needs=Needs(gpus=1.0)) for _ in range(4)
        ]
        said = [future.result(timeout=LIMIT) for future in futures]
        assert "" == pool.submit(hostile.card_for_a_while, 0.0).result(timeout=LIMIT)
    assert {"7", "9"} >= set(said) != set()


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("0,2", ("0", "2")),
        (" GPU-a , GPU-b ", ("GPU-a", "GPU-b")),
        ("", ()),
        ("-1", ()),
        ("1,-1,0", ("1",)),
        ("NoDevFiles", ()),
        ("0,0", ("0",)),
    ],
)
def test_cards_are_those_that_are_visible(monkeypatch, stated, expected):
    monkeypatch.setenv(VISIBLE, stated)
    assert expected == cards()


def test_without_the_variable_cards_are_those_that_nvidia_lists(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text(
        "#!/bin/sh\n"
        "echo 'GPU 0: NVIDIA H200 (UUID: GPU-1)'\n"
        "echo 'GPU 1: NVIDIA A100 (UUID: GPU-2)'\n"
        "echo '  MIG 1g.5gb Device 0: (UUID: MIG-3)'\n"
        "echo '  MIG 1g.5gb Device 1: (UUID: MIG-4)'\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.delenv(VISIBLE, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert ("GPU-1", "MIG-3", "MIG-4") == cards()
    program.write_text("#!/bin/sh\nexit 9\n")
    assert () == cards()
    program.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert () == cards()
    assert resources.VISIBLE not in os.environ
