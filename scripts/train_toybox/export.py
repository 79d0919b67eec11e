"""Write the trained networks as ONNX into the package, with the words they know."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from networks import SLOT_SIZE, SLOTS, SUMMARY_SIZE, Answerer, Captioner, Dense, Eye, Glance, Tagger
from questions import ANSWERS
from samples import LABELS
from torch import Tensor, nn
from train_heads import LONGEST_CAPTION, LONGEST_QUESTION, caption_words, question_words


class Write(nn.Module):
    """The last step only: which word comes next."""

    def __init__(self, captioner: Captioner) -> None:
        super().__init__()
        self.captioner = captioner

    def forward(self, memory: Tensor, tokens: Tensor) -> Tensor:
        return self.captioner.write(memory, tokens)[:, -1]


class Answer(nn.Module):
    def __init__(self, answerer: Answerer) -> None:
        super().__init__()
        self.answerer = answerer

    def forward(self, slots: Tensor, question: Tensor) -> Tensor:
        return self.answerer(slots, question)[0]


def write(model: nn.Module, path: Path, inputs: dict[str, Tensor], varying: dict[str, dict[int, str]]) -> None:
    """Export, then make sure that onnxruntime gives what torch gives."""
    model.eval()
    torch.onnx.export(
        model,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        dynamic_axes=varying,
        opset_version=17,
        dynamo=False,
    )
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for rows in ([0, 1, 2], [1], [2, 0, 1, 0, 2]):
        chosen = {name: tensor[rows] for name, tensor in inputs.items()}
        ours = session.run(None, {name: tensor.numpy() for name, tensor in chosen.items()})
        with torch.no_grad():
            theirs = model(*chosen.values())
        for one, other in zip(ours, theirs if isinstance(theirs, tuple) else (theirs,), strict=True):
            worst = float(np.abs(one - other.numpy()).max())
            assert worst < 2e-3, f"{path.name}: onnxruntime and torch differ by {worst}"
    print(path.name, path.stat().st_size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("eye", type=Path)
    parser.add_argument("heads", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    saved, heads = torch.load(options.eye), torch.load(options.heads)
    eye, dense, tagger = Eye(), Dense(), Tagger()
    answerer = Answerer(len(question_words()), len(ANSWERS))
    captioner = Captioner(len(caption_words()), LONGEST_CAPTION)
    for module, state in (
        (eye, saved["eye"]),
        (dense, saved["dense"]),
        (tagger, heads["tagger"]),
        (answerer, heads["answerer"]),
        (captioner, heads["captioner"]),
    ):
        module.load_state_dict(state)
        module.eval()
    slots, summary = torch.rand(3, SLOTS, SLOT_SIZE), torch.rand(3, SUMMARY_SIZE)
    batch = {0: "batch"}
    write(Glance(eye, dense), options.out / "eye.onnx", {"pixels": torch.rand(3, 3, 120, 160) * 255}, {"pixels": batch})
    write(
        captioner.reader,
        options.out / "captioner-read.onnx",
        {"slots": slots, "summary": summary},
        {"slots": batch, "summary": batch},
    )
    write(
        Write(captioner),
        options.out / "captioner-write.onnx",
        {"memory": captioner.reader(slots, summary).detach(), "tokens": torch.randint(3, 50, (3, 7))},
        {"memory": batch, "tokens": {0: "batch", 1: "length"}},
    )
    write(
        Answer(answerer),
        options.out / "answerer.onnx",
        {"slots": slots, "question": torch.randint(0, 50, (3, LONGEST_QUESTION))},
        {"slots": batch, "question": batch},
    )
    write(tagger, options.out / "tagger.onnx", {"summary": summary}, {"summary": batch})
    words = {
        "labels": LABELS,
        "caption": caption_words(),
        "question": question_words(),
        "answers": ANSWERS,
        "longest_caption": LONGEST_CAPTION,
        "longest_question": LONGEST_QUESTION,
    }
    (options.out / "words.json").write_text(json.dumps(words, indent=0) + "\n", encoding="utf-8")
    total = sum(path.stat().st_size for path in options.out.iterdir())
    print(f"together {total / 1e6:.2f} MB")
    assert total <= 8_000_000


if __name__ == "__main__":
    main()
