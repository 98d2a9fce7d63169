"""The page of a choice among algorithms."""

from causalassay.report.choice_page.document import choice_page

__all__ = ["choice_page"]
