from __future__ import annotations

import base64
import email.parser
import email.policy
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import Refused
from anamorph.model import Answer, Ask, Failure, System
from tests.systems.endpoints import Asks, Systems
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Handler, Server

HTTP = Service(
    "http",
    lambda url: f"http:{url.replace('//', '//me:${ANAMORPH_FAULTS_KEY}@')}/caption",
    {"ANAMORPH_FAULTS_KEY": SECRET},
    {"text": "a dog on a lawn"},
    Answer("a dog on a lawn"),
    wrong=([], {}, {"text": None}, {"text": ["x"]}, {"caption": "x"}),
    different=({"method": "PUT"}, {"image_field": "photo"}),
)
FAULTS = (HTTP,)

# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


# --- what is sent ----------------------------------------------------------------------------------------------------


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


# --- what comes back -------------------------------------------------------------------------------------------------


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
        (b'{"text": "a d', {}, 'a body that is not JSON (application/json). It said: {"text": "a d', True),
        (b"<html>\n  busy</html>", {}, "It said: <html> busy</html>", True),
        (b"", {}, "not JSON (application/json). It said: an empty body", True),
        (b'{"text": "caf\xe9"}', {}, "not JSON", True),
        (b"[" * 100_000, {}, "not JSON", True),
        (b'{"caption": "x"}', {}, 'nothing stands at \'/text\'. It said: {"caption": "x"}', False),
        (b'{"text": null}', {}, "nothing stands at '/text'", False),
        (b'{"text": ["x"]}', {}, "at '/text' expected a string, got ['x']", False),
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


@pytest.mark.parametrize("image", ["base64", "data-url", "path"])
def test_a_text_alone_leaves_the_image_out(server: Server, system: Systems, image: str) -> None:
    http = system(image=image, body='{"model": "small"}')
    assert http.takes_text
    assert http.ask([Ask.of_text("0" * 32, "Read this.")], PATIENT) == [Answer("a dog")]
    assert json.loads(server.last.body) == {"model": "small", "question": "Read this."}


def test_a_text_alone_may_be_a_form(server: Server, system: Systems) -> None:
    system(image="multipart", body='{"model": "small"}').ask([Ask.of_text("0" * 32, "Read this.")], PATIENT)
    assert b'name="question"\r\n\r\nRead this.' in server.last.body and b'name="image"' not in server.last.body


@pytest.mark.parametrize("settings", [{"image": "raw"}, {"question_field": ""}])
def test_a_text_alone_that_has_no_place_is_refused(server: Server, system: Systems, settings: dict[str, str]) -> None:
    http = system(**settings)
    assert not http.takes_text and not system(labels="/tags").takes_text
    with pytest.raises(Refused, match="needs a question_field"):
        http.ask([Ask.of_text("0" * 32, "Read this.")], PATIENT)
    assert not server.requests
