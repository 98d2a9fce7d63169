"""The hall of audits: every popular generator and data set, one verdict table."""

from causalassay.hall.catalogue import chosen, entries
from causalassay.hall.entry import Entry, Settings
from causalassay.hall.kept_rows import kept_rows
from causalassay.hall.measuring import measure
from causalassay.hall.row import Cell, Row
from causalassay.hall.running import fill

__all__ = ["Cell", "Entry", "Row", "Settings", "chosen", "entries", "fill", "kept_rows", "measure"]
