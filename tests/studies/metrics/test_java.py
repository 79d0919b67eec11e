"""METEOR and SPICE: found where they are installed, asked as their software wants, and reported where they fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anamorph.studies.metrics.java import PACKAGE, JavaMetric, MetricFailed, java_metrics
from anamorph.studies.metrics.metrics import CaptionedPhoto

ITEMS = [
    CaptionedPhoto("1", ("a", "dog"), (("a", "dog", "runs"), ("the", "dog"))),
    CaptionedPhoto("2", (), (("a", "cat"),)),
    CaptionedPhoto("1", ("a", "dog"), (("a", "dog", "runs"), ("the", "dog"))),
]
# Speaks METEOR's protocol and writes SPICE's file; scores are the numbers of words.
JAVA = """#!{python}
import json, sys
words = sys.argv
if "-stdio" in words:
    for line in sys.stdin:
        order, *parts = [part.strip() for part in line.split("|||")]
        if order == "SCORE":
            print(len(parts[-1].split()), flush=True)
        else:
            print(*parts, sum(map(int, parts)) / len(parts), sep="\\n", flush=True)
else:
    rows = json.load(open(words[4]))
    scored = [dict(image_id=r["image_id"], scores=dict(All=dict(f=len(r["test"].split()) / 4))) for r in rows]
    json.dump(scored, open(words[words.index("-out") + 1], "w"))
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, java: str = JAVA) -> Path:
    """A package with jars, and a `java`, that are found before any other."""
    package = folder / "site" / PACKAGE
    for name in ("meteor/meteor-1.5.jar", "spice/spice-1.0.jar", "spice/lib/stanford-corenlp-3.6.0.jar"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    (package / "__init__.py").touch()
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(java.replace("{python}", sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.syspath_prepend(str(folder / "site"))
    return package


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert all("Java" in metric.lacks for metric in java_metrics())
    install(tmp_path, monkeypatch)
    meteor, spice = java_metrics()
    assert (meteor.name, meteor.lacks, spice.name) == ("METEOR", "", "SPICE")
    assert "stanford-corenlp-3.6.0-models.jar" in spice.lacks and "3.6.0.jar" not in spice.lacks


def test_both_score_the_whole_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install(tmp_path, monkeypatch)
    (package / "spice" / "lib" / "stanford-corenlp-3.6.0-models.jar").touch()
    meteor, spice = java_metrics()
    assert meteor.score(ITEMS) == pytest.approx(4 / 3)
    assert spice.lacks == "" and spice.score(ITEMS) == pytest.approx((2 + 0 + 2) / 3 / 4)


def test_software_that_fails_gives_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install(tmp_path, monkeypatch, "#!/bin/sh\necho 'no memory' >&2\nexit 1\n")
    java = str(tmp_path / "bin" / "java")
    with pytest.raises(MetricFailed, match="its software"):
        JavaMetric("METEOR", java, package / "meteor" / "meteor-1.5.jar").score(ITEMS)
    with pytest.raises(MetricFailed, match="no memory"):
        JavaMetric("SPICE", java, package / "spice" / "spice-1.0.jar").score(ITEMS)
