from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from anamorph.errors import MissingExtra, UsageError
from anamorph.model import Answer
from tests.plugs.marks import needs
from tests.systems.fixtures import Asks
from tests.systems.library_faults import LibraryFaults, completion, made
from tests.systems.servers import PATIENT, Server


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"anamorph\[inspect\]"):
        made("inspect:mockllm/model")


class TestWithTheLibrary(LibraryFaults):
    pytestmark = [*needs("inspect_ai"), pytest.mark.filterwarnings("ignore")]
    text: ClassVar[str] = "inspect:openai-api/local/toy,base_url={url}"
    # The client of OpenAI tries again by itself.
    settings: ClassVar[Mapping[str, Any]] = {"model_args": '{"max_retries": 0}'}

    def test_inspects_own_mock_model_answers(self, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
        from inspect_ai.model._providers.mockllm import MockLLM

        async def none(*_: object) -> int:
            return 0

        # It counts tokens with a table that it fetches.
        monkeypatch.setattr(MockLLM, "count_tokens", none)
        system = made("inspect:mockllm/model")
        assert list(system.ask(asks(2, "What?"), PATIENT)) == [Answer("Default output from mockllm/model")] * 2
        system.close()

    def test_prices_that_inspect_knows_are_the_cost_of_a_call(self, server: Server, asks: Asks) -> None:
        from inspect_ai.model import ModelCost, ModelInfo, set_model_info
        from inspect_ai.model._model_info import clear_model_info_cache

        server.behaviour = lambda request: request.reply(completion("a dog"))
        cost = ModelCost(input=10, output=30, input_cache_write=0, input_cache_read=0)
        set_model_info("openai-api/local/toy", ModelInfo(cost=cost))
        try:
            (answer,) = self.system(server).ask(asks(1), PATIENT)
        finally:
            clear_model_info_cache()
        assert answer.usage is not None and answer.usage.cost == pytest.approx((812 * 10 + 9 * 30) / 1e6)

    def test_mistakes_are_told_before_anything_is_asked(self) -> None:
        with pytest.raises(UsageError, match="inspect needs PROVIDER/MODEL"):
            made("inspect:llava")
        with pytest.raises(UsageError, match="cannot make the model 'nobody/llava'"):
            made("inspect:nobody/llava")
