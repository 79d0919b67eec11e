"""ATOM: seven follow-ups of a photo beside Pillow done plainly, and the oracle on as many photos as the paper had."""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

from anamorph.methods.atom.method import Atom
from anamorph.methods.atom.scores import LabelTally
from anamorph.model import Case, LabelSet, Picture, Pixels, Scene
from anamorph.reading.labels import label_space
from anamorph.relations.stable_labels import StableLabels, image_group
from anamorph.scenes.coco.source import CocoScenes
from anamorph.store.images import ImageFormat

SHARED = Path(__file__).parent.parent.parent / "shared" / "photos"
PHOTOS, ROUNDS = 8, 5
# Table III: the test images of COCO for k = 2, each with its source and seven follow-ups.
IMAGES, OUTPUTS = 13_297, 8
RELEASED_MS = 679


def main() -> None:
    _follow_ups()
    _oracle()


def _follow_ups() -> None:
    photos = some_photos()
    sizes = {f"{photo.shape[1]} x {photo.shape[0]}" for photo in photos}
    print(f"{len(photos)} photos of about {sorted(sizes)[0]}; ms of CPU per photo, medians of {ROUNDS} rounds in turn")
    pixels, in_pillow, ours, plain = follow_up_ms(photos)
    print(f"seven follow-ups, pixels alone      {pixels:8.1f}   Pillow {in_pillow:8.1f}   {in_pillow / pixels:5.1f} x")
    print(f"with decoding, encoding and files   {ours:8.1f}   Pillow {plain:8.1f}   {plain / ours:5.1f} x")
    print(f"(the released code took {RELEASED_MS} ms per photo on another machine)")


def follow_up_ms(photos: Sequence[Pixels]) -> list[float]:
    """Seven follow-ups of a photo: pixels alone, the same with Pillow; with decoding, encoding and files, both ways."""
    planned = Atom(k=(1,)).plan([Scene("s", "s.jpg", 8, 8, labels=("cat",))], Random(0))
    edits = [probe.edits[0] for case in planned if isinstance(case, Case) for probe in case.follow_ups]
    encode = ImageFormat().encode
    coded = [cv2.imencode(".jpg", cv2.cvtColor(photo, cv2.COLOR_RGB2BGR))[1].tobytes() for photo in photos]
    with TemporaryDirectory() as name:
        folder = Path(name)
        return _interleaved(
            [
                lambda: [edit.apply(Picture(photo)) for photo in photos for edit in edits],
                lambda: [made for photo in photos for made in _pillow(Image.fromarray(photo))],
                lambda: [
                    (folder / f"{number}.jpg").write_bytes(encode(edit.apply(Picture(photo)).pixels))
                    for photo in map(_decoded, coded)
                    for number, edit in enumerate(edits)
                ],
                lambda: [_files(each, folder) for each in coded],
            ],
            len(photos),
        )


def _pillow(photo: Image.Image) -> list[Image.Image]:
    """Table I with Pillow, an operation at a time."""
    width, height = photo.size
    return [
        photo.resize((round(0.8 * width), round(0.8 * height)), Image.Resampling.BICUBIC),
        ImageEnhance.Brightness(photo).enhance(0.8),
        ImageEnhance.Contrast(photo).enhance(0.8),
        photo.rotate(2, Image.Resampling.BICUBIC),
        photo.filter(ImageFilter.GaussianBlur(1)),
        ImageEnhance.Sharpness(photo).enhance(0.8),
        ImageEnhance.Color(photo).enhance(0.8),
    ]


def _files(coded: bytes, folder: Path) -> int:
    """As the released code does: the photo is opened again for every operation, and every result is a file."""
    for number in range(7):
        photo = Image.open(io.BytesIO(coded)).convert("RGB")
        _pillow_one(photo, number).save(folder / f"{number}.jpg", quality=95)
    return 7


def _pillow_one(photo: Image.Image, number: int) -> Image.Image:
    width, height = photo.size
    make: Sequence[Callable[[], Image.Image]] = (
        lambda: photo.resize((round(0.8 * width), round(0.8 * height)), Image.Resampling.BICUBIC),
        lambda: ImageEnhance.Brightness(photo).enhance(0.8),
        lambda: ImageEnhance.Contrast(photo).enhance(0.8),
        lambda: photo.rotate(2, Image.Resampling.BICUBIC),
        lambda: photo.filter(ImageFilter.GaussianBlur(1)),
        lambda: ImageEnhance.Sharpness(photo).enhance(0.8),
        lambda: ImageEnhance.Color(photo).enhance(0.8),
    )
    return make[number]()


def _oracle() -> None:
    """Algorithm 1 and equation 1, on outputs made up so that all groups occur."""
    names, rng = sorted(label_space("coco").names), Random(0)
    images: list[tuple[tuple[str, ...], list[frozenset[str]]]] = []
    for _ in range(IMAGES):
        labels = tuple(sorted(rng.sample(names, 2)))
        source = frozenset((*rng.choice((labels, labels[:1], labels)), rng.choice(names)))
        outputs = [source if rng.random() < 0.95 else source - {rng.choice(labels)} for _ in range(OUTPUTS)]
        images.append((labels, outputs))
    start = time.process_time()
    tally = LabelTally()
    for labels, outputs in images:
        tally.add(labels, outputs, image_group(labels, outputs))
    summary = tally.summary()
    alone = time.process_time() - start
    start = time.process_time()
    verdicts = [StableLabels(labels).judge([LabelSet(output) for output in outputs]) for labels, outputs in images]
    seconds = time.process_time() - start
    groups = f"C {summary.confident}, E {summary.label_error}, U {summary.unspecific}, incomplete {summary.none}"
    print(f"the oracle on {IMAGES:,} photos x {OUTPUTS} outputs: {alone:.2f} s of CPU ({groups})")
    print(f"with a verdict, reason and evidence for each of {len(verdicts):,}: {seconds:.2f} s of CPU")


def _interleaved(works: Sequence[Callable[[], object]], each: int) -> list[float]:
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for place, work in enumerate(works):
            start = time.process_time()
            work()
            times[place].append((time.process_time() - start) * 1000 / each)
    return [statistics.median(several) for several in times]


def _decoded(coded: bytes) -> Pixels:
    pixels = cv2.imdecode(np.frombuffer(coded, np.uint8), cv2.IMREAD_COLOR_RGB)
    return np.asarray(pixels, np.uint8)


def some_photos() -> list[Pixels]:
    """Real photos where they are at hand, and noise with structure where not."""
    if not SHARED.is_dir():
        noise = np.random.default_rng(0).integers(0, 256, (PHOTOS, 60, 80, 3), dtype=np.uint8)
        return [cv2.resize(each, (640, 480), interpolation=cv2.INTER_CUBIC) for each in noise]
    source = CocoScenes(str(SHARED / "instances.json"), str(SHARED / "images"))
    scenes = [each for each in source.scan() if isinstance(each, Scene)][:PHOTOS]
    return [source.pixels(scene) for scene in scenes]


if __name__ == "__main__":
    main()
