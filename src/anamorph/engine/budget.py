"""What calls cost, and the budget that stops a run before it is exceeded."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from anamorph.config import AskSettings
from anamorph.store.run import RunStore

# Sums of prices such as 0.001 are not exact.
_ROUNDING = 1e-9


@dataclass(slots=True, eq=False)
class Budget:
    """Counts what is sent, from all threads; every image of every try costs its price, answered or not.

    At most `limit` may be spent, and at most `most_sent` images may be sent. `sent` and `spent` go on from where an
    earlier part of the run left them.
    """

    price: float | None
    limit: float | None
    stop: threading.Event
    sent: int = 0
    spent: float = 0.0
    refused: bool = False
    most_sent: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def pay(self, images: int) -> bool:
        """Pay for a call before it is made; False, and the run stops, where it would exceed the limit."""
        with self._lock:
            cost = images * (self.price or 0.0)
            too_many = self.most_sent is not None and self.sent + images > self.most_sent
            if too_many or (self.limit is not None and self.spent + cost > self.limit + _ROUNDING):
                self.refused = True
                self.stop.set()
                return False
            self.sent += images
            self.spent += cost
            return True

    def account(self) -> dict[str, float]:
        """What a run stores of it."""
        with self._lock:
            return {"images_sent": self.sent, "spent": round(self.spent, 9)}


@dataclass(frozen=True, slots=True)
class Spending:
    """What a run has sent, and what that cost; without a price there is no cost.

    `exhausted` if the budget stopped it.
    """

    images_sent: int
    price: float | None
    spent: float | None
    budget: float | None
    exhausted: bool = False


def read_spending(store: RunStore, ask: AskSettings) -> Spending:
    """The accounts of a run."""
    account = store.fact("spending", {})
    spent = None if ask.price is None else float(account.get("spent", 0.0))
    exhausted = bool(store.fact("out_of_budget", False))
    return Spending(int(account.get("images_sent", 0)), ask.price, spent, ask.budget, exhausted)


def money(amount: float) -> str:
    """An amount with two digits after the point, or as many as a small one needs."""
    return f"{amount:,.2f}" if round(amount, 2) == round(amount, 9) else f"{amount:,.6f}".rstrip("0")
