"""The assay of implementations: whether a package computes what its paper says.

How it is built:

- `exact` has data on which the right answer is known without chance: a sample whose covariance is
  that of the model, so that a test and a score see the population. The right answer comes from
  slow, obvious references: d-separation on moral graphs, classes by trying all directions.
  `hidden` has the same for hidden causes, `numbers` for scores, tests and metrics.
- `methods` has what is assayed: a method of a package, with what its paper promises (the class or
  the DAG in the limit, independence of the order of the columns, of units) and where it says so.
  Packages run in their environments, by the adapters of studies or by a file in ``probes``.
  ``observing`` is the adapter around both: it says what a call changed besides its answer.
- `checks` is the table of checks: what is asked, of which methods, what is right and why. A result
  is a verdict (as its paper says, differs, crashes, or no promise), a count, a sentence, and lines
  of Python that show a difference.
- `assay` runs each check of each method, and keeps each row at once: what is there is not made
  again. What is not installed is skipped, with the command that installs it.
- `document` shows the matrix, the table and the differences; `known` has the threads upstream.
"""

from causalassay.lab.hall.implementations.assay import AssayRow, assay, kept_rows
from causalassay.lab.hall.implementations.methods import METHODS, Method, chosen

__all__ = ["METHODS", "AssayRow", "Method", "assay", "chosen", "kept_rows"]
