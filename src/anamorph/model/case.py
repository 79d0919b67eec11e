"""What to show a system, and the claim that its answers must meet: plain data, no pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.model.digests import digest_of
from anamorph.model.protocols import Edit, Relation
from anamorph.model.wire import encode


@dataclass(frozen=True, slots=True)
class ImageKey:
    """An image is a scene and a tuple of edits."""

    scene: str
    edits: tuple[Edit, ...] = ()

    @property
    def digest(self) -> str:
        return digest_of(self)


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing to show the system: an image and perhaps a question."""

    scene: str
    edits: tuple[Edit, ...] = ()
    question: str | None = None

    @property
    def image(self) -> ImageKey:
        return ImageKey(self.scene, self.edits)

    @property
    def digest(self) -> str:
        return digest_of(self)


@dataclass(frozen=True, slots=True)
class Case:
    """A source probe, its follow-ups, and the relation that must hold between the answers.

    `tags` are the columns that the method's tables and the report's filters use, such as the transformation or the
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
        return case_digest(self, [probe.digest for probe in self.probes])


def case_digest(case: Case, probe_digests: Sequence[str]) -> str:
    """The digest of a case from the digests of its probes, which many cases share."""
    return digest_of([case.method, list(probe_digests), encode(case.relation), dict(case.tags)])
