"""Close the loop: find errors of a captioner, export corrected pairs, train with them, and measure again.

python examples/retrain/retrain.py

needs PyTorch (`pip install 'anamorph[torch]'`) and a checkout of the repository, for the modules of the network.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import multiprocessing
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

import anamorph
from anamorph import catalog
from anamorph.engine.render.maker import edits_from_json
from anamorph.model import Answer, Scene
from anamorph.statistics.intervals import Interval, clustered, paired
from anamorph.store.run import RunStore
from anamorph.toybox.captions import captions_of, write_caption
from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.painting import paint
from anamorph.toybox.drawing.recipes import Recipe
from anamorph.toybox.networks import fitted, words
from anamorph.toybox.scenes import recipe_of, scene_of
from anamorph.toybox.truth import Truth, truth
from anamorph.toybox.wrongness import assess

captioner: Any = importlib.import_module("captioner")

METHODS = ("deeptest", "rome", "spolre")
RATE, MORE_RATE, BATCH = 1.5e-3, 1.2e-3, 64


@dataclass(frozen=True, slots=True)
class Seen:
    """What the eye sees of some pictures, as the head takes it, and true captions of each."""

    slots: Any
    summaries: Any
    captions: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.captions)


# The cases of a run by what was measured, each with its scene and whether it counts.
Cases = dict[str, dict[str, tuple[str, bool]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/retrain"), help="a new folder (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another one draws other scenes (default: %(default)s)")
    parser.add_argument("--training", type=int, default=1000, help="scenes of the training set (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=800, help="steps of training with it (default: %(default)s)")
    parser.add_argument("--scenes", type=int, default=300, help="of these, find errors on (default: %(default)s)")
    parser.add_argument("--more-steps", type=int, default=400, help="steps of training further (default: %(default)s)")
    parser.add_argument("--test-scenes", type=int, default=150, help="fresh scenes (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="that train and test (default: %(default)s)")
    options = parser.parse_args()
    out: Path = options.out
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    if out.exists() and any(out.iterdir()):
        parser.error(f"{out} holds something already: choose another folder with --out.")
    out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:4.0f} s  {text}", flush=True)

    # The shipped eye was trained and measured on the seeds 1001 to 4004; this example was tried out on --seed 0.
    training_seed, test_seed = 70_000 + 10 * options.seed, 70_001 + 10 * options.seed
    eye = captioner.shipped()["glance"]
    training = drawn(eye, options.training, training_seed)
    say(f"drew {len(training)} scenes to train with")
    losses = train(None, [training], options.steps, RATE, out / "before.pt")
    say(f"before: {options.steps} steps, loss {losses[0]:.2f} at first and {losses[-1]:.2f} at last")

    scenes = f"toybox:{options.scenes},seed={training_seed}"
    found = anamorph.run(system_of(out / "before.pt"), scenes, METHODS, out=out / "find", progress=False)
    say(f"looked for errors on {options.scenes} of these scenes: {found.rate}")
    pairs, others = export(eye, out)
    say(f"exported {len(pairs)} corrected pairs, and as many edited images at random")
    # Of several sets, each batch has as much of the one as of the other.
    sets: dict[str, list[Seen]] = {
        "before": [],
        "retrained": [pairs, training],
        "control: nothing new": [training],
        "control: edits at random": [others, training],
    }
    measured: dict[str, Cases] = {}
    # The four do not depend on each other. A process that was forked could hang in PyTorch's threads.
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        scenes = f"toybox:{options.test_scenes},seed={test_seed}"
        work = {
            name: pool.submit(further, out, name, those, options.more_steps, scenes) for name, those in sets.items()
        }
        for name, task in work.items():
            measured[name] = task.result()
            say(f"tested on {options.test_scenes} fresh scenes: {name}")
    table = table_of(measured)
    (out / "results.md").write_text(table, encoding="utf-8")
    print(f"\n{table}")


def further(out: Path, name: str, sets: Sequence[Seen], steps: int, scenes: str) -> Cases:
    """Train the first captioner further with some sets, or leave it as it is without any, and test it."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    stem = name.replace(": ", "-").replace(" ", "-")
    weights = out / f"{stem}.pt"
    if sets:
        train(out / "before.pt", sets, steps, MORE_RATE, weights)
    return cases_of(anamorph.run(system_of(weights), scenes, METHODS, out=out / f"test-{stem}", progress=False))


def system_of(weights: Path) -> Any:
    return anamorph.FunctionSystem(captioner.Captioner(weights), batch=captioner.BATCH, name=weights.stem)


# --- pictures with true captions ------------------------------------------------------------------------------------


def drawn(eye: Any, count: int, seed: int) -> Seen:
    """The first scenes of a seed as they are drawn, with their own captions."""
    recipes = [compose(seed, index) for index in range(count)]
    return see(eye, [fitted(paint(recipe)) for recipe in recipes], [captions_of(recipe) for recipe in recipes])


def export(eye: Any, out: Path) -> tuple[Seen, Seen]:
    """Edited images of issues with a true caption each, from `anamorph research export`, and as many of all images."""
    _anamorph("research", "export", out / "find", "--to", "jsonl", "-o", out / "twins", "--which", "all")
    # Where nothing is left to be seen, there is nothing to say.
    twins = [twin for twin in _lines(out / "twins") if twin["objects"]]
    issues = {twin["image"] for twin in twins if twin["issues"]}
    if not issues:
        raise SystemExit("No errors were found, so there is nothing to train with: take more --scenes.")
    chosen = {twin["image"] for twin in Random(1).sample(twins, len(issues))}
    corrected = [
        json.dumps({"image": twin["image"], "caption": _true_caption(twin)})
        for twin in twins
        if twin["image"] in issues | chosen
    ]
    # Here the toybox plays the person who corrects. With photos, people write these captions: into this file, or in
    # `anamorph review`.
    (out / "corrected.jsonl").write_text("\n".join(corrected), encoding="utf-8")
    captions = ("--which", "all", "--captions", out / "corrected.jsonl")
    _anamorph("research", "export", out / "find", "--to", "jsonl", "-o", out / "pairs", *captions)
    pairs = [twin for twin in _lines(out / "pairs") if twin["caption"]]
    by_issue, at_random = ([twin for twin in pairs if twin["image"] in those] for those in (issues, chosen))
    return _seen_twins(eye, out / "pairs", by_issue), _seen_twins(eye, out / "pairs", at_random)


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "twins.jsonl").read_text(encoding="utf-8").splitlines()]


def _seen_twins(eye: Any, folder: Path, twins: Sequence[dict[str, Any]]) -> Seen:
    pictures = []
    for twin in twins:
        with Image.open(folder / twin["image"]) as image:
            pictures.append(fitted(np.asarray(image.convert("RGB"))))
    return see(eye, pictures, [(twin["caption"],) for twin in twins])


def see(eye: Any, pictures: Sequence[npt.NDArray[np.uint8]], captions: Sequence[tuple[str, ...]]) -> Seen:
    """The eye is not trained any more, so that it needs to look at each picture only once."""
    torch: Any = importlib.import_module("torch")
    with torch.inference_mode():
        looks = [eye(captioner.as_input(pictures[k : k + BATCH])) for k in range(0, len(pictures), BATCH)]
    slots, summaries = (torch.cat([look[part] for look in looks]) for part in (0, 1))
    return Seen(slots, summaries, tuple(captions))


def _anamorph(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "anamorph.cli.main", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@functools.cache
def _scene(id: str) -> Scene:
    """A scene by its name, such as toybox-7-12."""
    _, seed, index = id.split("-")
    return scene_of(int(seed), int(index))


@functools.cache
def _truth(scene: str, edits: str) -> Truth:
    return truth(_scene(scene), edits_from_json(edits, catalog.find))


def _true_caption(twin: dict[str, Any]) -> str | None:
    recipe = _recipe_now(twin)
    return write_caption(recipe, Random(twin["image"])) if recipe.items else None


def _recipe_now(twin: dict[str, Any]) -> Recipe:
    """The scene's recipe with only what is still visible after the edits."""
    recipe = recipe_of(_scene(twin["scene"]).picture)
    seen = _truth(twin["scene"], json.dumps(twin["edits"]))
    # The id of an object says where it stands in its scene's recipe (see `anamorph.toybox.scenes.describe`).
    kept = sorted(int(thing.id) % 100 - 1 for thing in seen.things if thing.perceptible)
    moved = any(edit["kind"] == "relayout" for edit in twin["edits"])
    items = []
    for position in kept:
        item = recipe.items[position]
        # What was moved need not lie on the couch or in anybody's hands any more.
        on = None if moved or item.on not in kept else kept.index(item.on)
        rest = "ground" if on is None and item.rest == "held" else item.rest
        items.append(replace(item, on=on, rest=rest))
    return replace(recipe, items=tuple(items))


# --- training -------------------------------------------------------------------------------------------------------


def train(start: Path | None, sets: Sequence[Seen], steps: int, rate: float, out: Path) -> list[float]:
    """Train a head from the weights in a file or from nothing, an equal part of each batch from each set; writes its
    weights, gives the losses.
    """
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(1)
    rng = Random(1)
    head = captioner.script("networks").Captioner(len(words().caption), words().longest_caption)
    if start is not None:
        head.load_state_dict(torch.load(start))
    optimizer = torch.optim.AdamW(head.parameters(), lr=rate, weight_decay=0.02)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 1, pct_start=0.1)
    losses = []
    for _ in range(steps):
        batch = [(chosen, rng.randrange(len(chosen))) for chosen in sets for _ in range(BATCH // len(sets))]
        tokens = _tokens([rng.choice(chosen.captions[k]) for chosen, k in batch])
        slots, summaries = (
            torch.stack([getattr(chosen, part)[k] for chosen, k in batch]) for part in ("slots", "summaries")
        )
        logits = head(slots, summaries, tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimizer.step()
        plan.step()
        losses.append(float(loss.detach()))
    torch.save(head.state_dict(), out)
    return losses


def _tokens(captions: Sequence[str]) -> Any:
    """The numbers of the words, from the beginning's to the end's, padded with 0."""
    torch: Any = importlib.import_module("torch")
    words_of = captioner.script("train_heads").words_of
    index = {word: number for number, word in enumerate(words().caption)}
    begin, end = index["<begin>"], index["<end>"]
    rows = [[begin, *(index[word] for word in words_of(text)), end][: words().longest_caption] for text in captions]
    length = max(map(len, rows))
    return torch.tensor([row + [0] * (length - len(row)) for row in rows])


# --- measuring ------------------------------------------------------------------------------------------------------


def cases_of(run: anamorph.Run) -> Cases:
    """What a run says: violated cases of each method, and captions that are right about what is visible."""
    cases: Cases = defaultdict(dict)
    for case in run.cases:
        if case.outcome in ("holds", "violated"):
            cases[f"{case.method}: violated"][case.digest] = (case.scene, case.outcome == "violated")
    with RunStore.open(run.folder, read_only=True) as store:
        rows = store.connection.execute(
            """SELECT s.name, hex(i.digest), i.edits, a.text FROM answers a JOIN probes p ON p.id = a.probe
            JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene
            WHERE a.attempt = 0 AND p.question IS NULL AND a.text IS NOT NULL"""
        ).fetchall()
    for scene, image, edits, text in rows:
        found = assess(Answer(text=text), None, _truth(scene, edits))
        if found.outcome != "untold":
            name = "captions of scenes: right" if edits == "[]" else "captions of edited images: right"
            cases[name][image] = (scene, not found.wrong)
    return dict(cases)


def table_of(measured: dict[str, Cases]) -> str:
    """Rates with 95 % intervals clustered by scene, and their differences over the same cases."""
    names = sorted({name for cases in measured.values() for name in cases}, key=lambda name: (":" in name, name))
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for system, cases in measured.items():
        lines.append(f"| {system} | {' | '.join(_rate(cases.get(name, {})) for name in names)} |")
    for first in measured:
        if first != "retrained":
            cells = [_difference(measured[first].get(name, {}), measured["retrained"].get(name, {})) for name in names]
            lines.append(f"| retrained minus {first} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _rate(cases: dict[str, tuple[str, bool]]) -> str:
    clusters: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for scene, hit in cases.values():
        clusters[scene] = (clusters[scene][0] + 1, clusters[scene][1] + hit)
    hits = sum(hit for _, hit in cases.values())
    if not cases:
        return "-"
    return f"{100 * hits / len(cases):.1f} % {_shown(clustered(clusters.values()))} of {len(cases)}"


def _difference(first: dict[str, tuple[str, bool]], second: dict[str, tuple[str, bool]]) -> str:
    clusters: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for key in first.keys() & second.keys():
        scene, before = first[key]
        count, one, other = clusters[scene]
        clusters[scene] = (count + 1, one + before, other + second[key][1])
    difference, interval = paired(clusters.values())
    return f"{100 * difference:+.1f} {_shown(interval)}"


def _shown(interval: Interval | None) -> str:
    return "" if interval is None else f"({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"


if __name__ == "__main__":
    main()
