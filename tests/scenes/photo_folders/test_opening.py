from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.config import resolve
from anamorph.errors import UsageError
from anamorph.scenes.photo_folders.opening import check_place, contacted
from tests.hostile.conftest import Command, anamorph as anamorph

SECRET = "hunter2hunter2"


@pytest.mark.parametrize(
    "address",
    [
        f"https://user:{SECRET}@host/photos",
        f"https://host/photos?X-Amz-Signature={SECRET}",
        f"https://host/photos?sig={SECRET}",
        f"s3://key:{SECRET}@bucket/photos",
        f"s3://bucket/photos?AWSAccessKeyId=x&Signature={SECRET}",
        f"gs://bucket/photos#{SECRET}",
    ],
)
def test_a_secret_in_an_address_is_refused_unquoted_before_anything_is_stored(
    address: str, tmp_path: Path, anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("run", "plan"):
        words = (command, "-m", "deeptest", "-s", f"folder:{address}", "-y", "command:cat", "-o", "out")
        done = anamorph(*words)
        assert done.code == 2
        assert SECRET not in done.out + done.err and ("in plain text" in done.err or "no login" in done.err)
    assert not any(SECRET.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("ftp://host/photos", r"cannot be fetched with ftp://. Valid: file, gs, http, https, s3, or a folder."),
        ("zip://x::https://host/photos.zip", "cannot be fetched with zip://"),
        ("s3:///photos", "names no bucket"),
        ("https:///photos", "name a host"),
        ("https://user:${ANAMORPH_NOT_SET}@host/photos", "ANAMORPH_NOT_SET, which is not set"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_with_what_is_valid(address: str, message: str) -> None:
    for text in (f"folder:{address}", f"coco:i.json,images={address}", f"scene-graph:g.json,images={address}"):
        with pytest.raises(UsageError, match=message):
            resolve({"scenes": text}).scenes()


def test_only_addresses_of_other_machines_are_contacted() -> None:
    assert contacted("photos") is contacted("/photos") is contacted(r"C:\photos") is contacted("file:///x") is None
    assert contacted(3) is contacted(None) is None
    assert contacted("S3://bucket") == "s3" and contacted("https://host/") == "https"
    check_place(None)
    check_place("photos?user@host")


def test_an_index_must_be_there_and_name_photos(tmp_path: Path) -> None:
    (tmp_path / "index.txt").write_text("# nothing\n")
    for index, message in (("index.txt", "names no photo"), ("none.txt", "does not exist")):
        source = resolve({"scenes": f"folder:http://127.0.0.1:9/x,index={tmp_path / index}"}).scenes()
        with pytest.raises(UsageError, match=message):
            list(source.scan())
