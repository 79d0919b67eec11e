"""What the tests of the HTTP system share; its fixture is in conftest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anamorph.errors import AskError
from anamorph.model import Ask
from anamorph.systems.http.system import HttpSystem
from tests.systems.servers import PATIENT

Asks = Callable[..., list[Ask]]
Systems = Callable[..., HttpSystem]


def failure_of(system: HttpSystem, batch: list[Ask], seconds: float = PATIENT) -> AskError:
    with pytest.raises(AskError) as caught:
        system.ask(batch, seconds)
    return caught.value
