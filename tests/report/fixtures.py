"""A run made by hand, and a real browser to look at its report."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from anamorph.config import AskSettings, Config, GateSettings, RunSettings
from anamorph.edits.blur import Blur
from anamorph.engine.judge import judge_stage
from anamorph.methods.deeptest import DeepTest
from anamorph.model import (
    SUSPICION_STATES,
    Answer,
    Box,
    Case,
    Conflict,
    Edit,
    Evidence,
    Method,
    Probe,
    Relation,
    Scene,
    Skip,
    Thing,
    Verdict,
)
from anamorph.model.case import proving_digest
from anamorph.relations.same_answer import SameAnswer
from anamorph.report import Report, write_report
from anamorph.report.issues import Issue, ShownProbe
from anamorph.report.suspicions import ProofAnswer, Suspicion
from anamorph.store.answers import AttemptResult, record_image, record_results
from anamorph.store.images import ImageFormat
from anamorph.store.omissions import OmissionCounts, write_omissions
from anamorph.store.plans import PlanWriter, write_scenes
from anamorph.store.proofs import ProbeOrder, ProofLine, order_probes, record_proofs
from anamorph.store.run import RunStore
from anamorph.store.verdicts import record_verdicts

ROOT = Path(__file__).parent.parent.parent

SYSTEM = {
    "kind": "http",
    "url": "https://vision.example/v1/ask?api_key=plainly-secret",
    "headers": {"Authorization": "Bearer ${VISION_KEY}", "X-Key": "written-out-secret"},
    "model": "seer-2",
}


@dataclass
class HandmadeRun:
    """A run whose scenes, cases, answers and verdicts a test writes one by one."""

    store: RunStore
    repeats: int = 1
    methods: tuple[Method, ...] = (DeepTest(),)
    gate: dict[str, Any] = field(default_factory=dict)
    plain: Mapping[str, Any] = field(
        default_factory=lambda: {"system": SYSTEM, "scenes": {"kind": "folder", "path": "photos"}}
    )

    @property
    def config(self) -> Config:
        settings = RunSettings(
            methods=tuple(m.kind for m in self.methods),
            ask=AskSettings(repeats=self.repeats),
            gate=GateSettings(**self.gate),
        )
        return Config(self.plain, settings, self.methods)

    def scene(self, name: str, labels: tuple[str, ...] = ()) -> str:
        things = tuple(Thing(str(i), label, Box(0, 0, 5, 5)) for i, label in enumerate(labels))
        for _ in write_scenes(self.store, [Scene(name, f"{name}.jpg", 40, 30, things)], None):
            pass
        return name

    def skip(self, what: str, reason: str) -> None:
        for _ in write_scenes(self.store, [Skip(what, reason)], None):
            pass

    def leave_out(self, what: str, reason: str) -> None:
        counts = OmissionCounts()
        counts.add("deeptest", Skip(what, reason, "object"))
        with self.store.transaction():
            write_omissions(self.store, counts.found())

    def case(
        self,
        scene: str,
        *answers: str | Mapping[str, float] | None,
        edits: tuple[Edit, ...] | None = None,
        question: str | None = None,
        tags: Mapping[str, str] | None = None,
        method: str = "deeptest",
        relation: Relation | None = None,
        pictures: bool = True,
    ) -> str:
        """Plan a case, one follow-up per answer after the first; probes that were answered keep their answers."""
        count = len(answers) - 1
        follow_ups = tuple(Probe(scene, (Blur(1.5 + n),) if edits is None else edits, question) for n in range(count))
        case = Case(method, Probe(scene, (), question), follow_ups, relation or SameAnswer(), tags or {})
        writer = PlanWriter(self.store)
        writer.add(case)
        writer.flush()
        for probe, answer in zip(case.probes, answers, strict=True):
            if pictures:
                self._picture(probe)
            if answer is not None:
                self.answer(probe, answer)
        return case.digest

    def answer(self, probe: Probe, answer: str | Mapping[str, float], attempt: int = 0) -> None:
        said = Answer(text=answer) if isinstance(answer, str) else Answer(labels=answer)
        record_results(self.store, [AttemptResult(self.probe_id(probe), attempt, said, "", 0.1, 1)])

    def fail(self, probe: Probe, problem: str) -> None:
        record_results(self.store, [AttemptResult(self.probe_id(probe), 0, None, problem, 0.1, 3)])

    def judge(self) -> None:
        with self.store.transaction():
            self.store.set_fact("planned", True)
        for _ in judge_stage(self.store, self.config.readers(), self.repeats):
            pass

    def rule(self, digest: str, verdict: Verdict) -> None:
        """Replace the verdict on a case."""
        row = self.store.connection.execute("SELECT id FROM cases WHERE digest = ?", (bytes.fromhex(digest),))
        with self.store.transaction():
            record_verdicts(self.store, [(row.fetchone()[0], verdict)])

    def prove(self, digest: str, verdict: Verdict, *proofs: Sequence[tuple[tuple[Edit, ...], str, str, str]]) -> None:
        """Replace the verdict on a case by one whose suspicions are settled, each by closed answers about images of the
        case's scene: their edits, which image that is, the question, and what was answered.
        """
        row = self.store.connection.execute(
            """SELECT c.id, s.id, s.name FROM cases c JOIN probes p ON p.id = json_extract(c.probes, '$[0]')
            JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene WHERE c.digest = ?""",
            (bytes.fromhex(digest),),
        )
        case, scene, name = row.fetchone()
        lines = [[self._closed_answer(scene, name, *answer) for answer in proof] for proof in proofs]
        lines += [[] for _ in verdict.conflicts[len(proofs) :]]
        with self.store.transaction():
            record_proofs(self.store, [(case, verdict, lines)])

    def _closed_answer(
        self, scene: int, name: str, edits: tuple[Edit, ...], part: str, question: str, said: str
    ) -> ProofLine:
        probe = Probe(name, edits, question)
        with self.store.transaction():
            order_probes(self.store, scene, name, [ProbeOrder(probe).plain], 1, self.repeats)
        digest = bytes.fromhex(proving_digest(probe.image_digest, question, False))
        (id,) = self.store.connection.execute("SELECT id FROM probes WHERE digest = ?", (digest,)).fetchone()
        self._picture_of(id)
        record_results(self.store, [AttemptResult(id, 0, Answer(text=said), "", 0.1, 1)])
        return ProofLine(id, part, said)

    def report(self, out: Path | None = None) -> Report:
        return write_report(self.store, self.config, out or self.store.folder / "report")

    def probe_id(self, probe: Probe) -> int:
        row = self.store.connection.execute("SELECT id FROM probes WHERE digest = ?", (bytes.fromhex(probe.digest),))
        return int(row.fetchone()[0])

    def _picture(self, probe: Probe) -> None:
        self._picture_of(self.probe_id(probe))

    def _picture_of(self, probe: int) -> None:
        row = self.store.connection.execute(
            "SELECT i.id, i.digest FROM probes p JOIN images i ON i.id = p.image WHERE p.id = ?", (probe,)
        )
        image, digest = row.fetchone()
        # Pixels that depend on nothing but the image, so that every image has a file of its own.
        pixels = np.full((30, 40, 3), list(digest[:3]), dtype=np.uint8)
        pixels[5:20, 5:25] = list(digest[3:6])
        file = self.store.images.write(ImageFormat().encode(pixels), ".jpg")
        record_image(self.store, image, file, None)


@pytest.fixture
def new_run(tmp_path: Path) -> Iterator[Callable[..., HandmadeRun]]:
    opened: list[RunStore] = []

    def make(name: str = "run", **settings: Any) -> HandmadeRun:
        store = RunStore.create(tmp_path / name, {"config": {}})
        opened.append(store)
        return HandmadeRun(store, **settings)

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def run(new_run: Callable[..., HandmadeRun]) -> HandmadeRun:
    return new_run()


@pytest.fixture
def read() -> Callable[[Report], Any]:
    return lambda report: json.loads(report.json.read_text(encoding="utf-8"))


_BROWSERS: list[webdriver.Chrome] = []


@pytest.fixture(scope="session")
def chrome(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> webdriver.Chrome:
    """One headless Chromium for all tests of a session, whichever folders have this fixture."""
    if _BROWSERS:
        return _BROWSERS[0]
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("chromium and chromedriver are not both on PATH")
    options = Options()
    options.binary_location = browser
    for flag in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "window-size=1280,900",
        f"user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    _BROWSERS.append(started)
    request.config.add_cleanup(started.quit)
    return started


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which finds faults of accessibility; it is not part of the project (.ci/run gets it)."""
    path = Path(os.environ.get("ANAMORPH_AXE") or ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js")
    if not path.is_file():
        pytest.skip(f"axe-core is not there ({path}); get it with: npm install --prefix build/axe axe-core@4.14.0")
    return path.read_text(encoding="utf-8")


def serious_faults(chrome: webdriver.Chrome, axe: str) -> list[str]:
    """What axe-core calls serious or critical on the page."""
    chrome.execute_script(axe)
    found = chrome.execute_async_script("axe.run(document).then(arguments[0])")
    return [
        f"{fault['id']}: {node['html'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def any_issue(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Issue]:
    """Issues whose every text may be anything."""
    numbers = st.none() | st.integers(-3, 30)
    answers = st.builds(Answer, text=texts) | st.builds(
        lambda labels: Answer(labels=labels), st.dictionaries(texts, st.floats(0, 1), max_size=4)
    )
    probes = st.builds(
        ShownProbe,
        digest=st.just("ab" * 16),
        scene=texts,
        edits=st.just(()),
        edits_in_words=st.lists(texts, max_size=2).map(tuple),
        question=st.none() | texts,
        address=st.none() | st.just("images/ab/" + "ab" * 16 + ".jpg"),
        image_problem=st.none() | texts,
        answers=answers.map(lambda answer: {0: answer}),
        shown=st.just(0),
    )
    proofs = st.builds(
        ProofAnswer,
        part=texts,
        said=texts,
        question=texts,
        answers=st.lists(texts, max_size=3).map(tuple),
        address=st.none() | st.just("images/cd/" + "cd" * 16 + ".jpg"),
    )
    suspicions = st.builds(
        Suspicion,
        conflict=st.builds(
            lambda label, state, why: Conflict(label, "omission", "lost", (0, 1), state=state, why=why),
            texts,
            st.sampled_from(SUSPICION_STATES),
            texts,
        ),
        proof=st.lists(proofs, max_size=2).map(tuple),
    )
    verdicts = st.builds(
        Verdict,
        outcome=st.just("violated"),
        reason=texts,
        violated=st.lists(texts, max_size=2).map(tuple),
        categories=st.lists(texts, max_size=2).map(tuple),
        evidence=st.lists(st.builds(Evidence, st.integers(0, 2), texts, numbers, numbers), max_size=3).map(tuple),
    )
    return st.builds(
        Issue,
        digest=st.binary(min_size=16, max_size=16).map(bytes.hex),
        method=texts,
        relation=texts,
        claim=st.just({"kind": "same-answer"}),
        verdict=verdicts,
        tags=st.dictionaries(texts, texts, max_size=3),
        things=st.dictionaries(texts, st.integers(1, 3), max_size=3),
        probes=st.lists(probes, min_size=2, max_size=3).map(tuple),
        replay=texts,
        suspicions=st.lists(suspicions, max_size=2).map(tuple),
    )
