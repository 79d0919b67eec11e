"""Finding the answer in the JSON body of a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anamorph.errors import Transient
from anamorph.http.messages import Reply, bare, excerpt, json_of
from anamorph.http.secrets import Redactor
from anamorph.model import Answer, Failure
from anamorph.systems.remote.pointers import JsonPath, NotThere
from anamorph.systems.replies.answers import BadReply, show, surest_labels

_QUOTED_CHARACTERS = 200
_LABEL_FIELDS = ("label", "name")
_SCORE_FIELDS = ("score", "confidence")


@dataclass(frozen=True, slots=True)
class AnswerFinder:
    """The place of the answer in a reply: text at one path, or labels at another."""

    path: str
    finder: JsonPath
    wants_labels: bool
    label_field: str
    score_field: str

    def answer(self, reply: Reply, url: str, redactor: Redactor) -> Answer | Failure:
        """The answer in a successful reply."""

        def failure(problem: str) -> Failure:
            said = excerpt(reply.content, _QUOTED_CHARACTERS, redactor)
            return Failure(redactor.redact(f"{bare(url)} {problem}. It said: {said}"))

        try:
            found = self.finder.find(json_of(reply, url, redactor))
            return surest_labels(self._labels(found)) if self.wants_labels else Answer(text=_text(found))
        except Transient as problem:
            return Failure(str(problem), retryable=True)
        except NotThere:
            return failure(f"answered, but nothing stands at {self.path!r}")
        except BadReply as problem:
            return failure(f"answered, but at {self.path!r} {problem}")

    def _labels(self, found: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(found, Mapping):
            yield from found.items()
            return
        if not isinstance(found, list):
            raise BadReply(f"expected labels, got {show(found)}")
        for item in found:
            yield (item, 1.0) if isinstance(item, str) else self._scored(item)

    def _scored(self, item: Any) -> tuple[Any, Any]:
        if not isinstance(item, Mapping):
            raise BadReply(f"expected a label with a score, got {show(item)}")
        return _field(item, self.label_field, _LABEL_FIELDS), _field(item, self.score_field, _SCORE_FIELDS)


def _field(item: Mapping[str, Any], chosen: str, usual: tuple[str, ...]) -> Any:
    names = (chosen,) if chosen else usual
    for name in names:
        if name in item:
            return item[name]
    raise BadReply(f"expected {' or '.join(map(repr, names))} in each label, got {show(dict(item))}")


def _text(found: Any) -> str:
    if isinstance(found, str):
        return found
    if isinstance(found, bool | int | float):
        return json.dumps(found)
    raise BadReply(f"expected a string, got {show(found)}")
