"""What the engine adds: CPU per probe beside a plain loop, and wall time through HTTP beside the ideal.

1,000 distinct 640 x 480 photos through `deeptest` as it is, with four follow-ups each: 5,000 probes, with decoding,
editing, encoding and storing. All is kept on a file system in memory where there is one with room, unless TMPDIR says
otherwise: for some minutes after many files were deleted, ext4 spends up to half a millisecond on each new one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamorph.concurrency.calm import calm_libraries
from anamorph.config import resolve
from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.shear import Shear
from anamorph.engine.run import carry_out, start
from anamorph.model import Picture, Pixels
from anamorph.photos.decoding import read_pixels
from anamorph.store.images import ImageFolder, ImageFormat
from benchmarks.photographs import make_photos
from benchmarks.slow_server import slow_server

PHOTOS = 1000
LATENCY_SECONDS = 0.1
PARALLEL = 32
HTTP_RUNS = 3
# Eight times 5,000 images of about 110 KB, and as much again.
ROOM_BYTES = 9_000_000_000
# CPU that a well-known evaluation harness was measured to spend per sample on calls like these (issue 2).
HARNESS_SECONDS = 0.040


def at_once(images: Sequence[Pixels], questions: Sequence[str | None]) -> list[str]:
    """A system that answers at once."""
    return ["a photo"] * len(images)


def plain_loop(photos: Path, out: Path, *, look: bool) -> float:
    """CPU seconds of the same work done by hand: decode, edit, encode, write, and read back where a system looks."""
    folder, format = ImageFolder(out), ImageFormat()
    edits = (Blur(1.5), Brightness(0.8), Contrast(0.8), Shear(0.1))
    began = time.process_time()
    for path in sorted(photos.iterdir()):
        source = Picture(read_pixels(path))
        for picture in (source, *(edit.apply(source) for edit in edits)):
            name = folder.write(format.encode(picture.pixels), format.suffix)
            if look:
                at_once([folder.pixels(name)], [None])
    return time.process_time() - began


def engine_run(photos: Path, out: Path, system: dict[str, Any], ask: dict[str, Any]) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and probes of a run."""
    plain = {"methods": ["deeptest"], "scenes": f"folder:{photos}", "system": system, "ask": ask}
    config = resolve(plain)
    cpu, wall = time.process_time(), time.perf_counter()
    with start(config, out) as store:
        for _ in carry_out(store, config):
            pass
        answers = store.count("answers")
    return time.process_time() - cpu, time.perf_counter() - wall, answers


def roomy_folder() -> str | None:
    """A folder in memory that can hold all images; None for the usual place."""
    memory = Path("/dev/shm")
    if "TMPDIR" in os.environ or not os.access(memory, os.W_OK):
        return None
    return str(memory) if shutil.disk_usage(memory).free > ROOM_BYTES else None


def main() -> None:
    calm_libraries()
    with tempfile.TemporaryDirectory(prefix="anamorph-bench-", dir=roomy_folder()) as name:
        folder = Path(name)
        make_photos(folder / "photos", PHOTOS)
        plain = plain_loop(folder / "photos", folder / "plain", look=True)
        system = {"kind": "callable", "target": f"{__name__}:at_once"}
        cpu, _, probes = engine_run(folder / "photos", folder / "callable", system, {})
        print(f"a system that answers at once: {probes} probes")
        print(f"  plain loop   {plain / probes * 1e3:6.2f} ms of CPU per probe")
        print(f"  engine       {cpu / probes * 1e3:6.2f} ms of CPU per probe, {cpu / plain:.2f} x the plain loop")

        print(f"HTTP with {LATENCY_SECONDS * 1e3:.0f} ms latency, {PARALLEL} parallel calls: {probes} probes")
        for attempt in range(HTTP_RUNS):
            _through_http(folder, attempt)


def _through_http(folder: Path, attempt: int) -> None:
    images = plain_loop(folder / "photos", folder / f"plain-{attempt}", look=False)
    with slow_server(LATENCY_SECONDS) as url:
        http = {"kind": "http", "url": url, "image": "raw", "parallel": PARALLEL}
        cpu, wall, probes = engine_run(folder / "photos", folder / f"http-{attempt}", http, {"parallel": PARALLEL})
    ideal = probes / PARALLEL * LATENCY_SECONDS
    per_probe, own = cpu / probes, (cpu - images) / probes
    print(f"  images alone {images / probes * 1e3:6.2f} ms of CPU per probe")
    print(f"  engine       {per_probe * 1e3:6.2f} ms of CPU a probe, 1/{HARNESS_SECONDS / per_probe:.1f} of 40 ms")
    print(f"  without them {own * 1e3:6.2f} ms of CPU per probe, 1/{HARNESS_SECONDS / own:.1f} of 40 ms")
    print(f"  wall         {wall:6.2f} s, {wall / ideal:.2f} x the ideal {ideal:.2f} s, scan to verdicts", flush=True)


if __name__ == "__main__":
    main()
