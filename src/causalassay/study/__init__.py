"""Studies: declared in a file, run on any machine, resumed after any interruption.

>>> from causalassay import study
>>> callable(study.read_study)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.common.on_demand import names_on_demand

if TYPE_CHECKING:
    from causalassay.study.cluster_executor import DaskExecutor
    from causalassay.study.driver import run_study
    from causalassay.study.executors import LocalExecutor
    from causalassay.study.language import parse_study, read_study
    from causalassay.study.plan import Study
    from causalassay.study.storage import export, study_table

__all__ = [
    "DaskExecutor",
    "LocalExecutor",
    "Study",
    "export",
    "parse_study",
    "read_study",
    "run_study",
    "study_table",
]

__getattr__, __dir__ = names_on_demand(__name__)
