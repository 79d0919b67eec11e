from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anamorph.config import Config
from anamorph.edits.blur import Blur
from anamorph.edits.crop import Crop
from anamorph.engine.ask.stage import AskingOrder, ask_stage
from anamorph.engine.render.cuttings import made_from_wholes
from anamorph.engine.render.renderer import ImageResult
from anamorph.model import Answer, Ask, Box, Edit, Failure, Picture, Pixels, Probe, canonical_json, encode
from anamorph.store.images import decoded
from anamorph.store.proofs import ProbeOrder, file_of_image, order_probes
from anamorph.store.run import RunStore
from tests.engine.fakes import FakeScenes, FakeSystem, Script, config_for, go, use

BLUR, CROP = Blur(1.0), Crop(Box(2.0, 1.0, 4.0, 3.0))


class Eyes:
    """Remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[Pixels] = []

    def look(self, batch: Sequence[Ask]) -> Sequence[Answer | Failure]:
        self.seen += [ask.load() for ask in batch]
        return [Answer("2") for _ in batch]


@pytest.fixture
def run(tmp_path: Path) -> tuple[RunStore, Config]:
    """A run over one photo, its image and the same one blurred."""
    use(Script())
    changes = {"scenes": {"count": 1}, "deeptest": {"blur": [1], "brightness": [], "contrast": [], "shear": []}}
    go(tmp_path / "run", **changes)
    return RunStore.open(tmp_path / "run"), config_for(tmp_path, **changes)


def order(store: RunStore, *images: tuple[Edit, ...]) -> dict[int, str]:
    """Plan a closed question about some images; gives those that are missing, as the stage that asks does."""
    orders = [ProbeOrder(Probe("s0", edits, "How many dogs are in the image?")).plain for edits in images]
    with store.transaction():
        order_probes(store, 1, "s0", orders, 1, 1)
    return dict(store.connection.execute("SELECT id, edits FROM images WHERE file IS NULL ORDER BY id").fetchall())


def stored(store: RunStore, *edits: Edit) -> str:
    file = file_of_image(store, 1, canonical_json(encode(edits)))
    assert file is not None
    return file


def cut(run: tuple[RunStore, Config], missing: dict[int, str]) -> list[ImageResult]:
    store, config = run
    return list(made_from_wholes(store, config.settings.images, 1, missing))


def cropped(store: RunStore, config: Config, *edits: Edit) -> Pixels:
    """What a system sees of the pixels of a stored image that lie in the box, encoded as all images are."""
    part = store.images.pixels(stored(store, *edits))[1:4, 2:6]
    images = config.settings.images
    return decoded(images.encode(part), f"part{images.suffix}")


def test_a_crop_has_the_pixels_of_the_stored_image_that_the_system_saw(run: tuple[RunStore, Config]) -> None:
    store, config = run
    missing = order(store, (CROP,), (BLUR, CROP))
    results = cut(run, missing)
    assert [result.image for result in results] == list(missing)
    for result, edits in zip(results, ((), (BLUR,)), strict=True):
        assert result.file is not None and result.problem is None
        assert np.array_equal(store.images.pixels(result.file), cropped(store, config, *edits))
    # Made from the photo it would be another image, because the whole was encoded once already.
    photo = Picture(FakeScenes().pixels(next(iter(FakeScenes(1).scan()))))  # type: ignore[arg-type]
    assert store.images.write(config.settings.images.encode(CROP.apply(photo).pixels), ".jpg") != results[0].file


def test_only_crops_are_cut_and_only_from_images_that_are_there(run: tuple[RunStore, Config]) -> None:
    missing = order(run[0], (Blur(2.0),), (Blur(2.0), CROP), (CROP,))
    assert [missing[result.image] for result in cut(run, missing)] == [canonical_json(encode((CROP,)))]


def test_a_whole_that_is_lost_damaged_or_discarded_is_not_cut(run: tuple[RunStore, Config]) -> None:
    store, _ = run
    missing = order(store, (CROP,))
    whole = store.images.path(stored(store))
    content = whole.read_bytes()
    whole.write_bytes(content[:-1])
    assert cut(run, missing) == []
    whole.unlink()
    assert cut(run, missing) == []
    whole.write_bytes(content)
    assert len(cut(run, missing)) == 1
    with store.transaction():
        store.connection.execute("UPDATE images SET discarded = 1 WHERE edits = '[]'")
    assert cut(run, missing) == []


def test_a_box_that_leaves_the_picture_is_a_problem_of_its_image_alone(run: tuple[RunStore, Config]) -> None:
    missing = order(run[0], (Crop(Box(2.0, 1.0, 400.0, 3.0)),), (CROP,))
    wrong, right = cut(run, missing)
    assert wrong.file is None and wrong.problem is not None and "400" in wrong.problem
    assert right.file is not None


@pytest.mark.parametrize("whole_is_there", [True, False])
def test_closed_questions_show_the_crop_of_the_whole_or_else_of_the_photo(
    run: tuple[RunStore, Config], whole_is_there: bool
) -> None:
    store, config = run
    order(store, (CROP,))
    expected = cropped(store, config)
    if not whole_is_there:
        store.images.path(stored(store)).unlink()
    FakeScenes.decoded.clear()
    eyes = Eyes()
    use(Script(eyes.look))
    list(ask_stage(store, config, FakeSystem(), AskingOrder.of_proofs(config)))
    (seen,) = eyes.seen
    assert seen.shape == (3, 4, 3)
    assert np.array_equal(seen, expected) == whole_is_there
    assert FakeScenes.decoded == ([] if whole_is_there else ["s0"])
