from __future__ import annotations

import base64
from pathlib import Path

import pytest

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Scene
from anamorph.photos.decoding import Limits
from anamorph.scenes.folder import FolderScenes
from anamorph.scenes.photo_folders.opening import photo_folder
from tests.scenes.photo_folders.elsewhere import Site
from tests.systems.servers import Handler


def test_a_web_server_lists_nothing_so_an_index_is_needed(site: Site) -> None:
    with pytest.raises(UsageError, match=r"does not list its files. Name them, .*index=FILE"):
        list(FolderScenes(site.address).scan())
    assert not site.asked


def test_a_server_that_gives_whole_files_only_is_understood(site: Site) -> None:
    site.ranges = False
    folder = photo_folder(site.address)
    assert folder.size("turned.jpg", Limits()) == folder.size("late.png", Limits()) == (300, 400)


def test_the_size_of_a_photo_needs_its_head_alone(site: Site, album: Path) -> None:
    folder = photo_folder(site.address)
    assert (album / "turned.jpg").stat().st_size > 20_000
    assert folder.size("turned.jpg", Limits()) == (300, 400)
    assert site.parts == ["bytes=0-16383"]
    assert folder.size("preview.jpg", Limits()) == (300, 400)
    assert site.parts[1:] == ["bytes=0-16383", "bytes=0-131071"]


def test_a_file_over_the_limit_is_refused_before_it_is_read(site: Site, album: Path) -> None:
    (album / "huge.jpg").write_bytes((album / "turned.jpg").read_bytes() + bytes(2_000_000))
    folder = photo_folder(site.address)
    for ranges in (True, False):
        site.ranges = ranges
        with pytest.raises(BadPicture, match="more"):
            folder.size("huge.jpg", Limits(megabytes=1))
    with pytest.raises(BadPicture, match="answered with more than 1000000 bytes"):
        folder.pixels(Scene("x", "huge.jpg", 300, 400), Limits(megabytes=1))
    assert folder.size("huge.jpg", Limits(megabytes=3)) == (300, 400)


def test_no_name_leads_to_another_address(site: Site) -> None:
    folder = photo_folder(site.address)
    for name in ("/host/a.png", "//host/a.png", "http://host/a.png", "a?x=1#y%2e%2e/é.png", "@host/a.png", "%2e%2e/a"):
        with pytest.raises(BadPicture):
            folder.size(name, Limits())
    assert site.asked == [
        "/photos/http%3A/host/a.png",
        "/photos/a%3Fx%3D1%23y%252e%252e/%C3%A9.png",
        "/photos/%40host/a.png",
        "/photos/%252e%252e/a",
    ]


def test_a_redirect_to_another_host_is_not_followed(site: Site) -> None:
    def elsewhere(handler: Handler) -> bool:
        handler.reply(b"", 302, location="http://127.0.0.1:9/a.png")
        return True

    site.trouble = elsewhere
    with pytest.raises(BadPicture, match=r"redirected to http://127.0.0.1:9/a.png, another host"):
        photo_folder(site.address).size("a.png", Limits())


def test_faults_of_the_server_are_tried_again(site: Site) -> None:
    def flaky(handler: Handler) -> bool:
        match len(site.asked):
            case 1:
                handler.reply(b"", 503, retry_after="0")
            case 2:
                handler.reset()
            case _:
                return False
        return True

    site.trouble = flaky
    assert photo_folder(site.address).size("a.png", Limits()) == (8, 6)
    assert len(site.asked) == 3


def test_a_login_and_a_query_come_from_the_environment_and_are_never_shown(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHOTO_PASSWORD", "hunter2hunter2")
    address = site.address.replace("//", "//me:${PHOTO_PASSWORD}@") + "?token=${PHOTO_PASSWORD}"
    folder = photo_folder(address)
    assert folder.size("a.png", Limits()) == (8, 6)
    (request,) = site.server.requests
    assert request.headers["authorization"] == f"Basic {base64.b64encode(b'me:hunter2hunter2').decode()}"
    assert request.path == "/photos/a.png?token=hunter2hunter2"
    said = []

    def denied(handler: Handler) -> bool:
        handler.reply(b"hunter2hunter2 is wrong", 403)
        return True

    site.trouble = denied
    for name in ("a.png", "missing.png"):
        with pytest.raises(BadPicture) as caught:
            folder.size(name, Limits())
        said.append(str(caught.value))
    assert "403" in said[0] and "hunter2" not in "".join(said) + folder.called("a.png") + repr(folder)
