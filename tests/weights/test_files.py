from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from anamorph.errors import UsageError
from anamorph.weights.files import models_folder, place_of, verification_of, weights_file
from anamorph.weights.known import KNOWN
from tests.weights.packing import CONTENT, sha256, weights

WHO = ("The inpainter 'migan'", "inpainters.migan.path")


def test_a_known_name_is_found_in_the_folder_of_models(models: Path) -> None:
    models.mkdir()
    (models / KNOWN["migan"].file).write_bytes(b"1")
    assert weights_file(*WHO, None, "migan") == models / "migan_pipeline_v2.onnx"
    assert weights_file(*WHO, "migan", "lama") == models / "migan_pipeline_v2.onnx"


def test_missing_weights_are_told_with_the_command_that_gets_them(models: Path) -> None:
    for path, name in ((None, "migan"), ("migan", "lama")):
        with pytest.raises(UsageError) as told:
            weights_file(*WHO, path, name)
        assert str(told.value) == (
            "The inpainter 'migan' needs the weights migan, "
            f"but the file {models}/migan_pipeline_v2.onnx does not exist: "
            "get them with `anamorph list models get migan`, or set inpainters.migan.path to a file."
        )


def test_a_path_wins_over_everything_but_a_bare_known_name(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("migan").write_bytes(b"1")
    assert weights_file(*WHO, "./migan", "migan") == Path("migan")
    assert weights_file(*WHO, str(tmp_path / "migan"), "migan") == tmp_path / "migan"
    with pytest.raises(UsageError, match="models get migan"):
        weights_file(*WHO, "migan", "lama")


def test_a_path_that_is_wrong_is_told_with_the_name_that_was_meant(models: Path) -> None:
    with pytest.raises(
        UsageError, match=r"the file miganz does not exist\. Correct inpainters\.migan\.path: .*'migan'\?"
    ):
        weights_file(*WHO, "miganz", "migan")


def test_a_name_that_is_not_known_is_a_file_in_the_folder(models: Path) -> None:
    with pytest.raises(
        UsageError, match=rf"the file {models}/own\.onnx does not exist\. Put it there, or set inpainters"
    ):
        weights_file(*WHO, None, "own.onnx")
    models.mkdir()
    (models / "own.onnx").write_bytes(b"1")
    assert weights_file(*WHO, None, "own.onnx") == models / "own.onnx"


def test_a_folder_of_weights_is_found_as_a_folder_only(models: Path, tmp_path: Path) -> None:
    (models / KNOWN["mask2former"].file).mkdir(parents=True)
    assert weights_file(*WHO, None, "mask2former", folder=True) == models / KNOWN["mask2former"].file
    assert weights_file(*WHO, str(tmp_path), "mask2former", folder=True) == tmp_path
    with pytest.raises(UsageError, match="needs a file of weights, and mask2former is not one"):
        weights_file(*WHO, "mask2former", "migan")
    with pytest.raises(UsageError, match=r"the file .* does not exist"):
        weights_file(*WHO, str(tmp_path), "migan")


def test_the_folder_is_the_named_one_or_one_among_the_users_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANAMORPH_MODELS", "/shared/models")
    assert models_folder() == Path("/shared/models")
    monkeypatch.setenv("ANAMORPH_MODELS", "")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    below = {"darwin": "Library/Application Support", "win32": "AppData/Local"}.get(sys.platform, ".local/share")
    assert models_folder() == tmp_path / below / "anamorph/models"
    if sys.platform == "linux":
        # The XDG specification has relative paths ignored.
        for value, expected in (("/data", Path("/data")), ("relative", tmp_path / ".local/share")):
            monkeypatch.setenv("XDG_DATA_HOME", value)
            assert models_folder() == expected / "anamorph/models"


# --- verifying ------------------------------------------------------------------------------------------------------


def test_a_file_is_missing_right_or_wrong(models: Path) -> None:
    tiny = weights(also=((sha256(b"raw"), "without NMS"),))
    assert verification_of(tiny).state == "missing"
    models.mkdir()
    for content, state, note in (
        (CONTENT, "verified", ""),
        (b"raw", "verified", "without NMS"),
        (CONTENT[:-1], "wrong", "of 204,799 bytes, not"),
    ):
        place_of(tiny).write_bytes(content)
        found = verification_of(tiny)
        assert found.state == state and note in found.note


def test_damage_that_keeps_size_and_date_is_found(models: Path) -> None:
    tiny = weights()
    models.mkdir()
    place_of(tiny).write_bytes(CONTENT)
    before = place_of(tiny).stat()
    assert verification_of(tiny).state == "verified"
    place_of(tiny).write_bytes(CONTENT[:-1] + b"?")
    os.utime(place_of(tiny), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert verification_of(tiny).state == "wrong"


def test_what_has_no_published_digest_cannot_be_verified(models: Path) -> None:
    folder = weights(bytes=None, sha256=None, by_hand="x", is_folder=True)
    place_of(folder).mkdir(parents=True)
    assert verification_of(folder).state == "unverifiable"
