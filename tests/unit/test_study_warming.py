"""Workers that start together share the compiling, and each has all kernels at the end."""

import threading

from causalassay.graphs.sources import Chain, LaggedErdosRenyi
from causalassay.models import Dirichlet, NonlinearSCM, SeriesUUMC
from causalassay.study.plan import ProblemEntry, Study
from causalassay.study.problem_specs import Generated
from causalassay.study.worker import kernel_warming as warming
from waiting import LIMIT


def test_workers_share_the_jobs(tmp_path):
    by_worker = {}
    both_at_work = threading.Barrier(2)

    def job(name):
        def do():
            names = by_worker.setdefault(threading.get_ident(), [])
            names.append(name)
            if len(names) == 1:
                both_at_work.wait(LIMIT)

        return do

    def start():
        warming._share({name: job(name) for name in "abcd"}, tmp_path)

    workers = [threading.Thread(target=start) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert 2 == len(by_worker)
    # Each has done all, and they began with different ones.
    assert all("abcd" == "".join(sorted(names)) for names in by_worker.values())
    assert 2 == len({names[0] for names in by_worker.values()})


def test_workers_are_warmed_on_the_kinds_of_data_that_the_study_has(tmp_path, monkeypatch):
    sources = {
        "continuous": Generated(Chain(3), NonlinearSCM(), 100),
        "discrete": Generated(Chain(3), Dirichlet(), 100),
        "series": Generated(LaggedErdosRenyi(3, 0.5, 1), SeriesUUMC(), 100),
    }
    met = {}
    monkeypatch.setattr(warming, "_share", lambda jobs, _folder: met.update(jobs))
    for world, spec in sources.items():
        met.clear()
        problems = (ProblemEntry(world, spec),)
        warming.warm(Study("s", 1, 1, problems, (), (), ()), tmp_path)
        assert {"models", f"{world} diagnostics", f"{world} metrics"} == set(met)
        met["models"]()
