from __future__ import annotations

from anamorph.edits.blur import Blur
from anamorph.model import Probe
from anamorph.studies.label_errors.captioned import captioned_pages
from tests.report.fixtures import HandmadeRun


def test_captions_of_untouched_photos_count_and_answers_to_questions_do_not(run: HandmadeRun) -> None:
    run.scene("street")
    run.case("street", "a dog", "a cat")
    run.case("street", "yes", "no", question="Is there any dog?")
    (page,) = captioned_pages(run.store)
    # The relation compares the wording of what it gets.
    ((case, photo),) = page.cases
    assert (case.relation, photo) == ("same-answer", "street")
    assert [page.answers[probe].text for probe in case.probes] == ["a dog", "a cat"]
    run.answer(Probe("street", (Blur(1.5),)), "a later answer", attempt=1)
    assert [each.answers for each in captioned_pages(run.store)] == [page.answers]
