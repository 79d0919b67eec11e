"""A service that repeats our secrets: every system of the catalogue that calls one, and every form of a secret."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from anamorph.errors import AskError
from anamorph.model import Answer, Ask, System, encode
from tests.systems.faults import Service, services
from tests.systems.servers import PATIENT, SECRET, Server

pytestmark = pytest.mark.usefixtures("clean_environment")

LOGIN = base64.b64encode(f"me:{SECRET}".encode()).decode()
FORMS = {
    "plain": SECRET,
    "percent": "".join(f"%{ord(character):02X}" for character in SECRET),
    "path": f"https://host/v1/{quote(SECRET)}/captions?key={quote(SECRET, safe='')}",
    "base64": LOGIN,
    "escaped": "".join(f"\\u{ord(character):04x}" for character in SECRET),
}


@pytest.fixture(params=services(), ids=lambda service: service.name)
def service(request: pytest.FixtureRequest) -> Service:
    chosen: Service = request.param
    return chosen


@pytest.fixture
def system(service: Service, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[System]:
    made = service.system(server, monkeypatch)
    yield made
    made.close()


def echoing(plain: Any, words: set[str], form: str) -> Any:
    """A good reply in which whatever is a part of the answer is followed by the secret."""
    if isinstance(plain, dict):
        return {echoing(key, words, form): echoing(value, words, form) for key, value in plain.items()}
    if isinstance(plain, list):
        return [echoing(item, words, form) for item in plain]
    said = isinstance(plain, str) and plain and any(plain in word for word in words)
    return f"{plain} {form}" if said else plain


def leaks(text: str) -> bool:
    return SECRET in text or LOGIN in text or any(form in text for form in FORMS.values()) or SECRET[:8] in text


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_in_an_answer_is_not_stored_and_the_answer_is_marked(
    service: Service, server: Server, system: System, asks: Callable[..., list[Ask]], form: str
) -> None:
    words = {service.answer.text} if service.answer.text is not None else set(service.answer.labels or ())
    body = echoing(service.good, {word for word in words if word is not None}, FORMS[form])
    assert body != service.good
    server.behaviour = lambda request: request.reply(body)
    (answer,) = system.ask(asks(1), PATIENT)
    assert isinstance(answer, Answer), answer
    stored = json.dumps(encode(answer), ensure_ascii=False)
    assert not leaks(stored) and "[redacted]" in stored


@pytest.mark.parametrize("form", FORMS)
def test_no_half_secret_is_quoted_wherever_an_error_is_cut(
    server: Server, system: System, asks: Callable[..., list[Ask]], form: str
) -> None:
    for status in (200, 400, 503):
        for padding in (150, 170, 185, 190, 195, 199, 280, 285, 290, 295, 299):
            text = "x" * padding + FORMS[form] + "y" * 2000
            body = {"error": {"message": text}, "message": text, "__type": "E"} if padding % 2 else text
            server.behaviour = lambda request, body=body, status=status: request.reply(body, status)  # type: ignore[misc]
            try:
                said = str(system.ask(asks(1), PATIENT))
            except AskError as problem:
                said = str(problem)
            assert not leaks(said) and FORMS[form][:9] not in said.replace("https://", ""), said
