"""The explanation of an issue, in words and as a picture of the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anamorph.model import the_probe
from anamorph.reading.nouns import counted
from anamorph.store.explanations import ExplainedCase


@dataclass(frozen=True, slots=True)
class IssueExplanation:
    """Which part of an image carries a word of an issue, as `anamorph case explain` found it.

    `probes` is the number of the issue's probes, `address` that of the picture within the report, and `file` the
    picture itself: the map, drawn over the image.
    """

    found: ExplainedCase
    probes: int
    address: str | None
    file: Path | None

    @property
    def position(self) -> int:
        """The place of the explained probe in its issue."""
        return self.found.position

    @property
    def label(self) -> str | None:
        """The class that its answer names; None for the answer as a whole."""
        return self.found.label

    @property
    def words(self) -> str:
        """The findings."""
        return explanation_words(self.found, self.probes)


def explanation_words(found: ExplainedCase, probes: int) -> str:
    """The result of covering parts of an image, in a sentence or two."""
    where = f" in the answer to {the_probe(found.position, probes)}"
    subject = f"The answer to {the_probe(found.position, probes)}" if found.label is None else f"{found.label!r}{where}"
    changes = "changes" if found.label is None else "is no longer said"
    stays = "stays the same" if found.label is None else "is still said"
    match found.carrier:
        case "part":
            place = "where no object is annotated" if found.on is None else f"where {counted(found.on, 1)} is"
            if found.alone:
                parts = f"what is outlined, brightest {place}"
                text = f"{subject} comes from {parts}: one such part alone is enough for it."
            else:
                text = f"{subject} comes from the outlined part of the image, {place}: with it covered, it {changes}."
        case "spread":
            text = f"{subject} comes from no single part of the image: whichever is covered, it {stays}."
        case "nothing":
            text = f"{subject} does not come from the image: it {stays} when all of it is covered."
        case _:
            text = f"Where {subject[0].lower()}{subject[1:]} comes from is not known yet."
    if found.boxes:
        boxes = "The box is" if len(found.boxes) == 1 else f"The {len(found.boxes)} boxes are"
        text += f" {boxes} the system's own."
    return text if found.finished else f"{text} The search stopped early, after {found.calls} calls."
