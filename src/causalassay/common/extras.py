"""What to install for an optional part of this package, whatever it was installed from.

No package index has causalassay, so a line that asks pip for one of its extras fails. The packages
of an extra can always be installed beside it, and the installed metadata names them.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires


def install_line(extra: str) -> str:
    """Return the command that installs the packages of an extra into this environment.

    Examples
    --------
    >>> install_line("postgres")
    'pip install "psycopg[binary]>=3.2"'
    """
    try:
        stated = requires("causalassay") or []
    except PackageNotFoundError:  # run from a source folder that nobody installed
        stated = []
    parts = [line.partition(";") for line in stated]
    quoted = (f"extra == '{extra}'", f'extra == "{extra}"')
    packages = [f'"{name.strip()}"' for name, _, when in parts if when.strip() in quoted]
    if not packages:
        return f'pip install -e ".[{extra}]" in the folder with its pyproject.toml'
    return f"pip install {' '.join(packages)}"
