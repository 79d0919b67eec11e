"""The report of 100,000 issues: how long it takes to write, how large it is, and how soon a browser shows it.

The run is made by hand. Its pictures are real files of which many are links to one, so that the disk is not filled; the
report counts each of them as a file of its own. Chromium and chromedriver must be on PATH.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from anamorph.config import AskSettings, Config, RunSettings
from anamorph.edits.melt import Melt
from anamorph.methods.rome.method import Rome
from anamorph.model import Answer, Box, Case, Conflict, Evidence, Probe, Scene, Thing, Verdict
from anamorph.relations.only_loses import OnlyLoses
from anamorph.report import write_report
from anamorph.report.single_file import write_single_file
from anamorph.store.answers import AttemptResult, record_results
from anamorph.store.images import ImageFormat
from anamorph.store.plans import PlanWriter, write_scenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import record_verdicts

ISSUES = 100_000
PER_SCENE = 10
PICTURES = 400
MOST_SECONDS, MOST_HEAP_MB = 2.0, 200
LABELS = ("person", "dog", "cat", "chair", "car", "book", "bottle", "cup", "bench", "bird", "bus", "tv")

FIRST_ROW = """
new MutationObserver(() => {
  if (window.firstRow === undefined && document.querySelector(".issue")) window.firstRow = performance.now();
}).observe(document, { childList: true, subtree: true });
"""


def make_run(folder: Path, issues: int) -> RunStore:
    """A run in which a caption loses an object in every case."""
    store = RunStore.create(folder, {})
    scenes = [_scene(number) for number in range(issues // PER_SCENE)]
    for _ in write_scenes(store, scenes, None):
        pass
    writer = PlanWriter(store)
    for scene in scenes:
        for place in range(PER_SCENE):
            relation = OnlyLoses((scene.things[place].label,))
            writer.add(
                Case(
                    "rome", Probe(scene.id), (Probe(scene.id, (Melt((str(place),)),)),), relation, {"melted": "0 to 1"}
                )
            )
    writer.flush()
    _take_pictures(store)
    probes = [id for (id,) in store.connection.execute("SELECT id FROM probes ORDER BY id")]
    for start in range(0, len(probes), 5_000):
        some = probes[start : start + 5_000]
        record_results(store, [AttemptResult(id, 0, Answer(text=_caption(id)), "", 0.1, 1) for id in some])
    cases = [id for (id,) in store.connection.execute("SELECT id FROM cases ORDER BY id")]
    with store.transaction():
        record_verdicts(store, ((case, _verdict(case)) for case in cases))
        store.set_fact("planned", True)
        store.set_fact("judged", True)
    return store


def _scene(number: int) -> Scene:
    labels = [LABELS[(number + place) % len(LABELS)] for place in range(PER_SCENE)]
    things = tuple(Thing(str(place), label, Box(40 * place, 50, 60, 90)) for place, label in enumerate(labels))
    return Scene(f"photo-{number:06}", f"photo-{number:06}.jpg", 640, 480, things)


def _caption(probe: int) -> str:
    first, second = LABELS[probe % len(LABELS)], LABELS[(probe // 7) % len(LABELS)]
    return f"a {first} beside a {second} on a street in the afternoon, number {probe}"


def _verdict(case: int) -> Verdict:
    label = LABELS[case % len(LABELS)]
    return Verdict(
        "violated",
        f"{label!r} is no longer named although objects were only removed.",
        ("mr1",),
        ("omission",),
        (Evidence(0, "street", 20, 26),),
        grade="contradiction" if case % 3 == 0 else "omission",
        conflicts=(Conflict(label, "omission", "lost", (0, 1)),),
        wrong_anyway=case % 5 == 0,
    )


def _take_pictures(store: RunStore) -> None:
    """A picture for every image; all but a few are links, under names of their own."""
    noise = np.random.default_rng(0)
    made = []
    for _ in range(PICTURES):
        coarse = noise.integers(0, 255, (15, 20, 3), dtype=np.uint8)
        pixels = np.asarray(cv2.resize(coarse, (640, 480), interpolation=cv2.INTER_CUBIC), np.uint8)
        grain = noise.integers(-12, 12, pixels.shape)
        content = ImageFormat().encode(np.clip(pixels + grain, 0, 255).astype(np.uint8))
        made.append(store.images.path(store.images.write(content, ".jpg")))
    images = [id for (id,) in store.connection.execute("SELECT id FROM images ORDER BY id")]
    names = []
    for id in images:
        name = f"{id:032x}.jpg"
        target = store.images.path(name[-6:-4] + name[2:])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.hardlink_to(made[id % PICTURES])
        names.append((target.name, id))
    with store.transaction():
        store.connection.executemany("UPDATE images SET file = ? WHERE id = ?", names)


def look(page: Path, issues: int) -> None:
    """How soon the first row is there, what all of them take, and how long a search takes."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait

    options = Options()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "window-size=1300,900"):
        options.add_argument(f"--{flag}")
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        browser.set_page_load_timeout(120)
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FIRST_ROW})
        wait = WebDriverWait(browser, 120, 0.05)

        def until(script: str) -> Any:
            return wait.until(lambda _: browser.execute_script(script))

        browser.get(page.resolve().as_uri())
        first = until("return window.firstRow") / 1000
        until("return !document.getElementById('filters').hidden")
        everything = browser.execute_script("return performance.now()") / 1000
        print(
            f"  first row after {first:.2f} s (limit {MOST_SECONDS} s), all {issues:,} indexed after {everything:.1f} s"
        )
        print(f"  heap {_heap(browser):.0f} MB (limit {MOST_HEAP_MB} MB)")
        began = time.perf_counter()
        browser.execute_script(f"location.hash = 'q=number+{issues // 2}'")
        until("return document.getElementById('result-count').textContent.includes('matching')")
        print(f"  a first search after {time.perf_counter() - began:.1f} s, then heap {_heap(browser):.0f} MB")
        began = time.perf_counter()
        browser.execute_script("location.hash = 'grade=contradiction&object=dog&page=9'")
        until("return document.querySelector('#page')?.value === '9'")
        print(f"  a filter and page 9 after {time.perf_counter() - began:.1f} s")
    finally:
        browser.quit()


def _heap(browser: Any) -> float:
    browser.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    browser.execute_cdp_cmd("Performance.enable", {})
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize")) / 1e6


def _megabytes(*paths: Path) -> float:
    files = (file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]))
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def main(issues: int = ISSUES) -> None:
    with tempfile.TemporaryDirectory(prefix="anamorph-bench-") as folder:
        config = Config({}, RunSettings(methods=("rome",), ask=AskSettings()), (Rome(),))
        began = time.perf_counter()
        with make_run(Path(folder, "run"), issues) as store:
            print(f"{issues:,} issues, made in {time.perf_counter() - began:.0f} s")
            began, busy = time.perf_counter(), time.process_time()
            report = write_report(store, config, store.folder / "report")
            out = report.index_html.parent
            seconds, busy = time.perf_counter() - began, time.process_time() - busy
            print(f"  written in {seconds:.0f} s, {busy:.0f} s of them at work; {report.left_out_sentence}")
            pictures = _megabytes(out / "images", out / "thumbnails")
            gallery = _megabytes(out / "data")
            print(f"  folder {_megabytes(out):.0f} MB: pictures {pictures:.0f} MB, gallery {gallery:.0f} MB")
            print(f"  report.json {_megabytes(report.json):.0f} MB, issues.csv {_megabytes(report.csv):.0f} MB")
            look(report.index_html, issues)
            began = time.perf_counter()
            single = write_single_file(store, config, store.folder / "report.html")
            print(
                f"  single file in {time.perf_counter() - began:.0f} s: {single.bytes / 1e6:.1f} MB. {single.sentence}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ISSUES)
