"""The charts of a report, and their files for a paper."""
