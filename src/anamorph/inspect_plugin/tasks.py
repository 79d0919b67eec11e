"""The tasks that `inspect eval anamorph/NAME` runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText

from anamorph.config.parts import read_toml
from anamorph.errors import UsageError
from anamorph.inspect_plugin.asking import asking
from anamorph.inspect_plugin.evaluations import listen
from anamorph.inspect_plugin.runs import Test
from anamorph.inspect_plugin.scoring import relations_hold
from anamorph.model import Scene

# What a configuration file may say besides; the rest is an argument of the task, or inspect_ai's own.
_TAKEN = ("methods", "scenes", "system", "out", "seed", "limit")


@task
def crosscheck(photos: str | list[str], config: str | None = None, out: str | None = None, seed: int = 7) -> Task:
    """Closed questions about plain photos and their parts: answers that cannot all be true.

    `photos` is a folder, or KIND:... as `anamorph run --scenes` takes it; `config` a TOML file with further settings;
    `out` a folder that keeps the runs, one for each epoch.
    """
    return _task("crosscheck", photos, config, out, seed)


@task
def metavqa(photos: str | list[str], config: str | None = None, out: str | None = None, seed: int = 7) -> Task:
    """Questions derived from annotations, whose answers must agree; `photos` such as coco:instances.json,images=DIR."""
    return _task("metavqa", photos, config, out, seed)


@task
def rome(photos: str | list[str], config: str | None = None, out: str | None = None, seed: int = 7) -> Task:
    """Captions after objects were removed; `photos` such as coco:instances.json,images=DIR, with masks."""
    return _task("rome", photos, config, out, seed)


def _task(method: str, given: str | list[str], config: str | None, out: str | None, seed: int) -> Task:
    # The command line of inspect takes a comma for the end of an item: -T photos=coco:FILE,images=DIR.
    photos = given if isinstance(given, str) else ",".join(given)
    settings: dict[str, Any] = {} if config is None else dict(read_toml(Path(config)))
    for name in _TAKEN:
        if name in settings:
            raise UsageError(f"{config}: {name!r} is an argument of the task, or inspect's own. Leave it out there.")
    folder = Path(photos).absolute()
    scenes: Any = {"kind": "folder", "path": str(folder)} if folder.is_dir() else photos
    test = Test(method, scenes, seed, settings, None if out is None else Path(out).absolute())
    root = folder if folder.is_dir() else None
    samples = [_sample(scene, root) for scene in test.config().scenes().scan() if isinstance(scene, Scene)]
    if not samples:
        raise UsageError(f"{photos}: has no photo to test with.")
    listen()
    return Task(
        dataset=MemoryDataset(samples, name=photos),
        solver=asking(test),
        scorer=relations_hold(),
        # One bad photo never stops a run.
        fail_on_error=False,
        version=1,
        metadata={"method": method, "seed": seed},
    )


def _sample(scene: Scene, folder: Path | None) -> Sample:
    content: list[Any] = [ContentText(text=f"{scene.id}, {scene.width} x {scene.height}")]
    if folder is not None and (folder / scene.picture).is_file():
        content.append(ContentImage(image=str(folder / scene.picture)))
    return Sample(id=scene.id, input=[ChatMessageUser(content=content)], metadata={"photo": scene.id})
