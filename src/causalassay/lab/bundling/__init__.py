"""A study as one folder to hand in: what ran, what came of it, and how to check both."""

from causalassay.lab.bundling.building import Bundle, Terms, write_bundle
from causalassay.lab.bundling.checking import Checked, check_bundle

__all__ = ["Bundle", "Checked", "Terms", "check_bundle", "write_bundle"]
