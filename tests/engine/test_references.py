"""Reference captions are read by the run's reader before a method plans with them."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import ClassVar

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.references import References
from anamorph.methods.atom.method import Atom
from anamorph.methods.deeptest import DeepTest
from anamorph.methods.rome.method import Rome
from anamorph.model import Answer, CaptionReading, Mention, Reading, ReadingKind, Scene, Unreadable, Wanted
from tests.english import with_references

DOG = Scene("1", "1.png", 8, 8, captions=("A dog.", "", "Two dogs."))
BARE = Scene("2", "2.png", 8, 8)


@dataclass(frozen=True)
class Asking:
    """Names the text itself, together with another thread."""

    kind: ClassVar[str] = "asking"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("caption",)
    asks: ClassVar[bool] = True
    together: ClassVar[threading.Barrier] = threading.Barrier(2)

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        self.together.wait(10)
        text = answer.text or ""
        return CaptionReading(text, (Mention(text, 0, len(text), text, text),)) if text else Unreadable("", "empty")


def test_only_methods_that_want_references_have_captions_read() -> None:
    readers = resolve({}).readers()
    assert References.wanted_by([DeepTest(), Atom()], readers) is None
    assert References.wanted_by([DeepTest(), Rome()], readers) is not None
    assert References.wanted_by([Atom(labels_from="captions")], readers) is not None


def test_a_scene_has_what_its_captions_say_those_that_can_be_read() -> None:
    references = References(resolve({}).readers())
    read = references.on(DOG)
    assert [each.text for each in read.references] == ["A dog.", "Two dogs."]
    assert [read] == with_references([DOG]) and references.on(BARE) is BARE
    assert list(references.over([(3, DOG), (5, BARE)])) == [(3, read), (5, BARE)]


def test_a_reader_that_asks_reads_several_scenes_at_once_and_in_their_order() -> None:
    catalog._loaded.setdefault("readers", {})["asking"] = Asking
    references = References(resolve({"readers": {"caption": "asking"}}).readers())
    scenes = [(number, Scene(str(number), "x.png", 8, 8, captions=(f"c{number}",))) for number in range(6)]
    found = list(references.over(scenes))
    assert [(number, scene.references[0].labels) for number, scene in found] == [(n, (f"c{n}",)) for n in range(6)]
