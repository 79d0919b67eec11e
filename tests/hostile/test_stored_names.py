"""Names of image files in a forged run: nothing but an image of the run is ever opened, shown, copied or sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph.errors import BadPicture
from anamorph.store.images import ImageFolder
from anamorph.store.run import RunStore
from tests.hostile.conftest import Command

SECRET = b"-----BEGIN OPENSSH PRIVATE KEY-----"
# Notes what it is shown, as a service elsewhere would.
SYSTEM = """
from pathlib import Path
def note(paths):
    with open(Path(__file__).with_name("seen"), "ab") as seen:
        for path in paths:
            seen.write(Path(path).read_bytes())
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    note([request["image"]])
    print(json.dumps({"id": request["id"], "text": "a photo " + request["image"][-8:]}), flush=True)
"""
NAMES = {
    "a path upwards": "../id_rsa",
    "a path upwards after two digits": "ab/../../../id_rsa",
    "an absolute path": "{folder}/id_rsa",
    "a name that is no digest": "id_rsa",
    "a digest with a line end": "0" * 32 + ".jpg\n",
    "a digest of another length": "0" * 31 + ".jpg",
    "another ending": "0" * 32 + ".key",
    "an empty name": "",
    "a null": "0" * 32 + ".jpg\0",
    "digits of another script": "\u0660" * 32 + ".jpg",
    "a link to it": "0" * 32 + ".jpg",
}
EACH = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())


@pytest.fixture
def forged(
    tmp_path: Path, photos: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Makes a run whose images all have another name, and which has no answers."""

    def make(name: str) -> Path:
        photos(1)
        (tmp_path / "system.py").write_text(SYSTEM)
        (tmp_path / "id_rsa").write_bytes(SECRET)
        monkeypatch.chdir(tmp_path)
        parts = (
            "-m",
            "deeptest",
            "--set",
            "deeptest.compare=wording",
            "-s",
            "folder:photos",
            "-y",
            "command:python3 system.py",
            "-o",
            "run",
        )
        assert anamorph("run", *parts, "--no-report").code == 1
        run = tmp_path / "run"
        (run / "images" / "00").mkdir(exist_ok=True)
        (run / "images" / "00" / NAMES["a link to it"]).symlink_to(tmp_path / "id_rsa")
        with RunStore.open(run) as store:
            store.connection.execute("UPDATE images SET file = ?", (name.format(folder=tmp_path),))
        (tmp_path / "seen").unlink()
        return run

    return make


@EACH
def test_a_forged_name_is_made_again_and_never_sent(
    name: str, forged: Callable[[str], Path], anamorph: Command, tmp_path: Path
) -> None:
    with RunStore.open(forged(name)) as store:
        store.connection.execute("DELETE FROM answers")
    done = anamorph("resume", "run", "--json")
    assert done.code == 1, done.err
    assert json.loads(done.out)["answers"] == 5
    seen = (tmp_path / "seen").read_bytes()
    assert seen.count(b"\xff\xd8\xff") == 5 and SECRET not in seen


@EACH
def test_a_forged_name_is_neither_reported_nor_exported(
    name: str, forged: Callable[[str], Path], anamorph: Command, tmp_path: Path
) -> None:
    run = forged(name)
    assert anamorph("report", "run").code == 0
    assert anamorph("export", "run", "--to", "jsonl", "-o", "out", "--which", "all").code == 0
    for folder in (run / "report", tmp_path / "out"):
        assert not [file for file in folder.rglob("*") if file.is_file() and SECRET in file.read_bytes()]


@EACH
def test_only_names_of_images_are_opened(name: str, tmp_path: Path) -> None:
    folder = ImageFolder(tmp_path / "images")
    if name != NAMES["a link to it"]:
        for open_it in (folder.path, folder.pixels):
            with pytest.raises(BadPicture, match="is not the name of a stored image"):
                open_it(name.format(folder=tmp_path))
    assert folder.find(b"id_rsa") is None  # type: ignore[arg-type]
    assert folder.find(name.format(folder=tmp_path)) is None
