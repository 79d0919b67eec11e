"""Wikimedia Commons: freely licensed photos with descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import AskError, Refused, Transient
from anamorph.model import Find, Query, setting
from anamorph.searchers.web.keyword_template import KeywordTemplate
from anamorph.searchers.web.search import (
    Parameters,
    WebClient,
    WebSearch,
    captions_of,
    contact_setting,
    list_of,
    number_of,
    rate_setting,
    retries_setting,
    table_of,
    text_of,
    timeout_setting,
)

_PAGE = 50
_FILES = "6"  # the namespace of files
_MAY_PASS = frozenset(("ratelimited", "maxlag", "readonly"))
_FACTS = "ImageDescription|ObjectName|LicenseShortName|LicenseUrl|Artist"
_NAME = re.compile(r"^File:|\.\w{3,4}$")


@dataclass(frozen=True, slots=True)
class WikimediaSearcher(WebSearch):
    """The search of Wikimedia Commons; needs a contact, but no key."""

    kind: ClassVar[str] = "wikimedia"
    contact: str = contact_setting()
    width: int = setting(1024, "Fetch images scaled to this width; 0 for the original files.", least=0, most=8192)
    keyword: KeywordTemplate = setting(
        KeywordTemplate("intitle:{quoted}", " ", "", "filetype:bitmap"), "The wording of a keyword."
    )
    simple: KeywordTemplate = setting(
        KeywordTemplate("{quoted}", " ", "", "filetype:bitmap"), "The wording of the simple keyword."
    )
    rate_per_second: float = rate_setting(1.0)
    timeout_seconds: float = timeout_setting()
    retries: int = retries_setting()
    address: str = setting("https://commons.wikimedia.org/w/api.php", "Where the API is.")
    _client: WebClient = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        if not self.contact.strip():
            # Wikimedia's user agent policy; without it, calls are throttled and then blocked.
            raise ValueError("contact must be set: Wikimedia blocks callers that it cannot reach")

    def first(self, query: Query, most: int) -> Parameters:
        asked = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5", "generator": "search"}
        asked |= {"gsrsearch": self.worded(query), "gsrnamespace": _FILES, "gsrlimit": str(min(most, _PAGE))}
        asked |= {"prop": "imageinfo", "iiprop": "url|size|extmetadata", "iiextmetadatafilter": _FACTS}
        return {**asked, "iiextmetadatalanguage": "en", **({"iiurlwidth": str(self.width)} if self.width else {})}

    def following(self, parameters: Parameters, reply: Mapping[str, Any], count: int) -> Parameters | None:
        further = table_of(reply, "continue")
        offset = further.get("gsroffset")
        if not isinstance(offset, int) or offset <= int(parameters.get("gsroffset", "0")):
            return None
        return {**parameters, "gsroffset": str(offset), "continue": text_of(further, "continue") or "-||"}

    def trouble(self, reply: Mapping[str, Any]) -> AskError | None:
        error = table_of(reply, "error")
        if not error:
            return None
        code = text_of(error, "code")
        message = f"{self.address} answered with the error {code!r}: {text_of(error, 'info')}"
        return Transient(message) if code in _MAY_PASS else Refused(message)

    def results(self, reply: Mapping[str, Any]) -> Iterator[Find | None]:
        # Pages come in arbitrary order; `index` is their rank.
        pages = list_of(table_of(reply, "query"), "pages")
        for page in sorted(pages, key=lambda page: number_of(page, "index") or len(pages) + 1):
            versions = list_of(page, "imageinfo")
            file = versions[0] if versions else {}
            address = text_of(file, "thumburl") or text_of(file, "url")
            if not address:
                yield None
                continue
            facts = {
                name: text_of(table_of(table_of(file, "extmetadata"), name), "value") for name in _FACTS.split("|")
            }
            title = _NAME.sub("", text_of(page, "title")).replace("_", " ")
            thumb = "thumb" if text_of(file, "thumburl") else ""
            yield Find(
                captions_of(facts["ImageDescription"], title, facts["ObjectName"]),
                address=address,
                page=text_of(file, "descriptionurl"),
                licence=facts["LicenseShortName"],
                licence_url=facts["LicenseUrl"],
                author=facts["Artist"],
                width=number_of(file, f"{thumb}width"),
                height=number_of(file, f"{thumb}height"),
            )
