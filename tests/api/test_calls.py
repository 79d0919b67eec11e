from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image

import anamorph
from anamorph.edits.brightness import Brightness
from anamorph.engine.events import Event, Finished
from anamorph.methods.deeptest import DeepTest
from anamorph.model import Answer, Ask, Box, Case, Failure, Manner, Pixels, Probe, Scene, Skip, Summary, Tally, Thing
from anamorph.relations.same_answer import SameAnswer
from anamorph.store.run import RunStore
from anamorph.studies.judge.judge import JudgedRow
from anamorph.toybox.scenes import ToyboxScenes
from tests.cli import command_line

DARKER = {"deeptest": {"blur": [], "brightness": [0.5], "contrast": [], "shear": []}}


def bright(image: Pixels) -> str:
    return "a dog on a bench in the sun" if image.mean() > 120 else "a cat in the dark"


def same(image: Pixels) -> str:
    return "a dog"


def arrays(count: int) -> list[Pixels]:
    return [np.full((24, 32, 3), 100 + 40 * place, dtype=np.uint8) for place in range(count)]


cli = functools.partial(command_line.anamorph, COLUMNS="200")


def test_a_function_is_tested_on_a_folder_of_photos(tmp_path: Path, photos: Callable[..., Path]) -> None:
    run = anamorph.run(same, photos(3), out=tmp_path / "run")
    assert run.passed and run.rate.share == 0 and run.rate.decided == 12
    assert len(run.issues) == 0 and list(run.issues) == []
    assert "12 cases, 0 violated" in repr(run)


@pytest.mark.parametrize(
    "form", [str, lambda path: f"folder:{path}", lambda path: {"kind": "folder", "path": str(path)}]
)
def test_scenes_have_several_forms(form: Callable[[Path], Any], tmp_path: Path, photos: Callable[..., Path]) -> None:
    run = anamorph.run(same, form(photos(2)), DeepTest(), out=tmp_path / "run")
    assert run.numbers.scene_count == 2


def test_arrays_images_and_paths_become_files_of_the_run(tmp_path: Path, photos: Callable[..., Path]) -> None:
    path = sorted(photos(1).iterdir())[0]
    grey = Image.fromarray(np.full((20, 30), 7, dtype=np.uint8))
    run = anamorph.run(bright, [*arrays(2), grey, path, str(path)], out=tmp_path / "run", settings=DARKER)
    assert [each.name for each in sorted((tmp_path / "run" / "scenes").iterdir())] == [
        "00000.png",
        "00001.png",
        "00002.png",
        "00003-0000.png",
        "00004-0000.png",
    ]
    (issue,) = run.issues
    assert issue.source.scene == "00001.png"
    shown = issue.source.image
    assert shown is not None and shown.size == (32, 24)
    assert abs(np.asarray(shown).mean() - 140) < 2
    answers = [probe.answer for probe in issue.probes]
    assert answers == [Answer("a dog on a bench in the sun"), Answer("a cat in the dark")]
    assert issue.reason and issue.follow_ups[0].edits_in_words


def test_a_photo_may_be_a_link_and_have_any_ending(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    Image.fromarray(arrays(1)[0]).save(tmp_path / "deep" / "photo", "PNG")
    (tmp_path / "link.dat").symlink_to("deep/photo")
    run = anamorph.run(same, [tmp_path / "link.dat"], out=tmp_path / "run")
    assert run.numbers.scene_count == 1 and run.passed


def test_a_batch_of_arrays_in_one_array_and_a_limit(tmp_path: Path) -> None:
    run = anamorph.run(same, np.stack(arrays(3)), out=tmp_path / "run", limit=2)
    assert run.numbers.scene_count == 2
    assert len(list((tmp_path / "run" / "scenes").iterdir())) == 2


def test_scenes_keep_what_they_say_and_can_be_resumed_from_the_command_line_once_planned(tmp_path: Path) -> None:
    Image.fromarray(arrays(1)[0]).save(tmp_path / "photo.png")
    scene = Scene("mine", str(tmp_path / "photo.png"), 32, 24, (Thing("1", "dog", Box(2, 2, 9, 9)),), ("a dog",))
    anamorph.plan(None, [scene], out=tmp_path / "run")
    done = cli("resume", tmp_path / "run", "--system", f"command:{sys.executable} -c pass", "--json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    anamorph.plan("toybox:captioner", [scene], out=tmp_path / "other")
    assert cli("resume", tmp_path / "other", cwd=tmp_path).returncode in (0, 1)
    found = next(anamorph.open_run(tmp_path / "other").cases)
    assert found.scene == "mine" and found.answers[0] is not None


def test_a_run_can_be_opened_again_for_reading_and_says_what_cannot_be_resumed(tmp_path: Path) -> None:
    anamorph.run(bright, arrays(2), out=tmp_path / "run", settings=DARKER)
    again = anamorph.open_run(tmp_path / "run")
    assert len(again.issues) == 1 and not again.passed
    assert again.report().is_file()
    assert cli("report", tmp_path / "run", cwd=tmp_path).returncode == 0
    with pytest.raises(anamorph.UsageError, match=r"was an object of a Python program \(bright\)"):
        again.resume()
    done = cli("resume", tmp_path / "run", cwd=tmp_path)
    assert done.returncode == 2 and "was an object of a Python program (bright)" in done.stderr


def test_a_run_is_resumed_in_the_same_process(tmp_path: Path) -> None:
    working = False

    def sometimes(image: Pixels) -> str:
        if not working:
            raise RuntimeError("not yet")
        return "a dog"

    run = anamorph.run(sometimes, arrays(2), out=tmp_path / "run", settings={"ask": {"give_up_after": 0}})
    assert run.gate.exit_code == 3
    working = True
    assert run.resume() is run
    assert run.passed and run.rate.decided == 8


def test_a_system_that_is_down_is_an_error_and_the_run_stays(tmp_path: Path) -> None:
    def down(image: Pixels) -> str:
        raise RuntimeError("no weights")

    with pytest.raises(anamorph.SystemDown, match="no weights"):
        anamorph.run(down, arrays(2), out=tmp_path / "run", settings={"ask": {"give_up_after": 3}})
    assert anamorph.open_run(tmp_path / "run").gate.exit_code == 3


def test_a_plan_shows_what_would_be_asked_and_its_temporary_folder_goes_with_it() -> None:
    plan = anamorph.plan(None, arrays(3))
    assert plan.numbers.probe_count == 15 and plan.numbers.state == "unjudged"
    assert plan.gate.exit_code == 3
    folder = plan.folder
    assert plan.resume(system=same).passed
    with pytest.raises(anamorph.UsageError, match="was begun with a system already"):
        plan.resume(system=bright)
    del plan
    assert not folder.exists()


@dataclass(frozen=True)
class Count:
    """A system of the program's own."""

    kind: ClassVar[str] = "count"
    closed: list[int]

    @property
    def manner(self) -> Manner:
        return Manner(batch=2)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"version": 1}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return [Answer(labels={"bright": float(ask.load().mean() / 255)}) for ask in batch]

    def close(self) -> None:
        self.closed.append(1)


def test_a_system_object_is_used_as_it_is_and_belongs_to_the_program(tmp_path: Path) -> None:
    closed: list[int] = []
    run = anamorph.run(Count(closed), arrays(2), out=tmp_path / "run")
    assert run.rate.decided == 8 and closed == []
    system = run.numbers.system
    assert system is not None and system.settings == {"name": "Count"}


def test_objects_of_the_catalogue_are_stored_by_their_settings(tmp_path: Path) -> None:
    from anamorph.toybox.systems import ToyboxSystem

    run = anamorph.run(ToyboxSystem("captioner"), ToyboxScenes(2), DeepTest(blur=(1.5,)), out=tmp_path / "run")
    again = anamorph.open_run(tmp_path / "run")
    assert again.resume().numbers.counts == run.numbers.counts
    assert again.numbers.scenes is not None and again.numbers.scenes.kind == "toybox"
    assert again.numbers.methods[0].settings["blur"] == [1.5]


@dataclass(frozen=True)
class Darker:
    """A method of the program's own."""

    kind: ClassVar[str] = "darker"
    by: float = 0.5

    def plan(self, scenes: Any, rng: Random) -> Iterator[Case | Skip]:
        for scene in scenes:
            yield Case(self.kind, Probe(scene.id), (Probe(scene.id, (Brightness(self.by),)),), SameAnswer())

    def summarise(self, tallies: Sequence[Tally]) -> Summary:
        return ()


def test_a_method_of_the_programs_own_runs_and_its_run_can_be_read_without_it(tmp_path: Path) -> None:
    run = anamorph.run(bright, arrays(2), [Darker(0.4), "deeptest"], out=tmp_path / "run")
    assert {group.method for group in run.numbers.groups} == {"darker", "deeptest"}
    from anamorph import catalog

    catalog._loaded.clear()
    again = anamorph.open_run(tmp_path / "run")
    assert {group.method for group in again.numbers.groups} == {"darker", "deeptest"}
    assert again.report().is_file()
    done = cli("resume", tmp_path / "run", cwd=tmp_path)
    assert done.returncode == 2 and "'darker' is a class of the Python program that began this run" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"methods": "deptest"}, "Unknown method 'deptest'. Did you mean 'deeptest'?"),
        ({"methods": []}, "No method given"),
        ({"methods": ["deeptest", DeepTest()]}, "'deeptest' is there twice"),
        ({"methods": DeepTest}, "methods: DeepTest is a class"),
        ({"methods": [3]}, "3 is not a method"),
        ({"scenes": "phots"}, "the folder 'phots' does not exist"),
        ({"scenes": "folder:gone"}, "gone"),
        ({"scenes": []}, "the list of photos is empty"),
        ({"scenes": [np.zeros((3, 3, 3))]}, r"scenes\[0\]: expected an array of height x width x 3"),
        ({"scenes": ["gone.jpg"]}, r"scenes\[0\]: the file 'gone.jpg' does not exist"),
        ({"scenes": [None]}, r"scenes\[0\]: expected an array, a Pillow image, a path or a Scene, got None"),
        ({"scenes": 3}, "expected a folder, a text"),
        ({"system": "calable:x"}, "Unknown system 'calable'. Did you mean 'callable'?"),
        ({"system": 3}, "system: 3 cannot be called"),
        ({"system": Count}, "system: Count is a class"),
        ({"settings": {"deeptest": {"blurr": 2}}}, "deeptest.blurr: unknown key. Did you mean 'blur'?"),
        ({"settings": {"seed": 3}}, "'seed' is an argument of its own"),
        ({"settings": "anamorph.toml"}, "expected a table as in a configuration file, got a str"),
        ({"settings": {"pools": ["nowhere"]}}, "nowhere: no pool of cut-outs here"),
        ({"settings": {"inpainters": {"lama": {"path": "gone.onnx"}}}}, "gone.onnx"),
        ({"limit": 0}, "limit"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_asked_and_leave_no_folder(
    arguments: dict[str, Any], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[int] = []

    def count(image: Pixels) -> str:
        asked.append(1)
        return "a dog"

    with pytest.raises(anamorph.UsageError, match=complaint):
        anamorph.run(**{"system": count, "scenes": arrays(1), "out": "some/where/run", **arguments})
    assert not asked and list(tmp_path.iterdir()) == []


def test_a_run_that_is_stopped_while_it_is_planned_leaves_no_folder(tmp_path: Path) -> None:
    def stop(event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        anamorph.run(same, arrays(2), out=tmp_path / "runs" / "run", progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_the_users_is_never_written_into_or_removed(tmp_path: Path) -> None:
    (tmp_path / "run" / "scenes").mkdir(parents=True)
    (tmp_path / "run" / "scenes" / "mine.txt").write_text("mine")
    with pytest.raises(anamorph.UsageError, match="is there already"):
        anamorph.run(same, arrays(1), out=tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["scenes"]
    assert (tmp_path / "run" / "scenes" / "mine.txt").read_text() == "mine"


def test_progress_gets_every_event_or_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Event] = []
    anamorph.run(same, arrays(1), out=tmp_path / "a", progress=seen.append)
    assert isinstance(seen[-1], Finished)
    assert capsys.readouterr() == ("", "")
    anamorph.run(same, arrays(1), out=tmp_path / "b", progress=True)
    assert "asking the system" in capsys.readouterr().err


def test_runs_without_a_folder_never_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = {anamorph.run(same, arrays(1)).folder for _ in range(2)}
    assert len(folders) == 2 and all(folder.parent == tmp_path / "runs" for folder in folders)


def test_rows_are_judged_and_bad_ones_say_why(tmp_path: Path) -> None:
    rows: list[Any] = [
        {"relation": "same-answer", "answers": ("a cat", "a dog")},
        {"id": "x", "relation": "same-answer", "answers": ["a cat", "a cat"]},
        {"relation": "sme-answer", "answers": ["a", "b"]},
        "no table",
    ]
    first, second, third, fourth = anamorph.judge(rows)
    assert isinstance(first, JudgedRow) and first.verdict.outcome == "violated" and first.id == 1
    assert isinstance(second, JudgedRow) and second.verdict.outcome == "holds" and second.id == "x"
    assert "same-answer" in third.problem  # type: ignore[union-attr]
    assert "expected a table, got a str" in fourth.problem  # type: ignore[union-attr]
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "relation": "same-answer", "answers": ["a cat", "a dog"]}\n')
    assert [row.id for row in anamorph.judge(file)] == [1]
    with pytest.raises(anamorph.UsageError, match="the file does not exist"):
        anamorph.judge(tmp_path / "gone.jsonl")
    with pytest.raises(anamorph.UsageError, match="expected tables or the path of a file"):
        anamorph.judge({"id": 1})  # type: ignore[dict-item]


def test_texts_are_read() -> None:
    caption = anamorph.read("two dogs and a cat")
    assert isinstance(caption, anamorph.CaptionReading)
    assert [(mention.label, mention.count) for mention in caption.mentions] == [("dog", 2), ("cat", None)]
    answer = anamorph.read("There are three dogs.", "How many dogs are there?")
    assert isinstance(answer, anamorph.AnswerReading) and answer.number == 3


def test_settings_may_begin_with_a_preset_and_override_it(tmp_path: Path) -> None:
    settings = {"preset": "rome-paper", "rome": {"inpainter": "membrane", "max_depth": 1}}
    planned = anamorph.plan(None, "toybox:3,sample=2", "rome", out=tmp_path / "run", settings=settings)
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        config = store.fact("config")
    assert config["preset"] == "rome-paper" and config["scenes"]["sample"] == 2
    assert (config["rome"]["profile"], config["rome"]["max_depth"], config["rome"]["keep_largest"]) == (
        "paper",
        1,
        True,
    )
    assert planned.numbers.scene_count == 2


def test_the_method_is_chosen_by_whether_the_system_takes_questions() -> None:
    def answer(image: Pixels, question: str | None) -> str:
        return "1"

    photos = [np.full((24, 32, 3), 130, dtype=np.uint8)]
    assert anamorph.plan(answer, photos).numbers.methods[0].kind == "crosscheck"
    assert anamorph.plan(lambda image: "a dog", photos).numbers.methods[0].kind == "deeptest"


def test_answers_that_are_all_alike_are_a_warning(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="All 3 answers about 3 photos are the same, 'a dog'"):
        run = anamorph.run(lambda image: "a dog", "toybox:3", "deeptest", out=tmp_path / "run", progress=False)
    assert run.passed


def test_new_causes_cannot_count_without_a_baseline(tmp_path: Path) -> None:
    settings = {"gate": {"fail_on_new": True}}
    with pytest.raises(anamorph.UsageError, match="new only against a baseline"):
        anamorph.run(lambda image: "a dog", "toybox:3", "deeptest", out=tmp_path / "run", settings=settings)
    assert not (tmp_path / "run").exists()
