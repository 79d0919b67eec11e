"""Photos that a program has in memory or names one by one: they are written into the run's folder, as files."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from anamorph.config.parts import PYTHON_OBJECT
from anamorph.errors import RunError, UsageError
from anamorph.model import Pixels, Scene, Skip
from anamorph.photos.decoding import PHOTO_SUFFIXES, scene_pixels
from anamorph.report.images import link_or_copy

if TYPE_CHECKING:
    from PIL.Image import Image

PhotoLike: TypeAlias = "Pixels | Image | str | os.PathLike[str] | Scene"

FOLDER = "scenes"
_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})


@dataclass(frozen=True, slots=True)
class ListedScenes:
    """Scenes that a program listed, each with its photo in the run's folder."""

    kind: ClassVar[str] = PYTHON_OBJECT
    folder: Path
    scenes: tuple[Scene, ...]

    def scan(self) -> Iterator[Scene | Skip]:
        yield from self.scenes

    def pixels(self, scene: Scene) -> Pixels:
        return scene_pixels(self.folder, scene)


@dataclass(frozen=True, slots=True, eq=False)
class GivenPhotos:
    """Arrays, images of Pillow, paths and scenes, in the order of a list, and the file name of each."""

    items: tuple[PhotoLike, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, photos: Any, limit: int | None) -> GivenPhotos:
        """Check a list of photos; UsageError names the one that is wrong."""
        if isinstance(photos, bytes) or not isinstance(photos, Iterable):
            raise UsageError(
                f"scenes: expected a folder, a text such as 'folder:photos', or a list of photos, got {_shown(photos)}."
            )
        items = tuple(photos)
        if limit is not None and limit > 0:
            items = items[:limit]
        if not items:
            raise UsageError("scenes: the list of photos is empty.")
        listed = [isinstance(item, Scene) for item in items]
        if any(listed) and not all(listed):
            raise UsageError("scenes: a list has either scenes or photos, not both.")
        return cls(items, tuple(_checked(item, place) for place, item in enumerate(items)))

    def part(self, folder: Path) -> tuple[dict[str, Any], ListedScenes | None]:
        """The source of the written files: its settings, and the object where the files alone say too little."""
        own = folder / FOLDER
        if not isinstance(self.items[0], Scene):
            return self.stored_part(folder), None
        scenes = tuple(
            dataclasses.replace(scene, picture=name)
            for scene, name in zip(self.items, self.names, strict=True)
            if isinstance(scene, Scene)
        )
        return {"kind": PYTHON_OBJECT, "name": f"{len(scenes)} scenes"}, ListedScenes(own, scenes)

    def stored_part(self, folder: Path) -> dict[str, Any]:
        """The settings of the source that finds the pixels of a finished plan, also for the command line."""
        return {"kind": "folder", "path": str(folder / FOLDER)}

    def write(self, folder: Path) -> None:
        """Write the photos into a new folder of the run."""
        own = folder / FOLDER
        try:
            own.mkdir()
        except FileExistsError as problem:
            raise RunError(
                f"{own}: is there already, and the photos of the run belong there. Choose another out=."
            ) from problem
        try:
            for place, (item, name) in enumerate(zip(self.items, self.names, strict=True)):
                path = _path(item)
                if path is None:
                    _save(item, own / name, place)
                elif not path.is_file():
                    raise UsageError(f"scenes[{place}]: the file {str(path)!r} does not exist.")
                else:
                    link_or_copy(path.resolve(), own / name)
        except BaseException:
            self.remove(folder)
            raise

    def remove(self, folder: Path) -> None:
        """Take back what `write` wrote."""
        shutil.rmtree(folder / FOLDER, ignore_errors=True)


def _checked(item: Any, place: int) -> str:
    """The file name of a photo; UsageError if it is none."""
    path = _path(item)
    if path is not None:
        if not path.is_file():
            raise UsageError(f"scenes[{place}]: the file {str(path)!r} does not exist.")
        name = f"{place:05}-{re.sub(r'[^A-Za-z0-9._-]+', '-', path.name)[-100:]}"
        # Photos are known by their content, but a folder is searched by suffix.
        return name if path.suffix.lower() in PHOTO_SUFFIXES else f"{name}.jpg"
    if _is_pil(item):
        return f"{place:05}.png"
    shape, kind = getattr(item, "shape", None), str(getattr(item, "dtype", ""))
    if shape is None:
        raise UsageError(f"scenes[{place}]: expected an array, a Pillow image, a path or a Scene, got {_shown(item)}.")
    if kind != "uint8" or len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] not in (3, 4)) or 0 in shape:
        size = " x ".join(map(str, shape)) or "no size"
        raise UsageError(
            f"scenes[{place}]: expected an array of height x width x 3, RGB, uint8, got one of {size}, {kind}."
        )
    return f"{place:05}.png"


def _path(item: Any) -> Path | None:
    if isinstance(item, Scene):
        return Path(item.picture)
    return Path(item) if isinstance(item, str | os.PathLike) else None


def _is_pil(item: Any) -> bool:
    return any(each.__module__.startswith("PIL.") and each.__name__ == "Image" for each in type(item).__mro__)


def _save(item: Any, path: Path, place: int) -> None:
    from PIL import Image, ImageOps

    try:
        image = ImageOps.exif_transpose(item) if _is_pil(item) else Image.fromarray(item)
        (image if image.mode in _MODES else image.convert("RGB")).save(path, "PNG", compress_level=1)
    except (OSError, ValueError) as problem:
        raise UsageError(f"scenes[{place}]: cannot be written as PNG ({problem}).") from problem


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
