"""Where names stand beside the points of a plot, so that no two overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LETTER, LINE = 6.3, 13.0
"""Pixels of a letter of 11 pixels, and of a line."""
POINT = 6.0
"""Half the side of the room of a point."""
BESIDE = 9.0
"""Pixels left and right of a label where only its own point is."""
FARTHEST, STEP, DIRECTIONS = 260, 6, 24

Place = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Tell whether two boxes share any room."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_within(self, other: Box) -> bool:
        """Tell whether the other has this one inside."""
        return (
            other.left <= self.left
            and other.top <= self.top
            and self.right <= other.right
            and self.bottom <= other.bottom
        )

    def near(self, point: Place) -> Place:
        """Return the point of the box that is nearest to a point."""
        x = min(max(point[0], self.left), self.right)
        return x, min(max(point[1], self.top), self.bottom)

    def is_crossed(self, start: Place, stop: Place) -> bool:
        """Tell whether a line runs through the box."""
        steps = max(2, int(math.dist(start, stop) / 3))
        for k in range(steps + 1):
            x = start[0] + (stop[0] - start[0]) * k / steps
            y = start[1] + (stop[1] - start[1]) * k / steps
            if self.left < x < self.right and self.top < y < self.bottom:
                return True
        return False


def label_boxes(points: Sequence[Place], labels: Sequence[str], frame: Box) -> list[Box | None]:
    """Return the box of each label; None where there is no room for one.

    Points in a crowd come first, for they have the least room beside them. No two boxes overlap;
    a line from a point to its label crosses another label only if there is no other place.

    Examples
    --------
    >>> first, second = label_boxes([(50, 50), (50, 51)], ["one", "two"], Box(0, 0, 200, 200))
    >>> first.meets(second)
    False
    """
    crowd = [sum(math.dist(one, other) < 60 for other in points) for one in points]
    order = sorted(range(len(points)), key=lambda k: (-crowd[k], points[k]))
    rooms = [Box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    placed: dict[int, Box] = {}
    lines: list[tuple[Place, Place]] = []
    for k in order:
        box = None
        for one in _candidates(points[k], LETTER * len(labels[k])):
            if _is_free(one, [*rooms, *placed.values()], frame):
                box = box or one
                if _is_clear(one, k, points[k], rooms, placed, lines):
                    box = one
                    break
        if box is not None:
            placed[k] = box
            lines.append((points[k], box.near(points[k])))
    return [placed.get(k) for k in range(len(points))]


def _candidates(point: Place, wide: float) -> Iterator[Box]:
    """Yield boxes around a point, the nearest first; at each distance right and left first."""
    turns = sorted(range(DIRECTIONS), key=lambda k: abs(math.sin(2 * math.pi * k / DIRECTIONS)))
    for distance in range(8, FARTHEST, STEP):
        for turn in turns:
            angle = 2 * math.pi * turn / DIRECTIONS
            x, y = point[0] + distance * math.cos(angle), point[1] + distance * math.sin(angle)
            # Rounded: the last bits of a cosine differ between machines.
            left, y = round(x - wide * (1 - math.cos(angle)) / 2, 1), round(y, 1)
            yield Box(left, y - LINE / 2, left + wide, y + LINE / 2)


def _is_free(box: Box, taken: Sequence[Box], frame: Box) -> bool:
    return box.is_within(frame) and not any(box.meets(other) for other in taken)


def _is_clear(  # noqa: PLR0913, PLR0917  all that a line may run into
    box: Box,
    own: int,
    point: Place,
    rooms: Sequence[Box],
    placed: dict[int, Box],
    lines: Sequence[tuple[Place, Place]],
) -> bool:
    """Tell whether a label and its line cross no other's, and it is not beside another's point."""
    if any(box.is_crossed(*line) for line in lines):
        return False
    end = box.near(point)
    others = [room for k, room in enumerate(rooms) if k != own and not _inside(point, room)]
    around = Box(box.left - BESIDE, box.top - 2, box.right + BESIDE, box.bottom + 2)
    if any(around.meets(room) for room in others):
        return False
    return not any(one.is_crossed(point, end) for one in [*placed.values(), *others])


def _inside(point: Place, box: Box) -> bool:
    return box.left <= point[0] <= box.right and box.top <= point[1] <= box.bottom
