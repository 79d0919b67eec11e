"""The system under test and its witness: made where the settings want them, refused where a method cannot use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anamorph.config import Config
from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, Failure, Manner, System
from anamorph.model.protocols import MethodOptions, SystemOptions


class BorrowedSystem:
    """A system that its owner closes."""

    def __init__(self, system: System) -> None:
        self.system = system

    def __getattr__(self, name: str) -> Any:
        # What it may declare besides is looked for by name.
        return getattr(self.system, name)

    @property
    def kind(self) -> str:
        return self.system.kind

    @property
    def manner(self) -> Manner:
        return self.system.manner

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return self.system.fingerprint

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return self.system.ask(batch, timeout_seconds)

    def close(self) -> None:
        """Left to the owner."""


def make_witness(config: Config) -> System | None:
    """The system that says what images show in place of the tested one, if there is one; the caller closes it."""
    if "confirm_with" not in config.plain or config.settings.prove.enabled is False:
        return None
    if not config.settings.on_ray:
        return config.witness()
    from anamorph.engine.ray.system import RaySystem

    return RaySystem.of(config, "confirm_with")


def make_system(config: Config) -> System:
    """The system under test, where the settings want it; the caller closes it."""
    given = config.given.get("system")
    made = given.system if isinstance(given, BorrowedSystem) else given
    if not config.settings.on_ray:
        return config.system()
    from anamorph.engine.ray.system import RaySystem

    if isinstance(made, RaySystem):
        return config.system()
    return RaySystem.of(config, given=made)


def require_suitable(config: Config, system: System) -> None:
    """Refuse a system whose answers are not what a method tests, where both say which these are, or have no price."""
    gives = SystemOptions.answers_with.of(system)
    for method in config.methods:
        wants = MethodOptions.suits.of(method)
        if gives and wants and not set(gives) & set(wants):
            raise UsageError(
                f"The method {method.kind!r} tests systems that answer with {_in_words(wants)}, "
                f"and {system.kind!r} with these settings answers with {_in_words(gives)}."
            )
    ask = config.settings.ask
    by_tokens = ask.price_in is not None or ask.price_out is not None
    if by_tokens and system.manner.costs and not SystemOptions.counts_tokens.of(system):
        raise UsageError(
            f"ask.price_in and ask.price_out are prices of tokens, and the system {system.kind!r} does not say how "
            "many it takes. Use ask.price, what one image costs each time it is sent."
        )


def _in_words(forms: Sequence[str]) -> str:
    return " or ".join({"caption": "captions", "answer": "answers to questions"}.get(form, form) for form in forms)
