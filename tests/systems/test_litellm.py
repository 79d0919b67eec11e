from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, ClassVar

import pytest

import anamorph
from anamorph.engine.budget import spending_lines
from anamorph.errors import MissingExtra, UsageError
from tests.plugs.chat_model import chat_server
from tests.plugs.marks import needs
from tests.systems.fixtures import Asks
from tests.systems.library_faults import LibraryFaults, completion, made
from tests.systems.servers import PATIENT, Server


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"anamorph\[litellm\]"):
        made("litellm:ollama/llava")


class TestWithTheLibrary(LibraryFaults):
    pytestmark = [*needs("litellm"), pytest.mark.filterwarnings("ignore")]
    text: ClassVar[str] = "litellm:openai/toy,base_url={url}"

    def test_further_arguments_are_sent_and_ours_cannot_be_replaced(self, server: Server, asks: Asks) -> None:
        server.behaviour = lambda request: request.reply(completion("a dog"))
        system = self.system(server, arguments='{"top_p": 0.5}')
        system.ask(asks(1), PATIENT)
        assert b'"top_p":0.5' in server.last.body.replace(b" ", b"")
        with pytest.raises(UsageError, match="must not have 'stream'"):
            self.system(server, arguments='{"stream": true}')

    def test_what_the_library_says_that_a_call_cost_is_spent(self, tmp_path: Path) -> None:
        prices = '{"input_cost_per_token": 0.00001, "output_cost_per_token": 0.00003}'
        with chat_server() as server:
            system = self.system(server, arguments=prices)
            unproved: dict[str, Any] = {"prove": {"enabled": False}}
            priced = {**unproved, "ask": {"price": 0.5}}
            places = {"run": unproved, "other": priced}
            run, other = (
                anamorph.run(system, "toybox:2", "crosscheck", out=tmp_path / name, settings=settings, progress=False)
                for name, settings in places.items()
            )
        assert run.spending.by_library and run.spending.images_sent > 10
        # 100 tokens in and 5 out for each, as the server says.
        assert run.spending.spent == pytest.approx(run.spending.images_sent * 0.00115)
        assert "dollars, by the prices of the system's library" in spending_lines(run.spending)[0]
        # A price of the user's own goes before it.
        assert other.spending.spent == other.spending.images_sent * 0.5 and not other.spending.by_library

    def test_a_model_of_unknown_price_costs_nothing_that_is_known(self, server: Server, asks: Asks) -> None:
        server.behaviour = lambda request: request.reply(completion("a dog"))
        # By a name of its own: LiteLLM keeps the prices that another test gave for the process.
        (answer,) = self.system(server, model="openai/unpriced").ask(asks(1), PATIENT)
        assert answer.usage is not None and answer.usage.cost is None

    def test_a_content_policy_declines(self, server: Server, asks: Asks) -> None:
        message = "Your request was rejected as a result of our safety system."
        error = {"error": {"message": message, "type": "invalid_request_error", "code": "content_policy_violation"}}
        server.behaviour = lambda request: request.reply(error, 400)
        (failure,) = self.system(server).ask(asks(1), PATIENT)
        assert getattr(failure, "declined", False)
