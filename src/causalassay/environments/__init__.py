"""Environments of third-party packages: each has packages, an interpreter and an adapter.

Packages whose pins exclude each other cannot be installed together, nor beside ours. So each
has a virtual environment of its own in the user's cache folder, and a short script, its adapter,
that runs there. An environment is a folder of data: ``environment.toml`` and ``adapter.py``.

- `catalogue` finds these files and reads them, `installing` makes and removes the virtual
  environments.
- `host` is the program that runs in an environment, `process` talks to it.
- `generating` draws data from the simulators of an environment.
"""
