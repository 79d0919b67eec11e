from __future__ import annotations

import base64
import logging
import traceback
from typing import Any

import pytest

from anamorph.errors import AnamorphError, AskError, Refused, UsageError
from anamorph.model import canonical_json, decode
from anamorph.model.schemas import schema_of
from anamorph.systems.http.system import HttpSystem
from tests.systems.endpoints import Asks, Systems, failure_of
from tests.systems.servers import PATIENT, SECRET, Handler, Server

# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


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
        repr(http._caller.url),
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
    assert "***" in everything


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
