from __future__ import annotations

import os
from pathlib import Path

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
