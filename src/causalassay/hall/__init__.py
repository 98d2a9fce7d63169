"""The hall of audits: every popular generator and data set, one verdict table."""

from causalassay.hall.catalogue import Entry, chosen, entries
from causalassay.hall.measuring import measure
from causalassay.hall.row import Cell, Row, kept_rows
from causalassay.hall.running import fill
from causalassay.hall.sources import Settings

__all__ = ["Cell", "Entry", "Row", "Settings", "chosen", "entries", "fill", "kept_rows", "measure"]
