"""Unannotated objects as one HTML file: each photo with the objects that its annotations may lack."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import PackageLoader
from markupsafe import Markup

from anamorph.report.images import scaled_jpeg
from anamorph.report.pages import environment
from anamorph.store.images import ImageFolder
from anamorph.studies.label_errors.unannotated import Unannotated

MOST_BYTES = 20_000_000
_SIDE = 360
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  color-scheme: light dark }
section { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; border-top: 1px solid gray;
  padding: 1.5rem 0 }
section > div { flex: 1 1 20rem; overflow-wrap: anywhere }
img { max-width: 100% }
h2, h3 { margin: 0 0 .3rem; font-size: 1rem }
h2 { font-weight: normal }
ul { margin: 0 0 1rem; padding-left: 1.2rem }
"""


@dataclass(frozen=True, slots=True)
class _ShownPhoto:
    """A photo of the page: its picture as an address that holds it, and what its annotations may lack."""

    picture: str
    thumbnail: str
    classes: Sequence[Unannotated]


def write_page(path: Path, found: Sequence[Unannotated], images: ImageFolder, most_bytes: int = MOST_BYTES) -> None:
    """Each photo once, with all its classes, those with the surest class first; pictures as far as there is room."""
    by_photo: dict[str, list[Unannotated]] = {}
    for one in found:
        by_photo.setdefault(one.scene, []).append(one)
    photos: list[_ShownPhoto] = []
    room, without = most_bytes, 0
    for classes in by_photo.values():
        thumbnail = _thumbnail(images, classes[0].image) if not without else ""
        if without or len(thumbnail) > room:
            # From here on no picture is decoded in vain.
            thumbnail, without = "", without + 1
        room -= len(thumbnail)
        photos.append(_ShownPhoto(classes[0].picture, thumbnail, classes))
    pages = environment()
    pages.loader = PackageLoader("anamorph", "studies/label_errors/templates")
    html = pages.get_template("unannotated.html").render(
        policy=_policy(),
        style=Markup(_STYLE),
        count=len(found),
        photos=photos,
        without=without,
    )
    path.write_text(html, encoding="utf-8", newline="\n")


def _thumbnail(images: ImageFolder, name: str | None) -> str:
    origin = images.find(name) if name is not None else None
    content = scaled_jpeg(origin, _SIDE) if origin is not None else None
    return "" if content is None else f"data:image/jpeg;base64,{base64.b64encode(content).decode()}"


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
