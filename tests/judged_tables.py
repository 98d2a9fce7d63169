"""Tables with all that verdicts look at: schemes, artefacts and what algorithms reach."""

from __future__ import annotations

import math

import numpy as np

from summary_twins import BASELINES, make_table, with_frame

NOISE = (0.02, -0.02, 0.01, -0.01)
CONTROLS = ("f1_p", "f1_chance")
UP = {"sortability": 0.9, "rising_p": 0.01, "falling_p": 1.0, "up_p": 0.02, "down_p": 1.0}
DOWN = {"sortability": 0.1, "rising_p": 1.0, "falling_p": 0.01, "up_p": 1.0, "down_p": 0.02}
NOTHING = {"sortability": 0.5, "rising_p": 0.5, "falling_p": 0.5, "up_p": 0.5, "down_p": 0.5}
LEANING = NOTHING | {"sortability": 0.7, "rising_p": 0.01}
STATISTICS_OF = {"variance": "var_sortability", "r2": "r2_sortability"}


def named(key, part):
    return STATISTICS_OF[key] if part == "sortability" else f"{key}_{part}"


MEASURES = tuple(
    named(key, part) for key in STATISTICS_OF for part in (*NOTHING, "up_f1", "down_f1")
)
RAW = {"variance": UP, "r2": NOTHING}
FREE = {"variance": NOTHING, "r2": NOTHING}
IN_ORDER, AT_RANDOM = "raw + rescale-in-order", "raw + rescale-at-random"


def arms(schemes, n_units=12, orders=None):
    """A study of some schemes on the same graphs: what each algorithm reaches, give or take.

    Random orders reach 0.3, and so do baselines that are not stated; graphs with as many
    edges at random places reach 0.2.
    """
    rows = []
    for scheme, stated in schemes.items():
        levels = {**dict.fromkeys(BASELINES, 0.3), "empty": 0.0, **stated}
        measured = {
            named(key, part): value
            for key in STATISTICS_OF
            for part, value in (levels.pop(key) | {"up_f1": 0.4, "down_f1": 0.4}).items()
        }
        for index, (name, level) in enumerate(levels.items()):
            for unit in range(n_units):
                score = min(1.0, max(0.0, level + NOISE[(unit + index) % 4]))
                rows.append(
                    {
                        "algorithm": name,
                        "role": "baseline" if name in BASELINES else "listed",
                        "scheme": scheme,
                        "problem": scheme,
                        "replicate": unit,
                        "f1": score,
                        "f1_p": min(1.0, max(0.02, 0.5 - 5 * (score - 0.3))),
                        "f1_chance": 0.2,
                        "order_score": (orders or {}).get((name, scheme), 0.9),
                        "random_f1": 0.3,
                        **measured,
                    }
                )
    better = {"f1": "high", "order_score": "high"}
    diagnostics = ("random_f1", *MEASURES)
    return make_table(rows, tuple(better), better, diagnostics, CONTROLS)


REASONS = ("timeout: more than 5 s", "raised ValueError: no. Really", "", "no memory")
KINDS = (
    "raw",
    IN_ORDER,
    AT_RANDOM,
    "standardized",
    "iscm",
    "uumc",
    "gp raw",
    "raw + shuffle-labels",
)
BETTER = {"f1": "high", "order_score": "high", "shd": "low", "sid": "low", "tv_dag": "low"}


def draw_judged(seed):
    """A study of any findings: some schemes, artefacts, algorithms, failures and gaps."""
    rng = np.random.default_rng(seed)
    measures = (UP, DOWN, NOTHING, NOTHING, LEANING)
    schemes = {}
    names = [f"a{index}" for index in range(int(rng.integers(1, 15)))]
    if rng.random() < 0.15:
        chosen = ["data"]
    else:
        size = int(rng.integers(1, len(KINDS) + 1))
        chosen = [KINDS[i] for i in sorted(rng.choice(len(KINDS), size, replace=False))]
    for scheme in chosen:
        drawn = {key: measures[int(rng.integers(len(measures)))] for key in STATISTICS_OF}
        schemes[scheme] = drawn | {name: float(rng.choice([0.1, 0.3, 0.6, 0.9])) for name in names}
    orders = {(name, AT_RANDOM): float(rng.choice([0.5, 0.9])) for name in names}
    table = arms(schemes, int(rng.choice([1, 2, 5, 8, 12])), orders)
    frame = table.frame
    for metric, scale in (("shd", 20), ("sid", 60), ("tv_dag", 1)):
        frame[metric] = scale * rng.random(len(frame))
    lost = rng.random(len(frame)) < rng.choice([0.0, 0.02, 0.3])
    lost |= (frame["algorithm"] == names[0]).to_numpy() & (rng.random() < 0.15)
    frame.loc[lost, "status"] = rng.choice(["failed", "timeout", "skipped"], int(lost.sum()))
    frame.loc[lost, "reason"] = rng.choice(REASONS, int(lost.sum()))
    frame.loc[lost, [*BETTER, "f1_p"]] = math.nan
    frame = frame[rng.random(len(frame)) >= rng.choice([0.0, 0.0, 0.05])]
    changes = {"metrics": tuple(BETTER), "better": BETTER}
    if rng.random() < 0.1:
        changes |= {"diagnostics": (), "controls": ()}
    if rng.random() < 0.1:
        changes["metrics"] = ("shd", "sid")
    return with_frame(table, frame, **changes)
