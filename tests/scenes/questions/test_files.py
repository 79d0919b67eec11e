from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.model import Question
from anamorph.scenes.questions.files import QuestionFile, read_questions

VQA = {
    "info": {"version": "2.0"},
    "task_type": "Open-Ended",
    "data_subtype": "val2014",
    "questions": [
        {"image_id": 262148, "question": "Where is he looking?", "question_id": 262148000},
        {"image_id": 262148, "question": "How many people are there?", "question_id": 262148001},
        {"image_id": 393225, "question": "Is there a dog?", "question_id": 393225000},
    ],
}
VQA_ANSWERS = {
    "annotations": [
        {
            "question_type": "how many",
            "multiple_choice_answer": "2",
            "answers": [{"answer": word, "answer_confidence": "yes", "answer_id": 1} for word in ("2", "two", "2")],
            "image_id": 262148,
            "answer_type": "number",
            "question_id": 262148001,
        },
        {"multiple_choice_answer": "no", "image_id": 393225, "question_id": 393225000},
    ]
}


def write(folder: Path, name: str, document: Any) -> str:
    (folder / name).write_text(document if isinstance(document, str) else json.dumps(document))
    return str(folder / name)


def read(folder: Path, document: Any, answers: Any = None) -> QuestionFile:
    second = None if answers is None else write(folder, "answers.json", answers)
    return read_questions(write(folder, "questions.json", document), second)


def test_vqa_v2_has_its_answers_in_a_second_file(tmp_path: Path) -> None:
    file = read(tmp_path, VQA, VQA_ANSWERS)
    assert file.by_image == {
        "262148": [
            Question("Where is he looking?", (), "262148000"),
            Question("How many people are there?", ("2", "two", "2"), "262148001"),
        ],
        "393225": [Question("Is there a dog?", ("no",), "393225000")],
    }
    assert not file.skips
    assert read(tmp_path, VQA).by_image["393225"] == [Question("Is there a dog?", (), "393225000")]


def test_gqa_has_questions_by_id(tmp_path: Path) -> None:
    asked = {"0545": {"imageId": "n1", "question": "What color is the cat?", "answer": "red", "annotations": {}}}
    assert read(tmp_path, asked).by_image == {"n1": [Question("What color is the cat?", ("red",), "0545")]}
    without = {"0545": {"imageId": "n1", "question": "What color is the cat?"}}
    assert read(tmp_path, without, {"0545": "red"}).by_image["n1"][0].answers == ("red",)


@pytest.mark.parametrize("named", ["folder", "file"])
def test_coco_qa_has_a_line_for_each_question_in_parallel_files(tmp_path: Path, named: str) -> None:
    write(tmp_path, "questions.txt", "how many dogs are there\nwhat is on the table\n")
    write(tmp_path, "img_ids.txt", "5\n7\n")
    write(tmp_path, "types.txt", "1\n0\n")
    path = str(tmp_path if named == "folder" else tmp_path / "questions.txt")
    assert read_questions(path, None).by_image["5"] == [Question("how many dogs are there")]
    write(tmp_path, "answers.txt", "two\npizza\n")
    assert read_questions(path, None).by_image["7"] == [Question("what is on the table", ("pizza",))]
    write(tmp_path, "answers.txt", "two\n")
    with pytest.raises(UsageError, match=r"img_ids\.txt has 2, answers\.txt has 1"):
        read_questions(path, None)


def test_a_json_list_and_json_lines_have_an_image_a_question_and_answers(tmp_path: Path) -> None:
    first = {"image": "a/b.jpg", "question": " Is there\n a cup? ", "answers": ["yes", True, 2]}
    second = {"image_id": 7, "question": "How many?", "answer": "two"}
    wanted = {"a/b.jpg": [Question("Is there a cup?", ("yes", "yes", "2"))], "7": [Question("How many?", ("two",))]}
    assert read(tmp_path, [first, second]).by_image == wanted
    assert read(tmp_path, f"\ufeff{json.dumps(first)}\n\n{json.dumps(second)}\n").by_image == wanted
    assert read(tmp_path, json.dumps(second)).by_image == {"7": wanted["7"]}


def test_a_damaged_question_is_skipped_by_its_place_and_its_key(tmp_path: Path) -> None:
    good = {"image": "a.jpg", "question": "How many?"}
    lines = [
        json.dumps(good),
        "{broken",
        json.dumps({"question": "How many?"}),
        json.dumps({"image": "a.jpg", "question": "  "}),
        json.dumps({"image": "a.jpg", "question": "x" * 2001}),
        json.dumps({"image": "a.jpg", "question": "How many?", "answers": ["x"] * 101}),
        json.dumps({"image": "a.jpg", "question": "How many?", "answers": {"a": 1}}),
        json.dumps({"image": "a.jpg", "question": "\ud800"}),
    ]
    file = read(tmp_path, "\n".join(lines))
    assert file.by_image == {"a.jpg": [Question("How many?")]}
    reasons = {skip.what.rpartition(": ")[2]: skip.reason for skip in file.skips}
    assert "should be an object" in reasons["line 2"]
    assert "'image', 'image_id', 'imageId', 'img_id'" in reasons["line 3"]
    assert "'question' should be a string" in reasons["line 4"]
    assert "2,001 characters" in reasons["line 5"]
    assert "101 answers" in reasons["line 6"]
    assert "'answers' should be a string" in reasons["line 7"]
    assert "lone surrogate" in reasons["line 8"]


def test_answers_without_their_question_and_questions_without_an_id_are_skips(tmp_path: Path) -> None:
    answers = {"annotations": [*VQA_ANSWERS["annotations"], {"question_id": 1, "answer": "a"}, {"question_id": 2}, 5]}
    file = read(tmp_path, VQA, answers)
    reasons = [skip.reason for skip in file.skips]
    assert "None of the keys 'answers', 'answer', 'multiple_choice_answer' has an answer." in reasons
    assert any("should be an object" in reason for reason in reasons)
    assert any(reason.startswith("1 of its answers are to questions that") for reason in reasons)
    asked = [{"image": "a", "question": "How many?"}, {"image": "a", "question": "Who?", "question_id": 1}]
    (skip,) = (each for each in read(tmp_path, asked, {"1": "me"}).skips)
    assert "'question_id' is missing" in skip.reason


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (VQA_ANSWERS, "answers=FILE"),
        ({"images": [], "categories": 5}, "is not a file of questions: it is an object of 2"),
        ("5", "is not a file of questions: it is 5"),
        ("{", "is not valid JSON at line 1"),
        ([], "has no question that can be used"),
        ([{"image": "a"}], "The first entry: The key 'question' is missing."),
        ({}, "should have a list 'questions'"),
    ],
)
def test_a_file_of_something_else_is_a_usage_error_that_names_it(tmp_path: Path, document: Any, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, document)
    assert "questions.json" in str(caught.value) and complaint in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.json does not exist"):
        read_questions(str(tmp_path / "gone.json"), None)
