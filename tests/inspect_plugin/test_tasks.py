"""The tasks for inspect_ai: what they judge is what a run of Anamorph judges on the same answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

import anamorph
from anamorph.api.runs import Run
from anamorph.cli.main import cli
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.report.issues import JudgedCase
from anamorph.systems.chats.prompts import CAPTION_PROMPT, QUESTION_PROMPT, Prompts
from tests.plugs.chat_model import image_in, reply
from tests.plugs.marks import needs

pytestmark = [*needs("inspect_ai"), pytest.mark.filterwarnings("ignore")]


class SeenModel:
    """The same model, asked directly."""

    kind: ClassVar[str] = "seen"
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    fingerprint: ClassVar[dict[str, Any]] = {"kind": "seen"}
    manner: ClassVar[Manner] = Manner()

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        prompts = Prompts(CAPTION_PROMPT, QUESTION_PROMPT)
        return [Answer(reply(ask.path.read_bytes(), prompts.text(ask))) for ask in batch if ask.path is not None]

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four drawn photos with annotations."""
    folder = tmp_path_factory.mktemp("toys") / "toys"
    done = CliRunner().invoke(cli, ["toybox", "make", "--scenes", "4", "--out", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., Any]:
    """Evaluates a task with inspect's own mock model, which answers what the model says; gives the log."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def run(task: Any, say: Callable[[bytes, str], str] = reply, **settings: Any) -> Any:
        def answer(messages: list[Any], *_: Any) -> Any:
            text, image = messages[-1].content
            output = ModelOutput.from_content("toy", say(image_in(image.image), text.text))
            # Without it, the mock model counts tokens with a table that it fetches.
            output.usage = ModelUsage(input_tokens=100, output_tokens=5, total_tokens=105)
            return output

        model = get_model("mockllm/toy", custom_outputs=answer, memoize=False)
        settings = {"log_dir": str(tmp_path / "logs"), "display": "none", **settings}
        (log,) = evaluate(task, model=model, **settings)
        return log

    return run


def metrics(log: Any) -> dict[str, float]:
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def verdicts(run: Run) -> list[tuple[Any, ...]]:
    def brief(case: JudgedCase) -> tuple[Any, ...]:
        return case.digest, case.relation, case.outcome, case.reason, case.state, case.answers

    return sorted(map(brief, run.cases), key=lambda row: row[0])


@pytest.mark.parametrize(("method", "annotated"), [("crosscheck", False), ("metavqa", True), ("rome", True)])
def test_verdicts_are_those_of_a_direct_run_on_the_same_answers(
    method: str, annotated: bool, toys: Path, evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    from anamorph.inspect_plugin import tasks

    scenes = f"coco:{toys}/instances.json,images={toys}/images" if annotated else str(toys / "images")
    # The objects of these small photos are large.
    settings = {"rome": {"melt": {"max_at_once": 0.2}}, "melt_check": {"fills": False}}
    config = tmp_path / "large.toml"
    config.write_text("[rome.melt]\nmax_at_once = 0.2\n[melt_check]\nfills = false\n")
    task = getattr(tasks, method)(photos=scenes, config=str(config), out=str(tmp_path / "kept"))
    log = evaluate(task, limit=2)
    assert log.status == "success" and len(log.samples) == 2
    direct = anamorph.run(
        SeenModel(), scenes, method, out=tmp_path / "direct", limit=2, settings=settings, progress=False
    )
    kept = anamorph.open_run(tmp_path / "kept" / "epoch-1")
    assert verdicts(kept) == verdicts(direct) and len(verdicts(direct)) > 1
    counts, found = direct.numbers.counts, metrics(log)
    assert bool(counts.violated) == (method != "rome")
    scores = [sample.scores["relations"] for sample in log.samples]
    assert sum(score.value["violated"] for score in scores) == counts.violated
    assert sum(score.value["holds"] for score in scores) == counts.holds
    assert sum(score.value["undecided"] for score in scores) == counts.undecided
    assert sum(score.value["leads"] for score in scores) == counts.leads
    assert found["violation_rate"] == counts.violated / (counts.violated + counts.holds)
    assert (found["violation_rate_low"], found["violation_rate_high"]) == counts.interval
    if direct.floor is not None and direct.floor.interval is not None:
        assert found["error_floor"] == direct.floor.share
        assert (found["error_floor_low"], found["error_floor_high"]) == pytest.approx(direct.floor.interval)
    relations = {group.relation: group.counts for group in direct.numbers.groups}
    for relation, each in relations.items():
        if each.violated + each.holds:
            assert found[relation] == each.violated / (each.violated + each.holds)


def test_every_call_is_in_the_log_of_its_photo_and_proofs_show_their_images(
    toys: Path, evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    from anamorph.inspect_plugin.tasks import crosscheck

    log = evaluate(crosscheck(photos=str(toys / "images"), out=str(tmp_path / "kept")), log_images=True)
    kept = anamorph.open_run(tmp_path / "kept" / "epoch-1")
    calls = [event for sample in log.samples for event in sample.events if event.event == "model"]
    assert len(calls) == kept.numbers.spending.images_sent
    for sample in log.samples:
        own = [case for case in kept.cases if case.scene == sample.id]
        assert any(event.event == "model" for event in sample.events) and own
        issues = [case for case in own if case.outcome == "violated"]
        explained = sample.scores["relations"].explanation
        assert all(case.reason in explained for case in issues[:5])
        images = [part for message in sample.messages[1:] if not isinstance(message.content, str)
                  for part in message.content if part.type == "image"]  # fmt: skip
        assert bool(images) == bool(issues)


def test_fewer_samples_at_once_than_photos_change_no_verdict(
    toys: Path, evaluate: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anamorph.inspect_plugin import asking
    from anamorph.inspect_plugin.tasks import crosscheck

    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.2)
    all_at_once = metrics(evaluate(crosscheck(photos=str(toys / "images"))))
    one_by_one = metrics(evaluate(crosscheck(photos=str(toys / "images")), max_samples=1))
    assert one_by_one == pytest.approx(all_at_once, nan_ok=True)


def test_only_the_photos_that_inspect_chose_are_asked_about(
    toys: Path, evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    from anamorph.inspect_plugin.tasks import crosscheck

    photos = sorted(path.name for path in (toys / "images").iterdir())
    for place, chosen in (({"limit": 2}, photos[:2]), ({"sample_id": [photos[1], photos[3]]}, [photos[1], photos[3]])):
        out = tmp_path / str(len(chosen[0])) / str(*place)
        evaluate(crosscheck(photos=str(toys / "images"), out=str(out)), **place)
        kept = anamorph.open_run(out / "epoch-1")
        assert {case.scene for case in kept.cases} == set(chosen)


def test_epochs_are_runs_of_their_own_and_give_the_noise_floor(
    toys: Path, evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    from anamorph.inspect_plugin.tasks import metavqa

    scenes = f"coco:{toys}/instances.json,images={toys}/images"
    steady = evaluate(metavqa(photos=scenes), epochs=2)
    assert metrics(steady)["noise_floor"] == 0 and len(steady.samples) == 8
    asked: dict[tuple[bytes, str], int] = {}

    def moody(image: bytes, text: str) -> str:
        asked[image, text] = asked.get((image, text), 0) + 1
        said = reply(image, text)
        return {"yes": "no", "no": "yes"}.get(said.strip(".").lower(), said) if asked[image, text] > 1 else said

    noisy = metrics(evaluate(metavqa(photos=scenes), moody, epochs=2))
    assert 0 < noisy["noise_floor"] <= 1


def test_a_run_that_was_kept_goes_on_and_asks_nothing_twice(
    toys: Path, evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    from anamorph.inspect_plugin.tasks import metavqa

    calls: list[str] = []

    def counting(image: bytes, text: str) -> str:
        calls.append(text)
        return reply(image, text)

    scenes = f"coco:{toys}/instances.json,images={toys}/images"
    arguments = {"photos": scenes, "out": str(tmp_path / "kept")}
    first = metrics(evaluate(metavqa(**arguments), counting))
    before = len(calls)
    assert metrics(evaluate(metavqa(**arguments), counting)) == pytest.approx(first, nan_ok=True)
    assert len(calls) == before


def test_a_limit_of_inspect_ends_the_calls_of_a_photo_and_the_rest_is_judged(
    toys: Path, evaluate: Callable[..., Any]
) -> None:
    from anamorph.inspect_plugin.tasks import crosscheck

    log = evaluate(crosscheck(photos=str(toys / "images")), turn_limit=8)
    assert log.status == "success" and all(sample.limit is not None for sample in log.samples)
    for sample in log.samples:
        # Of about thirty; calls that were under way when the limit was reached are among them.
        assert sum(event.event == "model" for event in sample.events) <= 20
        assert sample.scores["relations"].value["undecided"] >= 0


def test_a_model_that_does_not_look_is_refused_and_has_no_rate(toys: Path, evaluate: Callable[..., Any]) -> None:
    from anamorph.inspect_plugin.tasks import crosscheck

    log = evaluate(crosscheck(photos=str(toys / "images")), lambda image, text: "Default output")
    assert math.isnan(metrics(log)["violation_rate"])
    assert "Inconclusive" in log.samples[0].scores["relations"].explanation


def test_a_model_that_fails_is_an_error_and_never_a_pass(toys: Path, evaluate: Callable[..., Any]) -> None:
    from anamorph.inspect_plugin.tasks import crosscheck

    def broken(image: bytes, text: str) -> str:
        raise ValueError("no such model")

    log = evaluate(crosscheck(photos=str(toys / "images")), broken)
    assert all(sample.error is not None and "no such model" in sample.error.message for sample in log.samples)


def test_mistakes_in_arguments_are_told_before_anything_is_asked(toys: Path, tmp_path: Path) -> None:
    from anamorph.inspect_plugin.tasks import crosscheck

    with pytest.raises(anamorph.UsageError, match="does not exist"):
        crosscheck(photos=str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(anamorph.UsageError, match="has no photo"):
        crosscheck(photos=str(tmp_path / "empty"))
    (tmp_path / "settings.toml").write_text("seed = 3\n")
    with pytest.raises(anamorph.UsageError, match="'seed' is an argument of the task"):
        crosscheck(photos=str(toys / "images"), config=str(tmp_path / "settings.toml"))
