"""The Java Development Kit experiment of Garant and Jensen 2016."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd

from causalassay.common.files import check_regular, is_packed
from causalassay.data.text_tables import check_header_and_size
from causalassay.lab.factorial.experiment import FactorialExperiment

FILE_NAME = "jdk-results.csv"

TREATMENTS = ("debug", "obfuscate", "optimize", "parallelgc")
OUTCOMES = (
    "num_bytecode_ops",
    "total_unit_test_time",
    "allocated_bytes",
    "jar_file_size_bytes",
    "compile_time_ms",
)
COVARIATES = ("source_ncss", "test_classes", "test_functions", "test_ncss", "test_javadocs")
BIASING = "test_javadocs"


def read_jdk(path: Path | str) -> FactorialExperiment:
    """Return the JDK experiment: 473 Java projects under 16 settings, five trials of each.

    A subject is a project that is compiled and whose unit tests are run. The treatments are
    debugging symbols, obfuscation, optimisation and the parallel garbage collector.

    Parameters
    ----------
    path : Path or str
        The file jdk-results.csv, or its folder.

    References
    ----------
    Garant and Jensen 2016, section 5.1.1; the number of "Javadoc" comments in the test code is
    their biasing covariate.

    Examples
    --------
    >>> read_jdk("absent")
    Traceback (most recent call last):
    FileNotFoundError: absent: there is no such file
    """
    path = Path(path)
    file = path / FILE_NAME if path.is_dir() else path
    check_regular(file, f"the file {FILE_NAME} or its folder")
    check_header_and_size(file)
    try:
        frame = pd.read_csv(file, compression="gzip" if is_packed(file) else None)
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: cannot be read as CSV ({error})") from error
    try:
        return FactorialExperiment(
            frame,
            subject="repo_name",
            trial="trial",
            treatments=TREATMENTS,
            outcomes=OUTCOMES,
            covariates=COVARIATES,
            biasing=BIASING,
            provenance={
                "source": "Garant and Jensen 2016, JDK domain",
                "file": file.name,
                "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            },
        )
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
