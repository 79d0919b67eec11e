from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.edits.blur import Blur
from anamorph.edits.melt import Melt
from anamorph.model import Evidence, Probe, Verdict
from anamorph.report.gallery import (
    CARDS_PER_CHUNK,
    FACETS,
    MOST_ANSWER,
    GalleryFiles,
    card,
    chunk_files,
    facets,
    script_json,
    searched,
)
from anamorph.report.images import ReportImages
from anamorph.report.issues import Issue, read_issues
from tests.report.fixtures import HandmadeRun, any_issue

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def issue_of(run: HandmadeRun, tmp_path: Path) -> Issue:
    (issue,) = read_issues(run.store, ReportImages(run.store.images, tmp_path), run.repeats)
    return issue


def chunk(path: Path) -> Any:
    text = path.read_text(encoding="ascii")
    name, _, rest = text.partition(" = ")
    assert name == f'ANAMORPH["{path.stem}"]'
    return json.loads(rest.removesuffix(";\n"))


@given(any_issue(ANY_TEXT))
def test_a_card_is_ascii_without_markup_and_without_free_keys(issue: Issue) -> None:
    made = card(issue)
    script = script_json([made, facets(issue), searched(issue, facets(issue))])
    assert script.isascii() and "<" not in script and "\n" not in script
    assert json.loads(script)[0] == made
    keys: set[str] = set()
    json.loads(script, object_hook=keys.update)
    assert all(key.isidentifier() for key in keys)


def test_a_card_of_long_texts_stays_small(run: HandmadeRun, tmp_path: Path) -> None:
    long = "ab " * 100_000
    digest = run.case(run.scene(long, (long, "x" + long)), long, "y", question=long, tags={long: long, "k": long})
    run.judge()
    evidence = tuple(Evidence(n % 2, f"{n} {long}") for n in range(100))
    run.rule(digest, Verdict("violated", long, (long,), (long, "c" + long), evidence))
    issue = issue_of(run, tmp_path)
    assert len(script_json(card(issue))) < 30_000
    assert len(script_json(facets(issue))) < 4_000
    assert len(script_json(searched(issue, facets(issue)))) < 8_000


def test_chunks_hold_all_issues_in_order(run: HandmadeRun, tmp_path: Path) -> None:
    scene = run.scene("park")
    digests = [run.case(scene, "a dog", "a cat", question=f"{n}?", pictures=False) for n in range(CARDS_PER_CHUNK + 3)]
    run.judge()
    with GalleryFiles(chunk_files(tmp_path / "chunks")) as files:
        for issue in read_issues(run.store, ReportImages(run.store.images, tmp_path), 1):
            files.add(issue)
    names = sorted(path.name for path in (tmp_path / "chunks").iterdir())
    assert names == ["index-0.js", "issues-0.js", "issues-1.js", "texts-0.js"]
    cards = chunk(tmp_path / "chunks/issues-0.js") + chunk(tmp_path / "chunks/issues-1.js")
    assert [each["digest"] for each in cards] == digests
    hexadecimal, names_of_facets, rows = chunk(tmp_path / "chunks/index-0.js")
    assert hexadecimal == "".join(digests)
    assert len(rows) == len(chunk(tmp_path / "chunks/texts-0.js")) == len(digests)
    methods = FACETS.index("method")
    assert {names_of_facets[methods][place] for row in rows for place in row[methods]} == {"deeptest"}
    assert len(chunk(tmp_path / "chunks/issues-0.js")) == CARDS_PER_CHUNK
    assert "question" not in cards[0]["probes"][0], "what is empty is left out"


def test_evidence_is_marked_where_it_stands_and_else_shown_beside(run: HandmadeRun, tmp_path: Path) -> None:
    digest = run.case(run.scene("park"), "a black dog runs", "a field")
    run.judge()
    evidence = (Evidence(0, "dog", 8, 11), Evidence(1, "no dog"), Evidence(1, "beyond", 90, 95))
    run.rule(digest, Verdict("violated", "The dog is gone.", ("same-answer", "mr1"), ("omission",), evidence))
    made = card(issue_of(run, tmp_path))
    source, follow_up = made["probes"]
    assert source["answer"]["parts"] == [["a black ", False], ["dog", True], [" runs", False]]
    assert source["evidence"] == []
    assert follow_up["answer"]["parts"] == [["a field", False]]
    assert follow_up["evidence"] == ["no dog", "beyond"]
    assert made["violated"] == ["mr1"]
    assert follow_up["alt"] == "Follow-up, scene park: blur, sigma 1.5"


def test_a_label_that_proves_is_marked_among_the_labels(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), {"dog": 0.9, "cat": 0.8}, {"dog": 0.95, "cat": 0.1})
    run.judge()
    source, _ = card(issue_of(run, tmp_path))["probes"]
    assert source["answer"]["labels"] == [["dog", "0.90", False], ["cat", "0.80", True]]


def test_a_proving_label_is_shown_even_among_a_thousand(run: HandmadeRun, tmp_path: Path) -> None:
    many = {f"label {n}": 0.9 for n in range(1000)}
    run.case(run.scene("park"), {**many, "zebra": 0.5}, many)
    run.judge()
    source, _ = card(issue_of(run, tmp_path))["probes"]
    assert ["zebra", "0.50", True] in source["answer"]["labels"]
    assert source["answer"]["more"] == 1001 - len(source["answer"]["labels"])


def test_a_question_is_shown_once_or_with_each_picture(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), "one", "two", question="How many?")
    run.judge()
    made = card(issue_of(run, tmp_path))
    assert made["question"] == "How many?"
    assert [probe["question"] for probe in made["probes"]] == [None, None]


def test_a_cut_answer_says_how_long_it_was(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), "x" * 20_000, "y" * MOST_ANSWER)
    run.judge()
    source, follow_up = card(issue_of(run, tmp_path))["probes"]
    assert source["answer"]["length"] == 20_000
    assert follow_up["answer"]["length"] is None
    assert len(script_json(source)) < 3 * MOST_ANSWER


def test_a_missing_picture_says_why(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), "a dog", "a cat", pictures=False)
    run.judge()
    run.store.connection.execute("UPDATE images SET problem = 'The hole is too large.' WHERE edits <> '[]'")
    source, follow_up = card(issue_of(run, tmp_path))["probes"]
    assert source["image"] is None and source["missing"] == "No picture is kept of this probe."
    assert follow_up["missing"] == "The picture could not be made: The hole is too large."


@pytest.mark.parametrize(("second", "others"), [("a dog", []), ("a hound", ["a hound"])])
def test_repeated_answers_are_shown_where_they_differ(
    new_run: Any, tmp_path: Path, second: str, others: list[str]
) -> None:
    run: HandmadeRun = new_run(repeats=2)
    run.case(run.scene("park"), "a dog", "a cat")
    run.answer(Probe("park"), second, attempt=1)
    run.answer(Probe("park", (Blur(1.5),)), "a cat", attempt=1)
    run.judge()
    source, _ = card(issue_of(run, tmp_path))["probes"]
    assert (source["attempt"], source["other_count"], source["others"]) == (0, 1, others)


def test_with_repeats_the_answer_that_has_the_evidence_is_shown(new_run: Any, tmp_path: Path) -> None:
    run: HandmadeRun = new_run(repeats=2)
    digest = run.case(run.scene("park"), "nothing", "a cat")
    run.answer(Probe("park"), "a dog", attempt=1)
    run.answer(Probe("park", (Blur(1.5),)), "a cat", attempt=1)
    run.judge()
    run.rule(digest, Verdict("violated", "The dog is gone.", evidence=(Evidence(0, "dog", 2, 5),)))
    source, _ = card(issue_of(run, tmp_path))["probes"]
    assert source["answer"]["parts"] == [["a ", False], ["dog", True]]
    assert source["attempt"] == 1


def test_the_search_looks_at_answers_questions_edits_and_scene(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), "a dog", "a cat", question="What?")
    run.judge()
    text = searched(issue := issue_of(run, tmp_path), facets(issue))
    for piece in ("park", "a dog", "a cat", "what?", "blur, sigma 1.5", "the answer changed", "same-answer"):
        assert piece in text


def test_of_two_sentences_only_the_words_that_differ_are_marked(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), "a brown dog runs over the grass", "a black dog sits on the grass")
    run.judge()
    source, follow_up = card(issue_of(run, tmp_path))["probes"]
    assert [text for text, marked in source["answer"]["parts"] if marked] == ["brown", "runs over"]
    assert [text for text, marked in follow_up["answer"]["parts"] if marked] == ["black", "sits on"]


def test_the_follow_up_that_differs_is_marked_among_several(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), *[{"dog": 0.9, "cat": 0.8}] * 3, {"dog": 0.9}, {"dog": 0.9, "cat": 0.8})
    run.judge()
    issue = issue_of(run, tmp_path)
    probes = card(issue)["probes"]
    assert [probe["differs"] for probe in probes] == [None, False, False, True, False]
    assert [probe["absent"] for probe in probes] == [[], [], [], ["cat"], []]
    assert facets(issue)[FACETS.index("change")] == ["blur, sigma 3.5"]


def test_nothing_is_marked_where_there_is_one_follow_up_or_all_differ(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park"), {"dog": 0.9}, {"cat": 0.9})
    run.judge()
    assert [probe["differs"] for probe in card(issue_of(run, tmp_path))["probes"]] == [None, None]


def test_what_was_removed_is_outlined_on_both_pictures(run: HandmadeRun, tmp_path: Path) -> None:
    scene = run.scene("park", ("dog", "cat"))
    run.case(scene, "a dog", "a cat", edits=(Melt(("0",)),))
    run.judge()
    source, follow_up = card(issue_of(run, tmp_path))["probes"]
    box = [0, 0, 5 / 40, round(5 / 30, 4), "removed"]
    assert source["outlines"] == follow_up["outlines"] == [box] and source["size"] == [40, 30]
    assert follow_up["edits"] == ["a dog removed"]
    assert follow_up["exactly"] == ["melt, inpainter telea, objects dog (0)"]


def test_labels_below_the_threshold_are_not_named_and_what_crossed_it_is_told(run: HandmadeRun) -> None:
    run.case(run.scene("park"), {"dog": 0.9, "car": 0.7, "cat": 0.1, "bird": 0.9}, {"dog": 0.2, "car": 0.6, "cat": 0.8})
    run.judge()
    (issue,) = read_issues(run.store, None, 1)
    source, follow_up = card(issue)["probes"]
    assert [label for label, _, _ in source["answer"]["labels"]] == ["bird", "dog", "car"]
    assert source["answer"]["below"] == [["cat", "0.10"]] and source["crossed"] == []
    assert [label for label, _, _ in follow_up["answer"]["labels"]] == ["cat", "car"]
    assert follow_up["answer"]["below"] == [["dog", "0.20"]]
    assert sorted(follow_up["crossed"]) == [
        ["bird", "0.90", "not given", ""],
        ["cat", "0.10", "0.80", "+0.70"],
        ["dog", "0.90", "0.20", "\N{MINUS SIGN}0.70"],
    ]
