from __future__ import annotations

import threading
from pathlib import Path

import pytest

from anamorph.errors import FetchError
from anamorph.weights.fetching import hubs
from anamorph.weights.fetching.hubs import hub_chunks
from tests.http.tunnels import Proxy
from tests.weights.packing import CONTENT
from tests.weights.serving import Handler, Shelf, redirect, serving


def served(url: str, size: int = len(CONTENT)) -> bytes:
    with hub_chunks(url, size) as chunks:
        return b"".join(chunks)


def test_a_file_comes_whole_also_after_redirects(hub: Shelf) -> None:
    hub.shelf |= {"/tiny": CONTENT, "/moved": redirect("/again"), "/again": redirect(hub.address("/tiny"))}
    assert served(hub.address("/tiny")) == served(hub.address("/moved")) == CONTENT


def test_only_https_is_spoken_also_after_a_redirect(hub: Shelf) -> None:
    with serving() as plain:
        plain.shelf["/tiny"] = CONTENT
        hub.shelf["/down"] = redirect(plain.address("/tiny"))
        for url in (plain.address("/tiny"), hub.address("/down")):
            with pytest.raises(FetchError, match="is not https"):
                served(url)
        assert plain.asked == []


def test_redirects_have_an_end(hub: Shelf) -> None:
    hub.shelf["/round"] = redirect("/round")
    with pytest.raises(FetchError, match="redirected more than 5 times"):
        served(hub.address("/round"))
    assert len(hub.asked) == 6


def test_other_answers_are_told(hub: Shelf) -> None:
    with pytest.raises(FetchError, match="HTTP status 404"):
        served(hub.address("/gone"))
    hub.shelf["/large"] = CONTENT + b"more"
    with pytest.raises(FetchError, match="has 204,804 bytes instead of 204,800"):
        served(hub.address("/large"))


def test_an_answer_that_breaks_off_is_told(hub: Shelf) -> None:
    def break_off(handler: Handler) -> None:
        handler.send(CONTENT[:1000], len(CONTENT))

    hub.shelf["/half"] = break_off
    with pytest.raises(FetchError, match="could not be reached"):
        served(hub.address("/half"))


def test_a_hub_that_falls_silent_is_given_up(hub: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def fall_silent(handler: Handler) -> None:
        handler.send(CONTENT[:1000], len(CONTENT))
        handler.wfile.flush()
        over.wait(60)

    hub.shelf["/slow"] = fall_silent
    monkeypatch.setattr(hubs, "READ_SECONDS", 0.3)
    try:
        with pytest.raises(FetchError, match=r"could not be reached \(no data for 0\.3 s\)"):
            served(hub.address("/slow"))
    finally:
        over.set()


def test_a_certificate_that_nobody_trusts_is_refused(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with serving(certificate) as stranger, pytest.raises(FetchError, match="self-signed certificate"):
        served(stranger.address("/tiny"))


def test_nobody_there_is_told() -> None:
    with serving() as gone:
        address = gone.address("/tiny").replace("http:", "https:")
    with pytest.raises(FetchError, match="could not be reached"):
        served(address)


def test_the_proxy_of_the_environment_is_used(
    hub: Shelf, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.shelf["/tiny"] = CONTENT
    with Proxy(("127.0.0.1", hub.server_address[1])) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert served("https://hub.example/tiny") == CONTENT
        assert proxy.asked[0].startswith(b"CONNECT hub.example:443 ")
    with pytest.raises(FetchError, match="could not be reached"):
        served("https://hub.example/tiny")
    monkeypatch.setenv("no_proxy", "localhost")
    assert served(hub.address("/tiny")) == CONTENT
