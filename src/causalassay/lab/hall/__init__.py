"""The hall of audits: every popular generator and data set, one verdict table."""

from causalassay.lab.hall.catalogue import chosen, entries
from causalassay.lab.hall.entry import Entry, Settings
from causalassay.lab.hall.measuring import fill, measure
from causalassay.lab.hall.row import Cell, Row, kept_rows

__all__ = ["Cell", "Entry", "Row", "Settings", "chosen", "entries", "fill", "kept_rows", "measure"]
