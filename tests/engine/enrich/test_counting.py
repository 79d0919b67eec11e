"""Numbers are judged on painted pictures only where a recogniser finds them on the photo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.engine.enrich.counting import Counting
from anamorph.engine.events import Discarded
from anamorph.engine.recogniser import Recogniser
from anamorph.errors import UsageError
from anamorph.model import Scene
from anamorph.store.plans import StoredScenes
from tests.engine.fakes import Script, use
from tests.engine.render.test_painting_check import WITH_SEGMENTER, Knowing, run
from tests.engine.segmenters import SIZE, named, painted, use_colours

TREE, DOG = named("tree"), named("dog")
SCENE = Scene("s1", "1", SIZE, SIZE, (TREE, replace(DOG, label="Dog")))


def counting() -> Counting:
    return Counting(Recogniser(Knowing(), {}, frozenset(Knowing.classes)), 0.2)


def test_a_class_is_countable_where_as_many_are_found_as_there_are() -> None:
    log = use_colours()
    assert counting().counted(SCENE, lambda: painted(1)) == replace(SCENE, countable=("tree", "Dog"))
    crowded = replace(
        SCENE, things=(*SCENE.things, replace(DOG, id="2", label="Dog"), replace(DOG, id="3", label="hat"))
    )
    assert counting().counted(crowded, lambda: painted(1)).countable == ("tree",)
    log.score = 0.1
    assert counting().counted(SCENE, lambda: painted(1)).countable == ()


def test_nothing_is_countable_without_a_recogniser_or_where_it_fails() -> None:
    log = use_colours()
    assert Counting(None, 0.2).counted(SCENE, lambda: painted(1)).countable == ()
    log.fails_on = {1}
    assert counting().counted(SCENE, lambda: painted(1)).countable == ()
    log.unusable = True
    with pytest.raises(UsageError):
        counting().counted(SCENE, lambda: painted(1))


def test_a_run_judges_numbers_that_can_be_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(Script())
    ran = run(tmp_path / "run", monkeypatch, spolre={"painted_numbers": True}, **WITH_SEGMENTER)
    assert ran.problem is None and not ran.of(Discarded)
    with ran.store() as store:
        assert [scene.countable for scene in StoredScenes(store, catalog.find)] == [("tree", "dog")] * 3
        edits = [row[0] for row in store.connection.execute("SELECT edits FROM images WHERE edits != '[]'")]
    assert all('"counted":["tree","dog"]' in each for each in edits) and len(edits) == 3


def test_without_a_recogniser_no_number_is_judged_and_no_picture_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(Script())
    ran = run(tmp_path / "run", monkeypatch, spolre={"painted_numbers": True})
    assert ran.problem is None and not ran.of(Discarded)
    with ran.store() as store:
        assert [scene.countable for scene in StoredScenes(store, catalog.find)] == [()] * 3
        assert not store.connection.execute("SELECT 1 FROM images WHERE edits LIKE '%counted%'").fetchall()


def test_photos_are_not_looked_at_where_no_number_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(Script())
    ran = run(tmp_path / "run", monkeypatch, **WITH_SEGMENTER)
    with ran.store() as store:
        assert [scene.countable for scene in StoredScenes(store, catalog.find)] == [None] * 3
