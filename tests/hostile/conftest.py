"""A command of the line, run in this process: its exit code, and what it printed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from anamorph.cli.main import main
from tests.systems.fixtures import (
    asks as asks,
    clean_environment as clean_environment,
    photo as photo,
    server as server,
)


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Finished]


@pytest.fixture
def anamorph(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    def run(*words: object) -> Finished:
        capfd.readouterr()
        code = 0
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["anamorph", *map(str, words)])
            patch.chdir(".")
            try:
                main()
            except SystemExit as left:
                code = int(left.code or 0)
        out, err = capfd.readouterr()
        return Finished(code, out, err)

    return run
