"""Reads the rows of a study and draws: the verdict, the figures and the page to send on."""
