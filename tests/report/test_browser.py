"""The report in a real browser, opened from disk."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from anamorph.edits.blur import Blur
from anamorph.edits.melt import Melt
from anamorph.edits.shear import Shear
from anamorph.model import Evidence, Grade, Probe, Verdict
from anamorph.report import Report
from anamorph.report.single_file import write_single_file
from anamorph.store.run import RunStore
from tests.report.fixtures import HandmadeRun, serious_faults
from tests.report.test_cause_words import three_causes
from tests.report.test_leads import settled, suspicion

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

EVIL = (
    "</script><script>window.evil=1</script><img src=x onerror=window.evil=1>"
    "<svg onload=window.evil=1>\"'`${window.evil=1}\0\u202e\u2028javascript:window.evil=1"
)


# Every text that stands out from what is behind it by less than 4.5 to 1 (WCAG 2.2, 1.4.3).
FAINT_TEXTS = """
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
function behind(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = numbers(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
}
return [...document.body.querySelectorAll("*")]
  .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
  .filter((e) => !e.closest("option, noscript, .off"))
  .filter((e) => {
    const [a, b] = [light(numbers(getComputedStyle(e).color)), light(behind(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
  })
  .map((e) => e.className + ": " + e.textContent.slice(0, 40));
"""


class Viewer:
    """A browser on one report; it collects what went wrong on the page."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome

    def open(self, report: Report, fragment: str = "") -> None:
        self.chrome.get("about:blank")
        self.chrome.get_log("browser")  # type: ignore[no-untyped-call]
        self.chrome.get(report.index_html.resolve().as_uri() + fragment)

    def until(self, condition: Callable[[], Any]) -> Any:
        return WebDriverWait(self.chrome, 60, 0.05).until(lambda _: condition())

    def script(self, code: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(code, *arguments)

    def text(self, selector: str) -> str:
        return str(self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        code = "return [...document.querySelectorAll(arguments[0])].map((found) => found.textContent)"
        found: list[str] = self.script(code, selector)
        return found

    def digests(self) -> list[str]:
        found: list[str] = self.script("return [...document.querySelectorAll('.issue')].map((i) => i.dataset.digest)")
        return found

    def shows(self, *digests: str) -> bool:
        return bool(self.until(lambda: self.digests() == list(digests)))

    def choose(self, name: str, value: str) -> None:
        self.until(lambda: self.chrome.find_element(By.NAME, name).is_displayed())
        Select(self.chrome.find_element(By.NAME, name)).select_by_value(value)

    def search(self, text: str) -> None:
        self.until(lambda: self.chrome.find_element(By.NAME, "q").is_displayed())
        field = self.chrome.find_element(By.NAME, "q")
        field.clear()
        field.send_keys(text)

    def problems(self) -> list[Any]:
        log: list[Any] = self.chrome.get_log("browser")  # type: ignore[no-untyped-call]
        return log


@pytest.fixture
def view(chrome: Chrome) -> Iterator[Viewer]:
    yield Viewer(chrome)


@pytest.fixture(scope="module")
def parks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Report, list[str]]]:
    """A report with four issues that every filter tells apart."""
    with RunStore.create(tmp_path_factory.mktemp("parks") / "it's a run", {}) as store:
        run = HandmadeRun(store)
        run.scene("park", ("dog", "bench"))
        run.scene("lake", ("boat",))
        digests = [
            run.case("park", "a black dog", "a Straße", tags={"edit": "blur", "class": "dog"}),
            run.case("park", "a dog", "a cat", question="What is it?", edits=(Shear(0.1),), tags={"edit": "shear"}),
            run.case("lake", {"boat": 0.9}, {"boat": 0.1}, method="other", tags={"edit": "blur"}),
            run.case("lake", "one", "two", "three", question="How many?", tags={"edit": "blur", "class": "boat"}),
        ]
        run.case("lake", "a boat", "a boat", question="?")
        run.judge()
        evidence = (Evidence(0, "dog", 8, 11), Evidence(1, "no dog at all"))
        # Issues of one grade stand in the order of the plan.
        sure: Grade = "contradiction"
        run.rule(digests[0], Verdict("violated", "The dog is gone.", ("mr1",), ("omission",), evidence, grade=sure))
        lost = (Evidence(0, "boat"),)
        run.rule(digests[2], Verdict("violated", "It lost 'boat'.", (), ("labels-changed",), lost, grade=sure))
        yield run.report(), digests


def test_the_page_loads_from_disk_without_complaint_and_every_picture_is_there(
    view: Viewer, parks: tuple[Report, list[str]]
) -> None:
    report, digests = parks
    view.open(report)
    assert view.shows(*digests)
    assert view.text("#result-count") == "1\u20134 of 4"
    for n in range(view.script("return document.images.length")):
        view.script("document.images[arguments[0]].scrollIntoView()", n)
        view.until(functools.partial(view.script, "return document.images[arguments[0]].naturalWidth > 0", n))
    assert len(view.chrome.find_elements(By.CSS_SELECTOR, ".issue img[loading=lazy][alt]")) == 9
    assert view.script("return getComputedStyle(document.querySelector('.issue')).borderRadius") == "10px"
    assert view.problems() == []


def test_issues_stand_under_their_causes_and_links_lead_to_them(
    view: Viewer, new_run: Callable[..., HandmadeRun]
) -> None:
    run = new_run()
    cases = three_causes(run)
    view.open(run.report())
    # One card for each cause; the others like it are a click away.
    assert view.shows(cases[0], *cases[3:])
    assert view.texts(".cause-words") == ["invents 'book'", "loses 'person'", "loses 'person'"]
    assert view.text("#result-count") == "1\u20133 of 3 groups; issues: 5"
    assert view.texts(".more > summary") == ["and 2 more like this"]
    view.chrome.find_element(By.CSS_SELECTOR, ".more > summary").click()
    assert view.shows(*cases)
    assert view.texts(".cause .count") == ["3 issues", "1 issue", "1 issue"]
    assert view.text("#causes-heading") == "5 issues from 3 causes"
    view.choose("grade", "omission")
    assert view.shows(*cases[3:])
    view.script("document.querySelector('.patterns a').click()")
    assert view.shows(cases[0])
    assert view.text("#result-count") == "1\u20131 of 1 group; issues: 3 matching, 5 in all"
    view.script("document.querySelectorAll('.plain a')[1].click()")
    assert view.shows(cases[3])
    view.search("loses")
    assert view.shows(cases[3]), "a cause that a link chose stays chosen"
    assert view.problems() == []


def test_a_card_shows_the_whole_issue(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    report, digests = parks
    view.open(report, f"#issue={digests[0][:12]}")
    assert view.shows(digests[0])
    assert view.text(".reason") == "The dog is gone."
    assert view.texts(".kind") == ["contradiction", "deeptest", "same-answer", "mr1", "omission"]
    assert view.texts(".issue .answer") == ["a black dog", "a Straße"]
    assert view.texts(".issue .answer mark") == ["dog"]
    assert view.texts(".issue .evidence mark") == ["no dog at all"]
    assert view.texts(".issue .probe-title") == ["Source", "Follow-upblur, sigma 1.5"]
    assert view.texts(".issue-facts > div") == ["scenepark", "objectsdog, bench", "classdog", "editblur"]


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("method", "other", [2]),
        ("category", "answer-changed", [1, 3]),
        ("tag", "edit=shear", [1]),
        ("tag", "class=boat", [3]),
        ("object", "bench", [0, 1]),
    ],
)
def test_filters_filter(view: Viewer, parks: tuple[Report, list[str]], name: str, value: str, kept: list[int]) -> None:
    report, digests = parks
    view.open(report)
    view.choose(name, value)
    assert view.shows(*(digests[n] for n in kept))
    last = "1" if len(kept) == 1 else str(len(kept))
    assert view.text("#result-count") == f"1\u2013{last} of {len(kept)} matching, 4 in all"
    view.chrome.find_element(By.ID, "clear").click()
    assert view.shows(*digests)


@pytest.mark.parametrize(
    ("words", "kept"),
    [("BLACK dog", [0]), ("straße", [0]), ("how many", [3]), ("shear", [1]), ("lake", [2, 3]), ("nonsense", [])],
)
def test_the_search_finds_all_its_words_anywhere(
    view: Viewer, parks: tuple[Report, list[str]], words: str, kept: list[int]
) -> None:
    report, digests = parks
    view.open(report)
    view.search(words)
    assert view.shows(*(digests[n] for n in kept))
    if not kept:
        assert view.text("#result-count") == "No issue matches; 4 in all"


def test_filters_stand_in_the_address_and_combine(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    report, digests = parks
    view.open(report, "#tag=edit%3Dblur&q=two")
    assert view.shows(digests[3])
    assert view.script("return document.forms[0].elements.q.value") == "two"
    assert view.script("return document.forms[0].elements.tag.value") == "edit=blur"


def test_a_filter_that_shows_nothing_apart_is_left_out(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    view.open(parks[0])
    view.until(lambda: view.chrome.find_elements(By.NAME, "q"))
    assert view.chrome.find_elements(By.NAME, "relation") == []


def test_a_deep_link_shows_its_issue_whatever_the_filters_were(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    report, digests = parks
    view.open(report)
    view.choose("method", "other")
    assert view.shows(digests[2])
    view.script("location.hash = arguments[0]", f"issue={digests[1]}")
    assert view.shows(digests[1])
    assert view.script("return document.querySelector('.issue').getBoundingClientRect().top < innerHeight")
    view.chrome.find_element(By.CSS_SELECTOR, ".back").click()
    assert view.shows(digests[2])
    view.chrome.find_element(By.CSS_SELECTOR, ".permalink").click()
    assert view.shows(digests[2])
    assert view.script("return location.hash") == f"#issue={digests[2][:12]}"


def test_a_deep_link_to_nothing_says_so(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    view.open(parks[0], "#issue=<b>zz")
    assert view.until(lambda: "begins with \u201c<b>zz\u201d" in view.text("#gallery-status"))


def test_the_keyboard_alone_reaches_the_gallery(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    report, digests = parks
    view.open(report)
    assert view.shows(*digests)

    def press(*keys: str) -> None:
        ActionChains(view.chrome).send_keys(*keys).perform()

    press(Keys.TAB)
    assert view.script("return document.activeElement.textContent") == "Skip to the issues"
    press(Keys.ENTER)
    press(Keys.TAB)
    assert view.script("return document.activeElement.name") == "q"
    press("lake")
    # The first letters may be enough to find it; the last ones draw the list anew.
    assert view.until(lambda: "q=lake" in view.script("return location.hash"))
    assert view.shows(*digests[2:])
    for _ in range(20):
        press(Keys.TAB)
        if view.script("return document.activeElement.className") == "permalink":
            break
    press(Keys.ENTER)
    assert view.until(lambda: view.script("return document.activeElement.dataset.digest") == digests[2])
    assert view.shows(digests[2])


def test_the_replay_command_can_be_copied(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    report, digests = parks
    view.open(report, f"#issue={digests[0][:12]}")
    view.shows(digests[0])
    folder = str(report.json.parent.parent).replace("'", "'\"'\"'")
    command = f"anamorph case replay '{folder}' {digests[0][:12]}"
    assert view.text(".replay code") == command
    view.script(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
    )
    view.chrome.find_element(By.CSS_SELECTOR, ".copy").click()
    assert view.until(lambda: view.text(".copy") == "Copied")
    assert view.script("return window.copied") == command


def test_without_a_clipboard_the_command_is_selected(view: Viewer, parks: tuple[Report, list[str]]) -> None:
    report, digests = parks
    view.open(report, f"#issue={digests[0][:12]}")
    view.shows(digests[0])
    view.script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    view.chrome.find_element(By.CSS_SELECTOR, ".copy").click()
    assert view.until(lambda: view.text(".copy") == "Press Ctrl+C")
    assert view.script("return getSelection().toString()") == view.text(".replay code")


def test_whatever_systems_and_files_say_stays_text(view: Viewer, run: HandmadeRun) -> None:
    scene = run.scene(EVIL, (EVIL, "__proto__"))
    tags = {EVIL: EVIL, "__proto__": "polluted", "constructor": "x"}
    run.skip(EVIL, EVIL)
    first = run.case(scene, EVIL, "b", question=EVIL, tags=tags, method=EVIL)
    second = run.case(scene, {EVIL: 0.9, "__proto__": 0.8}, {"toString": 0.7}, tags=tags)
    run.judge()
    evidence = (Evidence(0, EVIL, 0, 40), Evidence(1, EVIL))
    run.rule(first, Verdict("violated", EVIL, (EVIL,), (EVIL, "__proto__"), evidence, grade="contradiction"))
    view.open(run.report())
    assert view.shows(first, second)
    view.search("polluted")
    assert view.shows(first, second)
    view.choose("tag", "constructor=x")
    assert view.shows(first, second)
    assert view.script("return [window.evil, ({}).polluted, Object.prototype.polluted]") == [None, None, None]
    assert view.script("return document.querySelectorAll('.issue script, .issue svg, img[src=x]').length") == 0
    assert view.script("return document.querySelectorAll('script:not([src])').length") == 0
    assert view.text(".issue .answer").startswith("</script><script>window.evil=1</script><img src=x onerror")
    assert "\u2400\u27e8U+202E\u27e9" in view.text(".issue .answer")
    assert view.problems() == []


def test_many_issues_come_in_pages(view: Viewer, run: HandmadeRun) -> None:
    scene = run.scene("park")
    digests = [run.case(scene, "a dog", "a cat", question=f"number {n}?", pictures=False) for n in range(50)]
    run.judge()
    report = run.report()
    view.open(report)
    assert view.shows(*digests[:20])
    assert view.text("#result-count") == "1\u201320 of 50"
    view.chrome.find_element(By.LINK_TEXT, "Next").click()
    assert view.shows(*digests[20:40])
    field = view.chrome.find_element(By.ID, "page")
    field.clear()
    field.send_keys("3", Keys.ENTER)
    assert view.shows(*digests[40:])
    assert view.text("#result-count") == "41\u201350 of 50"
    view.search("number 37?")
    assert view.shows(digests[37])
    view.open(report, f"#issue={digests[44][:12]}")
    assert view.shows(digests[44])
    assert view.problems() == []


def test_an_index_of_several_chunks_is_read_to_its_end(
    view: Viewer, run: HandmadeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamorph.report.gallery.ROWS_PER_CHUNK", 3)
    monkeypatch.setattr("anamorph.report.pages.ROWS_PER_CHUNK", 3)
    scene = run.scene("park")
    digests = [run.case(scene, "a dog", "a cat", question=f"number {n}?", pictures=False) for n in range(10)]
    run.judge()
    report = run.report()
    assert len(list((report.json.parent / "data").glob("index-*.js"))) == 4
    view.open(report)
    assert view.shows(*digests)
    view.open(report, f"#issue={digests[9][:12]}")
    assert view.shows(digests[9])


def test_repeated_answers_and_missing_pictures_are_shown(view: Viewer, new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(repeats=2)
    digest = run.case(run.scene("park"), "a dog", "a cat", pictures=False)
    run.answer(Probe("park"), "a hound", attempt=1)
    run.answer(Probe("park", (Blur(1.5),)), "a cat", attempt=1)
    run.judge()
    view.open(run.report())
    assert view.shows(digest)
    assert view.texts(".issue .no-picture") == ["No picture is kept of this probe."] * 2
    assert view.text("details.others summary") == "Attempt 1 is shown; other answers in 1 more attempt"
    assert view.texts("details.others li") == ["a hound"]
    assert view.text("p.others") == "The same answer in 1 more attempt."


def test_the_first_screen_shows_the_clearest_causes_and_axe_finds_no_serious_fault(
    view: Viewer, new_run: Callable[..., HandmadeRun], axe: str
) -> None:
    run = new_run()
    # Planned first, because judging replaces the verdicts that `three_causes` makes.
    run.case(run.scene("lake"), *[{"dog": 0.9, "cat": 0.8}] * 4, {"dog": 0.9})
    digests = three_causes(run)
    view.open(run.report())
    assert view.until(lambda: view.digests()[:1] == digests[:1])
    titles = ["Names a book that is not there", "Stops naming a person after the change"]
    assert view.texts(".example h2") == [*titles, "Stops naming a cat after the change"]
    # What was removed is outlined on both pictures, in the example and in the gallery.
    assert view.script("return document.querySelectorAll('.example .outline-removed').length") >= 2
    assert view.script("return document.querySelectorAll('.issue .outline-removed').length") >= 2
    assert view.texts(".issue .differs-word") == ["differs"]
    assert view.text(".alike > summary") == "3 more follow-ups, which agree with the source"
    assert "cat" in view.texts(".issue .absent s")
    tip = "return getComputedStyle(document.querySelector('.in-all .term'), '::after').content"
    assert view.script(tip) == "none"
    view.script("document.querySelector('.in-all .term').focus({ focusVisible: true })")
    assert "answers cannot all be right" in view.script(tip)
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        view.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        view.script("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
        assert serious_faults(view.chrome, axe) == [], scheme
    view.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_report_in_a_single_file_works_without_any_other(view: Viewer, run: HandmadeRun, tmp_path: Path) -> None:
    scene = run.scene(EVIL, ("dog", EVIL))
    digests = [
        run.case(
            scene, f"a dog {EVIL}", f"a cat x{n}x", edits=(Melt(("0",)), Blur(1.0 + n))[n % 2 :], tags={"n": str(n)}
        )
        for n in range(3)
    ]
    run.judge()
    written = write_single_file(run.store, run.config, tmp_path / "alone" / "report.html")
    view.chrome.get("about:blank")
    view.problems()
    view.chrome.get(written.path.resolve().as_uri() + f"#issue={digests[2][:12]}")
    assert view.shows(digests[2])
    view.chrome.find_element(By.CSS_SELECTOR, ".back").click()
    # One cause, whose clearest example is the one with the fewest edits.
    assert view.shows(digests[1])
    for n in range(view.script("return document.images.length")):
        view.script("document.images[arguments[0]].scrollIntoView()", n)
        view.until(functools.partial(view.script, "return document.images[arguments[0]].naturalWidth > 0", n))
    view.search("x0x")
    assert view.shows(digests[0])
    assert view.script("return [window.evil, document.querySelectorAll('img[src=x]').length]") == [None, 0]
    assert view.problems() == []


def test_a_folder_that_lost_its_chunks_says_what_is_missing(view: Viewer, run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), "a", "b")
    run.judge()
    report = run.report()
    (report.json.parent / "data" / "issues-0.js").unlink()
    view.open(report)
    assert view.until(lambda: "data/issues-0.js cannot be loaded" in view.text("#gallery-status"))


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(
    view: Viewer, parks: tuple[Report, list[str]], width: int, scheme: str
) -> None:
    report, digests = parks
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    view.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    view.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        view.open(report)
        assert view.shows(*digests)
        assert view.script("return document.documentElement.scrollWidth") <= width
        paper = view.script("return getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(19, 20, 22)")
        assert view.script(FAINT_TEXTS) == []
    finally:
        view.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        view.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.fixture
def proved_and_leads(run: HandmadeRun) -> tuple[Report, str, list[str]]:
    """A report with an issue that has a proof, and with two leads."""
    scene = run.scene("meadow", ("dog",))
    issue = run.case(scene, "a dog", "a meadow")
    leads = [run.case(scene, "a dog", said, question=said) for said in ("a cat", "two dogs")]
    run.judge()
    asked = "How many dogs are in the image?"
    proof = [((), "the source", asked, "1"), ((Blur(1.5),), "the follow-up", asked, EVIL)]
    run.prove(issue, settled("proved", suspicion("refuted", label="cat", why="They agree."), why="1 and 0."), proof)
    run.prove(leads[0], settled("lead", why=EVIL))
    run.prove(leads[1], settled("lead", why="Perhaps a taste."))
    return run.report(), issue, leads


def test_a_card_shows_the_proof_of_its_issue(view: Viewer, proved_and_leads: tuple[Report, str, list[str]]) -> None:
    report, issue, _ = proved_and_leads
    view.open(report)
    assert view.shows(issue)
    assert view.text(".reason") == "'dog' is no longer named."
    assert view.texts(".kind")[:2] == ["omission", "proved"]
    assert view.text(".proof-proved .proof-why") == "ProofLoses 'dog'. 1 and 0."
    assert view.text(".proof-proved .question") == "AskedHow many dogs are in the image?"
    assert view.texts(".proof-proved .proof-said .edit") == ["the source", "the follow-up"]
    assert view.texts(".proof-proved .proof-said strong")[0] == "1"
    view.until(lambda: view.script("return [...document.querySelectorAll('.proof img')].every((i) => i.naturalWidth)"))
    assert len(view.chrome.find_elements(By.CSS_SELECTOR, ".proof-proved img[alt]")) == 2
    assert view.text(".more-suspicions > summary") == "1 more suspicion about these answers"
    assert view.text(".more-suspicions .proof-why") == "RefutedLoses 'cat'. They agree."
    assert view.script("return window.evil") is None and view.problems() == []


def test_leads_are_folded_away_and_have_filters_and_links_of_their_own(
    view: Viewer, proved_and_leads: tuple[Report, str, list[str]]
) -> None:
    report, issue, leads = proved_and_leads
    view.open(report)
    assert view.shows(issue) and not view.script("return document.getElementById('leads').open")
    view.chrome.find_element(By.CSS_SELECTOR, ".evidence-line a[href='#leads']").click()
    assert view.shows(issue, *leads), "the issue stays where it is"
    assert view.text("#lead-result-count") == "1\u20132 of 2" and view.text("#result-count") == "1\u20131 of 1"
    assert view.texts("#lead-cards .proof-why")[1] == "Not countedLoses 'dog'. Perhaps a taste."
    view.chrome.find_element(By.LINK_TEXT, "Perhaps a taste.").click()
    assert view.shows(issue, leads[1])
    assert view.script("return location.hash") == "#leads=all&why=Perhaps+a+taste."
    view.open(report, f"#lead={leads[0][:12]}")
    assert view.shows(issue, leads[0])
    view.chrome.find_element(By.CSS_SELECTOR, "#lead-cards .back").click()
    assert view.shows(issue, *leads)
    view.script("location.hash = arguments[0]", f"issue={leads[0]}")
    assert view.until(lambda: "No issue of this report" in view.text("#gallery-status")), "a lead is not an issue"
    assert view.script("return window.evil") is None and view.problems() == []


def test_leads_of_a_single_file_unfold(view: Viewer, run: HandmadeRun, proved_and_leads: object) -> None:
    path = write_single_file(run.store, run.config, run.store.folder / "one.html").path
    view.chrome.get("about:blank")
    view.chrome.get_log("browser")  # type: ignore[no-untyped-call]
    view.chrome.get(f"{path.as_uri()}#leads")
    assert view.until(lambda: len(view.digests()) == 3)
    assert view.script("return [...document.querySelectorAll('#lead-cards img')].length") == 4
    assert view.problems() == []
