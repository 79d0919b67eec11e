"""A whole run whose captions are read by a class of the user's own, and one in a label space of the user's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph.config import Config, read_toml, resolve
from anamorph.engine.events import Advised
from anamorph.engine.run import carry_out, config_of, rejudge, start
from anamorph.model import Verdict
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_cases
from tests.cli.command_line import anamorph
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
(READER,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if block.startswith("# german.py"))
ANIMALS = """name = "tiere"

[[labels]]
name = "dog"
synonyms = ["Hund", "Hunde"]

[[labels]]
name = "bench"
synonyms = ["Bank", "Parkbank"]
"""
SYSTEM = """
def caption(images, questions):
    return [SAID[place % len(SAID)] for place, _ in enumerate(images)]
"""


def settings(folder: Path, *said: str, reader: str | None = "german", source: str = READER) -> Config:
    (folder / "german.py").write_text(source)
    (folder / "tiere.toml").write_text(ANIMALS)
    (folder / "system.py").write_text(f"SAID = {list(said)!r}\n{SYSTEM}")
    (folder / "anamorph.toml").write_text(
        f"""
        methods = ["deeptest"]
        scenes = 'folder:{folder / "photos"}'
        labels = '{folder / "tiere.toml"}'
        load = ['{folder / "german.py"}']
        system = 'callable:{folder / "system.py"}:caption'
        deeptest.relation = "same-objects"
        ask.batch = 2
        ask.parallel = 1
        """
        + (f'readers.caption = "{reader}"\n' if reader else "")
    )
    return resolve(read_toml(folder / "anamorph.toml"))


def verdicts(folder: Path, config: Config) -> list[Verdict]:
    with start(config, folder) as store:
        list(carry_out(store, config))
        return [verdict for _, verdict in judged_cases(store) if verdict is not None]


@pytest.fixture(autouse=True)
def _two_photos(photos: Callable[..., Path]) -> None:
    photos(2)


def test_the_reader_on_the_page_about_extensions_reads_the_captions_of_a_run(tmp_path: Path) -> None:
    config = settings(tmp_path, "Ein Hund auf einer Bank.", "Auf der Parkbank sitzt ein Hund.")
    found = verdicts(tmp_path / "run", config)
    assert found and {verdict.outcome for verdict in found} == {"holds"}
    assert not any(verdict.vacuous for verdict in found)
    assert {verdict.reason for verdict in found} >= {
        "All answers name 'dog' and 'bench', and nothing else that is known."
    }


def test_a_reader_that_fails_on_an_answer_does_not_end_the_run(tmp_path: Path) -> None:
    broken = READER.replace(
        "    def read(",
        "    def read(self, answer, wanted):\n        assert answer.text != 'Bruch'\n"
        "        return self.read_german(answer, wanted)\n\n    def read_german(",
    )
    config = settings(tmp_path, "Ein Hund auf einer Bank.", "Bruch", source=broken)
    with start(config, tmp_path / "run") as store:
        advice = [event.advice for event in carry_out(store, config) if isinstance(event, Advised)]
        reasons = {verdict.reason for _, verdict in judged_cases(store) if verdict is not None}
    assert (
        "The reader german failed on some answers, which count as unread: AssertionError: . Please report it." in advice
    )
    assert any("The reader german failed on it (AssertionError: )" in reason for reason in reasons)


def test_what_it_reads_decides(tmp_path: Path) -> None:
    config = settings(tmp_path, "Ein Hund auf einer Bank.", "Eine Bank.")
    found = verdicts(tmp_path / "run", config)
    assert {verdict.outcome for verdict in found} == {"holds", "lead"}
    lost = next(verdict for verdict in found if verdict.outcome == "lead")
    assert "'dog'" in lost.reason and {each.text for each in lost.evidence} == {"Hund"}


def test_the_reader_of_english_would_not_have_decided_anything(tmp_path: Path) -> None:
    config = settings(tmp_path, "Ein Hund sitzt auf einer Bank in der Sonne.", reader=None)
    assert {verdict.outcome for verdict in verdicts(tmp_path / "run", config)} == {"undecided"}


def test_a_run_keeps_its_reader_when_it_is_judged_again(tmp_path: Path) -> None:
    config = settings(tmp_path, "Ein Hund auf einer Bank.", "Eine Bank.")
    before = verdicts(tmp_path / "run", config)
    with RunStore.open(tmp_path / "run") as store:
        stored = config_of(store)
        assert json.loads(json.dumps(stored.plain))["readers"] == {"caption": "german"}
        assert stored.readers().name_of("caption") == "german" and stored.readers().space.name == "tiere"
        list(rejudge(store, stored))
        assert [verdict for _, verdict in judged_cases(store)] == before


def test_it_says_why_it_cannot_read(tmp_path: Path) -> None:
    config = settings(tmp_path, "...")
    (verdict, *_) = verdicts(tmp_path / "run", config)
    assert verdict.outcome == "undecided" and "the answer is empty" in verdict.reason


def test_the_commands_of_the_page_load_and_use_it(tmp_path: Path) -> None:
    settings(tmp_path, "Ein Hund auf einer Bank.", "Eine Bank.")
    words = ("-m", "deeptest", "-s", "folder:photos", "-y", "callable:system.py:caption", "-o", "run", "--json")
    chosen = ("--load", "german.py", "--set", "readers.caption=german", "--set", "labels=tiere.toml")
    compared = ("--set", "deeptest.relation=same-objects", "--set", "ask.batch=2", "--set", "ask.parallel=1")
    done = anamorph("run", *words, *chosen, *compared, cwd=tmp_path)
    record = json.loads(done.stdout)
    # A dog that some captions leave out is only a lead, and one that nobody reads would be none.
    assert (done.returncode, record["undecided"]) == (0, 0) and record["leads"] > 0, done.stderr
    again = json.loads(anamorph("rejudge", "run", "--json", cwd=tmp_path).stdout)
    assert again["leads"] == record["leads"]
    shown = anamorph("read", "--config", "anamorph.toml", "Ein Hund.", cwd=tmp_path)
    assert shown.stdout.strip() == "Ein Hund[dog, unknown]."
    refused = anamorph("run", *words[:-2], "other", *chosen[:3], "readers.answer=german", cwd=tmp_path)
    assert refused.returncode == 2
    assert "readers.answer: the reader 'german' makes caption. These make answer: english" in refused.stderr
