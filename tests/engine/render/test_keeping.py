from __future__ import annotations

import ast
import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import anamorph
from anamorph import catalog
from anamorph.config import MeltCheckSettings, RecognitionSettings, resolve
from anamorph.edits.blur import Blur
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.engine import kept
from anamorph.engine.events import Advised
from anamorph.engine.recogniser import Recogniser
from anamorph.engine.render import maker as maker_module
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.engine.render.keeping import ImageStock
from anamorph.engine.render.maker import ImageMaker, ImageOrder, MadeImage
from anamorph.engine.render.melt_check import MeltCheck
from anamorph.engine.segmenter import RunSegmenter
from anamorph.engine.studio import RunStudio
from anamorph.inpainters.telea import Telea
from anamorph.model import Box, Edit, Hole, Picture, Pixels, Scene, Thing, canonical_json, encode
from anamorph.pools.folder import LIST_FILE, JoinedPools, Pool, PoolEntry, write_cutout, write_list
from anamorph.segmenters.onnx import OnnxSegmenter
from anamorph.store.images import ImageFormat
from anamorph.store.run import RunStore
from anamorph.store.stock import Stock
from tests.engine.fakes import Script, go, use
from tests.engine.segmenters import ColourSegmenter

MELT = Melt(("dog",))
SCENE = Scene(
    "s", "s.png", 60, 40, (Thing("dog", "dog", Box(10, 10, 12, 12)), Thing("cat", "cat", Box(40, 10, 12, 12)))
)
PHOTO = np.random.default_rng(1).integers(0, 256, (40, 60, 3), np.uint8)


@dataclass(frozen=True)
class Telescope:
    """An inpainter that somebody else wrote."""

    kind: ClassVar[str] = "telescope"
    fingerprint: ClassVar[Mapping[str, Any]] = {"version": 1}

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return np.zeros_like(pixels)


@dataclass(frozen=True)
class Theirs:
    """An edit that somebody else wrote."""

    kind: ClassVar[str] = "theirs"
    inpainter: str = "telea"

    def apply(self, picture: Picture) -> Picture:
        return picture.with_pixels(255 - picture.pixels)


class Looker:
    """Counts what a real check would look at; its word is `says`."""

    def __init__(self, key: Mapping[str, Any] | None, says: str | None = None) -> None:
        self.key, self.says, self.looks = key, says, 0

    def concerns(self, edit: Edit) -> bool:
        return isinstance(edit, Melt)

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        self.looks += 1
        return self.says


@pytest.fixture(autouse=True)
def _everything_is_worth_keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maker_module, "WORTH_KEEPING", 0.0)


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "made", 10_000_000)


def studio(pools: JoinedPools | None = None, **inpainters: Any) -> RunStudio:
    return RunStudio({"telea": Telea(), "telescope": Telescope(), **inpainters}, pools or JoinedPools())


def maker(stock: Stock, tools: RunStudio | None = None, format: ImageFormat | None = None, **checks: Any) -> ImageMaker:
    tools, format = tools or studio(), format or ImageFormat()
    return ImageMaker(format, catalog.find, tools, stock=ImageStock(stock, format, tools), **checks)


def order(*edits: Any) -> ImageOrder:
    return ImageOrder(1, canonical_json([{"kind": edit.kind, **encode(edit)} for edit in edits]))


def made(by: ImageMaker, *edits: Any, scene: Scene = SCENE, photo: Pixels = PHOTO) -> MadeImage:
    (image,) = by.make_each(scene, photo, [order(*edits or (MELT,))])
    return image


def entries(stock: Stock) -> int:
    return stock.size().entries


def test_an_image_is_made_once_and_comes_back_byte_by_byte(stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(maker(stock))
    assert first.content is not None and first.problem is None and entries(stock) == 1
    monkeypatch.setattr(Telea, "fill", None)
    assert made(maker(stock)) == first, "nothing was filled"
    assert made(ImageMaker(ImageFormat(), catalog.find, studio())).content is None, "without the stock it would be"


def test_a_discarded_image_comes_back_with_its_reason(stock: Stock) -> None:
    check = Looker({"a": 1}, "It shows a dog.")
    first, second = (made(maker(stock, paintings=check)) for _ in range(2))
    assert first == second
    assert (second.problem, second.discarded, check.looks) == ("It shows a dog.", True, 1)


def test_an_image_that_could_not_be_made_is_tried_again(stock: Stock) -> None:
    gone = Melt(("nobody",))
    assert made(maker(stock), gone).content is None
    assert entries(stock) == 0


def test_a_damaged_entry_is_made_again(stock: Stock) -> None:
    first = made(maker(stock))
    (path,) = stock.folder.glob("??/*")
    path.write_bytes(path.read_bytes()[:-5])
    assert made(maker(stock)) == first
    assert entries(stock) == 1


# --- every part of the key -------------------------------------------------------------------------------------------


def changed_things(**changes: Any) -> Scene:
    return replace(SCENE, things=(replace(SCENE.things[0], **changes), SCENE.things[1]))


OTHER_PIXEL = PHOTO.copy()
OTHER_PIXEL[0, 0, 0] ^= 1


@pytest.mark.parametrize(
    ("what", "scene", "photo", "edits"),
    [
        ("the photo", SCENE, OTHER_PIXEL, [MELT]),
        ("its sides", replace(SCENE, width=40, height=60), PHOTO.reshape(60, 40, 3), [MELT]),
        ("an object's place", changed_things(box=Box(11, 10, 12, 12)), PHOTO, [MELT]),
        ("an object's class", changed_things(label="wolf"), PHOTO, [MELT]),
        ("whether it is drawn", replace(SCENE, origin={"medium": "drawing"}), PHOTO, [MELT]),
        ("an edit's settings", SCENE, PHOTO, [Melt(("dog",), spare=True)]),
        ("the objects of an edit", SCENE, PHOTO, [Melt(("cat",))]),
        ("a further edit", SCENE, PHOTO, [MELT, Blur(1)]),
        ("the order of edits", SCENE, PHOTO, [Blur(1), MELT]),
    ],
)
def test_another_image_has_another_key(stock: Stock, what: str, scene: Scene, photo: Pixels, edits: list[Any]) -> None:
    made(maker(stock))
    made(maker(stock), *edits, scene=scene, photo=photo)
    assert entries(stock) == 2, what


def test_the_name_of_a_scene_and_its_captions_are_no_part_of_the_key(stock: Stock) -> None:
    first = made(maker(stock))
    assert made(maker(stock), scene=replace(SCENE, id="t", picture="u.png", captions=("a dog",))) == first
    assert entries(stock) == 1


def test_the_format_is_part_of_the_key(stock: Stock) -> None:
    for format in (ImageFormat(), ImageFormat(quality=90), ImageFormat(subsampling="4:4:4"), ImageFormat("png")):
        made(maker(stock, format=format))
    assert entries(stock) == 4


def test_the_settings_of_the_inpainter_are_part_of_the_key(stock: Stock) -> None:
    made(maker(stock))
    made(maker(stock, studio(telea=Telea(radius=7))))
    assert entries(stock) == 2


def test_the_weights_of_the_inpainter_are_part_of_the_key(stock: Stock) -> None:
    class OtherWeights(Telea):
        fingerprint: ClassVar[Mapping[str, Any]] = {"weights_sha256": "ab"}
        __module__ = "anamorph.inpainters.telea"

    made(maker(stock))
    made(maker(stock, studio(telea=OtherWeights())))
    assert entries(stock) == 2


def pool_of(folder: Path, light: tuple[float, ...], shade: int = 200) -> JoinedPools:
    folder.mkdir(parents=True)
    rgba = np.full((20, 20, 4), 255, np.uint8)
    rgba[..., 0] = shade
    id, file, sha256 = write_cutout(folder, rgba, "dog")
    write_list(folder, [PoolEntry(id, "dog", file, sha256, 20, 20, "s", "t", light=light)], {})
    assert (folder / LIST_FILE).exists()
    return JoinedPools((Pool.open(folder),))


def test_all_that_a_pool_says_of_a_cut_out_is_part_of_the_key(stock: Stock, tmp_path: Path) -> None:
    pools = [pool_of(tmp_path / "one", ()), pool_of(tmp_path / "two", (1.0,)), pool_of(tmp_path / "three", (), 100)]
    for pool in pools:
        insert = Insert(pool.pools[0].entries[0].id, Box(5, 5, 20, 20))
        assert made(maker(stock, studio(pool)), insert).content is not None
    assert entries(stock) == 3
    made(maker(stock, studio(pools[0])), Insert(pools[0].pools[0].entries[0].id, Box(5, 5, 20, 20)))
    assert entries(stock) == 3


def test_the_checks_are_part_of_the_key_where_they_look_at_its_edits(stock: Stock) -> None:
    for key in ({"score": 1}, {"score": 2}):
        made(maker(stock, paintings=Looker(key)))
    made(maker(stock))
    assert entries(stock) == 3
    made(maker(stock, insertions=InsertionCheck(recogniser("a"), RecognitionSettings())))
    assert entries(stock) == 3, "a melt is the same where the run also inserts"


def recogniser(weights: str, segmenter: Any = None) -> Recogniser:
    return Recogniser(segmenter or OnnxSegmenter("none.onnx"), {"kind": "onnx", "weights_sha256": weights}, frozenset())


def test_what_a_check_depends_on_is_its_settings_and_its_network() -> None:
    def melts(weights: str, **settings: Any) -> Any:
        segmenter = RunSegmenter(OnnxSegmenter("none.onnx"), {"weights_sha256": weights})
        return MeltCheck(segmenter, MeltCheckSettings(**settings)).key

    keys = [melts("a"), melts("b"), melts("a", score=0.3), melts("a", inside=0.9)]
    keys += [InsertionCheck(recogniser(name), RecognitionSettings()).key for name in ("a", "b")]
    keys += [InsertionCheck(recogniser("a"), RecognitionSettings(score=0.5)).key]
    texts = [canonical_json(key) for key in keys]
    assert len(set(texts)) == len(texts)
    assert melts("a") == melts("a")


def test_the_code_and_the_libraries_are_part_of_the_key(stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    made(maker(stock))
    monkeypatch.setattr("anamorph.engine.render.keeping.made_by", lambda: "another version")
    made(maker(stock))
    assert entries(stock) == 2


def test_any_change_in_the_code_that_makes_images_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "anamorph"
    for room in kept.ROOMS:
        place = root / room if room.endswith(".py") else root / room / "deeper" / "file.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("1")
    monkeypatch.setattr(anamorph, "__file__", str(root / "__init__.py"))
    found = [kept.made_by.__wrapped__()]
    for room in kept.ROOMS:
        place = root / room if room.endswith(".py") else root / room / "deeper" / "file.py"
        place.write_text("2")
        found.append(kept.made_by.__wrapped__())
    monkeypatch.setattr(kept, "_versions", lambda: {"numpy": "0"})
    found.append(kept.made_by.__wrapped__())
    assert None not in found and len(set(found)) == len(found)
    (root / "store" / "images.py").unlink()
    assert kept.made_by.__wrapped__() is None


def test_the_rooms_of_the_key_are_there() -> None:
    assert kept.made_by() is not None


# What rooms of the key may import although it is not of the key: it touches no pixel, or is in the key by value.
_NO_PIXELS = (
    "concurrency",
    "config",
    "engine/events",
    "engine/ray",
    "errors",
    "http",
    "reading",
    "photos/scene_limits",
    "python_files",
    "reading",
    "store",
)


def test_the_code_of_the_key_imports_no_other_code_that_makes_pixels() -> None:
    root = Path(anamorph.__file__).parent
    for room in kept.ROOMS:
        place = root / room
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                module = node.module if isinstance(node, ast.ImportFrom) else None
                if module is None or not module.startswith("anamorph."):
                    continue
                inner = "/".join(module.split(".")[1:])
                known = any(
                    inner == each.removesuffix(".py") or inner.startswith(f"{each}/")
                    for each in (*kept.ROOMS, *_NO_PIXELS)
                )
                assert known, f"{file.relative_to(root)} imports {module}, which the key does not know"


# --- what is not kept ------------------------------------------------------------------------------------------------


def test_what_other_people_wrote_is_not_kept_since_nobody_knows_when_it_changes(stock: Stock) -> None:
    catalog.register(Theirs)
    catalog.register(Telescope)
    made(maker(stock), Theirs())
    made(maker(stock), Melt(("dog",), inpainter="telescope"))
    made(maker(stock, paintings=Looker(None)))
    assert entries(stock) == 0
    own = RunSegmenter(ColourSegmenter(), {})
    assert MeltCheck(own, MeltCheckSettings()).key is None
    assert InsertionCheck(recogniser("a", ColourSegmenter()), RecognitionSettings()).key is None


def test_an_edit_without_tools_is_made_again(stock: Stock) -> None:
    made(maker(stock), Blur(1))
    assert entries(stock) == 0


def test_an_edit_that_uses_a_tool_which_its_settings_do_not_name_is_not_kept(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def apply(self: Melt, picture: Picture) -> Picture:
        return picture.with_pixels(picture.tools().inpaint("telescope", picture.pixels, np.eye(40, 60, dtype=bool)))

    monkeypatch.setattr(Melt, "apply", apply)
    assert made(maker(stock)).content is not None
    assert entries(stock) == 0


def test_what_is_made_quickly_is_not_kept(stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maker_module, "WORTH_KEEPING", 1e9)
    made(maker(stock))
    assert entries(stock) == 0


# --- whole runs ------------------------------------------------------------------------------------------------------


def rome(folder: Path, **changes: Any) -> Any:
    use(Script())
    table = {"inpainter": "telea"}
    return go(folder, methods=["rome"], rome=table, scenes={"kind": "toybox", "count": 2}, **changes)


def files_of(ran: Any) -> list[tuple[str, str | None]]:
    with ran.store() as store:
        return sorted(store.connection.execute("SELECT edits, file FROM images").fetchall())


def test_a_second_run_fills_nothing_and_has_the_same_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = {"folder": str(tmp_path / "made")}
    first = files_of(rome(tmp_path / "one", cache=folder))
    fills, fill = [0], Telea.fill

    def counted(self: Telea, pixels: Pixels, hole: Hole) -> Pixels:
        fills[0] += 1
        return fill(self, pixels, hole)

    monkeypatch.setattr(Telea, "fill", counted)
    assert files_of(rome(tmp_path / "two", cache=folder)) == first
    assert fills == [0]
    assert files_of(rome(tmp_path / "three", cache={**folder, "images": False})) == first
    assert fills[0] > 0


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = rome(tmp_path / "one", cache={"folder": str(tmp_path / "file" / "made")})
    (advice,) = [event.advice for event in ran.of(Advised) if "not kept" in event.advice]
    assert str(tmp_path / "file") in advice


def test_the_former_setting_is_the_file_of_answers() -> None:
    assert resolve({"cache": "a.sqlite"}).settings.cache.answers == "a.sqlite"
    assert json.loads(json.dumps(resolve({"cache": "a.sqlite"}).plain["cache"])) == {"answers": "a.sqlite"}


RUN = """
import sys
from pathlib import Path
from anamorph.config import resolve
from anamorph.engine.events import Rendered
from anamorph.engine.render import maker
from anamorph.engine.run import carry_out, start
from anamorph.store.run import RunStore
maker.WORTH_KEEPING = 0.0
folder, images, made = Path(sys.argv[1]), sys.argv[2] != "", sys.argv[2]
plain = {"methods": ["rome"], "rome": {"inpainter": "telea"}, "scenes": {"kind": "toybox", "count": 4},
         "system": {"kind": "toybox", "model": "captioner"}, "cache": {"images": images, "folder": made or None}}
config = resolve(plain)
store = RunStore.open(folder) if folder.exists() else start(config, folder)
for event in carry_out(store, config):
    if isinstance(event, Rendered):
        print("rendered", flush=True)
"""


def started(folder: Path, stock: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", RUN, str(folder), stock], stdout=subprocess.PIPE)


def images_in(folder: Path) -> list[tuple[str, str, bytes]]:
    with RunStore.open(folder, read_only=True) as store:
        rows = store.connection.execute("SELECT scene, edits, file FROM images ORDER BY 1, 2").fetchall()
        return [(scene, edits, store.images.path(file).read_bytes()) for scene, edits, file in rows]


def test_runs_at_once_on_one_folder_that_are_killed_lose_nothing_and_show_nothing_wrong(tmp_path: Path) -> None:
    stock = str(tmp_path / "made")
    two = [started(tmp_path / name, stock) for name in ("one", "two")]
    assert two[0].stdout is not None and two[0].stdout.readline() == b"rendered\n"
    two[0].kill()
    for run in two:
        run.communicate()
    assert (two[0].returncode, two[1].returncode) == (-signal.SIGKILL, 0)
    again, plain = started(tmp_path / "one", stock), started(tmp_path / "plain", "")
    for run in (again, plain):
        run.communicate()
        assert run.returncode == 0
    expected = images_in(tmp_path / "plain")
    assert images_in(tmp_path / "one") == images_in(tmp_path / "two") == expected
    assert len(list(Path(stock).glob("??/*"))) > 0
