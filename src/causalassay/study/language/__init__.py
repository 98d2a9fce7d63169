"""The study file: TOML to `Study`, with every mistake at once.

`study_file` reads the text and joins the parts: `problems` (with `data_files`) and `algorithms`
(with metrics and diagnostics) read the tables of the lists. A reader first expands grids and
random settings (`grids`), then checks each table and makes a dataclass of it (`tables`).
`mistakes` collects what is wrong, with its location and the nearest name.
"""

from typing import TYPE_CHECKING

from causalassay.common.on_demand import names_on_demand

if TYPE_CHECKING:
    from causalassay.study.forecast import describe
    from causalassay.study.language.mistakes import StudyMistakes
    from causalassay.study.language.study_file import parse_study, read_study

__all__ = ["StudyMistakes", "describe", "parse_study", "read_study"]

__getattr__, __dir__ = names_on_demand(__name__)
