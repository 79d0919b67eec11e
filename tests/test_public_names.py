"""What `import anamorph` offers: quickly, completely, and documented."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import anamorph
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")


def test_the_import_loads_nothing_until_a_name_is_used() -> None:
    code = "import sys, anamorph; print(sorted(m for m in sys.modules if m.startswith(('anamorph', 'numpy', 'click'))))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "src")}
    )
    assert done.stdout.strip() == "['anamorph']", done.stderr


def test_the_lists_of_names_agree() -> None:
    assert {*anamorph.__all__} == {*anamorph._NAMES, "__version__"}
    assert len(anamorph.__all__) == len(set(anamorph.__all__))
    assert {*anamorph.__all__} <= {*dir(anamorph)}
    source = inspect.getsource(anamorph).partition("if TYPE_CHECKING:")[2].partition("def ")[0]
    assert set(re.findall(r"(\w+) as \1\b", source)) == {*anamorph._NAMES}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'rum'"):
        _ = anamorph.rum


@pytest.mark.parametrize("name", sorted({*anamorph.__all__} - {"__version__"}))
def test_every_public_name_has_documentation(name: str) -> None:
    value = getattr(anamorph, name)
    assert f"`{name}`" in PAGE or f"`{name}(" in PAGE or f"`anamorph.{name}" in PAGE, (
        f"docs/guides/python.md lacks {name}"
    )
    if name != "Pixels":
        assert (inspect.getdoc(value) or "").strip(), f"{name} has no docstring"


@pytest.mark.parametrize(
    "cls",
    [anamorph.Run, anamorph.Issue, anamorph.Suspicion, anamorph.JudgedCase, anamorph.FunctionSystem, anamorph.Rate],
)
def test_every_member_that_people_use_is_documented(cls: type) -> None:
    for name in (name for name in vars(cls) if not name.startswith("_")):
        assert f"`{name}" in PAGE or f".{name}" in PAGE, f"docs/guides/python.md lacks {cls.__name__}.{name}"
