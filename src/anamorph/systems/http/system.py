"""Any JSON endpoint as the system under test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph.errors import UsageError
from anamorph.http.templates import UrlTemplate, header_marks
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.http.answers import AnswerFinder
from anamorph.systems.remote.bodies import BodyMaker, ImageForm, fixed_fields
from anamorph.systems.remote.pointers import JsonPath
from anamorph.systems.remote.system import HttpService

ADAPTER_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class HttpSystem(HttpService):
    """Ask an HTTP endpoint that takes an image, and perhaps a question, and answers in JSON."""

    kind: ClassVar[str] = "http"
    url: str = setting(help="The address to call; ${NAME} in its password or query comes from the environment.")
    method: Literal["POST", "PUT", "PATCH"] = setting("POST", "The HTTP method.")
    image: ImageForm = setting(
        "base64", "How the image is sent: as base64 in JSON, as a form, as the body, or as a path."
    )
    image_field: str = setting("image", "Where the image goes: a plain key, or a JSON pointer such as /input/image.")
    question_field: str = setting("question", "Where the question goes, likewise; empty never sends it.")
    body: str = setting("", "Fixed other fields of the request, as a JSON object.")
    headers: Mapping[str, str] = setting({}, "More headers; ${NAME} in a value comes from the environment.")
    answer: str = setting("/text", "Where the text of the answer is: a JSON pointer, or else JMESPath.")
    labels: str = setting("", "Where labels with scores are, likewise; if given, they are the answer.")
    label_field: str = setting("", "The key of the name in a list of labels; by default label or name.")
    score_field: str = setting("", "The key of the score in a list of labels; by default score or confidence.")
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _body_maker: BodyMaker = field(init=False, compare=False)
    _answer_finder: AnswerFinder = field(init=False, compare=False)

    def __post_init__(self) -> None:
        self._connect(UrlTemplate(self.url), self.headers)
        maker = BodyMaker(self.image, self.image_field, self.question_field, fixed_fields(self.body, "body"))
        maker.check()
        name = "labels" if self.labels else "answer"
        path = self.labels or self.answer
        if not path:
            raise UsageError("answer is empty: name the place of the answer in the reply.")
        finder = AnswerFinder(path, JsonPath(path, name), bool(self.labels), self.label_field, self.score_field)
        object.__setattr__(self, "_body_maker", maker)
        object.__setattr__(self, "_answer_finder", finder)

    def __repr__(self) -> str:
        return f"HttpSystem({self._caller.url.shown!r}, headers={sorted(self.headers)})"

    @property
    def takes_text(self) -> bool:
        return self._body_maker.takes_text and not self.labels

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._caller.url.fingerprint(),
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

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        reply = self._caller.call(self.method, self._body_maker.make(ask), timeout_seconds)
        return self._answer_finder.answer(reply, self.url, self._caller.redactor())
