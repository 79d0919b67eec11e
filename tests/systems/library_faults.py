"""What every system whose wire belongs to a library must do: the same tests for each, with a real server."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import part_from_text
from anamorph.errors import Refused, Transient
from anamorph.model import Answer, Ask, Failure, System, Usage, decode
from tests.systems.fixtures import Asks
from tests.systems.servers import HASTY, PATIENT, SECRET, Handler, Server


def completion(text: str, reason: str = "stop") -> dict[str, Any]:
    """A reply of Chat Completions."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    usage = {"prompt_tokens": 812, "completion_tokens": 9, "total_tokens": 821}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def made(text: str, **settings: Any) -> System:
    table = {**part_from_text("system", text), **settings}
    system: System = decode(catalog.find("systems", table["kind"]), table, catalog.find)
    return system


class LibraryFaults:
    """Inherited by the tests of a system; `text` is its short form, with {url} for the address of a server."""

    text: ClassVar[str]
    settings: ClassVar[Mapping[str, Any]] = {}

    @pytest.fixture(autouse=True)
    def _key(self, clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "LOCAL_API_KEY"):
            monkeypatch.setenv(name, SECRET)

    @pytest.fixture(autouse=True)
    def _closed(self) -> Iterator[None]:
        self.open: list[System] = []
        yield
        for system in self.open:
            system.close()

    def system(self, server: Server, **settings: Any) -> System:
        system = made(self.text.format(url=server.url), **{**self.settings, **settings})
        self.open.append(system)
        return system

    def test_an_answer_comes_with_its_tokens_and_the_image_was_sent(self, server: Server, asks: Asks) -> None:
        server.behaviour = lambda request: request.reply(completion("a dog"))
        system = self.system(server)
        (answer,) = system.ask(asks(1, "What is it?"), PATIENT)
        assert answer == Answer("a dog") and isinstance(answer, Answer) and answer.usage == Usage(812, 9)
        assert b"data:image/png;base64," in server.last.body and b"What is it?" in server.last.body
        system.close()

    def test_a_text_alone_is_sent_word_for_word(self, server: Server) -> None:
        server.behaviour = lambda request: request.reply(completion("one"))
        system = self.system(server)
        assert list(system.ask([Ask.of_text("0" * 32, "Say one.")], PATIENT)) == [Answer("one")]
        assert b"image" not in server.last.body and b"Say one." in server.last.body
        system.close()

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_what_may_pass_is_left_to_the_engine_and_tried_once(self, status: int, server: Server, asks: Asks) -> None:
        server.behaviour = lambda request: request.reply({"error": {"message": "busy"}}, status)
        system = self.system(server)
        with pytest.raises(Transient, match="busy"):
            system.ask(asks(1), PATIENT)
        assert len(server.requests) == 1
        system.close()

    @pytest.mark.parametrize("status", [400, 401, 404])
    def test_what_will_not_pass_is_refused_and_no_secret_is_told(self, status: int, server: Server, asks: Asks) -> None:
        server.behaviour = lambda request: request.reply({"error": {"message": f"no, {SECRET}"}}, status)
        system = self.system(server)
        with pytest.raises(Refused) as caught:
            system.ask(asks(1), PATIENT)
        assert SECRET not in str(caught.value)
        system.close()

    def test_a_secret_in_an_answer_is_hidden(self, server: Server, asks: Asks) -> None:
        server.behaviour = lambda request: request.reply(completion(f"your key is {SECRET}"))
        system = self.system(server)
        assert list(system.ask(asks(1), PATIENT)) == [Answer("your key is [redacted]")]
        system.close()

    def test_an_answer_that_was_cut_off_or_filtered_is_a_failure(self, server: Server, asks: Asks) -> None:
        system = self.system(server)
        server.behaviour = lambda request: request.reply(completion("a do", "length"))
        (cut,) = system.ask(asks(1), PATIENT)
        assert isinstance(cut, Failure) and "cut off" in cut.message and not cut.declined
        server.behaviour = lambda request: request.reply(completion("", "content_filter"))
        (filtered,) = system.ask(asks(1), PATIENT)
        assert isinstance(filtered, Failure) and filtered.declined
        system.close()

    def test_a_server_that_says_nothing_is_given_up_in_time(self, server: Server, asks: Asks) -> None:
        over = threading.Event()

        def wait(request: Handler) -> None:
            over.wait(PATIENT)

        server.behaviour = wait
        system = self.system(server)
        with pytest.raises(Transient):
            system.ask(asks(1), HASTY)
        over.set()
        system.close()

    def test_one_bad_reply_of_several_stays_its_own(self, server: Server, asks: Asks) -> None:
        replies = iter([completion("one"), {"nothing": True}, completion("three")])
        server.behaviour = lambda request: request.reply(next(replies))
        system = self.system(server)
        first, second, third = system.ask(asks(3), PATIENT)
        assert (first, third) == (Answer("one"), Answer("three"))
        assert isinstance(second, Failure) or (isinstance(second, Answer) and second.empty)
        system.close()

    def test_the_fingerprint_tells_settings_apart_and_holds_no_secret(self, server: Server) -> None:
        system = self.system(server)
        prints = [str(system.fingerprint)]
        for change in ({"temperature": 0.5}, {"max_tokens": 7}, {"system_prompt": "Be brief."}, {"longest_side": 64}):
            other = self.system(server, **change)
            prints.append(str(other.fingerprint))
            other.close()
        assert len({*prints}) == len(prints) and SECRET not in "".join(prints)
        assert str(replace(system).fingerprint) == prints[0]  # type: ignore[type-var]
        system.close()
