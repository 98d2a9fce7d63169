"""Which schemes of a study are the same data with other scales."""

from __future__ import annotations

from collections.abc import Collection

IN_ORDER, AT_RANDOM = "rescale-in-order", "rescale-at-random"


def rescalings(schemes: Collection[str]) -> dict[str, tuple[str | None, str | None, str | None]]:
    """Return of each scheme that was rescaled: in order, at random and standardised, if there.

    Examples
    --------
    >>> rescalings(["raw", "raw + rescale-in-order", "standardized", "iscm"])
    {'raw': ('raw + rescale-in-order', None, 'standardized')}
    >>> rescalings(["data", "data + standardize"])
    {'data': (None, None, 'data + standardize')}
    """
    found = {}
    for base in schemes:
        wanted = (
            f"{base} + {IN_ORDER}",
            f"{base} + {AT_RANDOM}",
            _standardized(base),
        )
        others = tuple(name if name in schemes else None for name in wanted)
        if any(others):
            found[base] = (others[0], others[1], others[2])
    return found


def is_rescaled(scheme: object) -> bool:
    """Return whether a scheme is another one with other standard deviations.

    Examples
    --------
    >>> is_rescaled("raw + rescale-in-order"), is_rescaled("raw"), is_rescaled(None)
    (True, False, False)
    """
    return str(scheme).endswith((f" + {IN_ORDER}", f" + {AT_RANDOM}"))


def _standardized(base: str) -> str:
    *mechanism, kind = base.split(" ")
    return " ".join([*mechanism, "standardized"]) if kind == "raw" else f"{base} + standardize"
