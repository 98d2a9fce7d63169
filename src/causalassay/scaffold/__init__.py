"""The files that `causalassay new` writes: working examples to start from."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template

ALGORITHM_FILES = {
    "pyproject.toml": "pyproject.toml.template",
    "src/$module/__init__.py": "module.py.template",
    "tests/test_$module.py": "tests.py.template",
    "README.md": "README.md.template",
}
"""The files of a plug-in package, each with its template."""


def new_algorithm(name: str, folder: Path) -> list[Path]:
    """Write a plug-in package for an algorithm and return its files.

    Parameters
    ----------
    name : str
        Small letters, digits and hyphens, beginning with a letter: ``my-algorithm``.
    folder : Path
        Where the package's own folder, called `name`, is made; it must not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = new_algorithm("my-algorithm", Path(folder))
    >>> sorted(file.name for file in files)
    ['README.md', '__init__.py', 'pyproject.toml', 'test_my_algorithm.py']
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(
            f"name: expected small letters, digits and single hyphens, like my-algorithm; "
            f"got {name!r}"
        )
    root = folder / name
    if root.exists():
        raise FileExistsError(f"{root} exists already; choose another name or folder")
    words = {
        "name": name,
        "module": name.replace("-", "_"),
        "title": "".join(part.capitalize() for part in name.split("-")),
    }
    written = []
    for path, source in ALGORITHM_FILES.items():
        file = root / Template(path).substitute(words)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(template(f"algorithm/{source}").substitute(words), encoding="utf-8")
        written.append(file)
    return written


def new_study(name: str, folder: Path) -> Path:
    """Write a study file with a comment on every part, and return its path.

    Parameters
    ----------
    name : str
        Letters, digits, hyphens and underscores; the file is called ``NAME.toml``.
    folder : Path
        Where it is written; a file that exists there is not overwritten.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new_study("first-look", Path(folder)).name
    'first-look.toml'
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name):
        raise ValueError(
            f"name: expected at most 100 letters, digits, - and _, like first-look; got {name!r}"
        )
    file = folder / f"{name}.toml"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(template("study.toml.template").substitute(name=name))
    except FileExistsError:
        raise FileExistsError(f"{file} exists already; choose another name or folder") from None
    return file


def template(path: str) -> Template:
    """Return a file of the folder `templates`; its words in $ are still to be filled in."""
    return Template(files(__name__).joinpath("templates", path).read_text(encoding="utf-8"))
