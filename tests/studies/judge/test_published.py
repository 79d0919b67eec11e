from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.studies.judge.files import BadLine, RecordedLine
from anamorph.studies.judge.published import Repository, published_rows
from anamorph.studies.judge.workbooks import first_sheet
from tests.studies.judge.workbooks import workbook


def rows(repository: Repository, folder: Path) -> list[dict[str, Any]]:
    found = list(published_rows(repository, folder))
    assert all(isinstance(each, RecordedLine) for each in found), found
    return [dict(each.plain) for each in found if isinstance(each, RecordedLine)]


def write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def test_a_clone_of_oamt_gives_its_reported_triples(tmp_path: Path) -> None:
    said = "('two dogs', \"a dog's bed\", 'a cat')\nhttp://images.cocodataset.org/train2017/000000000001.jpg\n\n"
    write(tmp_path / "experiments" / "rq_results" / "issues" / "blip_issues", said * 2)
    first, second = rows("oamt", tmp_path)
    assert first == {
        "id": "BLIP-1",
        "method": "oamt",
        "system": "BLIP",
        "photo": "000000000001.jpg",
        "source": "two dogs",
        "pieces": ["a dog's bed", "a cat"],
    }
    assert second["id"] == "BLIP-2"


def test_a_clone_of_testic_gives_the_pairs_of_rome_and_metaic(tmp_path: Path) -> None:
    rome = tmp_path / "ROME" / "error_detection"
    write(rome / "azure_ancestor.tsv", "1\t[{'caption': 'a bus and a car'}]\n")
    write(rome / "azure_descendant.tsv", '1\t[{"caption": "a car"}]\n')
    pair = {"removed_object_ancestor": {"car_0"}, "removed_object_descendant": {"car_0", "hot_dog_1", "bus_0"}}
    write(rome / "name_img_id_dict.pkl", pickle.dumps({1: pair}))
    metaic = tmp_path / "MetaIC" / "Report_erroneous_issues" / "azure_dir"
    write(metaic / "azure_1000_0" / "name_img_id_dict.pkl", pickle.dumps({1: {"image_id": 77, "object": "carrot"}}))
    write(metaic / "azure_1000_bar1" / "pred.final_result_test_bar1.tsv", '1\t[{"caption": "a man and a carrot"}]\n')
    write(metaic / "ori_azure_cap" / "pred.val_test_5000.tsv", '77\t[{"caption": "a man"}]\n')
    rerun = tmp_path / "ROME" / "metaic_error_detection" / "ofa_base_meta"
    hot_dog = pickle.dumps({1: {"image_id": 5, "object": "hot_dog"}})
    write(rerun / "ofa_base_1000_0" / "name_img_id_dict.pkl", hot_dog)
    write(rerun / "ofa_base_1000_0" / "ofa_base_final_result_test_0.tsv", '1\t[{"caption": "a hot dog"}]\n')
    write(rerun / "ofa_base_1000_bg" / "ofa_base_bg_images.tsv", '9\t[{"caption": "a table"}]\n')
    one, other, again = rows("testic", tmp_path)
    assert (one["method"], one["ancestor"], one["descendant"]) == ("rome", "a bus and a car", "a car")
    assert one["removed"] == ["bus", "hot_dog"]
    assert (other["background"], other["generated"], other["inserted"]) == ("a man", "a man and a carrot", "carrot")
    assert other["id"] == "metaic-azure_1000_bar1-1"
    assert (again["background"], again["generated"], again["inserted"]) == ("a table", "a hot dog", "hot dog")


def test_a_list_of_oamt_that_is_in_two_folders_counts_once(tmp_path: Path) -> None:
    for folder in ("rq2", "rq_results"):
        file = tmp_path / "experiments" / folder / "issues" / ("GIT_issues" if folder == "rq2" else "git_issues")
        write(file, "('a', 'b', 'c')\nhttp://x/y.jpg\n")
    assert [row["id"] for row in rows("oamt", tmp_path)] == ["GIT-1"]


def test_the_ratings_of_oamt_say_which_reports_are_false_alarms(tmp_path: Path) -> None:
    triples = "[('boy', 'play', 'plural')]\n[]\n[]\n('two boys', 'a man', 'a tree')\nhttp://x/1.jpg\n{}\n"
    sample = tmp_path / "experiments" / "rq2" / "sample" / "BLIP_sample"
    write(sample, "".join(triples.format(rated) for rated in ("0 0", "0.5 1", "1 1 om om")))
    found = rows("oamt-rated", tmp_path)
    assert [row["false_alarm"] for row in found] == [0, 0.75, 1]
    assert found[0]["id"] == "BLIP-sample-1" and found[0]["pieces"] == ["a man", "a tree"]
    # The list without an ending has what the two agreed on, below what each said.
    write(sample.with_name("BLIP"), "".join(triples.format(rated) for rated in ("0 0\n0", "0 1\n1", "1 0.5\n0.5")))
    assert [row["false_alarm"] for row in rows("oamt-rated", tmp_path)] == [0, 1, 0.5]
    sample.with_name("BLIP").unlink()
    write(sample, triples.format("") + triples.format("0 0"))
    bad, good = published_rows("oamt-rated", tmp_path)
    assert isinstance(bad, BadLine) and "BLIP-sample-1 has no ratings" in bad.problem
    assert isinstance(good, RecordedLine)


CHANGES = ("brightness", "contrast", "gaussian", "rotation", "saturation", "scale", "sharp")


def lv_cit(folder: Path, changes: tuple[str, ...] = CHANGES, shared: bool = True) -> None:
    google = folder / "data" / "combine" / "4results" / "google"
    header: list[str | None] = [None, "img", "label1", "label2"]
    source = google / "result_google_voc2" / "result_google_voc_2way_msrn_map70.1.xlsx"
    write(source, workbook(header, ["0", "car-dog_1.jpg", "car", "dog"], shared=shared))
    after = [[str(at), f"car-dog_1_{name}.jpg", None, "dog"] for at, name in enumerate(changes)]
    follow_ups = google / "result_google_voc_followup2" / "result_google_voc_followup_2way_msrn_map69.5.xlsx"
    write(follow_ups, workbook(header, *after, shared=shared))


@pytest.mark.parametrize("shared", [True, False])
def test_a_clone_of_lv_cit_gives_the_outputs_of_atom(tmp_path: Path, shared: bool) -> None:
    lv_cit(tmp_path, shared=shared)
    (row,) = rows("lv-cit", tmp_path)
    assert row == {
        "id": "voc2-msrn-car-dog_1",
        "method": "atom",
        "system": "msrn",
        "labels": ["car", "dog"],
        "outputs": [["car", "dog"], *[["dog"]] * 7],
        "operations": list(CHANGES),
    }


def test_a_photo_that_lacks_a_follow_up_is_named(tmp_path: Path) -> None:
    lv_cit(tmp_path, CHANGES[:-1])
    (bad,) = published_rows("lv-cit", tmp_path)
    assert isinstance(bad, BadLine) and "has no row car-dog_1_sharp" in bad.problem


@pytest.mark.parametrize("broken", [b"no workbook", b"PK\x03\x04"])
def test_a_workbook_that_cannot_be_read_is_refused(tmp_path: Path, broken: bytes) -> None:
    file = tmp_path / "broken.xlsx"
    file.write_bytes(broken)
    with pytest.raises(UsageError, match="cannot be read as an Excel workbook"):
        list(first_sheet(file))


def test_a_workbook_with_a_document_type_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "grows.xlsx"
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("xl/worksheets/sheet1.xml", '<!DOCTYPE a [<!ENTITY x "y">]><worksheet>&x;</worksheet>')
    with pytest.raises(UsageError, match="has a document type"):
        list(first_sheet(file))


class Evil:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, ("run",)


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    rome = tmp_path / "ROME" / "error_detection"
    write(rome / "azure_ancestor.tsv", "1\t[{'caption': 'a bus'}]\n")
    write(rome / "azure_descendant.tsv", "1\t[{'caption': 'a bus'}]\n")
    write(rome / "name_img_id_dict.pkl", pickle.dumps({1: Evil()}))
    with pytest.raises(UsageError, match="which is not plain data"):
        list(published_rows("testic", tmp_path))


def test_what_cannot_be_read_is_named_and_does_not_stop_the_rest(tmp_path: Path) -> None:
    write(tmp_path / "experiments" / "a" / "issues" / "git_issues", "('a', 'b')\n('a', 'b', 'c')\nhttp://x/y.jpg\n")
    bad, good = published_rows("oamt", tmp_path)
    assert isinstance(bad, BadLine) and "git_issues, line 1: expected three captions" in bad.problem
    assert isinstance(good, RecordedLine) and good.plain["photo"] == "y.jpg"


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has none of the files that a clone of s1by306/OAMT has"):
        list(published_rows("oamt", tmp_path))
    with pytest.raises(UsageError, match="is not a folder"):
        list(published_rows("testic", tmp_path / "nowhere"))


# Of protocol 1: a dictionary, kept under the number 2 ** 31 - 1.
GREEDY = b"}r\xff\xff\xff\x7f."


def test_a_pickle_of_a_few_bytes_takes_no_gigabytes(tmp_path: Path) -> None:
    file = tmp_path / "x.pkl"
    file.write_bytes(GREEDY)
    program = (
        "import resource\n"
        "from pathlib import Path\n"
        "from anamorph.studies.judge import published\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000,) * 2)\n"
        f"print(published._plain_pickle(Path({str(file)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "{}\n", done.stderr


@pytest.mark.parametrize(
    "pair",
    [
        {},
        {"removed_object_ancestor": None, "removed_object_descendant": 5},
        {"removed_object_descendant": [["a"]], "removed_object_ancestor": {1: 2}},
        {"image_id": [], "object": 3},
    ],
)
def test_a_pair_that_is_not_what_it_should_be_is_a_row_without_it(tmp_path: Path, pair: dict[str, Any]) -> None:
    rome = tmp_path / "ROME" / "error_detection"
    write(rome / "azure_ancestor.tsv", "1\t[{'caption': 'a bus'}]\n")
    write(rome / "azure_descendant.tsv", '1\t[{"caption": "a car"}]\n')
    write(rome / "name_img_id_dict.pkl", pickle.dumps({1: pair}))
    metaic = tmp_path / "MetaIC" / "Report_erroneous_issues" / "azure_dir"
    write(metaic / "azure_1000_0" / "pred.test.tsv", '1\t[{"caption": "a man and a carrot"}]\n')
    write(metaic / "azure_1000_0" / "name_img_id_dict.pkl", pickle.dumps({1: pair}))
    write(metaic / "ori_azure_cap" / "pred.val.tsv", '77\t[{"caption": "a man"}]\n')
    one, other = published_rows("testic", tmp_path)
    assert isinstance(one, RecordedLine) and one.plain["removed"] == []
    assert isinstance(other, BadLine)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_clone_with_what_is_no_file_does_not_hang(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "experiments" / "issues" / "blip_issues"
    place.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="regular file"):
        list(published_rows("oamt", tmp_path))
