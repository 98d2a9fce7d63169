"""The table of priors: what kinds of systems a network is trained on.

The four narrow priors differ in the scheme alone: raw, standardised, internally standardised
(iSCM) and UUMC systems have the same graphs, noise, sizes and rows, and the first three the same
weights. `broad` has none of the schemes whose data give the causal order away.
"""

from __future__ import annotations

from dataclasses import dataclass

ONE_LAW = {
    "gaussian": 0.4,
    "uniform": 0.15,
    "laplace": 0.15,
    "gumbel": 0.15,
    "exponential": 0.15,
}
"""How often a system has each law of noise, the same for all of its nodes."""


@dataclass(frozen=True)
class Frame:
    """A fixed shape of batches: a compiled network serves only the shapes it was compiled for.

    Parameters
    ----------
    nodes : int
        The size that a batch is filled up to.
    systems : int
        Systems of a batch on the GPU.
    share : float
        How often a batch has this shape.
    fewest : int
        Half of the batches have systems of `nodes` nodes, the others of any number from here on.
    """

    nodes: int
    systems: int
    share: float
    fewest: int


NARROW_FRAMES = (Frame(10, 2048, 0.25, 10), Frame(20, 512, 0.45, 20), Frame(30, 224, 0.3, 30))

BROAD_FRAMES = (
    Frame(10, 2048, 0.2, 3),
    Frame(20, 512, 0.35, 11),
    Frame(30, 224, 0.25, 21),
    Frame(50, 80, 0.2, 31),
)


@dataclass(frozen=True)
class Prior:
    """One row of the table.

    Parameters
    ----------
    name : str
        Also of its file of weights.
    schemes : dict of str to float
        Schemes of linear systems, with the share of each; those of `generators.draw_linear`, the
        even ones last.
    nonlinear : float
        The share of nonlinear systems.
    blind_to_scale : bool
        Whether the network is not shown the variances of the columns.
    wide : bool
        Whether graphs, weights and noise are those of `broad`.
    own_laws : float
        The share of systems of which each node draws its own law of noise.
    rows : (int, int)
        Fewest and most rows; their logarithm is uniform.
    frames : tuple of Frame
        The shapes of batches.
    graphs : str
        The graphs, in words, for the card.
    limits : str
        What the network has never seen, for the card.
    """

    name: str
    schemes: dict[str, float]
    nonlinear: float = 0.0
    blind_to_scale: bool = True
    wide: bool = False
    own_laws: float = 0.0
    rows: tuple[int, int] = (200, 2000)
    frames: tuple[Frame, ...] = NARROW_FRAMES
    graphs: str = "Erdős–Rényi and scale-free, 1 to 4 edges per node"
    limits: str = "linear systems with one law of noise; no hidden common causes, no cycles"

    @property
    def nodes(self) -> tuple[int, int]:
        """The fewest and the most nodes of its systems."""
        return min(frame.fewest for frame in self.frames), max(frame.nodes for frame in self.frames)


PRIORS = {
    prior.name: prior
    for prior in (
        Prior("raw", {"scm": 1.0}, blind_to_scale=False),
        Prior("standardized", {"scm": 1.0}),
        Prior("iscm", {"iscm": 1.0}),
        Prior("uumc", {"uumc": 1.0}),
        Prior(
            "broad",
            {
                "iscm": 0.25,
                "uumc": 0.3,
                "explained": 0.25,
                "harmonized": 0.05,
                "explained-evenly": 0.1,
                "onion": 0.05,
            },
            nonlinear=0.5,
            wide=True,
            own_laws=0.5,
            rows=(50, 10_000),
            frames=BROAD_FRAMES,
            graphs="Erdős–Rényi, scale-free, chains, hubs and complete graphs, up to 6 edges "
            "per node",
            limits="no hidden common causes, no cycles, noise always additive",
        ),
    )
}
"""By name."""


def in_words(prior: Prior) -> str:
    """Return what a network of a prior is trained on, in one line.

    Examples
    --------
    >>> in_words(PRIORS["raw"])
    'linear: scm; 10 to 30 nodes, 200 to 2000 rows; sees variances'
    """
    kinds = [f"linear: {', '.join(prior.schemes)}"]
    if prior.nonlinear:
        kinds.append(f"{prior.nonlinear:.0%} nonlinear")
    sizes = [
        f"{' to '.join(map(str, span))} {what}"
        for span, what in ((prior.nodes, "nodes"), (prior.rows, "rows"))
    ]
    seen = "blind to units" if prior.blind_to_scale else "sees variances"
    return "; ".join([*kinds, ", ".join(sizes), seen])


def named(name: str) -> Prior:
    """Return a prior by its name.

    Examples
    --------
    >>> named("uum")
    Traceback (most recent call last):
    ValueError: there is no prior 'uum'; there are raw, standardized, iscm, uumc, broad
    """
    if name not in PRIORS:
        raise ValueError(f"there is no prior {name!r}; there are {', '.join(PRIORS)}")
    return PRIORS[name]
