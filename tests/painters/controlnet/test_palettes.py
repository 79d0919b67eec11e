from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Region
from anamorph.painters.controlnet.palettes import coloured, palette
from anamorph.reading.labels import label_space

# As in panoptic_coco_categories.json of the panoptic API, `isthing` 0.
PANOPTIC_GROUND = """banner blanket bridge cardboard counter curtain door-stuff floor-wood flower fruit gravel house
light mirror-stuff net pillow platform playingfield railroad river road roof sand sea shelf snow stairs tent towel
wall-brick wall-stone wall-tile wall-wood water-other window-blind window-other tree-merged fence-merged ceiling-merged
sky-other-merged cabinet-merged table-merged floor-other-merged pavement-merged mountain-merged grass-merged dirt-merged
paper-merged food-other-merged building-other-merged rock-merged wall-other-merged rug-merged"""


def test_every_class_of_coco_its_panoptic_ground_and_coco_stuff_has_a_colour_of_ade20k() -> None:
    colours = palette("ade20k")
    named = {*label_space("coco").names, *PANOPTIC_GROUND.split(), *label_space("coco-stuff").names}
    assert set(colours) == named and len(colours) == 80 + 53 + 55
    assert colours["tree"] == colours["branch"] == colours["tree-merged"]
    assert colours["sky-other-merged"] == (6, 230, 230) and colours["grass-merged"] == (4, 250, 7)
    assert colours["person"] == (150, 5, 61) and colours["dog"] == (255, 0, 122) and colours["clock"] == (102, 255, 0)


def test_later_regions_lie_over_earlier_ones_and_nothing_is_black() -> None:
    left, middle = np.zeros((4, 6), np.bool_), np.zeros((4, 6), np.bool_)
    left[:, :4] = True
    middle[:, 2:5] = True
    made = coloured([Region("dog", left), Region("car", middle)], 4, 6, {"dog": (1, 2, 3), "car": (4, 5, 6)})
    assert made[0].tolist() == [[1, 2, 3]] * 2 + [[4, 5, 6]] * 3 + [[0, 0, 0]]
    with pytest.raises(BadPicture, match="no color for 'cat'"):
        coloured([Region("cat", left)], 4, 6, {})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("dog = [1, 2]", r"dog must be a color such as \[255, 0, 122\], got \[1, 2\]"),
        ("dog = [1, 2, 256]", "dog must be a color"),
        ("dog = 'red'", "dog must be a color"),
        ("dog =", "not a palette in TOML"),
    ],
)
def test_a_bad_palette_is_named_with_what_is_wrong(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content)
    with pytest.raises(UsageError, match=complaint):
        palette(str(file))


def test_a_palette_of_ones_own_is_read_and_an_unknown_one_named(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('"potted plant" = [1, 2, 3]\n')
    assert palette(str(file)) == {"potted plant": (1, 2, 3)}
    with pytest.raises(UsageError, match=r"No palette 'ade'\. Known: ade20k, or the path"):
        palette("ade")
