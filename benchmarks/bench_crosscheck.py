"""What crosscheck costs besides the system: CPU of planning, judging and the floor, on 1,000 photos.

The truthful answerer gives the answers first; then the same run is made of its recorded answers, stage by stage, which
need no images. The yardstick in the same run is encoding a photo as JPEG.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from anamorph.config import Config, resolve
from anamorph.engine.ask.stage import AskingOrder, ask_stage
from anamorph.engine.floor import floor_stage
from anamorph.engine.further import Further
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import asked_in_rounds, start
from anamorph.model import Scene
from anamorph.store.images import ImageFormat
from anamorph.store.run import RunStore
from anamorph.studies.calibrate.truth import TruthfulSystem, Truths
from anamorph.toybox.scenes import ToyboxScenes

PHOTOS = 1000


def config_for(photos: int, system: dict[str, str]) -> Config:
    scenes = {"kind": "toybox", "count": photos, "seed": 31}
    return resolve({"methods": ["crosscheck"], "scenes": scenes, "system": system})


def recorded(folder: Path, photos: int) -> Path:
    """What a truthful answerer says, as a file of recorded answers."""
    config = config_for(photos, {"kind": "toybox", "model": "answerer"})
    with start(config, folder / "truth") as store:
        list(plan_stage(store, config))
        system = TruthfulSystem.over(store, config, "answer", Truths())
        given = replace(config, given={**config.given, "system": system})
        list(asked_in_rounds(store, given, system, AskingOrder.of_plan(given)))
        rows = store.connection.execute(
            "SELECT lower(hex(p.digest)), a.text FROM answers a JOIN probes p ON p.id = a.probe"
        )
        lines = [json.dumps({"id": digest, "text": text}) for digest, text in rows]
    path = folder / "answers.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


@contextmanager
def counted(seconds: dict[str, float], name: str) -> Iterator[None]:
    begun = time.process_time()
    yield
    seconds[name] = seconds.get(name, 0.0) + time.process_time() - begun


def stages(folder: Path, answers: Path, photos: int) -> tuple[RunStore, dict[str, float]]:
    """The run of recorded answers, with the CPU of each stage."""
    config = config_for(photos, {"kind": "recorded", "path": str(answers)})
    store, seconds = start(config, folder / "run"), dict[str, float]()
    with counted(seconds, "scanning and the first plan"):
        list(plan_stage(store, config))
    system = config.system()
    further = Further(store, config, together=True)
    while True:
        with counted(seconds, "asking"):
            list(ask_stage(store, config, system, AskingOrder.of_plan(config)))
        with counted(seconds, "planning in rounds"):
            planned = list(further.next_round())
        if not planned:
            break
    with counted(seconds, "judging"):
        list(judge_stage(store, config.readers(), 1))
    with counted(seconds, "the floor"):
        floor_stage(store, config)
    return store, seconds


def main(photos: int = PHOTOS) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, seconds = stages(folder, recorded(folder, photos), photos)
        with store:
            answers, cases, images = (store.count(table) for table in ("answers", "cases", "images"))
    encoding = encoding_seconds()
    made = f"{images / photos:.1f} images, {answers / photos:.1f} answers, {cases / photos:.1f} cases"
    print(f"{photos} photos, each with {made}; encoding a photo as JPEG takes {1e3 * encoding:.2f} ms")
    for stage, spent in seconds.items():
        each = f"{1e3 * spent / photos:.2f} ms a photo, {1e3 * spent / answers:.3f} ms an answer"
        print(f"  {stage:<28} {spent:6.1f} s   {each}   {spent / answers / encoding:.2f} x encoding, an answer")


def encoding_seconds() -> float:
    """The yardstick."""
    source = ToyboxScenes(20, 31)
    photos = [source.pixels(scene) for scene in source.scan() if isinstance(scene, Scene)]
    begun = time.process_time()
    for photo in photos:
        ImageFormat().encode(photo)
    return (time.process_time() - begun) / len(photos)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
