"""What reproductions of papers came out as, and a runner for those that need no study."""

import csv

from causalassay.lab.papers import read_paper, reproduce

RECORDED = "recorded.csv"


def recorded(slug):
    """The outcome of each value of the fast set, as it was when it was last looked at."""
    with (read_paper(slug).folder / RECORDED).open(encoding="utf-8") as file:
        return {row["id"]: row["outcome"] for row in csv.DictReader(file)}


def nothing_runs(study, folder):
    raise AssertionError(f"{study.name} is not needed")


def outcomes_without_studies(slug, items, folder):
    found = reproduce(read_paper(slug), items, "fast", folder, nothing_runs)
    return {line.value.id: line.outcome for line in found.lines}
