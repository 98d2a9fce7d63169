"""Rows on disk: one SQLite file for each study, and the tables made from it."""

from causalassay.study.storage.export_table import StudyTable, export, study_table
from causalassay.study.storage.reader import StoreReader, read_store
from causalassay.study.storage.refusals import StoreFull, StoreRefused
from causalassay.study.storage.row_search import find_row
from causalassay.study.storage.store import Store

__all__ = [
    "Store",
    "StoreFull",
    "StoreReader",
    "StoreRefused",
    "StudyTable",
    "export",
    "find_row",
    "read_store",
    "study_table",
]
