"""Tables with all that verdicts look at: schemes, artefacts and what algorithms reach."""

from __future__ import annotations

import math

import numpy as np

from summary_twins import BASELINES, make_table, with_frame

NOISE = (0.02, -0.02, 0.01, -0.01)
CONTROLS = (
    "direction_score",
    "direction_p",
    "skeleton_f1",
    "skeleton_f1_p",
    "skeleton_p",
    "f1_chance",
)
OF_SCORES = ("direction_score", "direction_p", "skeleton_f1", "skeleton_f1_p", "skeleton_p")
"""The controls that a run without a score has not."""
P_UP, P_DOWN = "up_direction_p", "down_direction_p"
UP = {"sortability": 0.9, "rising_p": 0.01, "falling_p": 1.0, P_UP: 0.02, P_DOWN: 1.0}
DOWN = {"sortability": 0.1, "rising_p": 1.0, "falling_p": 0.01, P_UP: 1.0, P_DOWN: 0.02}
NOTHING = {"sortability": 0.5, "rising_p": 0.5, "falling_p": 0.5, P_UP: 0.5, P_DOWN: 0.5}
SORTABLE = NOTHING | {"sortability": 0.7, "rising_p": 0.01}
GAIN = NOTHING | {P_UP: 0.02}
STATISTICS_OF = {"variance": "var_sortability", "r2": "r2_sortability"}


def named(key, part):
    return STATISTICS_OF[key] if part == "sortability" else f"{key}_{part}"


REACHED = {"up_f1": 0.4, "down_f1": 0.4, "up_direction": 0.2, "down_direction": 0.2}
RANDOM = {"random_f1": 0.3, "random_direction": 0.0, "random_skeleton_f1": 0.3}
MEASURES = tuple(named(key, part) for key in STATISTICS_OF for part in (*NOTHING, *REACHED))
RAW = {"variance": UP, "r2": NOTHING}
FREE = {"variance": NOTHING, "r2": NOTHING}
IN_ORDER, AT_RANDOM = "raw + rescale-in-order", "raw + rescale-at-random"


def controls_of(direction, skeleton):
    """What stands beside a score: the better, the fewer random orders reach as much."""

    def share(gain):
        return min(1.0, max(0.02, 0.5 - 5 * gain))

    return {
        "direction_score": direction,
        "direction_p": share(direction),
        "skeleton_f1": skeleton,
        "skeleton_f1_p": share(skeleton - 0.3),
        "skeleton_p": share(skeleton - 0.2),
    }


def direct(table, algorithm, direction, skeleton):
    """Give an algorithm of a table other directions and another skeleton, give or take."""
    own = table.frame.index[table.frame["algorithm"] == algorithm]
    for place, row in enumerate(own):
        noise = NOISE[place % 4]
        for column, value in controls_of(direction + noise, skeleton + noise).items():
            table.frame.loc[row, column] = value
    return table


def arms(schemes, n_units=12, orders=None):
    """A study of some schemes on the same graphs: what each algorithm reaches, give or take.

    Random orders reach an F1 of 0.3, and so do baselines that are not stated; graphs with as many
    edges at random places reach 0.2. What an F1 is above that of random orders is also the
    direction score, and the skeleton has the same F1; `direct` changes that.
    """
    rows = []
    for scheme, stated in schemes.items():
        levels = {**dict.fromkeys(BASELINES, 0.3), "empty": 0.0, **stated}
        measured = {
            named(key, part): value
            for key in STATISTICS_OF
            for part, value in (levels.pop(key) | REACHED).items()
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
                        **controls_of(score - 0.3, score),
                        "f1_chance": 0.2,
                        "order_score": (orders or {}).get((name, scheme), 0.9),
                        **RANDOM,
                        **measured,
                    }
                )
    better = {"f1": "high", "order_score": "high"}
    diagnostics = (*RANDOM, *MEASURES)
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
    measures = (UP, DOWN, NOTHING, NOTHING, SORTABLE, GAIN)
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
    if rng.random() < 0.3:
        direct(table, names[-1], 0.0, 0.9)
    frame = table.frame
    for metric, scale in (("shd", 20), ("sid", 60), ("tv_dag", 1)):
        frame[metric] = scale * rng.random(len(frame))
    lost = rng.random(len(frame)) < rng.choice([0.0, 0.02, 0.3])
    lost |= (frame["algorithm"] == names[0]).to_numpy() & (rng.random() < 0.15)
    frame.loc[lost, "status"] = rng.choice(["failed", "timeout", "skipped"], int(lost.sum()))
    frame.loc[lost, "reason"] = rng.choice(REASONS, int(lost.sum()))
    frame.loc[lost, [*BETTER, *OF_SCORES]] = math.nan
    frame = frame[rng.random(len(frame)) >= rng.choice([0.0, 0.0, 0.05])]
    changes = {"metrics": tuple(BETTER), "better": BETTER}
    if rng.random() < 0.1:
        changes |= {"diagnostics": (), "controls": ()}
    if rng.random() < 0.1:
        changes["metrics"] = ("shd", "sid")
    return with_frame(table, frame, **changes)
