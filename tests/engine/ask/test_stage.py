from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.edits.blur import Blur
from anamorph.engine.ask.dispatcher import Dispatcher
from anamorph.engine.ask.stage import ask_stage, gathering_seconds
from anamorph.engine.events import Answered, AskFailed, Finished, Planned, Rendered, RenderFailed, Retrying
from anamorph.engine.judge import Judge
from anamorph.engine.lost import calls_lost
from anamorph.engine.plan import plan_stage
from anamorph.engine.prove import by_caption
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageResult, Renderer
from anamorph.engine.run import start
from anamorph.errors import MachineFailed, Refused, RunError, SystemDown, Transient
from anamorph.model import Answer, Ask, Failure, Picture, Scene, setting
from anamorph.report.numbers import read_numbers
from anamorph.store import images as image_files
from anamorph.store.answers import AttemptResult, answers_of, record_results
from anamorph.store.run import RunStore
from tests.engine import fakes
from tests.engine.fakes import FakeScenes, Script, config_for, go, use


def cats(batch: Sequence[Ask]) -> list[Answer | Failure]:
    return [Answer("a cat") for _ in batch]


def test_each_image_is_made_once_each_scene_decoded_once_and_each_probe_asked_once(tmp_path: Path) -> None:
    script = use(Script())
    ran = go(tmp_path, scenes={"count": 5}, deeptest={})
    assert ran.of(Planned) == [Planned(cases=20, images=25, probes=25)]
    assert len(script.asked) == len(set(script.asked)) == 25
    assert len(ran.of(Rendered)) == 25
    assert sorted(FakeScenes.decoded) == ["s0", "s1", "s2", "s3", "s4"]
    assert ran.of(Finished) == [Finished(holds=20, violated=0, undecided=0)]
    assert script.closed == 1


def test_the_system_gets_batches_as_large_as_it_likes(tmp_path: Path) -> None:
    script = use(Script(batch=4))
    go(tmp_path, scenes={"count": 6})
    assert [len(call) for call in script.calls] == [4, 4, 4]


def test_settings_override_what_the_system_prefers(tmp_path: Path) -> None:
    script = use(Script(batch=4))
    go(tmp_path, scenes={"count": 3}, ask={"batch": 2})
    assert [len(call) for call in script.calls] == [2, 2, 2]


def test_as_many_calls_run_at_once_as_the_system_prefers_and_no_more(tmp_path: Path) -> None:
    three_are_there = threading.Barrier(3)

    def together(batch: Sequence[Ask]) -> list[Answer | Failure]:
        three_are_there.wait(30)
        return cats(batch)

    script = use(Script(together, parallel=3))
    ran = go(tmp_path, scenes={"count": 12})
    assert ran.problem is None and len(ran.of(Answered)) == 24
    assert script.most_under_way == 3


def test_what_is_under_way_is_bounded_however_long_the_plan(tmp_path: Path) -> None:
    made_at_first_call: list[int] = []

    def count_images(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if not made_at_first_call:
            until = time.monotonic() + 30
            while len(images()) < 60 and time.monotonic() < until:
                time.sleep(0.02)
            # Without a bound, many more would be made meanwhile.
            time.sleep(0.5)
            made_at_first_call.append(len(images()))
        return cats(batch)

    def images() -> list[Path]:
        return list((tmp_path / "images").rglob("[!.]*.jpg"))

    use(Script(count_images))
    go(tmp_path, scenes={"count": 400})
    assert 60 <= made_at_first_call[0] <= 64 + 2


@pytest.mark.parametrize(("call", "gathering"), [(0.0, 0.0), (0.002, 0.0), (0.02, 0.005), (0.1, 0.01), (60.0, 0.01)])
def test_answers_are_gathered_only_where_calls_are_slow(call: float, gathering: float) -> None:
    assert gathering_seconds(call) == gathering


def test_a_call_that_fails_in_passing_is_tried_again_until_it_answers(tmp_path: Path) -> None:
    def third_time_lucky(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if fakes.script.asked.count(batch[0].id) < 3:
            raise Transient("busy")
        return cats(batch)

    use(Script(third_time_lucky))
    ran = go(tmp_path, scenes={"count": 2})
    assert [event.tries for event in ran.of(Answered)] == [3, 3, 3, 3]
    assert len(ran.of(Retrying)) == 8 and ran.of(Finished)[0].holds == 2


def test_only_the_items_of_a_batch_that_failed_are_asked_again(tmp_path: Path) -> None:
    def second_of_two(batch: Sequence[Ask]) -> list[Answer | Failure]:
        first_try = fakes.script.asked.count(batch[-1].id) == 1
        return [*cats(batch[:-1]), Failure("later", retryable=True) if first_try else Answer("a cat")]

    script = use(Script(second_of_two, batch=4))
    go(tmp_path, scenes={"count": 2})
    assert [len(call) for call in script.calls] == [4, 1]


def test_after_the_last_try_the_probe_has_no_answer_and_its_case_is_undecided(tmp_path: Path) -> None:
    def first_one_fails(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if batch[0].id == fakes.script.calls[0][0]:
            raise Transient("busy")
        return cats(batch)

    script = use(Script(first_one_fails))
    ran = go(tmp_path, scenes={"count": 3})
    (failed,) = ran.of(AskFailed)
    assert failed.tries == 3 and failed.reason == "busy"
    assert ran.of(Finished) == [Finished(holds=2, violated=0, undecided=1)]
    with ran.store() as store:
        assert (
            "has no answer: busy."
            in store.connection.execute("SELECT reason FROM verdicts WHERE outcome = 'undecided'").fetchone()[0]
        )
    script.behaviour = cats
    asked = len(script.asked)
    again = go(tmp_path, scenes={"count": 3})
    assert len(script.asked) == asked + 1
    assert again.of(Finished) == [Finished(holds=3, violated=0, undecided=0)]


UNUSUAL: list[type[BaseException]] = [
    asyncio.CancelledError,
    KeyboardInterrupt,
    GeneratorExit,
    SystemExit,
    pytest.skip.Exception,
]


def go_at_most(seconds: float, folder: Path, **changes: Any) -> fakes.Ran:
    """A run in a thread of its own, so that one which would wait forever fails its test."""
    ended: list[fakes.Ran] = []
    thread = threading.Thread(target=lambda: ended.append(go(folder, **changes)), daemon=True)
    thread.start()
    thread.join(seconds)
    assert ended, "the run waits forever"
    return ended[0]


def test_a_system_that_raises_what_is_not_an_exception_gives_failures(tmp_path: Path) -> None:
    def unusual(batch: Sequence[Ask]) -> list[Answer | Failure]:
        calls = len(fakes.script.calls)
        if calls <= len(UNUSUAL):
            raise UNUSUAL[calls - 1]("enough")
        return cats(batch)

    use(Script(unusual))
    ran = go_at_most(60, tmp_path, scenes={"count": 5})
    assert ran.problem is None
    assert sorted(event.reason for event in ran.of(AskFailed)) == sorted(f"{each.__name__}: enough" for each in UNUSUAL)
    assert len(ran.of(Answered)) == 5


def test_an_answer_that_no_reply_over_a_network_may_have_is_a_failure_of_its_image_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamorph.model.answer.MOST_ANSWER_BYTES", 1000)
    answers = iter([Answer("x" * 1001), Answer("\u00e4" * 501), Answer(labels={f"{i:016}": 0.5 for i in range(26)})])
    use(Script(lambda batch: [next(answers, Answer("x" * 1000)) for _ in batch]))
    ran = go(tmp_path, scenes={"count": 3})
    assert {event.reason for event in ran.of(AskFailed)} == {"The answer has more than 16 MB, so it is not kept"}
    assert len(ran.of(AskFailed)) == 3 and len(ran.of(Answered)) == 3


@pytest.mark.parametrize("labels", [10, 40])
@pytest.mark.parametrize("silent", [False, True], ids=["all differ", "one is silent"])
def test_the_work_of_judging_labels_does_not_grow_with_their_square(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: int, silent: bool
) -> None:
    counts: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> None:
        whole = getattr(owner, name)

        def call(*args: Any) -> Any:
            counts[name] += 1
            return whole(*args)

        monkeypatch.setattr(owner, name, call)

    counted(Judge, "reading")
    counted(by_caption, "_alikeness")

    def many(batch: Sequence[Ask]) -> list[Answer | Failure]:
        call = len(fakes.script.calls)
        named = [] if silent and call == 1 else [f"thing {0 if silent else call} {each}" for each in range(labels)]
        return [Answer(labels=dict.fromkeys(named, 0.9)) for _ in batch]

    use(Script(many))
    ran = go(tmp_path, scenes={"count": 1}, deeptest={"compare": "objects"}, ask={"parallel": 1})
    assert ran.problem is None
    with ran.store() as store:
        assert store.count("suspicions") >= labels
    # Whatever the number of labels: five answers, each of them for four cases and their proofs.
    assert counts["reading"] <= 40 and counts["_alikeness"] <= 4


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_machine_that_opens_no_more_files_is_not_blamed_on_the_system(tmp_path: Path, wrapped: bool) -> None:
    def no_more_files(batch: Sequence[Ask]) -> list[Answer | Failure]:
        problem = OSError(errno.EMFILE, "Too many open files", "image.jpg")
        if wrapped:
            raise Refused("An image cannot be loaded.") from problem
        raise problem

    use(Script(no_more_files))
    ran = go_at_most(60, tmp_path, scenes={"count": 3})
    assert isinstance(ran.problem, MachineFailed) and ran.problem.exit_code == 3
    assert str(ran.problem).startswith("The machine failed, and not the system: Too many open files")


WITHOUT_MEMORY = "The machine failed, and not the system: it has no memory left"


def test_a_call_without_memory_is_not_blamed_on_the_system(tmp_path: Path) -> None:
    def no_memory(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if len(fakes.script.calls) == 1:
            raise Refused("f raised MemoryError.") from MemoryError()
        return cats(batch)

    use(Script(no_memory))
    ran = go_at_most(60, tmp_path, scenes={"count": 2})
    (failed,) = ran.of(AskFailed)
    assert failed.reason == WITHOUT_MEMORY
    with ran.store() as store:
        assert calls_lost(store) == 1
        gated = read_numbers(store, config_for(tmp_path)).gate
    assert gated.exit_code == 3
    assert gated.sentence.startswith("The machine failed: 1 call was not answered because the machine had no memory")
    again = go_at_most(60, tmp_path, scenes={"count": 2})
    with again.store() as store:
        assert calls_lost(store) == 0


def test_calls_without_memory_one_after_another_end_the_run(tmp_path: Path) -> None:
    def no_memory(batch: Sequence[Ask]) -> list[Answer | Failure]:
        raise MemoryError

    script = use(Script(no_memory, batch=2))
    ran = go_at_most(60, tmp_path, scenes={"count": 20}, ask={"give_up_after": 5, "parallel": 1})
    assert isinstance(ran.problem, MachineFailed) and str(ran.problem) == f"{WITHOUT_MEMORY}."
    assert sum(len(call) == 1 for call in script.calls) == 5


@pytest.mark.parametrize("what", [MemoryError(), OSError(errno.ENOMEM, "x"), RuntimeError("can't start new thread")])
def test_an_edit_without_memory_is_not_blamed_on_the_photo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: Exception
) -> None:
    def no_memory(*args: Any) -> Any:
        raise what

    monkeypatch.setattr(Blur, "apply", no_memory)
    use(Script())
    ran = go_at_most(60, tmp_path, scenes={"count": 2})
    assert {event.reason for event in ran.of(RenderFailed)} == {WITHOUT_MEMORY}
    with ran.store() as store:
        assert calls_lost(store) == 2


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO, errno.ENOTDIR])
def test_an_image_that_cannot_be_written_ends_the_run_and_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    written: list[str] = []
    whole = image_files._write_file

    def full(draft: str, path: str, content: bytes) -> None:
        written.append(path)
        if len(written) > 2:
            raise OSError(number, os.strerror(number))
        whole(draft, path, content)

    with monkeypatch.context() as patched:
        patched.setattr(image_files, "_write_file", full)
        use(Script())
        ran = go_at_most(60, tmp_path, scenes={"count": 3})
    assert isinstance(ran.problem, MachineFailed) and ran.problem.exit_code == 3
    assert f"no image can be written in {tmp_path / 'images'}" in str(ran.problem)
    assert os.strerror(number) in str(ran.problem) and not ran.of(RenderFailed)
    assert go_at_most(60, tmp_path, scenes={"count": 3}).problem is None


def test_a_run_that_is_moved_is_not_blamed_on_the_system(tmp_path: Path) -> None:
    def moved(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if (tmp_path / "run").exists():
            (tmp_path / "run").rename(tmp_path / "elsewhere")
        return [Answer(str(ask.load().shape)) for ask in batch]

    use(Script(moved))
    ran = go_at_most(60, tmp_path / "run", scenes={"count": 3})
    assert isinstance(ran.problem, MachineFailed | OSError | sqlite3.Error), ran.problem
    if isinstance(ran.problem, MachineFailed):
        assert "images is gone. If the run was moved, go on with `anamorph resume` where it is now" in str(ran.problem)


def test_photos_that_cannot_be_opened_any_more_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_files(*args: Any) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(FakeScenes, "pixels", no_more_files)
    use(Script())
    assert isinstance(go_at_most(60, tmp_path, scenes={"count": 2}).problem, MachineFailed)


def test_a_thread_that_dies_in_a_call_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Dispatcher._sort_out
    died: list[threading.Thread] = []

    def deadly(self: Dispatcher, *args: Any) -> Any:
        if not died:
            died.append(threading.current_thread())
            raise MemoryError
        return whole(self, *args)

    monkeypatch.setattr(Dispatcher, "_sort_out", deadly)
    use(Script(batch=2))
    ran = go_at_most(60, tmp_path, scenes={"count": 3})
    assert [event.reason for event in ran.of(AskFailed)] == ["The thread of this call died (MemoryError)"] * 2
    assert ran.problem is None and len(ran.of(Answered)) == 4


@pytest.mark.parametrize("broken", ["edit", "source", "renderer"])
def test_a_part_that_raises_what_is_not_an_exception_loses_its_images_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def quit(*args: Any) -> Any:
        raise asyncio.CancelledError("enough")

    use(Script())
    if broken == "edit":
        monkeypatch.setattr(Blur, "apply", quit)
    elif broken == "source":
        monkeypatch.setattr(FakeScenes, "pixels", quit)
    else:
        monkeypatch.setattr(Renderer, "render_each", quit)
    ran = go_at_most(60, tmp_path, scenes={"count": 2})
    reasons = {event.reason for event in ran.of(RenderFailed)}
    assert reasons == {"CancelledError: enough"} and len(ran.of(RenderFailed)) == (2 if broken == "edit" else 4)


def test_what_ends_a_thread_that_makes_images_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*args: Any) -> Any:
        raise MemoryError("no room")

    monkeypatch.setattr("anamorph.engine.ask.stage._Job.made", no_room)
    use(Script())
    assert isinstance(go_at_most(60, tmp_path, scenes={"count": 2}).problem, MemoryError)


def test_a_pause_that_the_system_asks_for_is_kept_by_everyone(tmp_path: Path) -> None:
    def pause_once(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if len(fakes.script.calls) == 1:
            raise Transient("slow down", retry_after_seconds=0.4)
        return cats(batch)

    script = use(Script(pause_once))
    go(tmp_path, scenes={"count": 2})
    assert script.starts[1] - script.starts[0] >= 0.4


def test_a_pause_of_an_hour_stops_the_run_instead(tmp_path: Path) -> None:
    def come_back_tomorrow(batch: Sequence[Ask]) -> list[Answer | Failure]:
        raise Transient("quota used up", retry_after_seconds=3600)

    use(Script(come_back_tomorrow))
    ran = go(tmp_path)
    assert isinstance(ran.problem, SystemDown) and "asks for a pause of 3600 s: quota used up" in str(ran.problem)


def test_calls_start_no_faster_than_the_rate_allows(tmp_path: Path) -> None:
    script = use(Script(parallel=8))
    began = time.monotonic()
    go(tmp_path, scenes={"count": 5}, ask={"rate_per_second": 5})
    assert len(script.starts) == 10
    assert max(script.starts) - began >= 9 / 5


def test_one_bad_image_does_not_take_its_batch_with_it(tmp_path: Path) -> None:
    def allergic(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if any(ask.id == fakes.script.calls[0][2] for ask in batch):
            raise Refused("this image makes me ill")
        return cats(batch)

    script = use(Script(allergic, batch=8))
    ran = go(tmp_path, scenes={"count": 4})
    assert [len(call) for call in script.calls] == [8, 1, 1, 1, 1, 1, 1, 1, 1]
    (failed,) = ran.of(AskFailed)
    assert failed.reason == "this image makes me ill" and len(ran.of(Answered)) == 7


def test_an_error_that_nobody_expected_is_a_failed_call_with_its_type(tmp_path: Path) -> None:
    def broken(batch: Sequence[Ask]) -> list[Answer | Failure]:
        raise KeyError("weights")

    use(Script(broken))
    ran = go(tmp_path, scenes={"count": 2})
    assert {event.reason for event in ran.of(AskFailed)} == {"KeyError: 'weights'"}


def test_too_few_answers_are_a_failed_call(tmp_path: Path) -> None:
    use(Script(lambda batch: []))
    ran = go(tmp_path, scenes={"count": 1})
    assert {event.reason for event in ran.of(AskFailed)} == {"The system gave 0 answers for 1 images"}


def test_a_call_that_never_returns_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    def hang_once(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if len(fakes.script.calls) == 1:
            time.sleep(30)
        return cats(batch)

    use(Script(hang_once))
    ran = go(tmp_path, scenes={"count": 3}, ask={"timeout_seconds": 0.05})
    (failed,) = ran.of(AskFailed)
    assert failed.reason == "No answer within 0.05 s; the call was given up"
    assert len(ran.of(Answered)) == 5


def test_a_system_that_is_clearly_down_stops_the_run_and_keeps_what_was_answered(tmp_path: Path) -> None:
    def dies_after_six(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if len(fakes.script.calls) > 6:
            raise Refused("connection refused")
        return cats(batch)

    script = use(Script(dies_after_six))
    ran = go(tmp_path, scenes={"count": 50}, ask={"give_up_after": 5})
    assert isinstance(ran.problem, SystemDown)
    assert str(ran.problem) == "5 calls in a row failed; the last one: connection refused"
    assert len(script.calls) <= 6 + 5 + 2
    with ran.store() as store:
        assert store.count("answers") == 6
    script.behaviour = cats
    asked_before = set(script.asked[:6])
    script.calls.clear()
    again = go(tmp_path, scenes={"count": 50}, ask={"give_up_after": 5})
    assert again.of(Finished)[0].holds == 50
    assert not asked_before & set(script.asked)


def test_failures_with_successes_between_them_do_not_stop_a_run(tmp_path: Path) -> None:
    def every_other(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if len(fakes.script.calls) % 2:
            raise Refused("no")
        return cats(batch)

    use(Script(every_other))
    ran = go(tmp_path, scenes={"count": 20}, ask={"give_up_after": 2})
    assert ran.problem is None and len(ran.of(AskFailed)) == 20


def test_a_picture_that_cannot_be_made_leaves_only_its_own_cases_undecided(tmp_path: Path) -> None:
    use(Script())
    ran = go(tmp_path, scenes={"count": 4, "broken": [1]})
    assert ran.of(Finished) == [Finished(holds=3, violated=0, undecided=1)]
    assert {event.reason for event in ran.of(RenderFailed)} == {"1: broken."}
    mended = go(tmp_path, scenes={"count": 4})
    assert mended.of(Finished) == [Finished(holds=4, violated=0, undecided=0)]


def test_an_empty_answer_is_no_answer_and_is_asked_again_on_resume(tmp_path: Path) -> None:
    script = use(Script(lambda batch: [Answer("  ")] * len(batch)))
    ran = go(tmp_path, scenes={"count": 1})
    assert {event.reason for event in ran.of(AskFailed)} == {"The system gave an empty answer"}
    script.behaviour = cats
    assert go(tmp_path, scenes={"count": 1}).of(Finished)[0].holds == 1


def test_answers_are_recalled_across_runs_only_for_the_same_system(tmp_path: Path) -> None:
    cache = str(tmp_path / "answers.sqlite")
    use(Script())
    go(tmp_path / "one", cache=cache)
    script = use(Script())
    ran = go(tmp_path / "two", cache=cache)
    assert script.calls == [] and all(event.recalled for event in ran.of(Answered))
    assert ran.of(Finished)[0].holds == 4
    script = use(Script())
    script.fingerprint = {"fake": 2}
    go(tmp_path / "three", cache=cache)
    assert len(script.asked) == 8


def test_what_the_cache_kept_before_a_kill_is_recalled_on_resume(tmp_path: Path) -> None:
    """The images are there already, and the cache knows answers that the run's own file lost."""
    script = use(Script())
    cache = str(tmp_path / "answers.sqlite")
    go(tmp_path / "one", cache=cache)
    with RunStore.open(tmp_path / "one") as store, store.transaction():
        answers = store.count("answers")
        store.connection.execute("DELETE FROM answers")
    script.calls.clear()
    again = go(tmp_path / "one", cache=cache)
    assert again.problem is None and script.calls == []
    assert [event.recalled for event in again.of(Answered)] == [True] * answers


def test_an_answer_that_could_not_be_read_is_not_recalled_but_asked_for_anew(tmp_path: Path) -> None:
    cache = str(tmp_path / "answers.sqlite")
    script = use(Script(lambda batch: [Answer("I'm sorry, I can't help with that.")] * len(batch)))
    first = go(tmp_path / "one", cache=cache, scenes={"count": 2})
    assert first.of(Finished) == [Finished(holds=0, violated=0, undecided=2)]
    script.behaviour = cats
    again = go(tmp_path / "one", cache=cache, scenes={"count": 2})
    assert again.of(Finished) == [Finished(holds=2, violated=0, undecided=0)] and len(script.asked) == 8
    other = go(tmp_path / "two", cache=cache, scenes={"count": 2})
    assert other.of(Finished) == [Finished(holds=2, violated=0, undecided=0)] and len(script.asked) == 8


def test_a_failure_is_never_recalled(tmp_path: Path) -> None:
    cache = str(tmp_path / "answers.sqlite")
    use(Script(lambda batch: [Failure("no")] * len(batch)))
    go(tmp_path / "one", cache=cache)
    script = use(Script())
    go(tmp_path / "two", cache=cache)
    assert len(script.asked) == 8


def test_a_system_that_does_not_look_gets_no_images(tmp_path: Path) -> None:
    use(Script(lambda batch: [Answer(str(ask.path)) for ask in batch], looks=False))
    ran = go(tmp_path)
    assert ran.of(Rendered) == [] and ran.of(Finished)[0].holds == 4


def test_repeated_attempts_are_numbered(tmp_path: Path) -> None:
    script = use(Script(lambda batch: [Answer(f"try {ask.attempt}") for ask in batch]))
    ran = go(tmp_path, scenes={"count": 1}, ask={"repeats": 3})
    with ran.store() as store:
        assert answers_of(store, [1])[1] == {n: Answer(f"try {n}") for n in range(3)}
    assert len(script.asked) == 6


def test_stopping_in_the_middle_keeps_every_answer_that_came(tmp_path: Path) -> None:
    use(Script())
    config = config_for(tmp_path, scenes={"count": 30})
    with start(config, tmp_path) as store:
        for _ in plan_stage(store, config):
            pass
        stage = ask_stage(store, config, fakes.FakeSystem())
        answered = 0
        for event in stage:
            answered += isinstance(event, Answered)
            if answered == 5:
                break
        stage.close()  # type: ignore[attr-defined]
        kept = store.count("answers")
        assert kept >= len(fakes.script.asked) - 1
    asked = set(fakes.script.asked)
    fakes.script.calls.clear()
    ran = go(tmp_path, scenes={"count": 30})
    assert ran.of(Finished)[0].holds == 30
    assert len(asked & set(fakes.script.asked)) <= 1


def test_a_system_that_changed_is_not_mixed_with_the_one_before(tmp_path: Path) -> None:
    use(Script())
    go(tmp_path)
    use(Script()).fingerprint = {"fake": 2}
    ran = go(tmp_path)
    assert isinstance(ran.problem, RunError) and "the system changed since this run began (fake)" in str(ran.problem)


def test_stored_images_that_were_deleted_are_made_again(tmp_path: Path) -> None:
    use(Script(lambda batch: [Failure("no")] * len(batch)))
    go(tmp_path, scenes={"count": 2})
    for image in (tmp_path / "images").rglob("*.jpg"):
        image.unlink()
    use(Script(lambda batch: [Answer(f"{ask.load().shape}") for ask in batch]))
    ran = go(tmp_path, scenes={"count": 2})
    assert len(ran.of(Rendered)) == 4 and ran.of(Finished)[0].holds == 2


@pytest.mark.parametrize("format", ["png", "jpeg"])
def test_the_system_sees_the_stored_image(tmp_path: Path, format: str) -> None:
    seen: list[bool] = []

    def look(batch: Sequence[Ask]) -> list[Answer | Failure]:
        for ask in batch:
            assert ask.path is not None
            seen.append(ask.path.is_file() and ask.path.is_absolute() and ask.load().shape == (6, 8, 3))
        return cats(batch)

    use(Script(look))
    go(tmp_path, images={"format": format})
    assert seen == [True] * 8


@pytest.mark.parametrize(("parallel", "batch"), [(1, 4), (3, 2)])
def test_what_a_kill_could_have_asked_again_is_bounded_also_while_answers_wait_for_their_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parallel: int, batch: int
) -> None:
    """Uncommitted are those with the system, those that will be tried again, and those whose answers came."""
    asked: set[str] = set()
    uncommitted: list[int] = []
    tried: set[str] = set()
    lock = threading.Lock()

    def committed() -> int:
        connection = sqlite3.connect(f"file:{tmp_path}/run.sqlite?mode=ro", uri=True)
        try:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
        finally:
            connection.close()

    def answer(items: Sequence[Ask]) -> Sequence[Answer | Failure]:
        with lock:
            asked.update(item.id for item in items)
            uncommitted.append(len(asked) - committed())
            again = {item.id for item in items[:1]} - tried
            tried.update(again)
        return [Failure("busy", retryable=True) if item.id in again else Answer("a cat") for item in items]

    def slowly(store: RunStore, results: Iterable[AttemptResult]) -> None:
        time.sleep(0.02)
        record_results(store, results)

    monkeypatch.setattr("anamorph.store.answers.record_results", slowly)
    use(Script(answer, parallel=parallel, batch=batch))
    ran = go(tmp_path, scenes={"count": 40})
    assert ran.problem is None and len(ran.of(Answered)) == 80
    assert parallel * batch < max(uncommitted) <= 2 * parallel * batch


@dataclass(frozen=True)
class Meet:
    """Waits, except for the first image, until two threads make images at the same time."""

    kind: ClassVar[str] = "meet"
    number: int = setting(0, "Which one.")
    together: ClassVar[threading.Barrier] = threading.Barrier(2)

    def apply(self, picture: Picture) -> Picture:
        if self.number:
            self.together.wait(60)
        return picture.with_pixels(picture.pixels + np.uint8(self.number + 1))


def test_threads_share_the_images_of_one_scene_where_they_take_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamorph.engine.ask.stage.SLOW_SECONDS", 0.0)
    catalog.register(Meet)
    use(Script())
    meet = {
        "blur": [],
        "brightness": [],
        "contrast": [],
        "shear": [],
        "also": [{"kind": "meet", "number": n} for n in range(7)],
    }
    ran = go(tmp_path, scenes={"count": 1}, deeptest=meet)
    assert ran.problem is None
    assert len(ran.of(Rendered)) == 8 and not ran.of(RenderFailed)


def test_a_renderer_that_breaks_fails_its_image_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Renderer.render_each

    def broken(self: Renderer, scene: Scene, orders: Iterable[ImageOrder]) -> Iterator[ImageResult]:
        for result in whole(self, scene, orders):
            if scene.id == "s1":
                raise ValueError("no room")
            if scene.id != "s2":
                yield result

    monkeypatch.setattr(Renderer, "render_each", broken)
    use(Script())
    ran = go(tmp_path, scenes={"count": 3})
    reasons = {event.reason for event in ran.of(RenderFailed)}
    assert reasons == {"ValueError: no room", "The renderer gave nothing for this image."}
    assert len(ran.of(RenderFailed)) == 4 and len(ran.of(Rendered)) == 2
