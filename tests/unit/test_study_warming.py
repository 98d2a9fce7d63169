"""Workers that start together share the compiling and all have everything at the end."""

import threading
import time

from causalassay.discovery import make_algorithm
from causalassay.study.plan import AlgorithmEntry, Study
from causalassay.study.tasks import warming


def test_workers_share_the_jobs(tmp_path):
    begun = []

    def job(name):
        def do():
            begun.append((threading.get_ident(), name, time.monotonic()))
            time.sleep(0.2)

        return do

    def start():
        warming._share({name: job(name) for name in "abcd"}, tmp_path)

    workers = [threading.Thread(target=start) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    by_worker = {}
    for who, name, _ in begun:
        by_worker.setdefault(who, []).append(name)
    assert 2 == len(by_worker)
    # Each has done all, and they began with different ones.
    assert all("abcd" == "".join(sorted(names)) for names in by_worker.values())
    assert 2 == len({names[0] for names in by_worker.values()})


def test_numbers_among_the_parameters_need_no_kernels_of_their_own():
    entries = [
        AlgorithmEntry(str(place), "notears", make_algorithm("notears", **parameters))
        for place, parameters in enumerate(
            [{}, {"lambda1": 0.1}, {"threshold": 0.2}, {"solver": "fast"}]
        )
    ]
    study = Study("s", 1, 1, (), tuple(entries), (), ())
    assert ["notears", "notears-fast"] == list(warming._native(study))


def test_strangers_and_programs_are_not_run_to_warm_up():
    entries = [
        AlgorithmEntry("c", "command", make_algorithm("command", program="true")),
        AlgorithmEntry("s", "a-stranger", make_algorithm("empty")),
    ]
    assert {} == warming._native(Study("s", 1, 1, (), tuple(entries), (), ()))
