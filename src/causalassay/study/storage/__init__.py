"""Rows on disk: one SQLite file for each study, and the tables made from it."""

from causalassay.study.storage.copying import WorkingCopy
from causalassay.study.storage.exporting import export
from causalassay.study.storage.reader import StoreReader, read_store
from causalassay.study.storage.refusals import StoreFull, StoreRefused
from causalassay.study.storage.store import Store
from causalassay.study.storage.table import StudyTable, study_table

__all__ = [
    "Store",
    "StoreFull",
    "StoreReader",
    "StoreRefused",
    "StudyTable",
    "WorkingCopy",
    "export",
    "read_store",
    "study_table",
]
