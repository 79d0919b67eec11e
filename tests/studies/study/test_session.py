from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from anamorph.edits.blur import Blur
from anamorph.errors import BadRecord, UsageError
from anamorph.report.reviews import captions_of_people
from anamorph.store.marks import MARKS_FILE
from anamorph.studies.sessions.server import opened_app
from anamorph.studies.study.choosing import draw_study
from anamorph.studies.study.results import answers_of_study, read_results
from anamorph.studies.study.session import open_study
from anamorph.studies.study.study import Study, StudyKind
from tests.report.fixtures import HandmadeRun
from tests.studies.sessions.requests import Browser

HOSTILE = '<img src=x onerror="alert(1)"> a dog'


def drawn(run: HandmadeRun, kind: StudyKind) -> Study:
    for number in range(3):
        run.scene(f"scene {number}")
        run.case(f"scene {number}", "a dog", f"{HOSTILE} {number}", method="rome")
    run.judge()
    return draw_study(run.store, run.config, kind, "run", 6, 0)


@contextmanager
def opened(run: HandmadeRun, study: Study, reviewer: str = "ann") -> Iterator[Browser]:
    folder = run.store.folder
    file, marks = folder / f"{reviewer}.jsonl", folder / MARKS_FILE
    with ExitStack() as stack:
        app = stack.enter_context(
            opened_app(lambda: open_study(study, folder, file, reviewer, warned.append, marks), 5000)
        )
        yield Browser.let_in(app)


warned: list[str] = []


def results(run: HandmadeRun, study: Study, reviewer: str = "ann") -> dict[str, dict[str, str]]:
    answers = answers_of_study(study, read_results(run.store.folder / f"{reviewer}.jsonl"))
    return {
        item: {name: getattr(given[reviewer], name) for name in ("choice", "confidence", "text")}
        for item, given in answers.given.items()
    }


def test_answers_are_kept_at_once_and_the_session_goes_on_where_it_ended(run: HandmadeRun) -> None:
    study = drawn(run, "naturalness")
    with opened(run, study) as browser:
        assert browser.post("items/1", {"choice": "4"}).json["done"] == 1
        assert browser.post("items/2", {"choice": "1"}).status == 200
        assert results(run, study)[study.items[1].id]["choice"] == "1"
        assert browser.post("undo", {}).json["number"] == 2
        assert browser.post("items/1", {"choice": "5"}).status == 422
        assert browser.post("items/1", {"text": "no"}).status == 422
        assert browser.post("items/1", {"verdict": "right"}).status == 422
    with opened(run, study) as browser:
        assert browser.get("").headers["location"].endswith("items/2")
        assert browser.get("items/1").text.count("choice&#34;: &#34;4") + browser.get("items/1").text.count('"4"') > 0
    assert list(results(run, study)) == [study.items[0].id]


def test_no_page_says_what_a_picture_is(run: HandmadeRun) -> None:
    study = drawn(run, "naturalness")
    with opened(run, study) as browser:
        pages = [browser.get(f"items/{number}").text for number in range(1, len(study.items) + 1)]
    assert not any("rome" in page or "scene" in page or ">real" in page for page in pages)
    assert all(item.pictures[0].file in page for item, page in zip(study.items, pages, strict=True))


def test_of_a_pair_one_is_chosen_and_then_how_certain_that_is(run: HandmadeRun) -> None:
    study = drawn(run, "pairwise")
    with opened(run, study) as browser:
        assert browser.post("items/1", {"confidence": "5"}).status == 422
        state = browser.post("items/1", {"choice": "b"}).json
        assert not state["complete"] and state["done"] == 0
        state = browser.post("items/1", {"confidence": "2"}).json
        assert state["complete"] and state["fields"] == {"choice": "b", "confidence": "2"}


def test_a_corrected_caption_goes_to_the_marks_of_the_run_and_can_be_taken_back(run: HandmadeRun) -> None:
    study = drawn(run, "caption")
    with opened(run, study) as browser:
        page = browser.get("items/1").text
        assert "<img src=x" not in page and "&lt;img src=x" in page
        browser.post("items/1", {"text": "  a cat on\na couch "})
        browser.post("items/2", {"choice": "fine"})
    assert len((run.store.folder / MARKS_FILE).read_text().splitlines()) == 1
    (caption,) = captions_of_people(run.store)
    assert caption.caption == "a cat on a couch" and caption.instead_of == study.items[0].caption
    assert caption.image == study.items[0].pictures[0].image
    with opened(run, study) as browser:
        browser.post("items/1", {"choice": "fine"})
    assert captions_of_people(run.store) == []
    assert results(run, study)[study.items[0].id] == {"choice": "fine", "confidence": "", "text": ""}


def test_two_people_have_files_of_their_own(run: HandmadeRun, tmp_path: Path) -> None:
    study = drawn(run, "naturalness")
    with opened(run, study, "ann") as browser:
        browser.post("items/1", {"choice": "4"})
    with pytest.raises(UsageError, match="has answers of 'ann'"):
        open_study(study, run.store.folder, run.store.folder / "ann.jsonl", "bob", warned.append)
    with pytest.raises(UsageError, match="has no pictures of a run"):
        open_study(study, tmp_path / "gone", tmp_path / "bob.jsonl", "bob", warned.append)


def test_only_pictures_of_the_study_are_served(run: HandmadeRun) -> None:
    study = drawn(run, "naturalness")
    with opened(run, study) as browser:
        assert browser.get(f"pictures/{study.items[0].pictures[0].file}").status == 200
        assert browser.get("pictures/run.sqlite").status == 404
        assert browser.get("pictures/..%2Frun.sqlite").status == 404


def test_two_made_pictures_have_the_original_beside_them(run: HandmadeRun) -> None:
    for number in range(2):
        run.scene(f"both {number}")
        for strength, method in enumerate(("rome", "metaic"), start=2):
            run.case(f"both {number}", "a dog", f"a {method}", method=method, edits=(Blur(strength),))
    run.judge()
    made = draw_study(run.store, run.config, "pairwise", "run", 6, 0, between=("rome", "metaic"))
    assert made.items and all(item.original is not None and item.original.what == "real" for item in made.items)
    with opened(run, made) as browser:
        original = made.items[0].original
        assert original is not None
        assert "The original photo" in browser.get("items/1").text
        assert original.file in browser.get("items/1").text
    # Beside the untouched photo, the original would tell which of the two it is.
    other = draw_study(run.store, run.config, "pairwise", "run", 6, 0, between=("real", "rome"))
    assert all(item.original is None for item in other.items)


def test_no_answer_is_taken_before_an_item_was_looked_at_long_enough(run: HandmadeRun) -> None:
    study = replace(drawn(run, "naturalness"), least_seconds=30)
    folder = run.store.folder
    session = open_study(study, folder, folder / "ann.jsonl", "ann", warned.append)
    now = 100.0
    session.clock = lambda: now
    with pytest.raises(BadRecord, match="look at it for 30 more seconds first"):
        session.answer(0, {"choice": "4"})
    session.item(0)
    now = 129.5
    with pytest.raises(BadRecord, match="look at it for 1 more second first"):
        session.answer(0, {"choice": "4"})
    now = 130.0
    session.answer(0, {"choice": "4"})
    # An answer can be changed at once.
    session.answer(0, {"choice": "3"})
    assert results(run, study)[study.items[0].id]["choice"] == "3"
