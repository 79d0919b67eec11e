"""A run's spending, and its wording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anamorph.config import AskSettings
from anamorph.store.run import RunStore

# The fact that sums up what readers asked, over all parts of a run.
READING_ACCOUNT = "reading_account"
# The fact that says that answers are missing because the budget was used up.
OUT_OF_BUDGET = "out_of_budget"


@dataclass(frozen=True, slots=True)
class Spending:
    """What a run has sent, the tokens that this took, and what it cost.

    Without a price, `spent` is what the library behind the system says that the calls cost, if it does (`by_library`).
    `exhausted` if the budget stopped it. Prices of tokens are per million; `uncounted` answers did not say how many
    they took, and are counted like the dearest. At most `perhaps_twice` images were paid for twice, because a worker or
    the run itself died before their answers were kept. `readings` has the account of each reader that asks, by name.
    """

    images_sent: int
    price: float | None
    spent: float | None
    budget: float | None
    exhausted: bool = False
    price_in: float | None = None
    price_out: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    by_library: bool = False
    perhaps_twice: int = 0
    readings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def read_spending(store: RunStore, ask: AskSettings) -> Spending:
    """The accounts of a run."""
    account = store.fact("spending", {})
    said = None if ask.priced else account.get("said")
    return Spending(
        images_sent=int(account.get("images_sent", 0)),
        price=ask.price,
        spent=float(account.get("spent", 0.0)) if ask.priced else said,
        budget=ask.budget,
        exhausted=bool(store.fact(OUT_OF_BUDGET, False)),
        price_in=ask.price_in,
        price_out=ask.price_out,
        tokens_in=int(account.get("tokens_in", 0)),
        tokens_out=int(account.get("tokens_out", 0)),
        uncounted=int(account.get("uncounted", 0)),
        by_library=said is not None,
        perhaps_twice=int(account.get("perhaps_twice", 0)),
        readings=store.fact(READING_ACCOUNT, {}),
    )


def money(amount: float) -> str:
    """An amount with two digits after the point, or as many as a small one needs."""
    return f"{amount:,.2f}" if round(amount, 2) == round(amount, 9) else f"{amount:,.6f}".rstrip("0")


def spending_lines(spending: Spending) -> list[str]:
    """The spending in sentences; none without prices and tokens."""
    tokens = f"{spending.tokens_in:,} tokens in and {spending.tokens_out:,} out"
    counted = bool(spending.tokens_in or spending.tokens_out)
    images = "1 image" if spending.images_sent == 1 else f"{spending.images_sent:,} images"
    twice = []
    if spending.perhaps_twice:
        some = "1 image" if spending.perhaps_twice == 1 else f"{spending.perhaps_twice:,} images"
        twice = [f"At most {some} may have been asked about, and paid for, twice, because a worker or the run died."]
    twice += [_reading_line(name, account) for name, account in spending.readings.items()]
    if spending.spent is None:
        return [*([f"Tokens: {tokens}, on {images} sent."] if counted else []), *twice]
    of = "" if spending.budget is None else f" of a budget of {spending.budget:g}"
    whose = " dollars, by the prices of the system's library," if spending.by_library else ""
    lines = [f"Spent: {money(spending.spent)}{of}{whose} on {images} sent{f', {tokens}' if counted else ''}."]
    if spending.uncounted:
        answers = "1 answer" if spending.uncounted == 1 else f"{spending.uncounted:,} answers"
        lines.append(f"{answers} did not say how many tokens they took, and are counted like the dearest.")
    return [*lines, *twice]


def _reading_line(name: str, account: Mapping[str, float]) -> str:
    """The account of a reader that asks."""
    said, calls, cached, unread = (int(account.get(key, 0)) for key in ("answered", "calls", "cached", "unread"))
    spent = f"; spent {money(account['spent'])}" if "spent" in account else ""
    texts = "1 text" if said == 1 else f"{said:,} texts"
    return f"Read by {name}: {texts} with {calls:,} calls, {cached:,} known from before, {unread:,} unread{spent}."
