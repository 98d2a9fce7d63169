"""The study file: TOML to `Study`, with every mistake at once.

`study_file` reads the text, `toml_tables` makes tables of it and refuses what no study needs, and
the top level is checked against the schemas of `table_keys`. Each table of its lists goes through
a reader: `problems` (parts in `problem_parts`, checks between them in `problem_checks`,
files in `data_files`), `algorithms` and `metrics`. A reader first expands grids and random
settings (`expansion`, with `axes`), then turns each table into a dataclass
(`dataclass_tables`) and names it (`labels`). `defaults` fills in what the file leaves out, and
`assembly` joins algorithms, baselines and candidates. `mistakes` collects what is wrong, with
its location; `known_names` suggests the nearest name; `description` prints the plan.
"""

from causalassay.study.forecast import describe
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.language.study_file import parse_study, read_study

__all__ = ["StudyMistakes", "describe", "parse_study", "read_study"]
