"""The networks: an eye that all three systems share, and a head for each."""

from __future__ import annotations

import torch
from samples import COLOURS, FORMS, LABELS, PLACES
from torch import Tensor, nn

from anamorph.toybox.drawing.classes import ACTIONS

FEATURES = 96


class Block(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, 1, dilation, dilation=dilation, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.norm(self.conv(x)))


def down(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, 2, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Eye(nn.Module):
    """RGB of 120 x 160 (0-255) to features of 15 x 20."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(3, 24),
            down(24, 48),
            Block(48, 1),
            down(48, FEATURES),
            Block(FEATURES, 1),
            Block(FEATURES, 2),
            Block(FEATURES, 4),
            Block(FEATURES, 1),
        )

    def forward(self, pixels: Tensor) -> Tensor:
        return self.layers(pixels * (1 / 64) - 2)


class Dense(nn.Module):
    """For each cell of the features: which class has its middle there, and what colour, action and form it has."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes = (len(LABELS), len(COLOURS), len(ACTIONS), len(FORMS))
        self.mix = nn.Sequential(nn.Conv2d(FEATURES, 128, 1), nn.ReLU())
        self.out = nn.Conv2d(128, sum(self.sizes), 1)
        self.place = nn.Linear(FEATURES, len(PLACES))
        with torch.no_grad():
            self.out.bias[: len(LABELS)] = -4.6

    def forward(self, features: Tensor) -> tuple[Tensor, ...]:
        parts = torch.split(self.out(self.mix(features)), self.sizes, dim=1)
        return (*parts, self.place(features.mean((2, 3))))


SLOTS = 16
# Numbers of a class that a slot distinguishes: one to five.
NUMBERS = 5
SLOT_SIZE = 1 + len(LABELS) + len(COLOURS) + len(ACTIONS) + len(FORMS) + 2 + FEATURES + NUMBERS
WIDTH = 128


class Glance(nn.Module):
    """The eye as it is shipped: the likeliest things as slots, and a summary of the whole picture.

    A slot holds a score, the class, colour, action, form and place of one thing, the features beneath it, and how many
    of its class there seem to be. The summary holds the two best scores of every class and the mean features.
    """

    def __init__(self, eye: Eye, dense: Dense) -> None:
        super().__init__()
        self.eye, self.dense = eye, dense

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        features = self.eye(pixels)
        heat, colour, action, form, place = self.dense(features)
        batch, classes, rows, columns = heat.shape
        cells = rows * columns
        p = torch.sigmoid(heat)
        peaks = (p * (p >= torch.max_pool2d(p, 3, 1, 1))).reshape(batch, classes * cells)
        score, spot = torch.topk(peaks, SLOTS, dim=1)
        label, cell = torch.div(spot, cells, rounding_mode="floor"), spot % cells
        traits = torch.cat([colour.softmax(1), action.softmax(1), form.softmax(1), features], 1).reshape(
            batch, -1, cells
        )
        picked = torch.gather(traits, 2, cell[:, None, :].expand(-1, traits.shape[1], -1)).transpose(1, 2)
        y = torch.div(cell, columns, rounding_mode="floor").float() / rows
        x = (cell % columns).float() / columns
        kind = (label[:, :, None] == torch.arange(classes)).float()
        by_class = peaks.reshape(batch, classes, cells)
        # A peak below 0.2 counts for nothing, one above 0.55 for a whole thing.
        number = torch.gather(torch.clamp((by_class - 0.2) / 0.35, 0, 1).sum(2), 1, label)
        several = torch.relu(1 - (number[:, :, None] - torch.arange(1, NUMBERS + 1)).abs())
        slots = torch.cat([score[:, :, None], kind, x[:, :, None], y[:, :, None], picked, several], 2)
        best = torch.topk(by_class, 2, dim=2).values.reshape(batch, -1)
        summary = torch.cat([best, features.mean((2, 3)), place.softmax(1)], 1)
        return slots, summary


SUMMARY_SIZE = 2 * len(LABELS) + FEATURES + len(PLACES)


class Attention(nn.Module):
    """Multi-head attention written out, so that it exports plainly."""

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor, memory: Tensor, blocked: Tensor | None = None) -> Tensor:
        split = lambda t: t.reshape(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)  # noqa: E731
        q, k, v = split(self.q(x)), split(self.k(memory)), split(self.v(memory))
        scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
        if blocked is not None:
            scores = scores + blocked
        mixed = (scores.softmax(-1) @ v).transpose(1, 2)
        return self.o(mixed.reshape(x.shape[0], x.shape[1], -1))


class Layer(nn.Module):
    """A transformer layer; with `memory`, it looks there as well."""

    def __init__(self, width: int, looks: bool) -> None:
        super().__init__()
        self.own, self.norm1 = Attention(width), nn.LayerNorm(width)
        self.other = Attention(width) if looks else None
        self.norm2, self.norm3 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor, memory: Tensor | None = None, blocked: Tensor | None = None) -> Tensor:
        y = self.norm1(x)
        x = x + self.own(y, y, blocked)
        if self.other is not None:
            x = x + self.other(self.norm2(x), memory)
        return x + self.feed(self.norm3(x))


class Reader(nn.Module):
    """Slots and summary to memory: things that have looked at each other."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.slot, self.summary = nn.Linear(SLOT_SIZE, WIDTH), nn.Linear(SUMMARY_SIZE, WIDTH)
        self.layers = nn.ModuleList(Layer(WIDTH, looks=False) for _ in range(layers))

    def forward(self, slots: Tensor, summary: Tensor) -> Tensor:
        x = torch.cat([self.summary(summary)[:, None], self.slot(slots)], 1)
        for layer in self.layers:
            x = layer(x)
        return x


class Captioner(nn.Module):
    """Writes a caption word by word; `forward` gives the logits of the word after each word."""

    def __init__(self, words: int, longest: int) -> None:
        super().__init__()
        self.reader = Reader(2)
        self.words, self.places = nn.Embedding(words, WIDTH), nn.Parameter(torch.randn(longest, WIDTH) * 0.02)
        self.layers = nn.ModuleList(Layer(WIDTH, looks=True) for _ in range(2))
        self.norm, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, words)

    def write(self, memory: Tensor, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        steps = torch.arange(length)
        blocked = torch.where(steps[None, :] > steps[:, None], -1e9, 0.0)
        x = self.words(tokens) + self.places[:length]
        for layer in self.layers:
            x = layer(x, memory, blocked)
        return self.out(self.norm(x))

    def forward(self, slots: Tensor, summary: Tensor, tokens: Tensor) -> Tensor:
        return self.write(self.reader(slots, summary), tokens)


class Answerer(nn.Module):
    """Slots and a question to an answer: which slots match, how many those are, and what that says to the question."""

    def __init__(self, words: int, answers: int) -> None:
        super().__init__()
        self.words, self.read = nn.Embedding(words, 64), nn.GRU(64, WIDTH, batch_first=True)
        self.slot, self.gate = nn.Linear(SLOT_SIZE, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.match = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
        self.say = nn.Sequential(nn.Linear(WIDTH + 1 + SLOTS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, answers))

    def forward(self, slots: Tensor, question: Tensor) -> tuple[Tensor, Tensor]:
        # The question is padded at its start, so that its last word is the last step.
        begin = torch.zeros(1, question.shape[0], WIDTH)
        asked = self.read(self.words(question), begin)[0][:, -1]
        things = torch.relu(self.slot(slots))
        gated = things * torch.sigmoid(self.gate(asked))[:, None]
        both = torch.cat([gated, asked[:, None].expand(-1, slots.shape[1], -1)], 2)
        match = self.match(both)[:, :, 0]
        share = torch.sigmoid(match)
        ranked = torch.sort(share, dim=1, descending=True).values
        return self.say(torch.cat([asked, share.sum(1, keepdim=True), ranked], 1)), match


class Tagger(nn.Module):
    """The summary to a logit for each class."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(SUMMARY_SIZE, WIDTH), nn.ReLU(), nn.Linear(WIDTH, len(LABELS)))
        self.scale, self.shift = nn.Parameter(torch.full((len(LABELS),), 4.0)), nn.Parameter(torch.zeros(len(LABELS)))

    def forward(self, summary: Tensor) -> Tensor:
        best = summary[:, : 2 * len(LABELS) : 2]
        logit = torch.log((best + 1e-3) / (1 - best + 1e-3))
        return self.scale / 4 * logit + self.shift + self.hidden(summary)
