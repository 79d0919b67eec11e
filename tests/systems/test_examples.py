"""The examples and the pages of the systems: what a reader copies must work."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.catalog import CATALOG, find
from anamorph.model import Answer, Ask, Pixels, System, decode
from anamorph.model.schemas import schema_of
from anamorph.systems.callable import CallableSystem
from anamorph.systems.command.system import CommandSystem
from tests.systems.faults import remote_systems, services_of

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGES = ROOT / "docs" / "systems"
SYSTEMS = ("callable", "command", "recorded", *remote_systems())


def pictures(folder: Path, question: str | None) -> list[Ask]:
    asks = []
    for number, colour in enumerate([(250, 250, 250), (70, 80, 190), (60, 150, 60)]):
        path = folder / f"{number}.png"
        Image.new("RGB", (40, 30), colour).save(path)

        def load(path: Path = path) -> Pixels:
            with Image.open(path) as image:
                return np.asarray(image.convert("RGB"))

        asks.append(Ask(f"{number:032x}", question, path, load))
    return asks


@pytest.mark.parametrize(
    "make",
    [
        lambda: CallableSystem(f"{EXAMPLES}/callable_system.py:caption"),
        lambda: CommandSystem(f"'{sys.executable}' '{EXAMPLES}/command_system.py'"),
    ],
    ids=["callable", "command"],
)
def test_an_example_captions_by_colour_and_answers_with_it(make: Callable[[], System], tmp_path: Path) -> None:
    system = make()
    colours = ("white", "blue", "green")
    assert system.ask(pictures(tmp_path, None), 60) == [Answer(f"a mostly {colour} picture") for colour in colours]
    assert system.ask(pictures(tmp_path, "What colour is it?"), 60) == [Answer(colour) for colour in colours]
    system.close()


def test_the_example_command_outlives_a_picture_that_cannot_be_read(tmp_path: Path) -> None:
    system = CommandSystem(f"'{sys.executable}' '{EXAMPLES}/command_system.py'")
    asks = pictures(tmp_path, None)
    (tmp_path / "1.png").write_bytes(b"not a picture")
    one, two, three = system.ask(asks, 60)
    assert (one, three) == (Answer("a mostly white picture"), Answer("a mostly green picture"))
    assert "cannot read" in getattr(two, "message", "")
    system.close()


@pytest.mark.parametrize(("page", "example"), [("callable", "callable_system.py"), ("command", "command_system.py")])
def test_a_page_shows_its_example_as_it_is(page: str, example: str) -> None:
    assert f"```python\n{(EXAMPLES / example).read_text()}```" in (PAGES / f"{page}.md").read_text()


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_settings_of_a_page_are_valid(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = (PAGES / f"{name}.md").read_text()
    for service in services_of(name) if name in remote_systems() else ():
        service.log_in(monkeypatch)
    for variable in re.findall(r'\$\{(\w+)\}|_variable = "(\w+)"', page):
        monkeypatch.setenv("".join(variable), "secret")
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert blocks
    for block in blocks:
        settings = tomllib.loads(block)["system"]
        assert settings["kind"] == name
        if name == "recorded":
            (tmp_path / "answers.jsonl").write_text("")
            settings["path"] = str(tmp_path / settings["path"])
        if name == "command":
            settings["command"] = settings["command"].replace("python ", f"{sys.executable} ")
        decode(find("systems", name), settings)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_schema_has_the_settings_and_nothing_private(name: str) -> None:
    assert name in CATALOG["systems"]
    properties = schema_of(find("systems", name))["properties"]
    assert all("description" in entry for entry in properties.values())
    assert not [key for key in properties if key.startswith("_")]
