from __future__ import annotations

from anamorph.relations.stable_labels import StableLabels
from anamorph.report.reviews import marks_of_run, read_reviews
from anamorph.studies.relevance.errors import error_table, irrelevance_errors
from anamorph.studies.relevance.votes import Judgement, sum_up
from tests.report.fixtures import HandmadeRun
from tests.report.marking import mark


def photo(run: HandmadeRun, name: str, *outputs: str, labels: tuple[str, ...] = ("cat", "dog")) -> str:
    run.scene(name)
    given = [dict.fromkeys(output.split(), 1.0) for output in outputs]
    return run.case(name, *given, tags={"combination": " + ".join(labels)}, relation=StableLabels(labels))


def test_what_irrelevant_photos_introduced_is_in_parentheses(run: HandmadeRun) -> None:
    # The photo of section III-B2: only a cat is there, but the outputs have cat, then dog.
    photo(run, "only a cat.jpg", "cat", "dog")
    photo(run, "both", "cat dog", "cat")
    photo(run, "sure", "cat dog", "cat dog")
    photo(run, "other", "bird cat", "bird", labels=("bird", "cat"))
    photo(run, "wrongly sure", "bird cat", "bird cat", labels=("bird", "cat"))
    photo(run, "unsteady", "cat cow", "cat", labels=("cow",))
    run.judge()
    judged = {
        ("only a cat", ("cat", "dog")): "irrelevant",
        ("both", ("cat", "dog")): "weak",
        ("sure", ("cat", "dog")): "strong",
        ("other", ("bird", "cat")): "irrelevant",
        ("wrongly sure", ("bird", "cat")): "irrelevant",
    }
    votes = sum_up(
        Judgement(image, labels, "ann", choice)  # type: ignore[arg-type]
        for (image, labels), choice in judged.items()
    ).votes
    one, two = error_table(irrelevance_errors(run.store, votes, ())).rows
    # Of two pairs, both are confident and vulnerable, and those of bird and cat only by irrelevant photos.
    assert two == (2, 5, 0, "3 (2)", 0, "100.0% (50.0%)", "100.0% (50.0%)")
    assert one == (1, 1, 1, "1 (0)", 0, "0.0% (0.0%)", "100.0% (0.0%)")


def test_where_nobody_voted_reviewers_of_the_issue_say_that_the_labels_are_wrong(run: HandmadeRun) -> None:
    cases = [photo(run, f"photo {number}", "cat dog", "cat") for number in range(3)]
    run.judge()
    mark(run.store, cases[0], "ann", "wrong", false_alarm="annotation")
    mark(run.store, cases[1], "ann", "wrong", false_alarm="reader")
    reviews = read_reviews(run.store, 1, marks_of_run(run.store)).issues
    (row,) = error_table(irrelevance_errors(run.store, (), reviews)).rows
    assert row == (2, 3, 1, "3 (1)", 0, "0.0% (0.0%)", "100.0% (0.0%)")
