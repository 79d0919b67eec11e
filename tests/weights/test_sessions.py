from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import onnxruntime  # type: ignore[import-untyped]
import pytest

from anamorph.errors import UsageError
from anamorph.inpainters.lama import LaMa
from anamorph.inpainters.migan import MiGan
from anamorph.weights.files import sha256_of
from anamorph.weights.sessions import input_size, session
from tests.inpainters.tiny_onnx import write_tiny_lama


def test_a_session_has_one_thread_and_is_made_once(tmp_path: Path) -> None:
    file = write_tiny_lama(tmp_path / "lama.onnx")
    first = session(file)
    assert session(file) is first
    assert first.get_session_options().intra_op_num_threads == 1
    assert input_size(first, "image") == (64, 64)


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    file = write_tiny_lama(tmp_path / "lama.onnx")
    first, digest = session(file), sha256_of(file)
    write_tiny_lama(file, side=32)
    os.utime(file, ns=(1, 1))
    assert session(file) is not first and sha256_of(file) != digest


def test_a_device_that_the_library_lacks_is_refused_by_name(tmp_path: Path) -> None:
    file = write_tiny_lama(tmp_path / "lama.onnx")
    with pytest.raises(UsageError, match=r"device = 'coreml': the installed onnxruntime cannot use it. It has cpu"):
        session(file, "coreml")


def test_a_device_comes_before_the_processor_and_is_part_of_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_tiny_lama(tmp_path / "lama.onnx")
    made: list[Any] = []
    monkeypatch.setattr(
        onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"]
    )
    monkeypatch.setattr(onnxruntime, "InferenceSession", lambda *_, providers: made.append(providers))
    session(file, "cuda")
    assert made == [["CUDAExecutionProvider", "CPUExecutionProvider"]]
    for inpainter in (LaMa, MiGan):
        assert inpainter(path=str(file), device="cuda").fingerprint["device"] == "cuda"
        assert "device" not in inpainter(path=str(file)).fingerprint
