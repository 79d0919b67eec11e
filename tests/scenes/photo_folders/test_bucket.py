from __future__ import annotations

import asyncio
import builtins
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fsspec.asyn import AsyncFileSystem

from anamorph.errors import BadPicture, FetchError, MissingExtra, UsageError
from anamorph.model import Scene
from anamorph.photos.decoding import Limits
from anamorph.scenes.folder import FolderScenes
from anamorph.scenes.photo_folders import bucket
from anamorph.scenes.photo_folders.opening import _remote, photo_folder
from tests.scenes.photo_folders.elsewhere import bucket_of


class Cloud(AsyncFileSystem):  # type: ignore[misc]
    """An asynchronous file system, as s3fs and gcsfs are, which fails on demand."""

    protocol = ("s3", "gs")
    root_marker = ""
    files: ClassVar[dict[str, bytes]] = {}
    failures: ClassVar[list[Exception]] = []
    stuck: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        type(self).options = options

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        if self.stuck:
            await asyncio.sleep(60)
        if self.failures:
            raise self.failures.pop(0)
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path][start:end]

    async def _find(self, path: str, maxdepth: int | None = None, withdirs: bool = False, **_: Any) -> list[str]:
        if self.failures:
            raise self.failures.pop(0)
        return sorted(name for name in self.files if name.startswith(f"{path}/"))


@pytest.fixture
def cloud(album: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Cloud]]:
    # Its name in fsspec is that of a view of it.
    monkeypatch.setitem(importlib.import_module("fsspec.registry")._registry, "s3", Cloud)
    _remote.cache_clear()
    Cloud.files = {f"bucket/photos/{file.name}": file.read_bytes() for file in album.glob("*.*")}
    Cloud.failures, Cloud.stuck = [], False
    yield Cloud
    _remote.cache_clear()


class ClientError(Exception):
    """As botocore raises it, with a signed address in its words."""

    response: ClassVar[dict[str, Any]] = {"Error": {"Code": "SlowDown"}}


class NoCredentialsError(Exception):
    """As botocore raises it."""


def test_a_bucket_is_listed_and_its_photos_are_read(cloud: type[Cloud]) -> None:
    source = FolderScenes("s3://bucket/photos/")
    cloud.failures = [OSError("https://x?Signature=hunter2hunter2")]
    scenes = {scene.id: scene for scene in source.scan() if isinstance(scene, Scene)}
    assert {"a.png", "turned.jpg", "late.png"} <= set(scenes) and scenes["a.png"].captions == ("a dog", "two dogs")
    assert source.pixels(scenes["a.png"]).shape == (6, 8, 3)
    # Nothing that is kept between calls hides a photo that was added.
    assert cloud.options == {"use_listings_cache": False}


def test_errors_of_libraries_are_told_apart_and_their_words_not_shown(cloud: type[Cloud]) -> None:
    folder = photo_folder("s3://bucket/photos")
    secret = "https://x?Signature=hunter2hunter2"
    cloud.failures = [ClientError(secret)]
    assert folder.size("a.png", Limits()) == (8, 6)
    for failures, message in (
        ([ClientError(secret)] * 4, "cannot be fetched: ClientError SlowDown. It was tried 4 times."),
        ([OSError(secret)] * 4, "cannot be fetched: OSError. It was tried 4 times."),
        ([PermissionError(secret)], "may not be read (permission denied)."),
        ([NoCredentialsError(secret)], "cannot be fetched: NoCredentialsError."),
        ([FileNotFoundError(secret)], "does not exist."),
        ([IsADirectoryError(secret)], "is a folder, not a regular file."),
    ):
        cloud.failures = list(failures)
        with pytest.raises(BadPicture) as caught:
            folder.size("a.png", Limits())
        assert str(caught.value) == f"s3://bucket/photos/a.png {message}"
        assert not cloud.failures
    cloud.failures = [PermissionError(secret)]
    with pytest.raises(UsageError, match=r"^s3://bucket/photos may not be read"):
        folder.names({".png"}, recursive=True)
    cloud.failures = [OSError(secret)] * 4
    with pytest.raises(FetchError, match=r"^s3://bucket/photos cannot be listed"):
        folder.names({".png"}, recursive=True)


def test_a_call_that_hangs_is_given_up(cloud: type[Cloud], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket, "TIMEOUT_SECONDS", 0.05)
    cloud.stuck = True
    with pytest.raises(BadPicture, match=r"was not fetched in time. It was tried 4 times."):
        photo_folder("s3://bucket/photos").size("a.png", Limits())


def test_a_file_over_the_limit_is_refused_and_never_read_to_its_end(cloud: type[Cloud]) -> None:
    cloud.files["bucket/photos/huge.png"] = cloud.files["bucket/photos/a.png"] + bytes(3_000_000)
    folder = photo_folder("s3://bucket/photos")
    with pytest.raises(BadPicture, match=r"huge.png has more bytes than the limit of 1,000,000"):
        folder.pixels(Scene("x", "huge.png", 8, 6), Limits(megabytes=1))
    with pytest.raises(BadPicture, match="more bytes than the limit of 10"):
        folder.text("huge.png", 10)


def test_folders_inside_a_bucket_are_looked_into_unless_told_otherwise(album: Path) -> None:
    address = bucket_of(album)
    inner = "in side/b#1?.png"
    assert inner in photo_folder(address).names({".png"}, recursive=True)[0]
    assert inner not in photo_folder(address).names({".png"}, recursive=False)[0]
    with pytest.raises(UsageError, match="has no photo"):
        list(FolderScenes(f"{address}-other").scan())


@pytest.mark.parametrize(
    ("address", "module", "extra"),
    [("s3://bucket/x", "s3fs", "s3"), ("gs://bucket/x", "gcsfs", "gs"), ("memory://x/y", "fsspec", "fsspec")],
)
def test_what_is_not_installed_is_named_with_the_line_to_type(
    address: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **settings: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ImportError(name)
        return real(name, *arguments, **settings)

    _remote.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"The folder {address} needs .*pip install 'anamorph\[{extra}\]'"):
        photo_folder(address)
