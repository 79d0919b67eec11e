"""Runs made by hand that have a configuration, as every real run has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph.store.run import RunStore
from tests.report.fixtures import HandmadeRun


@pytest.fixture
def new_run(tmp_path: Path) -> Iterator[Callable[..., HandmadeRun]]:
    opened: list[RunStore] = []

    def make(name: str = "run", **settings: Any) -> HandmadeRun:
        store = RunStore.create(tmp_path / name, {"config": {}})
        opened.append(store)
        return HandmadeRun(store, **settings)

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def run(new_run: Callable[..., HandmadeRun]) -> HandmadeRun:
    return new_run()
