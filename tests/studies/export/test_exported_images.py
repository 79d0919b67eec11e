"""What is exported of a run whose suspicions were proved: the images and answers of its plan, not those of proofs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anamorph.config import Config, resolve
from anamorph.engine.run import carry_out, start
from anamorph.model import Skip
from anamorph.store.run import RunStore
from anamorph.store.verdicts import find_cases, verdict_of
from anamorph.studies.export.edited_images import EditedImage, Which, read_edited_images
from anamorph.studies.export.reports import ReportedImage, with_reports


@pytest.fixture(scope="module")
def config() -> Config:
    return resolve(
        {
            "methods": ["rome"],
            "scenes": {"kind": "toybox", "count": 5, "seed": 3},
            "system": {"kind": "callable", "target": "tests.studies.proving:of_two_minds"},
            "rome": {"max_depth": 1, "pairs_per_scene": 4},
            "prove": {"enabled": True, "most": "900%"},
        }
    )


@pytest.fixture(scope="module")
def store(config: Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    with start(config, tmp_path_factory.mktemp("run") / "run") as made:
        for _ in carry_out(made, config):
            pass
        yield made


def images_of(store: RunStore, config: Config, which: Which) -> list[EditedImage]:
    found = []
    for image in read_edited_images(store, config, which):
        assert not isinstance(image, Skip)
        found.append(image)
    return found


def test_pieces_that_were_cut_out_to_prove_something_are_not_exported(store: RunStore, config: Config) -> None:
    cut = {
        digest
        for (digest,) in store.connection.execute(
            """SELECT lower(hex(i.digest)) FROM images i WHERE i.file IS NOT NULL AND i.edits <> '[]'
            AND NOT EXISTS (SELECT 1 FROM probes p WHERE p.image = i.id AND p.round = 0)"""
        )
    }
    assert cut
    exported = images_of(store, config, "all")
    assert exported and not cut & {image.image for image in exported}
    planned = (
        "SELECT count(DISTINCT i.id) FROM images i JOIN probes p ON p.image = i.id WHERE round = 0 AND edits <> '[]'"
    )
    assert len(exported) == store.connection.execute(planned).fetchone()[0]


def test_answers_to_closed_questions_are_not_among_what_the_system_said(store: RunStore, config: Config) -> None:
    asked = """SELECT count(*) FROM probes p JOIN images i ON i.id = p.image
        WHERE round > 0 AND lower(hex(i.digest)) IN (SELECT value FROM json_each(?))"""
    images = images_of(store, config, "issues")
    digests = str([image.image for image in images]).replace("'", '"')
    assert store.connection.execute(asked, (digests,)).fetchone()[0]
    for found in with_reports(store, images):
        assert isinstance(found, ReportedImage)
        assert [each.question for each in found.edited.answers] == [None]
        assert [each.question for each in found.asked] == [None]


def test_issues_come_with_their_grade_and_the_reason_of_their_verdict(store: RunStore, config: Config) -> None:
    reported = list(with_reports(store, images_of(store, config, "issues")))
    assert reported
    for found in reported:
        assert isinstance(found, ReportedImage) and found.reports
        verdicts = [verdict_of(store, find_cases(store, report.issue)[0].id) for report in found.reports]
        assert [report.reason for report in found.reports] == [verdict and verdict.reason for verdict in verdicts]
        assert found.edited.grade in {verdict and verdict.grade for verdict in verdicts} - {None}
