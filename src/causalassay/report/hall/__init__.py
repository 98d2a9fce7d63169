"""The hall of audits as a page, a picture, a table and on a terminal."""

from causalassay.report.hall.files import Written, write_hall
from causalassay.report.hall.terminal import render_entries, render_rows

__all__ = ["Written", "render_entries", "render_rows", "write_hall"]
