"""Faults injected into any system, so that its wrong answers are known."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from anamorph.errors import AnamorphError, AskError
from anamorph.model import Answer, Ask, Failure, Manner, System, setting
from anamorph.model.protocols import SystemOptions
from anamorph.toybox.faults import answers as fault_answers, captions as fault_captions

Fault: TypeAlias = Literal[
    "omission",
    "misclassification",
    "wrong-number",
    "hallucination",
    "always-zero",
    "always-yes",
    "dark-drop",
    "co-occurrence",
    "failures",
    "delays",
]
Form: TypeAlias = Literal["caption", "answer", "labels"]

FAULTS: tuple[Fault, ...] = get_args(Fault)
# The kinds of answers that each fault can change.
TOUCHES: dict[Fault, tuple[Form, ...]] = {
    "omission": ("caption", "answer", "labels"),
    "misclassification": ("caption", "labels"),
    "wrong-number": ("caption", "answer"),
    "hallucination": ("caption", "answer", "labels"),
    "always-zero": ("answer",),
    "always-yes": ("answer",),
    "dark-drop": ("caption", "answer", "labels"),
    "co-occurrence": ("caption", "labels"),
    "failures": ("caption", "answer", "labels"),
    "delays": ("caption", "answer", "labels"),
}
# Systematic faults, which by default always apply.
RULES: tuple[Fault, ...] = ("always-zero", "always-yes", "dark-drop", "co-occurrence")
_USUAL_RATE = 0.2


@dataclass(frozen=True, slots=True)
class FaultySystem:
    """Any system, with a fault injected into some of its answers, chosen by the seed."""

    kind: ClassVar[str] = "faulty"
    fault: Fault = setting(help="The fault to inject.")
    inner: System = setting(help="The system to inject faults into, such as toybox:captioner.")
    rate: float | None = setting(
        None,
        "The share of faulty answers; by default 0.2, and 1 for always-zero, always-yes, dark-drop and co-occurrence.",
        least=0,
        most=1,
    )
    seed: int = setting(1, "Seed of the choice of answers.")
    pair: tuple[str, str] = setting(
        ("person", "backpack"), "For co-occurrence: whenever the first class is named, the second is also named."
    )
    dark_below: float = setting(
        0.5, "For dark-drop: an image is dark if its mean brightness, from 0 to 1, is below this.", least=0, most=1
    )
    steady: bool = setting(False, "Repeat the same mistake whenever the same is asked, as a deterministic system does.")
    delay_seconds: float = setting(0.1, "For delays: the delay of a call.", least=0)

    @property
    def answers_with(self) -> tuple[str, ...]:
        return SystemOptions.answers_with.of(self.inner)

    @property
    def takes_instructions(self) -> bool:
        return SystemOptions.takes_instructions.of(self.inner)

    @property
    def manner(self) -> Manner:
        own = self.inner.manner
        return replace(own, looks=own.looks or self.fault == "dark-drop")

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "fault": self.fault,
            "rate": self.share,
            "seed": self.seed,
            "pair": list(self.pair),
            "dark_below": self.dark_below,
            "delay_seconds": self.delay_seconds,
            **({"steady": True} if self.steady else {}),
            "inner": {"kind": self.inner.kind, **self.inner.fingerprint},
        }

    @property
    def share(self) -> float:
        """The rate, or its default."""
        if self.rate is not None:
            return self.rate
        return 1.0 if self.fault in RULES else _USUAL_RATE

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        chosen = [self._chance(item) for item in batch]
        if self.fault == "delays" and any(chosen):
            timeout_seconds = self._hold_up(timeout_seconds)
        if self.fault != "failures":
            replies = self.inner.ask(batch, timeout_seconds)
            # The engine reports a system that returns too few answers.
            if len(replies) != len(batch):
                return replies
            triples = zip(batch, replies, chosen, strict=True)
            return [reply if chance is None else self._spoilt(item, reply, chance) for item, reply, chance in triples]
        spared = [item for item, chance in zip(batch, chosen, strict=True) if chance is None]
        given = iter(self.inner.ask(spared, timeout_seconds) if spared else ())
        failed = Failure("This call failed because the fault injector makes some calls fail")
        return [next(given) if chance is None else failed for chance in chosen]

    def close(self) -> None:
        self.inner.close()

    def _chance(self, item: Ask) -> Random | None:
        """The random numbers for a faulty answer; None for an unchanged one.

        A string seed is hashed the same way in every process, so the choice depends on nothing else.
        """
        rng = Random(f"{self.seed}/{self.fault}/{item.id}/{0 if self.steady else item.attempt}")
        return rng if rng.random() < self.share else None

    def _hold_up(self, timeout_seconds: float) -> float:
        time.sleep(min(self.delay_seconds, timeout_seconds))
        if self.delay_seconds >= timeout_seconds:
            raise AskError(f"No answer within {timeout_seconds:g} s, because the fault injector delays the call")
        return timeout_seconds - self.delay_seconds

    def _spoilt(self, item: Ask, reply: Answer | Failure, rng: Random) -> Answer | Failure:
        if isinstance(reply, Failure) or reply.empty:
            return reply
        if self.fault == "dark-drop":
            try:
                dark = float(item.load().mean()) / 255 < self.dark_below
            except AnamorphError as problem:
                return Failure(str(problem))
            if not dark:
                return reply
        if reply.labels is not None:
            return Answer(labels=self._labels(reply.labels, rng))
        assert reply.text is not None
        if item.question is None:
            return Answer(text=self._caption(reply.text, rng))
        return Answer(text=self._answer(reply.text, item.question, rng))

    def _caption(self, text: str, rng: Random) -> str:
        match self.fault:
            case "omission" | "dark-drop":
                return fault_captions.without_one(text, rng)
            case "misclassification":
                return fault_captions.with_another(text, rng)
            case "wrong-number":
                return fault_captions.with_wrong_number(text, rng)
            case "hallucination":
                return fault_captions.with_hallucination(text, rng)
            case "co-occurrence":
                return fault_captions.with_companion(text, *self.pair)
            case _:
                return text

    def _answer(self, text: str, question: str, rng: Random) -> str:
        match self.fault:
            case "omission" | "dark-drop":
                return fault_answers.overlooking_one(text, question)
            case "wrong-number":
                return fault_answers.miscounting(text, question, rng)
            case "hallucination":
                return fault_answers.imagining_one(text, question)
            case "always-zero":
                return fault_answers.zero(text, question)
            case "always-yes":
                return fault_answers.yes(text, question)
            case _:
                return text

    def _labels(self, labels: Mapping[str, float], rng: Random) -> Mapping[str, float]:
        match self.fault:
            case "omission" | "dark-drop":
                return fault_answers.labels_without_one(labels, rng)
            case "misclassification":
                return fault_answers.labels_with_another(labels, rng)
            case "hallucination":
                return fault_answers.labels_with_hallucination(labels, rng)
            case "co-occurrence":
                return fault_answers.labels_with_companion(labels, *self.pair)
            case _:
                return labels
