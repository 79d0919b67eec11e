"""How busy the system was kept: the share of the asking time for which it had as many images as it takes at once."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.model import decode, encode
from anamorph.store.run import RunStore

FACT = "utilisation"


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Seconds of asking, and for how many of them the system was full; half full for a second is half a second."""

    seconds: float = 0.0
    full_seconds: float = 0.0

    @property
    def share(self) -> float | None:
        """The share of the time; None if nothing was asked."""
        return min(1.0, self.full_seconds / self.seconds) if self.seconds > 0 else None


def note_utilisation(store: RunStore, seconds: float, full_seconds: float) -> None:
    """Add a stretch of asking to those that the run has; the caller holds the transaction."""
    before = read_utilisation(store)
    total = Utilisation(round(before.seconds + seconds, 3), round(before.full_seconds + full_seconds, 3))
    store.set_fact(FACT, encode(total))


def read_utilisation(store: RunStore) -> Utilisation:
    """How busy the system was in a run so far."""
    plain = store.fact(FACT)
    return Utilisation() if plain is None else decode(Utilisation, plain, path=FACT)
