"""The only place where photos are opened: upright, in RGB, within limits, or a BadPicture that names the file."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import simplejpeg
from PIL import Image, ImageFile
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile

from anamorph.errors import BadPicture
from anamorph.model import Pixels, Scene, setting
from anamorph.photos.files import open_regular, shown
from anamorph.photos.orientation import exif_orientation, png_exif, turns_sideways, upright

PHOTO_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff"})


@dataclass(frozen=True, slots=True)
class Limits:
    """Size limits of photos; larger ones are refused before decoding."""

    megapixels: int = 100
    megabytes: int = 256

    @property
    def pixels(self) -> int:
        return self.megapixels * 1_000_000

    @property
    def file_bytes(self) -> int:
        return self.megabytes * 1_000_000


DEFAULT_LIMITS = Limits()


def megapixels_setting() -> Any:
    """The setting that bounds a photo's size."""
    return setting(DEFAULT_LIMITS.megapixels, "Photos with more megapixels are skipped.", least=1)


def megabytes_setting() -> Any:
    """The setting that bounds the size of a photo's file."""
    return setting(DEFAULT_LIMITS.megabytes, "Photo files with more megabytes are skipped.", least=1)


def read_size(path: Path, limits: Limits = DEFAULT_LIMITS) -> tuple[int, int]:
    """Width and height of an upright photo, from its header alone."""
    with open_regular(path, limits.file_bytes) as file:
        return size_in(file, str(path), limits)


def size_of(content: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> tuple[int, int]:
    """Width and height of an upright photo from its bytes; errors call it `name`."""
    _check_bytes(content, name, limits)
    return size_in(io.BytesIO(content), name, limits)


def size_in(file: BinaryIO, name: str, limits: Limits = DEFAULT_LIMITS) -> tuple[int, int]:
    """`read_size` for an open file; errors call it `name`."""
    with _blaming(name):
        image, orientation = _open(file, name, limits)
        width, height = image.size
    return (height, width) if turns_sideways(orientation) else (width, height)


def read_pixels(path: Path, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """A photo, upright and in RGB, with transparency over white; of an animation, the first frame."""
    with open_regular(path, limits.file_bytes) as file:
        content = file.read()
    return pixels_of(content, str(path), limits)


def pixels_of(content: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """`read_pixels` for the bytes of a photo; errors call it `name`."""
    _check_bytes(content, name, limits)
    with _blaming(name):
        image, orientation = _open(io.BytesIO(content), name, limits)
        pixels = _plain_jpeg(content) if isinstance(image, _Jpeg) and image.mode == "RGB" else None
        return upright(_rgb(image, name) if pixels is None else pixels, orientation)


def suffix_of(content: bytes) -> str | None:
    """The suffix that fits a file's first bytes; None if it is not a picture."""
    pairs = zip(_FORMATS, _SUFFIXES, strict=True)
    return next((suffix for (magic, _), suffix in pairs if magic.match(content[:16])), None)


def read_indices(path: Path, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """The values of a one-channel image (height x width), such as the object numbers of a segmentation."""
    return _levels(path, limits, ("P", "L"), None, "a map of objects has one 8-bit channel")


def read_class_ids(path: Path, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """The values of a class map (height x width), a PNG with one 8-bit channel."""
    return _levels(path, limits, ("P", "L"), "PNG", "a class map is a PNG with one 8-bit channel")


def read_ids(path: Path, limits: Limits = DEFAULT_LIMITS) -> npt.NDArray[np.uint32]:
    """The segment ids R + 256 G + 65536 B of a panoptic PNG (height x width)."""
    levels = _levels(path, limits, ("RGB",), "PNG", "a panoptic map is a PNG of mode RGB")
    ids = levels[..., 2].astype(np.uint32)
    for channel in (1, 0):
        ids <<= 8
        ids |= levels[..., channel]
    return ids


def _levels(path: Path, limits: Limits, modes: tuple[str, ...], form: str | None, expected: str) -> Pixels:
    """The values of a map of one of the modes, and perhaps of one format."""
    with open_regular(path, limits.file_bytes) as file, _blaming(str(path)):
        image, _ = _open(file, str(path), limits)
        if image.mode not in modes or form not in (None, image.format):
            found = f"has pixels of mode {image.mode}"
            if form is not None:
                found = f"is a {image.format} with pixels of mode {image.mode}"
            raise BadPicture(f"{shown(path)} {found}; {expected}.")
        return np.array(image, dtype=np.uint8)


def scene_pixels(root: Path, scene: Scene, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """The pixels of a scene whose photo is under `root`."""
    return same_size(read_pixels(inside(root, scene.picture), limits), scene)


def packed_photo(content: bytes, name: str, scene: Scene, limits: Limits = DEFAULT_LIMITS) -> Callable[[], Pixels]:
    """A function that gives the pixels of a scene's photo, in any process; errors call the photo `name`."""
    return functools.partial(
        _unpacked, content, name, limits, Scene(scene.id, scene.picture, scene.width, scene.height)
    )


def _unpacked(content: bytes, name: str, limits: Limits, scene: Scene) -> Pixels:
    return same_size(pixels_of(content, name, limits), scene)


def same_size(pixels: Pixels, scene: Scene) -> Pixels:
    """The pixels; BadPicture if their size changed since the scan."""
    height, width = pixels.shape[:2]
    if (width, height) != (scene.width, scene.height):
        then = f"{scene.width} x {scene.height}"
        raise BadPicture(f"{shown(scene.picture)} is {width} x {height} now, but was {then} when scanned.")
    return pixels


def check_name(name: str) -> None:
    """BadPicture for a file name that could lead outside on any operating system."""
    problem = None
    if not name.strip():
        problem = "is empty"
    elif "\0" in name:
        problem = "has a NUL character"
    elif "\\" in name:
        problem = "has a backslash; write folders with /"
    elif name.startswith("/") or re.match(r"[A-Za-z]:", name):
        problem = "is an absolute path; name a file inside the folder"
    if problem:
        raise BadPicture(f"The file name {shown(repr(name))} {problem}.")


def inside(root: Path, name: str) -> Path:
    """The file that an annotation calls `name`, under `root`; BadPicture if it leads elsewhere."""
    check_name(name)
    depth = 0
    for part in name.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0:
            break
    try:
        home = root.resolve()
        found = (home / name).resolve()
    except (OSError, RuntimeError, ValueError) as problem:
        raise BadPicture(f"The file name {shown(repr(name))} cannot be followed: {shown(problem)}.") from problem
    if depth < 0 or found == home or not found.is_relative_to(home):
        raise BadPicture(f"The file name {shown(repr(name))} does not lead to a file inside {shown(root)}.")
    return found


# --- decoding -------------------------------------------------------------------------------------------------------


class _Jpeg(JpegImageFile):
    """A JPEG whose resolution is not read: Pillow would search damaged EXIF for it and warn process-wide."""

    def _read_dpi_from_exif(self) -> None:
        pass


# By content, never by extension. Not by Pillow's `Image.open`, which tries formats that run other programs, and warns
# about sizes by its own process-wide limit.
_FORMATS: tuple[tuple[re.Pattern[bytes], type[ImageFile.ImageFile]], ...] = (
    (re.compile(rb"\xff\xd8\xff"), _Jpeg),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), PngImageFile),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), WebPImageFile),
    (re.compile(rb"GIF8[79]a"), GifImageFile),
    (re.compile(rb"II[*+]\x00|MM\x00[*+]"), TiffImageFile),
    (re.compile(rb"BM"), BmpImageFile),
)
_SUFFIXES = (".jpg", ".png", ".webp", ".gif", ".tif", ".bmp")
_WHITE = (255, 255, 255)
_TIFF_BITS, _TIFF_PHOTOMETRIC, _WHITE_IS_ZERO = 258, 262, 0


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    try:
        yield
    except BadPicture:
        raise
    except Exception as problem:
        # Pillow's decoders raise almost anything on damaged files: OSError, SyntaxError, struct.error, KeyError, ...
        reason = " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(".")
        raise BadPicture(f"{shown(name)} is damaged or cut short ({shown(reason)}).") from problem


def _check_bytes(content: bytes, name: str, limits: Limits) -> None:
    if len(content) > limits.file_bytes:
        raise BadPicture(f"{shown(name)} has {len(content):,} bytes, more than the limit of {limits.file_bytes:,}.")


def _open(file: BinaryIO, name: str, limits: Limits) -> tuple[ImageFile.ImageFile, int]:
    prefix = file.read(16)
    file.seek(0)
    if not prefix:
        raise BadPicture(f"{shown(name)} is empty.")
    plugin = next((plugin for magic, plugin in _FORMATS if magic.match(prefix)), None)
    if plugin is None:
        raise BadPicture(f"{shown(name)} is not an image; it must be JPEG, PNG, WebP, GIF, TIFF or BMP.")
    image = plugin(file)
    most = limits.pixels
    if isinstance(image, TiffImageFile | GifImageFile):
        # These two plugins warn by Pillow's limit while decoding; below it they are silent.
        most = min(most, Image.MAX_IMAGE_PIXELS or most)
    if image.width * image.height > most:
        raise BadPicture(
            f"{shown(name)} is {image.width} x {image.height}, more than the limit of {most / 1e6:g} megapixels."
        )
    return image, _orientation(image, file)


def _orientation(image: ImageFile.ImageFile, file: BinaryIO) -> int:
    if isinstance(image, TiffImageFile):
        return 1  # Pillow itself turns TIFFs upright, both size and pixels.
    exif = image.info.get("exif") or (png_exif(file) if isinstance(image, PngImageFile) else b"")
    return exif_orientation(exif) if isinstance(exif, bytes) else 1


def _plain_jpeg(content: bytes) -> Pixels | None:
    """The pixels that Pillow would decode, in two thirds of the time; None for a file that is left to Pillow."""
    try:
        return np.asarray(simplejpeg.decode_jpeg(content, "RGB"), dtype=np.uint8)
    except ValueError:
        return None


def _rgb(image: ImageFile.ImageFile, name: str) -> Pixels:
    image.load()
    if image.mode.startswith("I;16"):
        return _from_sixteen_bits(image)
    if image.mode in ("I", "F"):
        raise BadPicture(
            f"{shown(name)} has 32-bit or signed pixels, for which white is undefined; save it with 8 or 16 bits."
        )
    if not image.has_transparency_data:
        return np.array(image if image.mode == "RGB" else image.convert("RGB"), dtype=np.uint8)
    # Premultiplied gray cannot be converted directly to RGBA.
    layered = (image.convert("LA") if image.mode == "La" else image).convert("RGBA")
    canvas = Image.new("RGB", layered.size, _WHITE)
    canvas.paste(layered, mask=layered.getchannel("A"))
    return np.array(canvas, dtype=np.uint8)


def _from_sixteen_bits(image: ImageFile.ImageFile) -> Pixels:
    # Pillow's own conversion clips values above 255, so that almost everything turns white.
    tags = image.tag_v2 if isinstance(image, TiffImageFile) else {}
    white = 4095 if tags.get(_TIFF_BITS) in (12, (12,)) else 65535
    table = np.rint(np.minimum(np.arange(65536), white) * (255 / white)).astype(np.uint8)
    if tags.get(_TIFF_PHOTOMETRIC) == _WHITE_IS_ZERO:
        table = 255 - table
    transparent = image.info.get("transparency")
    if isinstance(transparent, int):
        table[transparent] = 255
    return np.repeat(table[np.asarray(image)][:, :, np.newaxis], 3, axis=2)
