"""A newcomer's first run and the second one: rome, metaic and spolre with MI-GAN on the photos beside the project.

Every run is a process of its own; its CPU is that of the process and of all its threads, by stage. The first run makes
all images, the second one finds them in the cache, the third, which has no cache, shows that the images are the same.
Arguments: how many photos (by default all), and with `before FOLDER` another checkout's `src`, whose first run is
measured in the same way.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SHARED = Path(__file__).parent.parent.parent / "shared"
WEIGHTS = ("migan_pipeline_v2.onnx", "yolo11n-seg.onnx")
CALL_SECONDS, BATCH = 0.05, 8
SYSTEM = f"""
import time
def caption(images, questions):
    time.sleep({CALL_SECONDS})
    return ["a photo of a person and a dog" if question is None else "yes" for question in questions]
"""


class Clock:
    """CPU seconds and calls by name, of whatever thread; what is within another one counts for the inner one alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self._inner = threading.local()
        self._lock = threading.Lock()

    def counted(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(work)
        def wrapper(*words: Any, **more: Any) -> Any:
            outer, self._inner.seconds = getattr(self._inner, "seconds", 0.0), 0.0
            begun = time.thread_time()
            try:
                return work(*words, **more)
            finally:
                spent = time.thread_time() - begun
                with self._lock:
                    self.seconds[name] = self.seconds.get(name, 0.0) + spent - self._inner.seconds
                    self.calls[name] = self.calls.get(name, 0) + 1
                self._inner.seconds = outer + spent

        return wrapper


@contextlib.contextmanager
def stage_clock() -> Iterator[Clock]:
    """Counts what the parts of making images take."""
    from anamorph.engine.render.maker import ImageMaker
    from anamorph.engine.studio import RunStudio
    from anamorph.segmenters.onnx import OnnxSegmenter
    from anamorph.store.images import ImageFormat

    clock = Clock()
    places: list[tuple[Any, str, str]] = [
        (RunStudio, "inpaint", "filling holes"),
        (OnnxSegmenter, "segment", "looking with the detector"),
        (ImageFormat, "encode", "encoding"),
        (ImageMaker, "_one", "the rest of making images"),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for owner, name, label in places:
        setattr(owner, name, clock.counted(label, getattr(owner, name)))
    try:
        yield clock
    finally:
        for owner, name, work in before:
            setattr(owner, name, work)


def once(folder: Path, photos: str, keeps: bool) -> dict[str, Any]:
    """One run in this process, which does nothing else."""
    from anamorph.config import resolve
    from anamorph.engine.events import StageBegan
    from anamorph.engine.run import carry_out, start
    from anamorph.engine.utilisation import read_utilisation
    from anamorph.report.numbers import read_numbers
    from anamorph.report.writing import write_report

    with contextlib.suppress(ImportError):
        from anamorph.concurrency.calm import calm_libraries

        calm_libraries()
    source = f"coco:{SHARED / 'photos/instances.json'},images={SHARED / 'photos/images'}"
    system = f"callable:{folder / 'system.py'}:caption,batch={BATCH}"
    plain: dict[str, Any] = {"methods": ["rome", "metaic", "spolre"], "scenes": source, "system": system}
    if photos != "all":
        plain["limit"] = int(photos)
    if not keeps:
        with contextlib.suppress(ImportError):
            from anamorph.config import CacheSettings  # noqa: F401

            plain["cache"] = {"images": False}
    config = resolve(plain)
    run = Path(tempfile.mkdtemp(dir=folder)) / "run"
    stages: dict[str, float] = {"start": time.process_time()}
    stage, since = "start", time.process_time()
    with stage_clock() as clock, start(config, run) as store:
        for event in carry_out(store, config):
            if isinstance(event, StageBegan):
                now = time.process_time()
                stages[stage] = stages.get(stage, 0.0) + (now - since if stage != "start" else 0.0)
                stage, since = event.stage, now
        now = time.process_time()
        stages[stage] = stages.get(stage, 0.0) + now - since
        write_report(store, config, run / "report", read_numbers(store, config))
        stages["report"] = time.process_time() - now
        found = store.connection.execute("SELECT scene, edits, file, problem FROM images ORDER BY 1, 2").fetchall()
        utilisation = read_utilisation(store)
        names = {name: store.count(name) for name in ("images", "answers", "cases")}
    return {
        "cpu": time.process_time(),
        "stages": stages,
        "parts": clock.seconds,
        "calls": clock.calls,
        "images": found,
        "counts": names,
        "busy": None if utilisation is None else str(utilisation),
    }


def child(folder: Path, photos: str, cache: str, source: str | None = None, *, keeps: bool = True) -> dict[str, Any]:
    """One run in a process of its own."""
    root = Path(__file__).parent.parent
    path = os.pathsep.join([source or str(root / "src"), str(root)])
    environment = {**os.environ, "ANAMORPH_MODELS": str(folder / "models"), "PYTHONPATH": path}
    environment["XDG_CACHE_HOME"] = str(folder / cache)
    command = [sys.executable, "-m", "benchmarks.bench_newcomer", "once", str(folder), photos, str(int(keeps))]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def shown(name: str, found: dict[str, Any], against: dict[str, Any] | None = None) -> None:
    ratio = "" if against is None else f", {found['cpu'] / against['cpu']:.2f} of the first"
    counts = found["counts"]
    print(f"{name}: {found['cpu']:.1f} CPU s{ratio}; {counts['images']} images, {counts['answers']} answers")
    print("  stages: " + ", ".join(f"{stage} {spent:.1f}" for stage, spent in found["stages"].items()))
    parts = sorted(found["parts"].items(), key=lambda part: -part[1])
    print("  images: " + ", ".join(f"{part} {spent:.1f} ({found['calls'][part]} calls)" for part, spent in parts))
    if found["busy"]:
        print(f"  the system: {found['busy']}")


def main(photos: str = "all", *more: str) -> None:
    if not all((SHARED / "models" / name).is_file() for name in WEIGHTS):
        print("needs the real photos and weights in ../shared, which are not here")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models").mkdir()
        for weights in WEIGHTS:
            (folder / "models" / weights).symlink_to(SHARED / "models" / weights)
        (folder / "system.py").write_text(SYSTEM)
        first = child(folder, photos, "cache")
        shown("first run", first)
        second = child(folder, photos, "cache")
        shown("second run", second, first)
        same = "the same" if first["images"] == second["images"] else "NOT the same"
        print(f"images and checks of both: {same}, {len(first['images'])} of them")
        if more[:1] == ("before",):
            before = child(folder, photos, "other-cache", more[1], keeps=False)
            shown("before", before, first)
            same = "the same" if first["images"] == before["images"] else "NOT the same"
            print(f"images and checks as before: {same}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["once"]:
        print(json.dumps(once(Path(sys.argv[2]), sys.argv[3], bool(int(sys.argv[4])))))
    else:
        main(*sys.argv[1:])
