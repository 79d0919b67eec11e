"""Where OAMT cuts a photo: one vertical line that crosses no object, or two pieces that overlap."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.model import Box, Scene, setting


@dataclass(frozen=True, slots=True)
class CutRules:
    """Which objects a cut must respect, and where it may lie, as OAMT's released tool has it."""

    min_score: float = setting(0.9, "Objects that a segmenter is less sure of do not count.", least=0, most=1)
    min_area: float = setting(
        0.02, "Objects that fill less of the photo do not count, in shares of it.", least=0, most=1
    )
    margin: float = setting(
        0.15, "The cut keeps this share of the width from either side of the photo.", least=0, most=0.49
    )
    overlapping: float = setting(
        0.75, "Where no cut is possible, each of two pieces has this share of the width.", least=0.5, most=1
    )


def two_pieces(scene: Scene, rules: CutRules) -> tuple[tuple[Box, Box], bool]:
    """The pieces of a photo, left one first, and whether they meet in a cut that crosses no object."""
    height, width = float(scene.height), scene.width
    cut = _cut(scene, rules)
    if cut is not None:
        return (Box(0.0, 0.0, float(cut), height), Box(float(cut), 0.0, float(width - cut), height)), True
    part = float(max(1, round(width * rules.overlapping)))
    return (Box(0.0, 0.0, part, height), Box(width - part, 0.0, part, height)), False


def _cut(scene: Scene, rules: CutRules) -> int | None:
    """The middle of a run of columns without objects that has objects on both sides, the nearest to the center."""
    least = rules.min_area * scene.width * scene.height
    boxes = [
        thing.box
        for thing in scene.things
        if thing.box.area > least and (thing.score is None or thing.score >= rules.min_score)
    ]
    first, last = round(rules.margin * scene.width), round((1 - rules.margin) * scene.width)
    runs: list[list[int]] = []
    for column in range(max(1, first), min(scene.width, last + 1)):
        free = not any(box.x < column < box.right for box in boxes)
        between = any(box.right <= column for box in boxes) and any(box.x >= column for box in boxes)
        if free and between:
            if runs and runs[-1][-1] == column - 1:
                runs[-1].append(column)
            else:
                runs.append([column])
    middles = [run[len(run) // 2] for run in runs]
    return min(middles, key=lambda column: abs(column - scene.width / 2), default=None)
