from __future__ import annotations

import importlib.util
from typing import ClassVar

import pytest

from anamorph.errors import MissingExtra, UsageError
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

    def test_a_content_policy_declines(self, server: Server, asks: Asks) -> None:
        message = "Your request was rejected as a result of our safety system."
        error = {"error": {"message": message, "type": "invalid_request_error", "code": "content_policy_violation"}}
        server.behaviour = lambda request: request.reply(error, 400)
        (failure,) = self.system(server).ask(asks(1), PATIENT)
        assert getattr(failure, "declined", False)
