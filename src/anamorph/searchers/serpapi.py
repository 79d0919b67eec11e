"""SerpAPI and compatible services: the image search of Google and others; needs a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph.errors import AskError, Refused
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
    text_of,
    timeout_setting,
)

# A page has about a hundred results; Google shows no more than ten pages.
_MOST_PAGES = 10
# The service's message for a search without results, which is not an error.
_NOTHING = "any results for this query"


@dataclass(frozen=True, slots=True)
class SerpApiSearcher(WebSearch):
    """Google's image search, or another's, through SerpAPI or a compatible service; needs a key."""

    kind: ClassVar[str] = "serpapi"
    engine: str = setting("google_images", "The search engine, such as google_images or bing_images.")
    key_variable: str = setting("SERPAPI_API_KEY", "The environment variable that holds the API key.")
    key_parameter: str = setting("api_key", "The service's parameter for the key.")
    page_parameter: str = setting("ijn", "The service's parameter for the page number, from 0.")
    restrict: str = setting("itp:photo", "Google's own restrictions (tbs): photos; itp:photo,sur:cl for open licences.")
    safe: Literal["active", "off"] = setting("active", "Whether to exclude explicit results.")
    results_key: str = setting("images_results", "The key of the results in a reply.")
    picture_key: str = setting("original", "The key of the image's address in a result.")
    keyword: KeywordTemplate = setting(GOOGLE_KEYWORD, "The wording of a keyword.")
    simple: KeywordTemplate = setting(GOOGLE_SIMPLE, "The wording of the simple keyword.")
    contact: str = contact_setting()
    rate_per_second: float = rate_setting(1.0)
    timeout_seconds: float = timeout_setting()
    retries: int = retries_setting()
    address: str = setting("https://serpapi.com/search.json", "Where the API is.")
    _client: WebClient = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        check_variable_name(self.key_variable, "key_variable")

    def secrets(self) -> Secrets:
        return Secrets({self.key_parameter: from_environment(self.key_variable, "The searcher serpapi")})

    def trouble(self, reply: Mapping[str, Any]) -> AskError | None:
        error = text_of(reply, "error")
        if not error or _NOTHING in error:
            return None
        return Refused(f"{self.address} answered with the error: {error}")

    def first(self, query: Query, most: int) -> Parameters:
        restrict = {"tbs": self.restrict} if self.restrict else {}
        return {"engine": self.engine, "q": self.worded(query), "safe": self.safe, **restrict, self.page_parameter: "0"}

    def following(self, parameters: Parameters, reply: Mapping[str, Any], count: int) -> Parameters | None:
        page = int(parameters[self.page_parameter]) + 1
        return {**parameters, self.page_parameter: str(page)} if page < _MOST_PAGES else None

    def results(self, reply: Mapping[str, Any]) -> Iterator[Find | None]:
        for item in list_of(reply, self.results_key):
            if not text_of(item, self.picture_key):
                yield None
                continue
            yield Find(
                captions_of(text_of(item, "title"), text_of(item, "snippet")),
                address=text_of(item, self.picture_key),
                page=text_of(item, "link"),
                licence_url=text_of(item, "license_details_url"),
                author=text_of(item, "source"),
                width=number_of(item, "original_width"),
                height=number_of(item, "original_height"),
            )
