"""Pending runs in a file that another machine solves, and the solved file read back as rows."""
