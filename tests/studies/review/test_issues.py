"""Issues as a session: what is shown, what is marked, and what another reviewer sees."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest

from anamorph.edits.blur import Blur
from anamorph.errors import AnamorphError, BadRecord, UsageError
from anamorph.model import Evidence, Verdict
from anamorph.store.marks import Mark, Undo, effective, read_marks
from anamorph.studies.review.issues import ReviewChoice, ReviewSession, open_review
from anamorph.studies.sessions.server import opened_app
from tests.hostile.runs import forge, small_run, tear
from tests.report.fixtures import HandmadeRun
from tests.report.test_leads import settled
from tests.studies.sessions.requests import Browser

EVIL = "<script>evil()</script><img src=x onerror=evil()>\u202e"
Open: TypeAlias = Callable[..., ReviewSession]


@pytest.fixture
def two_issues(run: HandmadeRun) -> HandmadeRun:
    run.scene("street", ("dog",))
    run.case("street", "a dog", "a cat")
    run.case("street", "a dog", "a dog", edits=(Blur(9),))
    run.case("street", "a dog", "a bird", edits=(Blur(3),))
    run.judge()
    return run


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def open(
            *runs: HandmadeRun, reviewer: str = "ann", file: Path = tmp_path / "marks.jsonl", **chosen: Any
        ) -> Any:
            folders = [each.store.folder for each in runs]
            session = open_review(folders, file, reviewer, ReviewChoice(**chosen), pytest.fail)
            stack.callback(session.close)
            return session

        yield open


@contextlib.contextmanager
def served(run: Path, file: Path, reviewer: str = "ann", **chosen: Any) -> Iterator[Browser]:
    """A browser in a review of a run."""
    with opened_app(lambda: open_review([run], file, reviewer, ReviewChoice(**chosen), pytest.fail), 4321) as app:
        yield Browser.let_in(app)


def test_only_issues_are_shown(two_issues: HandmadeRun, open_session: Open) -> None:
    session = open_session(two_issues)
    assert len(session) == 2
    item = session.item(0)
    assert [probe["title"] for probe in item["probes"]] == ["Source", "Follow-up"]
    assert [probe["letter"] for probe in item["probes"]] == ["a", "b"]
    assert all(probe["size"] == (40, 30) for probe in item["probes"])


def test_a_mark_is_on_disk_at_once_and_is_refined(two_issues: HandmadeRun, open_session: Open, tmp_path: Path) -> None:
    session = open_session(two_issues)
    for change in ({"verdict": "right"}, {"error": "misclassification"}, {"wrong_answer": "1"}, {"caption": "a dog"}):
        session.answer(0, change)
        last = [line for line in read_marks(tmp_path / "marks.jsonl") if isinstance(line, Mark)][-1]
        name, value = next(iter(change.items()))
        assert str(getattr(last, name)) == value
    assert (last.error, last.wrong_answer) == ("misclassification", 1)
    assert (last.method, last.relation) == ("deeptest", "same-answer") and last.cause
    assert session.fields(0)["wrong_answer"] == "1"
    session.answer(0, {"wrong_answer": "0"})
    assert session.fields(0)["wrong_answer"] == "0"
    session.answer(0, {"verdict": "wrong"})
    kept = {name: value for name, value in session.fields(0).items() if value}
    assert kept == {"verdict": "wrong", "caption": "a dog"}
    assert session.is_done(0) and not session.is_done(1)


@pytest.mark.parametrize(
    "changes",
    [
        {"error": "miscount"},
        {"caption": "x"},
        {"verdict": "perhaps"},
        {"verdict": ""},
        {"verdict": "right", "error": "perhaps"},
        {"verdict": "right", "wrong_answer": "2"},
        {"verdict": "right", "wrong_answer": "-1"},
        {"verdict": "right", "wrong_answer": "\u00b2"},
        {"verdict": "right", "false_alarm": "edit"},
        {"verdict": "right", "caption": "x" * 10_001},
        {"verdict": "right", "reviewer": "ben"},
    ],
    ids=str,
)
def test_a_mark_that_makes_no_sense_is_refused_and_not_written(
    two_issues: HandmadeRun, open_session: Open, tmp_path: Path, changes: dict[str, str]
) -> None:
    session = open_session(two_issues)
    with pytest.raises(BadRecord):
        session.answer(0, changes)
    assert read_marks(tmp_path / "marks.jsonl") == []


def test_undo_steps_back_also_in_a_later_session(two_issues: HandmadeRun, open_session: Open, tmp_path: Path) -> None:
    session = open_session(two_issues)
    session.answer(0, {"verdict": "right"})
    session.answer(1, {"verdict": "wrong"})
    session.answer(1, {"false_alarm": "edit"})
    session = open_session(two_issues)
    assert session.undo() == 1
    assert session.fields(1)["false_alarm"] == ""
    assert session.undo() == 1
    assert not session.is_done(1)
    assert session.undo() == 0
    assert session.undo() is None
    lines = read_marks(tmp_path / "marks.jsonl")
    assert effective(lines) == {}
    assert sum(isinstance(line, Undo) for line in lines) == 3


def test_a_second_reviewer_sees_nothing_of_the_first(two_issues: HandmadeRun, open_session: Open) -> None:
    first = open_session(two_issues)
    first.answer(0, {"verdict": "right", "caption": "only ann knows"})
    second = open_session(two_issues, reviewer="ben")
    assert not second.is_done(0)
    assert second.undo() is None
    with served(two_issues.store.folder, first.file, "ben") as browser:
        page = browser.get("items/1").text
    assert "0 of 2 done" in page and "only ann" not in page


def test_a_mark_survives_rejudge_and_shows_in_another_run(
    new_run: Callable[..., HandmadeRun], two_issues: HandmadeRun, open_session: Open
) -> None:
    open_session(two_issues).answer(0, {"verdict": "right"})
    two_issues.judge()
    assert open_session(two_issues).is_done(0)
    other = new_run("other")
    other.scene("street", ("dog",))
    other.case("street", "a dog", "a cat")
    other.case("street", "a dog", "a different bird", edits=(Blur(3),))
    other.judge()
    both = open_session(two_issues, other)
    # The same case with the same answers is there once; with another answer, it is another issue.
    assert len(both) == 3
    assert [session.is_done(place) for session in (both,) for place in range(3)].count(True) == 1
    assert len(open_session(two_issues, other, only_unmarked=True)) == 2
    assert open_session(other).is_done(0) or open_session(other).is_done(1)


def test_a_sample_stays_the_same_while_it_is_marked(new_run: Callable[..., HandmadeRun], open_session: Open) -> None:
    run = new_run("many")
    for n in range(12):
        run.scene(f"s{n}")
        run.case(f"s{n}", f"a dog {n}", f"a cat {n}")
    run.judge()
    drawn = {item.case for item in open_session(run, sample=4).items}
    assert len(drawn) == 4
    open_session(run, sample=4).answer(0, {"verdict": "right"})
    left = {item.case for item in open_session(run, sample=4, only_unmarked=True).items}
    assert left < drawn
    assert len(left) == 3
    assert {item.case for item in open_session(run, sample=4, seed=1).items} != drawn
    assert [i.case for i in open_session(run, blind=True).items] != [i.case for i in open_session(run).items]


def test_filters_choose_issues(two_issues: HandmadeRun, open_session: Open) -> None:
    assert len(open_session(two_issues, methods=("deeptest",), relations=("same-answer",))) == 2
    assert len(open_session(two_issues, methods=("rome",))) == 0
    assert len(open_session(two_issues, grades=("contradiction",))) == 2
    assert len(open_session(two_issues, grades=("ungraded",))) == 0


def test_blind_shows_neither_method_nor_verdict(two_issues: HandmadeRun, tmp_path: Path) -> None:
    def page(**choice: Any) -> str:
        with served(two_issues.store.folder, tmp_path / "m.jsonl", **choice) as browser:
            return browser.get("items/1").text

    seen, blind = page(), page(blind=True)
    for telling in ("deeptest", "same-answer", "contradiction", "<mark>", "blur"):
        assert telling in seen
        assert telling not in blind
    assert "a dog" in blind


def test_leads_are_reviewed_by_themselves_and_marked_alike(
    two_issues: HandmadeRun, open_session: Open, tmp_path: Path
) -> None:
    lead = two_issues.case("street", "a dog", "a horse", edits=(Blur(5),))
    two_issues.judge()
    two_issues.prove(lead, settled("lead", why="The class is not salient."))
    issues, leads = open_session(two_issues), open_session(two_issues, leads=True)
    assert (len(issues), [item.case for item in leads.items]) == (2, [lead])
    assert (leads.noun, issues.noun) == (("lead", "leads"), ("issue", "issues")) and "leads" in leads.title
    leads.answer(0, {"verdict": "right"})
    (mark,) = (line for line in read_marks(tmp_path / "marks.jsonl") if isinstance(line, Mark))
    assert (mark.case, mark.verdict, mark.cause) == (lead, "right", "")
    assert leads.is_done(0) and open_session(two_issues, leads=True).is_done(0) and not issues.is_done(0)
    assert leads.item(0)["state"] == "lead" and leads.item(0)["proofs"][0]["why"] == "The class is not salient."


def test_the_page_shows_the_proof_with_its_pictures_and_nothing_of_it_to_the_blind(
    run: HandmadeRun, tmp_path: Path
) -> None:
    scene = run.scene("street")
    digest = run.case(scene, "a dog", "a cat")
    run.judge()
    asked = "How many dogs are in the image?"
    verdict = settled("proved", why="It says 1 and 0.")
    run.prove(digest, verdict, [((), "the source", asked, "1"), ((Blur(7),), "the place of the edit", asked, EVIL)])

    def page(**choice: Any) -> tuple[str, list[str]]:
        with served(run.store.folder, tmp_path / "m.jsonl", **choice) as browser:
            text = browser.get("items/1").text
            proof = text[text.index('class="proof"') :] if 'class="proof"' in text else ""
            pictures = re.findall(r"pictures/([0-9a-f]{32}\.jpg)", proof)
            assert all(browser.get(f"pictures/{name}").status == 200 for name in pictures)
            return text, pictures

    (seen, pictures), (blind, none) = page(), page(blind=True)
    assert len(set(pictures)) == 2 and none == []
    for telling in ("It says 1 and 0.", asked, "the place of the edit", pictures[1], "proved"):
        assert telling in seen and telling not in blind
    assert "<script>evil" not in seen


def test_hostile_texts_of_a_run_are_escaped(run: HandmadeRun, tmp_path: Path) -> None:
    run.scene(EVIL, (EVIL,))
    digest = run.case(EVIL, EVIL, {EVIL: 0.5}, question=EVIL, tags={EVIL: EVIL})
    run.judge()
    run.rule(digest, Verdict("violated", EVIL, (EVIL,), (EVIL,), (Evidence(0, EVIL), Evidence(1, EVIL))))
    with served(run.store.folder, tmp_path / "m", EVIL[:-1]) as browser:
        page = browser.get("items/1").text
    assert "&lt;script&gt;evil" in page
    assert all(markup not in page for markup in ("<script>evil", "<img src=x", "\u202e"))


def test_pictures_are_those_of_the_runs(two_issues: HandmadeRun, open_session: Open) -> None:
    session = open_session(two_issues)
    name = session.item(0)["probes"][0]["picture"]
    found = session.picture(name)
    assert found is not None
    assert found.is_file()
    for wrong in ("../run.sqlite", "run.sqlite", name + "/..", "0" * 32 + ".jpg", ""):
        assert session.picture(wrong) is None


def test_a_missing_or_damaged_picture_is_said_so(two_issues: HandmadeRun, open_session: Open) -> None:
    session = open_session(two_issues)
    before = session.item(0)
    for probe, content in zip(before["probes"], (None, b"no picture"), strict=True):
        path = session.picture(probe["picture"])
        assert path is not None
        path.unlink()
        if content is not None:
            path.write_bytes(content)
    assert [(probe["picture"], bool(probe["missing"])) for probe in session.item(0)["probes"]] == [(None, True)] * 2


def test_up_to_eight_follow_ups_have_letters(run: HandmadeRun, open_session: Open) -> None:
    run.scene("street")
    run.case("street", "a dog", *[f"a cat {n}" for n in range(9)])
    run.judge()
    letters = [probe["letter"] for probe in open_session(run).item(0)["probes"]]
    assert letters == [*"abcdefghi", ""]


def test_a_file_that_cannot_be_written_is_found_before_the_review(
    two_issues: HandmadeRun, open_session: Open, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        open_session(two_issues, file=tmp_path / "file" / "marks.jsonl")


def test_a_run_that_changed_is_not_marked_by_mistake(two_issues: HandmadeRun, open_session: Open) -> None:
    session = open_session(two_issues)
    with two_issues.store.transaction() as connection:
        connection.execute("UPDATE answers SET text = 'a horse' WHERE text = 'a cat'")
    positions = range(len(session))
    with pytest.raises(UsageError, match="has changed since the session began"):
        [session.item(position) for position in positions]


def test_nothing_of_a_strangers_run_is_loaded(two_issues: HandmadeRun, open_session: Open, tmp_path: Path) -> None:
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with two_issues.store.transaction() as connection:
        config = json.dumps({"load": [str(evil)], "system": {"kind": "command", "command": "touch ran"}})
        connection.execute("INSERT OR REPLACE INTO facts VALUES ('config', ?)", (config,))
    session = open_session(two_issues)
    session.item(0)
    session.answer(0, {"verdict": "right"})
    assert not (tmp_path / "ran").exists()


def test_a_forged_or_torn_run_is_refused_with_a_reason(tmp_path: Path) -> None:
    good = small_run(tmp_path / "good")
    rng, shown = Random(18), 0
    for n in range(24):
        run = tmp_path / f"run{n}"
        run.mkdir()
        (run / "images").symlink_to(good / "images")
        shutil.copy(good / "run.sqlite", run)
        (tear if rng.random() < 0.15 else forge)(run / "run.sqlite", rng)
        with contextlib.suppress(AnamorphError), served(run, tmp_path / "marks") as browser:
            for number in range(1, len(browser.app.session) + 1):
                reply = browser.get(f"items/{number}")
                assert reply.status in (200, 409, 422), reply.text
                shown += reply.status == 200
    assert shown
