"""The command `check`, which says what a data file is read as."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from causalassay.cli.options import Output, Reading, argument, printed_notes, series_option


@dataclass(frozen=True)
class CheckOptions:
    """What `check` looks at."""

    data: Path = argument(
        "Data file with one column per variable: text (CSV, TSV, …), Parquet, Feather or NumPy."
    )
    series: bool = series_option()


def check(options: CheckOptions, reading: Reading, output: Output) -> None:
    """Say what a data file is read as, column by column, before anything is computed.

    A column is an amount, levels (without or with an order), text, a date, an id, constant,
    empty, or a duplicate of another. The table says what becomes of each, and which
    option changes it: amounts and levels in numbers are used, ids and dates left out,
    and what no algorithm can take is refused, all of it at once. It ends with a command
    that takes the file.

    Example: causalassay check data.csv

    With the options that you will pass: causalassay check data.csv --drop age --series
    """
    from causalassay.data.table_check import check_table

    output.check([options.data])
    with printed_notes():
        checked = check_table(options.data, reading.request(series=options.series))
    output.conclude(checked.document(), checked.to_dict)
