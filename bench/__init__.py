"""The benchmark: causalassay beside its peers, on the same data, in one run.

``python -m bench quick`` takes at most ten minutes once the peers are installed; see
``python -m bench --help`` for the other commands. It is no part of the installed package.
"""
