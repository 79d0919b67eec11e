"""Measure the shipped networks on fresh scenes, which no training has seen; prints the figures of docs/toybox.md."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from random import Random

import numpy as np

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.shear import Shear
from anamorph.model import Edit, Picture
from anamorph.toybox import networks
from anamorph.toybox.captions import said_by
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.painting import paint
from anamorph.toybox.drawing.recipes import Item
from anamorph.toybox.scenes import recipe_of, scene_of

# Not the seed that was looked at while the networks were designed.
FRESH_SEED = 4004


def questions(items: tuple[Item, ...], rng: Random) -> list[tuple[str, str, str]]:
    """(kind, question, answer): half of the nouns are in the scene and half anywhere in the toybox."""
    present = sorted({item.label for item in items})
    noun = lambda: rng.choice(present if rng.random() < 0.5 else list(CLASSES))  # noqa: E731
    count = lambda label, word=None: sum(i.label == label and (word is None or word in i.attributes) for i in items)  # noqa: E731
    one, other = noun(), noun()
    asked = [("number", f"How many {CLASSES[one].plural} are in the image?", str(count(one)))]
    if one != other:
        total = count(one) + count(other)
        asked.append(
            (
                "number of two",
                f"How many {CLASSES[one].plural} and {CLASSES[other].plural} are in the image?",
                str(total),
            )
        )
    with_words = [label for label in present if label == "person" or CLASSES[label].colours]
    if with_words:
        label = rng.choice(with_words)
        word = rng.choice(ACTIONS if label == "person" else CLASSES[label].colours)
        if rng.random() < 0.5:
            word = rng.choice([i for i in items if i.label == label]).attributes[0]
        asked.append(
            ("property", f"How many {word} {CLASSES[label].plural} are in the image?", str(count(label, word)))
        )
    label = noun()
    asked.append(("any", f"Is there any {label} in the image?", "yes" if count(label) else "no"))
    label = noun()
    asked.append(("no", f"Is there no {label} in the image?", "no" if count(label) else "yes"))
    return asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=1000)
    options = parser.parse_args()
    figures: dict[str, object] = {"scenes": options.scenes, "seed": FRESH_SEED}
    edits: dict[str, tuple[Edit, ...]] = {
        "none": (),
        "blur": (Blur(1.5),),
        "brightness": (Brightness(0.8),),
        "contrast": (Contrast(0.8),),
        "shear": (Shear(0.1),),
    }
    scenes = [scene_of(FRESH_SEED, index) for index in range(options.scenes)]
    recipes = [recipe_of(scene.picture) for scene in scenes]
    drawn = [paint(recipe) for recipe in recipes]
    for name, applied in edits.items():
        count = options.scenes if name == "none" else options.scenes // 4
        views = []
        for scene, pixels in zip(scenes[:count], drawn, strict=False):
            picture = Picture(pixels, scene.things)
            for edit in applied:
                picture = edit.apply(picture)
            views.append(networks.fitted(picture.pixels))
        figures[name] = measure(np.stack(views), [recipe.items for recipe in recipes[:count]])
    print(json.dumps(figures, indent=1))


def measure(views: np.ndarray, truth: list[tuple[Item, ...]]) -> dict[str, object]:
    batches = [slice(start, start + 32) for start in range(0, len(views), 32)]
    numbers = [dict(Counter(item.label for item in items)) for items in truth]
    seconds = {}
    begun = time.perf_counter()
    captions = [text for part in batches for text in networks.captions(views[part])]
    seconds["captioner"] = time.perf_counter() - begun
    said = [said_by(caption) for caption in captions]
    begun = time.perf_counter()
    tags = [scores for part in batches for scores in networks.tags(views[part])]
    seconds["tagger"] = time.perf_counter() - begun
    named = [{label for label, score in scores.items() if score >= 0.5} for scores in tags]
    rng = Random(1)
    asked = [(k, *entry) for k, items in enumerate(truth) for entry in questions(items, rng)]
    begun = time.perf_counter()
    answers = []
    for start in range(0, len(asked), 32):
        part = asked[start : start + 32]
        answers += networks.answers(views[[entry[0] for entry in part]], [entry[2] for entry in part])
    seconds["answerer"] = time.perf_counter() - begun
    right = defaultdict(list)
    for (_, kind, _, answer), given in zip(asked, answers, strict=True):
        right[kind].append(given == answer)
        right["all"].append(given == answer)
    attributes = [
        all(word in item.attributes for item in items if item.label == label)
        for items, one in zip(truth, said, strict=True)
        for label, word in one.attributes
        if any(i.label == label for i in items)
    ]
    hits = sum(len(set(one) & tagged) for one, tagged in zip(numbers, named, strict=True))
    return {
        "captioner": {
            "every class and number right": share(one.numbers == n for one, n in zip(said, numbers, strict=True)),
            "classes right": share(set(one.numbers) == set(n) for one, n in zip(said, numbers, strict=True)),
            "attributes right": share(attributes),
            "different captions": len(set(captions)),
            "ms per picture": round(seconds["captioner"] / len(views) * 1000, 2),
        },
        "answerer": {
            **{kind: share(results) for kind, results in right.items()},
            "questions": len(asked),
            "ms per question": round(seconds["answerer"] / len(asked) * 1000, 2),
        },
        "tagger": {
            "label set right": share(set(n) == tagged for n, tagged in zip(numbers, named, strict=True)),
            "precision": round(hits / max(1, sum(map(len, named))), 4),
            "recall": round(hits / sum(map(len, numbers)), 4),
            "ms per picture": round(seconds["tagger"] / len(views) * 1000, 2),
        },
    }


def share(results: object) -> float:
    return round(float(np.mean([bool(result) for result in results])), 4)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
