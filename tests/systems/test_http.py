from __future__ import annotations

import base64
import email.parser
import email.policy
import json
import logging
import shutil
import socket
import ssl
import subprocess
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import AnamorphError, AskError, Refused, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, System, canonical_json, decode
from anamorph.model.schemas import schema_of
from anamorph.systems import http_exchange
from anamorph.systems.http import HttpSystem
from tests.systems.servers import HASTY, PATIENT, SECRET, Handler, Server

Asks = Callable[..., list[Ask]]


@pytest.fixture(autouse=True)
def _environment(clean_environment: None) -> None:
    """No proxies, and one known secret."""


@pytest.fixture
def system(server: Server) -> Iterator[Callable[..., HttpSystem]]:
    made: list[HttpSystem] = []

    def make(path: str = "/caption", **settings: Any) -> HttpSystem:
        made.append(HttpSystem(server.url + path, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


Systems = Callable[..., HttpSystem]


def failure_of(system: HttpSystem, batch: list[Ask], seconds: float = PATIENT) -> AskError:
    with pytest.raises(AskError) as caught:
        system.ask(batch, seconds)
    return caught.value


# --- what is sent ---------------------------------------------------------------------------------------------------


def test_an_image_and_a_question_go_and_a_text_comes(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    http: System = system(body='{"model": "small", "options": {"beams": 3}}')
    assert http.ask(asks(1, "how many?"), PATIENT) == [Answer("a dog")]
    sent = json.loads(server.last.body)
    assert base64.b64decode(sent.pop("image")) == photo.read_bytes()
    assert sent == {"question": "how many?", "model": "small", "options": {"beams": 3}}
    assert (server.last.command, server.last.path) == ("POST", "/caption")
    assert server.last.headers["content-type"] == server.last.headers["accept"] == "application/json"
    assert server.last.headers["user-agent"].startswith("anamorph/")


def test_no_question_leaves_the_field_out(server: Server, system: Systems, asks: Asks) -> None:
    system().ask(asks(1), PATIENT)
    assert json.loads(server.last.body).keys() == {"image"}
    system(question_field="").ask(asks(1, "how many?"), PATIENT)
    assert json.loads(server.last.body).keys() == {"image"}


def test_pointers_reach_into_a_deep_body(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    content = [{"type": "text", "text": "Describe it."}, {"type": "image_url", "image_url": {}}]
    http = system(
        image="data-url",
        image_field="/messages/0/content/1/image_url/url",
        question_field="/messages/0/content/0/text",
        body=json.dumps({"messages": [{"role": "user", "content": content}]}),
        answer="/choices/0/message/content",
    )
    server.behaviour = lambda request: request.reply({"choices": [{"message": {"content": "two"}}]})
    assert http.ask(asks(1, "how many?"), PATIENT) == [Answer("two")]
    said = json.loads(server.last.body)["messages"][0]["content"]
    assert said[0]["text"] == "how many?"
    assert said[1]["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(photo.read_bytes()).decode()
    http.ask(asks(1), PATIENT)
    assert json.loads(server.last.body)["messages"][0]["content"][0]["text"] == "Describe it."


def test_an_image_as_the_body_with_the_question_in_the_query(
    server: Server, system: Systems, asks: Asks, photo: Path
) -> None:
    http = system("/caption?v=2", image="raw", question_field="q", method="PUT")
    http.ask(asks(1, "how many & why?"), PATIENT)
    assert server.last.body == photo.read_bytes()
    assert server.last.headers["content-type"] == "image/png"
    assert (server.last.command, server.last.path) == ("PUT", "/caption?v=2&q=how+many+%26+why%3F")
    http.ask(asks(1), PATIENT)
    assert server.last.path == "/caption?v=2"


def test_a_content_type_of_the_users_own_wins(server: Server, system: Systems, asks: Asks) -> None:
    system(image="raw", headers={"Content-Type": "application/octet-stream"}).ask(asks(1), PATIENT)
    assert server.last.headers.get_all("content-type") == ["application/octet-stream"]


def test_an_image_in_a_form(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    http = system(image="multipart", image_field="file", question_field='the "q"', body='{"model": "é", "beams": 3}')
    http.ask(asks(1, "how many?\r\n--"), PATIENT)
    head = f"content-type: {server.last.headers['content-type']}\r\n\r\n".encode()
    form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + server.last.body)
    parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
    assert parts["file"].get_payload(decode=True) == photo.read_bytes()
    assert (parts["file"].get_content_type(), parts["file"].get_filename()) == ("image/png", "image.png")
    texts = {name: part.get_payload(decode=True) for name, part in parts.items() if name != "file"}
    assert texts == {"model": "é".encode(), "beams": b"3", "the %22q%22": b"how many?\r\n--"}


def test_an_image_as_a_path(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    system(image="path", image_field="/input/file").ask(asks(1), PATIENT)
    assert json.loads(server.last.body) == {"input": {"file": str(photo)}}


def test_a_jpeg_is_called_a_jpeg(server: Server, system: Systems, tmp_path: Path) -> None:
    path = tmp_path / "named.png"
    path.write_bytes(b"\xff\xd8\xff\xe0 and so on")
    system(image="data-url").ask([Ask("0" * 32, None, path, lambda: None)], PATIENT)  # type: ignore[arg-type, return-value]
    assert json.loads(server.last.body)["image"].startswith("data:image/jpeg;base64,")


def test_connections_are_kept_open_and_calls_run_side_by_side(server: Server, system: Systems, asks: Asks) -> None:
    http = system(parallel=4)
    assert (http.manner.batch, http.manner.parallel) == (1, 4)
    everyone_is_here = threading.Barrier(4)

    def wait_for_all(request: Handler) -> None:
        everyone_is_here.wait(PATIENT)
        request.reply({"text": "a dog"})

    server.behaviour = wait_for_all
    with ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            assert list(threads.map(lambda _: http.ask(asks(1), PATIENT), range(4))) == [[Answer("a dog")]] * 4
    assert len(server.requests) == 20 and server.connections == 4


def test_a_batch_of_several_keeps_what_was_answered(server: Server, system: Systems, asks: Asks) -> None:
    replies = iter([(200, {}), (429, {"retry_after": "7"}), (400, {}), (200, {})])

    def behave(request: Handler) -> None:
        status, headers = next(replies)
        request.reply({"text": "x"}, status, **headers)

    server.behaviour = behave
    one, two, three, four = system().ask(asks(4), PATIENT)
    assert one == four == Answer("x")
    assert isinstance(two, Failure) and two.retryable and two.retry_after_seconds == 7
    assert isinstance(three, Failure) and not three.retryable


# --- what comes back ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "answer", "text"),
    [
        ({"text": "a dog"}, "/text", "a dog"),
        ({"text": ""}, "/text", ""),
        ([{"generated_text": "x"}], "/0/generated_text", "x"),
        ({"n": 3}, "/n", "3"),
        ({"n": 2.5}, "/n", "2.5"),
        ({"yes": True}, "/yes", "true"),
        ({"captions": [{"t": "a", "p": 1}, {"t": "b", "p": 2}]}, "max_by(captions, &p).t", "b"),
        ("the whole", "@", "the whole"),
    ],
)
def test_a_text_is_found(server: Server, system: Systems, asks: Asks, body: Any, answer: str, text: str) -> None:
    server.behaviour = lambda request: request.reply(body)
    assert system(answer=answer).ask(asks(1), PATIENT) == [Answer(text)]


@pytest.mark.parametrize(
    ("body", "settings"),
    [
        ({"tags": {"dog": 0.5, "cat": 1}}, {"labels": "/tags"}),
        ({"tags": [{"name": "dog", "confidence": 0.5}, {"name": "cat", "confidence": 1}]}, {"labels": "/tags"}),
        ([{"label": "dog", "score": 0.5}, {"label": "cat", "score": 1}], {"labels": "@"}),
        (
            {"t": [{"c": "dog", "p": 0.5}, {"c": "cat", "p": 1}]},
            {"labels": "t", "label_field": "c", "score_field": "p"},
        ),
        ([{"label": "dog", "score": s} for s in (0.2, 0.5, 0.3)] + [{"label": "cat", "score": 1}], {"labels": "@"}),
    ],
)
def test_labels_are_found(server: Server, system: Systems, asks: Asks, body: Any, settings: Any) -> None:
    server.behaviour = lambda request: request.reply(body)
    assert system(**settings).ask(asks(1), PATIENT) == [Answer(labels={"dog": 0.5, "cat": 1.0})]


def test_labels_without_scores_count_as_certain(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply({"tags": ["dog", "cat", "dog"]})
    assert system(labels="/tags").ask(asks(1), PATIENT) == [Answer(labels={"dog": 1.0, "cat": 1.0})]


def test_no_labels_are_an_answer(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply({"tags": []})
    assert system(labels="/tags").ask(asks(1), PATIENT) == [Answer(labels={})]


@pytest.mark.parametrize(
    ("body", "settings", "said", "retryable"),
    [
        (b'{"text": "a d', {}, 'something that is not JSON (application/json). It said: {"text": "a d', True),
        (b"<html>\n  busy</html>", {}, "It said: <html> busy</html>", True),
        (b"", {}, "not JSON (application/json). It said: an empty body", True),
        (b'{"text": "caf\xe9"}', {}, "not JSON", True),
        (b"[" * 100_000, {}, "not JSON", True),
        (b'{"caption": "x"}', {}, 'nothing stands at \'/text\'. It said: {"caption": "x"}', False),
        (b'{"text": null}', {}, "nothing stands at '/text'", False),
        (b'{"text": ["x"]}', {}, "at '/text' expected a text, got ['x']", False),
        (b'{"text": "x"}', {"answer": "length(text.no)"}, "nothing stands at 'length(text.no)'", False),
        (b'{"tags": "dog"}', {"labels": "/tags"}, "expected labels, got 'dog'", False),
        (b'{"tags": [{"label": "dog"}]}', {"labels": "/tags"}, "expected 'score' or 'confidence' in each label", False),
        (b'{"tags": [["dog", 1]]}', {"labels": "/tags"}, "expected a label with a score, got ['dog', 1]", False),
        (b'{"tags": {"dog": "high"}}', {"labels": "/tags"}, "expected a number as the score of 'dog'", False),
        (
            b'[{"label": "dog", "score": "1"}, {"label": "dog", "score": 1}]',
            {"labels": "@"},
            "expected a number",
            False,
        ),
    ],
)
def test_a_reply_without_an_answer_fails_and_says_what_came(
    server: Server, system: Systems, asks: Asks, body: bytes, settings: Any, said: str, retryable: bool
) -> None:
    server.behaviour = lambda request: request.reply(body)
    (failure,) = system(**settings).ask(asks(1), PATIENT)
    assert isinstance(failure, Failure) and failure.retryable == retryable
    assert said in failure.message and len(failure.message) < 500


def test_a_reply_without_a_length_is_read_to_its_end(server: Server, system: Systems, asks: Asks) -> None:
    def behave(request: Handler) -> None:
        request.wfile.write(b'HTTP/1.0 200 OK\r\n\r\n{"text": "x"}')
        request.close_connection = True

    server.behaviour = behave
    assert system().ask(asks(1), PATIENT) == [Answer("x")]


# --- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_status_that_may_pass_is_worth_another_try(server: Server, system: Systems, asks: Asks, status: int) -> None:
    server.behaviour = lambda request: request.reply(b"please\n wait", status)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and problem.retry_after_seconds is None
    assert f"status {status}" in str(problem) and "It said: please wait" in str(problem)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "400 Bad Request"),
        (401, "look at the headers"),
        (403, "look at the headers"),
        (404, "look at the url"),
        (405, "look at the method"),
        (413, "413"),
        (422, "422"),
        (304, "304"),
    ],
)
def test_a_status_that_stays_is_refused(server: Server, system: Systems, asks: Asks, status: int, said: str) -> None:
    server.behaviour = lambda request: request.reply(b"" if status == 304 else b"no " * 1000, status)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Refused) and said in str(problem) and len(str(problem)) < 600


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "17"}, 17.0),
        ({"retry_after": " 0.5 "}, 0.5),
        ({"retry_after": "1", "retry_after_ms": "120"}, 0.12),
        ({"retry_after": "1", "retry_after_ms": "soon"}, 1.0),
        # The server's own clock counts, however wrong it is.
        ({"retry_after": formatdate(1_000_000_090, usegmt=True), "date": formatdate(1_000_000_000, usegmt=True)}, 90.0),
        ({"retry_after": formatdate(1_000_000_000, usegmt=True)}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": ""}, None),
    ],
)
def test_the_time_to_wait_is_read_in_both_forms(
    server: Server, system: Systems, asks: Asks, status: int, headers: dict[str, str], seconds: float | None
) -> None:
    server.behaviour = lambda request: request.reply(b"", status, **headers)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and problem.retry_after_seconds == seconds


def test_a_reset_connection_is_worth_another_try(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reset()
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and "broke off" in str(problem)


def test_a_body_that_breaks_off_is_worth_another_try(server: Server, system: Systems, asks: Asks) -> None:
    def behave(request: Handler) -> None:
        request.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"text": "x"}')
        request.close_connection = True

    server.behaviour = behave
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and "broke off" in str(problem)


@pytest.mark.parametrize(
    "bytes_sent", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nnot gzip"]
)
def test_a_reply_that_is_no_http_is_worth_another_try(
    server: Server, system: Systems, asks: Asks, bytes_sent: bytes
) -> None:
    def behave(request: Handler) -> None:
        request.wfile.write(bytes_sent)
        request.close_connection = True

    server.behaviour = behave
    assert isinstance(failure_of(system(), asks(1)), Transient)


def test_nobody_there_is_worth_another_try(asks: Asks) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
        problem = failure_of(HttpSystem(url), asks(1))
    assert isinstance(problem, Transient) and f"Cannot connect to {url}: Connection refused." == str(problem)


def test_a_host_that_is_unknown_is_named(asks: Asks) -> None:
    problem = failure_of(HttpSystem("http://no-such-host.invalid/x"), asks(1))
    assert isinstance(problem, Transient) and "http://no-such-host.invalid/x" in str(problem)


@pytest.mark.parametrize(
    "drip",
    [b"", b"HTTP/1.1 200 OK\r\nx-slow: ", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"],
)
def test_the_time_is_for_the_whole_exchange_however_slowly_it_drips(
    server: Server, system: Systems, asks: Asks, drip: bytes
) -> None:
    over = threading.Event()

    def behave(request: Handler) -> None:
        request.wfile.write(drip)
        request.wfile.flush()
        request.close_connection = True
        while drip and not over.wait(0.02):
            request.wfile.write(b"1")
            request.wfile.flush()
        over.wait(PATIENT)

    server.behaviour = behave
    problem = failure_of(system(), asks(1), HASTY)
    over.set()
    assert isinstance(problem, Transient)
    assert str(problem) == f"No answer from {server.url}/caption within 0.5 s."


def test_a_huge_reply_is_refused_without_reading_it_all(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_exchange, "REPLY_LIMIT_BYTES", 1 << 20)

    def behave(request: Handler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        request.close_connection = True
        while True:
            request.wfile.write(b"x" * 65536)

    server.behaviour = behave
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Refused) and "more than 1048576 bytes" in str(problem)


def test_an_image_that_is_gone_is_refused(system: Systems, asks: Asks, photo: Path) -> None:
    batch = asks(1)
    photo.unlink()
    assert "cannot be read: No such file" in str(failure_of(system(), batch))
    assert "needs an image file" in str(failure_of(system(), [Ask("0" * 32, None, None, batch[0].load)]))


# --- redirects ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_within_the_host_is_followed_with_the_body(
    server: Server, system: Systems, asks: Asks, status: int
) -> None:
    def behave(request: Handler) -> None:
        if request.path == "/caption":
            request.reply(b"", status, location="/caption/")
        else:
            request.reply({"text": f"{request.command} {len(request.body) > 100} {request.headers['x-model']}"})

    server.behaviour = behave
    assert system(headers={"X-Model": "m"}).ask(asks(1), PATIENT) == [Answer("POST True m")]


def test_see_other_is_fetched_without_the_body(server: Server, system: Systems, asks: Asks) -> None:
    def behave(request: Handler) -> None:
        if request.path == "/caption":
            request.reply(b"", 303, location="/result")
        else:
            request.reply({"text": f"{request.command} {len(request.body)}"})

    server.behaviour = behave
    assert system().ask(asks(1), PATIENT) == [Answer("GET 0")]


def test_a_redirect_to_another_host_is_refused_and_nothing_is_sent_there(
    server: Server, system: Systems, asks: Asks
) -> None:
    with Server() as other:
        server.behaviour = lambda request: request.reply(b"", 307, location=f"{other.url}/x?token={SECRET}")
        problem = failure_of(system(headers={"Authorization": "Bearer ${ANAMORPH_TEST_KEY}"}), asks(1))
        assert isinstance(problem, Refused) and f"redirected to {other.url}/x, another host" in str(problem)
        assert SECRET not in str(problem) and not other.requests


@pytest.mark.parametrize(
    ("location", "said"),
    [("/caption", "redirected more than 3 times"), ("", "does not say where to"), ("http://[", "not valid")],
)
def test_a_redirect_that_leads_nowhere_is_refused(
    server: Server, system: Systems, asks: Asks, location: str, said: str
) -> None:
    server.behaviour = lambda request: request.reply(b"", 302, location=location)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Refused) and said in str(problem) and len(server.requests) <= 4


# --- secrets --------------------------------------------------------------------------------------------------------


def test_secrets_are_sent_and_never_shown(
    server: Server, system: Systems, asks: Asks, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever goes wrong, and wherever the server repeats them."""
    caplog.set_level(logging.DEBUG)
    where = f"http://me:${{ANAMORPH_TEST_KEY}}@127.0.0.1:{server.server_address[1]}"
    http = HttpSystem(f"{where}/x?key=${{ANAMORPH_TEST_KEY}}&v=2", headers={"X-Api-Key": "k ${ANAMORPH_TEST_KEY}"})

    def echo(request: Handler, status: int) -> None:
        request.reply({"said": dict(request.headers), "path": request.path}, status)

    shown = [
        repr(http),
        str(http),
        canonical_json(http.fingerprint),
        repr(http._caller.address),
        str(schema_of(HttpSystem)),
    ]
    for status in (200, 400, 401, 429, 500):
        server.behaviour = lambda request, status=status: echo(request, status)  # type: ignore[misc]
        try:
            shown.append(str(http.ask(asks(1), PATIENT)))
        except AskError as problem:
            shown += ["".join(traceback.format_exception(problem)), repr(problem.__context__), repr(problem.__cause__)]
    for behaviour in (Handler.reset, lambda request: request.reply(b"", 302, location=f"/{SECRET}?{SECRET}")):
        server.behaviour = behaviour
        broken = failure_of(http, asks(1))
        shown += ["".join(traceback.format_exception(broken)), repr(broken.__context__), repr(broken.__cause__)]
    http.close()

    login = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert server.requests[0].headers["authorization"] == f"Basic {login}"
    assert server.requests[0].headers["x-api-key"] == f"k {SECRET}"
    assert server.requests[0].path == f"/x?key={SECRET}&v=2"
    everything = "\n".join([*shown, caplog.text])
    assert SECRET not in everything and login not in everything
    assert "urllib3" in caplog.text and "***" in caplog.text


def test_the_value_is_taken_when_the_call_is_made(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = system(headers={"Authorization": "Bearer ${ANAMORPH_TEST_KEY}"})
    monkeypatch.setenv("ANAMORPH_TEST_KEY", "another")
    http.ask(asks(1), PATIENT)
    assert server.last.headers["authorization"] == "Bearer another"
    monkeypatch.delenv("ANAMORPH_TEST_KEY")
    problem = failure_of(http, asks(1))
    assert isinstance(problem, Refused) and "ANAMORPH_TEST_KEY, which is not set" in str(problem)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"headers": {"Authorization": f"Bearer {SECRET}"}}, "The header 'Authorization' holds a secret in plain text"),
        ({"headers": {"X-Api-Key": SECRET}}, "The header 'X-Api-Key' holds a secret in plain text"),
        (
            {"headers": {"X-Key": "${NO_SUCH_VARIABLE}"}},
            "The header 'X-Key' needs the environment variable NO_SUCH_VARIABLE",
        ),
        ({"headers": {"X Y": "z"}}, "'X Y' is not the name of a header"),
        ({"headers": {"X": "a\r\nY: b"}}, "The header 'X' must be printable ASCII"),
        ({"headers": {"Content-Length": "3"}}, "'Content-Length' is set by Anamorph itself"),
        ({"headers": {"x": "1", "X": "2"}}, "'X' is set by Anamorph itself, or twice"),
        ({"url": f"https://me:{SECRET}@example.org/"}, "holds a login in plain text"),
        ({"url": f"https://example.org/?key={SECRET}"}, "Write it as key=${NAME}"),
        ({"url": "https://${ANAMORPH_TEST_KEY}/x"}, "only its password and its query from the environment"),
        (
            {"url": "https://example.org/x?a=${NO_SUCH_VARIABLE}"},
            "https://example.org/x needs the environment variable",
        ),
        ({"url": "ftp://example.org/"}, "must begin with http:// or https://"),
        ({"url": "example.org/x"}, "must begin with http:// or https://"),
        ({"url": "https:///x"}, "name a host"),
        ({"url": "https://example.org:99999/"}, "its port cannot be read"),
        ({"url": "https://[::1/"}, "cannot be read"),
        ({"url": "https://example.org/a b"}, "has a space"),
        ({"url": "https://example.org/#x"}, "no part after '#'"),
        ({"url": "https://exämple.org/"}, "a host in ASCII"),
        ({"body": "{model: 1}"}, "body is not JSON"),
        ({"body": "[1]"}, "body must be the text of a JSON object"),
        ({"body": '{"a": 1}', "image": "raw"}, "body must be empty when image = 'raw'"),
        (
            {"body": '{"a": []}', "image_field": "/a/3"},
            "image_field = '/a/3' names a place that the body does not have",
        ),
        ({"image_field": ""}, "image_field is empty"),
        ({"image_field": "/a", "image": "multipart"}, "must be a plain name"),
        ({"image_field": "/a/b", "question_field": "a"}, "or one lies in the other"),
        ({"answer": ""}, "answer is empty"),
        ({"answer": "a["}, "answer = 'a[' is neither a JSON pointer nor JMESPath"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        HttpSystem(**{"url": "https://example.org/x", **settings})
    assert said in str(caught.value) and SECRET not in str(caught.value)


def test_the_fingerprint_tells_systems_apart_but_not_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprint(**settings: Any) -> str:
        return canonical_json(HttpSystem(**{"url": "https://example.org/x?v=1", **settings}).fingerprint)

    different: list[dict[str, Any]] = [
        {},
        {"url": "https://example.org/y?v=1"},
        {"url": "https://example.org/x?v=2"},
        {"method": "PUT"},
        {"image": "path"},
        {"image_field": "photo"},
        {"question_field": "q"},
        {"body": '{"model": "a"}'},
        {"body": '{"model": "b"}'},
        {"answer": "/caption"},
        {"labels": "/tags"},
        {"headers": {"X-Model": "a"}},
        {"headers": {"X-Model": "b"}},
    ]
    assert len({fingerprint(**settings) for settings in different}) == len(different)
    assert fingerprint(parallel=1) == fingerprint(parallel=2)
    assert fingerprint(body='{"a": 1, "b": 2}') == fingerprint(body='{"b": 2,  "a": 1}')
    one = fingerprint(headers={"Authorization": "Bearer ${ANAMORPH_TEST_KEY}"})
    monkeypatch.setenv("ANAMORPH_TEST_KEY", "another")
    assert one == fingerprint(headers={"Authorization": "Bearer ${ANAMORPH_TEST_KEY}"})


def test_settings_come_from_plain_data() -> None:
    plain = {"url": "https://example.org/x", "image": "raw", "headers": {"Accept": "text/json"}, "parallel": 3}
    assert decode(HttpSystem, plain) == HttpSystem(
        "https://example.org/x", image="raw", headers={"Accept": "text/json"}, parallel=3
    )
    with pytest.raises(AnamorphError, match="image: expected one of 'base64', 'data-url'"):
        decode(HttpSystem, {"url": "https://example.org/x", "image": "carrier pigeon"})


# --- on the way -----------------------------------------------------------------------------------------------------


def test_a_proxy_of_the_environment_is_used_with_its_login(
    server: Server, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url.replace("http://", f"http://me:{SECRET}@"))
    http = HttpSystem("http://captions.invalid/x?v=1")
    assert http.ask(asks(1), PATIENT) == [Answer("a dog")]
    assert server.last.path == "http://captions.invalid/x?v=1"
    assert server.last.headers["proxy-authorization"] == f"Basic {base64.b64encode(f'me:{SECRET}'.encode()).decode()}"
    http.close()
    server.behaviour = lambda request: request.reset()
    problem = failure_of(http, asks(1))
    http.close()
    assert isinstance(problem, Transient) and SECRET not in str(problem)


def test_hosts_that_need_no_proxy_are_called_directly(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert system().ask(asks(1), PATIENT) == [Answer("a dog")]
        assert "The proxy on the way to http://captions.invalid/" in str(
            failure_of(HttpSystem("http://captions.invalid/"), asks(1))
        )
        monkeypatch.setenv("NO_PROXY", "captions.invalid")
        assert "Cannot connect to http://captions.invalid/" in str(
            failure_of(HttpSystem("http://captions.invalid/"), asks(1))
        )


@pytest.mark.parametrize("proxy", [f"socks5://me:{SECRET}@127.0.0.1:1", "http://", f"http://me:{SECRET}@h:99999"])
def test_a_proxy_that_cannot_be_used_is_refused(asks: Asks, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    problem = failure_of(HttpSystem("http://captions.invalid/"), asks(1))
    assert isinstance(problem, Refused) and "The proxy that the environment names" in str(problem)
    assert SECRET not in "".join(traceback.format_exception(problem))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes the certificate, is not installed")
def test_only_a_trusted_certificate_is_accepted(
    server: Server, asks: Asks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        f" -keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    http = HttpSystem(f"https://localhost:{server.server_address[1]}/x")
    problem = failure_of(http, asks(1))
    assert isinstance(problem, Refused) and "is not trusted: self-signed certificate" in str(problem)
    http.close()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert http.ask(asks(1), PATIENT) == [Answer("a dog")]
    over = threading.Event()

    def stay_silent(request: Handler) -> None:
        over.wait(PATIENT)

    server.behaviour = stay_silent
    problem = failure_of(http, asks(1), HASTY)
    over.set()
    assert isinstance(problem, Transient) and "within 0.5 s" in str(problem)
    http.close()
