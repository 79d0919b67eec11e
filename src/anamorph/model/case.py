"""Probes and cases: images and questions for a system, and the claim that its answers must meet; plain data, no pixels.

Digests are built from digests: an image's from its scene and edits, a probe's from its image and question, a case's
from its probes and relation. So no edit is serialized twice to hash a plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.model.codec import encode
from anamorph.model.digests import canonical_json, digest_of_text
from anamorph.model.protocols import Edit, Relation

# The tag, and its value, of a case whose question came with its scene.
QUESTIONS_TAG, FROM_SCENES = "questions", "scenes"


@dataclass(frozen=True, slots=True)
class Probe:
    """One input of the system: an image (a scene with edits), and perhaps a question."""

    scene: str
    edits: tuple[Edit, ...] = ()
    question: str | None = None

    @property
    def image_digest(self) -> str:
        return image_digest(self.scene, canonical_json(encode(self.edits)))

    @property
    def digest(self) -> str:
        return probe_digest(self.image_digest, self.question)


def probe_name(position: int, count: int) -> str:
    """The name of the probe at a position of a case with `count` probes: source, follow-up, or follow-up 2."""
    if position == 0:
        return "source"
    return "follow-up" if count == 2 else f"follow-up {position}"


def the_probe(position: int, count: int) -> str:
    """The same within a sentence: the source, the follow-up, or follow-up 2."""
    name = probe_name(position, count)
    return name if name[-1].isdigit() else f"the {name}"


@dataclass(frozen=True, slots=True)
class Case:
    """A source probe, its follow-ups, and the relation that must hold between the answers.

    `tags` are columns for the method's tables and the report's filters, such as the transformation or the
    classes involved; they never influence a verdict.
    """

    method: str
    source: Probe
    follow_ups: tuple[Probe, ...]
    relation: Relation
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def probes(self) -> tuple[Probe, ...]:
        return (self.source, *self.follow_ups)

    @property
    def digest(self) -> str:
        relation, tags = canonical_json(encode(self.relation)), canonical_json(dict(self.tags))
        return case_digest(self.method, [probe.digest for probe in self.probes], relation, tags)


def image_digest(scene: str, edits_json: str) -> str:
    """The digest of an image; an image is a scene and a tuple of edits."""
    return digest_of_text(canonical_json([scene, edits_json]))


def probe_digest(image_digest: str, question: str | None) -> str:
    """The digest of a probe from its image's."""
    return digest_of_text(canonical_json([image_digest, question]))


def proving_digest(image_digest: str, question: str | None, witness: bool) -> str:
    """The digest of a proving probe; it differs between the system and the witness."""
    return (
        digest_of_text(canonical_json([image_digest, question, "witness"]))
        if witness
        else probe_digest(image_digest, question)
    )


def case_digest(method: str, probe_digests: Sequence[str], relation_json: str, tags_json: str) -> str:
    """The digest of a case from those of its probes."""
    return digest_of_text(canonical_json([method, list(probe_digests), relation_json, tags_json]))
