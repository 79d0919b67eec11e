"""Names of a scene's photo in other files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from anamorph.model import Scene

_NUMBER = re.compile(r"(?:^|[^0-9])([0-9]{1,18})$")


def names_of(scene: Scene) -> Iterator[str]:
    """The id of a scene, its photo's path and name, and, if the id is not a number, the number in that name."""
    path = PurePosixPath(scene.picture)
    yield from (scene.id, scene.picture, path.name)
    # A numeric id is COCO's; then a number in the file name may be another photo's id.
    if not scene.id.isdigit():
        yield path.stem
        if number := _NUMBER.search(path.stem):
            yield str(int(number[1]))
