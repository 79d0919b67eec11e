"""A long run through a server that commits every fault now and then, killed again and again and resumed.

What is measured: nothing is lost, no answer is attributed to another image, what was committed is not asked again, what
a kill has asked again is within the window of docs/reliability.md, and memory stays flat. Everything follows from the
seed, except where in its work a process is when it is killed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import cv2
import numpy as np
import psutil

from anamorph.engine.ask.stage import most_uncommitted
from anamorph.store.images import ImageFolder
from anamorph.store.run import RunStore
from benchmarks.faulty_server import (
    ANSWERED,
    FAULTS,
    caption,
    count_calls,
    faulty_server,
    heal,
    logged_calls,
    things_in,
)

# A photo and its follow-ups: tiny, since this is not about JPEG.
PROBES_PER_PHOTO = 25
SIZE = (24, 16)
# Kills are in the first part of the run; the rest is one long life, in which a leak would show.
KILLED_SHARE = 0.6
WATCH_SECONDS = 0.05
SAMPLE_SECONDS = 0.5
PASSED = (0, 1, 4)
# Of memory, from the first to the last quarter of the longest life; a short life is still warming up.
MOST_GROWTH = 1.25
LEAST_SAMPLES = 50


@dataclass(frozen=True)
class Soak:
    """How long, how faulty, and how often killed."""

    probes: int = 200_000
    kills: int = 10
    share: float = 0.01
    seed: int = 15
    parallel: int = 32
    timeout_seconds: float = 2.0


@dataclass
class Life:
    """One process, from its start to its end: calls before and after, and samples of (seconds, calls, RSS in MB)."""

    first_call: int
    killed: bool = False
    last_call: int = 0
    seconds: float = 0.0
    samples: list[tuple[float, int, float]] = field(default_factory=list)

    def asking(self) -> list[float]:
        """Memory while it asked."""
        return [mb for _, calls, mb in self.samples if self.first_call < calls < self.last_call]


@dataclass
class Findings:
    """What is to be seen of a run and of the server's log; a healthy run has no `complaints`."""

    complaints: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    lives: list[Life] = field(default_factory=list)


def make_photos(folder: Path, count: int) -> None:
    """Tiny photos that are all different."""
    folder.mkdir(parents=True)
    for index in range(count):
        rng = np.random.default_rng(index)
        coarse = rng.integers(0, 256, (3, 4, 3), dtype=np.uint8)
        cv2.imwrite(str(folder / f"{index:06}.png"), cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC))


def _settings(soak: Soak) -> list[str]:
    steps = [round(0.5 + 0.04 * number, 2) for number in range(8)]
    shears = [round(0.03 * (number + 1), 2) for number in range(8)]
    return [
        "deeptest.blur=[]",
        f"deeptest.brightness={steps}",
        f"deeptest.contrast={steps}",
        f"deeptest.shear={shears}",
        f"ask.parallel={soak.parallel}",
        f"ask.timeout_seconds={soak.timeout_seconds}",
        "ask.backoff_seconds=0.05",
    ]


def run_soak(soak: Soak, folder: Path) -> Findings:
    """Carry it out in a folder, and check everything."""
    found = Findings()
    photos, run, log = folder / "photos", folder / "run", folder / "calls.log"
    make_photos(photos, soak.probes // PROBES_PER_PHOTO)
    began = time.monotonic()
    with faulty_server(log, soak.share, soak.seed) as url:
        words = ["run", "-m", "deeptest", "-s", f"folder:{photos}", "-y", f"http:{url}/caption,image=raw", "-o", run]
        for each in _settings(soak):
            words += ["--set", each]
        _live_and_die(soak, [*map(str, words)], run, log, found)
        found.figures["seconds, with all kills"] = f"{time.monotonic() - began:.0f}"
        planned = soak.probes // PROBES_PER_PHOTO * PROBES_PER_PHOTO
        _check_store(found, run, planned, log, healed=False)
        _check_repeats(found, soak, run, log)
        heal(url)
        life = _live(["resume", str(run), "--no-report"], log, folder)
        found.lives.append(life)
        _check_store(found, run, planned, log, healed=True)
    _measure(found, run)
    return found


# --- lives -----------------------------------------------------------------------------------------------------------


def _live_and_die(soak: Soak, begin: Sequence[str], run: Path, log: Path, found: Findings) -> None:
    """Start the run and go on with it until it ends by itself; kills come at seeded moments."""
    rng = Random(soak.seed)
    calls = soak.probes / max(0.1, 1 - soak.share * len(FAULTS))
    # The first kill is by the clock, while it starts or plans; the others while it asks.
    moments = sorted(int(rng.uniform(0, KILLED_SHARE * calls)) for _ in range(soak.kills - 1))
    early = [rng.uniform(0.5, 2.0)] if soak.kills else []
    while True:
        words = ["resume", str(run)] if _has_begun(run) else begin
        committed = _committed(run) if _has_begun(run) else frozenset()
        seconds = early.pop() if early else None
        moment = moments.pop(0) if moments and seconds is None else None
        life = _live(
            [*words, "--no-report"], log, run.parent, after_seconds=seconds, at_call=moment, delay=rng.uniform(0, 0.05)
        )
        found.lives.append(life)
        again = {each.digest for each in logged_calls(log, life.first_call)} & committed
        if again:
            found.complaints.append(f"{len(again)} answers that were committed were asked again")
        if not life.killed:
            return


def _live(
    words: Sequence[str],
    log: Path,
    folder: Path,
    *,
    after_seconds: float | None = None,
    at_call: int | None = None,
    delay: float = 0.0,
) -> Life:
    """One process; it is killed after some time or some calls, or lives as long as it likes."""
    life = Life(count_calls(log))
    environment = {**os.environ, "ANAMORPH_KEY": str(folder / "run.key"), "no_proxy": "127.0.0.1"}
    began, sampled = time.monotonic(), 0.0
    with (folder / "said.txt").open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "anamorph.cli.main", *words], stdout=said, stderr=said, env=environment
        )
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            now, calls = time.monotonic() - began, count_calls(log)
            if now - sampled >= SAMPLE_SECONDS:
                sampled = now
                with contextlib.suppress(psutil.Error):
                    life.samples.append((now, calls, watched.memory_info().rss / 1e6))
            if (at_call is not None and calls >= at_call) or (after_seconds is not None and now >= after_seconds):
                time.sleep(delay)
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(WATCH_SECONDS)
        code = process.wait()
    life.killed = code == -signal.SIGKILL
    life.last_call, life.seconds = count_calls(log), time.monotonic() - began
    if not life.killed and code not in PASSED:
        tail = (folder / "said.txt").read_text()[-2000:]
        raise RuntimeError(f"`anamorph {words[0]}` ended with {code}: {tail}")
    return life


def _has_begun(run: Path) -> bool:
    return (run / "run.sqlite").exists()


def _committed(run: Path) -> frozenset[str]:
    """The images whose every answer is committed."""
    with RunStore.open(run, read_only=True) as store:
        rows = store.connection.execute(
            """SELECT substr(i.file, 1, 32) FROM probes p JOIN images i ON i.id = p.image
            LEFT JOIN answers a ON a.probe = p.id
            WHERE i.file IS NOT NULL GROUP BY i.file HAVING count(*) = count(a.probe)"""
        )
        return frozenset(file for (file,) in rows)


# --- what must be so -------------------------------------------------------------------------------------------------


def _check_store(found: Findings, run: Path, planned: int, log: Path, *, healed: bool) -> None:
    """Every probe has its answer, or a failure that is recorded; every answer and every verdict is the right one."""
    when = "after the server was healed" if healed else "at the end"
    answered_by_server = {each.digest for each in logged_calls(log) if each.did == ANSWERED}
    with RunStore.open(run, read_only=True) as store:
        counts: Counter[str] = Counter()
        shown: dict[int, str | None] = {}
        for probe, file, text, answers, failures in _probes(store.connection):
            digest = (file or "")[:32]
            counts["probes"] += 1
            counts["answered"] += answers == 1
            counts["failed"] += not answers and bool(failures)
            counts["lost"] += not answers and not failures
            counts["answered more than once"] += answers > 1
            counts["attributed to another image"] += bool(answers) and text != caption(digest)
            counts["never given by the server"] += bool(answers) and digest not in answered_by_server
            shown[probe] = things_in(digest) if answers else None
        for source, follow_up, outcome in _verdicts(store.connection):
            one, other = shown[source], shown[follow_up]
            expected = "undecided" if one is None or other is None else "holds" if one == other else "violated"
            counts["verdicts"] += 1
            counts[outcome or "not judged"] += 1
            counts["wrong verdicts"] += outcome != expected
        counts["damaged images"] = sum(not _is_sound(store.images, name) for name in _files(store.connection))
        complaint = store.connection.execute("PRAGMA integrity_check").fetchone()[0]
    if complaint != "ok":
        found.complaints.append(f"SQLite says {complaint} {when}")
    if counts["probes"] != planned:
        found.complaints.append(f"{counts['probes']} probes instead of {planned} {when}")
    if counts["answered"] + counts["failed"] != planned or (healed and counts["failed"]):
        found.complaints.append(f"{counts['answered']} answers and {counts['failed']} failures {when}")
    for name in (
        "lost",
        "answered more than once",
        "attributed to another image",
        "never given by the server",
        "wrong verdicts",
        "not judged",
        "damaged images",
    ):
        if counts[name]:
            found.complaints.append(f"{counts[name]} {name} {when}")
    names = ("probes", "answered", "failed", "lost", "verdicts", "holds", "violated", "undecided", "wrong verdicts")
    found.figures[when] = ", ".join(f"{counts[name]:,} {name}" for name in names)


def _probes(connection: sqlite3.Connection) -> Iterator[tuple[int, str | None, str | None, int, int]]:
    """Every probe with its image, its answer, and how many answers and failures it has."""
    yield from connection.execute(
        """SELECT p.id, i.file, (SELECT max(a.text) FROM answers a WHERE a.probe = p.id),
            (SELECT count(*) FROM answers a WHERE a.probe = p.id),
            (SELECT count(*) FROM failures f WHERE f.probe = p.id)
        FROM probes p JOIN images i ON i.id = p.image"""
    )


def _verdicts(connection: sqlite3.Connection) -> Iterator[tuple[int, int, str | None]]:
    yield from connection.execute(
        """SELECT json_extract(c.probes, '$[0]'), json_extract(c.probes, '$[1]'), v.outcome
        FROM cases c LEFT JOIN verdicts v ON v."case" = c.id"""
    )


def _files(connection: sqlite3.Connection) -> Iterator[str]:
    for (name,) in connection.execute("SELECT DISTINCT file FROM images WHERE file IS NOT NULL"):
        yield name


def _is_sound(images: ImageFolder, name: str) -> bool:
    path = images.find(name)
    return path is not None and hashlib.sha256(path.read_bytes()).hexdigest()[:32] == path.stem


def _check_repeats(found: Findings, soak: Soak, run: Path, log: Path) -> None:
    """How many images were asked about again: their calls were lost to kills, and the run knows nothing of them."""
    called = Counter(each.digest for each in logged_calls(log) if not each.redirected)
    done = Counter(each.did for each in logged_calls(log))
    given = Counter(each.digest for each in logged_calls(log) if each.did == ANSWERED)
    with RunStore.open(run, read_only=True) as store:
        known: Counter[str] = Counter()
        probes: Counter[str] = Counter()
        for file, tries in store.connection.execute(
            """SELECT i.file, coalesce((SELECT sum(tries) FROM answers a WHERE a.probe = p.id), 0)
                + coalesce((SELECT sum(tries) FROM failures f WHERE f.probe = p.id), 0)
            FROM probes p JOIN images i ON i.id = p.image WHERE i.file IS NOT NULL"""
        ):
            known[file[:32]] += tries
            probes[file[:32]] += 1
    unknown = {digest: count - known[digest] for digest, count in called.items() if count > known[digest]}
    kills = sum(life.killed for life in found.lives)
    window = most_uncommitted(soak.parallel, 1)
    if len(unknown) > kills * window:
        found.complaints.append(f"{len(unknown)} images were asked about again after {kills} kills, window {window}")
    if kills < soak.kills:
        found.complaints.append(f"only {kills} kills instead of {soak.kills}: the run ended before")
    twice = sum(max(0, count - probes[digest]) for digest, count in given.items())
    found.figures["calls"] = f"{sum(called.values()):,}, and {done['redirect']:,} redirected"
    found.figures["faults"] = f"{sum(done.values()) - done[ANSWERED]:,}: " + ", ".join(
        f"{done[name]:,} {name}" for name in FAULTS
    )
    found.figures["asked again because of kills"] = (
        f"{len(unknown)} images ({sum(unknown.values())} calls) for {kills} kills, at most {kills * window} are "
        f"promised; {twice} answers were given twice"
    )


def _measure(found: Findings, run: Path) -> None:
    """Memory, time and size."""
    by_calls = [(calls, mb) for life in found.lives for _, calls, mb in life.samples if life.first_call < calls]
    if by_calls:
        most = max(calls for calls, _ in by_calls)
        first = [mb for calls, mb in by_calls if calls <= most / 4]
        last = [mb for calls, mb in by_calls if calls > most * 3 / 4]
        found.figures["memory in the first and last quarter of the run"] = f"{_mb(first)} and {_mb(last)}"
    longest = max(found.lives, key=lambda life: life.last_call - life.first_call).asking()
    quarter = len(longest) // 4
    if quarter:
        found.figures["memory in the first and last quarter of the longest life, while it asked"] = (
            f"{_mb(longest[:quarter])} and {_mb(longest[-quarter:])}, peak {max(longest):.0f} MB"
        )
    if quarter >= LEAST_SAMPLES and median(longest[-quarter:]) > MOST_GROWTH * median(longest[:quarter]):
        found.complaints.append("memory is not flat")
    found.figures["lives"] = "; ".join(
        f"calls {life.first_call:,} to {life.last_call:,} in {life.seconds:.0f} s{', killed' if life.killed else ''}"
        for life in found.lives
    )
    size = sum(path.stat().st_size for path in run.glob("run.sqlite*"))
    images = [path.stat().st_size for path in (run / "images").rglob("*.jpg")]
    found.figures["the store"] = f"run.sqlite {size / 1e6:.0f} MB, {len(images):,} images {sum(images) / 1e6:.0f} MB"


def _mb(samples: list[float]) -> str:
    return f"{median(samples):.0f} MB" if samples else "not sampled"


def main(words: Sequence[str] = ()) -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.bench_soak", description=__doc__)
    arguments.add_argument("--probes", type=int, default=Soak.probes)
    arguments.add_argument("--kills", type=int, default=Soak.kills)
    arguments.add_argument("--share", type=float, default=Soak.share, help="of the calls, for each fault")
    arguments.add_argument("--seed", type=int, default=Soak.seed)
    arguments.add_argument("--folder", type=Path, help="where to work; by default a temporary folder that is removed")
    chosen = arguments.parse_args(words)
    folder = Path(tempfile.mkdtemp(prefix="anamorph-soak-")) if chosen.folder is None else chosen.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = run_soak(Soak(chosen.probes, chosen.kills, chosen.share, chosen.seed), folder)
    finally:
        if chosen.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    for name, figure in found.figures.items():
        print(f"{name}: {figure}", flush=True)
    sys.exit("\n".join(found.complaints) if found.complaints else None)


if __name__ == "__main__":
    main(sys.argv[1:])
