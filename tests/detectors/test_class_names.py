from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.detectors.class_names import is_class, names_in_metadata, names_of_list
from anamorph.errors import UsageError


def test_cocos_names_come_in_its_three_orders() -> None:
    eighty, by_id, less_one = (names_of_list(f"coco-{count}") for count in (80, 91, 90))
    assert (len(eighty), len(by_id), len(less_one)) == (80, 91, 90)
    assert (eighty[0], eighty[79], by_id[1], by_id[90], less_one[89]) == ("person", "toothbrush", "person") + (
        "toothbrush",
    ) * 2
    # COCO's ids of a few classes after its gaps.
    assert {id_: by_id[id_] for id_ in (13, 18, 27, 31, 46, 67, 70, 72, 84)} == {
        13: "stop sign", 18: "dog", 27: "backpack", 31: "handbag", 46: "wine glass", 67: "dining table",
        70: "toilet", 72: "tv", 84: "book",
    }  # fmt: skip
    assert [name for name in by_id if is_class(name)] == list(eighty)


def test_a_list_of_ones_own_is_read_from_lines_or_json(tmp_path: Path) -> None:
    lines, listed, table = tmp_path / "a.txt", tmp_path / "b.json", tmp_path / "c.json"
    lines.write_text("cat\n\n dog \n\n", encoding="utf-8")
    listed.write_text('["cat", "", "dog"]')
    table.write_text('{"2": "dog", "0": "cat"}')
    for file in (lines, listed, table):
        assert names_of_list(str(file)) == ("cat", "", "dog")


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.json", "{", "not valid JSON"),
        ("a.json", '{"x": "dog"}', "expected a list of labels"),
        ("a.json", "[1, 2]", "expected a list of labels"),
        ("a.txt", "\n???\n", "the file has no labels"),
        ("a.csv", "dog", "Unknown list of labels"),
    ],
)
def test_a_bad_list_is_named(tmp_path: Path, name: str, content: str, complaint: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=complaint):
        names_of_list(str(tmp_path / name))


def test_a_list_that_is_not_there_and_a_name_that_is_not_known_are_told() -> None:
    with pytest.raises(UsageError, match=r"gone\.txt: the labels cannot be read: No such file"):
        names_of_list("gone.txt")
    with pytest.raises(UsageError, match=r"Unknown list of labels 'coco80'\. Did you mean 'coco-80'\?"):
        names_of_list("coco80")


def test_names_come_from_what_the_file_says() -> None:
    assert names_in_metadata({"names": "{0: 'cat', 1: 'dog'}"}, "labels") == ("cat", "dog")
    assert names_in_metadata({"labels": "cat\n???\ndog\n"}, "labels") == ("cat", "???", "dog")
    for bad in ({}, {"names": "__import__('os')"}, {"names": "{"}, {"names": "3"}, {"names": "{'a': 1}"}):
        assert names_in_metadata(bad, "labels") is None
