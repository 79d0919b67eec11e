from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest

from anamorph.errors import MissingExtra
from anamorph.weights import torch_library
from tests import tiny_models as tiny


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec("numpy")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found if name == "numpy" else None)
    torch_library.require("The system 'x'", "torch", "numpy")
    with pytest.raises(MissingExtra, match=r"The system 'x' needs .* pip install 'anamorph\[torch\]'"):
        torch_library.require("The system 'x'", "torch", "numpy", "torch")


def test_a_reason_is_one_short_line() -> None:
    assert torch_library.reason(ValueError("  first.\nsecond")) == "ValueError: first"
    assert torch_library.reason(KeyError()) == "KeyError"
    assert len(torch_library.reason(ValueError("x" * 999))) < 300


class TestHeavy:
    pytestmark = tiny.heavy

    @pytest.mark.parametrize(
        ("problem", "expected"),
        [
            (MemoryError(), True),
            (RuntimeError("MPS backend out of memory (MPS allocated: 8 GB)"), True),
            (RuntimeError("DefaultCPUAllocator: can't allocate memory"), True),
            (RuntimeError("shapes do not match"), False),
            (ValueError("out of memory"), False),
        ],
    )
    def test_running_out_of_memory_is_told_from_other_errors(self, problem: Exception, expected: bool) -> None:
        assert torch_library.out_of_memory(problem) is expected

    def test_auto_means_full_precision_on_the_cpu_and_the_weights_own_elsewhere(self) -> None:
        torch: Any = importlib.import_module("torch")
        assert torch_library.dtype_of("auto", "cpu") is torch.float32
        assert torch_library.dtype_of("auto", "cuda") == "auto"
        assert torch_library.dtype_of("bfloat16", "cpu") is torch.bfloat16
        assert torch_library.device_of("cpu") == "cpu"
        torch_library.free_memory("cpu")
