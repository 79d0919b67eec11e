"""Google's Custom Search JSON API, which ATOM was published with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph.model import Find, Query, setting
from anamorph.searchers.web.keyword_template import GOOGLE_KEYWORD, GOOGLE_SIMPLE, KeywordTemplate
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
    table_of,
    text_of,
    timeout_setting,
)

# The API's limits per page, and in total.
_PAGE, _DEEPEST = 10, 100


@dataclass(frozen=True, slots=True)
class GoogleSearcher(WebSearch):
    """Google's image search, through the Custom Search JSON API; needs a key and the id of an engine."""

    kind: ClassVar[str] = "google"
    key_variable: str = setting("GOOGLE_API_KEY", "The environment variable that holds the API key.")
    engine_variable: str = setting("GOOGLE_ENGINE_ID", "The environment variable that holds the id of the engine (cx).")
    rights: str = setting("", "Only these rights, such as cc_publicdomain|cc_attribute.")
    safe: Literal["active", "off"] = setting("active", "Whether to exclude explicit results.")
    keyword: KeywordTemplate = setting(GOOGLE_KEYWORD, "The wording of a keyword.")
    simple: KeywordTemplate = setting(GOOGLE_SIMPLE, "The wording of the simple keyword.")
    contact: str = contact_setting()
    rate_per_second: float = rate_setting(1.0)
    timeout_seconds: float = timeout_setting()
    retries: int = retries_setting()
    address: str = setting("https://www.googleapis.com/customsearch/v1", "Where the API is.")
    _client: WebClient = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        check_variable_name(self.key_variable, "key_variable")
        check_variable_name(self.engine_variable, "engine_variable")

    def secrets(self) -> Secrets:
        what = "The searcher google"
        return Secrets(
            {
                "key": from_environment(self.key_variable, what),
                "cx": from_environment(self.engine_variable, what),
            }
        )

    def first(self, query: Query, most: int) -> Parameters:
        limits = {"num": str(min(most, _PAGE)), "start": "1", "safe": self.safe}
        rights = {"rights": self.rights} if self.rights else {}
        return {"q": self.worded(query), "searchType": "image", "imgType": "photo", **limits, **rights}

    def following(self, parameters: Parameters, reply: Mapping[str, Any], count: int) -> Parameters | None:
        pages = list_of(table_of(reply, "queries"), "nextPage")
        start = number_of(pages[0], "startIndex") if pages else None
        # Never back: a page that points at itself would loop forever.
        if start is None or start <= int(parameters["start"]) or start + _PAGE - 1 > _DEEPEST:
            return None
        return {**parameters, "start": str(start), "num": str(_PAGE)}

    def results(self, reply: Mapping[str, Any]) -> Iterator[Find | None]:
        for item in list_of(reply, "items"):
            image = table_of(item, "image")
            if not text_of(item, "link"):
                yield None
                continue
            yield Find(
                captions_of(text_of(item, "title"), text_of(item, "snippet")),
                address=text_of(item, "link"),
                page=text_of(image, "contextLink"),
                width=number_of(image, "width"),
                height=number_of(image, "height"),
            )
