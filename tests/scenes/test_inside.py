from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import BadPicture
from anamorph.photos.decoding import inside


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    root = folder / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.jpg").touch()
    (root / "sub" / "b.jpg").touch()
    (folder / "secret.jpg").touch()
    (root / "out.jpg").symlink_to(folder / "secret.jpg")
    (root / "up").symlink_to(folder)
    (root / "loop").symlink_to(root / "loop")
    (root / "near.jpg").symlink_to(root / "a.jpg")
    (root / "sub" / "back").symlink_to("..")
    return root


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.jpg", "a.jpg"),
        ("./a.jpg", "a.jpg"),
        ("sub/b.jpg", "sub/b.jpg"),
        ("sub/../a.jpg", "a.jpg"),
        ("near.jpg", "a.jpg"),
        ("sub/back/a.jpg", "a.jpg"),
        ("missing.jpg", "missing.jpg"),
        ("..hidden.jpg", "..hidden.jpg"),
    ],
)
def test_names_under_the_folder_are_found(root: Path, name: str, found: str) -> None:
    assert inside(root, name) == root.resolve() / found


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        ".",
        "sub/..",
        "..",
        "../secret.jpg",
        "sub/../../secret.jpg",
        "sub/../../root/a.jpg",
        "/etc/passwd",
        "//host/share",
        "out.jpg",
        "up/secret.jpg",
        "sub/back/../secret.jpg",
        "a\\b.jpg",
        "..\\secret.jpg",
        "C:/photo.jpg",
        "c:photo.jpg",
        "a.jpg\0.png",
        "\ud800.jpg",
    ],
)
def test_names_that_lead_outside_are_refused_by_name(root: Path, name: str) -> None:
    with pytest.raises(BadPicture) as caught:
        inside(root, name)
    message = str(caught.value)
    assert "The file name" in message
    assert repr(name)[1:4] in message or not name.isprintable()
    assert message.isprintable()


def test_a_link_that_leads_to_itself_is_refused_or_not_there(root: Path) -> None:
    try:
        assert not inside(root, "loop").is_file()
    except BadPicture as problem:
        assert "loop" in str(problem)
    except OSError:
        pytest.fail("an operating system error came through")


def test_the_folder_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert inside(tmp_path / "link", "a.jpg") == root.resolve() / "a.jpg"


PARTS = st.one_of(
    st.sampled_from(
        ["..", ".", "", "sub", "up", "back", "loop", "a.jpg", "out.jpg", "root", "world", "C:", "~", "%2e%2e", "\\.."]
    ),
    st.text(max_size=5),
)


@given(st.lists(PARTS, max_size=8).map("/".join))
def test_inside_never_gives_a_path_outside_the_folder(root: Path, name: str) -> None:
    try:
        found = inside(root, name)
    except BadPicture:
        return
    home = root.resolve()
    assert found != home
    assert found.resolve().is_relative_to(home)
    assert ".." not in found.parts
