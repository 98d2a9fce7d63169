"""The description of a bundle for machines: Croissant 1.0, a JSON-LD vocabulary for data sets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from causalassay.catalogue import noun_phrase
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.lab.bundling import contents
from causalassay.lab.bundling.document import CardContent
from causalassay.metrics.registry import METRICS
from causalassay.study.storage.schema import COLUMNS, GRAPH_COLUMNS

_TERMS = (
    "citeAs column conformsTo cr rai data dataType dct equivalentProperty examples extract "
    "field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5 "
    "parentField path recordSet references regex repeated replace samplingRate sc separator "
    "source subField transform"
)
_ELSEWHERE = {
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "sc": "https://schema.org/",
}
CONTEXT: dict[str, Any] = {"@language": "en", "@vocab": "https://schema.org/"} | {
    term: _ELSEWHERE.get(term, f"cr:{term}") for term in _TERMS.split()
}
"""As the specification of version 1.0 has it."""

CONFORMS = "http://mlcommons.org/croissant/1.0"

_FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/x-parquet",
    ".toml": "application/toml",
    ".whl": "application/zip",
    ".zip": "application/zip",
}


def description_text(
    content: CardContent, sums: Mapping[str, str], folder: Path, url: str | None
) -> str:
    """Return the file that describes a bundle.

    Parameters
    ----------
    content : CardContent
        What its card is about.
    sums : mapping
        The files that it has, and their checksums.
    folder : Path
    url : str, optional
        As the authors state it.
    """
    described = croissant(_about(content, url), sums, _columns(folder))
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _about(content: CardContent, url: str | None) -> dict[str, Any]:
    """Return what the description says of the bundle as a whole."""
    about: dict[str, Any] = {
        "name": content.status.name,
        "description": f"Rows of the benchmark study {content.status.name}, made with causalassay. "
        f"{content.analysis.headline}",
        "version": "1.0.0",
    }
    if content.status.last_write:
        about["datePublished"] = content.status.last_write[:10]
    if content.licence is not None:
        about["license"] = contents.licence_address(content.licence)
    if content.authors:
        about["creator"] = {"@type": "Person", "name": content.authors}
        about["citeAs"] = f"{content.authors}: {content.status.name}, a study with causalassay"
    if url is not None:
        about["url"] = url
    return about


def _columns(folder: Path) -> dict[str, pa.Schema]:
    kinds = {"integer": pa.int64(), "number": pa.float64()}
    index = pa.schema(
        [(column.name, kinds.get(column.kind, pa.string())) for column in GRAPH_COLUMNS]
    )
    return {contents.ROWS: parquet.read_schema(folder / contents.ROWS), contents.GRAPH_INDEX: index}


def croissant(
    about: Mapping[str, Any], sums: Mapping[str, str], columns: Mapping[str, pa.Schema]
) -> dict[str, Any]:
    """Return the description of a bundle.

    Parameters
    ----------
    about : mapping
        Name, description, date and, where stated, licence, authors and address.
    sums : mapping
        The files of the bundle and their checksums.
    columns : mapping
        The columns of its tables, by file.
    """
    files = [_file(name, digest) for name, digest in sorted(sums.items())]
    graphs = {
        "@type": "cr:FileSet",
        "@id": "graphs",
        "name": "graphs",
        "description": "The graph that each run found, as an edge list with the head from,to,type.",
        "containedIn": {"@id": contents.GRAPHS},
        "encodingFormat": "text/csv",
        "includes": "*.csv",
    }
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        **about,
        "isLiveDataset": False,
        "distribution": [*files, graphs],
        "recordSet": [
            _records("rows", contents.ROWS, columns[contents.ROWS]),
            _records("graph-index", contents.GRAPH_INDEX, columns[contents.GRAPH_INDEX]),
        ],
    }


def _file(name: str, digest: str) -> dict[str, Any]:
    ending = f".{name.rpartition('.')[2]}"
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": contents.meaning(name),
        "contentUrl": name,
        "encodingFormat": _FORMATS.get(ending, "text/plain"),
        "sha256": digest,
    }


def _records(name: str, file: str, schema: pa.Schema) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": contents.MEANINGS[file],
        "key": {"@id": f"{name}/key"},
        "field": list(_fields(name, file, schema)),
    }


def _fields(records: str, file: str, schema: pa.Schema) -> Iterable[dict[str, Any]]:
    for column in schema:
        yield {
            "@type": "cr:Field",
            "@id": f"{records}/{column.name}",
            "name": column.name,
            "description": described(column.name),
            "dataType": _data_type(column.type),
            "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
        }


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


COLUMN_MEANINGS = {column.name: column.meaning for column in (*COLUMNS, *GRAPH_COLUMNS)}
"""What the columns of the tables mean, but for metrics, diagnostics and labels."""


MEASURED = {
    r"random_f1": "mean F1 of regressions along 50 random orders of the nodes",
    r"random_direction": "mean direction score of these regressions",
    r"random_skeleton_f1": "mean F1 of the skeletons of these regressions",
    r"attainable_direction_p": "share of random assignments or orders as good as a true one",
    r"n_draws": "how many problems were drawn until one was accepted",
    r".+_rising_p": "share of random assignments of the statistic that are at least as sortable",
    r".+_falling_p": "share of random assignments of the statistic that are at most as sortable",
    r".+_up_f1": "F1 of regressions along the increasing statistic",
    r".+_down_f1": "F1 of regressions along the decreasing statistic",
    r".+_(up|down)_direction": "direction score of regressions along the statistic",
    r".+_(up|down)_direction_p": "share of the 50 random orders that reach this direction score",
}
"""What the columns mean that stand for chance and for sorting, by the pattern of their names."""


def described(name: str) -> str:
    """Return what a column of the rows holds.

    Examples
    --------
    >>> described("variance_up_f1"), described("graph.n_nodes")
    ('F1 of regressions along the increasing statistic', 'a setting of the problem')
    """
    if name in COLUMN_MEANINGS:
        return COLUMN_MEANINGS[name]
    for registry in (METRICS, DIAGNOSTICS):
        if name in registry:
            return noun_phrase(registry[name].description)
    meanings = (text for pattern, text in MEASURED.items() if re.fullmatch(pattern, name))
    return next(meanings, "a setting of the problem")
