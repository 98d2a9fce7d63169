"""The hall of audits: every popular generator and data set, one verdict table."""

from causalassay.lab.hall.catalogue import Entry, chosen, entries
from causalassay.lab.hall.measuring import measure
from causalassay.lab.hall.row import Cell, Row, kept_rows
from causalassay.lab.hall.running import fill
from causalassay.lab.hall.sources import Settings

__all__ = ["Cell", "Entry", "Row", "Settings", "chosen", "entries", "fill", "kept_rows", "measure"]
