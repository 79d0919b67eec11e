from __future__ import annotations

from anamorph.studies.label_errors.references import check_references
from tests.relations.readings import UNREADABLE, caption, one


def test_what_both_captions_name_and_no_reference_does_is_reported() -> None:
    check = check_references(
        caption(one("dog"), one("cat"), one("bird")),
        caption(one("cat"), one("dog")),
        [caption(one("dog")), caption(one("dog"), one("person"))],
    )
    assert check.invariant == ("dog", "cat") and check.unnamed == ("cat",)
    assert check.unnamed_by == (("cat",), ("cat",))


def test_each_reference_is_also_checked_alone() -> None:
    pair = (caption(one("dog")), caption(one("dog")))
    check = check_references(*pair, [caption(one("dog")), caption(one("man")), UNREADABLE])
    assert check.unnamed == () and check.unnamed_by == ((), ("dog",), ("dog",))


def test_classes_may_be_lifted_to_their_super_category() -> None:
    kinds = {"dog": "animal", "cat": "animal"}
    check = check_references(
        caption(one("dog")), caption(one("cat")), [caption(one("dog"))], lambda label: kinds.get(label, label)
    )
    assert check.invariant == ("animal",) and check.unnamed == ()


def test_without_references_nothing_is_said() -> None:
    check = check_references(caption(one("dog")), caption(one("dog")), [])
    assert check.invariant == ("dog",) and check.unnamed == () and check.unnamed_by == ()
