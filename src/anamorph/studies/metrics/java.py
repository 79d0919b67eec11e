"""METEOR and SPICE, whose only software is in Java: used where it is installed, never fetched.

The jars come with the package pycocoevalcap. It is not a requirement of Anamorph, because parts of it may not be used
commercially; nothing of its Python code is used.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import IO

from anamorph.studies.metrics.metrics import CaptionedPhoto, Words

PACKAGE = "pycocoevalcap"
_CORENLP = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")
# METEOR reads 60 MB of paraphrases first; SPICE parses every sentence.
_LONGEST_SECONDS = 1800.0
_MOST_SAID = 300


class MetricFailed(Exception):
    """The software of a metric is there and gave no score; whoever asked for it reports the metric as missing."""


@dataclass(frozen=True, slots=True)
class JavaMetric:
    """METEOR or SPICE: where its software is, or why it cannot be used."""

    name: str
    java: str = ""
    jar: Path = Path()
    lacks: str = ""

    def score(self, items: Sequence[CaptionedPhoto]) -> float:
        """The score of the whole corpus, from 0 to 1."""
        return (_meteor if self.name == "METEOR" else _spice)(self.java, self.jar, items)


def java_metrics() -> tuple[JavaMetric, JavaMetric]:
    """METEOR and SPICE as they are on this machine."""
    java = shutil.which("java")
    spec = importlib.util.find_spec(PACKAGE)
    folders = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    meteor = _file(folders, "meteor/meteor-1.5.jar")
    spice = _file(folders, "spice/spice-1.0.jar")
    if java is None or meteor is None or spice is None:
        lacking = [
            *(["Java"] if java is None else []),
            *([f"the package {PACKAGE}"] if None in (meteor, spice) else []),
        ]
        lacks = f"it needs {' and '.join(lacking)}"
        return JavaMetric("METEOR", lacks=lacks), JavaMetric("SPICE", lacks=lacks)
    absent = [name for name in _CORENLP if not (spice.parent / "lib" / name).is_file()]
    lacks = f"it needs {' and '.join(absent)} of Stanford CoreNLP in {spice.parent / 'lib'}" if absent else ""
    return JavaMetric("METEOR", java, meteor), JavaMetric("SPICE", java, spice, lacks)


def _file(folders: Sequence[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _meteor(java: str, jar: Path, items: Sequence[CaptionedPhoto]) -> float:
    command = (java, "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm")
    with _started(command) as (told, said):
        statistics: dict[tuple[Words, tuple[Words, ...]], str] = {}
        for item in items:
            # Words hold no bar and no line end, so no caption can be taken for an order.
            key = (item.caption, item.references)
            if key not in statistics:
                texts = (" ".join(words) for words in (*item.references, item.caption))
                statistics[key] = _reply(told, said, f"SCORE ||| {' ||| '.join(texts)}")
        lines = [statistics[item.caption, item.references] for item in items]
        line = _reply(told, said, f"EVAL ||| {' ||| '.join(lines)}")
        # A score for each caption comes first, then that of the corpus.
        for _ in items:
            line = said.readline().strip()
    return _number(line)


@contextmanager
def _started(command: Sequence[str]) -> Iterator[tuple[IO[str], IO[str]]]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    )
    watchdog = threading.Timer(_LONGEST_SECONDS, process.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdin, process.stdout
    finally:
        watchdog.cancel()
        process.kill()
        with suppress(BrokenPipeError):
            process.communicate()


def _reply(told: IO[str], said: IO[str], line: str) -> str:
    try:
        told.write(f"{line}\n")
        told.flush()
    except BrokenPipeError as problem:
        raise MetricFailed("its software stopped before it gave a score") from problem
    return said.readline().strip()


def _number(said: str) -> float:
    try:
        return float(said)
    except ValueError as problem:
        raise MetricFailed(f"its software said {said[:_MOST_SAID]!r} in place of a score") from problem


def _spice(java: str, jar: Path, items: Sequence[CaptionedPhoto]) -> float:
    with tempfile.TemporaryDirectory(prefix="anamorph-spice-") as folder:
        asked, given = Path(folder) / "captions.json", Path(folder) / "scores.json"
        rows = [
            {"image_id": place, "test": " ".join(item.caption), "refs": [" ".join(each) for each in item.references]}
            for place, item in enumerate(items)
        ]
        asked.write_text(json.dumps(rows), encoding="utf-8")
        command = (java, "-Xmx8G", "-jar", str(jar), str(asked), "-out", str(given), "-silent")
        try:
            subprocess.run(
                command, cwd=jar.parent, check=True, capture_output=True, text=True, timeout=_LONGEST_SECONDS
            )
            found = json.loads(given.read_text(encoding="utf-8"))
            return fmean(_number(str(each["scores"]["All"]["f"])) for each in found)
        except subprocess.CalledProcessError as problem:
            last = (problem.stderr.strip().splitlines() or ["nothing"])[-1]
            raise MetricFailed(f"its software failed and said {last[:_MOST_SAID]!r}") from problem
        except (subprocess.TimeoutExpired, OSError, ValueError, LookupError, TypeError) as problem:
            raise MetricFailed(f"its software gave no scores ({problem})") from problem
