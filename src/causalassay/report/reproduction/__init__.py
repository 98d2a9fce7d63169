"""A reproduction in the terminal, as a table file and as a page."""

from causalassay.report.reproduction.files import write_reproduction
from causalassay.report.reproduction.terminal import (
    listed_items,
    render_list,
    render_reproduction,
)

__all__ = ["listed_items", "render_list", "render_reproduction", "write_reproduction"]
