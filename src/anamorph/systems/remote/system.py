"""Shared code of systems behind a network: one call for each image, how many at once, and the connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anamorph.errors import AskError, Transient
from anamorph.http.secrets import REDACTED, Redactor
from anamorph.http.templates import UrlTemplate
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.systems.remote.calls import Caller


@dataclass(frozen=True, slots=True, repr=False)
class RemoteSystem:
    """A service with one call per image, `_ask_one`."""

    @property
    def parallel(self) -> int:
        """The most concurrent calls."""
        raise NotImplementedError

    @property
    def manner(self) -> Manner:
        return Manner(parallel=self.parallel)

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """One reply per item; an error of one does not affect the others."""
        if len(batch) == 1:
            return [self._redacted(self._ask_one(batch[0], timeout_seconds))]
        return [self._redacted(self._reply_to(item, timeout_seconds)) for item in batch]

    def _redacted(self, result: Answer | Failure) -> Answer | Failure:
        """The result with secrets redacted: a server may repeat those sent to it, even in an answer."""
        redactor = self._redactor()
        if isinstance(result, Failure):
            return replace(result, message=redactor.redact(result.message))
        if result.text is not None:
            text = redactor.redact(result.text, REDACTED)
            return result if text == result.text else replace(result, text=text)
        labels = {redactor.redact(label, REDACTED): score for label, score in (result.labels or {}).items()}
        return result if labels == result.labels else replace(result, labels=labels)

    def _redactor(self) -> Redactor:
        """Redacts every secret that is sent."""
        raise NotImplementedError

    def _reply_to(self, item: Ask, timeout_seconds: float) -> Answer | Failure:
        try:
            return self._ask_one(item, timeout_seconds)
        except Transient as problem:
            return Failure(str(problem), retryable=True, retry_after_seconds=problem.retry_after_seconds)
        except AskError as problem:
            return Failure(str(problem))

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, repr=False)
class HttpService(RemoteSystem):
    """An HTTP service; `_connect` must be called before the first call."""

    _caller: Caller = field(init=False, compare=False)

    @property
    def contacts(self) -> str:
        """The address to call, without secrets."""
        return self._caller.url.shown

    def close(self) -> None:
        self._caller.close()

    def _redactor(self) -> Redactor:
        return self._caller.redactor()

    def _connect(self, url: UrlTemplate, headers: Mapping[str, str], hints: Mapping[int, str] | None = None) -> None:
        """Set the URL and headers, after checking them; `hints` say what to check, by status."""
        caller = Caller(url, headers, self.parallel, hints)
        caller.check()
        object.__setattr__(self, "_caller", caller)
