"""Rules that end asking before everything was asked: a time, or an interval that is narrow enough."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from anamorph.config import AskSettings
from anamorph.statistics.intervals import Interval
from anamorph.store.run import RunStore

FACT = "stopped_by"


@dataclass(slots=True)
class StopRules:
    """The rules of a run; `rule` is the one that was reached, in words."""

    seconds: float | None = None
    width: float | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    rule: str | None = None

    @classmethod
    def of(cls, ask: AskSettings) -> StopRules:
        """The rules of a run's settings, with a clock that starts now."""
        words = {name: text for name, text in (("time", ask.time), ("until", ask.until)) if text is not None}
        return cls(ask.time_seconds, ask.interval_width, words)

    def reached(self, interval: Interval | None = None) -> bool:
        """Whether asking ends now."""
        if self.rule is None and self.seconds is not None and time.monotonic() - self.began >= self.seconds:
            self.rule = f"time {self.words.get('time', '')}".strip()
        narrow = interval is not None and self.width is not None and interval[1] - interval[0] < self.width
        if self.rule is None and narrow:
            self.rule = f"until {self.words.get('until', '')}".strip()
        return self.rule is not None


def stopped_by(store: RunStore) -> str | None:
    """The rule that ended asking, in words; None if none did."""
    rule = store.fact(FACT)
    return rule if isinstance(rule, str) else None
