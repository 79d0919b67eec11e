"""Openverse: openly licensed photos, with their licenses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.model import Find, Query, setting
from anamorph.searchers.web.keyword_template import KeywordTemplate
from anamorph.searchers.web.search import (
    Parameters,
    Secrets,
    WebClient,
    WebSearch,
    captions_of,
    check_variable_name,
    contact_setting,
    from_environment,
    list_of,
    number_of,
    rate_setting,
    retries_setting,
    text_of,
    timeout_setting,
)

# The limit per page without a token, and the total limit for all callers.
_PAGE, _DEEPEST = 20, 240


@dataclass(frozen=True, slots=True)
class OpenverseSearcher(WebSearch):
    """Openverse's search for openly licensed images; works without a key, faster with a token."""

    kind: ClassVar[str] = "openverse"
    contact: str = contact_setting()
    token_variable: str = setting("", "The environment variable that holds an access token; empty for none.")
    licences: str = setting("", "Only these licenses, such as cc0,by,by-sa; empty for all.")
    keyword: KeywordTemplate = setting(KeywordTemplate("{quoted}", " + "), "The wording of a keyword.")
    simple: KeywordTemplate = setting(KeywordTemplate("{word}", " "), "The wording of the simple keyword.")
    # Without a token: 20 calls a minute, 200 a day.
    rate_per_second: float = rate_setting(0.3)
    timeout_seconds: float = timeout_setting()
    retries: int = retries_setting()
    address: str = setting("https://api.openverse.org/v1/images/", "Where the API is.")
    _client: WebClient = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        if self.token_variable:
            check_variable_name(self.token_variable, "token_variable")

    def secrets(self) -> Secrets:
        if not self.token_variable:
            return Secrets()
        token = from_environment(self.token_variable, "The searcher openverse")
        return Secrets(headers={"authorization": f"Bearer {token}"})

    def first(self, query: Query, most: int) -> Parameters:
        licences = {"license": self.licences} if self.licences else {}
        paging = {"page": "1", "page_size": str(min(most, _PAGE))}
        return {"q": self.worded(query), "category": "photograph", "mature": "false", **licences, **paging}

    def following(self, parameters: Parameters, reply: Mapping[str, Any], count: int) -> Parameters | None:
        page = int(parameters["page"]) + 1
        if page > (number_of(reply, "page_count") or 0) or page * int(parameters["page_size"]) > _DEEPEST:
            return None
        return {**parameters, "page": str(page)}

    def results(self, reply: Mapping[str, Any]) -> Iterator[Find | None]:
        for item in list_of(reply, "results"):
            if not text_of(item, "url"):
                yield None
                continue
            licence = " ".join(part for part in (text_of(item, "license"), text_of(item, "license_version")) if part)
            yield Find(
                captions_of(text_of(item, "title")),
                address=text_of(item, "url"),
                page=text_of(item, "foreign_landing_url"),
                licence=licence,
                licence_url=text_of(item, "license_url"),
                author=text_of(item, "creator"),
                width=number_of(item, "width"),
                height=number_of(item, "height"),
            )
