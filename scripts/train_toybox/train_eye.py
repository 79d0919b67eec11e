"""Train the eye on dense targets: where the middle of each thing is, and what it is like."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from random import Random

import numpy as np
import torch
import torch.nn.functional as F
from networks import Dense, Eye
from samples import Scenes, targets_of


def batch_of(scenes: Scenes, picks: list[int], rng: Random | None) -> tuple[torch.Tensor, list]:
    samples = [scenes.sample(pick, rng) for pick in picks]
    pixels = torch.from_numpy(np.stack([sample.pixels for sample in samples])).permute(0, 3, 1, 2).float()
    targets = [targets_of(sample) for sample in samples]
    stack = lambda name: torch.from_numpy(np.stack([getattr(t, name) for t in targets]))  # noqa: E731
    return pixels.to(memory_format=torch.channels_last), [
        stack("heat"),
        stack("colour"),
        stack("action"),
        stack("form"),
        torch.tensor([t.place for t in targets]),
    ]


def loss_of(outputs: tuple[torch.Tensor, ...], targets: list) -> tuple[torch.Tensor, dict[str, float]]:
    heat, colour, action, form, place = outputs
    wanted = targets[0]
    p = torch.sigmoid(heat)
    # The penalty-reduced focal loss of "Objects as Points" (Zhou et al. 2019), equation 1.
    hit = wanted == 1
    gain = F.logsigmoid(heat) * (1 - p) ** 2 * hit
    miss = F.logsigmoid(-heat) * p**2 * (1 - wanted) ** 4 * ~hit
    focal = -(gain.sum() + miss.sum()) / hit.sum()
    parts = {"heat": focal}
    for name, logits, truth in (
        ("colour", colour, targets[1]),
        ("action", action, targets[2]),
        ("form", form, targets[3]),
    ):
        # The mean, also for a small batch in which nothing has such a trait.
        total = F.cross_entropy(logits, truth, ignore_index=-1, reduction="sum")
        parts[name] = total / (truth >= 0).sum().clamp(min=1) * 0.5
    parts["place"] = F.cross_entropy(place, targets[4]) * 0.1
    return sum(parts.values()), {name: float(part.detach()) for name, part in parts.items()}


@torch.no_grad()
def check(eye: Eye, dense: Dense, scenes: Scenes, count: int) -> str:
    """Share of scenes whose peaks give every class its exact number; shares of right colours, actions, forms."""
    eye.eval(), dense.eval()
    right = 0
    hits: dict[str, list[float]] = {"colour": [], "action": [], "form": []}
    for start in range(0, count, 100):
        pixels, targets = batch_of(scenes, list(range(start, start + 100)), None)
        heat, *rest = dense(eye(pixels))
        p = torch.sigmoid(heat)
        peaks = (p == F.max_pool2d(p, 3, 1, 1)) & (p > 0.4)
        right += int((peaks.sum((2, 3)) == (targets[0] == 1).sum((2, 3))).all(1).sum())
        for name, logits, truth in zip(hits, rest, targets[1:4], strict=False):
            asked = truth >= 0
            hits[name] += (logits.argmax(1)[asked] == truth[asked]).float().tolist()
    eye.train(), dense.train()
    return f"scenes right {right / count:.3f} " + " ".join(f"{name} {np.mean(h):.3f}" for name, h in hits.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drawn", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=1900)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2.5e-3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    rng = Random(1)
    training, held_back = Scenes(options.drawn, "training"), Scenes(options.drawn, "held-back")
    held_back.available()
    eye, dense = Eye().to(memory_format=torch.channels_last), Dense().to(memory_format=torch.channels_last)
    parameters = [*eye.parameters(), *dense.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.rate, total_steps=options.steps, pct_start=0.1)
    begun, order = time.time(), []
    for step in range(1, options.steps + 1):
        if len(order) < options.batch:
            order = list(range(training.available()))
            rng.shuffle(order)
        picks, order = order[: options.batch], order[options.batch :]
        pixels, targets = batch_of(training, picks, rng)
        loss, parts = loss_of(dense(eye(pixels)), targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 2.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            shown = " ".join(f"{name} {part:.3f}" for name, part in parts.items())
            print(f"{step} {time.time() - begun:.0f}s {len(training.recipes)} scenes: {shown}", flush=True)
        if step % 400 == 0 or step == options.steps:
            print(f"{step} held back: {check(eye, dense, held_back, 500)}", flush=True)
            torch.save(
                {"eye": eye.state_dict(), "dense": dense.state_dict(), "step": step, "seconds": time.time() - begun},
                options.out,
            )


if __name__ == "__main__":
    main()
