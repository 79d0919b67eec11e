"""Reviews in a real browser, by keyboard, on servers that are really killed."""

from __future__ import annotations

import contextlib
import html
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from anamorph.edits.melt import Melt
from anamorph.model import Evidence, Verdict
from anamorph.store.marks import Mark, effective, read_marks
from anamorph.store.run import RunStore
from anamorph.studies.sessions.browser import _PAGE
from tests.cli.command_line import anamorph
from tests.report.fixtures import HandmadeRun, serious_faults

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

EVIL = "</script><script>window.evil=1</script><img src=x onerror=window.evil=1><svg onload=window.evil=1>\u202e"
ISSUES = 30
# Where the one picture that can be seen is.
WHERE = """
const [shown, ...rest] = [...document.querySelectorAll(".canvas img")].filter((e) => e.getClientRects().length);
const { x, y, width, height } = shown.getBoundingClientRect();
return [rest.length, x, y, width, height];
"""


class Server:
    """`anamorph review`, or another command that serves, as a process of its own."""

    def __init__(self, *words: object, command: tuple[str, ...] = ("review",), cwd: Path | None = None) -> None:
        own = [sys.executable, "-m", "anamorph.cli.main", *command, *map(str, words), "--no-browser", "--json"]
        self.process = subprocess.Popen(own, stdout=subprocess.PIPE, text=True, env=dict(os.environ), cwd=cwd)

    @property
    def said(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *problem: object) -> None:
        self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Reviewer:
    """A browser in which somebody presses keys."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome

    def open(self, address: str) -> None:
        self.chrome.get(address)
        self.at()

    def until(self, condition: Callable[[], Any]) -> Any:
        # A page that is left while it is looked at says nothing.
        wait = WebDriverWait(self.chrome, 60, 0.02, ignored_exceptions=[WebDriverException])
        return wait.until(lambda _: condition())

    def script(self, code: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(code, *arguments)

    def at(self, number: int | None = None) -> None:
        """Wait until an issue is shown, and its scripts are ready."""
        code = "return document.readyState === 'complete' && document.body.dataset.number"
        self.until(lambda: (found := self.script(code)) and (number is None or int(found) == number))

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.chrome).send_keys(key).perform()

    def text(self, selector: str) -> str:
        return str(self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def seen(self, selector: str) -> list[str]:
        code = "return [...document.querySelectorAll(arguments[0])].filter((e) => e.getClientRects().length)"
        return [text.strip() for text in self.script(f"{code}.map((e) => e.textContent)", selector)]

    def pressed(self) -> set[str]:
        code = "return [...document.querySelectorAll('[data-field][aria-pressed=true]')].map((e) => e.value)"
        return set(self.script(code))

    def done(self, words: str) -> None:
        self.until(lambda: self.text("#progress") == words)

    def emulate(self, width: int, height: int, *, dark: bool = False) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.fixture
def person(chrome: Chrome) -> Iterator[Reviewer]:
    chrome.get_log("browser")  # type: ignore[no-untyped-call]
    yield Reviewer(chrome)
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chrome.get("about:blank")


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with thirty issues."""
    folder = tmp_path_factory.mktemp("thirty") / "run"
    with RunStore.create(folder, {"config": {}}) as store:
        run = HandmadeRun(store)
        for n in range(ISSUES):
            run.scene(f"street {n:02}", ("dog",))
            run.case(f"street {n:02}", "a dog", "a cat")
        run.judge()
    return folder


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with two issues: one of hostile texts, one with three follow-ups."""
    folder = tmp_path_factory.mktemp("odd") / "run"
    with RunStore.create(folder, {"config": {}}) as store:
        run = HandmadeRun(store)
        run.scene(EVIL, (EVIL,))
        run.scene("street", ("dog",))
        evil = run.case(EVIL, EVIL, {EVIL: 0.5}, question=EVIL, edits=(Melt(("0",)),))
        several = run.case("street", "a dog", "a cat", "a bird", "a horse")
        run.judge()
        run.rule(evil, Verdict("violated", EVIL, (EVIL,), (EVIL,), (Evidence(0, EVIL),), grade="contradiction"))
        proof = (Evidence(0, "dog", 2, 5), Evidence(2, "bird", 2, 6))
        run.rule(several, Verdict("violated", "The dog is gone.", (), ("lost",), proof, grade="omission"))
    return folder


def test_two_people_review_thirty_issues_by_keyboard_and_the_server_is_killed(
    person: Reviewer, thirty: Path, tmp_path: Path
) -> None:
    anns, bens = tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"

    def review(numbers: range, wrong: set[int]) -> None:
        for number in numbers:
            person.at(number)
            # Once all is said, the app moves on by itself.
            person.press("w4" if number in wrong else "r1b")

    with Server(thirty, "--marks", bens, "--reviewer", "ben") as other:
        with Server(thirty, "--marks", anns, "--reviewer", "ann") as server:
            person.open(server.said["address"])
            review(range(1, 16), {5, 10, 15})
            person.at(16)
            server.kill()
            # What cannot be kept is said, and not shown as if it was.
            person.press("r")
            person.until(lambda: "the session has ended" in person.text("#problem"))
            assert person.pressed() == set()
        # As the command itself opens it: by a file, so that the token is on no command line.
        page = tmp_path / "open.html"
        page.write_text(_PAGE.format(html.escape(other.said["address"])))
        person.open(page.as_uri())
        assert person.text("#progress") == "0 of 30 done"
        review(range(1, 31), {5, 10, 20, 30})
        person.until(lambda: person.text("h1") == "All done")
    with Server(thirty, "--marks", anns, "--reviewer", "ann") as server:
        said = server.said
        assert (said["issues"], said["marked"]) == (30, 15)
        person.open(said["address"])
        review(range(16, 31), {20, 25, 30})
        person.until(lambda: person.text("h1") == "All done")
    together = tmp_path / "both.jsonl"
    together.write_bytes(bens.read_bytes() + anns.read_bytes())
    marks = effective(read_marks(together, pytest.fail))
    assert len(marks) == 60
    right: dict[str, set[str]] = {"ann": set(), "ben": set()}
    for mark in marks.values():
        right[mark.reviewer].update({mark.case} if mark.verdict == "right" else ())
    assert (len(right["ann"]), len(right["ben"]), len(right["ann"] & right["ben"])) == (24, 26, 24)
    details = {(m.verdict, m.error, m.wrong_answer, m.false_alarm) for m in marks.values()}
    assert details == {("right", "misclassification", 1, ""), ("wrong", "", None, "omission")}
    done = anamorph("review", thirty, "--summary", "--json", "--marks", together, cwd=tmp_path)
    record = json.loads(done.stdout)
    # Both say right of 24 and wrong of four; the two that only ann calls wrong are ties.
    assert (record["right"], record["wrong"], record["unsure"], record["ties"]) == (24, 4, 2, 2)
    assert record["precision"] == pytest.approx(24 / 28)
    # Observed 28 / 30, by chance (24 * 26 + 6 * 4) / 900 = 0.72.
    assert record["kappa"]["value"] == pytest.approx((28 / 30 - 0.72) / 0.28)
    assert record["false_alarms"] == [{"cause": "omission", "issues": 4}] and len(record["disagreements"]) == 2


def test_everything_works_by_keyboard(person: Reviewer, odd: Path, tmp_path: Path) -> None:
    file = tmp_path / "marks.jsonl"
    with Server(odd, "--marks", file, "--reviewer", "ann") as server:
        person.emulate(1280, 900)
        person.open(server.said["address"])
        person.script("sessionStorage.clear(); localStorage.clear(); localStorage.setItem('moves-on', 'off')")
        assert person.script("return window.evil") is None
        assert EVIL[:9] in person.text(".reason")
        assert len(person.seen("rect.line")) == 2
        person.press("o")
        assert person.seen("rect.line") == []
        # The second issue is of a lower grade, and the evidence is about its second follow-up.
        person.press("n")
        person.at(2)
        titles = ".shot-title strong"
        assert person.seen(titles) == ["Source", "Follow-up 2"]
        assert person.seen(".said mark") == ["dog", "bird"]
        person.press("j")
        assert person.seen(titles) == ["Source", "Follow-up 3"]
        person.press("j", "k")
        assert person.seen(titles) == ["Source", "Follow-up 3"]
        # One picture at a time, in the same place, with both answers below it.
        places = []
        for showing in (["Source"], ["Follow-up 3"]):
            person.press(" ")
            assert person.seen(titles) == ["Source", "Follow-up 3"]
            assert person.seen(".shot:not(.away) strong") == showing
            places.append(person.script(WHERE))
        assert places[0] == places[1]
        person.press("s")
        assert len(person.seen(".frame")) == 2
        person.press("+", "+")
        at = "new DOMMatrix(getComputedStyle(document.querySelector('.canvas')).transform)"
        shift = f"return {at}.a"
        assert person.script(shift) == pytest.approx(2.25)
        person.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        moved = f"const at = {at}; return [at.e, at.f]"
        assert person.script(moved) == [-60, -60]
        person.press("-", "0")
        assert person.script(moved) == [0, 0]
        assert person.script(shift) == 1
        # Details belong to a verdict.
        person.press("1", "d")
        assert person.pressed() == set()
        person.press("r", "3", "d")
        assert person.pressed() == {"right", "miscount", "3"}
        person.press("3")
        person.done("1 of 2 done")
        assert person.pressed() == {"right", "3"}
        person.press("w", "1")
        assert person.pressed() == {"wrong", "edit"}
        # Keys in a text are text.
        person.press("t", "run away", Keys.ESCAPE)
        person.until(lambda: '"caption": "run away"' in file.read_text(encoding="utf-8"))
        person.press("z")
        person.until(lambda: person.script("return document.querySelector('textarea').value") == "")
        person.at(2)
        assert person.pressed() == {"wrong", "edit"}
        person.press("?")
        assert person.seen("#legend h2") == ["Keys"]
        person.press(Keys.ESCAPE, "/")
        assert person.script("return document.activeElement.name") == "show"
        Select(person.chrome.find_element(By.NAME, "show")).select_by_value("to-do")
        person.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
        person.until(lambda: "1 match" in person.text(".filter summary"))
        person.press(Keys.ENTER)
        person.at(1)
        person.press("?")
        person.script("document.getElementById('keys-on').click()")
        person.press(Keys.ESCAPE, "u")
        assert person.pressed() == set()
        person.script("localStorage.clear()")
    log = person.chrome.get_log("browser")  # type: ignore[no-untyped-call]
    assert [entry for entry in log if entry["level"] == "SEVERE"] == []
    last = [line for line in read_marks(file) if isinstance(line, Mark)][-1]
    assert (last.verdict, last.false_alarm, last.caption) == ("wrong", "edit", "run away")


def test_there_is_no_serious_fault_of_accessibility_and_nothing_is_cut_off(
    person: Reviewer, odd: Path, tmp_path: Path, axe: str
) -> None:
    with Server(odd, "--marks", tmp_path / "marks.jsonl", "--reviewer", "ann") as server:
        person.emulate(1300, 900)
        person.open(server.said["address"])
        person.press("n")
        person.at(2)
        for dark in (False, True):
            person.emulate(1300, 900, dark=dark)
            for key in "rw":
                person.press(key)
                assert serious_faults(person.chrome, axe) == []
            person.press("?")
            assert serious_faults(person.chrome, axe) == []
            person.press(Keys.ESCAPE)
        for width in (1300, 390, 320):
            for size in ("100%", "200%"):
                person.emulate(width, 844)
                person.script("document.documentElement.style.fontSize = arguments[0]", size)
                code = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert person.script(code) <= 0, (width, size)


PAGE = """<!doctype html><title>waiting</title><img id=i><iframe id=f></iframe><script>
const [target, picture] = location.hash.slice(1).split(",");
const said = {};
async function attempt(name, options) {
  await fetch(target + "items/1", options).then((r) => r.text()).then((text) => (said[name] = text), () => {});
}
async function all() {
  for (const [type, mode] of [["application/json", "cors"], ["text/plain", "no-cors"], ["text/plain", "cors"]]) {
    const [headers, body] = [{ "Content-Type": type }, JSON.stringify({ verdict: "wrong" })];
    await attempt(type + mode, { method: "POST", mode, credentials: "include", headers, body });
  }
  await attempt("read", { credentials: "include" });
  await new Promise((done) => {
    const image = document.getElementById("i");
    image.onload = () => { said.image = "loaded"; done(); };
    image.onerror = done;
    image.src = target + "pictures/" + picture;
  });
  await new Promise((done) => {
    const frame = document.getElementById("f");
    frame.onload = done;
    frame.src = target + "items/1";
  });
  try { said.frame = document.getElementById("f").contentDocument?.body?.textContent; } catch {}
  window.said = Object.values(said).filter(Boolean);
  document.title = "done";
}
all();
</script>"""


def test_a_hostile_page_on_another_port_can_neither_mark_nor_read(
    person: Reviewer, thirty: Path, tmp_path: Path
) -> None:
    file = tmp_path / "marks.jsonl"
    with Server(thirty, "--marks", file, "--reviewer", "ann") as server, _hostile_server() as port:
        address = server.said["address"]
        person.open(address)
        picture = person.script("return document.querySelector('.canvas img').src.split('/').pop()")
        # The page knows even the secret folder; the browser has the cookie.
        person.chrome.get(f"http://127.0.0.1:{port}/#{address.partition('?')[0]},{picture}")
        person.until(lambda: person.chrome.title == "done")
        tried = person.script("return performance.getEntriesByType('resource').map((each) => each.name)")
        root = address.partition("?")[0]
        assert {f"{root}items/1", f"{root}pictures/{picture}"} <= set(tried)
        assert person.script("return window.said") == []
        assert read_marks(file) == []
        # The reviewer is not thrown out by that.
        person.chrome.get(address.partition("?")[0])
        person.at(1)


@contextlib.contextmanager
def _hostile_server() -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE.encode())

        def log_message(self, *words: Any) -> None:
            pass

    # Threads, because a browser keeps connections open that it does not use.
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()
