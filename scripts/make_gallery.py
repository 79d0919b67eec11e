"""Makes docs/gallery.md and its pictures from a demo: `anamorph demo && python scripts/make_gallery.py demo-run`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from anamorph.cli.printing import answer_line
from anamorph.model import GRADES, Pixels, Scene, Verdict
from anamorph.report.suspicions import suspected, why_of
from anamorph.store.answers import answers_of, probes_by_id
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, issues
from anamorph.toybox.scenes import ToyboxScenes

DOCS = Path(__file__).parent.parent / "docs"
GAP = 8
SCENES = 12
ISSUES_PER_METHOD = 2
MOST_PICTURES = 3


def side_by_side(pictures: list[Pixels], columns: int) -> Pixels:
    """Pictures of one height in rows, with white between them."""
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    rows = -(-len(pictures) // columns)
    shape = (rows * (height + GAP) - GAP, columns * (width + GAP) - GAP, 3)
    sheet = np.full(shape, 255, dtype=np.uint8)
    for place, picture in enumerate(pictures):
        top, left = place // columns * (height + GAP), place % columns * (width + GAP)
        sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return sheet


def save(pixels: Pixels, name: str) -> str:
    folder = DOCS / "gallery"
    folder.mkdir(exist_ok=True)
    Image.fromarray(pixels).save(folder / name, quality=88)
    return f"gallery/{name}"


def chosen(store: RunStore) -> Iterator[tuple[StoredCase, Verdict]]:
    """The clearest issues of each method, one per scene."""
    count: dict[str, int] = {}
    seen: set[int] = set()
    for case, verdict in sorted(issues(store), key=lambda issue: _rank(issue[1])):
        scene = probes_by_id(store, case.probes[:1])[0].scene
        if count.get(case.method, 0) < ISSUES_PER_METHOD and scene not in seen:
            seen.add(scene)
            count[case.method] = count.get(case.method, 0) + 1
            yield case, verdict


def _rank(verdict: Verdict) -> int:
    """The surest first, and those without a grade last."""
    return len(GRADES) if verdict.grade is None else GRADES.index(verdict.grade)


def issue_lines(store: RunStore, system: str) -> Iterator[str]:
    for case, verdict in chosen(store):
        probes = probes_by_id(store, case.probes)[:MOST_PICTURES]
        answers = answers_of(store, case.probes)
        files = list(dict.fromkeys(probe.file for probe in probes if probe.file))
        picture = save(
            side_by_side([store.images.pixels(file) for file in files], len(files)), f"{system}-{case.digest[:8]}.jpg"
        )
        yield f"### {case.method}: {suspected(verdict)}\n"
        yield f"![{system}, {case.method}]({picture})\n"
        for place, probe in enumerate(probes):
            asked = f"*{probe.question}* " if probe.question else ""
            kinds = ", ".join(edit["kind"] for edit in json.loads(probe.edits)) or "as it is"
            said = answer_line(answers[probe.id].get(0))
            yield f"- {'source' if place == 0 else 'follow-up'} ({kinds}): {asked}“{said}”"
        if len(case.probes) > MOST_PICTURES:
            yield f"- and {len(case.probes) - MOST_PICTURES} more follow-ups"
        yield f"- proof: {why_of(verdict)}"
        yield ""


def main(demo: Path) -> None:
    source = ToyboxScenes(count=SCENES, seed=7)
    drawn = [source.pixels(scene) for scene in source.scan() if isinstance(scene, Scene)]
    lines = [
        "# Gallery\n",
        "Made by `anamorph demo && python scripts/make_gallery.py demo-run`; nothing here is touched up.\n",
        "## Scenes\n",
        f"![Twelve scenes of the toybox]({save(side_by_side(drawn, 4), 'scenes.jpg')})\n",
        "## Twins and issues\n",
        "What the toybox's networks said about a source and its follow-ups, and why both cannot be right.\n",
    ]
    for old in (DOCS / "gallery").glob("*-*.jpg"):
        old.unlink()
    for system in ("captioner", "answerer", "tagger"):
        with RunStore.open(demo / system, read_only=True) as store:
            lines += issue_lines(store, system)
    (DOCS / "gallery.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo-run"))
