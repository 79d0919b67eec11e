"""The page of objects that nobody annotated."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from anamorph.store.images import ImageFolder, ImageFormat
from anamorph.studies.label_errors.page import write_page
from anamorph.studies.label_errors.unannotated import ClosedAnswer, Unannotated


def lacking(scene: str, label: str = "laptop", **changes: object) -> Unannotated:
    told = {"named": 3, "described": 4, "description": f"A {label}.", "of_references": 0, "elsewhere": True}
    return Unannotated(scene, f"{scene}.jpg", label, **{**told, **changes})  # type: ignore[arg-type]


def page_of(folder: Path, *found: Unannotated, **limits: int) -> str:
    write_page(folder / "page.html", found, ImageFolder(folder / "images"), **limits)
    return (folder / "page.html").read_text(encoding="utf-8")


def test_a_photo_is_shown_once_with_all_that_it_may_lack(tmp_path: Path) -> None:
    page = page_of(tmp_path, lacking("a"), lacking("b"), lacking("a", "cup"))
    assert "3 classes on 2 photos." in page
    assert [page.count(f"<bdi>{name}.jpg</bdi>") for name in "ab"] == [1, 1]
    assert page.index("<bdi>cup</bdi>") < page.index("<bdi>b.jpg</bdi>")


def test_answers_say_who_gave_them_and_cannot_become_markup(tmp_path: Path) -> None:
    asked = (ClosedAnswer("How many?", ("2", "<b>0</b>"), None), ClosedAnswer("Any?", ("no",), False, witness=True))
    page = page_of(tmp_path, lacking("a", asked=asked))
    assert "it says <q><bdi>2, then &lt;b&gt;0&lt;/b&gt;</bdi></q>" in page
    assert "the witness says <q><bdi>no</bdi></q>" in page


def test_pictures_stop_where_the_file_would_be_too_large(tmp_path: Path) -> None:
    images = ImageFolder(tmp_path / "images")
    noise = np.random.default_rng(0).integers(0, 256, (3, 60, 80, 3), np.uint8)
    files = [images.write(ImageFormat().encode(pixels), ".jpg") for pixels in noise]
    found = [lacking(str(place), image=file) for place, file in enumerate(files)]
    whole = page_of(tmp_path, *found)
    assert whole.count("<img") == 3 and "without their picture" not in whole
    part = page_of(tmp_path, *found, most_bytes=len(whole) // 2)
    assert part.count("<img") == 1 and "2 photos at the end are without their picture" in part
