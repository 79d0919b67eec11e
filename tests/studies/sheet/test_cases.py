from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from anamorph.config import Config, resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.errors import UsageError
from anamorph.store.run import RunStore
from anamorph.studies.sheet.cases import SheetCase, SheetCounts, sheet_cases, sheet_discards
from anamorph.studies.sheet.files import write_sheet
from tests.engine.segmenters import use_colours


def planned(folder: Path, **plain: object) -> tuple[RunStore, Config]:
    config = resolve({"methods": ["rome"], "scenes": "toybox:12", **plain})
    store = start(config, folder)
    for _ in plan_stage(store, config):
        pass
    return store, config


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Config]:
    store, config = planned(tmp_path_factory.mktemp("plan") / "run")
    store.close()
    return store.folder, config


@pytest.fixture
def run(plan: tuple[Path, Config], tmp_path: Path) -> Iterator[tuple[RunStore, Config]]:
    folder, config = plan
    with RunStore.open(Path(shutil.copytree(folder, tmp_path / "run"))) as store:
        yield store, config


def test_every_photo_comes_once_before_any_comes_twice(run: tuple[RunStore, Config]) -> None:
    found = list(sheet_cases(*run, 14, SheetCounts()))
    scenes = Counter(case.name.split()[-1] for case in found)
    assert len(found) == 14
    assert max(scenes.values()) == 2 or len(scenes) == 14
    assert all("melt" in case.words for case in found)
    assert all((case.source != case.follow_up).any() for case in found)


def test_the_same_seed_shows_the_same_cases_and_images_are_kept(run: tuple[RunStore, Config]) -> None:
    store, _ = run
    names = [[case.name for case in sheet_cases(*run, 4, SheetCounts())] for _ in range(2)]
    assert names[0] == names[1]
    # A run does not make them again; one that is only read shows what was made, and counts the rest.
    assert store.count("images", "file IS NOT NULL") >= 5
    counts = SheetCounts()
    with RunStore.open(store.folder, read_only=True) as opened:
        assert len(list(sheet_cases(opened, run[1], 10_000, counts))) >= 4 and counts.missing


def test_an_image_that_the_melt_check_discards_is_passed_over_and_can_be_shown_with_the_reason(tmp_path: Path) -> None:
    use_colours()
    plain = {"scenes": "coloured:3", "segmenter": "colour:", "segmenting": {"remember": False}}
    rome = {"inpainter": "lazy", "melt": {"max_at_once": 0.1}}
    store, config = planned(tmp_path / "run", **plain, rome=rome, melt_check={"fills": False})
    counts = SheetCounts()
    with store:
        assert not list(sheet_cases(store, config, 5, counts))
        assert counts.discarded == 3
        (shown, *_) = sheet_discards(store, config, 5, SheetCounts())
    assert shown.problem is not None and "still finds 'dog'" in shown.problem


def test_a_sheet_is_a_picture_with_a_row_for_every_pair(run: tuple[RunStore, Config], tmp_path: Path) -> None:
    assert write_sheet(sheet_cases(*run, 3, SheetCounts()), tmp_path / "look.png") == 3
    with Image.open(tmp_path / "look.png") as opened:
        assert opened.size[0] > 1000


def test_no_cases_make_no_sheet_and_a_wrong_name_is_refused(tmp_path: Path) -> None:
    none: list[SheetCase] = []
    assert write_sheet(none, tmp_path / "look.jpg") == 0
    assert not (tmp_path / "look.jpg").exists()
    with pytest.raises(UsageError, match=r"look\.txt: a sheet is a picture; the name must end in \.jpg"):
        write_sheet(none, tmp_path / "look.txt")
    with pytest.raises(UsageError, match="does not exist, so the sheet"):
        write_sheet(none, tmp_path / "gone" / "look.jpg")
