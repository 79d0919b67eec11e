"""The reader that asks a language model what a text means, in any language."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from weakref import WeakKeyDictionary

from anamorph.model import (
    Answer,
    LabelSet,
    LabelSpace,
    Reading,
    ReadingKind,
    System,
    Unreadable,
    Wanted,
    digest_of,
    digest_of_text,
    setting,
)
from anamorph.model.ask import ReaderAccount
from anamorph.model.protocols import SystemOptions
from anamorph.readers.llm.asking import Asking, NotAsked
from anamorph.readers.llm.prompts import again, classes_in_words, labels_in, prompt_for
from anamorph.readers.llm.replies import Misfit, reading_of
from anamorph.store.readings import FILE, ReadingCache
from anamorph.store.shelf import default_file

# A caption of a page or two; whatever is longer would be paid for, and is no caption.
MOST_CHARACTERS = 20_000
_TRIES = 2


@dataclass(frozen=True, slots=True)
class LlmReader:
    """Asks a system that takes a text what captions, answers and tags mean, in any language."""

    kind: ClassVar[str] = "llm"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("caption", "answer", "labels")
    asks: ClassVar[bool] = True
    system: System = setting(
        help="The system that reads, such as openai:gpt-4o-mini; one that takes a text without an image."
    )
    retries: int = setting(4, "Retries after a transient failure.", least=0, most=100)
    timeout_seconds: float = setting(120.0, "Give up after this long without a reply.", least=0.01, most=1e6)
    parallel: int | None = setting(
        None, "Concurrent calls; by default as many as the system prefers.", least=1, most=1024
    )
    price: float | None = setting(None, "What one call costs, in any currency.", least=0, most=1e12)
    price_in: float | None = setting(
        None, "What a million tokens of prompts cost, where replies say how many they took.", least=0, most=1e12
    )
    price_out: float | None = setting(
        None, "What a million tokens of replies cost, where replies say how many they took.", least=0, most=1e12
    )
    budget: float | None = setting(
        None, "Stop asking before reading has cost more than this, in the currency of the prices.", least=0, most=1e12
    )
    remember: bool = setting(True, "Keep what was read across runs, so that a text is asked about once.")
    cache: str | None = setting(
        None, "The file that keeps it; by default anamorph/readings.sqlite in the user's cache folder."
    )
    threshold: float = setting(
        0.5, "Labels that a system gives with at least this score count as given; they are not asked about.", least=0
    )
    _work: _Work = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not SystemOptions.takes_text.of(self.system):
            raise ValueError(
                f"system must take a text without an image, as openai does, and {self.system.kind!r} does not"
            )
        if self.budget is not None and not (self.price or self.price_in or self.price_out):
            raise ValueError(
                "budget needs price, what one call costs, or price_in and price_out, what a million tokens cost"
            )
        by_tokens = self.price_in is not None or self.price_out is not None
        if by_tokens and self.system.manner.costs and not SystemOptions.counts_tokens.of(self.system):
            raise ValueError(
                f"price_in and price_out are prices of tokens, and the system {self.system.kind!r} does not say how "
                "many it takes; use price, what one call costs"
            )
        parallel = self.parallel or self.system.manner.parallel
        asking = Asking(self.system, self.retries, self.timeout_seconds, parallel, self)
        kept = self.remember and self.system.manner.remembers
        file = (Path(self.cache) if self.cache else default_file(FILE)) if kept else None
        object.__setattr__(self, "_work", _Work(asking, ReadingCache(file)))

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        if answer.labels is not None:
            if wanted.kind != "labels":
                return Unreadable("", "the answer is a set of labels, not a text")
            return LabelSet(frozenset(name for name, score in answer.labels.items() if score >= self.threshold))
        text = answer.text or ""
        if wanted.kind not in self.makes:
            return Unreadable(text, f"the reader llm makes no reading of the kind {wanted.kind!r}")
        if answer.empty:
            return Unreadable(text, "the answer is empty")
        if len(text) > MOST_CHARACTERS:
            return Unreadable(text, f"the answer has more than {MOST_CHARACTERS:,} characters")
        return self._work.reading(text, wanted)

    @property
    def account(self) -> ReaderAccount:
        """What it has done so far."""
        return self._work.account(priced=any(each is not None for each in (self.price, self.price_in, self.price_out)))

    def close(self) -> None:
        """Ask no more, and close the system; what is kept can still be read."""
        self._work.close()


class _Work:
    """What was read, is being read and could not be read; every text is asked about once, whoever wants it."""

    def __init__(self, asking: Asking, cache: ReadingCache) -> None:
        self._asking, self._cache = asking, cache
        self._lock = threading.Lock()
        self._under_way: dict[bytes, Future[Reading]] = {}
        # Asking again would fail again, and cost again; another run tries anew.
        self._given_up: dict[bytes, Unreadable] = {}
        self._classes: WeakKeyDictionary[LabelSpace, dict[str | None, str]] = WeakKeyDictionary()
        self._identity: str | None = None
        self._counted: set[bytes] = set()
        self._counts: Counter[str] = Counter()

    def reading(self, text: str, wanted: Wanted) -> Reading:
        """What a text means, kept or asked for."""
        prompt = prompt_for(wanted.kind, text, wanted.question, self._classes_for(wanted))
        # The prompt says all that matters: the kind, the text, the question, the classes and the instructions.
        key = bytes.fromhex(digest_of_text(f"{self._system()} {prompt}"))

        def read_of(reply: str) -> Reading:
            found = reading_of(reply, wanted.kind, text, wanted.space)
            return Unreadable(text, "the answer does not say what was asked for") if found is None else found

        with self._lock:
            under_way = self._under_way.get(key)
            mine = under_way is None
            if under_way is None:
                under_way = self._under_way[key] = Future()
        if not mine:
            return under_way.result()
        try:
            found = self._kept(key, read_of) or self._asked(key, prompt, text, read_of)
            under_way.set_result(found)
        except BaseException as problem:
            under_way.set_exception(problem)
            raise
        finally:
            with self._lock:
                del self._under_way[key]
        return found

    def account(self, *, priced: bool) -> ReaderAccount:
        budget = self._asking.budget
        with self._lock:
            return ReaderAccount(
                calls=budget.sent,
                answered=self._counts["answered"],
                cached=self._counts["cached"],
                unread=self._counts["unread"],
                tokens_in=budget.tokens_in,
                tokens_out=budget.tokens_out,
                spent=round(budget.spent, 9) if priced else None,
            )

    def close(self) -> None:
        self._asking.close()
        self._cache.close()

    def _classes_for(self, wanted: Wanted) -> str:
        """The classes as the prompt has them: all, or those that a question is about."""
        question = (wanted.question or "") if wanted.kind == "answer" else None
        with self._lock:
            known = self._classes.setdefault(wanted.space, {})
            if question not in known:
                labels = wanted.space.labels if question is None else labels_in(question, wanted.space)
                known[question] = classes_in_words(labels)
            return known[question]

    def _system(self) -> str:
        """A digest of what tells the system from others; taken late, because it may have to load first."""
        if self._identity is None:
            system = self._asking.system
            self._identity = digest_of({"kind": system.kind, **system.fingerprint})
        return self._identity

    def _kept(self, key: bytes, read_of: Callable[[str], Reading]) -> Reading | None:
        with self._lock:
            given_up = self._given_up.get(key)
        if given_up is not None:
            return given_up
        reply = self._cache.get(key)
        if reply is None:
            return None
        try:
            found = read_of(reply)
        except Misfit:
            # Of another version, or not ours; asking replaces it.
            return None
        self._count(key, "cached")
        return found

    def _count(self, key: bytes, how: str) -> None:
        """Count a text, the first time that it is wanted."""
        with self._lock:
            if key not in self._counted:
                self._counted.add(key)
                self._counts[how] += 1

    def _asked(self, key: bytes, prompt: str, text: str, read_of: Callable[[str], Reading]) -> Reading:
        problem, asked = "", prompt
        try:
            for attempt in range(_TRIES):
                reply = self._asking.reply(key.hex(), asked, attempt)
                try:
                    found = read_of(reply)
                except Misfit as misfit:
                    problem, asked = str(misfit), again(prompt, str(misfit))
                    continue
                self._cache.put(key, reply)
                self._count(key, "answered")
                return found
            reason = f"the reply of the reader's system does not fit: {problem}"
        except NotAsked as failure:
            reason = str(failure)
        unread = Unreadable(text, reason)
        self._count(key, "unread")
        with self._lock:
            self._given_up[key] = unread
        return unread
