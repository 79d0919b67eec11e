"""`anamorph list pool`: cut-outs that insertions take their objects from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from PIL import Image
from rich.progress import track

from anamorph.cli.groups import WholeSummaryGroup
from anamorph.cli.moved import POOLS, command_with
from anamorph.cli.options import FILE, FOLDER, JSON_OPTION, OLD_LOAD_OPTION, set_option, settings_from
from anamorph.cli.printing import table_of
from anamorph.cli.terminal import echo, echo_json, open_console
from anamorph.config import resolve
from anamorph.engine.enrich.stage import enriched_scenes
from anamorph.engine.recogniser import recogniser_at_hand
from anamorph.errors import UnknownName, UsageError
from anamorph.model import Scene, Skip, encode, setting
from anamorph.pixels.sheets import contact_sheet
from anamorph.pools.cutouts import CutoutRules, Wanted, build_pool
from anamorph.pools.folder import LIST_FILE, Pool, PoolEntry
from anamorph.pools.review import review_page

SHEET_FILE = "sheet.png"
REVIEW_FILE = "review.html"
_MOST_ON_SHEET = 400
_GET_ONE = "Give a --segmenter, or get one with `anamorph list models get yolox-nano`."

_POOL = click.argument("folder", metavar="POOL", type=FOLDER)


@dataclass(frozen=True, slots=True)
class _Kept:
    """How many cut-outs a pool keeps, and whether they are drawn."""

    most_per_class: int | None = setting(None, "At most this many cut-outs of each class.", least=1)
    limit: int | None = setting(None, "Use at most this many scenes.", least=1)
    sheet: bool = setting(True, "Write the picture of all cut-outs.")


@click.group(cls=WholeSummaryGroup)
def pool() -> None:
    """Build and look at pools of cut-outs, which insertions take their objects from."""


@pool.command(
    cls=command_with(POOLS),
    epilog="""\b
Examples:
  anamorph list pool build pools/coco --scenes coco:instances.json,images=val2017
  anamorph list pool build pools/animals -s toybox:200 --class dog --class cat --set most_per_class=20
  anamorph list pool build pools/mine -s folder:photos --segmenter onnx:yolo11n-seg.onnx
  anamorph list pool build pools/large -s voc:VOC2012 --set min_side=96 --set most_hidden=0.05""",
)
@_POOL
@click.option("--scenes", "-s", required=True, metavar="KIND:...", help="Where photos with masks come from.")
@click.option("--segmenter", metavar="KIND:...", help="What finds the objects of photos that have none annotated.")
@click.option("--class", "labels", multiple=True, metavar="NAME", help="Only this class; repeat for several.")
@set_option("limit=500 scenes, most_per_class=20, sheet=false (no picture), or a quality rule, as min_side=64.")
@OLD_LOAD_OPTION
@JSON_OPTION
def build(
    folder: Path, scenes: str, segmenter: str | None, labels: tuple[str, ...], sets: tuple[str, ...], as_json: bool
) -> None:
    """Cut objects out of photos with masks, and keep the good ones as a pool.

    An object is left out if it touches the border of its photo, is tiny, is cut off, is behind others, is in pieces, is
    a crowd, or is not recognized where a recognizer is at hand; how many, and why, is shown and kept.
    """
    if (folder / LIST_FILE).exists():
        raise UsageError(f"{folder}: holds a pool already. Remove it, or choose another folder.")
    own = [each for each in sets if each.partition("=")[0].strip() in ("limit", "most_per_class", "sheet")]
    kept = settings_from(_Kept, own)
    rules = settings_from(CutoutRules, [each for each in sets if each not in own])
    wanted = Wanted(rules, labels, kept.most_per_class)
    config = resolve({"scenes": scenes, **({"segmenter": segmenter} if segmenter else {})})
    source = config.scenes()
    recogniser = recogniser_at_hand(config, source) if wanted.rules.recognised else None
    sees = None if recogniser is None else recogniser.on_ground
    with enriched_scenes(config, source, kept.limit) as (found, _):
        for _ in _shown(build_pool(folder, _scenes(found, kept.limit), source.pixels, wanted, sees)):
            pass
    built = Pool.open(folder)
    if recogniser is None and built.entries and wanted.rules.recognised:
        echo(f"No recognizer at hand, so nothing checked what the cut-outs show. {_GET_ONE}", err=True)
    if kept.sheet:
        _write_sheet(built, built.entries, folder / SHEET_FILE)
    if as_json:
        echo_json(_record(built))
        return
    _print(built)
    if kept.sheet and built.entries:
        echo(f"Look at them: {folder / SHEET_FILE}")


@pool.command(name="list")
@_POOL
@JSON_OPTION
def list_command(folder: Path, as_json: bool) -> None:
    """Show how many cut-outs of each class a pool has, and what was left out and why."""
    opened = Pool.open(folder)
    if as_json:
        echo_json(_record(opened))
    else:
        _print(opened)


@pool.command()
@_POOL
@click.argument("id", required=False)
@click.option("--class", "label", metavar="NAME", help="Only this class.")
@click.option("--out", type=FILE, metavar="FILE.png", help="Where the sheet goes.")
@JSON_OPTION
def show(folder: Path, id: str | None, label: str | None, out: Path | None, as_json: bool) -> None:
    """Show one cut-out's record, or write a contact sheet of many."""
    opened = Pool.open(folder)
    if id is not None:
        try:
            entry = opened.entry(id)
        except KeyError:
            raise UnknownName("cut-out", id, [each.id for each in opened.entries][:10]) from None
        opened.cutout(id)
        plain = encode(entry)
        if as_json:
            echo_json(plain)
        else:
            for line in _lines(plain, folder):
                echo(line)
        return
    if label is not None and label not in opened.labels():
        raise UnknownName("class", label, opened.labels())
    entries = tuple(entry for entry in opened.entries if label in (None, entry.label))
    path = out or folder / SHEET_FILE
    _write_sheet(opened, entries, path)
    if as_json:
        echo_json({"sheet": str(path), "cutouts": [encode(entry) for entry in entries]})
    else:
        echo(str(path))


@pool.command(
    epilog="""\b
Examples:
  anamorph list pool review pools/coco
  anamorph list pool review pools/coco --strike dog-3fa81c0d22b79e10 --strike cup-91a0c55e0b1d7f22
  anamorph list pool review pools/coco --restore dog-3fa81c0d22b79e10
  anamorph list pool review pools/coco --accept"""
)
@_POOL
@click.option("--strike", multiple=True, metavar="ID", help="Never insert this cut-out again; repeat for several.")
@click.option("--restore", multiple=True, metavar="ID", help="Take a struck-out one back; repeat for several.")
@click.option("--accept", is_flag=True, help="You looked at them all: the others may be inserted, recognized or not.")
@JSON_OPTION
def review(folder: Path, strike: tuple[str, ...], restore: tuple[str, ...], accept: bool, as_json: bool) -> None:
    """Write a page of all cut-outs to look at, and strike out the bad ones.

    On the page, click the bad ones: it shows the command that strikes them out. They stay in the pool, for the runs
    that have used them, and are not inserted any more.
    """
    opened = Pool.open(folder)
    for id in (*strike, *restore):
        if id not in {entry.id for entry in (*opened.entries, *opened.struck)}:
            raise UnknownName("cut-out", id, [each.id for each in (*opened.entries, *opened.struck)][:10])
    if strike or restore or accept:
        opened = opened.with_struck(strike, restore)
    page = folder / REVIEW_FILE
    try:
        page.write_text(review_page(opened), encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"{page}: cannot be written ({problem.strerror or problem}).") from problem
    _write_sheet(opened, opened.entries, folder / SHEET_FILE)
    if as_json:
        echo_json({**_record(opened), "page": str(page), "sheet": str(folder / SHEET_FILE)})
        return
    _print(opened)
    echo(f"Look at them: {page} (or {folder / SHEET_FILE})")


def _scenes(found: Iterator[Scene | Skip], limit: int | None) -> Iterator[Scene]:
    count = 0
    for item in found:
        if isinstance(item, Skip):
            echo(f"skipped {item.what}: {item.reason}", err=True)
            continue
        if limit is not None and count >= limit:
            return
        count += 1
        yield item


def _shown(scenes: Iterator[Scene]) -> Iterator[Scene]:
    console = open_console(stderr=True)
    if not console.is_terminal:
        return scenes
    return iter(track(scenes, description="scenes", console=console, total=None))


def _record(opened: Pool) -> dict[str, object]:
    return {
        "pool": str(opened.folder),
        "cutouts": len(opened.entries),
        "classes": opened.labels(),
        "left_out": dict(opened.rejected),
        "struck_out": [entry.id for entry in opened.struck],
    }


def _print(opened: Pool) -> None:
    console = open_console()
    rows = [*opened.labels().items(), ("together", len(opened.entries))]
    rows += [("struck out", len(opened.struck))] if opened.struck else []
    console.print(table_of(str(opened.folder), ("class", "cut-outs"), rows))
    if opened.rejected:
        reasons = sorted(opened.rejected.items(), key=lambda item: (-item[1], item[0]))
        console.print(table_of("", ("left out because", "objects"), reasons))


def _lines(plain: dict[str, object], folder: Path) -> list[str]:
    rows = {**plain, "file": str(folder / str(plain["file"]))}
    return [f"{name:<11}{value}" for name, value in rows.items()]


def _write_sheet(opened: Pool, entries: tuple[PoolEntry, ...], path: Path) -> None:
    if len(entries) > _MOST_ON_SHEET:
        # Evenly spread over the list, which is sorted by class.
        entries = tuple(entries[position * len(entries) // _MOST_ON_SHEET] for position in range(_MOST_ON_SHEET))
        echo(f"The sheet shows {_MOST_ON_SHEET} of {len(opened.entries)} cut-outs.", err=True)
    sheet = contact_sheet((entry.label, opened.cutout(entry.id).rgba) for entry in entries)
    try:
        Image.fromarray(sheet).save(path, format="PNG")
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written ({problem.strerror or problem}).") from problem
