"""Whether answers could name what a run tests: classes in its label space, labels of its tagger, its language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from anamorph.config import Config
from anamorph.model import Answer, LabelSet, Reading, ReadingKind
from anamorph.model.protocols import MethodOptions
from anamorph.reading.labels import SHIPPED, unnameable
from anamorph.reading.tokens import tokenize
from anamorph.reading.unreadable import not_english
from anamorph.relations.stable_labels import StableLabels
from anamorph.store.plans import labels_in_claims, scene_classes
from anamorph.store.run import RunStore

ENGLISH = "english"
_MOST_SHOWN = 8
# Fewer answers in another language may be titles, names or quotes.
_MANY = 0.1


def unnameable_in(store: RunStore, config: Config) -> tuple[str, ...]:
    """The classes of a run's photos that no answer can name."""
    return unnameable_classes(config, scene_classes(store)) if _names_classes(config) else ()


def _names_classes(config: Config) -> bool:
    return any(MethodOptions.names_classes.of(method) for method in config.methods)


def unnameable_classes(config: Config, classes: Iterable[str]) -> tuple[str, ...]:
    """Those of the photos' classes that no answer can name, where a method makes claims about classes by name."""
    if not _names_classes(config):
        return ()
    readers, found = config.readers(), tuple(dict.fromkeys(classes))
    if not config.trusted and config.settings.labels not in SHIPPED:
        return ()
    if readers.name_of("caption") == ENGLISH:
        return unnameable(readers.space, found)
    # Another reader may know words that no table has.
    return tuple(name for name in found if name not in readers.space)


def naming_advice(names: Sequence[str], labels: str) -> str:
    """The unnameable classes, and the command that helps."""
    subject = "this class" if len(names) == 1 else "these classes"
    return (
        f"No answer can name {subject} of the photos in the label space {labels}: {shown_names(names)}. Give them "
        "words: `anamorph list labels propose --scenes KIND:... -o mine.toml`, look at the file, and add "
        "`--set labels=mine.toml`."
    )


def shown_names(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def reading_line(config: Config) -> str:
    """Who reads captions and answers, and in which language and classes."""
    readers = config.readers()
    kinds: tuple[ReadingKind, ...] = ("caption", "answer", "labels")
    by_name: dict[str, list[str]] = {}
    for kind in kinds:
        by_name.setdefault(readers.name_of(kind), []).append(kind)
    chosen = "; ".join(f"{name} reads {', '.join(read)}" for name, read in by_name.items())
    english = " (English only, by rules; llm reads other languages)" if ENGLISH in by_name else ""
    return f"{chosen}{english}; label space {config.settings.labels}"


@dataclass(slots=True)
class Spoken:
    """The system's vocabulary and language, counted over first answers about photos."""

    texts: int = 0
    foreign: int = 0
    labels: set[str] = field(default_factory=set)

    def add(self, answer: Answer, reading: Reading, *, by_rules: bool) -> None:
        """Count an answer, and the labels that it gives; its language matters where the rules read its kind."""
        if isinstance(reading, LabelSet):
            self.labels.update(reading.labels)
        if by_rules and answer.text is not None and not answer.empty:
            self.texts += 1
            self.foreign += not_english(answer.text, tokenize(answer.text))

    @property
    def is_foreign(self) -> bool:
        """Whether so many answers look like another language that it matters."""
        return self.foreign > _MANY * self.texts

    def tested(self, store: RunStore) -> tuple[list[str], list[str]]:
        """The labels that cases of a tagger are about, and those of them that no answer gives."""
        tested = labels_in_claims(store, StableLabels.kind) if self.labels else []
        return tested, [name for name in tested if name not in self.labels]
