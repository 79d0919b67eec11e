"""The suite of faults: how each system behind a network says, in its test file, what its service's replies look like.

tests/systems/test_NAME.py of such a system has FAULTS, one Service for each protocol that the system speaks.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from anamorph import catalog
from anamorph.config import part_from_text
from anamorph.model import Answer, System, decode
from anamorph.systems.remote.system import RemoteSystem
from tests.systems.servers import Server


@dataclass(frozen=True)
class Service:
    """A system and the service behind it.

    `text` makes the system's text for the command line from the address of a server, and `variables` are the
    environment that it needs; among their values is SECRET. What is in `unset` must not be in the environment. A
    server that replies with `good` makes the system give `answer`. `wrong` are successful replies of the wrong shape,
    `inside` those that hold an error which is worth another try or is not, and `declining` those of a service that
    works and will not answer, with their status.
    `different` are settings that make another system of it.
    """

    name: str
    text: Callable[[str], str]
    variables: Mapping[str, str]
    good: Any
    answer: Answer
    wrong: tuple[Any, ...]
    inside: tuple[tuple[Any, bool], ...] = ()
    declining: tuple[tuple[int, Any], ...] = ()
    unset: tuple[str, ...] = ()
    different: tuple[Mapping[str, Any], ...] = ({"longest_side": 512}, {"most_bytes": 5000})

    def system(self, server: Server, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> System:
        self.log_in(monkeypatch)
        table = {**part_from_text("system", self.text(server.url)), **settings}
        system: System = decode(catalog.find("systems", table["kind"]), table, catalog.find)
        return system

    def log_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in self.unset:
            monkeypatch.delenv(name, raising=False)
        for name, value in self.variables.items():
            monkeypatch.setenv(name, value)


# Their wire is a library's, of an extra; tests/systems/library_faults.py has what they translate of its faults.
OF_LIBRARIES = ("inspect", "litellm")


def remote_systems() -> list[str]:
    """The systems of the catalogue that call a service over a network themselves."""
    names = [name for name in catalog.CATALOG["systems"] if name not in OF_LIBRARIES]
    return [name for name in names if issubclass(catalog.find("systems", name), RemoteSystem)]


def services_of(name: str) -> tuple[Service, ...]:
    """The FAULTS in the test file of a system; none if it has forgotten them."""
    package, file = catalog.CATALOG["systems"][name].partition(":")[0].split(".")[1:3]
    found: tuple[Service, ...] = getattr(importlib.import_module(f"tests.{package}.test_{file}"), "FAULTS", ())
    return found


def services() -> list[Service]:
    """Every service of every system that calls one."""
    return [service for name in remote_systems() for service in services_of(name)]
