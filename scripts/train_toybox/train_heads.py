"""Train the captioner, the answerer and the tagger on what the trained eye sees."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import torch
import torch.nn.functional as F
from networks import SLOTS, Answerer, Captioner, Dense, Eye, Glance, Tagger
from questions import ANSWERS, UNKNOWN, ask
from samples import LABELS, Sample, Scenes, cell_of

from anamorph.reading.nouns import OTHER_WORDS
from anamorph.toybox.captions import write_caption
from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.recipes import Recipe

LONGEST_CAPTION, LONGEST_QUESTION = 40, 20
PAD, BEGIN, END = "<pad>", "<begin>", "<end>"


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+|,", text.lower())


class Sights:
    """What the eye sees of many scenes, kept in memory, with the recipe that is true of each."""

    def __init__(self, glance: Glance, scenes: Scenes, count: int, varied: bool) -> None:
        rng = Random(5)
        self.slots, self.summaries, self.recipes, self.owners = [], [], [], []
        for start in range(0, count, 64):
            samples = [scenes.sample(i, rng if varied else None) for i in range(start, min(count, start + 64))]
            pixels = torch.from_numpy(np.stack([s.pixels for s in samples])).permute(0, 3, 1, 2).float()
            with torch.no_grad():
                slots, summary = glance(pixels.to(memory_format=torch.channels_last))
            self.slots.append(slots.half())
            self.summaries.append(summary.half())
            self.owners += [_owners(sample, one) for sample, one in zip(samples, slots.numpy(), strict=True)]
            self.recipes += [_kept(sample) for sample in samples]
        self.slots, self.summaries = torch.cat(self.slots), torch.cat(self.summaries)

    def __len__(self) -> int:
        return len(self.recipes)


def _kept(sample: Sample) -> Recipe:
    """The recipe without what was cut off."""
    if not sample.changed:
        return sample.recipe
    kept = [entry[0] for entry in sample.items]
    places = {sample.recipe.items.index(item): k for k, item in enumerate(kept)}
    items = tuple(replace(item, on=places.get(item.on) if item.on is not None else None) for item in kept)
    return replace(sample.recipe, items=items)


def _owners(sample: Sample, slots: np.ndarray) -> np.ndarray:
    """For each slot the item that it shows, or -1; the likelier slot has the first choice."""
    owners = np.full(SLOTS, -1, np.int64)
    free = {k: (entry[0].label, cell_of(*entry[1:])) for k, entry in enumerate(sample.items)}
    rows, columns = 15, 20
    for s, slot in enumerate(slots):
        label = LABELS[int(slot[1 : 1 + len(LABELS)].argmax())]
        x, y = round(slot[1 + len(LABELS)] * columns), round(slot[2 + len(LABELS)] * rows)
        for k, (name, (row, column)) in free.items():
            if name == label and abs(row - y) <= 1 and abs(column - x) <= 1:
                owners[s] = k
                del free[k]
                break
    return owners


def caption_words() -> list[str]:
    found = {",", "a", "an", "and", "people", "books", "book", "man", "woman", "child", *ACTIONS, *INKS}
    found |= set(words_of("two three four five six seven eight nine a couple of there is are photo picture"))
    found |= set(words_of("next to near with beside in front of behind on reading"))
    for background in BACKGROUNDS.values():
        found |= {word for place in background.places for word in words_of(place)}
    found |= {word for one in CLASSES.values() for word in words_of(f"{one.name} {one.plural}")}
    found |= {word for pair in OTHER_WORDS.values() for noun in pair for word in words_of(noun)}
    return [PAD, BEGIN, END, *sorted(found)]


def question_words() -> list[str]:
    found = {
        "how",
        "many",
        "are",
        "there",
        "is",
        "any",
        "no",
        "in",
        "the",
        "image",
        "picture",
        "photo",
        "and",
        *ACTIONS,
        *INKS,
    }
    found |= {word for one in CLASSES.values() for word in words_of(f"{one.name} {one.plural}")}
    found |= {word for pair in OTHER_WORDS.values() for noun in pair for word in words_of(noun)}
    return [PAD, UNKNOWN, *sorted(found)]


def encode_question(text: str, index: dict[str, int]) -> list[int]:
    tokens = [index.get(word, index[UNKNOWN]) for word in words_of(text) if word != ","][:LONGEST_QUESTION]
    return [0] * (LONGEST_QUESTION - len(tokens)) + tokens


def schedule(optimizer: torch.optim.Optimizer, rate: float, steps: int) -> torch.optim.lr_scheduler.OneCycleLR:
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)


def train_tagger(sights: Sights, steps: int) -> Tagger:
    tagger, rng = Tagger(), np.random.default_rng(1)
    truth = torch.zeros(len(sights), len(LABELS))
    for k, recipe in enumerate(sights.recipes):
        truth[k, [LABELS.index(item.label) for item in recipe.items]] = 1
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=1e-3, weight_decay=0.05)
    plan = schedule(optimizer, 1e-3, steps)
    for _ in range(steps):
        picks = torch.from_numpy(rng.integers(len(sights), size=256))
        loss = F.binary_cross_entropy_with_logits(tagger(sights.summaries[picks].float()), truth[picks])
        optimizer.zero_grad(), loss.backward(), optimizer.step(), plan.step()
    return tagger


def train_answerer(sights: Sights, steps: int, say: Callable[[str], None]) -> Answerer:
    index = {word: k for k, word in enumerate(question_words())}
    model, rng = Answerer(len(index), len(ANSWERS)), Random(2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    plan = schedule(optimizer, 2e-3, steps)
    for step in range(1, steps + 1):
        picks = [rng.randrange(len(sights)) for _ in range(192)]
        tokens, matches, answers = [], [], []
        for pick in picks:
            text, fits, answer = ask(sights.recipes[pick].items, rng)
            tokens.append(encode_question(text, index))
            matches.append([float(owner >= 0 and fits[owner]) for owner in sights.owners[pick]])
            answers.append(ANSWERS.index(answer))
        logits, match = model(sights.slots[picks].float(), torch.tensor(tokens))
        truth = torch.tensor(answers)
        loss = F.cross_entropy(logits, truth) + 2 * F.binary_cross_entropy_with_logits(match, torch.tensor(matches))
        optimizer.zero_grad(), loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step(), plan.step()
        if step % 200 == 0:
            right = float((logits.argmax(1) == truth).float().mean())
            say(f"answerer {step}: loss {float(loss.detach()):.3f} right {right:.3f}")
    return model


def train_captioner(sights: Sights, steps: int, say: Callable[[str], None]) -> Captioner:
    index = {word: k for k, word in enumerate(caption_words())}
    model, rng = Captioner(len(index), LONGEST_CAPTION), Random(3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3, weight_decay=0.02)
    plan = schedule(optimizer, 1.5e-3, steps)
    full = [k for k, recipe in enumerate(sights.recipes) if recipe.items]
    for step in range(1, steps + 1):
        picks = [rng.choice(full) for _ in range(64)]
        rows = [
            [1, *(index[w] for w in words_of(write_caption(sights.recipes[k], rng))), 2][:LONGEST_CAPTION]
            for k in picks
        ]
        length = max(map(len, rows))
        tokens = torch.tensor([row + [0] * (length - len(row)) for row in rows])
        logits = model(sights.slots[picks].float(), sights.summaries[picks].float(), tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad(), loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step(), plan.step()
        if step % 200 == 0:
            say(f"captioner {step}: loss {float(loss.detach()):.3f}")
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drawn", type=Path)
    parser.add_argument("eye", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--captioner-steps", type=int, default=4000)
    parser.add_argument("--answerer-steps", type=int, default=6000)
    parser.add_argument("--tagger-steps", type=int, default=800)
    parser.add_argument("--scenes", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    begun = time.time()
    say = lambda text: print(f"{time.time() - begun:.0f}s {text}", flush=True)  # noqa: E731
    saved = torch.load(options.eye)
    eye, dense = Eye(), Dense()
    eye.load_state_dict(saved["eye"]), dense.load_state_dict(saved["dense"])
    glance = Glance(eye, dense).to(memory_format=torch.channels_last).eval()
    scenes = Scenes(options.drawn, "training")
    count = min(options.scenes, scenes.available())
    sights = Sights(glance, scenes, count, varied=False)
    say(f"saw {count} scenes")
    varied = Sights(glance, scenes, count, varied=True)
    say(f"saw {count} varied scenes")
    for name in ("slots", "summaries"):
        setattr(sights, name, torch.cat([getattr(sights, name), getattr(varied, name)]))
    sights.recipes += varied.recipes
    sights.owners += varied.owners
    tagger = train_tagger(sights, options.tagger_steps)
    say("tagger trained")
    answerer = train_answerer(sights, options.answerer_steps, say)
    torch.save({"tagger": tagger.state_dict(), "answerer": answerer.state_dict(), "count": count}, options.out)
    captioner = train_captioner(sights, options.captioner_steps, say)
    torch.save(
        {
            "tagger": tagger.state_dict(),
            "answerer": answerer.state_dict(),
            "captioner": captioner.state_dict(),
            "count": count,
            "seconds": time.time() - begun,
            "eye_seconds": saved["seconds"],
        },
        options.out,
    )
    print(json.dumps({"scenes": count, "seconds": round(time.time() - begun)}))


if __name__ == "__main__":
    main()
