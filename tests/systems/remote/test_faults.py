"""Every system behind a network, through every fault that a service and a network have; tests/systems/faults.py."""

from __future__ import annotations

import dataclasses
import json
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import pytest

from anamorph.catalog import CATALOG, find
from anamorph.config import part_from_text
from anamorph.errors import AskError, Refused, Transient
from anamorph.model import Answer, Ask, Failure, System, canonical_json
from anamorph.model.protocols import SystemOptions
from tests.systems.faults import OF_LIBRARIES, Service, remote_systems, services, services_of
from tests.systems.servers import HASTY, PATIENT, SECRET, Handler, Server

Asks = Callable[..., list[Ask]]


# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(params=services(), ids=lambda service: service.name)
def service(request: pytest.FixtureRequest) -> Service:
    chosen: Service = request.param
    return chosen


@pytest.fixture
def system(service: Service, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[System]:
    server.behaviour = lambda request: request.reply(service.good)
    made = service.system(server, monkeypatch)
    yield made
    made.close()


def failure_of(system: System, asks: Asks, seconds: float = PATIENT) -> Failure:
    """How a call failed, whether the adapter raised it or gave it."""
    try:
        (result,) = system.ask(asks(1), seconds)
    except Transient as problem:
        return Failure(str(problem), True, problem.retry_after_seconds)
    except AskError as problem:
        return Failure(str(problem))
    assert isinstance(result, Failure)
    return result


def test_a_text_alone_is_sent_without_an_image_or_is_refused(service: Service, server: Server, system: System) -> None:
    text = "Which things does the caption 'a {question}' name?"
    if SystemOptions.takes_text.of(system):
        assert system.ask([Ask.of_text("0" * 32, text)], PATIENT) == [service.answer]
        assert json.dumps(text).encode() in server.last.body, "the text goes word for word, in no template"
        assert b"image" not in server.last.body and b"base64" not in server.last.body
    else:
        with pytest.raises(Refused, match=r"needs an image|takes no questions"):
            system.ask([Ask.of_text("0" * 32, text)], PATIENT)
        assert not server.requests


@pytest.mark.parametrize("name", remote_systems())
def test_every_system_behind_a_network_is_in_the_suite(name: str) -> None:
    assert services_of(name), f"the test file of the system {name!r} has no FAULTS; see tests/systems/faults.py"
    for service in services_of(name):
        assert SECRET in service.variables.values(), f"{service.name} is not tested to keep its secret"
        assert part_from_text("system", service.text("http://127.0.0.1:9"))["kind"] == name


def test_what_takes_an_address_is_a_system_behind_a_network() -> None:
    for name in CATALOG["systems"]:
        fields = {each.name for each in dataclasses.fields(find("systems", name))}
        assert name in (*remote_systems(), *OF_LIBRARIES) or not fields & {
            "url",
            "base_url",
            "endpoint",
            "endpoint_url",
            "address",
        }


def test_a_good_reply_is_an_answer(service: Service, system: System, asks: Asks) -> None:
    assert system.ask(asks(1), PATIENT) == [service.answer]


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "17"}, 17.0),
        ({"retry_after": formatdate(1_000_000_090, usegmt=True), "date": formatdate(1_000_000_000, usegmt=True)}, 90.0),
    ],
)
def test_a_service_in_trouble_is_asked_again_when_it_says(
    server: Server, system: System, asks: Asks, status: int, headers: dict[str, str], seconds: float | None
) -> None:
    server.behaviour = lambda request: request.reply({"error": {"message": "busy"}}, status, **headers)
    failure = failure_of(system, asks)
    assert failure.retryable and failure.retry_after_seconds == seconds and str(status) in failure.message
    assert len(server.requests) == 1, "the engine tries again, not the adapter"


def test_a_reset_connection_is_worth_another_try(server: Server, system: System, asks: Asks) -> None:
    server.behaviour = Handler.reset
    assert failure_of(system, asks).retryable
    assert len(server.requests) == 1


def test_nobody_there_is_worth_another_try(service: Service, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))

        class Nobody:
            url = f"http://127.0.0.1:{unused.getsockname()[1]}"

        system = service.system(Nobody, monkeypatch)  # type: ignore[arg-type]
        assert failure_of(system, asks).retryable
        system.close()


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"])
def test_a_reply_that_does_not_come_in_time_is_worth_another_try(
    server: Server, system: System, asks: Asks, start: bytes
) -> None:
    over = threading.Event()

    def stall(request: Handler) -> None:
        request.wfile.write(start)
        request.wfile.flush()
        request.close_connection = True
        over.wait(PATIENT)

    server.behaviour = stall
    failure = failure_of(system, asks, HASTY)
    over.set()
    assert failure.retryable and "within 0.5 s" in failure.message


def test_a_body_that_breaks_off_is_worth_another_try(
    service: Service, server: Server, system: System, asks: Asks
) -> None:
    def half(request: Handler) -> None:
        whole = json.dumps(service.good).encode()
        request.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(whole) + whole[: len(whole) // 2])
        request.close_connection = True

    server.behaviour = half
    assert failure_of(system, asks).retryable


@pytest.mark.parametrize("body", [b'{"choices": [{"mess', b"<html>busy</html>", b""])
def test_a_success_that_is_no_json_is_worth_another_try(
    server: Server, system: System, asks: Asks, body: bytes
) -> None:
    server.behaviour = lambda request: request.reply(body)
    failure = failure_of(system, asks)
    assert failure.retryable or (not body and "Labels" in failure.message)


def test_replies_of_the_wrong_shape_fail_and_say_what_came(
    service: Service, server: Server, system: System, asks: Asks
) -> None:
    for body in service.wrong:
        server.behaviour = lambda request, body=body: request.reply(body)  # type: ignore[misc]
        failure = failure_of(system, asks)
        assert "answered" in failure.message and len(failure.message) < 600, body


def test_an_error_inside_a_success_is_an_error(service: Service, server: Server, system: System, asks: Asks) -> None:
    for body, retryable in service.inside:
        server.behaviour = lambda request, body=body: request.reply(body)  # type: ignore[misc]
        failure = failure_of(system, asks)
        assert failure.retryable == retryable and "holds an error" in failure.message, body


def test_a_service_that_will_not_answer_is_told_from_one_that_cannot(
    service: Service, server: Server, system: System, asks: Asks
) -> None:
    for status, body in service.declining:
        server.behaviour = lambda request, body=body, status=status: request.reply(body, status)  # type: ignore[misc]
        failure = failure_of(system, asks)
        assert failure.declined and not failure.retryable, body


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_wrong_key_or_address_is_not_tried_again(server: Server, system: System, asks: Asks, status: int) -> None:
    server.behaviour = lambda request: request.reply({"error": {"message": "no"}, "message": "no"}, status)
    failure = failure_of(system, asks)
    assert not failure.retryable and not failure.declined and str(status) in failure.message


def test_a_batch_of_several_keeps_what_was_answered(
    service: Service, server: Server, system: System, asks: Asks
) -> None:
    statuses = iter([200, 429, 400, 200])
    server.behaviour = lambda request: request.reply(service.good, next(statuses))
    one, two, three, four = system.ask(asks(4), PATIENT)
    assert one == four == service.answer
    assert isinstance(two, Failure) and two.retryable
    assert isinstance(three, Failure) and not three.retryable


def test_secrets_are_sent_and_never_shown(
    service: Service, server: Server, system: System, asks: Asks, caplog: pytest.LogCaptureFixture
) -> None:
    def echo(request: Handler, status: int) -> None:
        told = f"{dict(request.headers)} {SECRET}"
        request.reply({"error": {"message": told}, "message": told, "__type": "E"}, status)

    shown = [repr(system), str(system), canonical_json(system.fingerprint)]
    for status in (200, 400, 401, 429, 500):
        server.behaviour = lambda request, status=status: echo(request, status)  # type: ignore[misc]
        try:
            shown.append(str(system.ask(asks(1), PATIENT)))
        except AskError as problem:
            shown += ["".join(traceback.format_exception(problem)), repr(problem.__context__)]
    everything = "\n".join([*shown, caplog.text])
    assert SECRET not in everything and "***" in everything


def test_no_question_is_put_to_a_service_that_takes_none(service: Service, system: System, asks: Asks) -> None:
    if "answer" in getattr(system, "answers_with", ("answer",)):
        assert system.ask(asks(1, "how many?"), PATIENT) == [service.answer]
        return
    with pytest.raises(AskError, match="takes no questions"):
        system.ask(asks(1, "how many?"), PATIENT)


def test_the_fingerprint_tells_settings_apart_and_keys_not(
    service: Service, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fingerprint(**settings: Any) -> str:
        return canonical_json(service.system(server, monkeypatch, **settings).fingerprint)

    plain = fingerprint()
    assert len({plain, *(fingerprint(**settings) for settings in service.different)}) == 1 + len(service.different)
    assert plain == fingerprint(parallel=1)
    for name in service.variables:
        if "KEY" in name:
            monkeypatch.setenv(name, "another-key")
    monkeypatch.setattr(Service, "log_in", lambda *_: None)
    assert plain == fingerprint()


def test_an_answer_is_an_answer(service: Service, system: System) -> None:
    """What an adapter says that it answers with is what it answers with."""
    wanted = {"labels"} if isinstance(service.answer, Answer) and service.answer.labels else {"caption", "answer"}
    assert set(getattr(system, "answers_with", ())) <= wanted
