from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import anamorph
from anamorph.model import Pixels
from anamorph.report.baseline.file import marked, write_baseline
from anamorph.report.baseline.matching import baseline_of
from anamorph.report.cause_words import find_causes
from anamorph.store.run import RunStore

SETTINGS = {"deeptest": {"blur": [], "brightness": [0.5], "contrast": [], "shear": []}}
EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">'


def evil(image: Pixels) -> str:
    """Says something else altogether of a darker image, which captions alone prove to be wrong."""
    return f"a dog on a bench {EVIL}" if image.mean() > 120 else f"a cat {EVIL}"


@pytest.fixture
def run(tmp_path: Path) -> anamorph.Run:
    scenes = [np.full((24, 32, 3), 130 + place, dtype=np.uint8) for place in range(8)]
    return anamorph.run(evil, scenes, out=tmp_path / "run", settings=SETTINGS)


def test_issues_are_counted_and_found_by_place(run: anamorph.Run) -> None:
    issues = run.issues
    assert len(issues) == 8 and next(each.source.scene for each in issues) == "00000.png"
    assert issues[-1].source.scene == "00007.png" and issues[2].source.scene == "00002.png"
    assert [each.source.scene for each in issues[1:6:2]] == ["00001.png", "00003.png", "00005.png"]
    assert [each.source.scene for each in issues[::-4]] == ["00007.png", "00003.png"]
    with pytest.raises(IndexError, match="there are 8 issues, none at 8"):
        issues[8]
    assert "8 issues" in repr(issues)


def test_a_rate_has_its_interval(run: anamorph.Run) -> None:
    assert run.rate.share == 1 and run.rate.interval is not None
    assert str(run.rate).startswith("100.0% (95 % interval ")


def test_cases_are_in_the_order_of_the_plan(run: anamorph.Run) -> None:
    cases = list(run.cases)
    assert [case.scene for case in cases] == [f"{place:05}.png" for place in range(8)]
    assert {case.outcome for case in cases} == {"violated"}
    assert cases[0].answers[0] is not None and cases[0].answers[0].text == f"a dog on a bench {EVIL}"
    assert cases[0].tags["edit"] == "brightness"


def test_a_data_frame_has_a_row_for_each_case(run: anamorph.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    rows: Any = run.to_pandas()
    assert len(rows) == 8
    assert rows[0]["source"] == f"a dog on a bench {EVIL}" and rows[0]["follow_ups"] == [f"a cat {EVIL}"]
    assert (rows[0]["outcome"], rows[0]["tag_edit"], rows[0]["scene"]) == ("violated", "brightness", "00000.png")
    assert rows[0]["state"] == "proved" and rows[0]["why"].startswith("Nothing that the source's caption names")


def test_without_pandas_the_error_says_what_to_install(run: anamorph.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(anamorph.UsageError, match=r"pip install 'anamorph\[pandas\]'"):
        run.to_pandas()


def test_the_real_pandas_takes_it(run: anamorph.Run) -> None:
    pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert len(frame) == 8 and frame["outcome"].tolist() == ["violated"] * 8


def test_leads_are_read_like_issues_and_count_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = [np.full((24, 32, 3), 130 + place, dtype=np.uint8) for place in range(3)]
    run = anamorph.run(
        lambda image: "a dog" if image.mean() > 120 else "a cat", scenes, out=tmp_path / "run", settings=SETTINGS
    )
    assert (len(run.issues), list(run.issues), len(run.leads), run.passed, run.rate.share) == (0, [], 3, True, 0)
    assert [lead.source.scene for lead in run.leads] == ["00000.png", "00001.png", "00002.png"]
    lead = run.leads[0]
    assert lead.state == "lead" and lead.cause is None and lead.why == lead.suspicions[0].why
    assert {(each.label, each.what, each.state) for each in lead.suspicions} == {
        ("dog", "lost", "lead"),
        ("cat", "gained", "lead"),
    }
    assert run.leads[-1].source.scene == "00002.png" and "3 leads" in repr(run.leads) and "3 leads" in repr(run)
    with pytest.raises(IndexError, match="there are 3 leads, none at 3"):
        run.leads[3]
    assert (run.proving.evidence, run.proving.lead_cases, run.proving.proved_cases) == ("captions", 3, 0)
    assert "<code>run.leads</code>" in run._repr_html_() and "0 proved, 3 leads" in run._repr_html_()
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    rows: Any = run.to_pandas()
    assert [(row["outcome"], row["state"]) for row in rows] == [("lead", "lead")] * 3 and rows[0]["why"] == lead.why


def test_an_issue_has_the_closed_answers_that_prove_it(tmp_path: Path) -> None:
    def ask(image: Pixels, question: str | None) -> str:
        light = image.mean() > 120
        if question is None:
            return "a dog" if light else "a cat"
        return str(int(light == ("dog" in question)))

    scenes = [np.full((24, 32, 3), 130 + place, dtype=np.uint8) for place in range(2)]
    settings = {**SETTINGS, "prove": {"enabled": True}}
    run = anamorph.run(ask, scenes, "deeptest", out=tmp_path / "run", settings=settings)
    assert (len(run.issues), len(run.leads), run.proving.evidence) == (2, 0, "answers")
    proof = run.issues[0].suspicions[0].proof
    assert [(line.part, line.said, line.answers) for line in proof] == [
        ("the source", "1", ("1", "1")),
        ("the follow-up", "0", ("0", "0")),
    ]
    assert "How many" in proof[0].question and proof[0].image is not None and not proof[0].witness
    assert "it says 1 in the source and 0 in the follow-up" in run.issues[0].why
    assert proof[0].question in run._repr_html_()


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_pictures_and_nothing_that_a_system_says_is_markup(run: anamorph.Run) -> None:
    shown = run._repr_html_()
    parser = _Tags()
    parser.feed(shown)
    parser.close()
    assert parser.open == []
    pictures = [attributes for tag, attributes in parser.tags if tag == "img"]
    assert len(pictures) == 10
    assert all((each["src"] or "").startswith("data:image/jpeg;base64,") for each in pictures)
    assert {tag for tag, _ in parser.tags} <= {
        "div",
        "p",
        "ul",
        "li",
        "b",
        "br",
        "code",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "img",
        "small",
        "i",
    }
    assert not any(name.startswith("on") for _, attributes in parser.tags for name in attributes)
    assert "&lt;script&gt;" in shown and "and 3 more" in shown


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(anamorph.UsageError, match="is not a run"):
        anamorph.open_run(tmp_path)


def test_a_run_that_was_started_elsewhere_is_resumed_where_its_paths_mean_what_they_meant(
    tmp_path: Path, photos: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos(2)
    monkeypatch.chdir(tmp_path)
    anamorph.plan("toybox:captioner", "folder:photos", out="run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run = anamorph.open_run("../run").resume()
    assert run.numbers.lacking_answers == 0 and Path.cwd() == tmp_path / "elsewhere"


def test_a_baseline_splits_the_causes_of_a_run(tmp_path: Path) -> None:
    scenes = [np.full((24, 32, 3), 130 + 20 * place, dtype=np.uint8) for place in range(4)]

    def blind_below(limit: float) -> anamorph.Run:
        def caption(image: Pixels) -> str:
            return "two dogs" if image.mean() > limit else "three dogs"

        return anamorph.run(
            caption, scenes, out=tmp_path / f"{limit}", settings=SETTINGS, baseline=file if file.is_file() else None
        )

    file = tmp_path / "known.json"
    first = blind_below(80)
    assert [cause.standing for cause in first.causes] == [None] * len(first.issues) and first.fixed_causes == []
    assert first.new_causes == first.causes and 0 < len(first.issues) < 4
    with RunStore.open(first.folder, read_only=True) as store:
        find_causes(store)
        written = baseline_of(store, 7, ["deeptest"])
    write_baseline(file, marked(written, {written.causes[0].digest: "false-alarm"}))
    second = blind_below(120)
    assert len(second.issues) == len(list(second.issues)) == 3 and not second.passed
    assert len(second.new_causes) == 4 - len(first.issues)
    again = anamorph.open_run(first.folder, baseline=file, fail_on_new=True)
    assert again.passed and again.new_causes == [] and len(again.issues) == len(first.issues) - 1
    assert again.numbers.baseline is not None and again.numbers.baseline.suppressed == 1
    assert [cause.digest for cause in blind_below(10).fixed_causes] == [each.digest for each in written.causes[1:]]
