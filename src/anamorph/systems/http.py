"""Any JSON endpoint as the system under test."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph import __version__
from anamorph.errors import AskError, Refused, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.systems.http_address import (
    Address,
    check_headers,
    filled_headers,
    header_marks,
    veil_over,
)
from anamorph.systems.http_answers import AnswerFinder
from anamorph.systems.http_bodies import BodyMaker, ImageForm
from anamorph.systems.http_messages import Request, error_of
from anamorph.systems.pointers import Finder

ADAPTER_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class HttpSystem:
    """Ask an HTTP endpoint that takes an image, and perhaps a question, and answers in JSON."""

    kind: ClassVar[str] = "http"
    url: str = setting(help="The address to call; ${NAME} in its password or query comes from the environment.")
    method: Literal["POST", "PUT", "PATCH"] = setting("POST", "The HTTP method.")
    image: ImageForm = setting(
        "base64", "How the image travels: as text in JSON, as a form, as the body, or as a path."
    )
    image_field: str = setting("image", "Where the image goes: a plain key, or a JSON pointer such as /input/image.")
    question_field: str = setting("question", "Where the question goes, likewise; empty never sends it.")
    body: str = setting("", "Fixed other fields of the request, as the text of a JSON object.")
    headers: Mapping[str, str] = setting({}, "Further headers; ${NAME} in a value comes from the environment.")
    answer: str = setting("/text", "Where the text of the answer is: a JSON pointer, or else JMESPath.")
    labels: str = setting("", "Where labels with scores are, likewise; if given, they are the answer.")
    label_field: str = setting("", "The key of the name in a list of labels; by default label or name.")
    score_field: str = setting("", "The key of the score in a list of labels; by default score or confidence.")
    parallel: int = setting(8, "How many calls may be under way at once.", least=1)
    _address: Address = field(init=False, compare=False)
    _body_maker: BodyMaker = field(init=False, compare=False)
    _answer_finder: AnswerFinder = field(init=False, compare=False)
    _connections: _Connections = field(init=False, compare=False)

    def __post_init__(self) -> None:
        address = Address(self.url)
        address.check()
        check_headers(self.headers)
        maker = BodyMaker(self.image, self.image_field, self.question_field, _fixed_fields(self.body))
        maker.check()
        name = "labels" if self.labels else "answer"
        path = self.labels or self.answer
        if not path:
            raise UsageError("answer is empty, so there is no place to take the answer from.")
        finder = AnswerFinder(path, Finder(path, name), bool(self.labels), self.label_field, self.score_field)
        object.__setattr__(self, "_address", address)
        object.__setattr__(self, "_body_maker", maker)
        object.__setattr__(self, "_answer_finder", finder)
        object.__setattr__(self, "_connections", _Connections(address, self.parallel))

    def __repr__(self) -> str:
        return f"HttpSystem({self._address.shown!r}, headers={sorted(self.headers)})"

    @property
    def manner(self) -> Manner:
        return Manner(parallel=self.parallel)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._address.fingerprint(),
            "method": self.method,
            "image": self.image,
            "image_field": self.image_field,
            "question_field": self.question_field,
            "body": self._body_maker.fixed,
            "headers": header_marks(self.headers),
            "answer": self.answer,
            "labels": self.labels,
            "label_field": self.label_field,
            "score_field": self.score_field,
        }

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        if len(batch) == 1:
            return [self._ask_one(batch[0], timeout_seconds)]
        return [self._reply_to(ask, timeout_seconds) for ask in batch]

    def close(self) -> None:
        self._connections.close()

    def _reply_to(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        try:
            return self._ask_one(ask, timeout_seconds)
        except Transient as problem:
            return Failure(str(problem), retryable=True, retry_after_seconds=problem.retry_after_seconds)
        except AskError as problem:
            return Failure(str(problem))

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        try:
            self._address.check()
            check_headers(self.headers)
        except UsageError as problem:
            raise Refused(str(problem)) from problem
        body = self._body_maker.make(ask)
        headers = {
            "user-agent": f"anamorph/{__version__}",
            "accept": "application/json",
            "content-type": body.content_type,
        }
        login = self._address.login()
        if login is not None:
            headers["authorization"] = login
        headers |= filled_headers(self.headers)
        request = Request(self.method, self._address.filled(body.query), headers, body.content)
        veil = veil_over(self._address, self.headers)
        reply = self._connections.exchange().send(request, timeout_seconds, veil)
        error = error_of(reply, self.url, veil)
        if error is not None:
            raise error
        return self._answer_finder.answer(reply, self.url, veil)


class _Connections:
    """Opens connections at the first call, because the library for it takes time to import."""

    def __init__(self, address: Address, parallel: int) -> None:
        self._address = address
        self._parallel = parallel
        self._lock = threading.Lock()
        self._exchange: Any = None

    def exchange(self) -> Any:
        from anamorph.systems.http_exchange import Exchange

        with self._lock:
            if self._exchange is None:
                self._exchange = Exchange(self._address.shown, self._parallel)
            return self._exchange

    def close(self) -> None:
        with self._lock:
            if self._exchange is not None:
                self._exchange.close()
                self._exchange = None


def _fixed_fields(body: str) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        fields = json.loads(body)
    except ValueError as problem:
        raise UsageError(f"body is not JSON: {problem}.") from problem
    if not isinstance(fields, dict):
        raise UsageError('body must be the text of a JSON object, such as {"model": "small"}.')
    return fields
