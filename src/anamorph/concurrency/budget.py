"""The cost of calls, and the budget that stops them before it is exceeded."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from anamorph.model import Answer, Failure, Usage

# Sums of prices such as 0.001 are not exact.
_ROUNDING = 1e-9
_MILLION = 1_000_000
# How often a call waiting for the first one's cost checks whether the run was stopped.
_LOOK_SECONDS = 0.1


class Prices(Protocol):
    """Prices of a call and of a million tokens, and the budget."""

    @property
    def price(self) -> float | None: ...

    @property
    def price_in(self) -> float | None: ...

    @property
    def price_out(self) -> float | None: ...

    @property
    def budget(self) -> float | None: ...


@dataclass(slots=True, eq=False)
class Budget:
    """Counts sent images, from all threads; every image of every try costs its price, answered or not.

    At most `limit` may be spent, and at most `most_sent` images may be sent. What tokens cost is known only after a
    call: until then, each image under way is taken to cost as much as the dearest so far, and the first call goes
    alone. `sent`, `spent` and the tokens go on from where an earlier part of the run left them. `uncounted` answers did
    not say how many tokens they took. `said` is what the libraries behind a system say that calls cost, which is spent
    where no price was given. `perhaps_twice` images were sent, or about to be, when what sent them died, and
    are sent again.
    """

    price: float | None
    limit: float | None
    stop: threading.Event
    sent: int = 0
    spent: float = 0.0
    refused: bool = False
    most_sent: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    said: float | None = None
    perhaps_twice: int = 0
    dearest: float | None = None
    _under_way: int = 0
    _settled: threading.Condition = field(default_factory=threading.Condition)

    @classmethod
    def of(cls, ask: Prices, stop: threading.Event, account: Mapping[str, Any], *, costs: bool) -> Budget:
        """The budget of a run that continues from an account; unlimited if nothing costs."""
        budget = cls(None, None, stop)
        if costs:
            budget = cls(ask.price, ask.budget, stop, price_in=ask.price_in, price_out=ask.price_out)
        budget.sent, budget.spent = account.get("images_sent", 0), account.get("spent", 0.0)
        budget.tokens_in, budget.tokens_out = account.get("tokens_in", 0), account.get("tokens_out", 0)
        budget.uncounted, budget.dearest = account.get("uncounted", 0), account.get("dearest")
        budget.said, budget.perhaps_twice = account.get("said"), account.get("perhaps_twice", 0)
        return budget

    @property
    def by_tokens(self) -> bool:
        return self.price_in is not None or self.price_out is not None

    def pay(self, images: int) -> bool:
        """Pay for a call before it is made; False, and the run stops, if it would exceed the limit."""
        with self._settled:
            while self.by_tokens and self.limit is not None and self.dearest is None and self._under_way:
                if self.stop.is_set():
                    return False
                self._settled.wait(_LOOK_SECONDS)
            cost = images * (self.price or 0.0)
            expected = (self._under_way + images) * (self.dearest or 0.0) if self.by_tokens else 0.0
            too_many = self.most_sent is not None and self.sent + images > self.most_sent
            if too_many or (self.limit is not None and self.spent + cost + expected > self.limit + _ROUNDING):
                self.refused = True
                self.stop.set()
                return False
            self.sent += images
            self.spent += cost
            self._under_way += images
            return True

    def settle(self, results: Sequence[Answer | Failure]) -> bool:
        """Count the tokens of a paid call; False if a limit cannot be kept because tokens are not reported.

        An answer without tokens costs as much as the most expensive so far; a failure without tokens is free.
        """
        with self._settled:
            self._under_way -= len(results)
            for result in results:
                if result.usage is not None:
                    self._count(result.usage)
                    if result.usage.cost is not None:
                        self.said = (self.said or 0.0) + result.usage.cost
                elif isinstance(result, Answer) and self.by_tokens:
                    self.uncounted += 1
                    self.spent += self.dearest or 0.0
            self._settled.notify_all()
            return self.limit is None or self.dearest is not None or not self.uncounted

    def lose(self, images: int) -> None:
        """Note that these images may have been sent; sending them again is paid for again."""
        with self._settled:
            self.perhaps_twice += images

    def count(self, usage: Usage) -> None:
        """Count tokens without cost."""
        with self._settled:
            self._count(usage)

    def _count(self, usage: Usage) -> None:
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        if self.by_tokens:
            cost = token_cost(usage.tokens_in, usage.tokens_out, self.price_in, self.price_out)
            self.spent += cost
            self.dearest = max(cost, self.dearest or 0.0)

    def account(self) -> dict[str, float]:
        """The account that a run stores."""
        with self._settled:
            kept: dict[str, float] = {"images_sent": self.sent, "spent": round(self.spent, 9)}
            if self.tokens_in or self.tokens_out:
                kept |= {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out}
            if self.said is not None:
                kept["said"] = round(self.said, 9)
            if self.uncounted:
                kept["uncounted"] = self.uncounted
            if self.perhaps_twice:
                kept["perhaps_twice"] = self.perhaps_twice
            if self.dearest is not None:
                kept["dearest"] = self.dearest
            return kept


def token_cost(tokens_in: int, tokens_out: int, price_in: float | None, price_out: float | None) -> float:
    """The cost of tokens at prices per million."""
    return (tokens_in * (price_in or 0.0) + tokens_out * (price_out or 0.0)) / _MILLION
