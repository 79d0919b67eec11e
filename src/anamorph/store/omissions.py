"""Omissions of a plan: every reason counted exactly, a few of each by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from anamorph.model import Skip, decode, encode
from anamorph.store.run import RunStore

FACT = "left_out"
ORDER_FACT = "left_out_order"
EXAMPLES = 20
# A method may put details of an item into a reason; the run must not grow with these.
REASONS = 200
OTHER = "other reasons"
# The position of a skip in the plan.
SkipOrder: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Omission:
    """How many objects, scenes or pairs a method left out for one reason; `examples` names the first few."""

    method: str
    noun: str
    reason: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(slots=True)
class OmissionCounts:
    """Counts skips in bounded memory."""

    _counts: dict[tuple[str, str, str], int] = field(default_factory=dict)
    _examples: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    _orders: dict[tuple[str, str, str], list[SkipOrder]] = field(default_factory=dict)

    def add(self, method: str, skip: Skip, order: SkipOrder = (0, 0)) -> None:
        """Count one skip; `order` is its position among those of all shards."""
        key = (method, skip.noun or "input", skip.reason)
        if key not in self._counts and len(self._counts) >= REASONS:
            key = (method, "item", OTHER)
        self._counts[key] = self._counts.get(key, 0) + 1
        examples = self._examples.setdefault(key, [])
        if len(examples) < EXAMPLES:
            examples.append(skip.what)
            self._orders.setdefault(key, []).append(order)

    def found(self) -> list[Omission]:
        """The omissions by method, in the order of the plan, the most common reason first."""
        return commonest_first(
            [Omission(*key, count, tuple(self._examples[key])) for key, count in self._counts.items()]
        )

    def orders(self) -> list[list[SkipOrder]]:
        """The positions of each omission's examples, as `found` lists them."""
        return [self._orders[each.method, each.noun, each.reason] for each in self.found()]


def commonest_first(found: Sequence[Omission]) -> list[Omission]:
    """Omissions by method, in order, the most common reason of each first."""
    methods = list(dict.fromkeys(omission.method for omission in found))
    return sorted(found, key=lambda each: (methods.index(each.method), each.noun, -each.count, each.reason))


def write_omissions(store: RunStore, found: Iterable[Omission]) -> None:
    """Keep omissions with the run; the caller holds the transaction."""
    store.set_fact(FACT, [encode(omission) for omission in found])


def note_omission_order(store: RunStore, orders: Sequence[Sequence[SkipOrder]]) -> None:
    """Keep the positions of each omission's examples, for a merge; the caller holds the transaction."""
    store.set_fact(ORDER_FACT, orders)


def omissions(store: RunStore) -> list[Omission]:
    """The omissions of the methods; none for a run from before they were stored."""
    return [decode(Omission, plain) for plain in store.fact(FACT, [])]


def omission_sentences(found: Iterable[Omission]) -> list[str]:
    """One sentence for each method and noun: the total, and the count by reason."""
    groups: dict[tuple[str, str], list[Omission]] = {}
    for omission in found:
        groups.setdefault((omission.method, omission.noun), []).append(omission)
    sentences = []
    for (method, noun), each in groups.items():
        total = sum(omission.count for omission in each)
        reasons = "; ".join(f"{omission.count:,} {omission.reason}" for omission in each)
        sentences.append(f"{method} left out {total:,} {noun if total == 1 else noun + 's'}: {reasons}.")
    return sentences
