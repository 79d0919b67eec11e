"""Encoded images in a folder, named by the digest of their bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Pixels, setting
from anamorph.model.digests import DIGEST_BYTES
from anamorph.store.own_files import NO_LINK, refuse_link, write_all

_NAME = re.compile(rf"[0-9a-f]{{{2 * DIGEST_BYTES}}}\.(?:jpg|png)")
# A leftover draft is replaced; a link in its place is not followed.
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK


@dataclass(frozen=True, slots=True)
class ImageFormat:
    """The encoding of every image of a run, the same for sources and follow-ups, so that it explains no difference."""

    format: Literal["jpeg", "png"] = setting(
        "jpeg", "jpeg (small and fast) or png (lossless, about five times slower)."
    )
    quality: int = setting(95, "JPEG quality.", least=50, most=100)
    subsampling: Literal["4:2:0", "4:4:4"] = setting("4:2:0", "JPEG chroma subsampling; cameras use 4:2:0.")

    @property
    def suffix(self) -> str:
        return ".jpg" if self.format == "jpeg" else ".png"

    def encode(self, pixels: Pixels) -> bytes:
        """The file's bytes, the same for the same pixels."""
        if self.format == "jpeg":
            import simplejpeg

            sampling = self.subsampling.replace(":", "")
            try:
                made = simplejpeg.encode_jpeg(np.ascontiguousarray(pixels), self.quality, "RGB", sampling, False)
            except ValueError as problem:
                raise BadPicture(f"{_size_of(pixels)} cannot be written as jpeg: {problem}.") from problem
            return bytes(made)
        import cv2

        done, encoded = cv2.imencode(self.suffix, cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
        if not done:
            raise BadPicture(f"{_size_of(pixels)} cannot be written as {self.format}.")
        return encoded.tobytes()


@dataclass(frozen=True, slots=True)
class ImageFolder:
    """The images of a run, two levels deep; safe to use from several threads."""

    root: Path

    def write(self, content: bytes, suffix: str) -> str:
        """Keep an encoded image and return its name; once returned, it survives a power failure."""
        # Strings, not paths, since a million images are written.
        name = name_of(content, suffix)
        path = f"{self.root}/{name[:2]}/{name}"
        # A file of this name may be damaged, after a power failure or a full disk.
        if not os.path.exists(path) or self._read(path) != content:  # noqa: PTH110
            draft = f"{self.root}/.{name}.{os.getpid()}.{threading.get_ident()}"
            try:
                _write_file(draft, path, content)
            except FileNotFoundError:
                # Not the run's own folder: if that was moved, nothing must appear in its place.
                self.root.mkdir(exist_ok=True)
                self.path(name).parent.mkdir(exist_ok=True)
                _write_file(draft, path, content)
        return name

    def is_sound(self, name: str) -> bool:
        """Whether an image exists, and its bytes match its name."""
        path = self.find(name)
        return path is not None and _digest(self._read(str(path)) or b"") == path.stem

    @staticmethod
    def _read(path: str) -> bytes | None:
        try:
            # Reading from a FIFO would not end.
            return Path(path).read_bytes() if _is_own(Path(path)) else None
        except OSError:
            return None

    def sweep(self) -> None:
        """Remove drafts that killed processes left, and refuse links; no other process may be writing."""
        with contextlib.suppress(FileNotFoundError), os.scandir(self.root) as entries:
            for entry in entries:
                if entry.is_symlink():
                    refuse_link(Path(entry.path))
                if entry.name.startswith(".") and _NAME.match(entry.name, 1) and entry.is_file(follow_symlinks=False):
                    os.unlink(entry.path)  # noqa: PTH108

    def path(self, name: str) -> Path:
        """The path of an image; BadPicture for a name that is not ours: a run file may be forged."""
        if not _is_name(name):
            raise BadPicture(f"{name!r} is not the name of a stored image, which is the digest of its bytes.")
        return self.root / name[:2] / name

    def find(self, name: str) -> Path | None:
        """Where an image is; None if there is none, or what is there is a link to something else."""
        if not _is_name(name):
            return None
        path = self.path(name)
        return path if _is_own(path) else None

    def pixels(self, name: str) -> Pixels:
        """Decode an image: the pixels that systems see."""
        path = self.path(name)
        if path.exists() and not _is_own(path):
            raise BadPicture(f"{path}: is not a regular file.")
        try:
            content = path.read_bytes()
        except OSError as problem:
            raise BadPicture(f"{path}: {problem.strerror or problem}.") from problem
        return decoded(content, str(path))


def _is_own(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def decoded(content: bytes, name: str) -> Pixels:
    """The pixels of an encoded image; `name` has the format as its suffix, and appears in errors."""
    pixels = _decoded(content, name[name.rfind(".") :])
    if pixels is None:
        raise BadPicture(f"{name}: the stored image cannot be decoded.")
    return pixels


def _decoded(content: bytes, suffix: str) -> Pixels | None:
    if suffix == ".jpg":
        import simplejpeg

        try:
            return np.asarray(simplejpeg.decode_jpeg(content, "RGB"), dtype=np.uint8)
        except ValueError:
            return None
    import cv2

    found = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR_RGB) if content else None
    return None if found is None else np.asarray(found, dtype=np.uint8)


def name_of(content: bytes, suffix: str) -> str:
    """The name of an encoded image."""
    return _digest(content) + suffix


def _digest(content: bytes) -> str:
    # SHA-256, which has CPU instructions.
    return hashlib.sha256(content, usedforsecurity=False).hexdigest()[: 2 * DIGEST_BYTES]


def _write_file(draft: str, path: str, content: bytes) -> None:
    try:
        file = os.open(draft, _WRITE, 0o666)
    except FileExistsError:
        os.unlink(draft)  # noqa: PTH108
        file = os.open(draft, _WRITE, 0o666)
    try:
        write_all(file, content)
        if os.name == "posix":
            # In this order, one journal commit covers the bytes and the name.
            os.replace(draft, path)  # noqa: PTH105
        os.fsync(file)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(draft)  # noqa: PTH108
        raise
    finally:
        os.close(file)
    if os.name != "posix":
        os.replace(draft, path)  # noqa: PTH105


def _size_of(pixels: Pixels) -> str:
    return f"An image of {pixels.shape[1]} x {pixels.shape[0]}"
