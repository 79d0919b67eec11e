from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamorph.config import resolve
from anamorph.engine.preflight import Preflight, check_output
from anamorph.errors import RunError, UsageError


def problems(tmp_path: Path, **changes: Any) -> dict[str, str]:
    plain = {"methods": ["deeptest"], "scenes": "toybox:2", "system": "toybox:captioner", **changes}
    with Preflight(resolve(plain), tmp_path / "run") as preflight:
        return {each.what: str(each.problem) for each in preflight.results(look=True) if each.problem is not None}


def test_what_is_in_order_has_no_problem_and_makes_no_folder(tmp_path: Path) -> None:
    assert problems(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_every_problem_is_found_not_only_the_first(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    found = problems(
        tmp_path,
        methods=[],
        scenes=f"folder:{tmp_path}/gone",
        system="callable:nowhere:caption",
        segmenter={"kind": "onnx", "path": "gone.onnx"},
        pools=["nowhere"],
        inpainters={"lama": {"path": "lost.onnx"}},
    )
    assert set(found) == {
        "methods",
        "scenes",
        "system",
        "segmenter",
        "pool nowhere",
        "inpainter lama",
        "output folder",
    }
    assert "is not a folder" in found["output folder"]
    assert "gone.onnx" in found["segmenter"] and "lost.onnx" in found["inpainter lama"]


def test_the_inpainter_of_a_method_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path / "models"))
    assert (
        "anamorph list models get"
        in problems(tmp_path, methods=["rome"], rome={"inpainter": "migan"})["inpainter migan"]
    )


def test_a_method_that_does_not_suit_the_system_is_found(tmp_path: Path) -> None:
    assert "tests systems that answer with" in problems(tmp_path, methods=["atom"])["system"]


def test_scenes_are_only_scanned_up_to_the_first(tmp_path: Path, photos: Callable[..., Path]) -> None:
    folder = photos(3)
    (folder / "0000.png").write_bytes(b"no picture")
    assert problems(tmp_path, scenes=f"folder:{folder}") == {}
    for name in ("0001.png", "0002.png"):
        (folder / name).write_bytes(b"no picture")
    assert "every one of 3 was skipped" in problems(tmp_path, scenes=f"folder:{folder}")["scenes"]


def test_the_class_behind_a_callable_is_made_once_for_the_check_and_the_run(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "from pathlib import Path\n\n"
        "class Model:\n"
        "    def __init__(self):\n"
        f"        with Path({str(tmp_path / 'made')!r}).open('a') as file: file.write('x')\n"
        "    def __call__(self, images, questions):\n"
        "        return ['a'] * len(images)\n"
        "class Bad:\n"
        "    def __init__(self, weights): pass\n"
        "    def __call__(self, images, questions): pass\n"
    )
    plain = {"methods": ["deeptest"], "scenes": "toybox:2"}
    with Preflight(resolve({**plain, "system": f"callable:{tmp_path}/model.py:Model"}), tmp_path / "run") as preflight:
        config = preflight.checked()
        system = config.system()
        assert system.fingerprint and system.kind == "callable"
        assert (tmp_path / "made").read_text() == "x"
    with (
        Preflight(resolve({**plain, "system": f"callable:{tmp_path}/model.py:Bad"}), tmp_path / "run") as preflight,
        pytest.raises(UsageError, match="cannot be instantiated without arguments"),
    ):
        preflight.checked()


def test_an_output_folder_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    check_output(tmp_path / "new" / "run")
    (tmp_path / "run.sqlite").write_bytes(b"")
    with pytest.raises(RunError, match="holds a run already"):
        check_output(tmp_path)
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(RunError, match="no permission to write"):
            check_output(tmp_path / "run")
        tmp_path.chmod(0o700)
