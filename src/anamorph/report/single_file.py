"""A report in a single HTML file: styles, scripts, issues and pictures are in it, scaled to fit a size."""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import secrets
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from anamorph.config import Config
from anamorph.engine.gate import GateResult
from anamorph.errors import UsageError
from anamorph.report.baseline.file import ChosenBaseline
from anamorph.report.gallery import GalleryFiles
from anamorph.report.images import scaled_jpeg
from anamorph.report.issues import read_clearest, read_issues, read_leads
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.report.pages import MOST_EXAMPLES, SCRIPTS, STYLES, Inlined, read_asset, render_index
from anamorph.store.images import ImageFolder
from anamorph.store.plans import read_skips
from anamorph.store.run import RunStore

MOST_FILE_BYTES = 20_000_000
# The longer sides that pictures are scaled to, and about how many bytes such a picture takes.
_SIDES = ((1024, 150_000), (800, 95_000), (640, 62_000), (480, 38_000), (360, 24_000), (240, 12_000))
# At most this share of the file is for the texts of issues.
_SHARE_OF_TEXTS = 0.4
_MOST_SKIPS = 50
# What is left for the last sentence and the like.
_SPARE = 2_000
# By this, in its first line, a report in a single file is recognised.
MARK = "<!-- anamorph-report -->"


@dataclass(frozen=True, slots=True)
class SingleFile:
    """A report in a single file: its size, how many of all issues and leads it has, and of all pictures they need.

    `side` is the most pixels that the longer side of a picture has.
    """

    path: Path
    bytes: int
    issues: int
    all_issues: int
    leads: int
    all_leads: int
    pictures: int
    all_pictures: int
    side: int
    gate: GateResult
    numbers: RunNumbers

    @property
    def sentence(self) -> str:
        """The contents of the file, and the omissions."""
        return _contents(
            self.issues, self.all_issues, self.leads, self.all_leads, self.pictures, self.all_pictures, self.side
        )


class _Needed:
    """Pictures that a page refers to, in the order in which they come up."""

    def __init__(self, source: ImageFolder) -> None:
        self._source = source
        self.files: dict[str, Path] = {}

    def take(self, name: str) -> str | None:
        origin = self._source.find(name)
        if origin is None:
            return None
        address = name.partition(".")[0]
        self.files.setdefault(address, origin)
        return address


def write_single_file(
    store: RunStore,
    config: Config,
    path: Path,
    most_bytes: int = MOST_FILE_BYTES,
    baseline: ChosenBaseline | None = None,
) -> SingleFile:
    """Write a run's report into one file of at most `most_bytes`, in place of an earlier one; the run is only read."""
    _check_replaceable(path)
    with store.snapshot():
        numbers = read_numbers(store, config, baseline)
        needed = _Needed(store.images)
        examples = read_clearest(store, needed, numbers.repeats, MOST_EXAMPLES)
        skips = list(itertools.islice(read_skips(store), _MOST_SKIPS))
        chunks: list[tuple[str, Markup]] = []
        # The body of a chunk is a list in JSON, in which no "<" is left to end a block of the page.
        with GalleryFiles(lambda name, body: chunks.append((name, Markup(body)))) as gallery:
            for issue in read_issues(store, needed, numbers.repeats):
                if gallery.count and gallery.size > _SHARE_OF_TEXTS * most_bytes:
                    break
                gallery.add(issue)
        with GalleryFiles(lambda name, body: chunks.append((name, Markup(body))), "lead") as leads:
            # What issues leave, since these come first.
            for lead in read_leads(store, needed, numbers.repeats):
                if gallery.size + leads.size > _SHARE_OF_TEXTS * most_bytes:
                    break
                leads.add(lead)
    style, script = _text_of(STYLES), _text_of(SCRIPTS)
    policy = _policy(style, script)

    def render(pictures: Mapping[str, str], note: str) -> bytes:
        inlined = Inlined(policy, style, script, chunks, pictures, note)
        return render_index(numbers, skips, examples, (gallery.count, leads.count), inlined).encode()

    room = most_bytes - len(render({}, "")) - _SPARE
    if room < 0:
        raise UsageError(f"{path}: the page alone takes more than {most_bytes:,} bytes. Choose a larger --max-size.")
    first = {probe.address for _, issue in examples for probe in issue.probes if probe.address}
    side, pictures = _scaled(needed.files, first, room)
    found = (gallery.count, numbers.counts.violated, leads.count, numbers.counts.leads)
    counts = (*found, len(pictures), len(needed.files), side)
    complete = found[0] == found[1] and found[2] == found[3] and len(pictures) == len(needed.files)
    content = render(pictures, "" if complete else _contents(*counts))
    _write(path, content)
    return SingleFile(path, len(content), *counts, numbers.gate, numbers)


def _text_of(names: Sequence[str]) -> Markup:
    """Assets one after the other; they are ours, and end no style or script of the page."""
    return Markup("\n".join(map(read_asset, names)))


def _policy(style: str, script: str) -> str:
    """Only this very style and this very script, and no address but the pictures in the page."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    return (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _contents(
    issues: int, all_issues: int, leads: int, all_leads: int, pictures: int, all_pictures: int, side: int
) -> str:
    some = f"The first {issues:,} of {all_issues:,} issues" if issues < all_issues else f"All {all_issues:,} issues"
    others = f"{leads:,} of {all_leads:,} leads" if leads < all_leads else f"all {all_leads:,} leads"
    shown = f"{pictures:,} of {all_pictures:,}" if pictures < all_pictures else f"all {all_pictures:,}"
    kept = f"{some}, {others} and" if all_leads else f"{some} and"
    return f"{kept} {shown} pictures, at most {side} pixels wide and high, are in this file."


def _scaled(files: Mapping[str, Path], twice: Container[str], room: int) -> tuple[int, dict[str, str]]:
    """As many of some pictures as there is room for, in base64, at a size at which all should fit.

    Some stand in the page twice: on the first screen, and for the gallery.
    """
    share = room * 3 / 4 / max(1, len(files))
    side = next((side for side, size in _SIDES if size <= share), _SIDES[-1][0])
    found: dict[str, str] = {}
    for address, path in files.items():
        content = scaled_jpeg(path, side)
        if content is None:
            continue
        text = base64.b64encode(content).decode("ascii")
        taken = (len(text) + len(address) + 100) * (2 if address in twice else 1)
        if taken > room:
            break
        room -= taken
        found[address] = text
    return side, found


def _check_replaceable(path: Path) -> None:
    """Only an earlier report, or nothing, is ever replaced."""
    if path.is_dir():
        raise UsageError(f"{path}: is a folder, and a file is to be written. Choose another --out.")
    if not path.exists():
        return
    # Opening a FIFO would not end.
    with path.open("rb") if path.is_file() else io.BytesIO() as stream:
        if MARK.encode() not in stream.read(200):
            raise UsageError(f"{path}: exists and is not a report of Anamorph. Choose another --out.")


def _write(path: Path, content: bytes) -> None:
    """Write beside the place and then move there, so that a half-written file is never seen."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as problem:
        draft.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written there ({problem.strerror or problem}).") from problem
